/* Rows of pixels, 64 bytes at a time: where they differ from the row above, and where runs of one id begin. */
#include "kernels.h"

INLINE size_t changes_of(const uint8_t *row, const uint8_t *above, size_t width, int pixel, struct change *changes)
{
    const size_t step = (size_t)pixel, size = width * step;
    size_t found = 0;
    for (size_t at = 0; at < size; at += 64)
        for (uint64_t bits = first_bits(differences(row, above, at, size), pixel); bits != 0; bits &= bits - 1) {
            const size_t column = (at + lowest_bit(bits)) / step;
            changes[found].column = (uint32_t)column;
            changes[found++].before = label_at(above, column, pixel);
        }
    return found;
}

/* The pixels that differ from the row above, by column; `changes` holds `width`. */
size_t find_changes(const uint8_t *row, const uint8_t *above, size_t width, int pixel, struct change *changes)
{
    switch (pixel) {
    case 1: return changes_of(row, above, width, 1, changes);
    case 2: return changes_of(row, above, width, 2, changes);
    default: return changes_of(row, above, width, 4, changes);
    }
}

INLINE size_t cuts_of(const uint8_t *row, size_t width, int pixel, uint32_t *cuts)
{
    const size_t step = (size_t)pixel, size = (width - 1) * step;
    size_t found = 0;
    for (size_t at = 0; at < size; at += 64) /* each pixel against its right neighbor */
        for (uint64_t bits = first_bits(differences(row, row + step, at, size), pixel); bits != 0; bits &= bits - 1)
            cuts[found++] = (uint32_t)((at + lowest_bit(bits)) / step + 1);
    return found;
}

/* Where runs of one id begin, but for the first; `cuts` holds `width`. */
size_t find_cuts(const uint8_t *row, size_t width, int pixel, uint32_t *cuts)
{
    switch (pixel) {
    case 1: return cuts_of(row, width, 1, cuts);
    case 2: return cuts_of(row, width, 2, cuts);
    default: return cuts_of(row, width, 4, cuts);
    }
}
