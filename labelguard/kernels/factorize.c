/* Small unsigned codes for labels of any type; see `factorize.py`. */
#include "kernels.h"

#include <stdlib.h>

enum { MANY = 1 << 16, BLOCK = 4096 /* labels */ };

/* A label of one to eight bytes as a number whose order is that of the labels, of which negative ones stand below all others. */
INLINE uint64_t key_at(const uint8_t *labels, size_t i, int size, int is_signed)
{
    const uint64_t top = (uint64_t)1 << 63;
    if (size == 8) {
        uint64_t label;
        memcpy(&label, labels + 8 * i, 8);
        return is_signed ? label ^ top : label;
    }
    const uint64_t label = label_at(labels, i, size), half = (uint64_t)1 << (8 * size - 1);
    return is_signed ? ((label ^ half) - half) ^ top : label;
}

/* All bits that are set in any of some labels of `size` bytes. */
INLINE uint64_t union_of(const uint8_t *labels, size_t count, int size)
{
    const size_t bytes = count * (size_t)size, whole = bytes / 8 * 8;
    uint64_t any = 0, word = 0; /* as the machine has them: several labels in one */
    memcpy(&word, labels + whole, bytes - whole);
    any |= word;
    for (size_t at = 0; at < whole; at += 8) {
        memcpy(&word, labels + at, 8);
        any |= word;
    }
    for (int width = 4; width >= size; width /= 2)
        any |= any >> (8 * width);
    return size == 8 ? any : any & (((uint64_t)1 << (8 * size)) - 1);
}

/* Whether all labels have no bits but the lowest `bits`; `out` then holds them. A negative one has others. */
INLINE int narrow(const uint8_t *labels, size_t count, int size, uint8_t *out, int out_pixel, int bits)
{
    for (size_t start = 0; start < count; start += BLOCK) {
        const size_t end = min_size(start + BLOCK, count);
        if (union_of(labels + start * (size_t)size, end - start, size) >> bits != 0)
            return 0;
        for (size_t i = start; i < end; i++) {
            const uint16_t half = (uint16_t)key_at(labels, i, size, 0);
            if (out_pixel == 1)
                out[i] = (uint8_t)half;
            else
                memcpy(out + 2 * i, &half, 2);
        }
    }
    return 1;
}

INLINE int narrow_into(const uint8_t *labels, size_t count, int size, uint8_t *out, int out_pixel, int bits)
{
    return out_pixel == 1 ? narrow(labels, count, size, out, 1, bits) : narrow(labels, count, size, out, 2, bits);
}

static int is_integer(int64_t count, int size)
{
    return (is_pixel(size) || size == 8) && count > 0 && (uint64_t)count <= SIZE_MAX / 8;
}

/* Gives 1, or 0 where a label does not fit into `out_pixel` bytes, or is negative. */
EXPORT int lg_narrow(const uint8_t *labels, int64_t count, int size, int is_signed, uint8_t *out, int out_pixel)
{
    if (!is_integer(count, size) || !(out_pixel == 1 || out_pixel == 2))
        return OUT_OF_BOUNDS;
    const int own = 8 * size - (is_signed != 0), bits = own < 8 * out_pixel ? own : 8 * out_pixel;
    switch (size) {
    case 1: return narrow_into(labels, (size_t)count, 1, out, out_pixel, bits);
    case 2: return narrow_into(labels, (size_t)count, 2, out, out_pixel, bits);
    case 4: return narrow_into(labels, (size_t)count, 4, out, out_pixel, bits);
    default: return narrow_into(labels, (size_t)count, 8, out, out_pixel, bits);
    }
}

/* An id, and its number in the order in which ids were met. */
struct met {
    uint64_t key;
    uint32_t number;
};

/* The ids that were met, in a hash table with open addressing: twice as many places as there may be ids, each with a number plus 1. */
struct ids {
    struct met *met;
    uint32_t *places;
    uint32_t count, most;
};

enum { PLACES = 2 * MANY, PLACE_BITS = 17 };

/* The number of an id; `most` where there are more than that. The hash is Fibonacci's (Knuth, The Art of Computer Programming, 6.4). */
static uint32_t number_of(struct ids *ids, uint64_t key)
{
    size_t at = (size_t)((key * 0x9E3779B97F4A7C15) >> (64 - PLACE_BITS));
    for (; ids->places[at] != 0; at = (at + 1) % PLACES)
        if (ids->met[ids->places[at] - 1].key == key)
            return ids->places[at] - 1;
    if (ids->count == ids->most)
        return ids->most;
    ids->met[ids->count] = (struct met){key, ids->count};
    ids->places[at] = ++ids->count;
    return ids->count - 1;
}

INLINE int number_all(struct ids *ids, const uint8_t *labels, size_t count, uint16_t *codes, int size, int is_signed)
{
    uint64_t before = key_at(labels, 0, size, is_signed);
    uint32_t number = number_of(ids, before);
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = key_at(labels, i, size, is_signed);
        if (key != before) {
            number = number_of(ids, key);
            if (number == ids->most)
                return 0;
            before = key;
        }
        codes[i] = (uint16_t)number;
    }
    return 1;
}

INLINE int number_as(struct ids *ids, const uint8_t *labels, size_t count, uint16_t *codes, int size, int is_signed)
{
    return is_signed ? number_all(ids, labels, count, codes, size, 1) : number_all(ids, labels, count, codes, size, 0);
}

static int compare(const void *one, const void *other)
{
    const uint64_t left = ((const struct met *)one)->key, right = ((const struct met *)other)->key;
    return (left > right) - (left < right);
}

/* Sort the ids, and let codes be their places. */
static int sort_ids(struct ids *ids, struct scratch *scratch, size_t count, int is_signed, uint16_t *codes, int64_t *out)
{
    uint16_t *ranks = scratch_take(scratch, ids->count, sizeof *ranks);
    if (ranks == NULL)
        return NO_MEMORY;
    qsort(ids->met, ids->count, sizeof *ids->met, compare);
    for (uint32_t rank = 0; rank < ids->count; rank++) {
        const uint64_t bits = ids->met[rank].key ^ (is_signed ? (uint64_t)1 << 63 : 0);
        memcpy(out + rank, &bits, 8);
        ranks[ids->met[rank].number] = (uint16_t)rank;
    }
    for (size_t i = 0; i < count; i++)
        codes[i] = ranks[codes[i]];
    return FINE;
}

/* Each label's rank among the ids present, and these, as 64 bits each; gives their number, or 0 where there are more than MANY. */
EXPORT int64_t lg_rank(const uint8_t *labels, int64_t count, int size, int is_signed, uint16_t *codes, int64_t *out)
{
    if (!is_integer(count, size))
        return OUT_OF_BOUNDS;
    struct scratch scratch = {NULL};
    struct ids ids = {.met = scratch_take(&scratch, MANY, sizeof *ids.met), .places = scratch_take(&scratch, PLACES, sizeof *ids.places),
                      .most = MANY};
    int64_t result = NO_MEMORY;
    if (ids.met != NULL && ids.places != NULL) {
        int fits;
        memset(ids.places, 0, PLACES * sizeof *ids.places);
        switch (size) {
        case 1: fits = number_as(&ids, labels, (size_t)count, codes, 1, is_signed); break;
        case 2: fits = number_as(&ids, labels, (size_t)count, codes, 2, is_signed); break;
        case 4: fits = number_as(&ids, labels, (size_t)count, codes, 4, is_signed); break;
        default: fits = number_as(&ids, labels, (size_t)count, codes, 8, is_signed);
        }
        result = !fits ? 0 : sort_ids(&ids, &scratch, (size_t)count, is_signed, codes, out);
        if (fits && result == FINE)
            result = ids.count;
    }
    scratch_free(&scratch);
    return result;
}
