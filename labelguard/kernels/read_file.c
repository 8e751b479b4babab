/* Read a file whose size is known, at once. What `files/read.py` would look at twice is left to it: whatever is not a regular file,
 * cannot be opened, is large, or has not the size that the system says it has.
 */
#ifndef _WIN32
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#endif
#include "kernels.h"

#ifdef _WIN32
int read_file(struct scratch *scratch, const char *path, size_t most, uint8_t **data, size_t *size)
{
    (void)scratch, (void)path, (void)most, (void)data, (void)size;
    return UNUSUAL; /* paths are no bytes there */
}
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_open(struct scratch *scratch, int descriptor, size_t most, uint8_t **data, size_t *size)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 1 || (uintmax_t)status.st_size > most)
        return UNUSUAL;
    *size = (size_t)status.st_size;
    *data = scratch_take(scratch, *size + 1, 1); /* one more byte tells whether it has grown */
    if (*data == NULL)
        return NO_MEMORY;
    return read(descriptor, *data, *size + 1) == (ssize_t)*size ? FINE : UNUSUAL;
}

/* A regular file of at most `most` bytes; opening a named pipe does not wait for who writes to it, and nothing is taken out of it. */
int read_file(struct scratch *scratch, const char *path, size_t most, uint8_t **data, size_t *size)
{
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return UNUSUAL;
    const int result = read_open(scratch, descriptor, min_size(most, SIZE_MAX / 2), data, size);
    close(descriptor);
    return result;
}
#endif
