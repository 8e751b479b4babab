/* Unfilter: the rows of a whole PNG stream; see `unfilter.py`. */
#include "kernels.h"

/* One row after the other is undone in place and copied; only what changes is touched. */
static int undo_small(const uint8_t *raw, size_t height, size_t row_bytes, int pixel, uint8_t *out)
{
    struct scratch scratch = {NULL};
    const size_t width = row_bytes / (size_t)pixel;
    struct sums sums = {0, 0}; /* which nobody wants */
    uint8_t *row = scratch_take(&scratch, row_bytes, 1), *spare = scratch_take(&scratch, row_bytes, 1);
    struct change *changes = scratch_take(&scratch, width, sizeof *changes);
    const int result = row == NULL || spare == NULL || changes == NULL ? NO_MEMORY : FINE;
    if (result == FINE) {
        memset(row, 0, row_bytes);
        for (size_t at = 0; at < height; at++) {
            const uint8_t *line = raw + at * (row_bytes + 1);
            undo_in_place(line[0], line + 1, row, spare, width, pixel, changes, &sums);
            memcpy(out + at * row_bytes, row, row_bytes);
        }
    }
    scratch_free(&scratch);
    return result;
}

static int undo_large(const uint8_t *raw, size_t height, size_t row_bytes, size_t step, uint8_t *out)
{
    struct scratch scratch = {NULL};
    uint8_t *zeros = scratch_take(&scratch, row_bytes, 1);
    const int result = zeros == NULL ? NO_MEMORY : FINE;
    if (result == FINE) {
        memset(zeros, 0, row_bytes);
        for (size_t at = 0; at < height; at++) {
            const uint8_t *line = raw + at * (row_bytes + 1);
            undo_row(line[0], line + 1, at == 0 ? zeros : out + (at - 1) * row_bytes, out + at * row_bytes, row_bytes, step);
        }
    }
    scratch_free(&scratch);
    return result;
}

EXPORT int lg_unfilter(const uint8_t *raw, size_t raw_size, int64_t height, int64_t row_bytes, int64_t step, uint8_t *out)
{
    if (!is_side(height) || row_bytes < 1 || step < 1 || (uint64_t)row_bytes >= SIZE_MAX / (uint64_t)height
        || raw_size != (size_t)height * ((size_t)row_bytes + 1))
        return OUT_OF_BOUNDS;
    for (size_t at = 0; at < raw_size; at += (size_t)row_bytes + 1)
        if (raw[at] >= FILTERS)
            return DAMAGED;
    if (step <= 2 && row_bytes % step == 0 && row_bytes <= MOST_SIDE)
        return undo_small(raw, (size_t)height, (size_t)row_bytes, (int)step, out);
    return undo_large(raw, (size_t)height, (size_t)row_bytes, (size_t)step, out);
}
