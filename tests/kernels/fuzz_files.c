/* Any file through the kernel that reads files. */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#endif
#include "fuzz.h"

#include <unistd.h>

int64_t lg_tally_files(const struct mask_tools *, const char *, size_t, int64_t, int, const int64_t *, int64_t, int64_t *, uint8_t *,
                       int64_t *, int64_t);
int64_t lg_tally_contents(const struct mask_tools *, const uint8_t *, const int64_t *, int64_t, int64_t *, uint8_t *, int64_t *, int64_t);
int64_t lg_remap_files(const struct mask_tools *, const char *, size_t, int64_t, const int32_t *, int, const int32_t *, int, int64_t *,
                       uint8_t *, int64_t *, int64_t, uint8_t *, int64_t);

enum { REMAP_HEAD = 9 };

static uint32_t no_checksum(uint32_t sum, const void *data, size_t size)
{
    (void)data, (void)size;
    return sum;
}

/* A chunk whose length is now and then a lie, with the checksum above; gives where it ends. */
static size_t put_chunk(struct input *input, uint8_t *at, const char *kind, size_t length)
{
    const size_t said = below(input, 60) == 0 ? below(input, 65535) << 16 : length;
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(said >> (24 - 8 * i));
    memcpy(at + 4, kind, 4);
    for (size_t i = 0; i < length; i++)
        at[8 + i] = input->size == 0 ? 0 : input->data[i % input->size];
    memset(at + 8 + length, 0, 4);
    return 12 + length;
}

/* A PNG, with a pixel stream that `copy` takes for a compressed one; gives its size. */
static size_t put_png(struct input *input, uint8_t *file)
{
    static const char *const KINDS[] = {"IDAT", "IDAT", "IDAT", "PLTE", "tEXt", "eXIf", "IEND", "A!CD"};
    const int bits = DEPTHS[below(input, 5)];
    const size_t height = 1 + below(input, 40), width = 1 + below(input, 300), line = stream_row_bytes((int64_t)width, bits) + 1;
    uint8_t *header = file + 16;
    static uint8_t zlib[1 << 18]; /* as a stream is before it is cut into chunks */
    size_t at = 8, taken = 0;
    const size_t size = height * line, whole = ZLIB_HEAD + size + ZLIB_SUM;
    for (size_t i = 0; i < size; i++)
        zlib[ZLIB_HEAD + i] = input->size == 0 ? 0 : input->data[i % input->size];
    for (size_t row = 0; row < height; row++)
        zlib[ZLIB_HEAD + row * line] %= FILTERS;
    put_zlib(input, zlib, size);
    memcpy(file, "\x89PNG\r\n\x1A\n", 8);
    at += put_chunk(input, file + at, "IHDR", 13);
    memset(header, 0, 13);
    header[2] = (uint8_t)(width >> 8), header[3] = (uint8_t)width, header[7] = (uint8_t)height, header[8] = (uint8_t)bits;
    header[9] = below(input, 2) && bits != 16 ? 3 : 0;
    if (header[9] == 3)
        at += put_chunk(input, file + at, "PLTE", 3 * (1 + below(input, 260)));
    while (taken < whole && at < 1 << 19) {
        const char *kind = below(input, 9) ? "IDAT" : KINDS[below(input, 8)];
        const size_t length = below(input, 3) ? whole - taken : min_size(whole - taken, below(input, 900));
        uint8_t *body = file + at + 8;
        at += put_chunk(input, file + at, kind, length);
        if (memcmp(kind, "IDAT", 4) == 0)
            memcpy(body, zlib + taken, length);
        taken += memcmp(kind, "IDAT", 4) == 0 || below(input, 5) == 0 ? length : 0;
        if (input->size == 0 && length == 0)
            break;
    }
    return at + put_chunk(input, file + at, "IEND", 0);
}

void fuzz_files(struct input *input)
{
    static uint8_t file[1 << 20];
    char path[] = "/tmp/labelguard-fuzz-XXXXXX";
    const int descriptor = mkstemp(path);
    const size_t size = min_size(put_png(input, file), 1 << 18) - (below(input, 9) == 0 ? below(input, 20) : 0);
    if (descriptor < 0 || write(descriptor, file, size) != (ssize_t)size)
        abort();
    close(descriptor);
    const int which = (int)below(input, 3);
    const struct mask_tools tools = {{nothing, copy, ignore, adler}, no_checksum, below(input, 4) ? 1 << 20 : below(input, 65535)};
    const size_t count = 1 + below(input, 2), numbers_size = below(input, 6000), bytes_size = below(input, 65535);
    char *paths = room(count * sizeof path);
    for (size_t i = 0; i < count; i++)
        memcpy(paths + i * sizeof path, path, sizeof path);
    const size_t paths_size = count * sizeof path - (below(input, 9) == 0);
    int64_t *heads = room(count * REMAP_HEAD * sizeof *heads), *numbers = room(numbers_size * sizeof *numbers);
    uint8_t *palettes = room(count * MOST_COLOR_BYTES), *bytes = room(bytes_size), *content = room(size);
    int32_t *tables[] = {room(256 * 4), room(65536 * 4)};
    const int pixels[] = {1 + (int)below(input, 2), 1 + (int)below(input, 2)};
    const int refuses = below(input, 3) == 0;
    for (int32_t i = 0; i < 65536; i++)
        tables[i >= 256][i] = refuses && i % 256 == 77 ? -1 : i % 251;
    for (int32_t i = 0; i < 256; i++)
        tables[1][i] = i;
    memcpy(content, file, size);
    const int64_t eroded[] = {0, below(input, 256)}, ends[] = {(int64_t)size};
    if (which == 0)
        lg_tally_files(&tools, paths, paths_size, (int64_t)count, (int)below(input, 2), eroded, (int64_t)below(input, 3), heads, palettes,
                       numbers, (int64_t)numbers_size);
    else if (which == 1)
        lg_tally_contents(&tools, content, ends, 1, heads, palettes, numbers, (int64_t)numbers_size);
    else
        lg_remap_files(&tools, paths, paths_size, (int64_t)count, below(input, 9) ? tables[0] : NULL, pixels[0], tables[1], pixels[1], heads,
                       palettes, numbers, (int64_t)numbers_size, bytes, (int64_t)bytes_size);
    unlink(path);
    free(paths), free(heads), free(numbers), free(palettes), free(bytes), free(content), free(tables[0]), free(tables[1]);
}
