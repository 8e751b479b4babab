/* Label runs: how ids change along rows and columns; see `label_runs.py`.
 *
 * The runs of columns are come upon where a pixel differs from the one above, as in tally.c, whose `since` says where they began.
 */
#include "kernels.h"

enum { LONGEST = 4, RIPPLE = 2, GRID = 8, BATCH = 9, LARGE = 1 << 17 }; /* as in `label_runs.py` */
enum { IS_RAMP = 1, IS_SHORT = 2 }; /* marks of a run */

int label_runs_open(struct label_runs *runs, struct scratch *scratch, struct tally *tally)
{
    memset(runs, 0, sizeof *runs);
    for (int i = 0; i < 2 * SLOTS; i++)
        runs->memory[i / SLOTS][i % SLOTS].low = -1;
    const int large = (uint64_t)tally->height * tally->width >= LARGE;
    runs->batch = large ? BATCH - 3 : BATCH;
    runs->first = large ? 2 : 0;
    runs->changed = 1;
    runs->tally = tally;
    runs->cuts = scratch_take(scratch, tally->width, sizeof *runs->cuts);
    runs->past = scratch_take(scratch, tally->width, sizeof *runs->past);
    if (runs->cuts == NULL || runs->past == NULL)
        return NO_MEMORY;
    memset(runs->past, 0, tally->width * sizeof *runs->past);
    return FINE;
}

/* Whether the row is among those that are looked at: every one, then every second, every fourth ... */
INLINE int is_sampled(const struct label_runs *runs, size_t row)
{
    const int64_t halvings = runs->first + (runs->row_runs >> runs->batch);
    return halvings > 31 ? row == 0 : (row & (((size_t)1 << halvings) - 1)) == 0;
}

/* The columns that are looked at stand before this one: all, then the left half, the left quarter ... */
INLINE size_t sampled_columns(const struct label_runs *runs)
{
    const int64_t halvings = runs->column_runs >> runs->batch;
    return halvings > 31 ? 0 : runs->tally->width >> halvings;
}

INLINE void end_at(struct label_runs *runs, size_t start)
{
    runs->totals[ENDS]++;
    runs->totals[ON_GRID] += start % GRID == 0;
    runs->totals[OFF_GRID] += start % GRID == GRID / 2;
}

static void remember(struct label_runs *runs, int64_t low, int64_t high, int64_t label, int direction)
{
    struct memory *memory = &runs->memory[direction][(31 * low + high) % SLOTS];
    if (memory->low == low && memory->high == high)
        runs->totals[memory->ramp == label ? REPEATED : VARIED]++;
    memory->low = low;
    memory->high = high;
    memory->ramp = label;
}

INLINE int64_t distance(int64_t one, int64_t other) { return one < other ? other - one : one - other; }

/* Account for a run between two others; `mark` is that of the run before, and its own is given back. */
INLINE int take(struct label_runs *runs, int64_t before, int64_t label, int64_t after, size_t start, size_t end, int mark, int direction)
{
    const int rises = label > before, is_long = end - start > LONGEST;
    const int64_t step = distance(label, before);
    struct record *record = runs->tally->records + label;
    if (is_long == ((mark & IS_SHORT) != 0))
        end_at(runs, start);
    if ((after > label) == rises) {
        if (!is_long) {
            runs->totals[RAMPS]++;
            runs->totals[SHORT] += (int64_t)(end - start);
            record->thin++;
            const int64_t low = before < after ? before : after, high = before < after ? after : before;
            if (high - low >= 3)
                remember(runs, low, high, label, direction);
            return IS_RAMP | IS_SHORT;
        }
        runs->totals[BANDS] += end - start <= 3 * LONGEST;
    } else if (!is_long) {
        const int64_t other = distance(after, label), near = step < other ? step : other, far = step < other ? other : step;
        runs->totals[SHORT] += (int64_t)(end - start);
        if (end - start <= RIPPLE && far > 1 && near <= (far < 4 ? 1 : far / 4)) {
            runs->totals[RIPPLES]++;
            record->thin++;
        }
    }
    runs->totals[DIRECT] += step >= 2 && (mark & IS_RAMP) == 0;
    return is_long ? 0 : IS_SHORT;
}

/* Account for the run that ends at the frame, which is long. */
INLINE void take_last(struct label_runs *runs, int64_t before, int64_t label, size_t start, int mark)
{
    if ((mark & IS_SHORT) != 0)
        end_at(runs, start);
    runs->totals[DIRECT] += distance(label, before) >= 2 && (mark & IS_RAMP) == 0;
}

INLINE void take_row(struct label_runs *runs, size_t at, const uint8_t *row, int pixel)
{
    const uint32_t *const cuts = runs->cuts, *const since = runs->tally->since;
    struct record *const records = runs->tally->records;
    const size_t found = runs->found;
    int64_t before = 0, direct = 0, bands = 0;
    size_t start = 0;
    int mark = 0;
    for (size_t i = 0; i <= found; i++) {
        const size_t end = cuts[i];
        const int64_t label = label_at(row, start, pixel);
        const int is_long = end - start > LONGEST;
        if (is_long && at - since[(start + end) / 2] >= LONGEST)
            records[label].areas++;
        if (i > 0 && i < found) {
            const int64_t after = label_at(row, end, pixel);
            if (is_long && mark == 0) { /* most runs */
                direct += distance(label, before) >= 2;
                bands += (after > label) == (label > before) && end - start <= 3 * LONGEST;
            } else {
                mark = take(runs, before, label, after, start, end, mark, 0);
            }
        } else if (i > 0) {
            take_last(runs, before, label, start, mark);
        }
        before = label;
        start = end;
    }
    runs->totals[DIRECT] += direct;
    runs->totals[BANDS] += bands;
}

/* Account for the runs of a row, which differs from the one above in so many pixels; called once the tally knows of these. */
void label_runs_row(struct label_runs *runs, size_t at, const uint8_t *row, size_t changes)
{
    const size_t width = runs->tally->width;
    runs->changed |= changes != 0;
    if (!is_sampled(runs, at))
        return;
    if (runs->changed) {
        runs->changed = 0;
        runs->found = find_cuts(row, width, runs->tally->pixel, runs->cuts);
        runs->cuts[runs->found] = (uint32_t)width;
    }
    runs->row_runs += (int64_t)runs->found + 1;
    runs->totals[LOOKED] += (int64_t)width;
    switch (runs->tally->pixel) {
    case 1: take_row(runs, at, row, 1); break;
    case 2: take_row(runs, at, row, 2); break;
    default: take_row(runs, at, row, 4);
    }
}

INLINE void take_changes(struct label_runs *runs, size_t at, const uint8_t *row, const struct change *changes, size_t count, int pixel)
{
    size_t limit = sampled_columns(runs);
    for (size_t i = 0; i < count; i++) {
        const size_t column = changes[i].column;
        if (column >= limit) /* they come in order */
            break;
        const size_t start = runs->tally->since[column];
        const int64_t label = changes[i].before;
        int mark = 0;
        if (start > 0) {
            runs->column_runs++;
            limit = sampled_columns(runs);
            runs->totals[LOOKED] += (int64_t)(at - start);
            const int64_t past = runs->past[column];
            mark = take(runs, past >> 2, label, label_at(row, column, pixel), start, at, (int)(past & 3), 1);
        }
        runs->past[column] = label << 2 | mark;
    }
}

/* Account for the runs of columns that end above a row; called before the tally knows of its changes. */
void label_runs_changes(struct label_runs *runs, size_t at, const uint8_t *row, const struct change *changes, size_t count)
{
    switch (runs->tally->pixel) {
    case 1: take_changes(runs, at, row, changes, count, 1); break;
    case 2: take_changes(runs, at, row, changes, count, 2); break;
    default: take_changes(runs, at, row, changes, count, 4);
    }
}

/* Account for the runs of columns that reach the bottom; called before the tally closes them. */
void label_runs_last_row(struct label_runs *runs, const uint8_t *row)
{
    const struct tally *tally = runs->tally;
    for (size_t column = 0; column < sampled_columns(runs); column++) {
        const size_t start = tally->since[column];
        if (start == 0)
            continue;
        const int64_t past = runs->past[column];
        take_last(runs, past >> 2, label_at(row, column, tally->pixel), start, (int)(past & 3));
        runs->column_runs++;
        runs->totals[LOOKED] += (int64_t)(tally->height - start);
    }
}

/* The totals, for each id its areas, and for each id its thin runs. */
void label_runs_close(const struct label_runs *runs, int64_t *numbers)
{
    const struct tally *tally = runs->tally;
    size_t ids = 0, at = TOTALS;
    memcpy(numbers, runs->totals, sizeof runs->totals);
    for (size_t label = 0; label < tally->size; label++)
        ids += tally->seen[label];
    for (size_t label = 0; label < tally->size; label++)
        if (tally->seen[label]) {
            numbers[at] = tally->records[label].areas;
            numbers[at++ + ids] = tally->records[label].thin;
        }
}
