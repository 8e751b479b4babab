/* What the files beside this one share: an input that is read byte by byte, and what stands in for libdeflate. */
#include "../../labelguard/kernels/kernels.h"

#include <stdlib.h>

/* The input, read from its beginning; zeros once it is at its end. */
struct input {
    const uint8_t *data;
    size_t size;
};

INLINE unsigned byte_of(struct input *input)
{
    if (input->size == 0)
        return 0;
    input->size--;
    return *input->data++;
}

INLINE unsigned below(struct input *input, unsigned limit)
{
    const unsigned low = byte_of(input);
    return (low | byte_of(input) << 8) % limit;
}

INLINE void *room(size_t size)
{
    void *block = malloc(size);
    if (block == NULL)
        abort();
    return block;
}

/* The rest of the input, over and over. */
INLINE uint8_t *fill(const struct input *input, size_t size)
{
    uint8_t *block = room(size);
    for (size_t i = 0; i < size; i++)
        block[i] = input->size == 0 ? 0 : input->data[i % input->size];
    return block;
}

static const int DEPTHS[] = {1, 2, 4, 8, 16};

INLINE void *nothing(void)
{
    static char something;
    return &something;
}

INLINE int copy(void *unused, const void *in, size_t in_size, void *out, size_t out_size, size_t *read, size_t *written)
{
    (void)unused;
    *read = *written = min_size(in_size, out_size);
    memcpy(out, in, *written);
    return 0;
}

/* Adler-32, byte by byte. */
INLINE uint32_t adler(uint32_t sum, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    uint32_t low = sum & 0xFFFF, high = sum >> 16;
    for (size_t i = 0; i < size; i++) {
        low = (low + bytes[i]) % 65521;
        high = (high + low) % 65521;
    }
    return high << 16 | low;
}

enum { ZLIB_HEAD = 2, ZLIB_SUM = 4 };

/* What stands around the bytes of a zlib stream that `copy` takes for its content; the checksum is now and then a lie. */
INLINE void put_zlib(struct input *input, uint8_t *zlib, size_t size)
{
    const uint32_t sum = adler(1, zlib + ZLIB_HEAD, size) + (below(input, 60) == 0);
    zlib[0] = 0x78;
    zlib[1] = below(input, 60) == 0 ? (uint8_t)below(input, 256) : 1;
    for (int i = 0; i < ZLIB_SUM; i++)
        zlib[ZLIB_HEAD + size + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
}

INLINE void ignore(void *unused) { (void)unused; }

/* fuzz_files.c */
void fuzz_files(struct input *input);
