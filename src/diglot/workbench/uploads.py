"""Files that the user drops: stored within bounds, and zip files unpacked within bounds."""

from __future__ import annotations

import re
import shutil
import zipfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from diglot.document_kinds import DOCUMENT_EXTENSIONS, SAVE_AS, ZIP_ERRORS, other_kind_by_name
from diglot.errors import UsageError, describe_error
from diglot.file_extensions import HTML_EXTENSIONS, OTHER_EXTENSIONS
from diglot.layout import count_text
from diglot.workbench.shelf import plain_name

MAX_UPLOAD_BYTES = 2 << 30
MAX_ENTRIES = 200_000
MAX_ENTRY_BYTES = 64 << 20
MAX_UNPACKED_BYTES = 8 << 30
MAX_RATIO = 200
"""Largest size of an unpacked file over its packed size; text packs to a tenth, and a bomb to a thousandth."""
SMALL_BYTES = 1 << 20
"""Size below which the ratio does not matter."""
FREE_BYTES = 512 << 20
"""Space that stays free on the disk, for what is made of large files."""
LEAST_FREE_BYTES, FREE_TIMES = 64 << 20, 8
"""Space that stays free beside a small file: for journals, and for each byte of the file as many as its pages, segments
and outputs take."""
ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz", ".wacz", ".lett", ".lett.gz")
"""Ends of names in :data:`diglot.pages.containers.CONTAINERS`, but of indexes: the workbench loads no reader."""
DOCUMENTS = (*sorted(DOCUMENT_EXTENSIONS), ".html", ".htm", ".xhtml", ".txt")
"""Endings of the documents that :mod:`diglot.workbench.two_documents` aligns."""
READ = (*ARCHIVES, ".zip", *DOCUMENTS)
"""Endings of the files that the workbench reads."""
SHEETS = (".xlsx", ".csv", ".tsv", ".txt")
"""Endings of sheets with verdicts."""
LEFT_OUT = "left_out.json"
"""File beside dropped files: how many files of their zip files are left out, by reason."""
ARCHIVE = "an archive or a zip file inside of a zip file; drop it without the zip file around it"
TEXT = "a plain text (.txt); it is aligned only if it is one of two documents dropped by themselves"
LEADS_UP = "a path with .. inside of a zip file; pack the folder of the pages again"
TWICE = "another dropped page has the same path, or the name of its folder"
HELPERS = ("__MACOSX", "hts-cache", "hts-log.txt")
"""Files and folders that macOS and HTTrack put beside the user's own."""
UTF8_FLAG = 0x800
"""Flag of an entry whose name is stated to be UTF-8 (APPNOTE of PKWARE, 4.4.4)."""
MAX_SENT_CHARS = 1_000
"""Most characters read of a name, from its end: in a zip file, and from a browser."""
MAX_NAME_BYTES = 255
"""Of a file on the usual disks."""
MAX_NAME_CHARS = 60
"""Characters of the name of a sheet, from its end; a character has four bytes at most."""
MAX_SUFFIX_CHARS = 10
"""Characters of an extension that stay when a name is cut."""
_COUNT = re.compile("[0-9]{1,9}")
_CONTROLS = dict.fromkeys((*range(0x20), 0x7F), "-")


def file_name(sent: str) -> str:
    """A name for a dropped file: its own without folders, and without characters that a disk may refuse.

    Raises: UsageError for a kind of file that Diglot does not read.
    """
    name = _name_of(sent)
    if name.lower().endswith(SHEETS) and not _ending_of(name):
        raise UsageError(
            f"{name} is a sheet. Open its site: under Download, More, you can import the sheet with your verdicts."
        )
    if not _ending_of(name) and (kind := other_kind_by_name(name)):
        raise UsageError(f"{name} is {kind}, which Diglot does not read; {SAVE_AS}.")
    if not _ending_of(name):
        raise UsageError(
            f"{name or 'This file'} is of another kind. Drop WARC or WACZ files, HTML pages or documents or a zip of "
            "them, or a TMX memory."
        )
    return _cut(name, _ending_of(name))


def left_out_lines(sent: Sequence[str], more: str) -> list[str]:
    """A sentence for each file that was left out of a drop, and one for the number of ``more`` files.

    >>> left_out_lines(["slides.pptx", "notes.xyz"], "1")[1:]
    ['notes.xyz is left out: Diglot does not read such files.', '1 more file is left out.']
    """
    lines = []
    for name in map(_name_of, sent):
        if not name:
            lines.append("A file without a name is left out.")
            continue
        kind = other_kind_by_name(name)
        why = f"it is {kind}, which Diglot does not read; {SAVE_AS}" if kind else "Diglot does not read such files"
        lines.append(f"{name} is left out: {why}.")
    count = int(more) if _COUNT.fullmatch(more) else 0
    if count:
        lines.append(f"{count_text(count, 'more file')} {'is' if count == 1 else 'are'} left out.")
    return lines


def sheet_name(sent: str) -> str:
    """A name for a sheet with verdicts. Raises: UsageError for another kind of file."""
    name = _name_of(sent)
    if not name.lower().endswith(SHEETS):
        raise UsageError(f"{name or 'This file'} is no sheet. Choose an Excel, CSV or TSV file of this site.")
    return name[-MAX_NAME_CHARS:]


def _name_of(sent: str) -> str:
    """The name that a browser sent, without folders."""
    return plain_name(sent[-MAX_SENT_CHARS:].replace("\\", "/").rpartition("/")[2]).strip(". -")


def stem_of(file: str) -> str:
    """The name of a dropped file without the ending that says its kind."""
    return file.removesuffix(_ending_of(file))


def free_name(folder: Path, file: str) -> str:
    """The name of a dropped file, with a number where the folder has another of this name: ``guide-2.txt``."""
    name, number = file, 1
    while (folder / name).exists():
        number += 1
        name = _cut(stem_of(file), f"-{number}{_ending_of(file)}")
    return name


def _ending_of(name: str) -> str:
    return next((name[-len(ending) :] for ending in READ if name.lower().endswith(ending)), "")


def _cut(name: str, ending: str) -> str:
    """A name within :data:`MAX_NAME_BYTES`, with its beginning and its ending."""
    most = max(0, MAX_NAME_BYTES - len(ending.encode()))
    return name.removesuffix(ending).encode("utf-8", "replace")[:most].decode("utf-8", "ignore") + ending


async def store(parts: AsyncIterator[bytes], path: Path, max_bytes: int = MAX_UPLOAD_BYTES) -> None:
    """Store a file as it arrives; nothing is left of one that is too large.

    Raises: UsageError for more than ``max_bytes``, and for a disk without room for the file and the work on it.
    """
    written, is_own = 0, False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(path.parent).free
        with path.open("xb") as file:
            is_own = True
            async for part in parts:
                written += len(part)
                if written > max_bytes:
                    raise UsageError(too_large(max_bytes))
                kept = min(FREE_BYTES, LEAST_FREE_BYTES + FREE_TIMES * written)
                if written > free - kept:
                    raise UsageError(_no_room(kept, free - written))
                file.write(part)
    except BaseException as error:
        # A file that took the name meanwhile is of somebody else.
        if is_own:
            with suppress(OSError):
                path.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"The file cannot be stored: {describe_error(error)}.") from error
        raise


def _no_room(kept: int, left_bytes: int) -> str:
    """The sentence for a disk that has less space left beside the file than stays free.

    >>> _no_room(512 << 20, 300 << 20)
    'Diglot keeps 512 MB free here for its work on the file; only 300 MB are left. Free space.'
    """
    # Rounded to both sides, so that the numbers never say that there is room.
    needed, left = -(-kept >> 20), max(0, left_bytes) >> 20
    return f"Diglot keeps {needed:,} MB free here for its work on the file; only {left:,} MB are left. Free space."


def too_large(max_bytes: int) -> str:
    """The sentence for a file above the limit."""
    return f"The file is larger than {max_bytes / (1 << 30):.3g} GB. Use `diglot harvest` in a terminal for it."


def left_out_notes(counts: Mapping[str, int]) -> list[str]:
    """A sentence for each reason why files are left out, with their number.

    >>> left_out_notes({LEADS_UP: 1})
    ['1 left out: a path with .. inside of a zip file; pack the folder of the pages again.']
    """
    return [f"{count:,} left out: {reason}." for reason, count in counts.items()]


def unpack_pages(packed: Path, folder: Path) -> Counter[str]:
    """Unpack the pages of a zip file into a folder, and count files left out that the user may miss, by reason.

    Raises: UsageError for a damaged file, a file without pages, and a file that grows beyond the bounds.
    """
    with _tell_damage(packed), zipfile.ZipFile(packed) as archive:
        pages, left_out = _choose_pages(archive)
        _check_sizes(packed, pages, left_out)
        written: list[Path] = []
        try:
            left_out.update(TWICE for entry in pages if not _unpack(archive, entry, folder, written))
        except BaseException:
            # At the next look, half a page would count as a page, and a whole page as another of the same path.
            for path in written:
                path.unlink(missing_ok=True)
            raise
        return left_out


@contextmanager
def _tell_damage(packed: Path) -> Iterator[None]:
    """Raise UsageError where a zip file cannot be read, or its pages cannot be written."""
    try:
        yield
    except ZIP_ERRORS as error:
        raise UsageError(f"{packed.name} is damaged, or locked with a password; make it again.") from error
    except OSError as error:
        raise UsageError(f"{packed.name} cannot be unpacked: {describe_error(error)}.") from error


def _choose_pages(archive: zipfile.ZipFile) -> tuple[list[zipfile.ZipInfo], Counter[str]]:
    """The pages and documents in a zip file, and the numbers of files left out that the user may miss, by reason."""
    pages: list[zipfile.ZipInfo] = []
    left_out: Counter[str] = Counter()
    for entry in filter(_is_file, archive.infolist()):
        if why := _why_left_out(entry):
            left_out[why] += 1
        elif _is_page(entry):
            pages.append(entry)
    return pages, left_out


def _is_file(entry: zipfile.ZipInfo) -> bool:
    """Whether an entry is a file that a system shows: no folder, no link, not hidden."""
    is_link = entry.external_attr >> 28 == 0xA
    hidden = any((part.startswith(".") and part != "..") or part in HELPERS for part in _path_of(entry).parts)
    return not (entry.is_dir() or is_link or hidden)


def _why_left_out(entry: zipfile.ZipInfo) -> str:
    """Why a file is left out that the user may miss; "" for other files."""
    path = _path_of(entry)
    if path.name.lower().endswith((*ARCHIVES, ".zip")):
        return ARCHIVE
    if path.suffix.lower() == ".txt":
        return TEXT
    return LEADS_UP if ".." in path.parts and _is_page(entry) else ""


def _is_page(entry: zipfile.ZipInfo) -> bool:
    """Whether a file may be a page or a document by its name; the harvest looks at its bytes."""
    suffix = _path_of(entry).suffix.lower()
    if suffix in OTHER_EXTENSIONS - DOCUMENT_EXTENSIONS:
        return False
    # A file of another ending that is as large as a film is no page.
    return suffix in HTML_EXTENSIONS or suffix in DOCUMENTS or not _grows_too_large(entry)


def _path_of(entry: zipfile.ZipInfo) -> PurePosixPath:
    name = entry.filename
    # macOS writes UTF-8 and does not set the flag; the module zipfile reads cp437 then. A name in another encoding is
    # next to never valid UTF-8.
    if not entry.flag_bits & UTF8_FLAG:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return PurePosixPath(name.replace("\\", "/"))


def _grows_too_large(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > max(SMALL_BYTES, MAX_RATIO * entry.compress_size) or entry.file_size > MAX_ENTRY_BYTES


def _check_sizes(packed: Path, pages: Sequence[zipfile.ZipInfo], left_out: Mapping[str, int]) -> None:
    if not pages and {*left_out} - {ARCHIVE}:
        raise UsageError(f"{packed.name} gives no page. {' '.join(left_out_notes(left_out))}")
    if not pages:
        raise UsageError(
            f"{packed.name} holds no pages and no documents. Drop WARC files and zip files without a zip file around "
            "them; a WACZ file should end in .wacz."
        )
    if len(pages) > MAX_ENTRIES:
        raise UsageError(f"{packed.name} holds more than {MAX_ENTRIES:,} pages; cut it into several files.")
    if any(map(_grows_too_large, pages)):
        raise UsageError(f"{packed.name} holds a page that grows far too large when unpacked; take it out.")
    if sum(entry.file_size for entry in pages) > min(MAX_UNPACKED_BYTES, shutil.disk_usage(packed.parent).free):
        raise UsageError(f"{packed.name} is too large when unpacked; cut it into several files.")


def _unpack(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, folder: Path, written: list[Path]) -> bool:
    """Unpack a page, and add its path to ``written`` before its first byte; whether its path was free."""
    parts = [part for part in _path_of(entry).parts if part != "/"]
    # A page keeps its name, which is a part of its address.
    names = [part[-MAX_SENT_CHARS:].translate(_CONTROLS) for part in parts]
    target = folder.joinpath(*(_cut(name, PurePosixPath(name).suffix[-MAX_SUFFIX_CHARS:]) for name in names))
    if not target.resolve().is_relative_to(folder.resolve()):
        raise UsageError("A page of the zip file would be written outside of its folder; make the file again.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):  # a page has the name of the folder
        return False
    if target.exists():
        return False
    with archive.open(entry) as source, target.open("xb") as file:
        written.append(target)
        # The size stated in the file may be a lie.
        left = entry.file_size
        while left >= 0 and (part := source.read(min(1 << 20, left + 1))):
            left -= len(part)
            file.write(part)
    if left < 0:
        raise UsageError("A page of the zip file is larger than the file says; make the file again.")
    return True
