"""The only module that calls PDFium: opens a document and reads its pages in order, in one thread.

Reading from a freed page or tree is a segmentation fault. So the function that opens a page or a tree closes it, after
everything has been read from it.
"""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from diglot.arrays import sampling_step
from diglot.documents.pdf.pages import UNKNOWN_CODE, Characters, LinkArea, PageContent, Tag
from diglot.documents.pdf.pdfium_kernels import Functions, read_characters, read_children
from diglot.documents.pdf.tag_walk import Element, walk_tags
from diglot.errors import UnreadableDocument

MAX_PAGES = 1_000
MAX_CHARACTERS = 2_000_000
MAX_CHARACTERS_ON_PAGE = 200_000
"""A page of small print has 15,000 characters; a page made to stop its readers had 24 million."""
FARTHEST, LARGEST_SIZE = 100_000.0, 10_000.0
"""Bounds of places and font sizes, in points; the format allows pages of 14,400."""
LOOKED_AT_ON_PAGE = 100
"""Characters on a page whose names in the font are looked up."""
MAX_LINKS_ON_PAGE = 1_000
MAX_NAME = 2_000
END_BYTES = 2_048
"""Bytes at the end of a complete file that hold its end mark; some writers add blanks."""
PASSWORD, SECURITY = 4, 5
"""Errors of FPDF_GetLastError: a password is needed; a scheme of protection that PDFium does not know."""
KERNEL_FUNCTIONS = (
    "FPDFText_GetUnicode",
    "FPDFText_IsGenerated",
    "FPDFText_GetLooseCharBox",
    "FPDFText_GetCharOrigin",
    "FPDFText_GetMatrix",
    "FPDFText_GetFontSize",
    "FPDFText_GetTextObject",
    "FPDFPageObj_GetMarkedContentID",
    "FPDFTextObj_GetFont",
    "FPDFPageObj_CountMarks",
    "FPDFPageObj_GetMark",
    "FPDFPageObjMark_GetName",
    "FPDF_StructElement_CountChildren",
    "FPDF_StructElement_GetChildMarkedContentID",
    "FPDF_StructElement_GetChildAtIndex",
)


class Pdf:
    """An open document. ``title`` is from its metadata and ``lang`` from its catalogue; "" if not stated.

    ``looked_at``: number of characters on the pages read so far whose names in the font were looked up; ``unnamed``:
    codes of the characters without a name, as PDFium takes their numbers in the font for Unicode.
    """

    def __init__(self, raw: Any, handle: Any) -> None:
        self._raw = raw
        self._handle = handle
        addresses = [ctypes.cast(getattr(raw, name), ctypes.c_void_p).value or 0 for name in KERNEL_FUNCTIONS]
        self._functions = Functions(addresses)
        self.count = int(raw.FPDF_GetPageCount(handle))
        self.title = _string(raw.FPDF_GetMetaText, handle, b"Title")
        self.lang = _string(raw.FPDFCatalog_GetLanguage, handle)
        self.looked_at = 0
        self.unnamed: list[int] = []

    def pages(self) -> Iterator[PageContent]:
        """The pages in order, up to the limits of pages and characters; a page that PDFium cannot load is left out."""
        total = 0
        for number in range(min(self.count, MAX_PAGES)):
            page = self._raw.FPDF_LoadPage(self._handle, number)
            if not page:
                continue
            try:
                content = self._page(page, number + 1)
            finally:
                self._raw.FPDF_ClosePage(page)
            total += content.characters.codes.size
            if total > MAX_CHARACTERS:
                return
            yield content

    def _page(self, page: Any, number: int) -> PageContent:
        raw = self._raw
        width, height = float(raw.FPDF_GetPageWidthF(page)), float(raw.FPDF_GetPageHeightF(page))
        turns = int(raw.FPDFPage_GetRotation(page)) % 4
        text = raw.FPDFText_LoadPage(page)
        if not text:
            return PageContent(number, width, height, _upright((), np.zeros(0, np.int64), 0, width, height), (), (), ())
        try:
            count = int(raw.FPDFText_CountChars(text))
            if count > MAX_CHARACTERS_ON_PAGE:
                raise UnreadableDocument("too_large", f"page {number} has {count:,} characters")
            found = read_characters(self._functions, ctypes.cast(text, ctypes.c_void_p).value, max(count, 0))
            self._look_at(text, found[0], found[1])
            rows = found[-1]
            addresses, first, fonts = np.unique(rows[:, 1], return_index=True, return_inverse=True)
            # In the order of the page: places in memory differ from process to process.
            order = np.argsort(first)
            fonts = np.argsort(order)[fonts]
            names = tuple(self._font_name(int(address)) for address in addresses[order]) or ("",)
        finally:
            raw.FPDFText_ClosePage(text)
        characters = _upright(found, fonts, turns, width, height)
        links = tuple(self._links(page, turns, width, height))
        return PageContent(number, width, height, characters, names, self._tags(page), links)

    def _look_at(self, text: Any, codes: np.ndarray, made_up: np.ndarray) -> None:
        """Look up some characters, spread over the page: a call for each would take as long as all other calls."""
        shown = np.flatnonzero(made_up == 0)
        some = shown[:: sampling_step(shown.size, LOOKED_AT_ON_PAGE)].tolist()
        self.looked_at += len(some)
        self.unnamed += [int(codes[each]) for each in some if self._raw.FPDFText_HasUnicodeMapError(text, each) == 1]

    def _font_name(self, address: int) -> str:
        if not address:
            return ""
        handle = ctypes.cast(ctypes.c_void_p(address), self._raw.FPDF_FONT)
        return _bytes(self._raw.FPDFFont_GetBaseFontName, handle).decode("utf-8", "replace")

    def _tags(self, page: Any) -> tuple[Tag, ...]:
        raw = self._raw
        tree = raw.FPDF_StructTree_GetForPage(page)
        if not tree:
            return ()
        try:
            count = int(raw.FPDF_StructTree_CountChildren(tree))
            tops = [raw.FPDF_StructTree_GetChildAtIndex(tree, place) for place in range(count)]
            addresses = [ctypes.cast(top, ctypes.c_void_p).value or 0 for top in tops if top]
            return walk_tags(addresses, self._element)
        finally:
            raw.FPDF_StructTree_Close(tree)

    def _element(self, address: int) -> Element:
        raw = self._raw
        handle = ctypes.cast(ctypes.c_void_p(address), raw.FPDF_STRUCTELEMENT)
        kind, lang = _string(raw.FPDF_StructElement_GetType, handle), _string(raw.FPDF_StructElement_GetLang, handle)
        return Element(kind, lang, read_children(self._functions, address))

    def _links(self, page: Any, turns: int, width: float, height: float) -> Iterator[LinkArea]:
        raw, place, link = self._raw, ctypes.c_int(0), self._raw.FPDF_LINK()
        for _ in range(MAX_LINKS_ON_PAGE):
            if not raw.FPDFLink_Enumerate(page, place, link):
                return
            action, box = raw.FPDFLink_GetAction(link), raw.FS_RECTF()
            if (
                not action
                or raw.FPDFAction_GetType(action) != raw.PDFACTION_URI
                or not raw.FPDFLink_GetAnnotRect(link, box)
            ):
                continue
            address = _bytes(raw.FPDFAction_GetURIPath, self._handle, action).decode("utf-8", "replace")
            boxes = np.array([[box.left, box.bottom, box.right, box.top]], np.float32)
            left, bottom, right, top = _turned_boxes(boxes, turns, width, height)[0].tolist()
            yield LinkArea(address, (left, bottom, right, top))


@contextmanager
def open_pdf(body: bytes) -> Iterator[Pdf]:
    """The document, open as long as the block runs. Raises :class:`UnreadableDocument` if it cannot be opened."""
    try:
        import pypdfium2.raw as raw
    except ImportError:
        raise UnreadableDocument("no_reader", "it needs pypdfium2: pip install 'diglot[documents]'") from None
    handle = raw.FPDF_LoadMemDocument64(body, len(body), None)
    if not handle:
        if raw.FPDF_GetLastError() in (PASSWORD, SECURITY):
            raise UnreadableDocument("encrypted", "the PDF asks for a password")
        if b"%%EOF" not in body[-END_BYTES:]:
            raise UnreadableDocument("truncated", "the PDF has no end")
        raise UnreadableDocument("damaged", "PDFium cannot open the PDF")
    try:
        yield Pdf(raw, handle)
    finally:
        raw.FPDF_CloseDocument(handle)


_BUFFER = ctypes.create_string_buffer(MAX_NAME)


def _read_buffer(function: Callable[..., int], *arguments: Any) -> bytes:
    """Bytes that a function of PDFium writes into a buffer, with the end mark; empty if the buffer is too small."""
    size = int(function(*arguments, ctypes.cast(_BUFFER, function.argtypes[-2]), MAX_NAME))  # type: ignore[attr-defined]
    return _BUFFER.raw[:size] if 0 < size <= MAX_NAME else b""


def _bytes(function: Callable[..., int], *arguments: Any) -> bytes:
    return _read_buffer(function, *arguments).rstrip(b"\0")


def _string(function: Callable[..., int], *arguments: Any) -> str:
    return _read_buffer(function, *arguments)[:-2].decode("utf-16-le", "replace")


def _upright(columns: tuple[np.ndarray, ...], fonts: np.ndarray, turns: int, width: float, height: float) -> Characters:
    """Columns of the kernel as characters of a page that stands upright."""
    if not columns or not columns[0].size:
        none = np.zeros(0, np.int32)
        return Characters(none, none, np.zeros((0, 4), np.float32), none, none, none, none, none, none)
    codes, made_up, boxes, origins, matrices, objects, rows = columns[:7]
    last = np.maximum.accumulate(np.where(objects >= 0, np.arange(objects.size), 0))  # made up ones go with the last
    matrices, objects = matrices[last], np.maximum(objects[last], 0)
    angle = np.arctan2(matrices[:, 1], matrices[:, 0]) / (math.pi / 2) - turns
    quarters = np.rint(angle)
    all_turns = np.where(np.abs(angle - quarters) < 0.12, quarters.astype(np.int32) % 4, -1)
    points = _turned_boxes(np.concatenate([origins, origins], axis=1), turns, width, height)
    if not rows.size:
        rows, fonts = np.full((1, 3), -1, np.int64), np.zeros(1, np.int64)
    return Characters(
        np.where((codes < 0) | (codes > sys.maxunicode), UNKNOWN_CODE, codes),
        made_up != 0,
        _clip(_turned_boxes(boxes, turns, width, height), FARTHEST),
        _clip(points[:, 1], FARTHEST),
        _clip(np.hypot(matrices[:, 2], matrices[:, 3]), LARGEST_SIZE),
        all_turns,
        fonts[objects],
        rows[objects, 0],
        rows[objects, 2] == 1,
    )


def _clip(values: np.ndarray, most: float) -> np.ndarray:
    """Values within -``most`` to ``most``, 0 for NaN: a damaged file may have infinite numbers."""
    return np.clip(np.nan_to_num(values, nan=0.0, posinf=most, neginf=-most), -most, most)


def _turned_boxes(boxes: np.ndarray, turns: int, width: float, height: float) -> np.ndarray:
    """Boxes on a page that is shown turned clockwise by quarters; ``width`` and ``height``: as shown."""
    left, bottom, right, top = boxes.T
    if turns == 1:
        turned = (bottom, height - right, top, height - left)
    elif turns == 2:
        turned = (width - right, height - top, width - left, height - bottom)
    elif turns == 3:
        turned = (width - top, left, width - bottom, right)
    else:
        return boxes
    return np.stack(turned, axis=1)
