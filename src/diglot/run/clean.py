"""The clean stage: segments are flagged and stored, once for the same options.

Options for which flags leave a segment out (``keep``, ``drop``) apply later, when segments are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import distinct, sampling_step
from diglot.corpus.flags.codes import codes_of
from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.flagging import clean_segments
from diglot.corpus.flags.personal import as_mode
from diglot.corpus.flags.wrong_language import PAGE_TEXTS
from diglot.disk.folder import RunFolder, content_key
from diglot.disk.safe_read import read_text
from diglot.disk.stage_files import read_stage_file, write_stage_file
from diglot.documents.language import UNDETERMINED, readable
from diglot.engines.pool import WORKER_MEMORY_BYTES
from diglot.errors import DiglotError, UsageError, describe_error
from diglot.reasons import Reason
from diglot.records import SEGMENT_SCHEMA, zip_columns
from diglot.run.log import LOG
from diglot.run.settings import Settings
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import FLAGGED, OUTDATED, PAIRS, SEGMENTS, Work, report_stage, time_stage
from diglot.site import Site, registered_domain
from diglot.version import __version__

T = TypeVar("T")

OTHER_PAGES, OTHER_TEXTS, OTHER_TEXT_CHARS = 10, 100, 60
"""Limits for learning the words of a language nobody asked for: most pages, most texts, least characters of a text.
That gives two thousand words, enough to tell the language from others, and even many languages take little time. As
many shorter texts show the labels of its pages, which other versions may have untranslated."""
FLAG_TIMEOUT_S, SEGMENT_TIMEOUT_S = 120.0, 0.01
"""Seconds allowed for cleaning in a worker, and for every segment more: a hundred times the time of a common one."""
PART_SEGMENTS = 10_000
"""Least number of segments in a worker's part, unless the run has fewer."""
SEGMENT_MEMORY_BYTES = 16 << 10
"""Memory allowed to a worker for every segment; a common one takes a tenth."""
_ADVICE = {
    Reason.PARSER_MEMORY: "free memory and run the same command again",
    Reason.PARSER_TIMEOUT: f"run the same command again; if it ends so again, report it with {LOG}",
    Reason.PARSER_CRASH: "if a process was killed, free memory and run the same command again. An error with file and "
    f"line is one of the program: mend it in a flag of your own, or report it with {LOG}",
}
"""Advice by the failure of a worker: lack of memory, lack of time, and a crash or an error of Diglot."""
_SIDES = pa.schema([SEGMENT_SCHEMA.field(f"{side}_{name}") for side in ("src", "tgt") for name in ("url", "lang")])
_SOURCES = pa.schema([SEGMENT_SCHEMA.field("src_url")])


def clean_stage(work: Work, facts: PageFacts, segments_key: str) -> None:
    """Flag the segments of a run. ``facts``: from :func:`facts_for_cleaning`."""
    with time_stage(work, "clean"):
        work.progress.start("clean", None, "segments")
        work.progress.step("flagging segments")
        folder, key = work.folder, flagged_key(work.settings, segments_key)
        is_kept = folder.shards(FLAGGED, key) is not None
        # With other options the same flags may leave out other segments.
        is_as_before = is_kept and folder.recall(*OUTDATED) is None
        # Workers have loaded the language identifier already, and they free their memory afterwards.
        if work.engine.preload and not is_kept and (parts := _parts_of_sites(folder, segments_key)):
            _flag_in_workers(work, parts, facts, key)
        _flag_here(folder, work.settings, facts, segments_key)
        report_stage(work, "clean", f"{folder.rows(FLAGGED, key):,} segments looked at", is_kept=is_as_before)


def facts_for_cleaning(folder: RunFolder, settings: Settings, documents: pa.Table, segments_key: str) -> PageFacts:
    """Facts about the pages of a run needed for cleaning; the texts of ``documents`` may be released afterwards."""
    if folder.shards(FLAGGED, flagged_key(settings, segments_key)) is not None:
        return PageFacts()
    return page_facts(documents, _languages_of_sites(folder.each_shard(SEGMENTS, segments_key, _SIDES)))


def flag_run(folder: RunFolder, settings: Settings, documents: pa.Table, segments_key: str) -> str:
    """Flag the segments of a run as a single shard, once for the same segments and options; returns the key of the
    flagged segments.

    ``documents``: resolved documents of all sites.
    """
    facts = facts_for_cleaning(folder, settings, documents, segments_key)
    return _flag_here(folder, settings, facts, segments_key)


def _flag_here(folder: RunFolder, settings: Settings, facts: PageFacts, segments_key: str) -> str:
    """Flag the segments unless workers have, and make the flagged segments those of the run; returns the key."""
    key = flagged_key(settings, segments_key)
    if folder.shards(FLAGGED, key) is None:
        segments = folder.read(SEGMENTS, segments_key, SEGMENT_SCHEMA)
        if segments is None:
            segments = SEGMENT_SCHEMA.empty_table()
        flagged = clean_segments(segments, cleaning_options(settings), facts)
        folder.write_shard(FLAGGED, key, 0, flagged.combine_chunks())
        folder.finish(FLAGGED, key, 1)
    folder.discard_others(FLAGGED, {key})
    folder.remember(FLAGGED, segments_key, key)
    return key


def _flag_in_workers(work: Work, parts: Sequence[pa.Table], facts: PageFacts, key: str) -> None:
    """Let workers write the flagged segments, a shard for every part."""
    folder = work.folder
    paths = (str(folder.shard_path(FLAGGED, key, number)) for number in range(len(parts)))
    tasks = [
        part.append_column("flagged", pa.array([path] * part.num_rows)) for path, part in zip(paths, parts, strict=True)
    ]
    largest = max(map(_rows_of, parts))
    done = work.engine.map_whole(
        partial(_flag_part, options=cleaning_options(work.settings), facts=facts),
        tasks,
        failed=_unflaggable,
        timeout_s=lambda part: FLAG_TIMEOUT_S + SEGMENT_TIMEOUT_S * _rows_of(part),
        memory_bytes=WORKER_MEMORY_BYTES + SEGMENT_MEMORY_BYTES * largest,
    )
    for number, refused in enumerate(done):
        if refused.num_rows:
            raise UsageError(refused["refusal"][0].as_py())
        folder.adopt_shard(FLAGGED, key, number)
    folder.finish(FLAGGED, key, len(parts))


def _parts_of_sites(folder: RunFolder, segments_key: str) -> list[pa.Table]:
    """The segments of a run, cut between sites into parts; no parts for a run without segments.

    A part is a table of stretches: file ``path``, rows ``start`` to ``stop``.
    """
    pairs = load_pairs(folder, folder.recall("run", PAIRS))
    urls = pairs["src_url"].combine_chunks()
    shards = folder.each_shard(SEGMENTS, segments_key, _SOURCES)
    sites = [pairs["site"].take(pc.index_in(shard["src_url"], value_set=urls)) for shard in shards]
    ends = np.cumsum([0, *map(len, sites)])
    codes = codes_of(pa.chunked_array([chunk for each in sites for chunk in each.chunks], pa.string()))
    changes = np.flatnonzero(np.diff(codes)) + 1
    if len(distinct(codes)) <= len(changes):
        # The segments of some site do not stand together, so nothing is cut.
        changes = changes[:0]
    cuts = [0]
    for change in changes.tolist():
        if change - cuts[-1] >= PART_SEGMENTS:
            cuts.append(change)
    files = list(zip(map(str, folder.shards(SEGMENTS, segments_key) or ()), *(ends[:-1], ends[1:]), strict=True))
    parts = []
    for first, last in pairwise([*cuts, int(ends[-1])] if len(codes) else ()):
        rows = [(path, max(first - start, 0), min(last, end) - start) for path, start, end in files]
        named = [(path, start, stop) for path, start, stop in rows if start < stop]
        parts.append(pa.table(list(map(list, zip(*named, strict=True))), names=["path", "start", "stop"]))
    return parts


def _rows_of(part: pa.Table) -> int:
    return int(pc.sum(pc.subtract(part["stop"], part["start"])).as_py())


def _flag_part(part: pa.Table, *, options: Cleaning, facts: PageFacts) -> pa.Table:
    """Flag the segments of whole sites together and write them to the file in column ``flagged``.

    Returns no rows, or one with a ``refusal``: why the file cannot be written.
    """
    rows = zip_columns(part, "path", "start", "stop")
    files = ((read_stage_file(path, SEGMENT_SCHEMA.names), start, stop) for path, start, stop in rows)
    tables = [SEGMENT_SCHEMA.empty_table(), *(file.slice(start, stop - start) for file, start, stop in files)]
    # A file of an earlier version has fewer columns.
    flagged = clean_segments(pa.concat_tables(tables, promote_options="default"), options, facts)
    refusals = []
    try:
        write_stage_file(Path(part["flagged"][0].as_py()), flagged.combine_chunks())
    except UsageError as error:
        # No crash of the worker: another try would fail in the same way.
        refusals.append(str(error))
    # Segments of a large site are too many for a pipe: they stay in the file.
    return pa.table({"refusal": pa.array(refusals, pa.string())})


def _unflaggable(_part: pa.Table, reason: Reason, detail: str) -> pa.Table:
    raise DiglotError(f"the segments could not be cleaned ({detail}); {_ADVICE[reason]}")


def flagged_key(settings: Settings, segments_key: str) -> str:
    """Key of the flagged segments for these settings."""
    options = cleaning_options(settings)
    chosen = options.personal_data, sorted(options.offensive), options.min_score, options.one_site
    return content_key(FLAGGED, __version__, segments_key, *chosen)


def cleaning_options(settings: Settings) -> Cleaning:
    """Options of cleaning from the settings of a run; :class:`UsageError` for an unreadable word list."""
    words = read_word_list(Path(settings.offensive)) if settings.offensive else frozenset[str]()
    return Cleaning(
        personal_data=as_mode(settings.pii),
        offensive=words,
        min_score=settings.least_score(),
        one_site=settings.one_site,
        probabilities=settings.scores_are_probabilities(),
    )


def read_word_list(path: Path) -> frozenset[str]:
    """Casefolded words of a UTF-8 file, a word a line; ``#`` begins a comment."""
    try:
        lines = read_text(path).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"offensive={path}: cannot be read as UTF-8 text ({describe_error(error)}); offensive='' takes no list"
        ) from error
    return frozenset(word for line in lines if (word := line.partition("#")[0].strip().casefold()))


def page_facts(documents: pa.Table, with_segments: Set[tuple[str, str]]) -> PageFacts:
    """Facts about the pages of a run, from a table of :data:`diglot.records.DOCUMENT_SCHEMA`.

    ``with_segments``: domains and languages of the segments.
    """
    usable = readable(documents.select(["url", "reason", "machine_mark", "declared_lang"]))
    machine = usable.filter(pc.not_equal(usable["machine_mark"], ""))
    declared = usable.filter(pc.not_equal(usable["declared_lang"], ""))
    return PageFacts(
        machine_translated=frozenset(machine["url"].to_pylist()),
        declared_lang=dict(zip_columns(declared, "url", "declared_lang")),
        other_texts=other_texts(documents, with_segments),
    )


def other_texts(documents: pa.Table, with_segments: Set[tuple[str, str]]) -> pa.Table:
    """Sample texts of every domain in languages with pages but without segments, :data:`PAGE_TEXTS`."""
    rows: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for row, (url, lang, reason) in enumerate(zip_columns(documents, "url", "lang", "reason")):
        group = registered_domain(url), lang
        if reason in ("", Reason.OTHER_LANGUAGE) and lang != UNDETERMINED and group not in with_segments:
            rows.setdefault(group, []).append((url, row))
    texts = documents.select(["url", "lang", "chunks", "block_ends"])
    chosen = (_some(sorted(rows[group]), OTHER_PAGES) for group in sorted(rows))
    tables = [_some_texts(texts.take(pa.array([row for _, row in pages]))) for pages in chosen]
    return pa.concat_tables([PAGE_TEXTS.empty_table(), *tables])


def _languages_of_sites(tables: Iterable[pa.Table]) -> set[tuple[str, str]]:
    """Domains and languages of the segments, both sides."""
    sides = (table.select([f"{side}_url", f"{side}_lang"]) for table in tables for side in ("src", "tgt"))
    pages: set[tuple[str, str]] = set()
    for side in sides:
        grouped = side.group_by(side.column_names).aggregate([])
        pages.update(zip(*(column.to_pylist() for column in grouped.columns), strict=True))
    return {(registered_domain(url), lang) for url, lang in pages}


def _some_texts(pages: pa.Table) -> pa.Table:
    """At most :data:`OTHER_TEXTS` longer block texts of these pages, and as many shorter ones, :data:`PAGE_TEXTS`."""
    blocks = Site("", pages).block_texts
    table = pages.select(["url", "lang"]).take(pc.list_parent_indices(blocks))
    table = table.append_column("text", blocks.flatten()).cast(PAGE_TEXTS)
    are_long = pc.greater_equal(pc.utf8_length(table["text"]), OTHER_TEXT_CHARS).to_numpy()
    # A menu stands on every page.
    new = np.isin(np.arange(table.num_rows), np.unique(codes_of(table["text"]), return_index=True)[1])
    some = (_some(np.flatnonzero(mask).tolist(), OTHER_TEXTS) for mask in (are_long, ~are_long & new))
    return table.take(pa.array([row for rows in some for row in rows], pa.int64()))


def _some(rows: Sequence[T], count: int) -> Sequence[T]:
    """At most ``count`` rows, evenly spread."""
    return rows[:: sampling_step(len(rows), count)]
