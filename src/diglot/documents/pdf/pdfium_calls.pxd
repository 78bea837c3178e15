"""Functions of PDFium as the kernel calls them, by address: fpdf_text.h and fpdf_edit.h, in their order of arguments."""

cdef struct Rectangle:
    float left
    float top
    float right
    float bottom

cdef struct Matrix:
    float a
    float b
    float c
    float d
    float e
    float f

ctypedef unsigned int (*UnicodeOf)(void* text, int place) noexcept nogil
ctypedef int (*FlagOf)(void* text, int place) noexcept nogil
ctypedef int (*BoxOf)(void* text, int place, Rectangle* box) noexcept nogil
ctypedef int (*OriginOf)(void* text, int place, double* x, double* y) noexcept nogil
ctypedef int (*MatrixOf)(void* text, int place, Matrix* matrix) noexcept nogil
ctypedef double (*SizeOf)(void* text, int place) noexcept nogil
ctypedef void* (*ObjectOf)(void* text, int place) noexcept nogil
ctypedef int (*NumberOf)(void* thing) noexcept nogil
ctypedef void* (*FontOf)(void* thing) noexcept nogil
ctypedef void* (*MarkOf)(void* thing, unsigned long place) noexcept nogil
ctypedef int (*NameOf)(void* mark, void* name, unsigned long size, unsigned long* needed) noexcept nogil
ctypedef void* (*ChildOf)(void* element, int place) noexcept nogil
