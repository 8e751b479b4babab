/* Tally: count, first pixel, box and share of the frame of every id, in one pass.
 *
 * For each column it is remembered in which row its present id began. Only pixels that differ from the one above are looked at: the id
 * above has held that column for so many rows, and the new one begins. A pass costs one comparison of each row with the row above, plus
 * the changes.
 */
#include "kernels.h"

int tally_open(struct tally *tally, struct scratch *scratch, size_t height, size_t width, int pixel, size_t size)
{
    tally->height = height;
    tally->width = width;
    tally->pixel = pixel;
    tally->size = size;
    tally->wrong = 0;
    tally->seen = scratch_take(scratch, size, 1);
    tally->records = scratch_take(scratch, size, sizeof *tally->records); /* not cleared: most ids are not there */
    tally->since = scratch_take(scratch, width, sizeof *tally->since);
    if (tally->seen == NULL || tally->records == NULL || tally->since == NULL)
        return NO_MEMORY;
    memset(tally->seen, 0, size);
    memset(tally->since, 0, width * sizeof *tally->since);
    return FINE;
}

/* A label begins to hold a column, or several. */
INLINE struct record *begin(struct tally *tally, uint32_t label, uint32_t row, uint32_t column, uint32_t end)
{
    struct record *record = tally->records + label;
    if (!tally->seen[label]) {
        tally->seen[label] = 1;
        record->pixels = record->frame = record->areas = record->thin = 0;
        record->row = row;
        record->column = record->left = column;
        record->right = end;
    } else { /* stored always: no branch to mispredict */
        record->left = column < record->left ? column : record->left;
        record->right = end > record->right ? end : record->right;
    }
    return record;
}

/* The end of the run of one id that begins in a column. */
INLINE size_t run_end(const uint8_t *row, size_t start, size_t width, uint32_t label, int pixel)
{
    size_t end = start + 1;
    while (end < width && label_at(row, end, pixel) == label)
        end++;
    return end;
}

INLINE void take_first_row(struct tally *tally, const uint8_t *row, int pixel)
{
    for (size_t start = 0, end; start < tally->width; start = end) {
        const uint32_t label = label_at(row, start, pixel);
        end = run_end(row, start, tally->width, label, pixel);
        if (label >= tally->size) {
            tally->wrong = 1;
            return;
        }
        begin(tally, label, 0, (uint32_t)start, (uint32_t)end)->frame += (int64_t)(end - start);
    }
}

/* What stood in the row above is below `size`, since it was looked at when it began. */
INLINE void take_changes(struct tally *tally, uint32_t at, const uint8_t *row, const struct change *changes, size_t count, int pixel)
{
    struct record *const records = tally->records;
    uint32_t *const since = tally->since;
    const size_t last = tally->width - 1;
    if (count != 0 && changes[0].column == 0)
        records[changes[0].before].frame += at - since[0];
    if (count != 0 && changes[count - 1].column == last)
        records[changes[count - 1].before].frame += at - since[last];
    for (size_t i = 0; i < count; i++) {
        const uint32_t column = changes[i].column, label = label_at(row, column, pixel);
        struct record *before = records + changes[i].before;
        before->pixels += at - since[column];
        before->bottom = at;
        since[column] = at;
        if (label >= tally->size) {
            tally->wrong = 1;
            return;
        }
        begin(tally, label, at, column, column + 1);
    }
}

INLINE void take_last_row(struct tally *tally, const uint8_t *row, int pixel)
{
    const size_t width = tally->width, height = tally->height;
    for (size_t start = 0, end; start < width; start = end) {
        const uint32_t label = label_at(row, start, pixel);
        end = run_end(row, start, width, label, pixel);
        uint64_t pixels = 0;
        for (size_t column = start; column < end; column++)
            pixels += height - tally->since[column];
        struct record *record = tally->records + label;
        record->pixels += (int64_t)pixels;
        record->frame += (int64_t)(end - start);
        record->bottom = (uint32_t)height;
    }
    tally->records[label_at(row, 0, pixel)].frame += (int64_t)(height - tally->since[0]);
    tally->records[label_at(row, width - 1, pixel)].frame += (int64_t)(height - tally->since[width - 1]);
}

/* The topmost row. */
void tally_first_row(struct tally *tally, const uint8_t *row)
{
    switch (tally->pixel) {
    case 1: take_first_row(tally, row, 1); break;
    case 2: take_first_row(tally, row, 2); break;
    default: take_first_row(tally, row, 4);
    }
}

/* A row given where it differs from the one above. */
void tally_changes(struct tally *tally, size_t at, const uint8_t *row, const struct change *changes, size_t count)
{
    switch (tally->pixel) {
    case 1: take_changes(tally, (uint32_t)at, row, changes, count, 1); break;
    case 2: take_changes(tally, (uint32_t)at, row, changes, count, 2); break;
    default: take_changes(tally, (uint32_t)at, row, changes, count, 4);
    }
}

/* What the last row still holds. */
void tally_last_row(struct tally *tally, const uint8_t *row)
{
    switch (tally->pixel) {
    case 1: take_last_row(tally, row, 1); break;
    case 2: take_last_row(tally, row, 2); break;
    default: take_last_row(tally, row, 4);
    }
}

/* The records, sorted by id, RECORD numbers each; gives how many there are. */
size_t tally_close(const struct tally *tally, int64_t *records)
{
    size_t used = 0;
    for (size_t label = 0; label < tally->size; label++) {
        if (label + 8 <= tally->size && load64(tally->seen + label) == 0) {
            label += 7;
            continue;
        }
        if (!tally->seen[label])
            continue;
        const struct record *record = tally->records + label;
        int64_t *out = records + RECORD * used++;
        out[0] = (int64_t)label;
        out[1] = record->pixels;
        out[2] = record->row;
        out[3] = record->column;
        out[4] = record->row; /* the first pixel in reading order stands in the topmost row */
        out[5] = record->left;
        out[6] = record->bottom;
        out[7] = record->right;
        out[8] = record->frame;
    }
    return used;
}

/* The records of a label array, and the numbers of its label runs where `numbers` is not NULL; gives the number of ids. */
EXPORT int64_t lg_tally(const uint8_t *labels, int64_t height, int64_t width, int pixel, int64_t size, int64_t *records, int64_t *numbers)
{
    if (!is_side(height) || !is_side(width) || !is_pixel(pixel) || size < 1 || size > (int64_t)UINT32_MAX + 1)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    struct tally tally;
    struct label_runs runs;
    int64_t result = NO_MEMORY;
    const size_t row_bytes = (size_t)width * (size_t)pixel;
    struct change *changes = scratch_take(&scratch, (size_t)width, sizeof *changes);
    if (changes == NULL || tally_open(&tally, &scratch, (size_t)height, (size_t)width, pixel, (size_t)size) != FINE
        || (numbers != NULL && label_runs_open(&runs, &scratch, &tally) != FINE))
        goto done;
    for (size_t at = 0; at < (size_t)height && !tally.wrong; at++) {
        const uint8_t *row = labels + at * row_bytes;
        size_t count = 0;
        if (at == 0) {
            tally_first_row(&tally, row);
        } else {
            count = find_changes(row, row - row_bytes, (size_t)width, pixel, changes);
            if (numbers != NULL)
                label_runs_changes(&runs, at, row, changes, count);
            tally_changes(&tally, at, row, changes, count);
        }
        if (numbers != NULL && !tally.wrong)
            label_runs_row(&runs, at, row, count);
    }
    result = OUT_OF_BOUNDS;
    if (tally.wrong)
        goto done;
    const uint8_t *last = labels + (size_t)(height - 1) * row_bytes;
    if (numbers != NULL)
        label_runs_last_row(&runs, last);
    tally_last_row(&tally, last);
    result = (int64_t)tally_close(&tally, records);
    if (numbers != NULL)
        label_runs_close(&runs, numbers);
done:
    scratch_free(&scratch);
    return result;
}
