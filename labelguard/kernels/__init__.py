"""The only loops over pixels; one file a kernel: its plain definition in numpy, and beside it, in C, the twin that does the work."""
