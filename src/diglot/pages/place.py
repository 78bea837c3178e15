"""Places of source files, on this machine or in an object store, and lists of places such as ``warc.paths.gz``."""

from __future__ import annotations

import os
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from diglot.disk.safe_read import decode_text, gunzip, read_whole
from diglot.disk.store import REMOTE, Stamp, Store
from diglot.errors import SourceError, UsageError, describe_error
from diglot.pages.address import is_web_address
from diglot.pages.byte_feed import is_gzip

LIST_ENDS = (".paths", ".paths.gz")
"""Endings of files that are lists of sources."""


def is_remote(spec: str) -> bool:
    """Whether ``spec`` is a file in an object store."""
    return spec.startswith(REMOTE)


def folder_of(spec: str) -> str:
    """The folder of a file, with options (``?region=...``). Raises SourceError for a bucket alone."""
    if not is_remote(spec):
        return str(Path(spec).parent)
    bare, mark, options = spec.partition("?")
    place = bare.rpartition("/")[0]
    if not is_remote(f"{place}/") or place.endswith("/"):
        raise SourceError(f"{spec}: names no file; write s3://BUCKET/FILE")
    return place + mark + options


def name_of(spec: str) -> str:
    """The last part of a file's path or address."""
    return unquote(spec.partition("?")[0].rpartition("/")[2]) if is_remote(spec) else Path(spec).name


def within(place: str, relative: str) -> str:
    """A file by its path relative to a place."""
    if not is_remote(place):
        return str(Path(place) / relative)
    bare, mark, options = place.partition("?")
    return f"{bare.rstrip('/')}/{quote(relative)}{mark}{options}"


def remote_stamp(spec: str) -> Stamp:
    """Size and version of a remote file. Raises SourceError for a missing or empty file."""
    stamp = Store.at(folder_of(spec), error=SourceError).stamp(name_of(spec))
    if stamp is None:
        raise SourceError(f"{spec}: no such file; check the address")
    if stamp.size_bytes == 0:
        raise SourceError(f"{spec}: the file is empty; copy it again")
    return stamp


@contextmanager
def at_hand(spec: str) -> Iterator[Path]:
    """A copy of a remote file in the folder for temporary files (``TMPDIR``), deleted after the block."""
    with tempfile.TemporaryDirectory(prefix="diglot-") as scratch:
        path = Path(scratch, "file")
        try:
            Store.at(folder_of(spec), error=SourceError).fetch_to(name_of(spec), path)
        except SourceError:
            raise
        except UsageError as failure:  # the local disk cannot be written
            raise SourceError(f"{spec}: no room for a copy ({failure.__cause__}); free some or set TMPDIR") from failure
        yield path


def is_list(spec: str) -> bool:
    """Whether a SOURCE is a list of sources: ``@FILE``, or a file with an ending of :data:`LIST_ENDS`."""
    return spec.startswith("@") or spec.partition("?")[0].lower().endswith(LIST_ENDS)


def read_list(spec: str, *, warc_prefix: str = "") -> list[str]:
    """The sources in a list: a path or address per line, without empty lines and lines that begin with #.

    Relative paths are resolved against ``warc_prefix`` or else the folder of the list.
    Raises: SourceError for a list that is unreadable or empty, or names a further list or a web address.
    """
    file = os.path.expanduser(spec.removeprefix("@"))
    if not file:
        raise SourceError("@: name the file of a list of sources, as in @sources.txt")
    lines = [line.strip() for line in _text(file).splitlines()]
    sources = [line for line in lines if line and not line.startswith("#")]
    if not sources:
        raise SourceError(f"{file}: names no source; write one a line")
    for source in sources:
        if is_list(source):
            raise SourceError(f"{file}: names {source}, a list itself; name that one as a SOURCE")
        if is_web_address(source):
            raise SourceError(
                f"{file}: names {source}; a list names files, so fetch it, or give s3://, gs:// or hdfs://"
            )
    base = warc_prefix or folder_of(file)
    return [source if is_remote(source) else within(base, os.path.expanduser(source)) for source in sources]


def _text(file: str) -> str:
    try:
        content = Store.at(folder_of(file), error=SourceError).read_bytes(name_of(file)) if is_remote(file) else None
        content = read_whole(Path(file)) if content is None else content
        plain = gunzip(file, content) if is_gzip(content) else content
        return decode_text(plain)
    except FileNotFoundError as error:
        raise SourceError(f"{file}: no such file; it should be a list of sources, one a line") from error
    except UnicodeDecodeError as error:
        what = "a zero" if error.object[error.start] == 0 else "not UTF-8"
        detail = f"{what} at byte {error.start}; save it as UTF-8, or name the file itself without @"
        raise SourceError(f"{file}: no list of sources, one a line ({detail})") from error
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise SourceError(f"{file}: no list of sources, one a line ({describe_error(error)})") from error
