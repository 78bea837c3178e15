"""The types of :mod:`diglot.arrays` as kernels take them; those they fill end in ``Out``, tables of rows in ``Rows``."""

ctypedef const unsigned char[::1] Bytes
ctypedef const unsigned char[:, ::1] ByteRows
ctypedef const unsigned char[::1] Mask
ctypedef const signed char[::1] Ints8
ctypedef const signed char[:, ::1] Int8Rows
ctypedef const int[::1] Ints32
ctypedef const int[:, ::1] Int32Rows
ctypedef const long long[::1] Ints
ctypedef const long long[:, ::1] IntRows
ctypedef const unsigned int[::1] Indices
ctypedef const unsigned short[:, ::1] ShortRows
ctypedef const float[::1] Singles
ctypedef const float[:, ::1] SingleRows
ctypedef const float[:, :, ::1] SingleBlocks
ctypedef const double[::1] Floats
ctypedef const double[:, ::1] FloatRows

ctypedef unsigned char[::1] BytesOut
ctypedef unsigned char[:, ::1] ByteRowsOut
ctypedef unsigned char[::1] MaskOut
ctypedef signed char[::1] Ints8Out
ctypedef signed char[:, ::1] Int8RowsOut
ctypedef int[::1] Ints32Out
ctypedef int[:, ::1] Int32RowsOut
ctypedef int[:, :, ::1] Int32BlocksOut
ctypedef long long[::1] IntsOut
ctypedef long long[:, ::1] IntRowsOut
ctypedef unsigned int[::1] IndicesOut
ctypedef float[::1] SinglesOut
ctypedef float[:, ::1] SingleRowsOut
ctypedef double[::1] FloatsOut
ctypedef double[:, ::1] FloatRowsOut

ctypedef fused Numbers:
    int[::1]
    float[::1]
    double[::1]
