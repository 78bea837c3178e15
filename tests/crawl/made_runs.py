"""Runs crawled from a made site without a network, with every export, and what lies on disk of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from made_crawls import MadeCrawl, MadeSite

from diglot.corpus.formats import ALL_FORMATS
from diglot.crawl.crawling import CrawlResult
from diglot.crawl.options import CrawlOptions
from diglot.disk.folder import RunFolder
from diglot.harvesting import harvest
from diglot.progress import Progress
from diglot.results.run import Run
from diglot.review.sheets import draw_sample, write_sheet
from diglot.run.crawl import write_fetches
from diglot.run.work import CRAWL, WARC
from made_website import website

SITE = "http://docs.example.org"
START = f"{SITE}/en/chapter1.html"
PAGE = f"{SITE}/en/chapter5.html"
WORD = "Zibellinomark"
"""Stands on :data:`PAGE` only, in every paragraph."""
CHAPTERS = 6
LANGS = ("en", "fr")
EXPORTS = [*ALL_FORMATS]
FEW_EXPORTS = ["jsonl", "xlsx", "sqlite"]
"""Of text, packed, and of all languages in one file: making all formats again takes half of the time of a command."""


class Killed(BaseException):
    """In place of a signal that nobody can catch."""


def made_site() -> MadeSite:
    """Some chapters of the made website, one with a word of its own, one that another redirects to."""
    pages = {
        f"{SITE}/{path}": body
        for path, body in website().items()
        if any(path.endswith(f"/chapter{number}.html") for number in range(1, CHAPTERS + 1))
    }
    pages[PAGE] = pages[PAGE].replace(b"<p>", f"<p>{WORD} ".encode())
    pages[START] = pages[START].replace(b"</main>", b'<a href="old5.html">The old one</a></main>')
    return MadeSite({**pages, f"{SITE}/en/old5.html": (301, {"Location": PAGE})})


def crawl(site: MadeSite, folder: Path, requests: int = 10_000) -> None:
    """Crawl into a run folder, or go on with that, as far as ``requests``."""
    made = MadeCrawl(site, folder, START, LANGS)
    made.run(requests)
    made.frontier.close()


def crawl_stage_of(site: MadeSite):  # type: ignore[no-untyped-def]
    """What stands in for :func:`diglot.run.crawl.crawl_stage` where nothing is to be asked of a network."""

    def stage(folder: RunFolder, options: CrawlOptions, progress: Progress, *, needs_pages: bool) -> CrawlResult:
        crawl(site, folder.path)
        files = sorted((folder.path / WARC).glob("*.warc.gz"))
        folder.remember(CRAWL, "done", True)
        return CrawlResult(files, {"pages": len(files)})

    return stage


def made_run(out: Path, site: MadeSite, exports: Sequence[str] = EXPORTS) -> Run:
    """A run with exports, a page and a sheet to judge segments on, and half a file that a killed command left."""
    out.mkdir(parents=True)
    crawl(site, out)
    with RunFolder(out) as folder, folder.lock():
        write_fetches(folder)
        folder.remember(CRAWL, "options", {"starts": [START], "langs": list(LANGS)})
        folder.remember(CRAWL, "done", True)
    files = sorted(map(str, (out / WARC).glob("*.warc.gz")))
    run = harvest(files, LANGS, out, jobs=1)
    run.export(exports)
    run.export(["jsonl"], out / "for-anna")
    with run.folder.read_lock():
        for name in ("sample.html", "sheet.tsv"):
            write_sheet(draw_sample(run.segments(*LANGS).kept_rows(), 1_000), out / name, title="run")
    leave_half_a_file(out)
    return run


def leave_half_a_file(run: Path) -> None:
    """What a killed command leaves in a run, and the next one removes."""
    (run / "out" / ".en-fr.jsonl.17.part").write_text(f"{WORD} {PAGE}\n")


def outputs(run: Path) -> dict[str, bytes]:
    """What people take from a run, by path; without the seconds that stages took."""
    files = [path for path in run.rglob("*") if path.is_file()]
    kept = [path for path in files if path.parent.name in ("out", "delta", "for-anna", "cesalign.en-fr")]
    kept += [run / name for name in ("report.html", "sample.html", "sheet.tsv")]
    found = {path.relative_to(run).as_posix(): path.read_bytes() for path in kept}
    summary = json.loads(found.pop("out/summary.json"))
    del summary["seconds"]
    return {**found, "out/summary.json": json.dumps(summary).encode()}
