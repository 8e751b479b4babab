"""From a failed batch to its cause: a pixel, ids, an absent class, or the shape of the batch."""
