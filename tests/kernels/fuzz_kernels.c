/* Any bytes through every compiled kernel, for sanitizers: libFuzzer calls LLVMFuzzerTestOneInput (`make fuzz`), and so does afl-clang-fast
 * with -fsanitize=fuzzer; compiled with -DALONE it draws its own mutants: `fuzz COUNT [SEED]` (`make sanitize`).
 *
 * All inputs and outputs are blocks of exactly the size that the kernel is told, so that a step beyond is seen.
 */
#include "fuzz.h"

#include <stdio.h>

int64_t lg_tally(const uint8_t *, int64_t, int64_t, int, int64_t, int64_t *, int64_t *);
int64_t lg_png_tally(const uint8_t *, size_t, int64_t, int64_t, int, uint8_t *, int64_t *, int64_t *);
int64_t lg_stream_tally(const struct inflater *, const uint8_t *, size_t, int64_t, int64_t, int, uint8_t *, int64_t *, int64_t *);
int lg_unfilter(const uint8_t *, size_t, int64_t, int64_t, int64_t, uint8_t *);
int lg_filter_up(const uint8_t *, int64_t, int64_t, uint8_t *);
int lg_area_vote(const uint8_t *, int64_t, int64_t, int, int64_t, int64_t, int64_t, const int64_t *, int, uint8_t *);
int lg_gather(const uint8_t *, int64_t, int, const int32_t *, int64_t, uint8_t *, int);
int64_t lg_windows_without(const uint8_t *, int64_t, int64_t, int, const uint8_t *, int64_t, int64_t, int64_t);
int64_t lg_lzw(const uint8_t *, size_t, uint8_t *, size_t);
int64_t lg_packbits(const uint8_t *, size_t, uint8_t *, size_t);
int64_t lg_eroded_pixels(const uint8_t *, int64_t, int64_t, int64_t);
int lg_narrow(const uint8_t *, int64_t, int, int, uint8_t *, int);
int64_t lg_rank(const uint8_t *, int64_t, int, int, uint16_t *, int64_t *);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int PIXELS[] = {1, 2, 4};

static void tally(struct input *input)
{
    const int pixel = PIXELS[below(input, 3)], with_runs = (int)below(input, 2);
    const size_t height = 1 + below(input, 40), width = 1 + below(input, 300);
    const int64_t size = pixel == 1 ? 1 + below(input, 256) : 1 + below(input, 65535);
    uint8_t *labels = fill(input, height * width * (size_t)pixel);
    int64_t *records = room(RECORD * 8 * (size_t)size), *numbers = room(8 * (TOTALS + 2 * (size_t)size));
    lg_tally(labels, (int64_t)height, (int64_t)width, pixel, size, records, with_runs ? numbers : NULL);
    free(labels), free(records), free(numbers);
}

static void png(struct input *input, int compressed)
{
    const int bits = DEPTHS[below(input, 5)], with_runs = (int)below(input, 2), with_image = (int)below(input, 2);
    const size_t height = 1 + below(input, 40), width = 1 + below(input, 300), line = stream_row_bytes((int64_t)width, bits) + 1;
    const size_t off = below(input, 8) == 0, ids = (size_t)1 << bits, pixel = bits == 16 ? 2 : 1;
    const size_t size = height * line + off, around = compressed ? ZLIB_HEAD + ZLIB_SUM : 0;
    const struct inflater inflater = {nothing, copy, ignore, adler};
    uint8_t *zlib = fill(input, size + around), *raw = zlib + (compressed ? ZLIB_HEAD : 0), *image = room(height * width * pixel);
    int64_t *records = room(RECORD * 8 * ids), *numbers = room(8 * (TOTALS + 2 * ids));
    const int any_kind = below(input, 8) == 0;
    for (size_t row = 0; row < height; row++)
        raw[row * line] = any_kind ? raw[row * line] : raw[row * line] % FILTERS;
    uint8_t *taker = with_image ? image : NULL;
    int64_t *counter = with_runs ? numbers : NULL;
    if (compressed) {
        put_zlib(input, zlib, size);
        lg_stream_tally(&inflater, zlib, size + around - below(input, 60) / 55, (int64_t)height, (int64_t)width, bits, taker, records,
                        counter);
    } else {
        lg_png_tally(raw, size, (int64_t)height, (int64_t)width, bits, taker, records, counter);
    }
    free(zlib), free(image), free(records), free(numbers);
}

static void filters(struct input *input)
{
    const size_t height = 1 + below(input, 20), row_bytes = 1 + below(input, 300), step = 1 + below(input, 9);
    uint8_t *raw = fill(input, height * (row_bytes + 1)), *rows = room(height * row_bytes);
    const int any_kind = below(input, 8) == 0;
    for (size_t row = 0; row < height; row++)
        raw[row * (row_bytes + 1)] = any_kind ? raw[row * (row_bytes + 1)] : raw[row * (row_bytes + 1)] % FILTERS;
    if (lg_unfilter(raw, height * (row_bytes + 1), (int64_t)height, (int64_t)row_bytes, (int64_t)step, rows) == FINE)
        lg_filter_up(rows, (int64_t)height, (int64_t)row_bytes, raw);
    free(raw), free(rows);
}

static void vote(struct input *input)
{
    const int pixel = PIXELS[below(input, 3)], center = (int)below(input, 2), keeps = below(input, 3) == 0;
    const size_t height = 1 + below(input, 40), width = 1 + below(input, 90);
    const size_t cells_down = 1 + below(input, 50), cells = 1 + below(input, 99);
    const size_t size = pixel == 1 ? 256 - below(input, 2) * below(input, 255) : 1 + below(input, 65535);
    uint8_t *labels = fill(input, height * width * (size_t)pixel), *out = room(cells_down * cells * (size_t)pixel);
    int64_t *thresholds = room(8 * size);
    for (size_t label = 0; label < size; label++)
        thresholds[label] = keeps && label % 3 == 1 ? (int64_t)(label * 7) : 0;
    lg_area_vote(labels, (int64_t)height, (int64_t)width, pixel, (int64_t)cells_down, (int64_t)cells, (int64_t)size, thresholds, center,
                 out);
    free(labels), free(out), free(thresholds);
}

static void look_up(struct input *input)
{
    static const int OUT[] = {1, 2, 4, 8};
    const int pixel = PIXELS[below(input, 3)], out_pixel = OUT[below(input, 4)];
    const size_t count = below(input, 3000), size = 1 + below(input, pixel == 1 ? 300 : 65535);
    uint8_t *labels = fill(input, count * (size_t)pixel), *out = room(count * (size_t)out_pixel);
    int32_t *table = (int32_t *)(void *)fill(input, 4 * size);
    lg_gather(labels, (int64_t)count, pixel, table, (int64_t)size, out, out_pixel);
    free(labels), free(out), free(table);
}

static void windows(struct input *input)
{
    const int pixel = PIXELS[below(input, 3)];
    const size_t height = 1 + below(input, 40), width = 1 + below(input, 90), size = 1 + below(input, 300);
    uint8_t *labels = fill(input, height * width * (size_t)pixel), *member = fill(input, size);
    lg_windows_without(labels, (int64_t)height, (int64_t)width, pixel, member, (int64_t)size, 1 + below(input, 41), 1 + below(input, 91));
    free(labels), free(member);
}

static void codes_of(struct input *input)
{
    static const int SIZES[] = {1, 2, 4, 8};
    const int size = SIZES[below(input, 4)], is_signed = (int)below(input, 2), out_pixel = 1 + (int)below(input, 2);
    const size_t count = 1 + below(input, 50) * below(input, 3000);
    uint8_t *labels = fill(input, count * (size_t)size), *out = room(count * (size_t)out_pixel);
    uint16_t *ranks = room(2 * count);
    int64_t *ids = room(8 << 16);
    for (size_t i = 0; below(input, 4) == 0 && i < count; i++)
        labels[i * (size_t)size] = (uint8_t)(i * 7), labels[(i + 1) * (size_t)size - 1] = (uint8_t)(i >> 8); /* many ids */
    lg_narrow(labels, (int64_t)count, size, is_signed, out, out_pixel);
    lg_rank(labels, (int64_t)count, size, is_signed, ranks, ids);
    free(labels), free(out), free(ranks), free(ids);
}

static void erode(struct input *input)
{
    const size_t height = 1 + below(input, 300), width = 1 + below(input, 90);
    uint8_t *inside = fill(input, height * width);
    for (size_t i = 0; i < height * width; i++)
        inside[i] = inside[i] < 99;
    const int64_t margin = 1 + below(input, 130), eroded = lg_eroded_pixels(inside, (int64_t)height, (int64_t)width, margin);
    if (eroded > (int64_t)(height * width))
        abort();
    free(inside);
}

/* Codes that stand for something, but for a few, each in as many bits as it has there. */
static void codes(struct input *input)
{
    const size_t out_size = below(input, 20000), count = input->size * 3;
    uint8_t *stream = room(2 * count + 2), *out = room(out_size);
    size_t at = 0;
    unsigned following = 257, width = 9, bits = 0; /* none is added for the first code after a clear code */
    uint32_t held = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned odd = input->data[i % input->size];
        const unsigned code = odd == 255 ? 4095 : odd == 254 ? 256 : odd < 60 ? odd : (unsigned)(i * 40503u + odd) % (following + 1);
        held = held << width | (code & ((1u << width) - 1));
        for (bits += width; bits >= 8; bits -= 8)
            stream[at++] = (uint8_t)(held >> (bits - 8));
        following = code == 256 ? 257 : following < 4096 ? following + 1 : following;
        width = following < 511 ? 9 : following < 1023 ? 10 : following < 2047 ? 11 : 12;
    }
    if (lg_lzw(stream, at, out, out_size) > (int64_t)out_size)
        abort();
    free(stream), free(out);
}

static void strips(struct input *input, int64_t (*undo)(const uint8_t *, size_t, uint8_t *, size_t))
{
    const size_t out_size = below(input, 9000), size = input->size;
    uint8_t *stream = fill(input, size), *out = room(out_size);
    const int64_t written = undo(stream, size, out, out_size);
    if (written > (int64_t)out_size)
        abort();
    free(stream), free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    switch (below(&input, 13)) {
    case 0: tally(&input); break;
    case 1: png(&input, 0); break;
    case 2: png(&input, 1); break;
    case 3: filters(&input); break;
    case 4: vote(&input); break;
    case 5: look_up(&input); break;
    case 6: windows(&input); break;
    case 7: strips(&input, lg_lzw); break;
    case 8: codes(&input); break;
    case 9: codes_of(&input); break;
    case 10: erode(&input); break;
    case 11: fuzz_files(&input); break;
    default: strips(&input, lg_packbits);
    }
    return 0;
}

#ifdef ALONE
static uint64_t state;

static uint64_t random_below(uint64_t limit) /* xorshift64*, Vigna 2016 */
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * 0x2545F4914F6CDD1D >> 16) % limit;
}

/* Runs of equal bytes with some strays, as labels and their residuals have, or noise. */
static size_t draw(uint8_t *data, size_t room_for)
{
    const size_t size = random_below(room_for);
    const uint64_t longest = 1 + random_below(40), values = 1 + random_below(256);
    for (size_t i = 0; i < size;) {
        const uint8_t value = random_below(2) ? 0 : (uint8_t)random_below(values);
        for (uint64_t run = 1 + random_below(longest); run > 0 && i < size; run--)
            data[i++] = value;
    }
    for (size_t i = 0; i < 24 && i < size; i++) /* what to do, and how large */
        data[i] = (uint8_t)random_below(256);
    return size;
}

int main(int count, char **arguments)
{
    static uint8_t data[6000];
    const long mutants = count > 1 ? atol(arguments[1]) : 1000;
    state = 0x9E3779B97F4A7C15 ^ (uint64_t)(count > 2 ? atol(arguments[2]) : 0);
    for (long i = 0; i < mutants; i++)
        LLVMFuzzerTestOneInput(data, draw(data, sizeof data));
    printf("%ld mutants went through the kernels\n", mutants);
    return 0;
}
#endif
