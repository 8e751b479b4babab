/* Filter up: each row as differences from the row above, behind the number of the filter; see `filter_up.py`. */
#include "kernels.h"

/* `out` holds `height` times (1 + `row_bytes`). */
void filter_up(const uint8_t *rows, size_t height, size_t row_bytes, uint8_t *out)
{
    for (size_t at = 0; at < height; at++) {
        const uint8_t *row = rows + at * row_bytes;
        uint8_t *line = out + at * (row_bytes + 1);
        line[0] = UP;
        if (at == 0)
            memcpy(line + 1, row, row_bytes);
        else
            for (size_t i = 0; i < row_bytes; i++)
                line[1 + i] = (uint8_t)(row[i] - (row - row_bytes)[i]);
    }
}

EXPORT int lg_filter_up(const uint8_t *rows, int64_t height, int64_t row_bytes, uint8_t *out)
{
    if (!is_side(height) || row_bytes < 1 || (uint64_t)row_bytes >= SIZE_MAX / (uint64_t)height)
        return OUT_OF_BOUNDS;
    filter_up(rows, (size_t)height, (size_t)row_bytes, out);
    return FINE;
}
