/* Tally files: the facts of many mask files in one call; see `tally_files.py`.
 *
 * Whatever is unusual about a file is noted and left to who calls, who looks at that file alone.
 */
#include "kernels.h"

enum { HEIGHT = 1, WIDTH, BITS, PALETTE, START, HEAD }; /* of a file; the first is its number of ids */
enum { MOST_COLOR_BYTES = 768, LARGEST = 1 << 24, SMALL_FILE = 1 << 16, MOST_ERODED = 64 };

struct work {
    struct scratch scratch; /* for one file */
    struct inflater inflater;
    checksum_function *checksum;
    size_t most_bytes; /* that may be allocated for a file without asking anybody */
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
            if (taken + 4 * bytes + 3 * count > work->most_bytes) /* as much as is said when this is done for one file */
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
static int64_t take_file(struct work *work, const char *path, const struct result *result)
{
    struct scratch *scratch = &work->scratch;
    struct png png;
    uint8_t *data;
    size_t size, raw_size;
    int status = read_file(scratch, path, min_size(work->most_bytes, LARGEST), &data, &size);
    if (status == FINE)
        status = png_chunks(scratch, work->checksum, data, size, &png);
    if (status == FINE)
        status = stream_size(png.height, png.width, png.bits, &raw_size);
    if (status != FINE)
        return status;
    const int64_t pixels = png.height * png.width;
    const size_t taken = (size < SMALL_FILE ? 0 : size) + (png.gathered == NULL ? 0 : size), colors = (size_t)1 << png.bits;
    if (pixels > LARGEST || raw_size > LARGEST || taken + raw_size > work->most_bytes)
        return UNUSUAL;
    int64_t *records = scratch_take(scratch, colors, RECORD * sizeof *records);
    int64_t *numbers = scratch_take(scratch, TOTALS + 2 * colors, sizeof *numbers);
    const uint8_t *raw = inflate_exactly(scratch, &work->inflater, png.idat, png.idat_size, raw_size, &status);
    if (raw == NULL || records == NULL || numbers == NULL)
        return raw == NULL ? status : NO_MEMORY;
    struct stream stream = {raw, (size_t)png.height, (size_t)png.width, png.bits, NULL};
    const int64_t ids = tally_stream(scratch, &stream, records, work->with_runs ? numbers : NULL);
    if (ids < 0)
        return ids;
    const size_t of_records = RECORD * (size_t)ids, of_runs = work->with_runs ? TOTALS + 2 * (size_t)ids : 0;
    if (of_records + of_runs + work->eroded_count > work->room - work->used)
        return UNUSUAL;
    int64_t *out = work->numbers + work->used;
    memcpy(out, records, of_records * sizeof *out);
    memcpy(out + of_records, numbers, of_runs * sizeof *out);
    status = take_eroded(work, &stream, records, ids, size + (png.gathered == NULL ? 0 : size), out + of_records + of_runs);
    if (status != FINE)
        return status;
    result->head[HEIGHT] = png.height;
    result->head[WIDTH] = png.width;
    result->head[BITS] = png.bits;
    result->head[PALETTE] = png.is_palette ? (int64_t)png.palette_size : 0;
    result->head[START] = (int64_t)work->used;
    if (png.is_palette)
        memcpy(result->palette, png.palette, png.palette_size);
    work->used += of_records + of_runs + work->eroded_count;
    return ids;
}

/* Gives how many numbers were written; `paths` are as many texts as `count` says, each with a zero behind it. */
EXPORT int64_t lg_tally_files(void *(*allocate)(void), inflate_function *inflate, void (*free_it)(void *), checksum_function *checksum,
                              const char *paths, size_t paths_size, int64_t count, int64_t most_bytes, int with_runs,
                              const int64_t *eroded, int64_t eroded_count, int64_t *heads, uint8_t *palettes, int64_t *numbers,
                              int64_t room)
{
    if (count < 0 || room < 0 || most_bytes < 0 || (uint64_t)most_bytes > SIZE_MAX / 8 || eroded_count < 0 || eroded_count > MOST_ERODED)
        return OUT_OF_BOUNDS;
    struct work work = {{NULL}, {allocate, inflate, free_it}, checksum, (size_t)most_bytes, with_runs, (size_t)eroded_count,
                        eroded, numbers, (size_t)room, 0};
    size_t at = 0;
    for (int64_t file = 0; file < count; file++) {
        const char *end = at < paths_size ? memchr(paths + at, 0, paths_size - at) : NULL;
        if (end == NULL) {
            scratch_free(&work.scratch);
            return OUT_OF_BOUNDS;
        }
        const struct result result = {heads + HEAD * file, palettes + MOST_COLOR_BYTES * file};
        result.head[0] = take_file(&work, paths + at, &result);
        scratch_reset(&work.scratch);
        at = (size_t)(end - paths) + 1;
    }
    scratch_free(&work.scratch);
    return (int64_t)work.used;
}
