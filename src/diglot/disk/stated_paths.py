"""Checks of the paths stated in a run folder. A folder may come from a stranger, so no path may lead outside of it."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path, PurePosixPath, PureWindowsPath

from diglot.errors import RunFolderError

_NAME = re.compile(r"[A-Za-z0-9_][\w-]{0,99}", re.ASCII)
_ARCHIVE = re.compile(r"crawl-\d{5,9}\.warc\.gz", re.ASCII)
INDEX = "pages.cdxj"
"""Index of the crawl's archive, where the archive holds more than the pages in use."""
_SUPER_JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
"""Last bytes of an SQLite journal that names another file, which SQLite would delete."""
_JOURNAL_FILES = ("journal.db", "journal.db-wal", "journal.db-shm", "journal.db-journal")
_ADVICE = "Diglot never writes this into a run; use a copy of the run that you trust, or make the run again"


def require_name(text: str) -> str:
    """A stage, or the key of a stage output; RunFolderError for a text that could lead to another folder."""
    if _NAME.fullmatch(text) is None:
        raise RunFolderError(f"{text[:80]!r}: no name of a stage file; {_ADVICE}")
    return text


def require_archive_name(place: Path, name: str) -> str:
    """Name of an archive file that the journal at ``place`` lists; RunFolderError for any other name."""
    if _ARCHIVE.fullmatch(name) is None:
        raise RunFolderError(f"{place}: lists {name[:80]!r} as a file of its archive; {_ADVICE}")
    return name


def is_of_crawl(name: str) -> bool:
    """Whether a file has the name of one that a crawl makes itself: of its archive, or of the index."""
    return name == INDEX or _ARCHIVE.fullmatch(name) is not None


def require_folder_inside(place: Path, text: object) -> str:
    """A folder relative to its run, as a note at ``place`` states it; RunFolderError for a path out of the run."""
    folder = text if isinstance(text, str) else ""
    parts = {*PurePosixPath(folder).parts, *PureWindowsPath(folder).parts}
    if not folder or "\0" in folder or ".." in parts or PureWindowsPath(folder).anchor or folder.startswith("/"):
        raise RunFolderError(f"{place}: states {str(text)[:80]!r} as a folder of the run; {_ADVICE}")
    return folder


def require_command(place: Path, text: object) -> str:
    """A command of Diglot that a person is asked to type; RunFolderError for a text that would do anything else."""
    words: list[str] = []
    if isinstance(text, str) and text.isprintable():
        try:
            words = shlex.split(text)
        except ValueError:  # an open quotation
            words = []
    # A shell reads the words as they are quoted here: no operator and no substitution is left.
    if words[:1] != ["diglot"] or shlex.join(words) != text:
        raise RunFolderError(f"{place}: states {str(text)[:80]!r} as a command of Diglot; {_ADVICE}")
    return text


def require_own_journal(run: Path) -> None:
    """Raise RunFolderError for a lock or journal that is a link or no file, and for a journal that names other files.

    SQLite would change the target of a link, and delete a file that a left journal names.
    """
    for name in ("run.lock", *_JOURNAL_FILES):
        path = run / name
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise RunFolderError(f"{path}: a link, or no file; {_ADVICE}")
    left = run / _JOURNAL_FILES[-1]
    if left.is_file() and left.read_bytes().endswith(_SUPER_JOURNAL_MARK):
        raise RunFolderError(f"{left}: names other files; {_ADVICE}")


def require_no_way_out(run: Path) -> None:
    """Raise RunFolderError for a link to a folder outside of the run, and for a link among the archive files.

    A command would write and delete in the folder, and cut the target of the link among the archive files.
    """
    root = run.resolve()
    for folder, folders, files in os.walk(run):
        for name in folders:
            path = Path(folder, name)
            if path.is_symlink() and root not in path.resolve().parents:
                raise RunFolderError(f"{path}: a link out of the run; put the folder itself there, or remove the link")
        for name in files:
            if _ARCHIVE.fullmatch(name) and Path(folder, name).is_symlink():
                raise RunFolderError(f"{folder}/{name}: a link; put the file itself there")
