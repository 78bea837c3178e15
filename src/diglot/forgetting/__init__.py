"""Remove pages from a run, with everything made from them: a transaction, resumed after a kill.

The intent goes to the journal first, and closes the folder to all other commands. Then outputs and tables are deleted,
the archive of a crawl is written again without the pages, the journal keeps only a hash of the addresses, and
everything is made again. A run of archives is made again from its documents, and a merge from its stages, both without
the pages: archives and merged runs belong to the user and stay as they are. Every step may be repeated. At the end the
whole folder is searched for the addresses and texts.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from diglot.arrays import sampling_step
from diglot.checked_arguments import check_arguments
from diglot.crawl.archive import forget_records
from diglot.crawl.queue.frontier import Frontier
from diglot.disk.folder import RunFolder
from diglot.disk.leak_check import Texts, address_pattern, data_leaks, file_leaks
from diglot.engines.pool import LocalEngine
from diglot.errors import NothingFound, RunFolderError, SitesFailed, UsageError
from diglot.forgetting.needed_files import require_needed
from diglot.forgetting.same_text import pages_with_text_of
from diglot.forgetting.target import Target, choose, is_crawled, parse_target
from diglot.harvesting import harvest_documents, harvest_into
from diglot.harvesting.session import RunResources
from diglot.outputs.corpus_files import OUT
from diglot.outputs.exports import EXPORT, Export, exports_of, note_export, read_export
from diglot.outputs.finish import finish_stage
from diglot.outputs.made_files import STAGES, clear_outputs, made_files, strike_lines
from diglot.pages.forgotten import FORGOTTEN, bare_address, note_forgotten
from diglot.progress import Progress, default_progress
from diglot.records import zip_columns
from diglot.results.delta import UPDATE, forget_pages, write_last_deltas
from diglot.results.run import Run
from diglot.review.sheets import DRAWS
from diglot.run.crawl import archive_sources, other_sources, write_fetches
from diglot.run.judgements import JUDGEMENTS, judgements_on, load_judged_segments, read_judgements
from diglot.run.log import open_log
from diglot.run.read import page_texts
from diglot.run.settings import Settings
from diglot.run.stored_pairs import expected_without, load_pairs
from diglot.run.striking import is_merge, settle_merge, strike_tables
from diglot.run.work import CRAWL, DOCUMENTS, MERGED, PAIRS, SEGMENTS, VERDICTS, WARC, Work, stage_key

MAX_TEXTS = 20_000
"""Most texts to search for at the end; of more texts an evenly spaced sample."""
MAX_NAMED = 20
"""Most remaining addresses to name for one reason: with the same text, or at the end of a redirect."""
REMOVED, STRUCK, MADE = "removed", "struck", "made"
"""Progress of a removal, in this order; "" at first."""
_STEPS = ("", REMOVED, STRUCK, MADE)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of a removal.

    ``addresses``: number of removed addresses, 0 where they were removed before; ``unmade``: exports deleted and not
    written again, because the run no longer has the languages; ``mentions``: files by Diglot in which remaining pages
    name the address; ``left``: other files in the folder with an address or a text; ``sources``: archives or merged
    runs that still hold the pages, which this run never reads from there again; ``elsewhere``: files that the run wrote
    outside of its folder, and that still hold an address or a text; ``same_text``: remaining addresses with the same
    text, and the share of it; ``translations``: remaining addresses that were paired with a removed one, empty for a
    host; ``targets``: remaining pages that a removed address redirected to, empty for a host; ``verdicts``: number of
    deleted verdicts, which held for copies on other pages, too; ``texts``: files by Diglot in which remaining pages
    have a text of it.
    """

    addresses: int
    unmade: list[Path]
    mentions: list[Path]
    left: list[Path]
    sources: list[str] = field(default_factory=list)
    elsewhere: list[Path] = field(default_factory=list)
    same_text: dict[str, float] = field(default_factory=dict)
    translations: list[str] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    verdicts: int = 0
    texts: list[Path] = field(default_factory=list)


@check_arguments
def forget(
    out: str | os.PathLike[str],
    *,
    url: str = "",
    host: str = "",
    same_text: bool = False,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Forgotten:
    """Remove an address, or all of a host, from a run, and write outputs and exports again.

    An address is matched in normal form without the scheme, and with its variants by session and campaign; addresses
    redirecting there are removed as well, with ``same_text`` also pages with the same text. The run never fetches or
    reads a removed address again: the journal keeps its hash. The same call resumes after a kill; until then the folder
    is closed to all other commands. Raises :class:`UsageError` for an address unknown to the run, and, before anything
    is deleted, for a file that the options of the run name and that is gone.
    """
    asked, option = parse_target(url, host)
    option += " --same-text" if same_text else ""
    with RunFolder(out, create=False, finishing=True) as folder, folder.lock():
        task = folder.task()
        if task is None:
            command = f"diglot forget {shlex.quote(os.fspath(out))} {option}"
            task = _begin(folder, asked, option=option, command=command)
        elif task["asked"] != asked:
            raise RunFolderError(f"{out}: forgetting {task['asked']} was not finished; run that command again first")
        elif task["step"] != MADE:
            _require_needed(folder, is_begun=True)
        if task is not None:
            _carry_out(folder, task, jobs=jobs, progress=progress)
            folder.end_task()
            return _search(folder, task)
        task = {"ids": [], "names": [asked], "hosts": [asked] if host else [], "texts": []}
        # A sheet may have been copied into the folder since.
        strike_lines(folder.path, _gone_pages(task))
        return _search(folder, task)


def _begin(folder: RunFolder, asked: str, *, option: str, command: str) -> dict[str, Any] | None:
    """The intent, written to the journal; None where everything was forgotten before."""
    chosen = choose(folder, asked, of_host=option.startswith("--host"))
    if not chosen.urls:
        if not chosen.was_forgotten:
            raise UsageError(f"{folder.path}: does not know {asked}{_list_of_addresses(folder)}")
        return None
    # Without its outputs and unable to be made again, the run would be closed for good.
    _require_needed(folder, is_begun=False)
    gone = chosen.target()
    same_text = _same_text(folder, gone)
    if option.endswith("--same-text"):
        for each in same_text:
            chosen = chosen.with_others(choose(folder, bare_address(each), of_host=False))
        gone, same_text = chosen.target(), {}
    settings = _settings(folder)
    exports = exports_of(folder) if settings else []
    task = {
        "asked": asked,
        "ids": chosen.ids,
        "documents": folder.recall("run", DOCUMENTS) or "",
        "names": sorted(gone.names),
        "hosts": chosen.hosts,
        "sources": _paths_of(folder, chosen.sources),
        "same_text": dict(islice(same_text.items(), MAX_NAMED)),
        "targets": [] if chosen.hosts else [url for url in chosen.targets if not gone(url)][:MAX_NAMED],
        "translations": [] if chosen.hosts else _translations(folder, gone),
        "exports": [asdict(export) for export in exports],
        "verdicts": len(judgements_on(read_judgements(folder.path), gone)),
        "texts": _own_texts(folder, gone),
        "expected": _expected_of_merge(folder, gone),
        "step": "",
    }
    folder.begin_task(command, task)
    return task


def _require_needed(folder: RunFolder, *, is_begun: bool) -> None:
    """:func:`require_needed` for a run; a crawl alone has no settings, and nothing is made again."""
    settings = _settings(folder)
    if settings is not None:
        require_needed(folder, settings, is_crawled=is_crawled(folder), is_begun=is_begun)


def _paths_of(folder: RunFolder, names: Sequence[str]) -> list[str]:
    """Paths of archives, or of merged runs, by the names of sources."""
    if merged := folder.recall(MERGED, MERGED):
        return sorted({path for run, path in merged for name in names if name.startswith(f"{run}/")})
    stated = _stated_sources(folder)
    # A file of a folder, or of an index, stands behind the name of its source.
    roots = (next((root for root in stated if f"{name}/".startswith(f"{root}/")), "") for name in names)
    return sorted({stated.get(root, name) for root, name in zip(roots, names, strict=True)})


def _stated_sources(folder: RunFolder) -> dict[str, str]:
    """Paths of the sources by name, as diglot.toml states them."""
    with suppress(RunFolderError):  # a crawl alone has no diglot.toml
        return {each["name"]: each.get("path", each["name"]) for each in folder.settings().get("sources", [])}
    return {}


def _list_of_addresses(folder: RunFolder) -> str:
    """End of a message: the files that list the addresses of a run; "" without such a file."""
    lists = [name for name in ("fetches.tsv", "pages.tsv") if (folder.path / OUT / name).is_file()]
    verb = "lists" if len(lists) == 1 else "list"
    return f"; out/{' and out/'.join(lists)} {verb} the addresses that it knows" if lists else ""


def _same_text(folder: RunFolder, gone: Target) -> dict[str, float]:
    """Remaining addresses with the text of the pages, and the share; a merge holds no texts of pages."""
    key = folder.recall("run", DOCUMENTS)
    with suppress(RunFolderError):  # a damaged table is made again
        return pages_with_text_of(partial(_page_texts, folder, key), gone) if key else {}
    return {}


def _translations(folder: RunFolder, gone: Target) -> list[str]:
    """Remaining addresses of page pairs with a forgotten address."""
    with suppress(RunFolderError):  # a damaged table is made again
        pairs = load_pairs(folder, folder.recall("run", PAIRS) or "")
        sides = zip_columns(pairs, "src_url", "tgt_url")
        return sorted({url for pair in sides if any(map(gone, pair)) for url in pair if not gone(url)})
    return []


def _own_texts(folder: RunFolder, gone: Target) -> list[str]:
    """Texts that only the forgotten pages have. A merge knows the texts of its pages from their segments only."""
    key = folder.recall("run", DOCUMENTS) or ""
    with suppress(RunFolderError):  # a damaged table goes with the rest; there is nothing to look for then
        segments = load_judged_segments(folder, folder.recall("run", SEGMENTS) or "")
        own = {text for url, texts in _page_texts(folder, key) if gone(url) for text in texts}
        of_others: set[str] = set()
        for side in ("src", "tgt"):
            for url, copies, text in zip_columns(segments, f"{side}_url", f"other_{side}_urls", side):
                if gone(url):
                    own.add(text)
                if not all(map(gone, (url, *copies))):
                    of_others.add(text)
        chosen = sorted(own)[:: sampling_step(len(own), MAX_TEXTS)]
        others = ("\n".join(texts) for url, texts in _page_texts(folder, key) if not gone(url))
        return Texts(chosen).without(chain(others, sorted(of_others))).squeezed_texts()
    return []


def _expected_of_merge(folder: RunFolder, gone: Target) -> dict[str, dict[str, float | None]]:
    """Expected numbers of page pairs of a merge without the pages; a run finds its own anew."""
    with suppress(RunFolderError):  # a damaged table is made again
        return expected_without(folder, folder.recall("run", PAIRS) or "", gone) if is_merge(folder) else {}
    return {}


def _page_texts(folder: RunFolder, documents_key: str) -> Iterable[tuple[str, list[str]]]:
    """Address and block texts of every page; none for a merge."""
    return () if is_merge(folder) else page_texts(folder, documents_key)


def _carry_out(folder: RunFolder, task: Mapping[str, Any], *, jobs: int, progress: Progress | None) -> None:
    """Take the steps that are left, and note each in the journal."""
    gone = _gone_pages(task)
    exports = [read_export(folder, export) for export in task["exports"]]
    done = _STEPS.index(task["step"])
    if done < _STEPS.index(REMOVED):
        clear_outputs(folder, exports, tasks=True)
        strike_lines(folder.path, gone)
        _clear_stages(folder, task["documents"])
        folder.change_task(step=REMOVED)
    if done < _STEPS.index(STRUCK):
        named = gone.address_pattern()
        note_forgotten(folder, (*gone.names, *gone.hosts))
        strike_tables(folder, gone, lambda detail: named.sub("...", detail))
        if is_merge(folder):
            settle_merge(folder, task["expected"])
        if is_crawled(folder):
            _strike_crawl(folder, gone, task["ids"])
        folder.change_task(step=STRUCK)
    if done < _STEPS.index(MADE):
        _make_again(folder, exports, jobs=jobs, progress=progress)
        folder.compact()
        folder.change_task(step=MADE)


def _clear_stages(folder: RunFolder, documents_key: str) -> None:
    """Delete the stages that are made again. The stages that they are made from lose the pages in the next step."""
    if is_merge(folder):
        folder.discard_others(VERDICTS, set())
        return
    kept_kinds = (CRAWL, EXPORT, UPDATE, JUDGEMENTS, DRAWS, FORGOTTEN)
    if not other_sources(folder):  # a crawl alone is read again from its archive
        folder.clear(STAGES, keep=kept_kinds)
        return
    folder.clear([stage for stage in STAGES if stage != DOCUMENTS], keep=(*kept_kinds, "sources"))
    if documents_key:
        folder.remember("run", DOCUMENTS, documents_key)


def _strike_crawl(folder: RunFolder, gone: Target, ids: Sequence[int]) -> None:
    """Remove the records from the archive; from the journal, the addresses and those that only they link to."""
    named = gone.address_pattern()
    with Frontier(folder.journal) as frontier:
        forget_records(folder.path / WARC, frontier, frozenset(ids))
        with frontier.transaction():
            frontier.mark_forgotten((*gone.names, *gone.hosts))
            frontier.strike_out([*ids, *frontier.linked_only_from(frozenset(ids))])
            frontier.drop_hosts(gone.hosts)
            frontier.rewrite_details(lambda detail: named.sub("...", detail))
    write_fetches(folder)
    forget_pages(folder, gone)
    options = folder.recall(CRAWL, "options")
    if options:
        starts = [url for url in options["starts"] if not gone(url)]
        allowed = [host for host in options.get("allow_hosts", ()) if host not in gone.hosts]
        kept = {"starts": starts, **({"allow_hosts": allowed} if allowed else {})}
        folder.remember(CRAWL, "options", {**options, **kept})
    notes = folder.recall(CRAWL, "notes") or []
    folder.remember(CRAWL, "notes", [line for line in notes if not named.search(line)])
    folder.forget_note(CRAWL, "done")


def _make_again(folder: RunFolder, exports: Sequence[Export], *, jobs: int, progress: Progress | None) -> None:
    """Repeat everything from the archive, the documents or the merged stages on: outputs, exports, delta."""
    settings = _settings(folder)
    if settings is None:
        return
    with suppress(NothingFound, SitesFailed):  # raised after the outputs are written, which may be empty now
        if is_merge(folder):
            _finish_merge(folder, settings, progress)
        elif is_crawled(folder):
            files = [*archive_sources(folder), *other_sources(folder)]
            harvest_into(folder, settings, files, RunResources(jobs=jobs, progress=progress))
        else:
            harvest_documents(folder, settings, RunResources(jobs=jobs, progress=progress))
    run = Run(folder)
    for export in exports:
        note_export(folder, export)
        run.write_exports([export], folder.path / export.folder)
    write_last_deltas(folder)


def _finish_merge(folder: RunFolder, settings: Settings, progress: Progress | None) -> None:
    """Write the outputs of a merge again."""
    keys = (stage_key(folder, stage, "diglot merge") for stage in (PAIRS, SEGMENTS))
    with LocalEngine(jobs=1) as engine, open_log(folder.path, progress or default_progress()) as listener:
        finish_stage(Work(folder, settings, engine, progress=listener), *keys)


def _search(folder: RunFolder, task: Mapping[str, Any]) -> Forgotten:
    """The result of a removal, after a search of all files of the folder for the addresses and texts."""
    named, texts = _gone_pages(task).address_pattern(), Texts(task["texts"])
    settings = _settings(folder)
    exports = [read_export(folder, export) for export in task.get("exports", ())]
    made = made_files(folder)
    files = [path for path in sorted(folder.path.rglob("*")) if path.is_file() and not folder.is_journal(path)]
    found = [path for path in (*files, folder.journal) if _leaks(folder, path, named, texts)]
    by_diglot = [path for path in found if path in made]
    pairs = settings.language_pairs() if settings else []
    lost = [path for each in exports for path in each.paths(folder.path, sorted({*each.pairs} - {*pairs}))]
    return Forgotten(
        addresses=max(len(task["ids"]), len(task["names"])) if task.get("step") is not None else 0,
        unmade=lost,
        mentions=[path for path in by_diglot if _leaks(folder, path, named, Texts(()))],
        left=[path for path in found if path not in made],
        sources=task.get("sources", []),
        elsewhere=[path for path in folder.written.elsewhere() if _may_leak(path, named, texts)],
        same_text=task.get("same_text", {}),
        translations=task.get("translations", []),
        targets=task.get("targets", []),
        verdicts=task.get("verdicts", 0),
        texts=[path for path in by_diglot if _leaks(folder, path, address_pattern(()), texts)],
    )


def _leaks(folder: RunFolder, path: Path, named: re.Pattern[str], texts: Texts) -> bool:
    """Whether a file of the run holds an address or a text. The journal is open, and read through its connection."""
    if path == folder.journal:
        return data_leaks(folder.journal_bytes(), named, texts)
    return file_leaks(path, named, texts)


def _may_leak(path: Path, named: re.Pattern[str], texts: Texts) -> bool:
    """Whether a file outside of the run holds an address or a text, or cannot be read."""
    try:
        return file_leaks(path, named, texts)
    except RunFolderError:
        return True


def _gone_pages(task: Mapping[str, Any]) -> Target:
    return Target(frozenset(task["names"]), frozenset(task["hosts"]))


def _settings(folder: RunFolder) -> Settings | None:
    """Settings of a run, None for a crawl alone."""
    return Run(folder).settings if (folder.path / "diglot.toml").is_file() else None
