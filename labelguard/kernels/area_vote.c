/* Area vote: each output cell takes the id that covers the largest exact area of its rectangle; see `area_vote.py`.
 *
 * Sides are below 2^31: lengths, products of a cell or pixel and a side, are below 2^62, and so are areas, of which twice fits.
 */
#include "kernels.h"

/* Where the marks of a cell stand: at its first pixel, and so far before its last one that both cover all of it. */
struct place {
    uint32_t start, end, is_single;
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

/* Mark the bytes of a band of rows at which a cell is not of one id: where a pixel differs from its right neighbor in the first row, or
 * where it or that neighbor differs further down. */
static void mark_edges(const uint8_t *band, size_t rows, size_t row_bytes, size_t pixel, uint8_t *uneven, uint8_t *edges)
{
    size_t row = 1;
    memset(uneven, 0, row_bytes);
    for (; row + 1 < rows; row += 2) {
        const uint8_t *line = band + row * row_bytes, *next = line + row_bytes;
        for (size_t i = 0; i < row_bytes; i++)
            uneven[i] |= (line[i] ^ band[i]) | (next[i] ^ band[i]);
    }
    if (row < rows) {
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

/* The first pixel of each cell of a row, and which cells are not of one id; gives the number of these. */
INLINE size_t take_first(const uint8_t *band, const uint8_t *uneven, const uint8_t *edges, const struct place *places, size_t cells,
                         uint8_t *out, uint32_t *mixed, int pixel)
{
    size_t found = 0;
    for (size_t j = 0; j < cells; j++) {
        const struct place place = places[j];
        const uint8_t *marks = place.is_single ? uneven : edges;
        store_label(out, j, label_at(band, place.start, pixel), pixel);
        mixed[found] = (uint32_t)j;
        found += (label_at(marks, place.start, pixel) | label_at(marks, place.end, pixel)) != 0;
    }
    return found;
}

static int vote_all(struct vote *vote, struct scratch *scratch, uint8_t *out)
{
    const struct span *across = vote->across;
    const size_t pixel = (size_t)vote->pixel, row_bytes = vote->source_width * pixel;
    uint8_t *uneven = scratch_take(scratch, vote->source_width, pixel), *edges = scratch_take(scratch, vote->source_width, pixel);
    uint32_t *mixed = scratch_take(scratch, vote->width, sizeof *mixed);
    struct place *places = scratch_take(scratch, vote->width, sizeof *places);
    if (uneven == NULL || edges == NULL || mixed == NULL || places == NULL)
        return NO_MEMORY;
    /* A cell of n + 1 columns has n places for an edge; n differs by at most one, so that two windows of the smaller n cover all. */
    size_t gaps = vote->source_width;
    for (size_t j = 0; j < vote->width; j++)
        gaps = min_size(gaps, across[j].end - across[j].first - 1);
    gaps = gaps == 0 ? 1 : gaps;
    for (size_t j = 0; j < vote->width; j++) {
        const size_t start = across[j].first, last = across[j].end - 1;
        places[j] = (struct place){(uint32_t)start, (uint32_t)(last >= start + gaps ? last - gaps : start), last == start};
    }
    for (size_t i = 0; i < vote->height; i++) {
        const uint8_t *band = vote->labels + vote->down[i].first * row_bytes;
        uint8_t *cells = out + i * vote->width * pixel;
        size_t found;
        mark_edges(band, vote->down[i].end - vote->down[i].first, row_bytes, pixel, uneven, edges);
        widen(edges, vote->source_width, pixel, gaps);
        switch (vote->pixel) {
        case 1: found = take_first(band, uneven, edges, places, vote->width, cells, mixed, 1); break;
        case 2: found = take_first(band, uneven, edges, places, vote->width, cells, mixed, 2); break;
        default: found = take_first(band, uneven, edges, places, vote->width, cells, mixed, 4);
        }
        for (size_t k = 0; k < found; k++) {
            const size_t j = mixed[k];
            store_label(cells, j, settle(vote, label_at(cells, j, vote->pixel), i, j), vote->pixel);
        }
    }
    return vote->wrong ? OUT_OF_BOUNDS : FINE;
}

EXPORT int lg_area_vote(const uint8_t *labels, int64_t source_height, int64_t source_width, int pixel, int64_t height, int64_t width,
                        int64_t size, const int64_t *thresholds, int center, uint8_t *out)
{
    if (!is_side(source_height) || !is_side(source_width) || !is_side(height) || !is_side(width) || !is_pixel(pixel) || size < 1
        || size > (int64_t)UINT32_MAX + 1)
        return OUT_OF_BOUNDS;
    /* Distances are below 2^63; where their squares have but 64 bits, they must be below 2^31. */
    if (center && !WIDE_SQUARES && ((source_height + height) > INT32_MAX / width || (source_width + width) > INT32_MAX / height))
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    struct vote vote = {.labels = labels, .thresholds = thresholds, .pixel = pixel, .center = center, .size = (size_t)size,
                        .source_height = (size_t)source_height, .source_width = (size_t)source_width,
                        .height = (size_t)height, .width = (size_t)width};
    vote.down = spans(&scratch, vote.source_height, vote.height);
    vote.across = spans(&scratch, vote.source_width, vote.width);
    vote.seen = scratch_take(&scratch, vote.size, 1);
    vote.areas = scratch_take(&scratch, vote.size, sizeof *vote.areas);
    vote.met = scratch_take(&scratch, vote.size, sizeof *vote.met);
    int result = NO_MEMORY;
    if (vote.down != NULL && vote.across != NULL && vote.seen != NULL && vote.areas != NULL && vote.met != NULL) {
        memset(vote.seen, 0, vote.size);
        for (size_t label = 0; label < vote.size; label++)
            vote.any_kept |= thresholds[label] > 0;
        result = vote_all(&vote, &scratch, out);
    }
    scratch_free(&scratch);
    return result;
}
