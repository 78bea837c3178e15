"""Sizes that the kernels are compiled for; they are those of ``units`` and ``rates``, which ``sizes_fit`` checks."""

cdef enum:
    FOLDS = 5
    DEPTH = 5
