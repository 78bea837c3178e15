"""Kinds of document: the table MEDIA, from which sources, crawl, workbench and readers take what they need.

Loads no module that takes time: names of dropped files are compared with it by the workbench.
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

from diglot.html_sniff import looks_like_markup

SIGNATURE_BYTES = 1024
"""Bytes within which ``%PDF-`` begins: readers accept text that mail gateways and old servers put in front."""
PDF_START = b"%PDF-"
ZIP_START = b"PK\x03\x04"
OLE_START = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
"""An encrypted DOCX is no ZIP, but an OLE file with the ZIP in this stream."""
MAX_MEMBERS = 2_000
"""Files in a document; a book of a thousand pages has hundreds."""
MAX_DIRECTORY_BYTES = 1 << 20

_ZIP_END = struct.Struct("<4s4xHHII")
"""End of a ZIP: magic, members on this disk and in all, bytes of the directory and its place."""
_ZIP_END_MAGIC = b"PK\x05\x06"
_ZIP_END_WITHIN_BYTES = 22 + 0xFFFF
_LOCAL_HEAD = struct.Struct("<8xH8xI4xHH")
"""Header before a file in a ZIP: method, packed bytes, lengths of name and extra field."""
_WORD_MEMBER = re.compile(rb"PK\x03\x04.{26}word/document\d*\.xml", re.DOTALL)
_WORD_NAME = re.compile(r"word/document\d*\.xml")
_MEDIA_TYPE_MEMBER = "mimetype"

ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError),
    *(UnicodeDecodeError, ValueError, struct.error),
)
"""What the module zipfile raises for a damaged ZIP."""


@dataclass(frozen=True, kw_only=True)
class Medium:
    """One kind of document.

    ``types``: media types that servers send. ``extensions``: of its files. ``is_it``: whether bytes are of this kind.
    ``starts``: possible first bytes, for a kind that only the whole file shows; () if the first :data:`SIGNATURE_BYTES`
    are enough for ``is_it``. ``is_whole``: whether the end of the file is there. ``reader``: ``module:function`` from
    bytes to :class:`diglot.documents.blocks.ReadDocument`, loaded with the first such document, since most runs have
    none. ``extra``: name of the optional dependencies of the reader; ``package``: package that it imports from them; ""
    for none.
    """

    name: str
    types: tuple[str, ...]
    extensions: tuple[str, ...]
    is_it: Callable[[bytes], bool]
    is_whole: Callable[[bytes], bool]
    reader: str
    extra: str = ""
    package: str = ""
    starts: tuple[bytes, ...] = ()


def _is_pdf(body: bytes) -> bool:
    at = body[:SIGNATURE_BYTES].find(PDF_START)
    # A page about PDF may name the signature.
    return at == 0 or (at > 0 and not looks_like_markup(body[:at]))


def _has_pdf_end(body: bytes) -> bool:
    return b"%%EOF" in body[-SIGNATURE_BYTES:]


def _is_docx(body: bytes) -> bool:
    if not body.startswith(ZIP_START):
        return body.startswith(OLE_START) and _ENCRYPTED_STREAM in body
    names = zip_names(body)
    # A cut file has no directory at its end: its files are named where they begin.
    return any(map(_WORD_NAME.fullmatch, names)) if names else _WORD_MEMBER.search(body) is not None


def _has_media_type(*types: bytes) -> Callable[[bytes], bool]:
    """Whether the file ``mimetype`` of a ZIP, its first by the formats, is one of ``types``."""
    return lambda body: body.startswith(ZIP_START) and _media_type_member(body) in types


def _has_zip_end(body: bytes) -> bool:
    return body.rfind(_ZIP_END_MAGIC, max(0, len(body) - _ZIP_END_WITHIN_BYTES)) >= 0


MEDIA = (
    Medium(
        name="pdf",
        types=("application/pdf", "application/x-pdf", "application/acrobat", "text/pdf"),
        extensions=(".pdf",),
        is_it=_is_pdf,
        is_whole=_has_pdf_end,
        reader="diglot.documents.pdf:read_pdf",
        extra="documents",
        package="pypdfium2",
    ),
    Medium(
        name="docx",
        types=(
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.template",
            "application/msword",
        ),
        extensions=(".docx",),
        starts=(ZIP_START, OLE_START),
        is_it=_is_docx,
        is_whole=_has_zip_end,
        reader="diglot.documents.office.docx:read_docx",
    ),
    Medium(
        name="odt",
        types=("application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.text-template"),
        extensions=(".odt",),
        starts=(ZIP_START,),
        is_it=_has_media_type(
            b"application/vnd.oasis.opendocument.text", b"application/vnd.oasis.opendocument.text-template"
        ),
        is_whole=_has_zip_end,
        reader="diglot.documents.office.odt:read_odt",
    ),
    Medium(
        name="epub",
        types=("application/epub+zip",),
        extensions=(".epub",),
        starts=(ZIP_START,),
        is_it=_has_media_type(b"application/epub+zip"),
        is_whole=_has_zip_end,
        reader="diglot.documents.office.epub:read_epub",
    ),
)
"""The kinds of document, in the order in which they are tried, and in which they give way to each other as copies.
``docs/how-to/add-a-document-format.md`` says how to add one."""


@dataclass(frozen=True)
class OtherKind:
    """An office format without a reader: name with an article, extensions."""

    name: str
    extensions: tuple[str, ...]
    is_it: Callable[[bytes], bool]


def _has_stream(*names: str) -> Callable[[bytes], bool]:
    """Whether an OLE file has a stream of one of these names."""
    return lambda body: body.startswith(OLE_START) and any(name.encode("utf-16-le") in body for name in names)


def _has_folder(folder: str) -> Callable[[bytes], bool]:
    """Whether a ZIP has a file in this folder at its top."""
    return lambda body: body.startswith(ZIP_START) and any(name.startswith(folder) for name in zip_names(body))


def _is_opendocument(kind: bytes) -> Callable[[bytes], bool]:
    """Whether a ZIP is an OpenDocument file of this kind, or a template of one."""
    media_type = b"application/vnd.oasis.opendocument." + kind
    return _has_media_type(media_type, media_type + b"-template")


INDESIGN_START = b"\x06\x06\xed\xf5\xd8\x1d\x46\xe5\xbd\x31\xef\xe7\xfe\x74\xb7\x1d"
"""The identifier with which the file of Adobe InDesign begins."""

OTHER_KINDS = (
    OtherKind("an RTF file", (".rtf",), lambda body: body.lstrip().startswith(b"{\\rtf")),
    OtherKind("a Word file of 1997 to 2003 (.doc)", (".doc", ".dot"), _has_stream("WordDocument")),
    OtherKind("a PowerPoint file", (".pptx", ".pptm", ".ppsx"), _has_folder("ppt/")),
    OtherKind("a PowerPoint file of 1997 to 2003 (.ppt)", (".ppt", ".pps"), _has_stream("PowerPoint Document")),
    OtherKind("an Excel file", (".xlsx", ".xlsm"), _has_folder("xl/")),
    OtherKind("an Excel file of 1997 to 2003 (.xls)", (".xls",), _has_stream("Workbook", "Book")),
    OtherKind("an InDesign file", (".indd", ".indt"), lambda body: body.startswith(INDESIGN_START)),
    OtherKind("an OpenDocument spreadsheet", (".ods",), _is_opendocument(b"spreadsheet")),
    OtherKind("an OpenDocument presentation", (".odp",), _is_opendocument(b"presentation")),
    OtherKind("an OpenDocument drawing", (".odg",), _is_opendocument(b"graphics")),
)
"""Office files without a reader, most frequent first; one with a reader moves to :data:`MEDIA`."""
KINDS_READ = "DOCX, ODT, EPUB, PDF or HTML"
SAVE_AS = f"save it as {KINDS_READ}"

_RANKS = {medium.name: rank for rank, medium in enumerate(MEDIA)}
DOCUMENT_EXTENSIONS = frozenset(extension for medium in MEDIA for extension in medium.extensions)


def missing_packages() -> tuple[str, ...]:
    """Packages that readers need and that are not installed, in the order of :data:`MEDIA`."""
    return tuple(medium.package for medium in MEDIA if medium.package and find_spec(medium.package) is None)


def media_rank(media: str) -> int:
    """Rank of a kind among copies of one text: the highest stands for the others. HTML goes before all documents, PDF
    comes last, since its paragraphs are guessed."""
    return _RANKS.get(media, len(MEDIA))


def medium_of(body: bytes) -> Medium | None:
    """The kind of document by its bytes, None for no document."""
    return next((medium for medium in MEDIA if medium.is_it(body)), None)


def other_kind_of(body: bytes) -> str:
    """The name of the kind of an office file that Diglot does not read, "" for any other file."""
    return next((kind.name for kind in OTHER_KINDS if kind.is_it(body)), "")


def drop_detail(body: bytes) -> str:
    """Why an office file without a reader is dropped, and what to do; "" for any other file."""
    kind = other_kind_of(body)
    return f"{kind}; {SAVE_AS}" if kind else ""


UNREAD_DETAILS = {f"{kind.name}; {SAVE_AS}": kind.extensions[0] for kind in OTHER_KINDS}
"""The usual extension of an office file by what :func:`drop_detail` says of it."""


def other_kind_by_name(name: str) -> str:
    """Name of the office format by file name, "" for any other file."""
    return next((kind.name for kind in OTHER_KINDS if name.lower().endswith(kind.extensions)), "")


def may_start_document(start: bytes) -> bool:
    """Whether the first :data:`SIGNATURE_BYTES` may be of a document: of any ZIP, say, or a PDF."""
    return any(start.startswith(each.starts) if each.starts else each.is_it(start) for each in MEDIA)


def zip_names(body: bytes) -> list[str]:
    """Names of the files in a ZIP, [] for a ZIP that is cut, damaged, or too large for a document."""
    archive = _open_zip(body)
    return archive.namelist() if archive else []


def _open_zip(body: bytes) -> zipfile.ZipFile | None:
    at = body.rfind(_ZIP_END_MAGIC, max(0, len(body) - _ZIP_END_WITHIN_BYTES))
    if at < 0 or at + _ZIP_END.size > len(body):
        return None
    _, _, members, directory_bytes, _ = _ZIP_END.unpack_from(body, at)
    # The module zipfile makes an object of each entry, whatever their number.
    if members > MAX_MEMBERS or directory_bytes > MAX_DIRECTORY_BYTES:
        return None
    try:
        return zipfile.ZipFile(io.BytesIO(body))
    except ZIP_ERRORS:
        return None


def _media_type_member(body: bytes) -> bytes:
    """Content of the file ``mimetype`` of a ZIP, "" for none; the formats want it first and unpacked."""
    method, size, name_bytes, extra_bytes = _LOCAL_HEAD.unpack_from(body.ljust(_LOCAL_HEAD.size, b"\0"))
    start = _LOCAL_HEAD.size + name_bytes + extra_bytes
    name = body[_LOCAL_HEAD.size : _LOCAL_HEAD.size + name_bytes]
    if name == _MEDIA_TYPE_MEMBER.encode() and method == zipfile.ZIP_STORED and size:
        return body[start : start + min(size, SIGNATURE_BYTES)].strip()
    # Documents packed again by hand have it anywhere, and compressed.
    archive = _open_zip(body)
    if archive is None or _MEDIA_TYPE_MEMBER not in archive.namelist():
        return b""
    try:
        with archive.open(_MEDIA_TYPE_MEMBER) as member:
            return member.read(SIGNATURE_BYTES).strip()
    except ZIP_ERRORS:
        return b""
