"""Remove pages from a crawled run, with everything made from them: a transaction, resumed after a kill.

The intent goes to the journal first, and closes the folder to all other commands. Then outputs and tables are deleted,
the archive is written again without the pages, the journal keeps only a hash of the addresses, and everything is made
again from the archive. Every step may be repeated. Finally the whole folder is searched for leaks.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diglot.crawl.archive import forget_records
from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.queue.site_scope import SiteScope, host_of
from diglot.disk.folder import RunFolder
from diglot.disk.leak_check import Texts, address_pattern, data_leaks, file_leaks
from diglot.errors import NothingFound, RunFolderError, SitesFailed, UsageError
from diglot.harvesting import harvest_into
from diglot.harvesting.session import Means
from diglot.outputs.exports import EXPORT, Export, exports_of, note_export, plain_export, read_export
from diglot.outputs.made_files import STAGES, clear_outputs, made_files, strike_lines
from diglot.progress import Progress
from diglot.results.delta import UPDATE, forget_pages, last_texts, write_deltas
from diglot.results.run import Run
from diglot.review.sheets import DRAWS
from diglot.run.crawl import write_fetches
from diglot.run.judgements import JUDGEMENTS, load_judged_segments
from diglot.run.read import page_texts
from diglot.run.settings import Settings
from diglot.run.work import CRAWL, DOCUMENTS, SEGMENTS, WARC

MAX_TEXTS = 20_000
"""Most texts searched for at the end, evenly chosen."""
REMOVED, STRUCK, MADE = "removed", "struck", "made"
"""Progress of a removal, in this order; "" at first."""
_PORT = re.compile(r":\d+\Z")
_STEPS = ("", REMOVED, STRUCK, MADE)


@dataclass(frozen=True, slots=True)
class Forgotten:
    """Result of a removal.

    ``addresses``: number of removed addresses, 0 where they were removed before; ``unmade``: exports deleted and not
    written again, because the run no longer has the languages; ``mentions``: files by Diglot in which remaining pages
    name the address; ``left``: other files in the folder with an address or a text.
    """

    addresses: int
    unmade: list[Path]
    mentions: list[Path]
    left: list[Path]


@dataclass(frozen=True, slots=True)
class _Target:
    """Addresses to forget, without schemes, and hosts."""

    names: frozenset[str]
    hosts: frozenset[str]

    def __call__(self, url: str) -> bool:
        return url.rpartition("://")[2] in self.names or ("://" in url and host_of(url) in self.hosts)

    def address_pattern(self) -> re.Pattern[str]:
        """Pattern for finding any of them in a text."""
        return address_pattern(() if self.hosts else self.names, self.hosts)


def forget(
    out: str | os.PathLike[str], *, url: str = "", host: str = "", jobs: int = 0, progress: Progress | None = None
) -> Forgotten:
    """Remove an address, or all of a host, from a crawled run, and write outputs and exports again.

    An address is matched in normalized spelling, without the scheme; addresses redirecting there are removed as well.
    None is ever fetched again: the journal keeps a hash. The same call resumes after a kill; until then the folder is
    closed to all other commands. Raises :class:`UsageError` for an address unknown to the crawl.
    """
    asked, option = _parse_target(url, host)
    with RunFolder(out, create=False, finishing=True) as folder, folder.lock():
        task = folder.task()
        if task is None:
            task = _begin(folder, asked, option=option, command=f"diglot forget {shlex.quote(os.fspath(out))} {option}")
        elif task["asked"] != asked:
            raise RunFolderError(f"{out}: forgetting {task['asked']} was not finished; run that command again first")
        if task is not None:
            _carry_out(folder, task, jobs=jobs, progress=progress)
            folder.end_task()
            return _search(folder, task)
        return _search(folder, {"ids": [], "names": [asked], "hosts": [asked] if host else [], "texts": []})


def _parse_target(url: str, host: str) -> tuple[str, str]:
    """Normalized address without scheme, or host; and the option that names it."""
    if bool(url) == bool(host):
        raise UsageError("name one thing to forget: --url ADDRESS or --host HOST")
    if host:
        return host.rpartition("://")[2].rstrip("/").lower(), f"--host {shlex.quote(host)}"
    spelt = SiteScope(()).spell(url)
    if not spelt:
        raise UsageError(f"--url {url}: not a web address; write it as https://www.example.org/page")
    return spelt.rpartition("://")[2], f"--url {shlex.quote(url)}"


def _begin(folder: RunFolder, asked: str, *, option: str, command: str) -> dict[str, Any] | None:
    """The intent, written to the journal; None where everything was forgotten before."""
    with closing(Frontier(folder.path / "journal.db")) as frontier:
        ids, urls, hosts = _chosen(frontier, asked, of_host=option.startswith("--host"))
        if not ids and not frontier.is_forgotten(asked):
            raise UsageError(
                f"{folder.path}: the crawl does not know {option}; out/fetches.tsv lists the addresses that it knows"
            )
    if not ids:
        return None
    gone = _Target(frozenset(url.rpartition("://")[2] for url in urls), frozenset(hosts))
    settings = _settings(folder)
    exports = exports_of(folder, settings) if settings else []
    task = {
        "asked": asked,
        "ids": ids,
        "names": sorted(gone.names),
        "hosts": hosts,
        "exports": [plain_export(export) for export in exports],
        "texts": _own_texts(folder, gone),
        "step": "",
    }
    folder.begin_task(command, task)
    return task


def _chosen(frontier: Frontier, asked: str, *, of_host: bool) -> tuple[list[int], list[str], list[str]]:
    """Ids and spellings of the addresses to forget, and the hosts to forget completely."""
    if of_host:
        hosts = sorted(host for host in frontier.all_hosts() if asked in (host, _PORT.sub("", host)))
        rows = [row for host in hosts for row in frontier.addresses_on(host)]
    else:
        hosts, spellings = [], (f"http://{asked}", f"https://{asked}")
        rows = frontier.pages_at(spellings)
    urls = [url for _, url in rows]
    # Addresses that redirect here name the page as well.
    rows += [row for row in frontier.leading_to(urls) if row[1] not in set(urls)]
    return [row[0] for row in rows], [row[1] for row in rows], hosts


def _own_texts(folder: RunFolder, gone: _Target) -> list[str]:
    """Texts found on these pages and on no others."""
    key = folder.recall("run", DOCUMENTS) or ""
    with suppress(RunFolderError):  # a damaged table goes with the rest; there is nothing to look for then
        segments = load_judged_segments(folder, folder.recall("run", SEGMENTS) or "")
        own = {text for url, texts in page_texts(folder, key) if gone(url) for text in texts}
        for side in ("src", "tgt"):
            texts = zip(segments[f"{side}_url"].to_pylist(), segments[side].to_pylist(), strict=True)
            own |= {text for url, text in texts if gone(url)}
        # Every n-th text, rounded up.
        chosen = sorted(own)[:: -(-len(own) // MAX_TEXTS) or 1]
        others = ("\n".join(texts) for url, texts in page_texts(folder, key) if not gone(url))
        return Texts(chosen).without(others).squeezed_texts()
    return []


def _carry_out(folder: RunFolder, task: Mapping[str, Any], *, jobs: int, progress: Progress | None) -> None:
    """Remaining steps, noted one by one."""
    gone = _gone_pages(task)
    exports = [read_export(export) for export in task["exports"]]
    done = _STEPS.index(task["step"])
    if done < _STEPS.index(REMOVED):
        clear_outputs(folder.path, exports, tasks=True)
        strike_lines(folder.path, gone)
        folder.clear(STAGES, keep=(CRAWL, EXPORT, UPDATE, JUDGEMENTS, DRAWS))
        folder.change_task(step=REMOVED)
    if done < _STEPS.index(STRUCK):
        _strike(folder, gone, task["ids"])
        folder.change_task(step=STRUCK)
    if done < _STEPS.index(MADE):
        _make_again(folder, exports, jobs=jobs, progress=progress)
        folder.compact()
        folder.change_task(step=MADE)


def _strike(folder: RunFolder, gone: _Target, ids: Sequence[int]) -> None:
    """Remove the records from the archive and the addresses from the journal."""
    named = gone.address_pattern()
    with closing(Frontier(folder.path / "journal.db")) as frontier:
        forget_records(folder.path / WARC, frontier, frozenset(ids))
        with frontier.transaction():
            frontier.mark_forgotten((*gone.names, *gone.hosts))
            frontier.strike_out(ids)
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
    told = folder.recall(CRAWL, "notes") or []
    folder.remember(CRAWL, "notes", [line for line in told if not named.search(line)])
    folder.forget_note(CRAWL, "done")


def _make_again(folder: RunFolder, exports: Sequence[Export], *, jobs: int, progress: Progress | None) -> None:
    """Repeat everything from the archive on: outputs, exports, delta."""
    settings = _settings(folder)
    if settings is None:
        return
    files = sorted(map(str, (folder.path / WARC).glob("crawl-*.warc.gz")))
    with suppress(NothingFound, SitesFailed):  # that nothing is left was asked for; the outputs that say so are written
        harvest_into(folder, settings, files, Means(jobs=jobs, progress=progress))
    run = Run(folder)
    for export in exports:
        note_export(folder, export)
        run.write_exports([export], folder.path / export.folder)
    before = last_texts(folder)
    if before is not None:
        write_deltas(run, before)


def _search(folder: RunFolder, task: Mapping[str, Any]) -> Forgotten:
    """What the files of the folder still contain."""
    named, texts = _gone_pages(task).address_pattern(), Texts(task["texts"])
    settings = _settings(folder)
    exports = [read_export(export) for export in task.get("exports", ())]
    made = made_files(folder, exports_of(folder, settings) if settings else ())
    files = (path for path in sorted(folder.path.rglob("*")) if path.is_file() and not folder.is_journal(path))
    found = [path for path in files if file_leaks(path, named, texts)]
    if data_leaks(folder.journal_bytes(), named, texts):
        found.append(folder.path / "journal.db")
    pairs = settings.language_pairs() if settings else []
    lost = [path for each in exports for path in each.paths(folder.path, sorted({*each.pairs} - {*pairs}))]
    return Forgotten(
        len(task["ids"]), lost, [path for path in found if path in made], [path for path in found if path not in made]
    )


def _gone_pages(task: Mapping[str, Any]) -> _Target:
    return _Target(frozenset(task["names"]), frozenset(task["hosts"]))


def _settings(folder: RunFolder) -> Settings | None:
    """Settings of a run, None for a crawl alone."""
    return Run(folder).settings if (folder.path / "diglot.toml").is_file() else None
