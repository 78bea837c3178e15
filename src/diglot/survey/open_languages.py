"""Languages that are asked for as ``all`` or ``en,*``: found out from the sources, then a run has them as if typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from diglot.disk.folder import RunFolder
from diglot.languages import open_languages
from diglot.pages import Source
from diglot.progress import Progress
from diglot.run.settings import Settings
from diglot.run.work import CRAWL
from diglot.survey.sampling import Survey, survey

LANGUAGES = "languages"
"""Kind and key of the note in which a run says which languages were found when they were asked for so."""


class Decided(NamedTuple):
    """What ``all`` or ``en,*`` came to."""

    langs: tuple[str, ...]
    pivot: str
    note: dict[str, Any]
    """What the run remembers of it, and writes into its ``diglot.toml``."""


def as_typed(langs: str | Sequence[str]) -> str:
    """A list of languages in one word."""
    return langs if isinstance(langs, str) else ",".join(langs)


def decide(
    asked: str | Sequence[str],
    sources: Sequence[Source],
    settings: Settings,
    out: Path | None = None,
    *,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Decided:
    """The languages of a run of these sources that asks for ``all`` or ``en,*``.

    One language named beside ``*`` is the pivot, unless ``settings`` has one. ``out``: the folder of the run, which is
    believed where it says what was found in the same files before. Raises NothingFound for fewer than two languages.
    """
    named = open_languages(asked) or ()
    hashes = [source.fingerprint() for source in sources] if out is not None else []
    note = _remembered(out, as_typed(asked), hashes) if out is not None else None
    if note is None:
        seen = survey(sources, jobs=jobs, progress=progress, max_page_bytes=settings.max_page_bytes)
        note = _note(as_typed(asked), seen, seen.languages_for(named), hashes)
    return Decided(tuple(note["langs"]), settings.pivot or (named[0] if len(named) == 1 else ""), note)


def _note(asked: str, seen: Survey, langs: Sequence[str], hashes: Sequence[str]) -> dict[str, Any]:
    return {
        "asked": asked,
        "langs": list(langs),
        "pages": {found.tag: found.pages for found in seen.languages},
        "left_out": dict(seen.left_out),
        "looked_at": seen.looked_at,
        "hashes": list(hashes),
    }


def _remembered(out: Path, asked: str, hashes: Sequence[str]) -> dict[str, Any] | None:
    """The note of a run of the same files, or of the same crawl, which may have grown."""
    if not (out / "journal.db").is_file():
        return None
    with RunFolder(out, create=False) as folder:
        note = folder.recall(LANGUAGES, LANGUAGES)
        if not note or note["asked"] != asked:
            return None
        return note if note["hashes"] == list(hashes) or folder.recall(CRAWL, "options") else None


def keep_note(folder: RunFolder, note: Mapping[str, Any] | None) -> None:
    """Keep what was found in the run, or forget what was found for another list of languages."""
    if note:
        folder.remember(LANGUAGES, LANGUAGES, dict(note))
    else:
        folder.forget_note(LANGUAGES, LANGUAGES)


def told_of(folder: RunFolder) -> dict[str, Any] | None:
    """What ``diglot.toml`` says of languages that were asked for as ``all`` or ``en,*``."""
    note = folder.recall(LANGUAGES, LANGUAGES)
    return {name: value for name, value in note.items() if name not in ("langs", "hashes")} if note else None
