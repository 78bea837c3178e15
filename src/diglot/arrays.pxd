"""The types of :mod:`diglot.arrays` as kernels take them; those they fill end in ``Out``, tables of rows in ``Rows``."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t

ctypedef const uint8_t[::1] Bytes
ctypedef const uint8_t[:, ::1] ByteRows
ctypedef const uint8_t[::1] Mask
ctypedef const int8_t[::1] Ints8
ctypedef const int8_t[:, ::1] Int8Rows
ctypedef const int32_t[::1] Ints32
ctypedef const int32_t[:, ::1] Int32Rows
ctypedef const int64_t[::1] Ints
ctypedef const int64_t[:, ::1] IntRows
ctypedef const uint32_t[::1] Indices
ctypedef const uint32_t[:, ::1] IndexRows
ctypedef const float[::1] Singles
ctypedef const float[:, ::1] SingleRows
ctypedef const float[:, :, ::1] SingleBlocks
ctypedef const double[::1] Floats
ctypedef const double[:, ::1] FloatRows

ctypedef uint8_t[::1] BytesOut
ctypedef uint8_t[:, ::1] ByteRowsOut
ctypedef uint8_t[::1] MaskOut
ctypedef int8_t[::1] Ints8Out
ctypedef int8_t[:, ::1] Int8RowsOut
ctypedef int32_t[::1] Ints32Out
ctypedef int32_t[:, ::1] Int32RowsOut
ctypedef int32_t[:, :, ::1] Int32BlocksOut
ctypedef int64_t[::1] IntsOut
ctypedef int64_t[:, ::1] IntRowsOut
ctypedef uint32_t[::1] IndicesOut
ctypedef float[::1] SinglesOut
ctypedef float[:, ::1] SingleRowsOut
ctypedef double[::1] FloatsOut
ctypedef double[:, ::1] FloatRowsOut
