"""The only loops over pixels; one file a kernel: the plain definition first, and in the C file of its name the compiled twin.

Importing a kernel loads the library of the twins: the rest of the package does so where it is about to use one.
"""
