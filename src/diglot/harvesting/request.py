"""The request for a run: it is checked before anything is written; then addresses are crawled, languages detected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diglot.arguments import CrawlKeywords, RunKeywords
from diglot.disk.folder import RunFolder
from diglot.engines.server import serve_from_here
from diglot.errors import UsageError
from diglot.harvesting.session import Input
from diglot.languages import open_languages
from diglot.outputs.same_run import require_same_starts
from diglot.page_language.lost_pages import unknown_language_notes
from diglot.pages import Source, looks_like_address, open_sources
from diglot.pages.opening import report_on_sources, skipped_lines
from diglot.pages.same_paths import same_path_lines
from diglot.progress import Progress, default_progress
from diglot.run.clean import cleaning_options
from diglot.run.settings import Settings, make_settings, settings_of_found, settings_without_languages
from diglot.run.work import PRELOAD, SAME_PATHS, SKIPPED
from diglot.survey.open_languages import detect_languages

PAIRS_REPORTED = 15
"""Least number of language pairs to report before the work begins: six languages make 15."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Sources, languages and options of a run, as typed."""

    paths: Sequence[str]
    """Files and web addresses."""
    langs: str | Sequence[str]
    options: Mapping[str, Any]
    """Fields of :class:`diglot.run.settings.Settings`."""
    crawl: CrawlKeywords = field(default_factory=CrawlKeywords)
    jobs: int = 0
    overwrite: bool = False
    progress: Progress = field(default_factory=default_progress)

    @property
    def starts(self) -> list[str]:
        """Addresses to crawl from."""
        return [path for path in self.paths if looks_like_address(path)]

    @property
    def files(self) -> list[str]:
        """Sources other than web addresses."""
        return [path for path in self.paths if not looks_like_address(path)]


def check_request(request: Request) -> Settings:
    """Settings of a request; their languages are () if the request asks to detect languages.

    Raises: kinds of :class:`diglot.errors.DiglotError` for wrong options and missing files, before hours of crawling.
    """
    for name in request.options:
        if name in CrawlKeywords.__annotations__ and name not in RunKeywords.__annotations__:
            raise UsageError(f"{name}=: an option of the crawl; write crawl={{{name!r}: ...}}")
    if open_languages(request.langs) is not None:
        settings = settings_without_languages(**request.options)
    else:
        settings = make_settings(request.langs, **request.options)
        _report_unknown_languages(settings, request.progress)
    # A missing list of words would otherwise end the run at its last stage.
    cleaning_options(settings)
    if request.crawl and not request.starts:
        named = ", ".join(f"{name}=" for name in request.crawl)
        raise UsageError(f"{named}: for a crawl, and no source is a web address; leave it out, or name one")
    if request.files:
        open_sources(request.files, **settings.opening_options())
    return settings


def resolve_request(request: Request, settings: Settings, folder: RunFolder) -> tuple[Settings, Input]:
    """Crawl the addresses of a checked request into a locked run folder, and detect the languages if asked to."""
    paths = request.paths
    if request.starts:
        paths = [*_crawl(request, settings, folder), *request.files]
    sources = _open_sources(request, settings, folder, paths)
    if settings.langs:
        return settings, Input(sources=sources, overwrite=request.overwrite)
    serve_from_here(PRELOAD)
    remembering = None if request.overwrite else folder
    found = detect_languages(
        request.langs, sources, settings, remembering, jobs=request.jobs, progress=request.progress
    )
    settings = settings_of_found(found.langs, found.pivot, request.options)
    _report_many_pairs(settings, request.progress)
    return settings, Input(sources=sources, detected=found.note, overwrite=request.overwrite)


def _open_sources(request: Request, settings: Settings, folder: RunFolder, paths: Sequence[str]) -> list[Source]:
    """Open the sources; report skipped sources and files with one address, and note them in the journal."""
    skipped: list[str] = []
    sources = open_sources(paths, **settings.opening_options(), skipped=skipped)
    for note, lines in ((SKIPPED, skipped_lines(skipped, sources)), (SAME_PATHS, same_path_lines(sources))):
        report_on_sources(lines, request.progress)
        if lines or folder.recall(*note):
            folder.remember(*note, lines)
    return sources


def _crawl(request: Request, settings: Settings, folder: RunFolder) -> list[str]:
    """Crawl the addresses of a request; the paths of the archive."""
    from diglot.run.crawl import archive_sources, crawl_into

    if not request.overwrite:
        require_same_starts(folder, request.starts, settings.langs)
    limits: CrawlKeywords = {"max_page_bytes": settings.max_page_bytes}
    limits.update(request.crawl)
    crawl_into(folder, request.starts, settings.langs, request.progress, limits)
    return archive_sources(folder)


def _report_many_pairs(settings: Settings, progress: Progress) -> None:
    """Report how many language pairs the detected languages make, where a pivot would make far fewer."""
    pairs, langs = settings.language_pairs(), settings.langs
    if len(pairs) >= PAIRS_REPORTED and not settings.pivot:
        progress.start("languages", None, "")
        fewer = f"-l '{langs[0]},*' makes {len(langs) - 1} with {langs[0]}"
        progress.finish(f"{len(langs)} languages make {len(pairs):,} pairs; {fewer}")


def _report_unknown_languages(settings: Settings, progress: Progress) -> None:
    """Report wanted languages unknown to the language identifier."""
    for note in unknown_language_notes(settings.langs):
        progress.start("languages", None, "")
        progress.finish(note)
