"""Exceptions of Diglot.

::

    DiglotError                 one root: catch this and nothing of ours escapes
     ├── UsageError             invalid options or input                  (exit code 2)
     │    ├── SourceError       a source is missing, empty or of another format
     │    ├── LanguageError     an unknown language code
     │    ├── RecipeError       an unknown recipe, or an option unknown to it
     │    └── RunFolderError    a run folder that is in use, unreadable or unwritable
     ├── NothingFound           the run is complete and empty             (exit code 3)
     ├── Stopped                interrupted; the same command goes on     (exit code 130)
     ├── SitesFailed            the run is complete except lost sites     (exit code 5)
     ├── SiteOutage             an update found a site out of order       (exit code 6)
     ├── UnreadableDocument     a document gives no text
     └── NotBuilt               compiled modules are missing              (also an ImportError)

A message names the file, address or option and says what to try; no address in it has a password. Unreadable pages
raise nothing: they become a :class:`diglot.records.Drop` with a reason and are counted.
"""

from __future__ import annotations

import errno
import re
import traceback
from collections import Counter
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

_FULL = "the disk is full; free space"
CONTENT_DAMAGED = "its content is damaged"
_READ_ONLY = "the place is read-only; choose another, or make it writable"
_SYSTEM_ERRORS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: "the disk quota is used up; free space",
    errno.EROFS: _READ_ONLY,
    errno.EACCES: "no permission; change it, or choose another place",
    errno.EPERM: "no permission; change it, or choose another place",
    errno.ENOENT: "not there; check the name",
    errno.EEXIST: "a file of this name is there; choose another name",
    errno.ENOTDIR: "a part of the path is a file; check the name",
    errno.EISDIR: "a folder; name a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    errno.EIO: "the disk fails to read or write; check it",
    errno.EMFILE: "too many open files; allow more with `ulimit -n`",
    errno.ECONNREFUSED: "the connection is refused",
    errno.ECONNRESET: "the connection was cut",
    errno.EPIPE: "the connection was cut",
    errno.ETIMEDOUT: "no answer in time",
    errno.EHOSTUNREACH: "the host cannot be reached",
    errno.ENETUNREACH: "the network cannot be reached",
}
"""Meaning of an error number of the system, and advice."""
_LIBRARY_ERRORS = (
    ("database or disk is full", _FULL),
    ("No space left", _FULL),
    ("readonly database", _READ_ONLY),
    ("disk I/O error", "the disk is full, or fails; free space, or check it"),
    ("unable to open database file", "cannot be opened; check the folder and its permissions"),
    ("file is not a database", CONTENT_DAMAGED),
    ("database disk image is malformed", CONTENT_DAMAGED),
    ("file size is 0 bytes", "the file is empty"),
    ("CRC checksum verification failed", "a checksum does not match"),
    ("Parquet magic bytes not found", "the file is cut, or no Parquet file"),
    ("deserialize thrift", CONTENT_DAMAGED),
)
"""Our words for messages of SQLite and Arrow that contain a text; these errors have no numbers."""
_NUMBER = re.compile(r"\[Errno \d+\] ")
_USER = re.compile(r"(?:(?<=//)|(?<=:/))[^/?#\s]*@|(?<![^\s`'\"])(?!mailto:)[^/\\?#\s:@`'\"()]+:[^/\\?#\s]*@")
"""User name and password before a host. Without a scheme, as a person types an address, only both together."""


class DiglotError(Exception):
    """Root of all errors; ``exit_code``: exit status of the command line."""

    exit_code = 1
    summary: dict[str, Any] | None = None
    """Summary of a run that ended so; None where none was written."""

    def __init__(self, message: str = "") -> None:
        super().__init__(without_user(message))


class UsageError(DiglotError):
    """Invalid options or input."""

    exit_code = 2


class SourceError(UsageError):
    """A source is missing, empty, or of another format than its name says."""


class LanguageError(UsageError):
    """A language code outside BCP 47, or fewer than two languages."""


class RecipeError(UsageError):
    """An unknown recipe, an option unknown to the recipe, or a value out of range."""


class RunFolderError(UsageError):
    """A run folder that is unreadable, unwritable or in use by another run."""


class NothingFound(DiglotError):
    """The run is complete and empty; the funnel says what became of all pages and segments."""

    exit_code = 3


class SitesFailed(DiglotError):
    """The run is complete except for sites that killed their process or exceeded its limits."""

    exit_code = 5


class SiteOutage(DiglotError):
    """An update found more than a tenth of the pages missing, emptied, moved or replaced; their copies stay in use."""

    exit_code = 6


class Stopped(DiglotError):
    """Interrupted; finished work is kept and the same command goes on."""

    exit_code = 130


class UnreadableDocument(DiglotError):
    """A document that gives no text.

    ``reason``: ``no_reader``, ``encrypted``, ``no_text_layer``, ``damaged``, ``truncated``, ``too_large`` or
    ``several_languages``; ``detail``: what was found, in words.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(detail or reason)
        self.reason = reason
        self.detail = detail


class NotBuilt(DiglotError, ImportError):
    """Compiled modules are missing."""


def without_user(text: str) -> str:
    """A text whose addresses have no user name and no password, for messages.

    >>> without_user("http://me:secret@example.org/a@b")
    'http://example.org/a@b'
    >>> without_user("me:secret@example.org:8080"), without_user("pages@home.zip")
    ('example.org:8080', 'pages@home.zip')
    >>> without_user("write to mailto:ann@example.org, or Ann (mailto:ann@example.org)")
    'write to mailto:ann@example.org, or Ann (mailto:ann@example.org)'
    """
    return _USER.sub("", text)


def in_ascii(text: object) -> str:
    """The text in printable ASCII; control characters and all others are escaped, as in ``\\xe9``."""
    return ascii(str(text))[1:-1]


def describe_error(error: BaseException) -> str:
    """An error of the system, of SQLite or of Arrow in words for a person, without a number and on one line.

    >>> describe_error(OSError(28, "No space left on device"))
    'the disk is full; free space'
    """
    text = " ".join(str(error).split())[:300]
    if isinstance(error, OSError) and error.errno is not None:
        return _SYSTEM_ERRORS.get(error.errno, error.strerror or _NUMBER.sub("", text))
    if isinstance(error, UnicodeDecodeError):
        return "no text in UTF-8"
    known = (words for part, words in _LIBRARY_ERRORS if part in text)
    return next(known, _NUMBER.sub("", text) or type(error).__name__)


def describe_failure(error: BaseException) -> str:
    """An error at work on a page or a site, on one line: our own by its message, any other with its kind and place.

    >>> describe_failure(UsageError("say what you want"))
    'say what you want'
    >>> describe_failure(ValueError("no number"))
    'ValueError: no number'
    """
    text = " ".join(str(error).split())[:300]
    if isinstance(error, DiglotError):
        return text
    # The text of a SyntaxError has its place; Python's own frames, as of an import, say nothing of where to look.
    places = [each for each in traceback.extract_tb(error.__traceback__) if not each.filename.startswith("<frozen")]
    if isinstance(error, SyntaxError):
        places = []
    place = f" ({PurePath(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
    return f"{type(error).__name__}: {text}{place}"


def require_options(kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise :class:`UsageError` for an unknown option."""
    names = list(known)
    for name in given:
        if name not in names:
            raise UsageError(no_such(kind, name, names))


def require_distinct(kind: str, names: Iterable[str]) -> None:
    """Raise :class:`UsageError` for a name that a table has twice: one entry would take the place of the other.

    >>> require_distinct("flag", ["length_ratio", "numbers"])
    """
    for name, count in Counter(names).items():
        if count > 1:
            raise UsageError(f"{kind} {name!r}: the name is taken; choose another")


def no_such(kind: str, name: str, known: Iterable[str], meant: str = "") -> str:
    """Message for an unknown name, with a suggestion (``meant`` if known, else a near name) and all known names."""
    from difflib import get_close_matches

    names = list(known)
    near = [meant] if meant in names else get_close_matches(name.casefold(), names, n=1)
    begun = f"did you mean {near[0]}? There" if near else "there"
    return f"no {kind} {name!r}; {begun} are: {', '.join(names)}"
