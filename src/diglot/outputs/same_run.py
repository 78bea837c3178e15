"""Protect the run in a folder from another run, and delete outputs of earlier options."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from diglot.disk.folder import RUN_PLAN, RunFolder
from diglot.errors import DiglotError, RunFolderError, UsageError
from diglot.outputs.corpus_files import OUT
from diglot.outputs.exports import OWN, exports_of
from diglot.outputs.made_files import clear_outputs
from diglot.pages.address import normalise_address
from diglot.progress import Progress
from diglot.recipes.recipe import ALIGNER_OPTIONS
from diglot.run.log import LOG
from diglot.run.settings import Settings
from diglot.run.striking import is_merge
from diglot.run.work import CRAWL, MERGED, OUTDATED, PAIRS, RESOLVED, SEGMENTS, WARC, Work, require_stages

MEANT = "choose another folder, or say overwrite=True"
CLEANING = ("min_prob", "min_score", "keep", "drop", "pii", "offensive")
"""Options for keeping or leaving out segments; they change no segment."""

FILE_ENDS = frozenset(
    (".tmx", ".tsv", ".csv", ".json", ".jsonl", ".parquet", ".xlf", ".xlsx", ".db", ".txt", ".gz", ".zip")
)
"""Ends of names that people give to a file and not to a folder."""


@contextmanager
def own_folder(
    out: str | os.PathLike[str], *, overwrite: bool = False, files: Iterable[str] = ()
) -> Iterator[RunFolder]:
    """Open and lock the folder of a run, new or to be resumed.

    The folder stays open for reading after the block, unless an error ends the block. Then all files of a new run are
    removed, unless a page was fetched or ``diglot.toml`` written. ``files``: sources other than web addresses.

    Raises: RunFolderError for a folder in use by another process, and, unless ``overwrite`` is set, for a folder with
    other content or a merge; UsageError for a folder that is a source, or for the name of a file.
    """
    path = Path(out)
    # The run could not be resumed by the same command: a run folder is no source.
    if any(path.resolve() == Path(file).resolve() for file in files):
        raise UsageError(f"{path}: is a source; name another folder for the run")
    if path.suffix.lower() in FILE_ENDS and not path.exists():
        raise UsageError(f"{path}: a run is a folder of many files; name a folder, as in {path.with_suffix('')}")
    if not overwrite:
        require_empty(path)
    is_new, is_first = not path.exists(), not (path / "journal.db").exists()
    try:
        with ExitStack() as on_error:
            folder = on_error.enter_context(RunFolder(path))
            if not overwrite:
                require_no_merge(folder)
            with folder.lock():
                yield folder
            on_error.pop_all()
    except (DiglotError, KeyboardInterrupt):
        if is_first and path.is_dir() and not _is_begun(path):
            _remove_new_files(path, is_new=is_new)
        raise


def _is_begun(run: Path) -> bool:
    # The crawler takes long to load, so it is imported only after an error.
    from diglot.run.crawl import has_pages

    return (run / "diglot.toml").exists() or has_pages(run)


def _remove_new_files(run: Path, *, is_new: bool) -> None:
    """Remove the folder if ``is_new``, else the files that a run that has not begun leaves in it."""
    if is_new:
        shutil.rmtree(run, ignore_errors=True)
        return
    for path in [*run.glob("journal.db*"), *run.glob("run.lock*"), run / LOG, run / OUT / "fetches.tsv"]:
        path.unlink(missing_ok=True)


def require_empty(out: Path) -> None:
    """Raise :class:`RunFolderError` for a folder with other content than a run, and :class:`UsageError` for ``-``."""
    if str(out) == "-":
        raise UsageError("out=-: a run is a folder; name one, and `diglot export -o` writes its segments elsewhere")
    ours = (out / "journal.db").is_file() or (out / RUN_PLAN).is_file()
    if not ours and out.is_dir() and any(out.iterdir()):
        raise RunFolderError(f"{out}: is not empty, and no run folder; {MEANT}")


def require_no_merge(folder: RunFolder) -> None:
    """Raise :class:`RunFolderError` for a merge of runs."""
    if is_merge(folder):
        raise RunFolderError(f"{folder.path}: holds a merge of runs; {MEANT}")


def drop_merge(folder: RunFolder, progress: Progress) -> None:
    """Delete a merge with its outputs and exports, and report it; then the folder may become that of a run."""
    if not is_merge(folder):
        return
    folder.remember(*OUTDATED, "the merge")
    drop_outputs(folder, progress)
    folder.written.remove(folder.path / "diglot.toml")
    for stage in (RESOLVED, PAIRS, SEGMENTS):
        folder.forget_note("run", stage)
    folder.forget_note(MERGED, MERGED)
    progress.start("merge", None, "")
    progress.finish("deleted with its outputs; the runs that it was made of stay")


def require_same_langs(folder: RunFolder, langs: Sequence[str]) -> None:
    """Raise :class:`RunFolderError` for a run of files in other languages; a crawl may be used for other languages."""
    if folder.recall(CRAWL, "options"):
        return
    before = _languages(stated_settings(folder))
    if before and before != tuple(langs):
        raise RunFolderError(f"{folder.path}: holds a run in {', '.join(before)}, not {', '.join(langs)}; {MEANT}")


def require_same_starts(folder: RunFolder, starts: Sequence[str], langs: Sequence[str] = ()) -> None:
    """Raise :class:`RunFolderError` for a folder with pages from other sources than these addresses, or a run of files
    in other languages."""
    if langs:
        require_same_langs(folder, langs)
    before = (folder.recall(CRAWL, "options") or {}).get("starts", [])
    if before and {*map(normalise_address, before)} != {*map(normalise_address, starts)}:
        raise RunFolderError(f"{folder.path}: holds a crawl of {', '.join(before)}, not {', '.join(starts)}; {MEANT}")
    if not before and stated_settings(folder).get("sources"):
        raise RunFolderError(f"{folder.path}: holds a run of files, not a crawl of {', '.join(starts)}; {MEANT}")


def require_same_sources(work: Work) -> None:
    """:func:`require_same_files` for the sources of this work."""
    sources = zip(work.sources, work.fingerprints, strict=True)
    given = [(source.name, fingerprint, source.path) for source, fingerprint in sources]
    require_same_files(work.folder, work.settings.langs, given)


def require_same_files(
    folder: RunFolder, langs: Sequence[str], sources: Iterable[tuple[str, str, str | Path]], *, may_grow: bool = False
) -> None:
    """Raise :class:`RunFolderError` for a run of other languages or files.

    ``sources``: name, hash and path of each; ``may_grow``: whether sources may be added to those of the run. The pages
    of a crawl may be used with fewer files.
    """
    require_same_langs(folder, langs)
    before = {(each["name"], each["hash"]) for each in stated_settings(folder).get("sources", [])}
    # The archive of the run's own crawl may have grown.
    own = (folder.path / WARC).resolve()
    given = {(name, fingerprint) for name, fingerprint, path in sources if own not in Path(path).resolve().parents}
    is_same = given == before or (may_grow and given > before)
    if before and given and not (given <= before if folder.recall(CRAWL, "options") else is_same):
        names = ", ".join(sorted(name for name, _ in before))
        if {name for name, _ in before} == {name for name, _ in given}:
            raise RunFolderError(f"{folder.path}: {names} has changed since, or is another file of this name; {MEANT}")
        raise RunFolderError(f"{folder.path}: holds a run of {names}; {MEANT}")


def drop_outdated(folder: RunFolder, settings: Settings, sources: Iterable[tuple[str, str]]) -> None:
    """Drop results of earlier options or sources, before ``diglot.toml`` states the new ones.

    Outputs and exports are outdated after any change, until :func:`drop_outputs`. Segments and pairs are dropped after
    changes that affect them. ``sources``: name and hash of each; none for a command on the pages that a run has.

    Raises: RunFolderError, with nothing dropped, if files that the new outputs are made from are damaged, or if they
    are missing and a command without sources cannot make them.
    """
    before = stated_settings(folder)
    if not before:
        return
    hashes = {(each["name"], each["hash"]) for each in before.get("sources", [])}
    now = set(sources)
    old = before.get("settings", {})
    changed = {name for name, value in _plain(settings).items() if value != old.get(name)}
    if not changed and (not now or now == hashes):
        return
    options = {name for name, _ in set(settings.options) ^ set(dict(old.get("options", {})).items())}
    # Options of the aligner change no page pair.
    aligning = changed <= {*CLEANING, "options"} and options <= set(ALIGNER_OPTIONS)
    is_other = now not in (set(), hashes)
    outdated = [PAIRS] if is_other or not aligning else []
    outdated += [SEGMENTS] if is_other or not changed <= set(CLEANING) else []
    if not is_other:
        # Nothing goes where the new outputs cannot be made from what stays.
        kept = [stage for stage in (RESOLVED, PAIRS, SEGMENTS) if stage not in outdated]
        require_stages(folder, kept, can_read=bool(now))
    # The note comes first: a kill then leaves outputs that are known to be outdated.
    folder.remember(*OUTDATED, "earlier options")
    for stage in outdated:
        folder.forget_note("run", stage)


def drop_outputs(folder: RunFolder, progress: Progress, *, keep: Collection[Path] = ()) -> None:
    """Delete outdated outputs and exports except the files ``keep``, and report the exports."""
    cause = folder.recall(*OUTDATED)
    if cause is None:
        return
    exports = exports_of(folder)
    forms = sorted({each.form for each in exports if each.form not in OWN})
    clear_outputs(folder, exports, keep=keep)
    folder.forget_note(*OUTDATED)
    if forms:
        progress.start("export", None, "")
        progress.finish(f"removed {', '.join(forms)} of {cause}; `diglot export` makes them anew")


def _plain(settings: Settings) -> dict[str, Any]:
    unset: dict[str, Any] = {field.name: None for field in dataclasses.fields(Settings)}
    return unset | settings.to_table()


def _languages(written: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(written.get("settings", {}).get("langs", ()))


def stated_settings(folder: RunFolder) -> Mapping[str, Any]:
    """Content of ``diglot.toml``; empty for a missing or unreadable file, which is to be written."""
    try:
        return folder.settings()
    except RunFolderError:
        return {}
