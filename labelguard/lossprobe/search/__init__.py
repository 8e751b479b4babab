"""From a failed batch to the pixel, the ids, the absent class or the shape that makes it fail."""
