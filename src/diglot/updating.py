"""Keep a crawled run up to date, and take out of it what should not have been in it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.crawl.archive import forget_records
from diglot.crawl.options import make_crawl_options
from diglot.crawl.queue.frontier import Frontier
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.errors import UsageError
from diglot.harvesting import harvest_with
from diglot.progress import Progress, Silent
from diglot.results.run import Run
from diglot.run.crawl import NOTE, crawl_stage
from diglot.run.outputs import OUT

DELTA = "delta"


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update found. ``pages``: how many by kind (new, changed, gone, same); ``files``: what was written."""

    pages: dict[str, int]
    files: list[Path]


def forget(
    out: str | os.PathLike[str], *, url: str = "", host: str = "", jobs: int = 0, progress: Progress | None = None
) -> int:
    """Take an address, or all of a host, out of a crawled run and make its outputs again without it.

    Returns the number of addresses taken out. They are not fetched again. Raises :class:`UsageError` where the
    crawl does not know any such address.
    """
    if bool(url) == bool(host):
        raise UsageError("name one thing to forget: --url ADDRESS or --host HOST")
    run = Run(out)
    with run.folder.locked():
        frontier = _frontier(run.folder)
        column, value = ("url", url) if url else ("host", host.lower())
        count = frontier.count(f"{column}=? AND kind='page'", (value,))
        if not count:
            frontier.close()
            raise UsageError(f"{out}: the crawl does not know --{column} {value}; out/fetches.tsv lists what it knows")
        forget_records(run.path / "warc", frontier, f"{column}=?", (value,))
        files = [str(run.path / "warc" / name) for name in frontier.archives()]
        frontier.close()
        run.folder.forget_note(NOTE, "done")
    harvest_with(run.settings, files, out, jobs=jobs, progress=progress)
    return count


def update(
    out: str | os.PathLike[str],
    *,
    crawl: Mapping[str, Any] | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Changes:
    """Ask a crawled site what has changed, fetch that, and make the outputs again.

    Pages are asked for by ETag and date where the server gave them; one that comes back with the same text
    counts as the same. Writes ``out/changes.tsv`` and, for each language pair, the segments that are new since:
    ``out/delta/SRC-TGT.tmx``. ``crawl``: fields of :class:`diglot.crawl.options.CrawlOptions` that replace those
    of the first crawl.
    """
    run = Run(out)
    options = dict(run.folder.recall(NOTE, "options") or {})
    if not options:
        raise UsageError(f"{out}: was not crawled, so there is nothing to ask; harvest the new files into a new folder")
    fields = {**{name: value for name, value in options.items() if name not in ("starts", "langs")}, **(crawl or {})}
    made = make_crawl_options(options["starts"], options.get("langs", ()), fields)
    before = {pair: _texts(run, *pair) for pair in run.settings.language_pairs()}
    with run.folder.locked():
        frontier = _frontier(run.folder)
        was = _stored(frontier)
        frontier.ask_again()
        frontier.close()
        run.folder.forget_note(NOTE, "done")
        crawled = crawl_stage(run.folder, made, progress or Silent())
        frontier = _frontier(run.folder)
        gone = [url for url in was if url not in _stored(frontier)]
        for url in gone:
            forget_records(run.path / "warc", frontier, "url=?", (url,), keep_state=True)
        kinds = _changes(was, _stored(frontier))
        files = [str(crawled.files[0].parent / name) for name in frontier.archives()]
        frontier.close()
    _write_changes(run.path / OUT / "changes.tsv", kinds)
    fresh = harvest_with(run.settings, files, out, jobs=jobs, progress=progress)
    written = [run.path / OUT / "changes.tsv"]
    for pair, texts in before.items():
        written += _write_delta(fresh, pair, texts)
    return Changes(dict(Counter(kinds.values())), written)


def _frontier(folder: RunFolder) -> Frontier:
    return Frontier(folder.path / "journal.db")


def _stored(frontier: Frontier) -> dict[str, str]:
    """Digest of each page in the archive, by address."""
    return dict(frontier.rows("url, digest", "kind='page' AND state='done'"))


def _changes(was: dict[str, str], now: dict[str, str]) -> dict[str, str]:
    kinds = dict.fromkeys(was.keys() - now.keys(), "gone")
    for url, digest in now.items():
        kinds[url] = "new" if url not in was else "same" if was[url] == digest else "changed"
    return dict(sorted(kinds.items()))


def _write_changes(path: Path, kinds: dict[str, str]) -> None:
    with replacing(path) as handle:
        handle.write(b"url\tchange\n")
        for url, kind in kinds.items():
            if kind != "same":
                handle.write(f"{one_line(url)}\t{kind}\n".encode())


def _texts(run: Run, src_lang: str, tgt_lang: str) -> set[tuple[str, str]]:
    table = run.segments(src_lang, tgt_lang).kept()
    return set(zip(table["src"].to_pylist(), table["tgt"].to_pylist(), strict=True))


def _write_delta(run: Run, pair: tuple[str, str], before: set[tuple[str, str]]) -> list[Path]:
    """The clean segments of a language pair that were not there before, as TMX."""
    segments = run.segments(*pair).clean()
    texts = zip(segments.table["src"].to_pylist(), segments.table["tgt"].to_pylist(), strict=True)
    new = segments.table.filter(pa.array([each not in before for each in texts], pa.bool_()))
    return replace(segments, table=new).write(run.path / OUT / DELTA, "tmx")
