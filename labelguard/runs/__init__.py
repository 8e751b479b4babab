"""Work over a folder of masks: scan, compare splits, rewrite."""
