/* PackBits; see `packbits.py`. */
#include "kernels.h"

enum { PACKBITS_TOO_LONG = -1, PACKBITS_CUT = -2, NOTHING = 128 }; /* as in `packbits.py` */

EXPORT int64_t lg_packbits(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t out_size)
{
    size_t at = 0, written = 0;
    while (at < stream_size) {
        const unsigned head = stream[at++];
        if (head == NOTHING)
            continue;
        const int is_literal = head < NOTHING;
        const size_t count = is_literal ? head + 1 : 257 - head, stored = is_literal ? count : 1;
        if (stored > stream_size - at)
            return PACKBITS_CUT;
        if (count > out_size - written)
            return PACKBITS_TOO_LONG;
        if (is_literal)
            memcpy(out + written, stream + at, count);
        else
            memset(out + written, stream[at], count);
        at += stored;
        written += count;
    }
    return (int64_t)written;
}
