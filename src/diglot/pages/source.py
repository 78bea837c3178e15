"""A SOURCE: what tells it from others, and its pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import xxhash

from diglot.disk.store import Stamp, Store
from diglot.errors import SourceError
from diglot.pages.cdxj import is_no_file, named_files, read_cdxj
from diglot.pages.folder import leads_inside, read_folder, sorted_files
from diglot.pages.lett import read_lett
from diglot.pages.place import at_hand, folder_of
from diglot.pages.wacz import read_wacz
from diglot.pages.warc import read_arc, read_warc
from diglot.records import Drop, Page

MAX_PAGE_BYTES = 10 << 20
"""Pages of more decoded bytes are dropped; real ones take 10 to 500 kB."""

HASHED_BYTES = 1 << 20


class Kind(StrEnum):
    """The sorts of SOURCE."""

    WARC = "warc"
    ARC = "arc"
    WACZ = "wacz"
    FOLDER = "folder"
    LETT = "lett"
    CDXJ = "cdxj"


READERS = {Kind.WARC: read_warc, Kind.ARC: read_arc, Kind.WACZ: read_wacz, Kind.LETT: read_lett}
"""What reads a source that is a file and needs nothing else to be known."""

ASKED_AT_ONCE = 16
"""Remote files whose size is asked for at the same time: a request each, nearly all of it waiting."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read pages from, known to exist and to be what ``kind`` says."""

    name: str
    """How pages name it: its file name, or the path or address as given where two sources have the same."""
    kind: Kind
    spec: str
    """Its path, resolved, or the address of a remote file: :func:`open_source` opens it again anywhere."""
    base_url: str = ""
    """What a folder stands for; "" for a mirror, which says so itself, and for files."""
    warc_prefix: str = ""
    """Where the WARC files of an index lie; "" for beside it."""
    hosts: tuple[str, ...] = ()
    """Of which hosts pages are read by an index; of all where there are none."""
    stamp: Stamp | None = None
    """What a remote file was like when it was opened; None for one of this machine."""

    @property
    def path(self) -> Path:
        """Where a source of this machine lies."""
        return Path(self.spec)

    @property
    def place(self) -> str:
        """Where the WARC files of an index lie."""
        return self.warc_prefix or folder_of(self.spec)

    def size_bytes(self) -> int:
        """Bytes of the file, of all files of a folder, or of the index and not of what it names."""
        if self.stamp is not None:
            return self.stamp.size_bytes
        try:
            if self.kind is Kind.FOLDER:
                return sum((self.path / relative).lstat().st_size for relative in sorted_files(self.path))
            return self.path.stat().st_size
        except OSError as error:
            raise SourceError(f"{self.spec}: {error.strerror}; check the file and its permissions") from error

    def fingerprint(self) -> str:
        """xxh3 (128 bits, hex) of everything read from here that decides the pages.

        Of a file that is its bytes, of a folder the base address and each file's relative path and bytes, of a remote
        file its size and ETag or time. Of an index also the hosts asked for, and size and ETag or time of each WARC
        file that it names for them. Raises SourceError if the file cannot be read.
        """
        content = xxhash.xxh3_128()
        if self.kind is Kind.FOLDER:
            content.update(f"{self.base_url}\n".encode())
            for relative in sorted_files(self.path):
                _add_file(content, self.path, relative)
            return content.hexdigest()
        try:
            if self.stamp is not None:
                content.update(repr(self.stamp).encode())
            else:
                _add_bytes(content, self.path)
        except OSError as error:
            detail = f"{self.path}: {error.strerror}; check the file and its permissions"
            raise SourceError(detail) from error
        if self.kind is Kind.CDXJ:
            content.update(repr((self.hosts, _named_files(self))).encode())
        return content.hexdigest()


def read(source: Source, *, max_page_bytes: int = MAX_PAGE_BYTES) -> Iterator[Page | Drop]:
    """Give every page of a source, and a ``Drop`` for everything in it that is none, in its own order.

    Same bytes, same order. Holds a few times ``max_page_bytes`` at most. The same address can come
    more than once: which one counts is not decided here. A remote file is copied to this machine while it is read.
    """
    with _file_of(source) as path:
        if source.kind in READERS:
            yield from READERS[source.kind](path, name=source.name, max_page_bytes=max_page_bytes)
        elif source.kind is Kind.CDXJ:
            yield from read_cdxj(
                path, name=source.name, place=source.place, hosts=source.hosts, max_page_bytes=max_page_bytes
            )
        else:
            yield from read_folder(path, name=source.name, base_url=source.base_url, max_page_bytes=max_page_bytes)


def _file_of(source: Source) -> AbstractContextManager[Path]:
    return nullcontext(source.path) if source.stamp is None else at_hand(source.spec)


def _named_files(index: Source) -> list[tuple[str, Stamp | None]]:
    """The WARC files that an index names, and what they are like now; None for one that is not there."""
    store = Store.at(index.place, error=SourceError)

    def stamp(name: str) -> Stamp | None:
        try:
            return store.stamp(name)
        except SourceError as error:
            if is_no_file(error):
                return None
            raise

    with _file_of(index) as path, ThreadPoolExecutor(1 if store.folder else ASKED_AT_ONCE) as threads:
        names = named_files(path, hosts=index.hosts)
        return list(zip(names, threads.map(stamp, names), strict=True))


def _add_file(content: xxhash.xxh3_128, root: Path, relative: str) -> None:
    """Add a file of a folder; one that cannot be read counts by its name, as reading drops it by its name."""
    path, name = root / relative, os.fsencode(relative)
    of_file = xxhash.xxh3_128()
    try:
        if leads_inside(root, path) and path.is_file():
            _add_bytes(of_file, path)
    except OSError:
        of_file.reset()
    content.update(b"%d %s %s\n" % (len(name), name, of_file.digest()))


def _add_bytes(content: xxhash.xxh3_128, path: Path) -> None:
    with path.open("rb") as file:
        while piece := file.read(HASHED_BYTES):
            content.update(piece)
