"""Places of source files: on this machine or in an object store."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

from diglot.disk.store import REMOTE, Stamp, Store
from diglot.errors import SourceError, UsageError


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
        except UsageError as failure:  # of the disk here
            raise SourceError(f"{spec}: no room for a copy ({failure.__cause__}); free some or set TMPDIR") from failure
        yield path
