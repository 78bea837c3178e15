"""Files that the user drops: stored within bounds, and zip files unpacked within bounds."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path, PurePosixPath

from diglot.errors import UsageError, describe_error

MAX_UPLOAD_BYTES = 2 << 30
MAX_ENTRIES = 200_000
MAX_ENTRY_BYTES = 64 << 20
MAX_UNPACKED_BYTES = 8 << 30
MAX_RATIO = 200
"""Largest size of an unpacked file over its packed size; text packs to a tenth, and a bomb to a thousandth."""
SMALL_BYTES = 1 << 20
"""Size below which the ratio does not matter."""
FREE_BYTES = 512 << 20
"""Space that stays free on the disk."""
ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz", ".lett", ".lett.gz")
PAGES = (".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp", ".pdf", ".docx", ".odt")
MAX_SENT_CHARS = 1_000
"""Most characters read of a name, from its end: in a zip file, and from a browser."""
_NOT_IN_NAME = re.compile(r"[^\w.()+ -]+")


def file_name(sent: str) -> str:
    """A name for a dropped file: its own without folders and odd characters.

    Raises: UsageError for a kind of file that Diglot does not read.
    """
    name = _plain(sent.replace("\\", "/").rpartition("/")[2]).strip(". -")[-120:]
    if not name.lower().endswith((*ARCHIVES, ".zip")):
        raise UsageError(
            f"{name or 'This file'} is of another kind. Drop WARC or WACZ files, a zip of HTML pages, or a TMX memory."
        )
    return name


def _plain(name: str) -> str:
    return _NOT_IN_NAME.sub("-", name[-MAX_SENT_CHARS:])


async def store(parts: AsyncIterator[bytes], path: Path, max_bytes: int = MAX_UPLOAD_BYTES) -> None:
    """Store a file as it arrives; nothing is left of one that is too large.

    Raises: UsageError for more than ``max_bytes``, and for a full disk.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    room = min(max_bytes, shutil.disk_usage(path.parent).free - FREE_BYTES)
    written = 0
    try:
        with path.open("xb") as file:
            async for part in parts:
                written += len(part)
                if written > room:
                    raise UsageError(too_large(max_bytes) if written > max_bytes else "The disk is full; free space.")
                file.write(part)
    except BaseException as error:
        path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"The file cannot be stored: {describe_error(error)}.") from error
        raise


def too_large(max_bytes: int) -> str:
    """The sentence for a file above the limit."""
    return f"The file is larger than {max_bytes / (1 << 30):.3g} GB. Use `diglot harvest` in a terminal for it."


def unpack_pages(packed: Path, folder: Path) -> int:
    """Unpack the pages of a zip file into a folder, and return their number.

    Raises: UsageError for a damaged file, a file without pages, and a file that grows beyond the bounds.
    """
    try:
        with zipfile.ZipFile(packed) as archive:
            pages = [entry for entry in archive.infolist() if _is_page(entry)]
            _check_sizes(packed, pages)
            return sum(_unpack(archive, entry, folder) for entry in pages)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
        raise UsageError(f"{packed.name} is damaged, or locked with a password; make it again.") from error
    except OSError as error:
        raise UsageError(f"{packed.name} cannot be unpacked: {describe_error(error)}.") from error


def _is_page(entry: zipfile.ZipInfo) -> bool:
    name = PurePosixPath(entry.filename.replace("\\", "/"))
    is_link = entry.external_attr >> 28 == 0xA
    hidden = any(part.startswith((".", "__MACOSX")) for part in name.parts)
    return not (entry.is_dir() or is_link or hidden) and name.name.lower().endswith(PAGES)


def _check_sizes(packed: Path, pages: list[zipfile.ZipInfo]) -> None:
    if not pages:
        raise UsageError(f"{packed.name} holds no HTML pages. A WACZ file should end in .wacz.")
    if len(pages) > MAX_ENTRIES:
        raise UsageError(f"{packed.name} holds more than {MAX_ENTRIES:,} pages; cut it into several files.")
    for entry in pages:
        if entry.file_size > max(SMALL_BYTES, MAX_RATIO * entry.compress_size) or entry.file_size > MAX_ENTRY_BYTES:
            raise UsageError(f"{packed.name} holds a page that grows far too large when unpacked; take it out.")
    if sum(entry.file_size for entry in pages) > min(MAX_UNPACKED_BYTES, shutil.disk_usage(packed.parent).free):
        raise UsageError(f"{packed.name} is too large when unpacked; cut it into several files.")


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path) -> bool:
    parts = [part for part in PurePosixPath(entry.filename.replace("\\", "/")).parts if part not in ("/", "..", ".")]
    target = folder.joinpath(*(_plain(part)[-120:] for part in parts))
    if not target.resolve().is_relative_to(folder.resolve()):
        raise UsageError("A page of the zip file would be written outside of its folder; make the file again.")
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        return False
    with archive.open(entry) as source, target.open("xb") as file:
        # The size stated in the file may be a lie.
        left = entry.file_size
        while left >= 0 and (part := source.read(min(1 << 20, left + 1))):
            left -= len(part)
            file.write(part)
    if left < 0:
        raise UsageError("A page of the zip file is larger than the file says; make the file again.")
    return True
