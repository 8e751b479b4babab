/* Move rows: the labels of an image looked up in a table while its rows come by, and filtered at once (filter 2 of PNG).
 *
 * Where a pixel is as the one above, so is the one that it becomes: a row costs what changed in it.
 */
#include "kernels.h"

INLINE void put(uint8_t *line, size_t column, uint32_t label, uint32_t above, int pixel)
{
    if (pixel == 1) {
        line[column] = (uint8_t)(label - above);
    } else { /* the high byte first, each byte for itself */
        line[2 * column] = (uint8_t)((label >> 8) - (above >> 8));
        line[2 * column + 1] = (uint8_t)(label - above);
    }
}

/* The label that another becomes. */
INLINE uint32_t moved(struct moving *moving, uint32_t label)
{
    const int32_t target = moving->table[label];
    moving->refused |= target < 0;
    return (uint32_t)target;
}

void move_row(struct moving *moving, size_t at, const uint8_t *row, size_t width, int pixel, const struct change *changes, size_t count)
{
    const size_t row_bytes = width * (size_t)moving->pixel;
    uint8_t *line = moving->filtered + at * (row_bytes + 1);
    *line++ = UP;
    if (at == 0) {
        for (size_t column = 0; column < width; column++)
            put(line, column, moved(moving, label_at(row, column, pixel)), 0, moving->pixel);
        return;
    }
    memset(line, 0, row_bytes);
    for (size_t i = 0; i < count; i++) {
        const uint32_t label = label_at(row, changes[i].column, pixel);
        put(line, changes[i].column, moved(moving, label), moved(moving, changes[i].before), moving->pixel);
    }
}
