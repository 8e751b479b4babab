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

/* Adler-32 (RFC 1950, section 8.2) of the rows up to one that is told with its sums, or up to an end: rows whose filter looks at every byte
 * are left to the function, many at once; what it takes of the others is known from the few bytes that are not zero. */
struct adler {
    checksum_function *function;
    const uint8_t *done; /* up to here */
    uint32_t sum;
};

static void add_rows(struct adler *adler, const uint8_t *line)
{
    if (adler->done != line)
        adler->sum = adler->function(adler->sum, adler->done, (size_t)(line - adler->done));
    adler->done = line;
}

static void add_row(struct adler *adler, const uint8_t *line, size_t size, const struct sums *sums)
{
    enum { PRIME = 65521 };
    add_rows(adler, line);
    const uint64_t low = adler->sum & 0xFFFF, high = adler->sum >> 16, bytes = sums->bytes + line[0];
    const uint64_t weighted = size * (low + bytes) - sums->weighted - sums->bytes; /* residuals stand behind the filter */
    adler->sum = (uint32_t)((high + weighted) % PRIME << 16 | (low + bytes) % PRIME);
    adler->done = line + size;
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
    struct adler adler = {stream->adler32, stream->raw, 1};
    for (size_t at = 0; at < stream->height; at++) {
        const uint8_t *line = stream->raw + at * (row_bytes + 1);
        if (line[0] >= FILTERS)
            return DAMAGED;
        if (at + 2 < stream->height)
            for (size_t k = 0; k < row_bytes; k += 64)
                prefetch(line + 2 * (row_bytes + 1) + k);
        struct sums sums = {0, 0};
        size_t count = undo_in_place(line[0], line + 1, packed, spare, units, pixel, bytes, &sums);
        if (stream->adler32 != NULL && (line[0] == UP || line[0] == PAETH))
            add_row(&adler, line, row_bytes + 1, &sums);
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
    if (stream->adler32 != NULL) {
        add_rows(&adler, stream->raw + stream->height * (row_bytes + 1));
        if (adler.sum != stream->checksum)
            return DAMAGED;
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
    const struct stream stream = {raw, NULL, 0, (size_t)height, (size_t)width, bits, image, NULL};
    const int64_t result = tally_stream(&scratch, &stream, records, numbers);
    scratch_free(&scratch);
    return result;
}
