/* PNG tally: the facts of a grey or palette PNG straight from its filtered pixel stream, without making the image.
 *
 * One row is kept; each filter is undone in place (see undo_filter.c), and only what changed is unpacked and counted, so that a mask
 * costs its edges rather than its area.
 */
#include "kernels.h"

INLINE int is_depth(int bits) { return bits == 1 || bits == 2 || bits == 4 || bits == 8 || bits == 16; }

size_t stream_row_bytes(int64_t width, int bits) { return (size_t)(((uint64_t)width * (uint64_t)bits + 7) / 8); }

/* The bytes of an inflated stream: for each row one that names its filter, and the packed samples. */
int stream_size(int64_t height, int64_t width, int bits, size_t *size)
{
    if (!is_side(height) || !is_side(width) || !is_depth(bits))
        return OUT_OF_BOUNDS;
    const uint64_t bytes = (uint64_t)height * (((uint64_t)width * (uint64_t)bits + 7) / 8 + 1); /* below 2^31 times 2^32 + 1 */
    if (bytes > SIZE_MAX)
        return NO_MEMORY;
    *size = (size_t)bytes;
    return FINE;
}

/* Samples of fewer than 8 bits, big end first, of the bytes that changed; gives the samples that did. */
static size_t unpack_bits(const struct change *bytes, size_t count, const uint8_t *packed, size_t width, int bits, uint8_t *samples,
                          struct change *changes)
{
    const size_t per_byte = 8 / (size_t)bits;
    const unsigned mask = (1u << bits) - 1;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t first = bytes[i].column * per_byte, last = min_size(first + per_byte, width);
        const unsigned after = packed[bytes[i].column];
        int shift = 8 - bits;
        for (size_t column = first; column < last; column++, shift -= bits) {
            const unsigned sample = after >> shift & mask;
            changes[found].column = (uint32_t)column;
            changes[found].before = samples[column];
            found += sample != samples[column];
            samples[column] = (uint8_t)sample;
        }
    }
    return found;
}

/* Samples of two bytes, the high one first, of the pixels that changed. */
static void unpack_pairs(struct change *changes, size_t count, const uint8_t *packed, uint8_t *samples)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = 2 * (size_t)changes[i].column;
        const uint16_t sample = (uint16_t)(packed[at] << 8 | packed[at + 1]);
        changes[i].before = label_at(samples, changes[i].column, 2);
        memcpy(samples + at, &sample, 2);
    }
}

/* The records of a stream, and the numbers of its label runs where `numbers` is not NULL; gives the number of ids. The stream is as
 * long as `stream_size` says. */
int64_t tally_stream(struct scratch *scratch, const struct stream *stream, int64_t *records, int64_t *numbers)
{
    const int bits = stream->bits, pixel = bits == 16 ? 2 : 1, is_packed = bits != 8;
    const size_t width = stream->width, row_bytes = stream_row_bytes((int64_t)width, bits), units = row_bytes / (size_t)pixel;
    struct tally tally;
    struct label_runs runs;
    uint8_t *packed = scratch_take(scratch, row_bytes, 1), *spare = scratch_take(scratch, row_bytes, 1);
    uint8_t *samples = is_packed ? scratch_take(scratch, width, (size_t)pixel) : packed;
    struct change *changes = scratch_take(scratch, width, sizeof *changes);
    struct change *bytes = bits < 8 ? scratch_take(scratch, units, sizeof *bytes) : changes;
    if (packed == NULL || spare == NULL || samples == NULL || changes == NULL || bytes == NULL
        || tally_open(&tally, scratch, stream->height, width, pixel, (size_t)1 << bits) != FINE
        || (numbers != NULL && label_runs_open(&runs, scratch, &tally) != FINE))
        return NO_MEMORY;
    memset(packed, 0, row_bytes); /* the row above the first is zeros, whose samples are zeros too */
    memset(samples, 0, width * (size_t)pixel);
    for (size_t at = 0; at < stream->height; at++) {
        const uint8_t *line = stream->raw + at * (row_bytes + 1);
        if (line[0] >= FILTERS)
            return DAMAGED;
        size_t count = undo_in_place(line[0], line + 1, packed, spare, units, pixel, bytes);
        if (bits < 8)
            count = unpack_bits(bytes, count, packed, width, bits, samples, changes);
        else if (bits == 16)
            unpack_pairs(changes, count, packed, samples);
        if (at == 0) {
            tally_first_row(&tally, samples);
        } else if (count != 0) {
            if (numbers != NULL)
                label_runs_changes(&runs, at, samples, changes, count);
            tally_changes(&tally, at, samples, changes, count);
        }
        if (numbers != NULL)
            label_runs_row(&runs, at, samples, count);
        if (stream->moving != NULL)
            move_row(stream->moving, at, samples, width, pixel, changes, count);
        if (stream->image != NULL)
            memcpy(stream->image + at * width * (size_t)pixel, samples, width * (size_t)pixel);
    }
    if (numbers != NULL)
        label_runs_last_row(&runs, samples);
    tally_last_row(&tally, samples);
    if (numbers != NULL)
        label_runs_close(&runs, numbers);
    return (int64_t)tally_close(&tally, records);
}

EXPORT int64_t lg_png_tally(const uint8_t *raw, size_t raw_size, int64_t height, int64_t width, int bits, uint8_t *image, int64_t *records,
                            int64_t *numbers)
{
    size_t expected;
    const int fault = stream_size(height, width, bits, &expected);
    if (fault != FINE)
        return fault;
    if (raw_size != expected)
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    const struct stream stream = {raw, (size_t)height, (size_t)width, bits, image, NULL};
    const int64_t result = tally_stream(&scratch, &stream, records, numbers);
    scratch_free(&scratch);
    return result;
}
