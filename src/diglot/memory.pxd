"""What kernels ask of the memory ahead of time."""

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define diglot_fetch_ahead(place) __builtin_prefetch(place)
    #else
    #define diglot_fetch_ahead(place) ((void)(place))
    #endif
    """
    void fetch_ahead "diglot_fetch_ahead" (const void* place) nogil
