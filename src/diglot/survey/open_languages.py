"""Languages asked for as ``all`` or ``en,*``: detected in the sources, and then used as if typed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa

from diglot.disk.folder import RunFolder
from diglot.languages import open_languages
from diglot.pages import Source
from diglot.pages.forgotten import forgotten_of
from diglot.progress import Progress
from diglot.run.read import source_key
from diglot.run.settings import Settings
from diglot.run.work import CRAWL, DOCUMENTS
from diglot.survey.sampling import Survey, survey

LANGUAGES = "languages"
"""Kind and key of the note on detected languages."""


class Detected(NamedTuple):
    """Detected languages of a run."""

    langs: tuple[str, ...]
    pivot: str
    note: dict[str, Any]
    """Note for the journal and ``diglot.toml``."""


def as_typed(langs: str | Sequence[str]) -> str:
    """A list of languages as a single text."""
    return langs if isinstance(langs, str) else ",".join(langs)


def detect_languages(
    asked: str | Sequence[str],
    sources: Sequence[Source],
    settings: Settings,
    folder: RunFolder | None = None,
    *,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Detected:
    """Languages of a run asking for ``all`` or ``en,*``.

    A single language named beside ``*`` is the pivot, unless ``settings`` has one. ``folder``: of the run;
    an earlier note there is used for the same files. Raises NothingFound for fewer than two languages.
    """
    named = open_languages(asked) or ()
    hashes = [source.fingerprint() for source in sources] if folder is not None else []
    note = _earlier_note(folder, as_typed(asked), hashes) if folder is not None else None
    if note is None:
        keep = None
        # A run that has read nothing yet keeps the parsed pages; the survey reads forgotten pages, a run never does.
        if folder is not None and not folder.recall("run", DOCUMENTS) and not forgotten_of(folder):
            names = [source.name for source in sources]
            keys = {name: source_key(name, mark, settings) for name, mark in zip(names, hashes, strict=True)}
            keep = partial(_keep, folder, keys)
        seen = survey(
            sources,
            jobs=jobs,
            progress=progress,
            max_page_bytes=settings.max_page_bytes,
            split_pages=settings.split_pages,
            keep=keep,
        )
        note = _note(as_typed(asked), seen, seen.languages_for(named), hashes)
    return Detected(tuple(note["langs"]), settings.pivot or (named[0] if len(named) == 1 else ""), note)


def _keep(folder: RunFolder, keys: Mapping[str, str], source: Source, number: int, documents: pa.Table) -> None:
    """Write documents into a run, as the read stage does; ``keys``: of the documents, by name of the source."""
    folder.write_shard(DOCUMENTS, keys[source.name], number, documents.combine_chunks())


def _note(asked: str, seen: Survey, langs: Sequence[str], hashes: Sequence[str]) -> dict[str, Any]:
    return {
        "asked": asked,
        "langs": list(langs),
        "pages": {found.tag: found.pages for found in seen.languages},
        "left_out": dict(seen.left_out),
        "looked_at": seen.looked_at,
        "hashes": list(hashes),
    }


def _earlier_note(folder: RunFolder, asked: str, hashes: Sequence[str]) -> dict[str, Any] | None:
    """Note of an earlier run on the same files, or on the same crawl, grown or not."""
    note: dict[str, Any] | None = folder.recall(LANGUAGES, LANGUAGES)
    if not note or note["asked"] != asked:
        return None
    # The archive of a crawl grows, so its hashes do not count.
    return note if note["hashes"] == list(hashes) or folder.recall(CRAWL, "options") else None


def keep_note(folder: RunFolder, note: Mapping[str, Any] | None) -> None:
    """Store the note in the run, or delete an earlier one for another list of languages."""
    if note:
        folder.remember(LANGUAGES, LANGUAGES, dict(note))
    else:
        folder.forget_note(LANGUAGES, LANGUAGES)


def languages_table(folder: RunFolder) -> dict[str, Any] | None:
    """Table ``languages`` of ``diglot.toml``."""
    note = folder.recall(LANGUAGES, LANGUAGES)
    return {name: value for name, value in note.items() if name not in ("langs", "hashes")} if note else None
