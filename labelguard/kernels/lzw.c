/* LZW as TIFF has it; see `lzw.py`.
 *
 * Every string of the table stands in the output already: it is an earlier string and the byte that followed it there. So no strings are
 * kept, only where each begins and how long it is.
 */
#include "kernels.h"

enum { LZW_TOO_LONG = -1, LZW_BAD_CODE = -2, CLEAR = 256, END = 257, CODES = 4096 }; /* as in `lzw.py` */

EXPORT int64_t lg_lzw(const uint8_t *stream, size_t stream_size, uint8_t *out, size_t out_size)
{
    size_t begins[CODES], lengths[CODES]; /* set up to `following` */
    size_t at = 0, written = 0, begin = 0, length = 0; /* the string before, of no length after a clear code */
    unsigned following = END + 1, width = 9, bits = 0; /* the next free code */
    uint32_t held = 0;
    for (;;) {
        for (; bits < width; bits += 8) {
            if (at == stream_size)
                return (int64_t)written;
            held = (held << 8 | stream[at++]) & 0xFFFFFF;
        }
        bits -= width;
        const unsigned code = held >> bits & ((1u << width) - 1);
        if (code == END)
            return (int64_t)written;
        if (code == CLEAR) {
            following = END + 1;
            width = 9;
            length = 0;
            continue;
        }
        if (code > following || (code >= CLEAR && length == 0))
            return LZW_BAD_CODE;
        /* The code that is only now being given stands for the string before and the byte after it, which is that string's first. */
        const size_t source = code < CLEAR ? written : code < following ? begins[code] : begin;
        const size_t count = code < CLEAR ? 1 : code < following ? lengths[code] : length + 1;
        if (count > out_size - written)
            return LZW_TOO_LONG;
        if (code < CLEAR)
            out[written] = (uint8_t)code;
        else
            for (size_t i = 0; i < count; i++) /* one by one: the string may end where it is being written */
                out[written + i] = out[source + i];
        if (length > 0 && following < CODES) {
            begins[following] = begin;
            lengths[following] = length + 1;
            following++;
            width = following < 511 ? 9 : following < 1023 ? 10 : following < 2047 ? 11 : 12;
        }
        begin = written;
        length = count;
        written += count;
    }
}
