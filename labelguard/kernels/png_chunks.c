/* The chunks of a grey or palette PNG, down to the compressed pixel stream (PNG specification, third edition, section 5).
 *
 * Takes what `files/_chunks.py` takes, and leaves to it whatever that would refuse, has to put into words, or hardly ever sees.
 */
#include "kernels.h"

enum { LONGEST_SIDE = 1 << 20, MOST_INFLATION = 1032, MOST_CHUNKS = 1 << 20, MOST_COLORS = 256 }; /* as there, and in `limits.py` */

static uint32_t number_at(const uint8_t *at) { return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]; }

static int is_kind(const uint8_t *at, const char *kind) { return memcmp(at, kind, 4) == 0; }

static int is_letters(const uint8_t *kind)
{
    for (int i = 0; i < 4; i++)
        if ((kind[i] | 0x20) < 'a' || (kind[i] | 0x20) > 'z')
            return 0;
    return 1;
}

/* The 13 bytes of the header. */
static int take_header(const uint8_t *body, struct png *png)
{
    const uint32_t width = number_at(body), height = number_at(body + 4);
    const int bits = body[8], color_type = body[9];
    if (height < 1 || width < 1 || height > LONGEST_SIDE || width > LONGEST_SIDE || (color_type != 0 && color_type != 3)
        || (bits != 1 && bits != 2 && bits != 4 && bits != 8 && (bits != 16 || color_type == 3)) || body[10] || body[11] || body[12])
        return UNUSUAL;
    png->height = height;
    png->width = width;
    png->bits = bits;
    png->is_palette = color_type == 3;
    return FINE;
}

/* One more part of the pixel stream, which fits into `room` bytes with those before it. */
static int take_pixels(struct scratch *scratch, const uint8_t *body, size_t length, size_t room, struct png *png)
{
    if (png->idat_size == 0) {
        png->idat = body;
    } else {
        if (png->gathered == NULL) {
            png->gathered = scratch_take(scratch, room, 1);
            if (png->gathered == NULL)
                return NO_MEMORY;
            memcpy(png->gathered, png->idat, png->idat_size);
            png->idat = png->gathered;
        }
        memcpy(png->gathered + png->idat_size, body, length);
    }
    png->idat_size += length;
    return FINE;
}

static int is_usable(const struct png *png)
{
    const size_t colors = png->palette_size;
    if (png->is_palette && (colors == 0 || colors % 3 != 0 || colors > 3 * MOST_COLORS))
        return 0;
    return png->idat_size != 0 && (uint64_t)(png->height * png->width) * (unsigned)png->bits / 8 / MOST_INFLATION < png->idat_size;
}

int png_chunks(struct scratch *scratch, checksum_function *checksum, const uint8_t *data, size_t size, struct png *png)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    memset(png, 0, sizeof *png);
    if (size < 8 || memcmp(data, signature, 8) != 0)
        return UNUSUAL;
    size_t at = 8;
    for (int number = 0; number < MOST_CHUNKS && size - at >= 12; number++) {
        const size_t length = number_at(data + at);
        const uint8_t *kind = data + at + 4, *body = kind + 4;
        if (length > size - at - 12 || !is_letters(kind) || checksum(0, kind, length + 4) != number_at(body + length))
            return UNUSUAL;
        int fault = FINE;
        if (number == 0) {
            fault = is_kind(kind, "IHDR") && length == 13 ? take_header(body, png) : UNUSUAL;
        } else if (is_kind(kind, "IDAT")) {
            if (length != 0)
                fault = take_pixels(scratch, body, length, size, png);
        } else if (is_kind(kind, "PLTE") && png->palette == NULL) {
            png->palette = body;
            png->palette_size = length;
        } else if (is_kind(kind, "IEND")) {
            return is_usable(png) ? FINE : UNUSUAL;
        } else if ((kind[0] & 0x20) == 0 || is_kind(kind, "eXIf") || is_kind(kind, "fcTL")) {
            fault = UNUSUAL;
        }
        if (fault != FINE)
            return fault;
        at += 12 + length;
    }
    return UNUSUAL;
}
