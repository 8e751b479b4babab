/* Rows of pixels, 64 bytes at a time: where they differ from the row above, and where runs of one id begin. */
#include "kernels.h"

/* Whether the pixel is kept in a list is added to its length: no branch to mispredict. */
INLINE size_t compare(const uint8_t *row, const uint8_t *above, size_t from, size_t to, int pixel, struct change *changes, size_t found)
{
    for (size_t i = from; i < to; i++) {
        uint32_t before = label_at(above, i, pixel);
        changes[found].column = (uint32_t)i;
        changes[found].before = before;
        found += label_at(row, i, pixel) != before;
    }
    return found;
}

INLINE size_t changes_of(const uint8_t *row, const uint8_t *above, size_t width, int pixel, struct change *changes)
{
    const size_t per_word = 8 / (size_t)pixel, size = width * (size_t)pixel, whole = size / 64 * 64;
    size_t found = 0;
    for (size_t start = 0; start < whole; start += 64) {
        if (equal64(row + start, above + start))
            continue;
        for (size_t at = start; at < start + 64; at += 8)
            if (load64(row + at) != load64(above + at))
                found = compare(row, above, at / (size_t)pixel, at / (size_t)pixel + per_word, pixel, changes, found);
    }
    size_t at = whole;
    for (; at + 8 <= size; at += 8)
        if (load64(row + at) != load64(above + at))
            found = compare(row, above, at / (size_t)pixel, at / (size_t)pixel + per_word, pixel, changes, found);
    return compare(row, above, at / (size_t)pixel, width, pixel, changes, found);
}

/* The pixels that differ from the row above, by column; `changes` holds `width` + SPARE. */
size_t find_changes(const uint8_t *row, const uint8_t *above, size_t width, int pixel, struct change *changes)
{
    switch (pixel) {
    case 1: return changes_of(row, above, width, 1, changes);
    case 2: return changes_of(row, above, width, 2, changes);
    default: return changes_of(row, above, width, 4, changes);
    }
}

INLINE size_t cut(const uint8_t *row, size_t from, size_t to, int pixel, uint32_t *cuts, size_t found)
{
    for (size_t i = from; i < to; i++) {
        cuts[found] = (uint32_t)(i + 1);
        found += label_at(row, i, pixel) != label_at(row, i + 1, pixel);
    }
    return found;
}

INLINE size_t cuts_of(const uint8_t *row, size_t width, int pixel, uint32_t *cuts)
{
    const size_t step = (size_t)pixel, per_word = 8 / step, size = (width - 1) * step, whole = size / 64 * 64;
    size_t found = 0;
    for (size_t start = 0; start < whole; start += 64) { /* each pixel against its right neighbor */
        if (equal64(row + start, row + start + step))
            continue;
        for (size_t at = start; at < start + 64; at += 8)
            if (load64(row + at) != load64(row + at + step))
                found = cut(row, at / step, at / step + per_word, pixel, cuts, found);
    }
    return cut(row, whole / step, width - 1, pixel, cuts, found);
}

/* Where runs of one id begin, but for the first; `cuts` holds `width` + 1. */
size_t find_cuts(const uint8_t *row, size_t width, int pixel, uint32_t *cuts)
{
    switch (pixel) {
    case 1: return cuts_of(row, width, 1, cuts);
    case 2: return cuts_of(row, width, 2, cuts);
    default: return cuts_of(row, width, 4, cuts);
    }
}

/* The first byte from `from` on that is not zero, or `size`. */
size_t next_nonzero(const uint8_t *bytes, size_t from, size_t size)
{
    size_t at = from;
    if (at + 8 <= size) {
        uint64_t word = load64(bytes + at);
        if (word != 0)
            return at + lowest_byte(word);
    }
    for (; at + 64 <= size; at += 64) {
        uint64_t any = 0;
        for (size_t k = 0; k < 64; k += 8)
            any |= load64(bytes + at + k);
        if (any != 0)
            break;
    }
    for (; at + 8 <= size; at += 8) {
        uint64_t word = load64(bytes + at);
        if (word != 0)
            return at + lowest_byte(word);
    }
    while (at < size && bytes[at] == 0)
        at++;
    return at;
}
