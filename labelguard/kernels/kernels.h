/* What the compiled twins share. Each file beside this one holds one idea, whose plain definition is in the Python file of its name.
 *
 * C99 and its library, no Python, no state between calls. Functions marked EXPORT are called through ctypes: they check every size that
 * they are given, make their scratch and free it. All others are parts, which a function over many files may call with a scratch that it
 * keeps. Sides of an image are below 2^31, so that a number of pixels, and four times that, fits an int64_t.
 */
#ifndef LABELGUARD_KERNELS_H
#define LABELGUARD_KERNELS_H

#include "words.h"

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#define ABI 4 /* as in `native.py`: goes up when an EXPORT takes other arguments */

enum { FINE = 0, NO_MEMORY = -1, OUT_OF_BOUNDS = -2, DAMAGED = -3, UNUSUAL = -4, FULL = -5 };

#define MOST_SIDE INT32_MAX

INLINE size_t min_size(size_t a, size_t b) { return a < b ? a : b; }
INLINE int is_side(int64_t length) { return length > 0 && length <= MOST_SIDE; }
INLINE int is_pixel(int pixel) { return pixel == 1 || pixel == 2 || pixel == 4; }

/* A label of a row; through memcpy, since rows are also looked at as bytes and words. */
INLINE uint32_t label_at(const void *row, size_t i, int pixel)
{
    if (pixel == 1)
        return ((const uint8_t *)row)[i];
    if (pixel == 2) {
        uint16_t label;
        memcpy(&label, (const uint8_t *)row + 2 * i, 2);
        return label;
    }
    uint32_t label;
    memcpy(&label, (const uint8_t *)row + 4 * i, 4);
    return label;
}

/* scratch.c: memory for the length of a call. */
struct block;
struct scratch {
    struct block *blocks;
};
void *scratch_take(struct scratch *scratch, size_t count, size_t each);
void scratch_reset(struct scratch *scratch);
void scratch_free(struct scratch *scratch);

/* rows.c: a pixel that differs from the one above, and what stands there. */
struct change {
    uint32_t column, before;
};
size_t find_changes(const uint8_t *row, const uint8_t *above, size_t width, int pixel, struct change *changes);
size_t find_cuts(const uint8_t *row, size_t width, int pixel, uint32_t *cuts);

/* undo_filter.c: the row filters of PNG. */
enum { NONE, SUB, UP, AVERAGE, PAETH, FILTERS };
struct sums {
    uint64_t bytes, weighted; /* each times its place in the row */
};
void undo_row(int kind, const uint8_t *residuals, const uint8_t *above, uint8_t *out, size_t size, size_t step);
size_t undo_in_place(int kind, const uint8_t *residuals, uint8_t *row, uint8_t *spare, size_t width, int pixel, struct change *changes,
                     struct sums *sums);

/* erosion.c */
int64_t eroded_pixels(struct scratch *scratch, const uint8_t *inside, size_t height, size_t width, size_t margin);

/* filter_up.c */
void filter_up(const uint8_t *rows, size_t height, size_t row_bytes, uint8_t *out);

/* tally.c: a record in the making for each id. */
struct record {
    int64_t pixels, frame, areas, thin;
    uint32_t row, column, left, right, bottom;
};
struct tally {
    size_t height, width, size; /* every label is below `size` */
    int pixel;
    int wrong; /* a label was not */
    uint8_t *seen;
    struct record *records;
    uint32_t *since; /* for each column the row in which its present id began */
};
enum { RECORD = 9 };
int tally_open(struct tally *tally, struct scratch *scratch, size_t height, size_t width, int pixel, size_t size);
void tally_first_row(struct tally *tally, const uint8_t *row);
void tally_changes(struct tally *tally, size_t at, const uint8_t *row, const struct change *changes, size_t count);
void tally_last_row(struct tally *tally, const uint8_t *row);
size_t tally_close(const struct tally *tally, int64_t *records);

/* label_runs.c */
enum { DIRECT, RAMPS, BANDS, RIPPLES, VARIED, REPEATED, LOOKED, SHORT, ENDS, ON_GRID, OFF_GRID, TOTALS };
enum { SLOTS = 256 };
struct memory {
    int64_t low, high, ramp;
};
struct label_runs {
    struct tally *tally;
    int64_t row_runs, column_runs; /* that were looked at */
    int batch, first;
    int changed;   /* the row has, since it was cut */
    size_t found;  /* cuts of the row */
    uint32_t *cuts;
    int64_t *past; /* for each column the id of the run before the present one, times 4, plus its mark */
    int64_t totals[TOTALS];
    struct memory memory[2][SLOTS];
};
int label_runs_open(struct label_runs *runs, struct scratch *scratch, struct tally *tally);
void label_runs_changes(struct label_runs *runs, size_t at, const uint8_t *row, const struct change *changes, size_t count);
void label_runs_row(struct label_runs *runs, size_t at, const uint8_t *row, size_t changes);
void label_runs_last_row(struct label_runs *runs, const uint8_t *row);
void label_runs_close(const struct label_runs *runs, int64_t *numbers);

/* move_rows.c: the pixel stream of the image whose labels are moved by a table, each row as differences from the row above. */
struct moving {
    const int32_t *table; /* for each label that there may be */
    uint8_t *filtered;    /* takes the stream */
    int pixel;            /* of a label that was moved, 1 or 2 */
    int refused;          /* a label has no place to go */
};
void move_row(struct moving *moving, size_t at, const uint8_t *row, size_t width, int pixel, const struct change *changes, size_t count);

/* png_tally.c */
typedef uint32_t checksum_function(uint32_t sum, const void *data, size_t size);
struct stream {
    const uint8_t *raw; /* the inflated pixel stream */
    checksum_function *adler32; /* which is still to be compared with `checksum`, or NULL */
    uint32_t checksum;
    size_t height, width;
    int bits;
    uint8_t *image; /* takes the samples, or is NULL */
    struct moving *moving; /* takes them moved, or is NULL */
};
int64_t tally_stream(struct scratch *scratch, const struct stream *stream, int64_t *records, int64_t *numbers);
size_t stream_row_bytes(int64_t width, int bits);
int stream_size(int64_t height, int64_t width, int bits, size_t *size);

/* area_vote.c */
/* The pixels of a cell along one axis: the first, the one behind the last, and the lengths that the cell covers of these two. */
struct span {
    size_t first, end;
    int64_t first_length, last_length;
};

struct vote {
    const uint8_t *labels;
    size_t source_height, source_width, height, width, size;
    const int64_t *thresholds;
    const struct span *down, *across;
    uint8_t *seen;  /* whether a label was met in the cell */
    int64_t *areas; /* of those that were */
    uint32_t *met;
    int pixel, any_kept, center, wrong;
};

/* area_cells.c */
#ifdef __SIZEOF_INT128__
#define WIDE_SQUARES 1 /* squares of distances, which are below 2^63, fit */
#else
#define WIDE_SQUARES 0
#endif
uint32_t settle(struct vote *vote, uint32_t first, size_t i, size_t j);

/* stream_tally.c */
typedef int inflate_function(void *decompressor, const void *in, size_t in_size, void *out, size_t out_size, size_t *read,
                             size_t *written);
struct inflater {
    void *(*allocate)(void);
    inflate_function *inflate;
    void (*free)(void *);
    checksum_function *adler32;
};
int inflate_exactly(struct scratch *scratch, const struct inflater *inflater, const uint8_t *zlib, size_t zlib_size, size_t size,
                    struct stream *stream);

/* read_file.c */
int read_file(struct scratch *scratch, const char *path, size_t most, uint8_t **data, size_t *size);

/* png_chunks.c: a PNG whose chunks are whole and whose pixel stream is still compressed. */
struct png {
    int64_t height, width;
    int bits, is_palette;
    size_t palette_size, idat_size;
    const uint8_t *palette, *idat;
    uint8_t *gathered; /* where the stream was copied to that lies in several chunks */
};
int png_chunks(struct scratch *scratch, checksum_function *checksum, const uint8_t *data, size_t size, struct png *png);

/* mask_file.c */
struct mask_tools {
    struct inflater inflater;
    checksum_function *crc32;
    size_t most_bytes; /* that may be allocated for a file without asking anybody */
};
struct mask_file {
    const uint8_t *data; /* the whole file */
    size_t size, held;   /* its bytes, and those with the stream where that was gathered */
    struct png png;
    struct stream stream;
};
int mask_file_read(struct scratch *scratch, const struct mask_tools *tools, const char *path, struct mask_file *file);
int mask_file_inflate(struct scratch *scratch, const struct mask_tools *tools, struct mask_file *file);
size_t next_path(const char *paths, size_t size, size_t at);

/* What is noted of a file, apart from its numbers; the first is how many ids it has. */
enum { HEIGHT = 1, WIDTH, BITS, PALETTE, START, HEAD };
enum { MOST_COLOR_BYTES = 768 };
void note_png(const struct png *png, int64_t *head, uint8_t *palette);

#endif
