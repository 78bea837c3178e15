"""Safe reads of files named by users: regular files only, up to a size limit."""

import gzip
import io
import os
import stat
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from diglot.errors import SourceError

MAX_TEXT_BYTES = 1 << 30
"""Size limit of a list, lexicon, text or sheet, unpacked. The largest published parallel texts and lexicons have a few
hundred million bytes, and take several times as much in memory."""
_SHEETS = (".csv", ".tsv")
"""Endings of texts that people write with a spreadsheet."""
_LOOKED_AT_BYTES = 1024
"""First bytes, or characters, searched for a zero."""


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise SourceError for a device, pipe or socket, where a read may never return.

    A missing file or a folder passes: the error of opening says more.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise SourceError(f"{os.fspath(path)}: a device, pipe or socket; write it to a file and name that")


def read_whole(path: str | os.PathLike[str], *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """Read a regular file; SourceError for other kinds of files and for more than ``max_bytes``."""
    require_regular(path)
    with Path(path).open("rb") as file:
        # The size is checked on both sides of the read: files of the system report 0 bytes, and others grow.
        content = file.read(max_bytes + 1) if os.fstat(file.fileno()).st_size <= max_bytes else b""
        if len(content) > max_bytes or os.fstat(file.fileno()).st_size > max_bytes:
            raise too_large(path, max_bytes)
    return content


def is_utf16(content: bytes) -> bool:
    """Whether a text begins with the byte order mark of UTF-16, as spreadsheets save "Unicode text"."""
    return content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))


def decode_text(content: bytes) -> str:
    """Text in UTF-8 with or without a byte order mark, or in UTF-16 with one, newlines unified.

    Raises UnicodeDecodeError for other encodings, and for a zero character at the beginning.
    """
    text = content.decode("utf-16" if is_utf16(content) else "utf-8-sig")
    # UTF-8 can hold a zero byte, and no text does; a file that a download or a disk lost is all zeros.
    if "\0" in text[:_LOOKED_AT_BYTES]:
        start = content.index(0)
        raise UnicodeDecodeError("utf-8", content, start, start + 1, "a zero byte")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text; see :func:`decode_text`."""
    return decode_text(read_whole(path))


def read_named_text(path: str | os.PathLike[str]) -> str:
    """:func:`read_text` of a file that a user names, with the errors of :func:`name_errors`."""
    with name_errors(path):
        return read_text(path)


@contextmanager
def name_errors(path: str | os.PathLike[str]) -> Iterator[None]:
    """Raise SourceError where a file that a user names is missing, unreadable or in another encoding."""
    try:
        yield
    except OSError as error:
        raise SourceError(f"{os.fspath(path)}: cannot be read ({error.strerror}); check the name") from error
    except UnicodeDecodeError as error:
        # No text has zero bytes, and another encoding is no advice for a picture.
        if 0 in error.object[: max(error.start + 1, _LOOKED_AT_BYTES)]:
            raise SourceError(
                f"{os.fspath(path)}: a picture, a packed file or another that is no text; name a text in UTF-8"
            ) from error
        of_a_sheet = ", in Excel as CSV UTF-8" if os.fspath(path).lower().endswith(_SHEETS) else ""
        raise SourceError(
            f"{os.fspath(path)}: not UTF-8 at byte {error.start}; save it in UTF-8{of_a_sheet}"
        ) from error


def gunzip(path: str | os.PathLike[str], packed: bytes, *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """Unpack gzip data. Raises SourceError beyond ``max_bytes``, and the errors of :mod:`gzip` for damaged data."""
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise too_large(path, max_bytes)
    return content


def too_large(path: str | os.PathLike[str], max_bytes: int) -> SourceError:
    """Error for a file of more than ``max_bytes``, packed or unpacked."""
    return SourceError(f"{os.fspath(path)}: more than {max_bytes:,} bytes; cut it into several files")
