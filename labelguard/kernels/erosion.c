/* Erosion: how many pixels lie so far inside that a square box around them holds no others? See `erosion.py`. */
#include "kernels.h"

enum { MOST_MARGIN = 127 }; /* as in `erosion.py`: twice that and 1 fit a byte */

/* Let each of `size` bytes be 0 where any of the `reach` bytes from it on is, by doubling; that many more stand behind them. */
static void narrow_row(uint8_t *inside, size_t size, size_t reach)
{
    for (size_t covered = 1; covered < reach;) {
        const size_t step = min_size(covered, reach - covered);
        covered += step;
        const size_t end = size + reach - covered;
        for (size_t i = 0; i < end; i++)
            inside[i] &= inside[i + step];
    }
}

static void deepen(const uint8_t *row, uint8_t *depths, uint8_t *deep, size_t width, uint8_t reach)
{
    for (size_t i = 0; i < width; i++) {
        const uint8_t depth = (uint8_t)((depths[i] + (depths[i] < reach)) & -row[i]);
        depths[i] = depth;
        deep[i] = (uint8_t)(deep[i] + (depth == reach));
    }
}

static int64_t sum_and_clear(uint8_t *deep, size_t width)
{
    int64_t total = 0;
    for (size_t i = 0; i < width; i++)
        total += deep[i];
    memset(deep, 0, width);
    return total;
}

/* The count for an image whose `inside` holds truth values, 0 or 1; `margin` is 1 to 127. What lies outside counts as inside. */
int64_t eroded_pixels(struct scratch *scratch, const uint8_t *inside, size_t height, size_t width, size_t margin)
{
    const size_t reach = 2 * margin + 1;
    uint8_t *row = scratch_take(scratch, width + 2 * margin, 1);
    uint8_t *depths = scratch_take(scratch, width, 1); /* how many rows up to this one are inside, at most `reach` */
    uint8_t *deep = scratch_take(scratch, width, 1);   /* how often that was `reach` */
    if (row == NULL || depths == NULL || deep == NULL)
        return NO_MEMORY;
    int64_t total = 0;
    memset(depths, (int)margin, width);
    memset(deep, 0, width);
    for (size_t at = 0; at < height + margin; at++) {
        memset(row, 1, width + 2 * margin);
        if (at < height) {
            memcpy(row + margin, inside + at * width, width);
            narrow_row(row, width, reach);
        }
        deepen(row, depths, deep, width, (uint8_t)reach);
        if (at + 1 == margin) /* so far the middles of the boxes lay above the image */
            memset(deep, 0, width);
        else if (at % 255 == 254 || at + 1 == height + margin)
            total += sum_and_clear(deep, width);
    }
    return total;
}

EXPORT int64_t lg_eroded_pixels(const uint8_t *inside, int64_t height, int64_t width, int64_t margin)
{
    if (!is_side(height) || !is_side(width) || margin < 1 || margin > MOST_MARGIN)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    const int64_t total = eroded_pixels(&scratch, inside, (size_t)height, (size_t)width, (size_t)margin);
    scratch_free(&scratch);
    return total;
}
