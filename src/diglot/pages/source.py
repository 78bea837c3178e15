"""A SOURCE: kind, fingerprint and pages."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import xxhash

from diglot.disk.store import Stamp, Store
from diglot.errors import SourceError
from diglot.pages.cdxj import is_no_file, named_files, read_cdxj
from diglot.pages.containers import READERS, Kind
from diglot.pages.folder import leads_inside, read_folder, sorted_files
from diglot.pages.place import at_hand, folder_of
from diglot.records import Drop, Page

MAX_PAGE_BYTES = 10 << 20
"""Larger decoded pages are dropped; real pages take 10 to 500 kB."""

HASHED_BYTES = 1 << 20
"""Bytes read at a time for a hash."""

PARALLEL_REQUESTS = 16
"""Parallel requests for the sizes of remote files: nearly all time is waiting."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of pages, checked to exist and to be of its kind."""

    name: str
    """Name in pages: the file name, or the given path or address if two sources share a file name."""
    kind: Kind
    spec: str
    """Resolved path, or address of a remote file: :func:`open_source` opens it again anywhere."""
    base_url: str = ""
    """Base address of a folder; "" for files, and for mirrors, whose pages name their own addresses."""
    warc_prefix: str = ""
    """Place of an index's WARC files; "" for the folder of the index."""
    hosts: tuple[str, ...] = ()
    """Hosts to read from an index; all if empty."""
    stamp: Stamp | None = None
    """Size and version of a remote file when opened; None for local files."""

    @property
    def path(self) -> Path:
        """Path of a local source."""
        return Path(self.spec)

    @property
    def place(self) -> str:
        """Place of an index's WARC files."""
        return self.warc_prefix or folder_of(self.spec)

    def size_bytes(self) -> int:
        """Bytes of the file, of all files of a folder, or of an index without its WARC files."""
        if self.stamp is not None:
            return self.stamp.size_bytes
        try:
            if self.kind is Kind.FOLDER:
                return sum((self.path / relative).lstat().st_size for relative in sorted_files(self.path))
            return self.path.stat().st_size
        except OSError as error:
            raise SourceError(f"{self.spec}: {error.strerror}; check the file and its permissions") from error

    def fingerprint(self) -> str:
        """xxh3 (128 bits, hex) of everything in the source that decides its pages.

        File: bytes. Folder: base address, relative paths and bytes of all files. Remote file: size, and ETag or time.
        Index: in addition the hosts, and size, ETag or time of their WARC files. Raises SourceError for an unreadable
        file.
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
    """Every page of a source, and a ``Drop`` for everything else in it, in the source's order.

    Same bytes, same order. Holds a few times ``max_page_bytes`` at most. An address may come more than once: the ledger
    decides later. A remote file is copied to this machine while read.
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
    """WARC files of an index with size and version, None for a missing file."""
    store = Store.at(index.place, error=SourceError)

    def stamp(name: str) -> Stamp | None:
        try:
            return store.stamp(name)
        except SourceError as error:
            if is_no_file(error):
                return None
            raise

    with _file_of(index) as path, ThreadPoolExecutor(1 if store.folder else PARALLEL_REQUESTS) as threads:
        names = named_files(path, hosts=index.hosts)
        return list(zip(names, threads.map(stamp, names), strict=True))


def _add_file(content: xxhash.xxh3_128, root: Path, relative: str) -> None:
    """Add a file of a folder to the hash."""
    path, name = root / relative, os.fsencode(relative)
    of_file = xxhash.xxh3_128()
    try:
        if leads_inside(root, path) and path.is_file():
            _add_bytes(of_file, path)
    except OSError:
        # An unreadable file becomes a drop with nothing but its name, so only the name counts.
        of_file.reset()
    content.update(b"%d %s %s\n" % (len(name), name, of_file.digest()))


def _add_bytes(content: xxhash.xxh3_128, path: Path) -> None:
    with path.open("rb") as file:
        while piece := file.read(HASHED_BYTES):
            content.update(piece)
