/* Gather: replace every label by what a table says, and notice labels that the table refuses; see `gather.py`.
 *
 * Neighbors in a label image are mostly equal, and so are eight of them and the eight before: what those became is stored again.
 */
#include "kernels.h"

INLINE void store_new(uint8_t *out, size_t i, int32_t new_label, int out_pixel)
{
    const uint64_t word = (uint64_t)(int64_t)new_label;
    const uint16_t half = (uint16_t)word;
    const uint32_t whole = (uint32_t)word;
    switch (out_pixel) {
    case 1: out[i] = (uint8_t)word; break;
    case 2: memcpy(out + 2 * i, &half, 2); break;
    case 4: memcpy(out + 4 * i, &whole, 4); break;
    default: memcpy(out + 8 * i, &word, 8);
    }
}

INLINE int32_t look_up(const uint8_t *labels, size_t from, size_t to, const int32_t *table, uint8_t *out, int pixel, int out_pixel)
{
    int32_t any = 0; /* negative once anything was refused */
    for (size_t i = from; i < to; i++) {
        const int32_t new_label = table[label_at(labels, i, pixel)];
        any |= new_label;
        store_new(out, i, new_label, out_pixel);
    }
    return any;
}

INLINE int is_within(const uint8_t *labels, size_t count, size_t size, int pixel)
{
    if (pixel < 4 && size >= (size_t)1 << (8 * pixel))
        return 1;
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t label = label_at(labels, i, pixel);
        highest = label > highest ? label : highest;
    }
    return highest < size;
}

INLINE int gather(const uint8_t *labels, size_t count, const int32_t *table, size_t size, uint8_t *out, int pixel, int out_pixel)
{
    if (!is_within(labels, count, size, pixel))
        return OUT_OF_BOUNDS;
    int32_t any = 0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        const uint8_t *here = labels + i * (size_t)pixel;
        if (i > 0 && memcmp(here, here - 8 * pixel, 8 * (size_t)pixel) == 0) { /* once for as many as are equal */
            uint8_t became[64];
            memcpy(became, out + (i - 8) * (size_t)out_pixel, 8 * (size_t)out_pixel);
            do {
                memcpy(out + i * (size_t)out_pixel, became, 8 * (size_t)out_pixel);
                i += 8;
            } while (i + 8 <= count && memcmp(labels + i * (size_t)pixel, here, 8 * (size_t)pixel) == 0);
            if (i + 8 > count)
                break;
        }
        any |= look_up(labels, i, i + 8, table, out, pixel, out_pixel);
    }
    any |= look_up(labels, i, count, table, out, pixel, out_pixel);
    return any >= 0;
}

INLINE int gather_into(const uint8_t *labels, size_t count, const int32_t *table, size_t size, uint8_t *out, int pixel, int out_pixel)
{
    switch (out_pixel) {
    case 1: return gather(labels, count, table, size, out, pixel, 1);
    case 2: return gather(labels, count, table, size, out, pixel, 2);
    case 4: return gather(labels, count, table, size, out, pixel, 4);
    default: return gather(labels, count, table, size, out, pixel, 8);
    }
}

/* Gives 1, 0 where a label was refused, or OUT_OF_BOUNDS where one has no entry in the table of `size`. */
EXPORT int lg_gather(const uint8_t *labels, int64_t count, int pixel, const int32_t *table, int64_t size, uint8_t *out, int out_pixel)
{
    if (count < 0 || size < 1 || !is_pixel(pixel) || !(is_pixel(out_pixel) || out_pixel == 8)
        || (uint64_t)count > SIZE_MAX / (size_t)(pixel > out_pixel ? pixel : out_pixel))
        return OUT_OF_BOUNDS;
    switch (pixel) {
    case 1: return gather_into(labels, (size_t)count, table, (size_t)size, out, 1, out_pixel);
    case 2: return gather_into(labels, (size_t)count, table, (size_t)size, out, 2, out_pixel);
    default: return gather_into(labels, (size_t)count, table, (size_t)size, out, 4, out_pixel);
    }
}
