"""What a SOURCE is: found out from its bytes, checked before any work, and read as pages."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

import xxhash

from diglot.errors import SourceError
from diglot.pages.address import is_web_address
from diglot.pages.folder import has_html, is_mirror, leads_inside, read_folder, sorted_files, suggested_base
from diglot.pages.lett import opens_lett, read_lett
from diglot.pages.warc import read_warc
from diglot.pages.warc_records import opens_record
from diglot.records import Drop, Page

MAX_PAGE_BYTES = 10 << 20
"""Pages of more decoded bytes are dropped; real ones take 10 to 500 kB."""

HASHED_BYTES = 1 << 20
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Kind(StrEnum):
    """The sorts of SOURCE."""

    WARC = "warc"
    FOLDER = "folder"
    LETT = "lett"


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read pages from, known to exist and to be what ``kind`` says."""

    name: str
    """How pages name it: its file name, or the path as given where two sources have the same."""
    kind: Kind
    path: Path
    base_url: str = ""
    """What a folder stands for; "" for a mirror, which says so itself, and for files."""

    def fingerprint(self) -> str:
        """xxh3 (128 bits, hex) of everything read from here that decides the pages.

        Of a file that is its bytes, of a folder the base address and each file's relative path and bytes.
        Raises SourceError if the file cannot be read.
        """
        content = xxhash.xxh3_128()
        if self.kind is Kind.FOLDER:
            content.update(f"{self.base_url}\n".encode())
            for relative in sorted_files(self.path):
                _add_file(content, self.path, relative)
            return content.hexdigest()
        try:
            _add_bytes(content, self.path)
        except OSError as error:
            detail = f"{self.path}: {error.strerror}; check the file and its permissions"
            raise SourceError(detail) from error
        return content.hexdigest()


def open_sources(specs: Sequence[str], *, base_url: str = "") -> list[Source]:
    """Find out what each SOURCE is, before anything is read in earnest.

    Parameters: ``specs``, paths of WARC files, ``.lett`` files or folders; ``base_url``, the http(s) address
    that a folder stands for where neither its pages say (HTTrack mirrors do) nor folders in it named as hosts.
    Raises SourceError: one line that names the source and what to try.
    """
    if not specs:
        raise SourceError("no SOURCE given: name a WARC file, a .lett file or a folder of HTML files")
    _check_base_url(base_url)
    paths = [_existing(spec) for spec in specs]
    sources: list[Source] = []
    for spec, path in zip(specs, paths, strict=True):
        if path.resolve() in (source.path for source in sources):
            raise SourceError(f"{spec} is given twice: name each SOURCE once")
        shared = sum(other.resolve().name == path.resolve().name for other in paths) > 1
        sources.append(_open(spec, path.resolve(), base_url, name=spec if shared else path.resolve().name))
    if base_url and not any(source.kind is Kind.FOLDER for source in sources):
        raise SourceError("--base-url says what a folder stands for, but no SOURCE is a folder: leave it out")
    return sources


def read(source: Source, *, max_page_bytes: int = MAX_PAGE_BYTES) -> Iterator[Page | Drop]:
    """Give every page of a source, and a ``Drop`` for everything in it that is none, in its own order.

    Same bytes, same order. Holds a few times ``max_page_bytes`` at most. The same address can come
    more than once: which one counts is not decided here.
    """
    if source.kind is Kind.WARC:
        return read_warc(source.path, name=source.name, max_page_bytes=max_page_bytes)
    if source.kind is Kind.LETT:
        return read_lett(source.path, name=source.name, max_page_bytes=max_page_bytes)
    return read_folder(source.path, name=source.name, base_url=source.base_url, max_page_bytes=max_page_bytes)


def looks_like_address(spec: str) -> bool:
    """Whether a SOURCE is meant as a web address, to be crawled, and not as a path."""
    return spec.lower().startswith(("http://", "https://"))


def _check_base_url(base_url: str) -> None:
    parts = urlsplit(base_url) if not base_url or is_web_address(base_url) else None
    if parts is None or parts.query or parts.fragment:
        raise SourceError(f"--base-url {base_url}: not a plain web address; try https://www.example.org/docs/")


def _existing(spec: str) -> Path:
    if looks_like_address(spec):
        raise SourceError(f"{spec}: an address is no file; `diglot crawl` and `diglot harvest` fetch from it")
    path = Path(spec)
    try:
        path.stat()
    except (OSError, ValueError) as error:
        detail = "no such file or folder" if isinstance(error, FileNotFoundError) else str(error)
        raise SourceError(f"{spec}: {detail}; check the path; an address begins with https:// or http://") from error
    return path


def _open(spec: str, path: Path, base_url: str, *, name: str) -> Source:
    name = os.fsencode(name or str(path)).decode("utf-8", "replace")
    if path.is_dir():
        return _open_folder(spec, path, base_url, name=name)
    if not path.is_file():
        raise SourceError(f"{spec}: neither a file nor a folder; name a WARC file, a .lett file or a folder")
    return Source(name, _file_kind(spec, path), path)


def _open_folder(spec: str, path: Path, base_url: str, *, name: str) -> Source:
    if not os.access(path, os.R_OK | os.X_OK):
        raise SourceError(f"{spec}: the folder may not be read; check its permissions")
    if not has_html(path):
        raise SourceError(f"{spec}: no HTML file in this folder; WARC files in it are named one by one")
    if not base_url and not is_mirror(path):
        raise SourceError(
            f"{spec}: its pages do not say where they come from (no HTTrack comment, no folder named as a host); "
            f"give --base-url {suggested_base(path) or 'https://HOST/PATH'}, the address the folder stands for"
        )
    return Source(name, Kind.FOLDER, path, base_url)


def _file_kind(spec: str, path: Path) -> Kind:
    try:
        if path.stat().st_size == 0:
            raise SourceError(f"{spec}: the file is empty; fetch or copy it again")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            if data[: len(ZSTD_MAGIC)] == ZSTD_MAGIC:
                raise SourceError(f"{spec}: zstd is not read here; unpack it with `zstd -d` and name the result")
            if path.name.lower().endswith((".lett", ".lett.gz")) or opens_lett(data):
                return Kind.LETT
            if opens_record(data):
                return Kind.WARC
    except OSError as error:
        raise SourceError(f"{spec}: {error.strerror}; check the file and its permissions") from error
    raise SourceError(f"{spec}: neither WARC nor .lett; for a single page name the folder it is in")


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
