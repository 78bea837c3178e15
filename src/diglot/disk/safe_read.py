"""Files that a person names and that are read whole: regular files, of a size that can be meant."""

import gzip
import io
import os
import stat
from pathlib import Path

from diglot.errors import SourceError

MAX_TEXT_BYTES = 1 << 30
"""Of a list, lexicon, text or sheet, unpacked. The largest that are published, parallel texts and lexicons, have some
hundred million bytes; in memory they take several times as much."""


def require_regular(path: str | os.PathLike[str]) -> None:
    """Raise SourceError for a device, pipe or socket, which may never end or never begin; what is not there, or a
    folder, passes, for whoever opens it to tell of."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise SourceError(f"{os.fspath(path)}: a device, pipe or socket; write it to a file and name that")


def read_whole(path: str | os.PathLike[str], *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """The bytes of a regular file; SourceError for one of another kind or of more than ``max_bytes``."""
    require_regular(path)
    with Path(path).open("rb") as file:
        content = file.read(max_bytes + 1) if os.fstat(file.fileno()).st_size <= max_bytes else b""
        if len(content) > max_bytes or os.fstat(file.fileno()).st_size > max_bytes:
            raise too_large(path, max_bytes)
    return content


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a regular file in UTF-8, with or without a mark at its start; UnicodeDecodeError where it is none."""
    return read_whole(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


def gunzip(path: str | os.PathLike[str], packed: bytes, *, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """What a gzipped file holds. Raises SourceError past ``max_bytes``, and for damage as :mod:`gzip` does."""
    with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise too_large(path, max_bytes)
    return content


def too_large(path: str | os.PathLike[str], max_bytes: int) -> SourceError:
    """For a file that has, or holds once unpacked, more than ``max_bytes``."""
    return SourceError(f"{os.fspath(path)}: more than {max_bytes:,} bytes; cut it into several files")
