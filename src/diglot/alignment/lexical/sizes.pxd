"""Sizes that the kernels are compiled for; those of ``units`` and ``rates``, as a test holds."""

cdef enum:
    FOLDS = 5
    DEPTH = 5
