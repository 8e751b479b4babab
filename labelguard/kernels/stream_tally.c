/* Stream tally: the facts of a PNG from its compressed pixel stream, in one call.
 *
 * libdeflate's functions (https://github.com/ebiggers/libdeflate, `libdeflate.h`) are handed in as pointers.
 */
#include "kernels.h"

/* Inflate a zlib stream (RFC 1950) into exactly `size` bytes of scratch, whose checksum is left to who looks at them. */
int inflate_exactly(struct scratch *scratch, const struct inflater *inflater, const uint8_t *zlib, size_t zlib_size, size_t size,
                    struct stream *stream)
{
    enum { HEAD_SIZE = 2, SUM_SIZE = 4, HAS_DICTIONARY = 0x20 };
    if (zlib_size < HEAD_SIZE + SUM_SIZE || (zlib[0] & 15) != 8 || zlib[0] >> 4 > 7 || (zlib[0] << 8 | zlib[1]) % 31 != 0
        || (zlib[1] & HAS_DICTIONARY) != 0)
        return DAMAGED;
    uint8_t *raw = scratch_take(scratch, size, 1);
    void *decompressor = raw == NULL ? NULL : inflater->allocate();
    if (decompressor == NULL)
        return NO_MEMORY;
    size_t read = 0, written = 0;
    const int failed =
        inflater->inflate(decompressor, zlib + HEAD_SIZE, zlib_size - HEAD_SIZE - SUM_SIZE, raw, size, &read, &written);
    inflater->free(decompressor);
    if (failed != 0 || written != size)
        return DAMAGED;
    const uint8_t *sum = zlib + HEAD_SIZE + read;
    stream->raw = raw;
    stream->adler32 = inflater->adler32;
    stream->checksum = (uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3];
    return FINE;
}

EXPORT int64_t lg_stream_tally(const struct inflater *inflater, const uint8_t *idat, size_t idat_size, int64_t height, int64_t width,
                               int bits, uint8_t *image, int64_t *records, int64_t *numbers)
{
    size_t size;
    int64_t result = stream_size(height, width, bits, &size);
    if (result != FINE)
        return result;
    struct scratch scratch = {NULL};
    struct stream stream = {NULL, NULL, 0, (size_t)height, (size_t)width, bits, image, NULL};
    result = inflate_exactly(&scratch, inflater, idat, idat_size, size, &stream);
    if (result == FINE)
        result = tally_stream(&scratch, &stream, records, numbers);
    scratch_free(&scratch);
    return result;
}
