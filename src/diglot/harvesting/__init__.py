"""The whole pipeline in one call, or stage by stage: multilingual websites in, parallel text out."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Unpack

import pyarrow as pa

from diglot.arguments import (
    CleaningKeywords,
    CrawlKeywords,
    Langs,
    PathLike,
    ReadKeywords,
    RunKeywords,
    Sources,
    path_list,
)
from diglot.checked_arguments import check_arguments
from diglot.corpus.flags.context import PageFacts
from diglot.disk.folder import RunFolder
from diglot.errors import UsageError, require_options
from diglot.harvesting.request import Request, check_request, resolve_request
from diglot.harvesting.session import RunResources, open_work, reopen_work
from diglot.languages import parse_languages
from diglot.outputs.finish import finish_stage
from diglot.outputs.same_run import drop_merge, own_folder, require_same_starts
from diglot.pages import open_sources
from diglot.progress import Progress, default_progress
from diglot.results.delta import open_update, refreshing_deltas
from diglot.results.run import Run
from diglot.run.align import align_stage
from diglot.run.clean import clean_stage, cleaning_options, facts_for_cleaning
from diglot.run.pair import pair_stage
from diglot.run.read import adopt_documents, read_stage
from diglot.run.resolve import load_documents, resolve_stage
from diglot.run.settings import Settings, as_fields, with_flag_lists
from diglot.run.work import DOCUMENTS, PAIRS, Work, result_keys, stage_key
from diglot.tasks.execution import LOCAL, SPARK, check_engine, local_executor, spark_executor
from diglot.tasks.in_run import execute_all, execute_sites, is_cut

if TYPE_CHECKING:
    from diglot.crawl.crawling import CrawlResult


@check_arguments
def harvest(
    source: Sources,
    langs: Langs,
    out: PathLike,
    *,
    recipe: str = "",
    options: Mapping[str, str | float] | None = None,
    crawl: CrawlKeywords | None = None,
    jobs: int = 0,
    engine: str = LOCAL,
    master: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
    **others: Unpack[RunKeywords],
) -> Run:
    """Read sources, pair pages, align segments and write the corpus into the run folder ``out``.

    ``source``: web addresses, crawled into ``out`` first (``crawl``: its options), WARC, WACZ or ARC files, CDXJ
    indexes, folders of HTML, .lett files, such files at ``s3://``, ``gs://`` or ``hdfs://``, lists of them
    (``@FILE``), or several of these.
    ``langs``: BCP 47 tags, ``"en,fr"`` or a sequence; ``"all"``, all languages detected in the sources, or ``"en,*"``,
    English with every other. ``recipe``: see :data:`diglot.recipes.RECIPES`; ``options``: changes to the recipe, as on
    the command line or as numbers.
    ``engine``: ``local``, with ``jobs`` processes on this machine (0: one a core), or ``spark``, the Spark cluster at
    ``master``, where ``out`` and the sources must have the same paths.
    ``others``: of the sources ``base_url``, ``warc_prefix``, ``hosts``, ``skip_unreadable`` and ``split_pages``; of the
    pages ``lang_from``, ``lang_rules`` and ``max_page_bytes``; of the pairs ``pivot``, ``one_site`` and ``min_prob``;
    of the segments ``min_score``, ``keep``, ``drop``, ``pii`` and ``offensive``; of the outputs ``folders``.
    ``crawl`` takes by name ``max_pages``, ``max_documents``, ``no_documents``, ``max_requests``, ``max_time_s``,
    ``include``, ``exclude``, ``delay_s``, ``proxy``, ``agent``, ``allow_hosts``, ``browser`` and ``max_page_bytes``.
    Types are in :class:`diglot.RunKeywords` and :class:`diglot.CrawlKeywords`.
    The same call on the same folder resumes a stopped run. A folder with other content, or with a run of other sources
    or languages, is refused unless ``overwrite`` is set.

    Raises :class:`diglot.errors.DiglotError` and its kinds, nothing else on purpose.
    """
    check_engine(engine, master)
    asked = {"options": options, **({"recipe": recipe} if recipe else {}), **others}
    request = Request(
        paths=path_list(source),
        langs=langs,
        options=asked,
        crawl=crawl or {},
        jobs=jobs,
        overwrite=overwrite,
        progress=progress or default_progress(),
    )
    settings = check_request(request)
    resources = (
        RunResources(jobs=1, preload=(), progress=progress)
        if engine == SPARK
        else RunResources(jobs=jobs, progress=progress)
    )
    with own_folder(out, overwrite=overwrite, files=request.files) as folder:
        if open_update(folder) is not None:  # `update` judges which pages replace their copies
            raise UsageError(
                f"{folder.path}: an update is not finished; `diglot update {quote(str(out))}` goes on with it"
            )
        settings, inputs = resolve_request(request, settings, folder)
        with open_work(folder, settings, resources, inputs) as work, refreshing_deltas(folder):
            if engine == SPARK:
                finish_stage(work, *_run_on_spark(work, master))
            else:
                _run_stages(work)
    return Run(folder)


def harvest_into(folder: RunFolder, settings: Settings, sources: Sequence[str], resources: RunResources) -> None:
    """The stages of :func:`harvest` after a crawl, in an owned run folder."""
    opened = open_sources(sources, **settings.opening_options())
    with reopen_work(folder, settings, resources, opened) as work:
        _run_stages(work)


def harvest_documents(folder: RunFolder, settings: Settings, resources: RunResources) -> None:
    """The stages of :func:`harvest` after reading, in an owned run folder with documents."""
    with reopen_work(folder, settings, resources, ()) as work:
        _run_stages(work)


@check_arguments
def crawl_run(
    source: Sources,
    out: PathLike,
    *,
    langs: Langs = "",
    crawl: CrawlKeywords | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> CrawlResult:
    """The crawl of :func:`harvest` alone: addresses into WARC files of the run folder ``out``; resumes a stopped crawl.

    ``langs``: languages in which links are followed, "" for all.
    """
    from diglot.run.crawl import crawl_into  # takes long to load

    starts = path_list(source)
    with own_folder(out, overwrite=overwrite) as folder:
        if not overwrite:
            require_same_starts(folder, starts)
        wanted = parse_languages(langs, least=1) if langs else ()
        listener = progress or default_progress()
        crawled = crawl_into(folder, starts, wanted, listener, crawl)
        drop_merge(folder, listener)
        return crawled


@check_arguments
def read_sources(
    source: Sources,
    langs: Langs,
    out: PathLike,
    *,
    jobs: int = 0,
    overwrite: bool = False,
    progress: Progress | None = None,
    **others: Unpack[ReadKeywords],
) -> None:
    """The read stage of :func:`harvest` alone: sources to documents.

    ``others``: ``base_url``, ``warc_prefix``, ``hosts``, ``skip_unreadable``, ``split_pages``, ``lang_from``,
    ``lang_rules`` and ``max_page_bytes``, as in :class:`diglot.RunKeywords`.
    """
    request = Request(
        paths=path_list(source),
        langs=langs,
        options=dict(others),
        jobs=jobs,
        overwrite=overwrite,
        progress=progress or default_progress(),
    )
    settings = check_request(request)
    with own_folder(out, overwrite=overwrite, files=request.files) as folder:
        settings, inputs = resolve_request(request, settings, folder)
        with open_work(folder, settings, RunResources(jobs=jobs, progress=progress), inputs) as work:
            read_stage(work)
    folder.close()


@check_arguments
def pair_run(
    out: PathLike,
    *,
    recipe: str = "",
    options: Mapping[str, str | float] | None = None,
    progress: Progress | None = None,
) -> Run:
    """The resolve and pair stages alone, on a run folder with documents; with another recipe if one is named."""
    run = Run(out)
    settings = run.settings
    if recipe or options:
        settings = settings.with_recipe(recipe or settings.recipe, options or {})
        settings.check_recipe()
    with run.folder.lock(), open_work(run.folder, settings, RunResources(jobs=1, progress=progress)) as work:
        key = stage_key(work.folder, DOCUMENTS, "diglot read")
        pair_stage(work, resolve_stage(work, key), key)
    return Run(run.folder)


@check_arguments
def align_run(
    out: PathLike,
    *,
    evidence: str | Sequence[str] | None = None,
    jobs: int = 0,
    progress: Progress | None = None,
) -> Run:
    """The stages from aligning on, on a run folder with page pairs: segments, outputs and summary.

    ``evidence``: new sources of evidence (see :func:`diglot.align`), None for those of the run.
    """
    run = Run(out)
    settings = run.settings
    if evidence is not None:
        settings = settings.with_evidence(evidence)
    resources = RunResources(jobs=jobs, progress=progress)
    with run.folder.lock(), open_work(run.folder, settings, resources) as work, refreshing_deltas(run.folder):
        pairs_key = stage_key(work.folder, PAIRS, "diglot pair {run}")
        segments_key, facts = _align(work, _load_documents(work), pairs_key)
        clean_stage(work, facts, segments_key)
        finish_stage(work, pairs_key, segments_key)
    return Run(run.folder)


@check_arguments
def clean_run(out: PathLike, *, progress: Progress | None = None, **options: Unpack[CleaningKeywords]) -> Run:
    """The stages from cleaning on; options that are left out keep their values in the run.

    ``options``: ``min_score`` (None for the default), ``keep``, ``drop``, ``pii`` and ``offensive``. A flag in ``keep``
    leaves the run's list ``drop``, and the other way round.
    """
    require_options("option", options, CleaningKeywords.__annotations__)
    run = Run(out)
    lists = with_flag_lists({"keep": run.settings.keep, "drop": run.settings.drop}, options)
    settings = dataclasses.replace(run.settings, **{**as_fields(options), **lists})
    # Options are checked before diglot.toml states them.
    settings.excluding_flags()
    cleaning_options(settings)
    resources = RunResources(jobs=1, preload=(), progress=progress)
    with run.folder.lock(), open_work(run.folder, settings, resources) as work, refreshing_deltas(run.folder):
        keys = result_keys(work.folder)
        clean_stage(work, facts_for_cleaning(work.folder, settings, _load_documents(work), keys[1]), keys[1])
        finish_stage(work, *keys)
    return Run(run.folder)


def _run_stages(work: Work) -> None:
    """All stages on this machine, as tasks where the run has many pages on several sites."""
    documents_key = read_stage(work) if work.sources else adopt_documents(work.folder)
    if is_cut(work):
        # Tasks start workers of their own.
        work.engine.close()
        with local_executor(work.engine.jobs) as executor:
            keys = execute_sites(work, executor)
        finish_stage(work, *keys)
        return
    pairs_key, segments_key, facts = _pair_and_align(work, documents_key)
    clean_stage(work, facts, segments_key)
    finish_stage(work, pairs_key, segments_key)


def _pair_and_align(work: Work, documents_key: str) -> tuple[str, str, PageFacts]:
    """Keys of pairs and segments, and facts about pages for cleaning."""
    # The texts of all pages live only as long as this function.
    documents = resolve_stage(work, documents_key)
    pairs_key = pair_stage(work, documents, documents_key)
    return pairs_key, *_align(work, documents, pairs_key)


def _align(work: Work, documents: pa.Table, pairs_key: str) -> tuple[str, PageFacts]:
    segments_key = align_stage(work, documents, pairs_key)
    return segments_key, facts_for_cleaning(work.folder, work.settings, documents, segments_key)


def _run_on_spark(work: Work, master: str) -> tuple[str, str]:
    """All stages but the last as tasks on Spark; keys of pairs and segments."""
    with spark_executor(master) as executor:
        return execute_all(work, executor)


def _load_documents(work: Work) -> pa.Table:
    """All records of a run that is read."""
    work.progress.start("pages", None, "pages")
    work.progress.step("reading documents")
    return load_documents(work.folder, work.settings, stage_key(work.folder, DOCUMENTS, "diglot read"))
