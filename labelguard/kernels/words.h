/* Words of memory, and where the bytes of two of them differ. */
#ifndef LABELGUARD_WORDS_H
#define LABELGUARD_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Parts with a `pixel` argument, the bytes of one label, are written once and compiled for each size: the caller gives a constant. */
#ifdef _MSC_VER
#define INLINE static __forceinline
#else
#define INLINE static inline __attribute__((always_inline, unused))
#endif

/* Eight bytes, the first in the low bits on every machine: what is said of a word holds for its bytes in their order. */
INLINE uint64_t load64(const void *from)
{
    uint64_t word;
    memcpy(&word, from, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

INLINE void store64(void *to, uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(to, &word, 8);
}

/* Have memory read that will be needed soon: processors foresee what comes next, but not beyond a page. */
INLINE void prefetch(const void *bytes)
{
#if defined(__GNUC__)
    __builtin_prefetch(bytes);
#else
    (void)bytes;
#endif
}

/* The number of the lowest bit that is set; one must be. */
INLINE unsigned lowest_bit(uint64_t word)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctzll(word);
#else
    unsigned at = 0;
    for (; (word & 1) == 0; word >>= 1)
        at++;
    return at;
#endif
}

/* A bit for each of 64 bytes: whether it differs from another 64. */
INLINE uint64_t different64(const uint8_t *one, const uint8_t *other)
{
    uint64_t bits = 0;
#ifdef __SSE2__
    for (int k = 0; k < 64; k += 16) {
        const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(one + k)),
                                             _mm_loadu_si128((const __m128i *)(const void *)(other + k)));
        bits |= (uint64_t)(~(unsigned)_mm_movemask_epi8(equal) & 0xFFFF) << k;
    }
#else
    for (int k = 0; k < 64; k += 8) {
        const uint64_t low = 0x7F7F7F7F7F7F7F7F, word = load64(one + k) ^ load64(other + k);
        const uint64_t tops = (((word & low) + low) | word) & ~low; /* the top bit of each byte that is not zero */
        bits |= ((tops >> 7) * 0x0102040810204080) >> 56 << k;
    }
#endif
    return bits;
}

/* The same of fewer than 64 bytes that are a whole row. */
INLINE uint64_t different(const uint8_t *one, const uint8_t *other, size_t size)
{
    uint8_t some[64] = {0}, others[64] = {0};
    memcpy(some, one, size);
    memcpy(others, other, size);
    return different64(some, others);
}

/* A bit for each of the 64 bytes of a row from `at` on, or of as many as there are: whether it differs from that of another row. The
 * last few are looked at together with some before them. */
INLINE uint64_t differences(const uint8_t *row, const uint8_t *other, size_t at, size_t size)
{
    if (size - at >= 64)
        return different64(row + at, other + at);
    if (size < 64)
        return different(row, other, size);
    return different64(row + size - 64, other + size - 64) >> (64 - (size - at));
}

/* Of bits for bytes, the first of each pixel that has any. */
INLINE uint64_t first_bits(uint64_t bits, int pixel)
{
    if (pixel == 1)
        return bits;
    bits |= bits >> 1;
    return pixel == 2 ? bits & 0x5555555555555555 : (bits | bits >> 2) & 0x1111111111111111;
}

#endif
