"""Baseline of an update, fixed in the journal before the first request until the update is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from diglot.disk.folder import RunFolder

UPDATE, OPEN, LAST = "update", "open", "last"


@dataclass(frozen=True, slots=True)
class Baseline:
    """State of a run before an update. ``pages``: digest of every archived page, by address; ``texts``: hashes of kept
    texts by language pair (:func:`diglot.results.delta.kept_marks`); ``asked``: whether all pages have been queued
    again."""

    pages: dict[str, str]
    texts: dict[str, str]
    asked: bool = False


def open_update(folder: RunFolder) -> Baseline | None:
    """Baseline of an unfinished update; None without one."""
    found = folder.recall(UPDATE, OPEN)
    return None if found is None else Baseline(**found)


def set_open(folder: RunFolder, baseline: Baseline) -> Baseline:
    """Begin an update, or note progress; returns the baseline."""
    folder.remember(UPDATE, OPEN, asdict(baseline))
    return baseline


def end_update(folder: RunFolder, baseline: Baseline) -> None:
    """Note the end of an update. Only the hashes stay, to write ``out/delta`` again."""
    folder.remember(UPDATE, LAST, baseline.texts)
    folder.forget_note(UPDATE, OPEN)


def last_texts(folder: RunFolder) -> dict[str, str] | None:
    """``texts`` of the last finished update; None without one."""
    found: dict[str, str] | None = folder.recall(UPDATE, LAST)
    return found


def forget_pages(folder: RunFolder, gone: Callable[[str], bool]) -> None:
    """Remove addresses from the baseline of an unfinished update."""
    baseline = open_update(folder)
    if baseline is not None:
        set_open(folder, replace(baseline, pages={url: d for url, d in baseline.pages.items() if not gone(url)}))
