"""The only loops over pixels; one file a kernel: the plain definition first, its compiled twin below.

Importing a kernel imports numba, which takes about half a second: the rest of the package does so where it is about to use one.
"""
