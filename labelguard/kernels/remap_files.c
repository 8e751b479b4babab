/* Remap files: many mask files read, tallied, and their labels moved by a table and filtered, in one call; see `remap_files.py`. */
#include "kernels.h"

enum { FILE_START = HEAD, FILE_SIZE, ROWS_START, REMAP_HEAD };

struct room {
    int64_t *numbers;
    uint8_t *bytes;
    size_t numbers_left, bytes_left, numbers_used, bytes_used;
};

/* As much memory as one file takes that is remapped alone: the labels before and after, and four copies while these are encoded. */
static int is_too_much(const struct mask_file *file, size_t pixel, size_t out_pixel, size_t most_bytes)
{
    return file->held + file->stream.height * file->stream.width * (pixel + 5 * out_pixel) > most_bytes;
}

static int64_t take_file(struct scratch *scratch, const struct mask_tools *tools, struct mask_file *file, const int32_t *const *tables,
                         const int *pixels, struct room *room, int64_t *head)
{
    const int bits = file->png.bits, which = bits == 16;
    const size_t colors = (size_t)1 << bits, pixel = which ? 2 : 1;
    if (bits < 8 || tables[which] == NULL || is_too_much(file, pixel, (size_t)pixels[which], tools->most_bytes))
        return UNUSUAL;
    const size_t rows_size = file->stream.height * (file->stream.width * (size_t)pixels[which] + 1);
    if (file->size > room->bytes_left || rows_size > room->bytes_left - file->size)
        return FULL;
    int64_t *records = scratch_take(scratch, colors, RECORD * sizeof *records);
    if (records == NULL)
        return NO_MEMORY;
    struct moving moving = {tables[which], room->bytes + room->bytes_used + file->size, pixels[which], 0};
    file->stream.moving = &moving;
    const int64_t ids = tally_stream(scratch, &file->stream, records, NULL);
    if (ids < 0 || moving.refused)
        return ids < 0 ? ids : UNUSUAL;
    if (RECORD * (size_t)ids > room->numbers_left)
        return FULL;
    memcpy(room->numbers + room->numbers_used, records, RECORD * (size_t)ids * sizeof *records);
    memcpy(room->bytes + room->bytes_used, file->data, file->size);
    head[START] = (int64_t)room->numbers_used;
    head[FILE_START] = (int64_t)room->bytes_used;
    head[FILE_SIZE] = (int64_t)file->size;
    head[ROWS_START] = (int64_t)(room->bytes_used + file->size);
    room->numbers_used += RECORD * (size_t)ids, room->numbers_left -= RECORD * (size_t)ids;
    room->bytes_used += file->size + rows_size, room->bytes_left -= file->size + rows_size;
    return ids;
}

/* Gives for how many of the files there was room. Tables are those for labels of 8 and of 16 bits, or NULL; each has an entry for every
 * such label, which is negative, or fits into as many bytes as `pixels` says. */
EXPORT int64_t lg_remap_files(const struct mask_tools *tools, const char *paths, size_t paths_size, int64_t count, const int32_t *table8,
                              int pixel8, const int32_t *table16, int pixel16, int64_t *heads, uint8_t *palettes, int64_t *numbers,
                              int64_t numbers_size, uint8_t *bytes, int64_t bytes_size)
{
    if (count < 0 || numbers_size < 0 || bytes_size < 0 || tools->most_bytes > SIZE_MAX / 16 || pixel8 < 1 || pixel8 > 2 || pixel16 < 1
        || pixel16 > 2)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    struct room room = {numbers, bytes, (size_t)numbers_size, (size_t)bytes_size, 0, 0};
    const int32_t *const tables[] = {table8, table16};
    const int pixels[] = {pixel8, pixel16};
    size_t at = 0;
    int64_t number = 0;
    for (; number < count; number++) {
        int64_t *head = heads + REMAP_HEAD * number;
        struct mask_file file;
        const size_t next = next_path(paths, paths_size, at);
        if (next == 0)
            break;
        const int status = mask_file_read(&scratch, tools, paths + at, &file);
        head[0] = status == FINE ? take_file(&scratch, tools, &file, tables, pixels, &room, head) : status;
        if (head[0] >= 0)
            note_png(&file.png, head, palettes + MOST_COLOR_BYTES * number);
        scratch_reset(&scratch);
        if (head[0] == FULL && number > 0)
            break; /* the next call has room for it */
        at = next;
    }
    scratch_free(&scratch);
    return number < count && at == paths_size ? OUT_OF_BOUNDS : number;
}

/* The records of files whose content lies one behind the other, each up to one of `ends`; gives how many numbers were written. */
EXPORT int64_t lg_tally_contents(const struct mask_tools *tools, const uint8_t *contents, const int64_t *ends, int64_t count,
                                 int64_t *heads, uint8_t *palettes, int64_t *numbers, int64_t numbers_size)
{
    if (count < 0 || numbers_size < 0 || tools->most_bytes > SIZE_MAX / 8)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    size_t used = 0;
    for (int64_t number = 0, start = 0; number < count; start = ends[number++]) {
        if (start < 0 || ends[number] < start)
            break;
        int64_t *head = heads + HEAD * number;
        struct mask_file file = {.data = contents + start, .size = (size_t)(ends[number] - start)};
        head[0] = mask_file_inflate(&scratch, tools, &file);
        if (head[0] == FINE) {
            const size_t colors = (size_t)1 << file.png.bits;
            int64_t *records = scratch_take(&scratch, colors, RECORD * sizeof *records);
            head[0] = records == NULL ? NO_MEMORY : tally_stream(&scratch, &file.stream, records, NULL);
            if (head[0] > 0 && RECORD * (size_t)head[0] > (size_t)numbers_size - used)
                head[0] = UNUSUAL;
            if (head[0] > 0) {
                memcpy(numbers + used, records, RECORD * (size_t)head[0] * sizeof *records);
                note_png(&file.png, head, palettes + MOST_COLOR_BYTES * number);
                head[START] = (int64_t)used;
                used += RECORD * (size_t)head[0];
            }
        }
        scratch_reset(&scratch);
    }
    scratch_free(&scratch);
    return (int64_t)used;
}
