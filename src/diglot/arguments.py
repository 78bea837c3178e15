"""Arguments of the functions for Python: types of paths and keywords.

The command line has an option for each keyword, and a test compares both. Meanings are in the reference of commands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict, get_type_hints

from diglot.errors import SourceError

PathLike: TypeAlias = str | os.PathLike[str]
"""A path, or a :class:`diglot.Run` for the path of its folder."""
Sources: TypeAlias = PathLike | Sequence[PathLike]
"""Files, folders and addresses, as on the command line."""
Langs: TypeAlias = str | Sequence[str]
"""BCP 47 tags: ``"en,fr"``, or a sequence."""

PAGES_WITHOUT_CONTACT = 500
"""Page limit of a crawl without a contact address in the agent name."""
MANY_PAIRS = 12
"""Language pairs above which a run names ``--folders``, or has folders where Diglot chose the languages: with four
files each they are more than fifty in one folder."""
DELAY_S = 1.0
"""Seconds between the end of an answer and the next request to its host, unless robots.txt asks for more."""


class SourceKeywords(TypedDict, total=False):
    """How sources are opened, and their pages taken."""

    base_url: str
    warc_prefix: str
    hosts: Sequence[str]
    skip_unreadable: bool
    split_pages: bool


class ReadKeywords(SourceKeywords, total=False):
    """How pages are read."""

    lang_from: Literal["weighed", "text", "declared", "path"]
    lang_rules: Sequence[str]
    max_page_bytes: int
    """Longer pages are dropped; only in Python."""


class CleaningKeywords(TypedDict, total=False):
    """Which segments are kept."""

    min_score: float | None
    """In [0, 1]."""
    keep: Sequence[str]
    drop: Sequence[str]
    pii: Literal["flag", "mask", "off"]
    offensive: str


class RunKeywords(ReadKeywords, CleaningKeywords, total=False):
    """Options of a run beside its sources, languages, recipe and crawl."""

    pivot: str
    one_site: bool
    folders: bool
    min_prob: float
    """In [0, 1]."""


class ChoiceKeywords(TypedDict, total=False):
    """Which segments are exported: see :meth:`diglot.Run.export`."""

    min_prob: float
    min_score: float | None
    excluded: frozenset[str] | None
    langs: Langs


class ExportKeywords(ChoiceKeywords, total=False):
    """Which segments are exported, and how they are written: see :meth:`diglot.Run.export`."""

    variants: str | Sequence[str]
    pivot: str
    spreadsheet: bool


class CrawlKeywords(TypedDict, total=False):
    """Options of a crawl."""

    max_pages: int
    max_documents: int
    no_documents: bool
    max_requests: int
    """Requests of every kind; only in Python."""
    max_time_s: float
    include: Sequence[str]
    exclude: Sequence[str]
    delay_s: float
    proxy: str
    agent: str
    allow_hosts: Sequence[str]
    browser: Sequence[str]
    max_page_bytes: int
    """Longer pages are cut off; only in Python."""


_OWN_ARGUMENTS = (
    *("believe", "gold", "host", "ignore", "jobs", "langs", "least", "out"),
    *("overwrite", "recipes", "regex", "termhood", "url"),
)
"""Arguments in messages that functions name themselves, and no keywords above."""
_OPTIONS = {
    **{
        name: f"--{name.replace('_', '-')}"
        for keywords in (RunKeywords, ExportKeywords, CrawlKeywords)
        for name in keywords.__annotations__
    },
    **{name: f"--{name}" for name in _OWN_ARGUMENTS},
    "allow_hosts": "--allow-host",
    "delay_s": "--delay",
    "hosts": "--host",
    "lang_rules": "--lang",
    "langs": "-l",
    "max_time_s": "--max-time",
    "out": "-o",
    "variants": "--variant",
}
"""The option of the command line for an argument."""
# An argument follows white space or begins the message: in ?langs=en it is part of an address. (?=[a-z]) stands first
# for speed: else all names would be tried at every blank of a blank line.
_ARGUMENT = re.compile(rf"(?=[a-z])(?<!\S)({'|'.join(_OPTIONS)})=(True\b)?(?=([^\s:;,]?))")

_KINDS = {name: kind for each in (RunKeywords, CrawlKeywords) for name, kind in get_type_hints(each).items()}
_ARGUMENTS = {_OPTIONS[name]: name for name in _KINDS}
_MAIL = re.compile(r"(?:mailto:)?[^\s/@:?#]++@[^\s/@:?#]++", re.IGNORECASE)
_COMMAND = re.compile(r"(`[^`]*`|\bdiglot .*)")
_OPTION = re.compile(rf"(?<!\S)({'|'.join(_ARGUMENTS)})(?![\w-])(?: ('[^']*')| (\d[\d,]*\d|\d))?")


def as_options(message: str) -> str:
    """A message that names arguments of Python, with the options of the command line in their place.

    >>> as_options("max_pages=900: above 500, tell the site whom to write to: agent='NAME (+https://you.example)'")
    "--max-pages 900: above 500, tell the site whom to write to: --agent 'NAME (+https://you.example)'"
    >>> as_options("run: is not empty; choose another folder, or say overwrite=True")
    'run: is not empty; choose another folder, or say --overwrite'
    >>> as_options("ignore= needs gold=: https://a.example/?langs=en")
    '--ignore needs --gold: https://a.example/?langs=en'
    """
    return _ARGUMENT.sub(_as_option, message)


def _as_option(argument: re.Match[str]) -> str:
    name, switch, value = argument.groups()
    return _OPTIONS[name] + (" " if value and not switch else "")


def as_arguments(message: str) -> str:
    """A note, which names options of the command line, with arguments of Python in their place.

    Commands stay as they are, in backticks or after ``diglot``.

    >>> as_arguments("stopped at --max-pages 1,000; try --browser '*', or give --one-site: see `diglot pair --recipe`")
    "stopped at max_pages=1_000; try browser=['*'], or give one_site=True: see `diglot pair --recipe`"
    >>> as_arguments("--host takes hosts of its addresses"), as_arguments("diglot align a b --lang x")
    ('hosts= takes hosts of its addresses', 'diglot align a b --lang x')
    """
    parts = _COMMAND.split(message)
    return "".join(part if number % 2 else _OPTION.sub(_as_argument, part) for number, part in enumerate(parts))


def _as_argument(option: re.Match[str]) -> str:
    name, text, number = _ARGUMENTS[option[1]], option[2] or "", option[3] or ""
    if _KINDS[name] is bool:
        return f"{name}=True"
    if text and _KINDS[name] == Sequence[str]:
        text = f"[{text}]"
    return f"{name}={text}{number.replace(',', '_')}"


def is_mail_address(text: str) -> bool:
    """Whether a text is a mail address, which names no website.

    >>> is_mail_address("ann@example.org"), is_mail_address("me:secret@example.org"), is_mail_address("a@b.org/c")
    (True, False, False)
    """
    return _MAIL.fullmatch(text.strip()) is not None


def path_list(source: Sources) -> list[str]:
    """One source or several, as a list of texts; a host such as ``www.example.org`` becomes an address.

    Raises: :class:`SourceError` for an empty name.

    >>> path_list("site.warc.gz"), path_list(["a.warc.gz", "www.example.org/docs"])
    (['site.warc.gz'], ['a.warc.gz', 'https://www.example.org/docs'])
    """
    paths = [os.fspath(path) for path in ([source] if isinstance(source, str | os.PathLike) else source)]
    if not all(path.strip() for path in paths):
        raise SourceError("'' names no source; give a web address, a file or a folder (this folder is .)")
    # Files are not named so, and a person leaves https:// out, as browsers do.
    return [
        f"https://{path}" if path.lower().startswith("www.") and not os.path.exists(path) else path for path in paths
    ]
