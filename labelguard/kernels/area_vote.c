/* Area vote: each output cell takes the id that covers the largest exact area of its rectangle; see `area_vote.py`.
 *
 * Sides are below 2^31: lengths, products of a cell or pixel and a side, are below 2^62, and so are areas, of which twice fits.
 */
#include "kernels.h"

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 squared;
#else
typedef uint64_t squared;
#endif

/* The pixels of a cell along one axis: the first, the one behind the last, and the lengths that the cell covers of these two. */
struct span {
    size_t first, end;
    int64_t first_length, last_length;
};

struct vote {
    const uint8_t *labels;
    size_t source_height, source_width, height, width, size;
    const int64_t *thresholds;
    const struct span *down, *across;
    int64_t *areas;
    uint32_t *met;
    int any_kept, center, wrong;
};

static struct span *spans(struct scratch *scratch, size_t source, size_t cells)
{
    struct span *all = scratch_take(scratch, cells, sizeof *all);
    for (size_t cell = 0; all != NULL && cell < cells; cell++) {
        const uint64_t start = (uint64_t)cell * source, end = start + source, first = start / cells, last = (end - 1) / cells;
        const uint64_t first_end = (first + 1) * cells, last_start = last * cells;
        all[cell].first = (size_t)first;
        all[cell].end = (size_t)last + 1;
        all[cell].first_length = (int64_t)((end < first_end ? end : first_end) - start);
        all[cell].last_length = (int64_t)(end - (start > last_start ? start : last_start));
    }
    return all;
}

INLINE int64_t length_of(size_t pixel, const struct span *span, size_t cells)
{
    if (pixel == span->first)
        return span->first_length;
    return pixel == span->end - 1 ? span->last_length : (int64_t)cells;
}

/* Mark the bytes of a band of rows at which a cell is not of one id: where a pixel differs from its right neighbor in the first row, or
 * where it or that neighbor differs further down. */
static void mark_edges(const uint8_t *band, size_t rows, size_t row_bytes, size_t pixel, uint8_t *uneven, uint8_t *edges)
{
    memset(uneven, 0, row_bytes);
    for (size_t row = 1; row < rows; row++) {
        const uint8_t *line = band + row * row_bytes;
        for (size_t i = 0; i < row_bytes; i++)
            uneven[i] |= line[i] ^ band[i];
    }
    const size_t last = row_bytes - pixel;
    for (size_t i = 0; i < last; i++)
        edges[i] = (uint8_t)(uneven[i] | uneven[i + pixel] | (band[i] ^ band[i + pixel]));
    memset(edges + last, 0, pixel);
}

/* Let each pixel be marked where any of the `reach` pixels from it on is, by doubling. */
static void widen(uint8_t *marks, size_t width, size_t pixel, size_t reach)
{
    const size_t size = width * pixel;
    for (size_t covered = 1; covered < reach && covered < width;) {
        const size_t step = min_size(covered, reach - covered) * pixel;
        for (size_t i = 0; i + step < size; i++)
            marks[i] |= marks[i + step];
        covered += step / pixel;
    }
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
            if (vote->areas[label] == 0)
                vote->met[found++] = label;
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
        vote->areas[vote->met[k]] = 0;
    return best;
}

/* A cell that is not of one id. One of two labels that holds more than half of it needs no count of the others. */
INLINE uint32_t settle(struct vote *vote, uint32_t first, size_t i, size_t j, int pixel)
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

INLINE void store_label(uint8_t *row, size_t i, uint32_t label, int pixel)
{
    const uint16_t half = (uint16_t)label;
    if (pixel == 1)
        row[i] = (uint8_t)label;
    else if (pixel == 2)
        memcpy(row + 2 * i, &half, 2);
    else
        memcpy(row + 4 * i, &label, 4);
}

INLINE void vote_all(struct vote *vote, uint8_t *out, uint8_t *uneven, uint8_t *edges, int pixel)
{
    const struct span *across = vote->across;
    const size_t row_bytes = vote->source_width * (size_t)pixel;
    /* A cell of n + 1 columns has n places for an edge; n differs by at most one, so that two windows of the smaller n cover all. */
    size_t gaps = vote->source_width;
    for (size_t j = 0; j < vote->width; j++)
        gaps = min_size(gaps, across[j].end - across[j].first - 1);
    gaps = gaps == 0 ? 1 : gaps;
    for (size_t i = 0; i < vote->height; i++) {
        const uint8_t *band = row_of(vote, vote->down[i].first, pixel);
        mark_edges(band, vote->down[i].end - vote->down[i].first, row_bytes, (size_t)pixel, uneven, edges);
        widen(edges, vote->source_width, (size_t)pixel, gaps);
        uint8_t *cells = out + i * vote->width * (size_t)pixel;
        for (size_t j = 0; j < vote->width; j++) {
            const size_t start = across[j].first, last = across[j].end - 1;
            const uint32_t first = label_at(band, start, pixel);
            const size_t end = last >= start + gaps ? last - gaps : start;
            const int is_mixed = last == start ? label_at(uneven, start, pixel) != 0
                                               : (label_at(edges, start, pixel) | label_at(edges, end, pixel)) != 0;
            store_label(cells, j, is_mixed ? settle(vote, first, i, j, pixel) : first, pixel);
        }
    }
}

EXPORT int lg_area_vote(const uint8_t *labels, int64_t source_height, int64_t source_width, int pixel, int64_t height, int64_t width,
                        int64_t size, const int64_t *thresholds, int center, uint8_t *out)
{
    if (!is_side(source_height) || !is_side(source_width) || !is_side(height) || !is_side(width) || !is_pixel(pixel) || size < 1
        || size > (int64_t)UINT32_MAX + 1)
        return OUT_OF_BOUNDS;
    /* Distances are below 2^63; where their squares have but 64 bits, they must be below 2^31. */
    if (center && sizeof(squared) == 8 && ((source_height + height) > INT32_MAX / width || (source_width + width) > INT32_MAX / height))
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    struct vote vote = {labels, (size_t)source_height, (size_t)source_width, (size_t)height, (size_t)width, (size_t)size, thresholds,
                        spans(&scratch, (size_t)source_height, (size_t)height), spans(&scratch, (size_t)source_width, (size_t)width),
                        scratch_take(&scratch, (size_t)size, sizeof *vote.areas), scratch_take(&scratch, (size_t)size, sizeof *vote.met),
                        0, center, 0};
    uint8_t *uneven = scratch_take(&scratch, vote.source_width, (size_t)pixel), *edges = scratch_take(&scratch, vote.source_width, (size_t)pixel);
    int result = NO_MEMORY;
    if (vote.down != NULL && vote.across != NULL && vote.areas != NULL && vote.met != NULL && uneven != NULL && edges != NULL) {
        memset(vote.areas, 0, vote.size * sizeof *vote.areas);
        for (size_t label = 0; label < vote.size; label++)
            vote.any_kept |= thresholds[label] > 0;
        switch (pixel) {
        case 1: vote_all(&vote, out, uneven, edges, 1); break;
        case 2: vote_all(&vote, out, uneven, edges, 2); break;
        default: vote_all(&vote, out, uneven, edges, 4);
        }
        result = vote.wrong ? OUT_OF_BOUNDS : FINE;
    }
    scratch_free(&scratch);
    return result;
}
