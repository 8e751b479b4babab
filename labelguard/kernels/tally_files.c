/* Tally files: the facts of many mask files in one call; see `tally_files.py`.
 *
 * Whatever is unusual about a file is noted and left to who calls, who looks at that file alone.
 */
#include "kernels.h"

enum { MOST_ERODED = 64, MOST_WORK = 1 << 27 }; /* bytes read and inflated in one call, which nobody can interrupt */

struct work {
    struct scratch scratch; /* for one file */
    struct mask_tools tools;
    int with_runs;
    size_t eroded_count;
    const int64_t *eroded; /* ids whose shape is looked at */
    int64_t *numbers;
    size_t room, used; /* of `numbers` */
};

/* What is noted of a file, apart from what goes into `numbers`. */
struct result {
    int64_t *head;
    uint8_t *palette;
};

/* How many pixels of an id survive erosion, as `files/mask.py` asks. */
static int64_t survivors(struct scratch *scratch, const uint8_t *image, const struct stream *stream, int64_t label)
{
    const int pixel = stream->bits == 16 ? 2 : 1;
    const size_t count = stream->height * stream->width, side = min_size(stream->height, stream->width);
    const size_t hundreds = side / 100, rest = side % 100;
    size_t margin = hundreds + (rest > 50 || (rest == 50 && hundreds % 2 == 1)); /* rounded, a half to the even side */
    margin = margin < 1 ? 1 : min_size(margin, 3);
    uint8_t *inside = scratch_take(scratch, count, 1);
    if (inside == NULL)
        return NO_MEMORY;
    if (pixel == 1)
        for (size_t i = 0; i < count; i++)
            inside[i] = image[i] == label;
    else
        for (size_t i = 0; i < count; i++)
            inside[i] = label_at(image, i, 2) == label;
    return eroded_pixels(scratch, inside, stream->height, stream->width, margin);
}

static int is_there(const int64_t *records, int64_t ids, int64_t label)
{
    for (int64_t at = 0; at < ids; at++)
        if (records[RECORD * at] == label)
            return 1;
    return 0;
}

/* For each id whose shape is wanted the number of its pixels that survive; not touched where it is not there. */
static int take_eroded(struct work *work, struct stream *stream, int64_t *records, int64_t ids, size_t taken, int64_t *eroded)
{
    const size_t count = stream->height * stream->width, bytes = count * (stream->bits == 16 ? 2 : 1);
    for (size_t i = 0; i < work->eroded_count; i++) {
        if (!is_there(records, ids, work->eroded[i]))
            continue;
        if (stream->image == NULL) {
            if (taken + 4 * bytes + 3 * count > work->tools.most_bytes) /* as much as is said when this is done for one file */
                return UNUSUAL;
            stream->image = scratch_take(&work->scratch, bytes, 1);
            if (stream->image == NULL || tally_stream(&work->scratch, stream, records, NULL) < 0)
                return NO_MEMORY;
        }
        eroded[i] = survivors(&work->scratch, stream->image, stream, work->eroded[i]);
        if (eroded[i] < 0)
            return (int)eroded[i];
    }
    return FINE;
}

/* The number of ids of a file, or why it is left. */
static int64_t take_file(struct work *work, struct mask_file *file, const struct result *result)
{
    struct scratch *scratch = &work->scratch;
    const struct png *png = &file->png;
    const size_t colors = (size_t)1 << png->bits;
    int64_t *records = scratch_take(scratch, colors, RECORD * sizeof *records);
    int64_t *numbers = scratch_take(scratch, TOTALS + 2 * colors, sizeof *numbers);
    if (records == NULL || numbers == NULL)
        return NO_MEMORY;
    const int64_t ids = tally_stream(scratch, &file->stream, records, work->with_runs ? numbers : NULL);
    if (ids < 0)
        return ids;
    const size_t of_records = RECORD * (size_t)ids, of_runs = work->with_runs ? TOTALS + 2 * (size_t)ids : 0;
    if (of_records + of_runs + work->eroded_count > work->room - work->used)
        return FULL;
    int64_t *out = work->numbers + work->used;
    memcpy(out, records, of_records * sizeof *out);
    memcpy(out + of_records, numbers, of_runs * sizeof *out);
    const int status = take_eroded(work, &file->stream, records, ids, file->held, out + of_records + of_runs);
    if (status != FINE)
        return status;
    note_png(png, result->head, result->palette);
    result->head[START] = (int64_t)work->used;
    work->used += of_records + of_runs + work->eroded_count;
    return ids;
}

/* Gives how many numbers were written; `paths` are as many texts as `count` says, each with a zero behind it. */
EXPORT int64_t lg_tally_files(const struct mask_tools *tools, const char *paths, size_t paths_size, int64_t count, int with_runs,
                              const int64_t *eroded, int64_t eroded_count, int64_t *heads, uint8_t *palettes, int64_t *numbers,
                              int64_t room)
{
    if (count < 0 || room < 0 || tools->most_bytes > SIZE_MAX / 8 || eroded_count < 0 || eroded_count > MOST_ERODED)
        return OUT_OF_BOUNDS;
    struct work work = {{NULL}, *tools, with_runs, (size_t)eroded_count, eroded, numbers, (size_t)room, 0};
    size_t at = 0, done = 0;
    int is_full = 0; /* the others, with as many ids or pixels presumably, are looked at once and not twice */
    for (int64_t number = 0; number < count; number++) {
        const size_t next = next_path(paths, paths_size, at);
        if (next == 0)
            break;
        struct mask_file file = {.size = 0};
        const struct result result = {heads + HEAD * number, palettes + MOST_COLOR_BYTES * number};
        const int status = is_full ? FULL : mask_file_read(&work.scratch, tools, paths + at, &file);
        result.head[0] = status == FINE ? take_file(&work, &file, &result) : status;
        done += file.size + (status == FINE ? file.stream.height * stream_row_bytes(file.png.width, file.png.bits) : 0);
        is_full |= result.head[0] == FULL || done > MOST_WORK;
        scratch_reset(&work.scratch);
        at = next;
    }
    scratch_free(&work.scratch);
    return at == paths_size ? (int64_t)work.used : OUT_OF_BOUNDS;
}
