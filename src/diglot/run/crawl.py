"""The crawl stage of a run: a website into ``RUN/warc``, and the fate of every address."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from diglot.arguments import CrawlKeywords
from diglot.crawl import NEGOTIATED
from diglot.crawl.crawling import CrawlResult, crawl_site
from diglot.crawl.options import CrawlOptions, make_crawl_options
from diglot.crawl.queue.frontier import HOST_LEFT, Frontier, PageOutcome
from diglot.crawl.queue.records import RecordPlace
from diglot.crawl.queue.site_scope import host_of
from diglot.crawl.wire.address_guard import REFUSED_ADDRESS
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.disk.stated_paths import INDEX, is_of_crawl, require_archive_name
from diglot.errors import DiglotError, NothingFound, RunFolderError, SourceError, in_ascii
from diglot.pages import open_source, read
from diglot.progress import Progress
from diglot.run.log import open_log
from diglot.run.work import CRAWL, WARC

LOGIN = frozenset((401, 403, 407))
"""HTTP status codes of pages behind a login."""
LANGS = "langs"
"""Key of the note on the languages in which links were followed."""
FETCHES = ("url", "state", "reason", "detail", "status", "lang", "how", "found_by", "fetched")
"""Columns of ``out/fetches.tsv``."""


def crawl_into(
    folder: RunFolder,
    starts: Sequence[str],
    langs: Sequence[str],
    progress: Progress,
    others: CrawlKeywords | None = None,
) -> CrawlResult:
    """Crawl into an owned run folder, or resume a crawl there.

    ``others``: further options. Raises :class:`SourceError` for a start that cannot be fetched and
    :class:`NothingFound` for a closed site; an archive without pages is then deleted.
    """
    options = make_crawl_options(starts, langs, others)
    with _archive_with_pages(folder), open_log(folder.path, progress) as listener:
        return crawl_stage(folder, options, listener)


def crawl_stage(
    folder: RunFolder, options: CrawlOptions, progress: Progress, *, needs_pages: bool = True
) -> CrawlResult:
    """Crawl into an owned run folder. A finished crawl with the same options is not repeated.

    Raises: kinds of :class:`DiglotError` for a crawl without a page, where it ``needs_pages``.
    """
    journal = folder.journal
    done = folder.recall(CRAWL, "done")
    if done and done["options"] == options.to_json():
        names = [require_archive_name(journal, name) for name in done["files"]]
        return CrawlResult([folder.path / WARC / name for name in names], done["counts"], done["notices"])
    langs, before = list(options.langs), _followed_languages(folder)
    folder.remember(CRAWL, LANGS, langs if before is None else before)
    wider = is_wider(langs, before)
    crawled = crawl_site(options, journal, folder.path / WARC, progress, follow_again=wider)
    folder.remember(CRAWL, LANGS, langs)
    # An update, which needs no pages, writes the list when it is accepted: a site that is away changes nothing.
    if needs_pages:
        write_fetches(folder)
        if not crawled.counts["pages"]:
            raise why_nothing(options, journal, crawled)
    names = [path.name for path in crawled.files]
    folder.remember(CRAWL, "options", {"starts": list(options.starts), **_changed_options(options)})
    folder.remember(CRAWL, "notes", crawled.notices)
    folder.remember(CRAWL, "counts", crawled.counts)
    # A note, because a resumed crawl does not ask for its start again.
    if crawled.work.get(NEGOTIATED):
        folder.remember(CRAWL, NEGOTIATED, True)
    # The next call resumes a crawl that reached its time or number of requests, or has addresses waiting at no limit.
    if crawled.limit not in ("max-time", "max-requests") and not (crawled.counts["queued"] and not crawled.limit):
        record = {"options": options.to_json(), "files": names, "counts": crawled.counts, "notices": crawled.notices}
        folder.remember(CRAWL, "done", record)
    return crawled


def is_wider(langs: Sequence[str], before: Sequence[str] | None) -> bool:
    """Whether some languages are new, so that links left aside before must now be followed.

    Empty: all languages; None: no crawl before.
    """
    return bool(before) and not (langs and {*langs} <= {*(before or ())})


def _followed_languages(folder: RunFolder) -> list[str] | None:
    """Languages whose links the earlier crawl followed; None without an earlier crawl."""
    followed: list[str] | None = folder.recall(CRAWL, LANGS)
    options = folder.recall(CRAWL, "options")
    return options.get("langs", []) if followed is None and options else followed


def archive_sources(folder: RunFolder) -> list[str]:
    """Paths of the sources of a crawled run: the files of its archive, or an index of the records in use.

    The index is written where an update left records out of use: earlier copies, and pages that are gone.
    """
    archive = folder.path / WARC
    with Frontier(folder.journal) as frontier:
        names, places, is_whole = frontier.archives(), frontier.places_in_use(), frontier.are_all_in_use()
    if is_whole:
        folder.written.remove(archive / INDEX)
        return [str(archive / name) for name in names]
    with replacing(archive / INDEX, for_programs=True) as handle:
        handle.write(b"!CDXJ of the records in use\n")
        for name in names:
            for line in _captures(archive / name, places.get(name, [])):
                handle.write(f"{line}\n".encode())
    return [str(archive / INDEX)]


def other_sources(folder: RunFolder) -> list[str]:
    """Paths of the sources of a run other than its own crawl, as diglot.toml states them."""
    with suppress(RunFolderError):  # a crawl that was never harvested has no diglot.toml
        stated = folder.settings().get("sources", [])
        return [each.get("path", each["name"]) for each in stated if not _is_of_own_crawl(folder, each)]
    return []


def _is_of_own_crawl(folder: RunFolder, stated: Mapping[str, str]) -> bool:
    path = Path(stated.get("path", stated["name"]))
    # A run folder may have been moved since. Sources that share a file name are named by their paths.
    moved = path.parent.name == WARC and stated["name"] == path.name and is_of_crawl(path.name)
    # A run of the archive that another run crawled has none of its own.
    return (moved and (folder.path / WARC).is_dir()) or (folder.path / WARC).resolve() in path.parents


def _captures(path: Path, places: Sequence[RecordPlace]) -> Iterator[str]:
    """Lines of an index for the pages in a file at these places, in order; a rendered page is a second record there."""
    waiting = iter(places)
    place = next(waiting, None)
    for page in read(open_source(str(path))):
        while place is not None and page.offset >= place.start + place.length:
            place = next(waiting, None)
        if place is not None and page.offset >= place.start:
            length = place.start + place.length - page.offset
            fields = {"url": page.url, "filename": path.name, "offset": str(page.offset), "length": str(length)}
            moment = "".join(filter(str.isdigit, place.fetched)) or "0"
            yield f"{in_ascii(page.url).replace(' ', '%20')} {moment} {json.dumps(fields)}"


def _changed_options(options: CrawlOptions) -> dict[str, Any]:
    """Options with values other than the default, as plain values."""
    plain = CrawlOptions(starts=options.starts)
    values = {name: getattr(options, name) for name in CrawlOptions.__dataclass_fields__ if name != "starts"}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        # Of a single update, no option of the crawl.
        if value != getattr(plain, name) and name != "only_known"
    }


def write_fetches(folder: RunFolder) -> None:
    """Write ``out/fetches.tsv``: every address with state and reason."""
    with Frontier(folder.journal) as frontier:
        rows = frontier.fetches()
    # A list that the user saved must not keep a forgotten address under another name.
    with replacing(folder.path / "out" / "fetches.tsv", revises=True) as handle:
        for row in [FETCHES, *rows]:
            line = "\t".join("" if cell is None else " ".join(str(cell).split()) for cell in row)
            # Addresses may hold lone surrogates.
            handle.write(f"{line}\n".encode("utf-8", "replace"))


def why_nothing(options: CrawlOptions, journal: Path, crawled: CrawlResult, *, advice: str = "") -> DiglotError:
    """Why a crawl brought nothing, explained by the first address.

    ``advice``: what to try where none was reached; "": what fits the answer.
    """
    with Frontier(journal) as frontier:
        starts = frontier.start_outcomes()
    start = options.starts[0] if options.starts else f"the site in {journal.parent}"
    _, url, _, state, reason, detail, status, _ = (
        # Redirects follow the start, so the last address is where it led.
        starts[-1] if starts else PageOutcome(0, start, "", "failed", "", crawled.trouble, None, None)
    )
    is_away = status is not None and (
        status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    )
    advice = advice or ("run the same command again later" if is_away else "check the address")
    where = start if url == start else f"{start} (which leads to {url})"
    if crawled.limit == "max-time" and not reason:
        return NothingFound(f"{where}: nothing fetched in time; max_time_s={options.max_time_s:g} is too short")
    if reason == "robots":
        return NothingFound(f"{where}: nothing fetched, robots.txt does not allow it ({detail}); ask the site's owner")
    if reason == HOST_LEFT:
        return NothingFound(f"{where}: nothing fetched: {host_of(url)} {detail}")
    if status in LOGIN or reason == "login":
        asked = detail if reason == "login" else status
        return NothingFound(f"{where}: nothing kept, the site asks for a login ({asked}); start at a page that is open")
    if reason in ("tdm_reserved", "noindex"):
        return NothingFound(
            f"{where}: nothing kept, the page asks not to be used so ({reason}), and leads to no page that may be; "
            "start at another page of the site"
        )
    if reason == REFUSED_ADDRESS:
        return SourceError(f"{where}: not connected to: {detail}; allow_hosts=HOST:PORT lets one host through")
    if state == "refused" and reason not in ("unreachable", "certificate"):
        return SourceError(f"{where}: nothing fetched: {reason} {detail}".rstrip() + f"; {advice}")
    advice += f", and proxy={options.proxy}" if options.proxy else ""
    cause = f"the server answered {detail}" if reason == "http_status" else detail or crawled.trouble or "no answer"
    return SourceError(f"{where}: cannot be fetched: {cause.rstrip('.')}; {advice}")


@contextmanager
def _archive_with_pages(folder: RunFolder) -> Iterator[None]:
    """Delete the archive of a crawl where an error left it without pages, unless it was there before."""
    archive = folder.path / WARC
    is_new = not archive.exists()
    try:
        yield
    except DiglotError:
        if is_new and not has_pages(folder.path):
            shutil.rmtree(archive, ignore_errors=True)
        raise


def has_pages(run: Path) -> bool:
    """Whether the journal of a run lists a page of the archive."""
    with Frontier(run / "journal.db") as frontier:
        return frontier.has_pages()
