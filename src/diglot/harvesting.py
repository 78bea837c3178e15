"""Everything in one call: a multilingual website in, parallel text out."""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.corpus.flags.flagging import PageFacts
from diglot.disk.folder import RunFolder
from diglot.engines.local import LocalEngine, limits_memory
from diglot.engines.server import serve_from_here
from diglot.errors import Stopped, UsageError, require_options
from diglot.languages import open_languages
from diglot.outputs.finish import finish_stage
from diglot.outputs.report_tables import report_tables
from diglot.outputs.same_run import (
    drop_outdated,
    require_empty,
    require_same_sources,
    require_same_starts,
)
from diglot.page_language.reckoning import unknown_language_notes
from diglot.pages import Source, looks_like_address, open_sources
from diglot.progress import Progress, usual
from diglot.report import REPORT
from diglot.report.run_page import write_report
from diglot.report.tables import RunTables
from diglot.results.run import Run
from diglot.run.align import align_stage
from diglot.run.bundles import Bundles
from diglot.run.clean import clean_stage, cleaning_options, facts_for_cleaning
from diglot.run.log import logged
from diglot.run.pair import pair_stage
from diglot.run.read import read_stage
from diglot.run.resolve import load_documents, settle_stage
from diglot.run.settings import Settings, check_min_score, make_settings, settings_file, unsettled_languages
from diglot.run.work import DOCUMENTS, PAIRS, PRELOAD, SEGMENTS, Work, done_key, require_pages
from diglot.survey.open_languages import decide, keep_note, told_of
from diglot.tasks.execution import LOCAL, SPARK, check_engine, processes, spark
from diglot.tasks.in_run import all_as_tasks, is_many, sites_as_tasks
from diglot.version import __version__

SOURCES_LOGGED = 20

CLEANING_OPTIONS = ("min_score", "keep", "drop", "pii", "offensive")
"""What :func:`clean_run` can change."""


def harvest(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    langs: str | Sequence[str],
    out: str | os.PathLike[str],
    *,
    recipe: str = "",
    options: Mapping[str, str] | None = None,
    crawl: Mapping[str, Any] | None = None,
    jobs: int = 0,
    engine: str = LOCAL,
    master: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
    **others: Any,
) -> Run:
    """Read sources, pair pages, align segments and write the corpus into the run folder ``out``.

    ``source``: web addresses, which are crawled into ``out`` first (``crawl``: fields of
    :class:`diglot.crawl.options.CrawlOptions`), WARC, WACZ or ARC files, CDXJ indexes, folders of HTML, .lett files,
    such files at ``s3://``, ``gs://`` or ``hdfs://``, lists of them (``@FILE``), or several of these.
    ``langs``: BCP 47 tags, ``"en,fr"`` or a sequence; ``"all"``, those that the sources are found to be in, or
    ``"en,*"``, English with every other. ``recipe``: see :func:`diglot.recipes`; ``options`` its
    changes as text.
    ``engine``: ``local``, ``jobs`` processes of this machine (0: one a core), or ``spark``, a Spark cluster whose
    ``master`` is named and which sees ``out`` and the sources at the same paths.
    ``others``: further fields of :class:`diglot.run.settings.Settings`, such as ``pivot`` or ``base_url``.
    The same call on the same folder goes on where an earlier one was stopped. A folder that holds anything else, a run
    of other sources or languages too, is refused, unless ``overwrite`` says that it is meant.

    Raises :class:`diglot.errors.DiglotError` and its kinds, nothing else on purpose.
    """
    if recipe:
        others["recipe"] = recipe
    check_engine(engine, master)
    asked = {"options": options, **others}
    begun = _begun(source, langs, out, asked, crawl, jobs=jobs, overwrite=overwrite, progress=progress)
    on_spark = engine == SPARK
    whose = {"jobs": 1, "preload": ()} if on_spark else {"jobs": jobs}
    with working(out, **begun, progress=progress, overwrite=overwrite, **whose) as work:
        if on_spark:
            finish_stage(work, *_on_spark(work, master))
        else:
            _all_stages(work)
    return Run(out)


def harvest_into(
    folder: RunFolder, settings: Settings, sources: Sequence[str], *, jobs: int, progress: Progress | None
) -> None:
    """The stages of :func:`harvest` that follow a crawl, in a run folder that is owned."""
    opened = open_sources(sources, **settings.source_options())
    with _working_in(folder, settings, opened, jobs=jobs, progress=progress) as work:
        _all_stages(work)


def _all_stages(work: Work) -> None:
    documents_key = read_stage(work)
    if is_many(work):
        work.engine.close()
        with processes(work.engine.jobs) as executor:
            keys = sites_as_tasks(work, executor)
        finish_stage(work, *keys)
        return
    pairs_key, segments_key, facts = _stage_by_stage(work, documents_key)
    clean_stage(work, facts, segments_key)
    finish_stage(work, pairs_key, segments_key)


def _stage_by_stage(work: Work, documents_key: str) -> tuple[str, str, PageFacts]:
    """Everything that needs the texts of pages, which then go: keys of the pairs and the segments, and what cleaning
    asks of the pages."""
    documents = settle_stage(work, documents_key)
    pairs_key = pair_stage(work, documents, documents_key)
    return pairs_key, *_aligned(work, documents, pairs_key)


def _aligned(work: Work, documents: pa.Table, pairs_key: str) -> tuple[str, PageFacts]:
    segments_key = align_stage(work, documents, pairs_key)
    return segments_key, facts_for_cleaning(work.folder, work.settings, documents, segments_key)


def _on_spark(work: Work, master: str) -> tuple[str, str]:
    """Everything but the end of a run done as tasks on Spark; the keys of its pairs and segments."""
    with spark(master) as executor:
        return all_as_tasks(work, executor)


def read_sources(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    langs: str | Sequence[str],
    out: str | os.PathLike[str],
    *,
    crawl: Mapping[str, Any] | None = None,
    jobs: int = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **others: Any,
) -> None:
    """Only the first stage of :func:`harvest`: sources -> documents."""
    begun = _begun(source, langs, out, others, crawl, jobs=jobs, overwrite=overwrite, progress=progress)
    with working(out, **begun, jobs=jobs, progress=progress, overwrite=overwrite) as work:
        read_stage(work)


def pair_run(
    out: str | os.PathLike[str],
    *,
    recipe: str = "",
    options: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Run:
    """Only the second stage, on a run folder whose documents are read, with another recipe if one is named."""
    settings = Run(out).settings
    if recipe or options:
        settings = settings.with_recipe(recipe or settings.recipe, options or {})
        settings.check_recipe()
    with working(out, settings, jobs=1, progress=progress) as work:
        key = done_key(work.folder, DOCUMENTS, "diglot read")
        pair_stage(work, settle_stage(work, key), key)
    return Run(out)


def align_run(
    out: str | os.PathLike[str],
    *,
    evidence: Sequence[str] | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Run:
    """The last stages, on a run folder whose pages are paired: segments, outputs and summary.

    ``evidence``: sources from now on (see :func:`diglot.align`), or those the run has.
    """
    settings = Run(out).settings
    if evidence is not None:
        settings = settings.with_evidence(evidence)
    with working(out, settings, jobs=jobs, progress=progress) as work:
        pairs_key = done_key(work.folder, PAIRS, "diglot pair")
        segments_key, facts = _aligned(work, _documents(work), pairs_key)
        clean_stage(work, facts, segments_key)
        finish_stage(work, pairs_key, segments_key)
    return Run(out)


def clean_run(out: str | os.PathLike[str], *, progress: Progress | None = None, **options: Any) -> Run:
    """Only the cleaning and what follows it, by other options.

    ``options``: some of :data:`CLEANING_OPTIONS`.
    """
    require_options("option", options, CLEANING_OPTIONS)
    settings = dataclasses.replace(Run(out).settings, **options)
    settings.excluded()
    check_min_score(settings.min_score)
    cleaning_options(settings)  # raises before diglot.toml says what was never in force
    with working(out, settings, jobs=1, progress=progress, preload=()) as work:
        keys = done_key(work.folder, PAIRS, "diglot pair"), done_key(work.folder, SEGMENTS, "diglot align")
        clean_stage(work, facts_for_cleaning(work.folder, settings, _documents(work), keys[1]), keys[1])
        finish_stage(work, *keys)
    return Run(out)


def _documents(work: Work) -> pa.Table:
    """All records of a run whose documents are read."""
    work.progress.start("pages", None, "pages")
    work.progress.step("reading what is known")
    return load_documents(work.folder, work.settings, done_key(work.folder, DOCUMENTS, "diglot read"))


def report_run(out: str | os.PathLike[str], *, told: int = 0, terms: bool = False) -> Path:
    """Where the report of a finished run is; written where it is missing, or where more is to be told in it.

    ``told``: of how many page pairs, the least probable first, it holds words, blocks and runner-up. ``terms``: whether
    it holds the terms of the site, which take some seconds to find.
    """
    run = Run(out)
    path = run.path / REPORT
    if told or terms or not path.is_file():
        found = [run.terms(*pair) for pair in run.settings.language_pairs()] if terms else []
        with run.folder.read_locked():
            grounds = run.explainer.grounds_of(told) if told else None
            write_report(run_tables(out), path, grounds, pa.concat_tables(found) if terms else None)
    return path


def run_tables(out: str | os.PathLike[str]) -> RunTables:
    """The tables of a finished run, as its report is made of them."""
    run = Run(out)
    keys = done_key(run.folder, PAIRS, "diglot pair"), done_key(run.folder, SEGMENTS, "diglot align")
    bundles = Bundles(run.folder, run.settings, *keys)
    return report_tables(run.folder.settings(), run.settings, run.summary(), bundles)


def _paths(source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[str]:
    return [os.fspath(path) for path in ([source] if isinstance(source, str | os.PathLike) else source)]


def _begun(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    langs: str | Sequence[str],
    out: str | os.PathLike[str],
    asked: Mapping[str, Any],
    crawl: Mapping[str, Any] | None,
    *,
    jobs: int,
    overwrite: bool,
    progress: Progress | None,
) -> dict[str, Any]:
    """Settings and sources of a run as :func:`working` takes them: options checked, addresses crawled, and languages
    that are asked for as ``all`` or ``en,*`` found out."""
    is_open = open_languages(langs) is not None
    settings = unsettled_languages(**asked) if is_open else make_settings(langs, **asked)
    if not is_open:
        _say_unknown_languages(settings, progress)
    sources = _crawled(_paths(source), settings, out, crawl, progress, overwrite=overwrite)
    if not is_open:
        return {"settings": settings, "sources": sources}
    if not overwrite:
        require_empty(Path(out))
    serve_from_here(PRELOAD)
    opened = open_sources(sources, **settings.source_options())
    before = None if overwrite else Path(out)
    found = decide(langs, opened, settings, before, jobs=jobs, progress=progress)
    settings = make_settings(found.langs, **{**asked, "pivot": found.pivot})
    return {"settings": settings, "sources": sources, "found": found.note}


def _say_unknown_languages(settings: Settings, progress: Progress | None) -> None:
    """Say at once which wanted languages no text can be identified as."""
    listener = progress or usual()
    for note in unknown_language_notes(settings.langs):
        listener.start("languages", None, "")
        listener.finish(note)


def _say_what_is_not_limited(progress: Progress | None) -> None:
    """Say what this system cannot keep workers from."""
    if not limits_memory():
        listener = progress or usual()
        listener.start("workers", None, "")
        listener.finish("this system does not limit their memory, so only time ends a page that is made to take it all")


def _crawled(
    paths: list[str],
    settings: Settings,
    out: str | os.PathLike[str],
    crawl: Mapping[str, Any] | None,
    progress: Progress | None,
    *,
    overwrite: bool,
) -> list[str]:
    """The sources with the addresses among them crawled and replaced by the archive that this gave."""
    starts = [path for path in paths if looks_like_address(path)]
    files = [path for path in paths if path not in starts]
    if not starts:
        if crawl:
            raise UsageError(
                f"{', '.join(crawl)}: for a crawl, and no source is a web address; leave it out, or name one"
            )
        return paths
    if not overwrite:
        require_empty(Path(out))
        require_same_starts(Path(out), starts, settings.langs)
    if files:
        open_sources(files, **settings.source_options())  # what is wrong with them is said before hours of crawling
    from diglot.run.crawl import crawl_into

    limits = {"max_page_bytes": settings.max_page_bytes, **(crawl or {})}
    crawled = crawl_into(Path(out), starts, settings.langs, progress or usual(), limits)
    return [*map(str, crawled.files), *files]


@contextlib.contextmanager
def working(
    out: str | os.PathLike[str],
    settings: Settings,
    *,
    sources: Sequence[str] = (),
    found: Mapping[str, Any] | None = None,
    jobs: int,
    progress: Progress | None,
    overwrite: bool = False,
    preload: Sequence[str] = PRELOAD,
) -> Iterator[Work]:
    """Own a run folder with an engine at work; :class:`Stopped` where the work is interrupted.

    Sources are refused for a folder that holds anything else, unless ``overwrite`` is said. ``found``: what is noted of
    languages that were found out. ``preload``: modules that workers need, none for what is done without workers.
    """
    if preload:
        serve_from_here(preload)
        _say_what_is_not_limited(progress)
    opened = open_sources(sources, **settings.source_options()) if sources else []
    if sources and not overwrite:
        require_empty(Path(out))

    def prepare(work: Work) -> None:
        if sources and not overwrite:
            require_same_sources(work)
        drop_outdated(work)
        if sources:
            keep_note(work.folder, found)

    with (
        RunFolder(out, create=bool(sources)) as folder,
        folder.locked(),
        _working_in(folder, settings, opened, jobs=jobs, progress=progress, prepare=prepare) as work,
    ):
        yield work


@contextlib.contextmanager
def _working_in(
    folder: RunFolder,
    settings: Settings,
    opened: Sequence[Source],
    *,
    jobs: int,
    progress: Progress | None,
    prepare: Callable[[Work], None] | None = None,
) -> Iterator[Work]:
    """An engine at work in a run folder that is owned; ``prepare`` is called before ``diglot.toml`` is written."""
    require_pages(folder)
    with LocalEngine(jobs=jobs, preload=PRELOAD) as engine:
        work = Work(folder, settings, engine, opened, progress or usual())
        try:
            if prepare is not None:
                prepare(work)
            with logged(folder.path, work.progress, _told(settings, opened)) as work.progress:
                write_settings(work)
                yield work
        except KeyboardInterrupt as interrupt:
            raise Stopped(f"stopped; the same command goes on from what is in {folder.path}") from interrupt


def _told(settings: Settings, opened: Sequence[Source]) -> list[str]:
    """What a log says of the options in force and the sources."""
    options = [f"{name}={value}" for name, value in settings.to_table().items() if value not in ("", [], {})]
    return [
        *(f"source    {source.kind} {source.spec}" for source in opened[:SOURCES_LOGGED]),
        f"options   {' '.join(options)}",
        f"recipe    {settings.resolved_recipe().signature(__version__)}",
    ]


def write_settings(work: Work) -> None:
    """Write ``diglot.toml``: options, recipe signature, version, and the hash of every input."""
    sources = [
        {"name": source.name, "kind": str(source.kind), "path": source.spec, "hash": fingerprint}
        for source, fingerprint in zip(work.sources, work.fingerprints, strict=True)
    ]
    crawl = work.folder.recall("crawl", "options")
    known = sources or work.folder.settings().get("sources", [])
    work.folder.write_settings(settings_file(work.settings, known, crawl=crawl, languages=told_of(work.folder)))
