/* The cells of an area vote that are not of one id: which of their ids covers the largest area?
 *
 * Sides are below 2^31: lengths, products of a cell or pixel and a side, are below 2^62, and so are areas, of which twice fits.
 */
#include "kernels.h"

#if WIDE_SQUARES
__extension__ typedef unsigned __int128 squared;
#else
typedef uint64_t squared;
#endif

INLINE int64_t length_of(size_t pixel, const struct span *span, size_t cells)
{
    if (pixel == span->first)
        return span->first_length;
    return pixel == span->end - 1 ? span->last_length : (int64_t)cells;
}

INLINE const uint8_t *row_of(const struct vote *vote, size_t row, int pixel) { return vote->labels + row * vote->source_width * (size_t)pixel; }

/* The area of a label in a cell. */
INLINE int64_t area_of(const struct vote *vote, uint32_t label, const struct span *down, const struct span *across, int pixel)
{
    int64_t area = 0;
    const size_t last = across->end - 1;
    for (size_t row = down->first; row < down->end; row++) {
        const uint8_t *line = row_of(vote, row, pixel);
        int64_t length = label_at(line, across->first, pixel) == label ? across->first_length : 0;
        int64_t whole = 0;
        for (size_t column = across->first + 1; column < last; column++)
            whole += label_at(line, column, pixel) == label;
        length += whole * (int64_t)vote->width;
        if (last > across->first && label_at(line, last, pixel) == label)
            length += across->last_length;
        area += length * length_of(row, down, vote->height);
    }
    return area;
}

/* The first other label in a cell. */
INLINE uint32_t other_than(const struct vote *vote, uint32_t label, const struct span *down, const struct span *across, int pixel)
{
    for (size_t row = down->first; row < down->end; row++)
        for (size_t column = across->first; column < across->end; column++) {
            const uint32_t other = label_at(row_of(vote, row, pixel), column, pixel);
            if (other != label)
                return other;
        }
    return label;
}

/* Add up the area of each label in a cell; gives the number of labels met. */
INLINE size_t count(struct vote *vote, const struct span *down, const struct span *across, int pixel)
{
    size_t found = 0;
    for (size_t row = down->first; row < down->end; row++) {
        const uint8_t *line = row_of(vote, row, pixel);
        const int64_t length = length_of(row, down, vote->height);
        for (size_t column = across->first; column < across->end; column++) {
            const uint32_t label = label_at(line, column, pixel);
            if (label >= vote->size) {
                vote->wrong = 1;
                continue;
            }
            if (!vote->seen[label]) {
                vote->seen[label] = 1;
                vote->areas[label] = 0;
                vote->met[found++] = label;
            }
            vote->areas[label] += length * length_of(column, across, vote->width);
        }
    }
    return found;
}

INLINE int64_t offset(size_t cell, size_t source, size_t pixel, size_t cells, size_t other)
{
    return ((2 * (int64_t)cell + 1) * (int64_t)source - (2 * (int64_t)pixel + 1) * (int64_t)cells) * (int64_t)other;
}

INLINE squared square(int64_t length)
{
    const squared positive = (squared)(length < 0 ? -length : length);
    return positive * positive;
}

/* Squared distance from the middle of a cell to the nearest middle of a pixel that holds the label. */
static squared distance(const struct vote *vote, uint32_t label, size_t i, size_t j, int pixel)
{
    squared best = 0;
    int found = 0;
    for (size_t row = vote->down[i].first; row < vote->down[i].end; row++)
        for (size_t column = vote->across[j].first; column < vote->across[j].end; column++)
            if (label_at(row_of(vote, row, pixel), column, pixel) == label) {
                const squared here = square(offset(i, vote->source_height, row, vote->height, vote->width))
                                     + square(offset(j, vote->source_width, column, vote->width, vote->height));
                if (!found || here < best)
                    best = here;
                found = 1;
            }
    return best;
}

/* Whether the first of two labels of equal area comes before the other. */
static int goes_before(const struct vote *vote, uint32_t label, uint32_t best, size_t i, size_t j, int pixel)
{
    if (vote->center) {
        const squared one = distance(vote, label, i, j, pixel), other = distance(vote, best, i, j, pixel);
        if (one != other)
            return one < other;
    }
    return label < best;
}

/* Count a cell out: kept labels first, then the largest area, then the tie rule. */
INLINE uint32_t elect(struct vote *vote, size_t i, size_t j, int pixel)
{
    const size_t found = count(vote, vote->down + i, vote->across + j, pixel);
    int only_kept = 0;
    for (size_t k = 0; vote->any_kept && k < found; k++) {
        const int64_t threshold = vote->thresholds[vote->met[k]];
        only_kept |= threshold > 0 && vote->areas[vote->met[k]] >= threshold;
    }
    int64_t best_area = -1;
    uint32_t best = 0;
    for (size_t k = 0; k < found; k++) {
        const uint32_t label = vote->met[k];
        const int64_t area = vote->areas[label], threshold = vote->thresholds[label];
        if (only_kept && (threshold <= 0 || area < threshold))
            continue;
        if (area > best_area || (area == best_area && goes_before(vote, label, best, i, j, pixel))) {
            best_area = area;
            best = label;
        }
    }
    for (size_t k = 0; k < found; k++)
        vote->seen[vote->met[k]] = 0;
    return best;
}

/* A cell that is not of one id. One of two labels that holds more than half of it needs no count of the others. */
INLINE uint32_t settle_as(struct vote *vote, uint32_t first, size_t i, size_t j, int pixel)
{
    const struct span *down = vote->down + i, *across = vote->across + j;
    const int64_t whole = (int64_t)vote->source_height * (int64_t)vote->source_width;
    if (!vote->any_kept) {
        if (2 * area_of(vote, first, down, across, pixel) > whole)
            return first;
        const uint32_t other = other_than(vote, first, down, across, pixel);
        if (2 * area_of(vote, other, down, across, pixel) > whole)
            return other;
    }
    return elect(vote, i, j, pixel);
}

/* No part of the loop over cells, most of which are of one id: that one has few variables, and they stay in registers. */
uint32_t settle(struct vote *vote, uint32_t first, size_t i, size_t j)
{
    switch (vote->pixel) {
    case 1: return settle_as(vote, first, i, j, 1);
    case 2: return settle_as(vote, first, i, j, 2);
    default: return settle_as(vote, first, i, j, 4);
    }
}
