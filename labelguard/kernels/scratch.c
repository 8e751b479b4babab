/* Scratch: memory that is taken piece by piece and given back at once. */
#include "kernels.h"

#include <stdlib.h>

#ifndef SCRATCH_BLOCK
#define SCRATCH_BLOCK ((size_t)1 << 16) /* bytes; 0 gives each piece a block of its own, so that a sanitizer sees where it ends */
#endif
#define LINE (SCRATCH_BLOCK != 0 ? (size_t)64 : (size_t)1) /* bytes; pieces begin at such places */

struct block {
    struct block *next;
    size_t size, used;
    unsigned char *bytes;
};

static struct block *new_block(size_t size)
{
    if (size > SIZE_MAX - sizeof(struct block) - LINE)
        return NULL;
    struct block *block = malloc(sizeof *block + (LINE - 1) + size);
    if (block == NULL)
        return NULL;
    unsigned char *behind = (unsigned char *)(block + 1);
    block->bytes = behind + (LINE - (uintptr_t)behind % LINE) % LINE;
    block->size = size;
    block->used = 0;
    block->next = NULL;
    return block;
}

/* Room for `count` times `each` bytes, not cleared; NULL where there is none. */
void *scratch_take(struct scratch *scratch, size_t count, size_t each)
{
    if (each != 0 && count > (SIZE_MAX - LINE) / each)
        return NULL;
    const size_t size = (count * each + LINE - 1) / LINE * LINE;
    struct block *block = scratch->blocks;
    if (block == NULL || SCRATCH_BLOCK == 0 || size > block->size - block->used) {
        block = new_block(size > SCRATCH_BLOCK ? size : SCRATCH_BLOCK);
        if (block == NULL)
            return NULL;
        block->next = scratch->blocks;
        scratch->blocks = block;
    }
    void *piece = block->bytes + block->used;
    block->used += size;
    return piece;
}

/* Give all pieces back; as much again is then there in one block, so that work of one size finds the same memory each time. */
void scratch_reset(struct scratch *scratch)
{
    size_t total = 0;
    for (const struct block *block = scratch->blocks; block != NULL; block = block->next)
        total += block->size; /* they lie in memory side by side */
    if (scratch->blocks != NULL && (SCRATCH_BLOCK == 0 || scratch->blocks->next != NULL)) {
        scratch_free(scratch);
        scratch->blocks = SCRATCH_BLOCK == 0 ? NULL : new_block(total);
    }
    if (scratch->blocks != NULL)
        scratch->blocks->used = 0;
}

void scratch_free(struct scratch *scratch)
{
    while (scratch->blocks != NULL) {
        struct block *next = scratch->blocks->next;
        free(scratch->blocks);
        scratch->blocks = next;
    }
}
