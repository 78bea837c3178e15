"""Merge finished runs: sites side by side, segments shared by several sites decided over all runs."""

from __future__ import annotations

import contextlib
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints
from diglot.checked_arguments import check_arguments
from diglot.corpus.flags import JUDGED_WRONG
from diglot.disk.exchange import read_bucket, write_buckets
from diglot.disk.folder import RunFolder, content_key
from diglot.engines.pool import LocalEngine
from diglot.errors import UsageError
from diglot.layout import count_text
from diglot.merging.rows import (
    count_divided,
    keep_best_pairs,
    keep_one_record,
    order_by_site,
    prefix_sources,
    rename_addresses,
)
from diglot.merging.settings import merged_settings
from diglot.outputs.finish import finish_stage
from diglot.pages.forgotten import forgotten_of, is_forgotten
from diglot.progress import Progress, default_progress
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA
from diglot.results.run import Run
from diglot.run.bundles import Bundles, with_site
from diglot.run.judgements import (
    Judgement,
    RunJudgements,
    TextKey,
    judgements_stamp,
    read_judgements,
    with_judgements,
)
from diglot.run.log import open_log
from diglot.run.settings import Settings
from diglot.run.stored_pages import RESOLVED_SCHEMA
from diglot.run.stored_pairs import EXPECTED, FAILED, expected_without
from diglot.run.striking import settle_merge, without_forgotten
from diglot.run.work import (
    CUT,
    FLAGGED,
    INDEXES,
    MADE_BY,
    MERGED,
    MERGED_RUNS,
    PAIRS,
    RESOLVED,
    SAME_PATHS,
    SEGMENTS,
    SKIPPED,
    Work,
    result_keys,
    stage_key,
)
from diglot.site import site_number
from diglot.version import __version__

BUNDLE_ROWS = 200_000
"""Most records and segments in a bundle of sites; a larger site is a bundle alone."""
DIVIDED = "divided"
"""Kind of the note on the number of sites whose pages are divided between the runs."""


@dataclass(frozen=True)
class _Source:
    """A run to merge, and keys of its stages. ``name``: folder of the run, and prefix of its sources' names."""

    name: str
    run: Run
    pairs_key: str
    segments_key: str

    def bundles(self) -> Bundles:
        return Bundles(self.run.folder, self.run.settings, self.pairs_key, self.segments_key)

    def stamp(self) -> tuple[str, ...]:
        """Parts of a key that change whenever the run changes."""
        folder = self.run.folder
        flagged = folder.recall(FLAGGED, self.segments_key)
        keys = folder.recall("run", RESOLVED), self.pairs_key, self.segments_key, flagged
        # Forgetting leaves the keys of a run as they were.
        forgotten = sorted(mark.hex() for mark in forgotten_of(folder))
        return self.name, *keys, *filter(None, [judgements_stamp(folder)]), *forgotten


@check_arguments
def merge(
    runs: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, progress: Progress | None = None
) -> Run:
    """Merge finished runs into the run folder ``out``; the order of the runs does not matter.

    The result has the languages of all runs. A site in several runs becomes one; a single record of an address is kept,
    and a page pair appears once. Of segments shared by several sites a single copy is kept, with the addresses of all.
    Verdicts and corrections of one run count for the same texts of the others. The text of pages stays in the runs.

    Raises: UsageError for runs with different recipes, options or orders of languages, or with the same name, and for
    an ``out`` with other content. RunFolderError for unfinished runs. After writing, NothingFound or SitesFailed like
    :func:`diglot.harvest`.
    """
    with contextlib.ExitStack() as stack:
        sources = [_open_source(path, stack) for path in runs]
        # The order of the runs must not matter.
        sources.sort(key=lambda source: source.name)
        _require_different(sources)
        settings = merged_settings({source.name: source.run for source in sources})
        _require_place(Path(out), sources)
        folder = stack.enter_context(RunFolder(out))
        stack.enter_context(folder.lock())
        engine = stack.enter_context(LocalEngine(jobs=1))
        stamps = [*(source.stamp() for source in sources), *sorted(forgotten_of(folder))]
        # "merge once, verdicts of all": earlier merges kept copies of one site in several runs, or with http and https,
        # and applied the verdicts of a run to its own segments alone.
        key = content_key("merge once, verdicts of all", __version__, settings, *stamps)
        folder.remember(MERGED, MERGED, [[source.name, str(source.run.path.resolve())] for source in sources])
        folder.write_settings(_settings_table(settings, sources))
        listener = stack.enter_context(open_log(folder.path, progress or default_progress()))
        work = Work(folder, settings, engine, progress=listener)
        _gather(work, sources, key)
        if forgotten_of(folder):
            settle_merge(folder, folder.recall(EXPECTED, key) or {})
            work = replace(work, settings=Run(folder).settings)
        finish_stage(work, key, key)
    return Run(out)


def _open_source(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> _Source:
    run = Run(stack.enter_context(RunFolder(path, create=False)))
    stack.enter_context(run.folder.read_lock())
    keys = result_keys(run.folder)
    run.summary()
    stage_key(run.folder, RESOLVED, "diglot harvest")
    return _Source(run.path.resolve().name, run, *keys)


def _require_different(sources: Sequence[_Source]) -> None:
    """Raise UsageError for fewer than two runs, or for runs that are the same or have the same name."""
    if len(sources) < 2:
        raise UsageError("name two runs or more, as in diglot merge RUN1 RUN2 -o OUT")
    for one, other in pairwise(sources):
        if one.run.path.resolve() == other.run.path.resolve():
            raise UsageError(f"{one.name}: named twice; name each run once")
        if one.name == other.name:
            raise UsageError(f"two runs are called {one.name}; rename a folder: it names the sources")


def _require_place(out: Path, sources: Sequence[_Source]) -> None:
    """Raise UsageError for a folder with other content than a merge of runs with these names."""
    if any(out.resolve() == source.run.path.resolve() for source in sources):
        raise UsageError(f"{out}: is one of the runs; name another folder")
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    known: list[list[str]] = []
    if (out / "journal.db").is_file():
        with RunFolder(out, create=False) as folder:
            if folder.is_unused():
                return
            known = folder.recall(MERGED, MERGED) or []
    if sorted(name for name, _ in known) != [source.name for source in sources]:
        raise UsageError(f"{out}: is there and no merge of these runs; name another folder")


def _settings_table(settings: Settings, sources: Sequence[_Source]) -> dict[str, Any]:
    """Content of ``diglot.toml`` for a merge."""
    own = [(source.name, source.run.folder.settings()) for source in sources]
    return {
        "diglot": __version__,
        "signature": own[0][1].get("signature", ""),
        "merged": [name for name, _ in own],
        "settings": settings.to_table(),
        "sources": [
            {"name": f"{name}/{each['name']}", "kind": each["kind"], "hash": each["hash"]}
            for name, table in own
            for each in table.get("sources", [])
        ],
    }


def _gather(work: Work, sources: Sequence[_Source], key: str) -> None:
    """Write the stages of the merged run, a bundle of sites a shard, and the notes."""
    folder = work.folder
    work.progress.start("merge", len(sources), "runs")
    if any(folder.shards(stage, key) is None for stage in (RESOLVED, PAIRS, FLAGGED)):
        work.progress.step("finding sites")
        bundle_of = _plan_bundles(sources)
        work.progress.step("putting sites together")
        _exchange(folder, key, sources, bundle_of)
    for stage in (RESOLVED, PAIRS, FLAGGED):
        folder.discard_others(stage, {key})
    for stage in (RESOLVED, PAIRS, SEGMENTS):
        folder.remember("run", stage, key)
    for stage, of_run in ((PAIRS, sources[0].pairs_key), (SEGMENTS, sources[0].segments_key)):
        folder.remember(MADE_BY, f"{stage} {key}", sources[0].run.folder.recall(MADE_BY, f"{stage} {of_run}"))
    folder.finish(SEGMENTS, key, 0)  # the segments are in the stage FLAGGED alone
    folder.remember(FLAGGED, key, key)
    for kind, value in _join_notes(sources, forgotten_of(folder)).items():
        own = []
        if kind == "notes":
            own = [*_divided_notes(folder.recall(DIVIDED, key) or 0), *_opposed_notes(sources)]
        folder.remember(kind, key, [*own, *value] if own else value)
    work.progress.finish(f"{len(sources)} runs")


def _plan_bundles(sources: Sequence[_Source]) -> dict[str, int]:
    """Number of the bundle of every site, in the order of sites."""
    rows = Counter[str]()
    for bundle in (each for source in sources for each in source.bundles()):
        for column in (bundle.resolved["site"], with_site(bundle.segments, bundle.resolved)["site"]):
            found = pc.value_counts(column)
            rows.update(dict(zip(found.field("values").to_pylist(), found.field("counts").to_pylist(), strict=True)))
    bundle_of: dict[str, int] = {}
    number = held = 0
    for site in sorted(rows, key=lambda site: (site_number(site), site)):
        if held and held + rows[site] > BUNDLE_ROWS:
            number, held = number + 1, 0
        bundle_of[site] = number
        held += rows[site]
    return bundle_of


def _exchange(folder: RunFolder, key: str, sources: Sequence[_Source], bundle_of: Mapping[str, int]) -> None:
    """Partition the rows of all runs by bundle, and write a shard for every bundle, sites in order."""
    partition, site = partial(_partition, folder, key, bundle_of), RESOLVED_SCHEMA.field("site")
    records = (prefix_sources(each.resolved, source.name) for source in sources for each in source.bundles())
    pairs = (each.pairs for source in sources for each in source.bundles())
    of_others = _verdicts_of_others(sources)
    segments = (
        with_site(with_judgements(each.segments, of_others[source.name]), each.resolved)
        for source in sources
        for each in source.bundles()
    )
    divided = 0
    # By bundle: the address that replaces a page's other ones. Few, since most sites have one scheme in all runs.
    spellings: list[dict[str, str]] = []
    with partition(RESOLVED, RESOLVED_SCHEMA, records) as parts:
        for number, rows in enumerate(parts):
            divided += count_divided(rows)
            kept, respelt = keep_one_record(rows)
            spellings.append(respelt)
            folder.write_shard(RESOLVED, key, number, kept.combine_chunks())
    folder.remember(DIVIDED, key, divided)
    folder.finish(RESOLVED, key, len(spellings))
    for stage, schema, tables, ordered in (
        (PAIRS, PAIR_SCHEMA, pairs, keep_best_pairs),
        (FLAGGED, FLAGGED_SCHEMA.append(site), segments, order_by_site),
    ):
        with partition(stage, schema, tables) as parts:
            for number, rows in enumerate(parts):
                renamed = rename_addresses(rows, spellings[number])
                folder.write_shard(stage, key, number, ordered(renamed).combine_chunks())
        folder.finish(stage, key, len(spellings))


@contextlib.contextmanager
def _partition(
    folder: RunFolder,
    key: str,
    bundle_of: Mapping[str, int],
    stage: str,
    schema: pa.Schema,
    tables: Iterable[pa.Table],
) -> Iterator[Iterator[pa.Table]]:
    """Rows of all tables without forgotten pages, a table for each bundle, from a file that is deleted at the end."""
    numbers, sites = pa.array(bundle_of.values(), pa.int64()), pa.array(bundle_of, pa.string())
    count, forgotten = max(bundle_of.values(), default=0) + 1, forgotten_of(folder)

    def bundle(table: pa.Table) -> Ints:
        return np.asarray(numbers.take(pc.index_in(table["site"], value_set=sites).combine_chunks()).to_numpy())

    path = folder.path / stage / f"{key}-partitioned.parquet"
    try:
        left = (without_forgotten(table, forgotten).cast(schema) for table in tables)
        write_buckets(path, left, bundle, count, schema=schema)
        yield (read_bucket(path, number) for number in range(count))
    finally:
        path.unlink(missing_ok=True)


def _divided_notes(divided: int) -> list[str]:
    """A note on sites divided between the runs; empty without such a site."""
    if not divided:
        return []
    return [
        f"the pages of {count_text(divided, 'site')} are divided between the runs, and pages of different runs are not "
        "paired: for these pairs make one run of all the sources"
    ]


def _latest_verdicts(sources: Sequence[_Source]) -> dict[str, dict[TextKey, Judgement]]:
    """The latest judgement on each text, by run; unsure ones are left out."""
    judged = {source.name: read_judgements(source.run.path).values() for source in sources}
    return {name: {each.key: each for each in found if each.flag is not None} for name, found in judged.items()}


def _opposed_texts(verdicts: Mapping[str, Mapping[TextKey, Judgement]]) -> set[TextKey]:
    """Texts judged wrong in one run, and right, partly right or corrected in another."""
    flags = defaultdict[TextKey, set[str | None]](set)
    for of_run in verdicts.values():
        for key, judgement in of_run.items():
            flags[key].add(judgement.flag)
    return {key for key, found in flags.items() if JUDGED_WRONG in found and len(found) > 1}


def _verdicts_of_others(sources: Sequence[_Source]) -> dict[str, RunJudgements]:
    """Judgements that a run takes over from the other runs, by the name of the run: on texts without a judgement of its
    own, and without the texts on which runs are opposed."""
    verdicts = _latest_verdicts(sources)
    opposed = _opposed_texts(verdicts)
    found = {}
    for name, own in verdicts.items():
        settled = own.keys() | opposed
        others = (of_run for other, of_run in verdicts.items() if other != name)
        judged = {each.id: each for of_run in others for key, each in of_run.items() if key not in settled}
        found[name] = RunJudgements(judged)
    return found


def _opposed_notes(sources: Sequence[_Source]) -> list[str]:
    """A note with the number of segments judged wrong in one run and otherwise in another; empty if there are none."""
    opposed = len(_opposed_texts(_latest_verdicts(sources)))
    if not opposed:
        return []
    return [
        f"{count_text(opposed, 'segment')} judged wrong in one run, and right, partly right or corrected in another: "
        "kept here; `diglot judge` on the merge decides"
    ]


def _join_notes(sources: Sequence[_Source], forgotten: Collection[bytes]) -> dict[str, Any]:
    """Notes on pairs and segments of all runs, joined. ``forgotten``: hashes of addresses that the merge leaves out."""
    expected: dict[str, dict[str, float | None]] = {}
    failed: dict[str, str] = {}
    notes: list[str] = []
    runs: dict[str, dict[str, Any]] = {}
    for source in sources:
        folder = source.run.folder
        candidates = folder.recall("candidates", source.pairs_key) or 0
        runs[source.name] = {"candidates": candidates, "langs": list(source.run.settings.langs)}
        failed |= folder.recall(FAILED, source.pairs_key) or {}
        of_run = folder.recall(EXPECTED, source.pairs_key) or {}
        if forgotten:
            of_run = expected_without(folder, source.pairs_key, partial(is_forgotten, hashes=forgotten))
        for site, found in of_run.items():
            known = expected.setdefault(site, {})
            for pair, n in found.items():
                known[pair] = n if n is None or (other := known.get(pair)) is None else max(other, n)
        of_pairs = (
            folder.recall(*which) or ()
            for which in (SKIPPED, SAME_PATHS, INDEXES, CUT, ("crawl", "notes"), ("notes", source.pairs_key))
        )
        of_segments = folder.recall("notes", source.segments_key) if source.segments_key != source.pairs_key else ()
        notes += [f"{source.name}: {note}" for some in (*of_pairs, of_segments or ()) for note in some]
    # A site that failed in one run may have been paired in another.
    lost = {site: why for site, why in failed.items() if site not in expected}
    candidates = sum(run["candidates"] for run in runs.values())
    return {"candidates": candidates, MERGED_RUNS: runs, FAILED: lost, EXPECTED: expected, "notes": notes}
