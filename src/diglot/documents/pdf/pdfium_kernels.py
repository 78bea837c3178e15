"""Reads all characters of a page from PDFium: a call of ctypes for each would cost more than PDFium itself."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import IntRowsOut, Ints8Out, Ints32Out, SingleRowsOut
from cython.cimports.diglot.documents.pdf.pdfium_calls import (
    BoxOf,
    ChildOf,
    FlagOf,
    FontOf,
    MarkOf,
    Matrix,
    MatrixOf,
    NameOf,
    NumberOf,
    ObjectOf,
    OriginOf,
    Rectangle,
    SizeOf,
    UnicodeOf,
)

ARTIFACT = b"A\0r\0t\0i\0f\0a\0c\0t\0"
"""Name of a mark as PDFium writes it, UTF-16."""


@cython.final
@cython.cclass
class Functions:
    """Addresses of PDFium's functions, in the order of ``pdfium.KERNEL_FUNCTIONS``."""

    unicode_of: UnicodeOf
    generated: FlagOf
    box_of: BoxOf
    origin_of: OriginOf
    matrix_of: MatrixOf
    size_of: SizeOf
    object_of: ObjectOf
    content_id: NumberOf
    font_of: FontOf
    count_marks: NumberOf
    mark_of: MarkOf
    name_of: NameOf
    count_children: NumberOf
    child_content: FlagOf
    child_of: ChildOf

    def __init__(self, addresses: list[int]) -> None:
        self.unicode_of = cython.cast(UnicodeOf, _pointer(addresses[0]))
        self.generated = cython.cast(FlagOf, _pointer(addresses[1]))
        self.box_of = cython.cast(BoxOf, _pointer(addresses[2]))
        self.origin_of = cython.cast(OriginOf, _pointer(addresses[3]))
        self.matrix_of = cython.cast(MatrixOf, _pointer(addresses[4]))
        self.size_of = cython.cast(SizeOf, _pointer(addresses[5]))
        self.object_of = cython.cast(ObjectOf, _pointer(addresses[6]))
        self.content_id = cython.cast(NumberOf, _pointer(addresses[7]))
        self.font_of = cython.cast(FontOf, _pointer(addresses[8]))
        self.count_marks = cython.cast(NumberOf, _pointer(addresses[9]))
        self.mark_of = cython.cast(MarkOf, _pointer(addresses[10]))
        self.name_of = cython.cast(NameOf, _pointer(addresses[11]))
        self.count_children = cython.cast(NumberOf, _pointer(addresses[12]))
        self.child_content = cython.cast(FlagOf, _pointer(addresses[13]))
        self.child_of = cython.cast(ChildOf, _pointer(addresses[14]))


def read_characters(functions: Functions, text_page: cython.size_t, count: cython.int) -> tuple[np.ndarray, ...]:
    """All characters of a page, in PDFium's order.

    Returns codes (n,) int32; whether PDFium made the character up (n,) int8; boxes (n, 4) float32 as left, bottom,
    right, top in points; origins on the baseline (n, 2) float32 as x, y in points; matrices (n, 4) float32, times the
    font size; number of the text object (n,) int32, -1 for none; and rows of the objects (objects, 3) int64: marked
    content (-1: none), address of the font, and 1 for an artifact.
    """
    all_codes = np.zeros(count, np.int32)
    all_generated = np.zeros(count, np.int8)
    all_boxes = np.zeros((count, 4), np.float32)
    all_origins = np.zeros((count, 2), np.float32)
    all_matrices = np.zeros((count, 4), np.float32)
    all_objects = np.zeros(count, np.int32)
    all_rows = np.zeros((count + 1, 3), np.int64)
    codes: Ints32Out = all_codes
    generated: Ints8Out = all_generated
    boxes: SingleRowsOut = all_boxes
    origins: SingleRowsOut = all_origins
    matrices: SingleRowsOut = all_matrices
    objects: Ints32Out = all_objects
    rows: IntRowsOut = all_rows
    text: cython.p_void = _pointer(text_page)
    box = cython.declare(Rectangle)
    matrix = cython.declare(Matrix)
    x: cython.double = 0.0
    y: cython.double = 0.0
    size: cython.double = 0.0
    last: cython.p_void = cython.NULL
    found: cython.int = 0
    for place in range(count):
        codes[place] = functions.unicode_of(text, place)
        generated[place] = functions.generated(text, place)
        if functions.box_of(text, place, cython.address(box)):
            boxes[place, 0] = box.left
            boxes[place, 1] = box.bottom
            boxes[place, 2] = box.right
            boxes[place, 3] = box.top
        if functions.origin_of(text, place, cython.address(x), cython.address(y)):
            origins[place, 0] = x
            origins[place, 1] = y
        thing: cython.p_void = functions.object_of(text, place)
        if thing == cython.NULL:
            objects[place] = -1
            continue
        if functions.matrix_of(text, place, cython.address(matrix)):
            size = functions.size_of(text, place)
            matrices[place, 0] = matrix.a * size
            matrices[place, 1] = matrix.b * size
            matrices[place, 2] = matrix.c * size
            matrices[place, 3] = matrix.d * size
        if thing != last:
            last = thing
            _describe_object(functions, thing, rows, found)
            found += 1
        objects[place] = found - 1
    return all_codes, all_generated, all_boxes, all_origins, all_matrices, all_objects, all_rows[:found]


def read_children(functions: Functions, address: cython.size_t) -> list[tuple[int, int]]:
    """Children of an element of the structure tree: (marked content, 0) or (-1, address of an element).

    (-1, 0) stands for any number of children side by side that are not on this page: a book has thousands of them.
    """
    element: cython.p_void = _pointer(address)
    children: list[tuple[int, int]] = []
    elsewhere = False
    for place in range(functions.count_children(element)):
        content: cython.int = functions.child_content(element, place)
        child: cython.size_t = 0
        if content < 0:
            child = cython.cast(cython.size_t, functions.child_of(element, place))
        if content >= 0 or child or not elsewhere:
            children.append((content, child))
        elsewhere = content < 0 and not child
    return children


@cython.cfunc
def _pointer(address: cython.size_t) -> cython.p_void:
    return cython.cast(cython.p_void, address)


@cython.cfunc
def _describe_object(functions: Functions, thing: cython.p_void, rows: IntRowsOut, row: cython.int) -> cython.int:
    """Fill in the row of a text object."""
    name = cython.declare(cython.char[20])
    needed: cython.ulong = 0
    artifact: cython.p_char = ARTIFACT
    rows[row, 0] = functions.content_id(thing)
    rows[row, 1] = cython.cast(cython.longlong, cython.cast(cython.size_t, functions.font_of(thing)))
    for place in range(functions.count_marks(thing)):
        mark: cython.p_void = functions.mark_of(thing, place)
        # The name takes 16 bytes, and its end mark 2.
        if mark == cython.NULL or not functions.name_of(mark, name, 20, cython.address(needed)) or needed != 18:
            continue
        same = 0
        for byte in range(16):
            same += name[byte] == artifact[byte]
        if same == 16:
            rows[row, 2] = 1
    return 0
