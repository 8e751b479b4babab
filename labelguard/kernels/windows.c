/* Windows: how many of all windows of one size hold no pixel of some labels? See `windows.py`.
 *
 * For each column it is remembered whether its pixel is one of these, and which row last held one. A window that ends in a row lacks them
 * where its columns have held none since the row in which it began: one walk along the columns counts these, and it is left out where no
 * column has changed.
 */
#include "kernels.h"

/* Look at the pixels that differ from the row above; whether all labels are below `size`. */
INLINE int look(const uint8_t *row, const struct change *changes, size_t count, const uint8_t *member, size_t size, int32_t *is_member,
                int pixel)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t label = label_at(row, changes[i].column, pixel);
        if (label >= size)
            return 0;
        is_member[changes[i].column] = member[label] != 0;
    }
    return 1;
}

static int64_t count_windows(const uint8_t *labels, size_t rows, size_t columns, int pixel, const uint8_t *member, size_t size,
                             size_t height, size_t width, struct scratch *scratch)
{
    int32_t *is_member = scratch_take(scratch, columns, sizeof *is_member), *seen = scratch_take(scratch, columns, sizeof *seen);
    struct change *changes = scratch_take(scratch, columns, sizeof *changes);
    if (is_member == NULL || seen == NULL || changes == NULL)
        return NO_MEMORY;
    int64_t total = 0, in_row = 0;
    for (size_t column = 0; column < columns; column++) {
        seen[column] = -1;
        changes[column].column = (uint32_t)column; /* all of the first row */
    }
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *line = labels + row * columns * (size_t)pixel;
        const size_t count = row == 0 ? columns : find_changes(line, line - columns * (size_t)pixel, columns, pixel, changes);
        const int32_t at = (int32_t)row, past = (int32_t)((int64_t)row - (int64_t)height); /* a column holds one where seen after this row */
        int32_t changed = row + 1 == height;
        if (!(pixel == 1 ? look(line, changes, count, member, size, is_member, 1)
              : pixel == 2 ? look(line, changes, count, member, size, is_member, 2)
                           : look(line, changes, count, member, size, is_member, 4)))
            return OUT_OF_BOUNDS;
        for (size_t column = 0; column < columns; column++) {
            const int32_t before = seen[column], now = is_member[column] ? at : before;
            seen[column] = now;
            changed |= (before >= past) ^ (now > past);
        }
        if (row + 1 < height)
            continue;
        if (changed) {
            size_t free_columns = 0; /* side by side up to this one */
            in_row = 0;
            for (size_t column = 0; column < columns; column++) {
                free_columns = seen[column] > past ? 0 : free_columns + 1;
                in_row += free_columns >= width;
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
    const int64_t total = count_windows(labels, (size_t)rows, (size_t)columns, pixel, member, (size_t)size, (size_t)height, (size_t)width,
                                        &scratch);
    scratch_free(&scratch);
    return total;
}
