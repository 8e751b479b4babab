/* Stream tally: the facts of a PNG from its compressed pixel stream, in one call.
 *
 * libdeflate's functions (https://github.com/ebiggers/libdeflate, `libdeflate.h`) are handed in as pointers.
 */
#include "kernels.h"

/* Inflate a zlib stream into exactly `size` bytes of scratch; gives NULL and a status where that cannot be done. */
uint8_t *inflate_exactly(struct scratch *scratch, const struct inflater *inflater, const uint8_t *stream, size_t stream_size, size_t size,
                         int *status)
{
    uint8_t *raw = scratch_take(scratch, size, 1);
    void *decompressor = raw == NULL ? NULL : inflater->allocate();
    *status = NO_MEMORY;
    if (decompressor == NULL)
        return NULL;
    size_t written = 0;
    const int failed = inflater->inflate(decompressor, stream, stream_size, raw, size, &written);
    inflater->free(decompressor);
    *status = failed == 0 && written == size ? FINE : DAMAGED;
    return *status == FINE ? raw : NULL;
}

EXPORT int64_t lg_stream_tally(void *(*allocate)(void), inflate_function *inflate, void (*free_it)(void *), const uint8_t *idat,
                               size_t idat_size, int64_t height, int64_t width, int bits, uint8_t *image, int64_t *records,
                               int64_t *numbers)
{
    size_t size;
    int status = stream_size(height, width, bits, &size);
    if (status != FINE)
        return status;
    struct scratch scratch = {NULL};
    const struct inflater inflater = {allocate, inflate, free_it};
    const uint8_t *raw = inflate_exactly(&scratch, &inflater, idat, idat_size, size, &status);
    int64_t result = status;
    if (raw != NULL) {
        const struct stream stream = {raw, (size_t)height, (size_t)width, bits, image, NULL};
        result = tally_stream(&scratch, &stream, records, numbers);
    }
    scratch_free(&scratch);
    return result;
}
