"""What is learned, as plain values: of a mask, an image, a pair, a file, a set, a split."""
