/* Mask file: the pixel stream of a grey or palette PNG, inflated; from its path, or from its content. */
#include "kernels.h"

enum { LARGEST = 1 << 24, SMALL_FILE = 1 << 16 }; /* bytes, or pixels; and as in `files/read.py` */

/* What the content holds that `data` and `size` say. */
int mask_file_inflate(struct scratch *scratch, const struct mask_tools *tools, struct mask_file *file)
{
    struct png *png = &file->png;
    size_t raw_size;
    int status = png_chunks(scratch, tools->crc32, file->data, file->size, png);
    if (status == FINE)
        status = stream_size(png->height, png->width, png->bits, &raw_size);
    if (status != FINE)
        return status;
    const size_t gathered = png->gathered == NULL ? 0 : file->size;
    file->held = file->size + gathered;
    if (png->height * png->width > LARGEST || raw_size > LARGEST
        || raw_size + gathered + (file->size < SMALL_FILE ? 0 : file->size) > tools->most_bytes)
        return UNUSUAL;
    const struct stream stream = {NULL, NULL, 0, (size_t)png->height, (size_t)png->width, png->bits, NULL, NULL};
    file->stream = stream;
    return inflate_exactly(scratch, &tools->inflater, png->idat, png->idat_size, raw_size, &file->stream);
}

int mask_file_read(struct scratch *scratch, const struct mask_tools *tools, const char *path, struct mask_file *file)
{
    uint8_t *data;
    const int status = read_file(scratch, path, min_size(tools->most_bytes, LARGEST), &data, &file->size);
    if (status != FINE)
        return status;
    file->data = data;
    return mask_file_inflate(scratch, tools, file);
}

void note_png(const struct png *png, int64_t *head, uint8_t *palette)
{
    head[HEIGHT] = png->height;
    head[WIDTH] = png->width;
    head[BITS] = png->bits;
    head[PALETTE] = png->is_palette ? (int64_t)png->palette_size : 0;
    if (png->is_palette)
        memcpy(palette, png->palette, png->palette_size);
}

/* The path behind the one that begins `at`; 0 where there is none. */
size_t next_path(const char *paths, size_t size, size_t at)
{
    const char *end = at < size ? memchr(paths + at, 0, size - at) : NULL;
    return end == NULL ? 0 : (size_t)(end - paths) + 1;
}
