/* Windows: how many of all windows of one size hold no pixel of some labels? See `windows.py`.
 *
 * For each column it is remembered which row last held such a pixel. A window that ends in a row lacks them where its columns have held
 * none since the row in which it began: one walk along the columns counts these, and it is left out where no column has changed.
 */
#include "kernels.h"

INLINE int64_t count_windows(const uint8_t *labels, int64_t rows, int64_t columns, const uint8_t *member, size_t size, int64_t height,
                             int64_t width, int32_t *seen, int pixel)
{
    int64_t total = 0, in_row = 0;
    for (int64_t row = 0; row < rows; row++) {
        const uint8_t *line = labels + (size_t)row * (size_t)columns * (size_t)pixel;
        const int32_t past = (int32_t)(row - height); /* a column holds a member where it was seen after this row */
        int changed = row == height - 1;
        for (int64_t column = 0; column < columns; column++) {
            const uint32_t label = label_at(line, (size_t)column, pixel);
            if (label >= size)
                return OUT_OF_BOUNDS;
            const int32_t before = seen[column], now = member[label] ? (int32_t)row : before;
            seen[column] = now;
            changed |= (before >= past) != (now > past);
        }
        if (row < height - 1)
            continue;
        if (changed) {
            int64_t last = -1;
            in_row = 0;
            for (int64_t column = 0; column < columns; column++) {
                if (seen[column] > past)
                    last = column;
                in_row += last <= column - width;
            }
        }
        total += in_row;
    }
    return total;
}

EXPORT int64_t lg_windows_without(const uint8_t *labels, int64_t rows, int64_t columns, int pixel, const uint8_t *member, int64_t size,
                                  int64_t height, int64_t width)
{
    if (!is_side(rows) || !is_side(columns) || !is_pixel(pixel) || size < 1 || height < 1 || height > rows || width < 1 || width > columns)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    int32_t *seen = scratch_take(&scratch, (size_t)columns, sizeof *seen);
    int64_t total = NO_MEMORY;
    if (seen != NULL) {
        for (int64_t column = 0; column < columns; column++)
            seen[column] = -1;
        switch (pixel) {
        case 1: total = count_windows(labels, rows, columns, member, (size_t)size, height, width, seen, 1); break;
        case 2: total = count_windows(labels, rows, columns, member, (size_t)size, height, width, seen, 2); break;
        default: total = count_windows(labels, rows, columns, member, (size_t)size, height, width, seen, 4);
        }
    }
    scratch_free(&scratch);
    return total;
}
