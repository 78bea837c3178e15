"""What an update compares with, fixed in the journal before the first request until all of it is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from diglot.disk.folder import RunFolder

UPDATE, OPEN, LAST = "update", "open", "last"


@dataclass(frozen=True, slots=True)
class Baseline:
    """The run as it was. ``pages``: digest of each page in the archive, by address; ``texts``: hashes of the texts that
    were kept, by language pair (:func:`diglot.results.delta.kept_marks`); ``asked``: whether all pages wait to be asked
    for, or have been."""

    pages: dict[str, str]
    texts: dict[str, str]
    asked: bool = False


def open_update(folder: RunFolder) -> Baseline | None:
    """That of an update that was begun and not ended, None where there is none."""
    found = folder.recall(UPDATE, OPEN)
    return None if found is None else Baseline(**found)


def set_open(folder: RunFolder, baseline: Baseline) -> Baseline:
    """Begin an update, or note how far it has come; returns the baseline."""
    folder.remember(UPDATE, OPEN, asdict(baseline))
    return baseline


def end_update(folder: RunFolder, baseline: Baseline) -> None:
    """Note that all is done; of the baseline only the hashes are kept, to make ``out/delta`` again from."""
    folder.remember(UPDATE, LAST, baseline.texts)
    folder.forget_note(UPDATE, OPEN)


def last_texts(folder: RunFolder) -> dict[str, str] | None:
    """``texts`` of the last update that was ended, None where there was none."""
    found: dict[str, str] | None = folder.recall(UPDATE, LAST)
    return found


def forget_pages(folder: RunFolder, gone: Callable[[str], bool]) -> None:
    """Take addresses out of the baseline of an update that is open."""
    baseline = open_update(folder)
    if baseline is not None:
        set_open(folder, replace(baseline, pages={url: d for url, d in baseline.pages.items() if not gone(url)}))
