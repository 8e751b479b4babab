/* Undo the five row filters of PNG (PNG specification, third edition, section 9).
 *
 * Most residuals of a label PNG are zero, and a zero residual mostly means "as in the row above". Where a pixel is one or two bytes, a
 * filter is therefore undone over the row above, in place, and only what changes is touched. For Paeth that rests on two facts: while
 * the pixels left and above left are equal, the prediction is the pixel above; while the pixels above and above left are equal, it is the
 * pixel to the left.
 */
#include "kernels.h"

/* The one of the three neighbors that is nearest to left + up - corner, in this order of preference. */
INLINE int paeth(int left, int up, int corner)
{
    int from_left = up - corner, from_up = left - corner, from_corner = from_left + from_up;
    from_left = from_left < 0 ? -from_left : from_left;
    from_up = from_up < 0 ? -from_up : from_up;
    from_corner = from_corner < 0 ? -from_corner : from_corner;
    if (from_left <= from_up && from_left <= from_corner)
        return left;
    return from_up <= from_corner ? up : corner;
}

INLINE void undo(int kind, const uint8_t *residuals, const uint8_t *above, uint8_t *out, size_t size, size_t step)
{
    const size_t first = min_size(step, size); /* bytes that have none to their left */
    if (kind == NONE) {
        memcpy(out, residuals, size);
    } else if (kind == UP) {
        for (size_t i = 0; i < size; i++)
            out[i] = (uint8_t)(residuals[i] + above[i]);
    } else if (kind == SUB) {
        memcpy(out, residuals, first);
        for (size_t i = first; i < size; i++)
            out[i] = (uint8_t)(residuals[i] + out[i - step]);
    } else if (kind == AVERAGE) {
        for (size_t i = 0; i < first; i++)
            out[i] = (uint8_t)(residuals[i] + (above[i] >> 1));
        for (size_t i = first; i < size; i++)
            out[i] = (uint8_t)(residuals[i] + ((out[i - step] + above[i]) >> 1));
    } else {
        for (size_t i = 0; i < first; i++)
            out[i] = (uint8_t)(residuals[i] + above[i]);
        for (size_t i = first; i < size; i++)
            out[i] = (uint8_t)(residuals[i] + paeth(out[i - step], above[i], above[i - step]));
    }
}

/* Undo the filter of one row of bytes, given the row above (zeros at the top) and the bytes of a whole pixel. */
void undo_row(int kind, const uint8_t *residuals, const uint8_t *above, uint8_t *out, size_t size, size_t step)
{
    switch (step) {
    case 3: undo(kind, residuals, above, out, size, 3); break;
    case 4: undo(kind, residuals, above, out, size, 4); break;
    default: undo(kind, residuals, above, out, size, step);
    }
}

/* Two words added byte by byte, each modulo 256: the top bits apart, so that nothing is carried from byte to byte. */
INLINE uint64_t add_bytes(uint64_t one, uint64_t other)
{
    const uint64_t low = 0x7F7F7F7F7F7F7F7F;
    return ((one & low) + (other & low)) ^ ((one ^ other) & ~low);
}

/* The running sums of a Sub row. */
INLINE void sum(const uint8_t *residuals, uint8_t *out, size_t size, int pixel)
{
    uint64_t left = 0; /* the pixel to the left, as often as it fits into a word */
    size_t at = 0;
    for (; at + 8 <= size; at += 8) {
        uint64_t word = load64(residuals + at);
        if (word == 0) {
            store64(out + at, left);
            continue;
        }
        if (pixel == 1)
            word = add_bytes(word, word << 8);
        word = add_bytes(word, word << 16);
        word = add_bytes(word, word << 32);
        word = add_bytes(word, left);
        store64(out + at, word);
        left = pixel == 1 ? (word >> 56) * 0x0101010101010101 : (word >> 48) * 0x0001000100010001;
    }
    for (; at < size; at++)
        out[at] = (uint8_t)(residuals[at] + (at < (size_t)pixel ? 0 : out[at - (size_t)pixel]));
}

static const uint8_t zeros[64];

/* Whether 64 bytes are all zero, as most residuals are. */
INLINE int are_zero(const uint8_t *bytes)
{
#ifdef __SSE2__
    const __m128i *parts = (const __m128i *)(const void *)bytes;
    const __m128i any = _mm_or_si128(_mm_or_si128(_mm_loadu_si128(parts), _mm_loadu_si128(parts + 1)),
                                     _mm_or_si128(_mm_loadu_si128(parts + 2), _mm_loadu_si128(parts + 3)));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xFFFF;
#else
    uint64_t any = 0;
    for (int k = 0; k < 64; k += 8)
        any |= load64(bytes + k);
    return any == 0;
#endif
}

/* A bit for each of 64 residuals from `at` on: whether it is not zero. */
INLINE uint64_t nonzero(const uint8_t *residuals, size_t at, size_t size)
{
    if (size - at >= 64)
        return are_zero(residuals + at) ? 0 : different64(residuals + at, zeros);
    if (size < 64)
        return different(residuals, zeros, size);
    return different64(residuals + size - 64, zeros) >> (64 - (size - at));
}

/* A residual more in the sums that a checksum is made of. */
INLINE void add_residual(struct sums *sums, uint64_t residual, size_t at)
{
    sums->bytes += residual;
    sums->weighted += residual * at;
}

INLINE size_t up_in_place(const uint8_t *residuals, uint8_t *row, size_t width, int pixel, struct change *changes, struct sums *given)
{
    const size_t step = (size_t)pixel, size = width * step;
    struct sums sums = {0, 0};
    size_t found = 0;
    for (size_t at = 0; at < size; at += 64)
        for (uint64_t bits = first_bits(nonzero(residuals, at, size), pixel); bits != 0; bits &= bits - 1) {
            const size_t i = at + lowest_bit(bits);
            changes[found].column = (uint32_t)(i / step);
            changes[found++].before = label_at(row, i / step, pixel);
            for (size_t b = i; b < i + step; b++) {
                row[b] = (uint8_t)(row[b] + residuals[b]);
                add_residual(&sums, residuals[b], b);
            }
        }
    *given = sums;
    return found;
}

INLINE size_t average_in_place(const uint8_t *residuals, uint8_t *row, size_t width, int pixel, struct change *changes)
{
    int left[2] = {0, 0};
    size_t found = 0;
    for (size_t i = 0; i < width; i++) {
        const uint32_t before = label_at(row, i, pixel);
        for (int b = 0; b < pixel; b++) {
            const size_t at = i * (size_t)pixel + (size_t)b;
            left[b] = (((left[b] + row[at]) >> 1) + residuals[at]) & 0xFF;
            row[at] = (uint8_t)left[b];
        }
        changes[found].column = (uint32_t)i;
        changes[found].before = before;
        found += label_at(row, i, pixel) != before;
    }
    return found;
}

INLINE size_t paeth_in_place(const uint8_t *residuals, uint8_t *row, size_t width, int pixel, struct change *changes, struct sums *given)
{
    const size_t step = (size_t)pixel, size = width * step;
    uint8_t left[2] = {0, 0}, corner[2] = {0, 0};
    struct sums sums = {0, 0};
    size_t found = 0, i = 0, block = 0; /* whose residuals `bits` tells */
    uint64_t bits = nonzero(residuals, 0, size);
    for (;;) {
        const int as_above = left[0] == corner[0] && (pixel == 1 || left[1] == corner[1]);
        if (as_above) { /* nothing changes up to the next residual */
            if (i * step - block >= 64) {
                block = i * step / 64 * 64;
                bits = block < size ? nonzero(residuals, block, size) : 0;
            }
            uint64_t ahead = i * step - block < 64 ? bits >> (i * step - block) << (i * step - block) : 0;
            while (ahead == 0 && block + 64 < size) {
                block += 64;
                ahead = bits = nonzero(residuals, block, size);
            }
            if (ahead == 0)
                break;
            i = (block + lowest_bit(ahead)) / step;
        } else if (i >= width) {
            break;
        }
        const uint32_t before = label_at(row, i, pixel);
        for (size_t b = 0; b < step; b++) {
            const uint8_t up = row[i * step + b];
            const int predicted = as_above ? up : up == corner[b] ? left[b] : paeth(left[b], up, corner[b]);
            left[b] = (uint8_t)(predicted + residuals[i * step + b]);
            corner[b] = up;
            row[i * step + b] = left[b];
            add_residual(&sums, residuals[i * step + b], i * step + b);
        }
        changes[found].column = (uint32_t)i;
        changes[found].before = before;
        found += label_at(row, i, pixel) != before; /* stored always, kept if different: no branch to mispredict */
        i++;
    }
    *given = sums;
    return found;
}

INLINE size_t in_place(int kind, const uint8_t *residuals, uint8_t *row, uint8_t *spare, size_t width, int pixel, struct change *changes,
                       struct sums *sums)
{
    if (kind == UP)
        return up_in_place(residuals, row, width, pixel, changes, sums);
    if (kind == PAETH)
        return paeth_in_place(residuals, row, width, pixel, changes, sums);
    if (kind == AVERAGE)
        return average_in_place(residuals, row, width, pixel, changes);
    if (kind == SUB) {
        sum(residuals, spare, width * (size_t)pixel, pixel);
        residuals = spare;
    }
    size_t found = find_changes(residuals, row, width, pixel, changes);
    if (found != 0)
        memcpy(row, residuals, width * (size_t)pixel);
    return found;
}

/* Undo the filter of a row over the row above, and note what changed; `pixel` is 1 or 2, `spare` another row, `changes` holds
 * `width`. What stood there before is noted as its bytes lie, so that two of them are no number yet. Of the filters Up and Paeth, the sums
 * of the residuals are given too. */
size_t undo_in_place(int kind, const uint8_t *residuals, uint8_t *row, uint8_t *spare, size_t width, int pixel, struct change *changes,
                     struct sums *sums)
{
    if (pixel == 1)
        return in_place(kind, residuals, row, spare, width, 1, changes, sums);
    return in_place(kind, residuals, row, spare, width, 2, changes, sums);
}
