"""Site task: resolve, pair, align and flag all pages of some sites; each site in a process of its own where a task
died."""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.engines.children import cause_of_death, end_child, end_with_program, limit_memory, start_child
from diglot.engines.pool import LocalEngine
from diglot.reasons import Reason
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA, with_columns
from diglot.run.align import align_stage, patience
from diglot.run.clean import flag_run
from diglot.run.ledger import mark_repeated_addresses
from diglot.run.pair import pair_stage
from diglot.run.resolve import resolve_stage
from diglot.run.settings import Settings, settings_file
from diglot.run.shards import site_memory_bytes, site_timeout_s
from diglot.run.stored_pages import RESOLVED_COLUMNS, RESOLVED_SCHEMA, resolved_key, sort_records
from diglot.run.work import DOCUMENTS, FLAGGED, PAIRS, PRELOAD, RESOLVED, SEGMENTS, Work
from diglot.site import SiteNames, grouped_by_site

SCHEMAS = {RESOLVED: RESOLVED_SCHEMA, PAIRS: PAIR_SCHEMA, SEGMENTS: SEGMENT_SCHEMA, FLAGGED: FLAGGED_SCHEMA}
"""Output tables of a site task, by stage."""
NOTE_KINDS = ("candidates", "expected", "failed", "notes")
"""Kinds of journal notes that a site task writes."""
TRIES = 2
"""Most tries of a site in isolation."""
_STAGE_LIMITS = 50
"""Time limit of a site in isolation, by the clock, as a multiple of the limit in one stage. It ends what hangs outside
of workers: five stages (resolving, pairing, learning, aligning, flagging) on a machine with ten programs a core."""


class SiteResults(NamedTuple):
    """Results of some sites: keys and tables by stage, notes by kind and key."""

    keys: Mapping[str, str]
    tables: Mapping[str, pa.Table]
    notes: Mapping[str, Mapping[str, Any]]


def merge_results(made: Sequence[SiteResults]) -> SiteResults:
    """Results of several sites as one, in order."""
    tables = {stage: pa.concat_tables([each.tables[stage] for each in made]) for stage in SCHEMAS}
    notes = {kind: merge_notes([each.notes.get(kind, {}) for each in made]) for kind in NOTE_KINDS}
    return SiteResults(made[0].keys, tables, notes)


def merge_notes(noted: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Notes of one kind from several sites: numbers added, dicts united, lists joined without repeated lines."""
    found: dict[str, Any] = {}
    for notes in noted:
        for key, value in notes.items():
            if key not in found:
                found[key] = value
            elif isinstance(value, dict):
                found[key] = {**found[key], **value}
            elif isinstance(value, list):
                found[key] = list(dict.fromkeys([*found[key], *value]))
            else:
                found[key] += value
    return found


def work_on_sites(
    documents: pa.Table, names: SiteNames, settings: Settings, documents_key: str, engine: LocalEngine, scratch: Path
) -> SiteResults:
    """Work on all sites of some documents in the empty folder ``scratch``.

    ``documents_key``: key of the documents of the whole run, from which the keys of all output files follow.
    """
    with RunFolder(scratch) as folder:
        work = Work(folder, settings, engine)
        folder.write_settings(settings_file(settings, ()))
        folder.write_shard(DOCUMENTS, documents_key, 0, documents)
        folder.finish(DOCUMENTS, documents_key, 1)
        folder.remember("sources", documents_key, [documents_key])
        resolved = resolve_stage(work, documents_key, names)
        pairs_key = pair_stage(work, resolved, documents_key)
        segments_key = align_stage(work, resolved, pairs_key, is_part=True)
        keys = {RESOLVED: resolved_key(documents_key, settings), PAIRS: pairs_key, SEGMENTS: segments_key}
        keys[FLAGGED] = flag_run(folder, settings, resolved, segments_key)
        tables = {stage: folder.read(stage, key, SCHEMAS[stage]) for stage, key in keys.items()}
        return SiteResults(keys, tables, {kind: folder.recall_all(kind) for kind in NOTE_KINDS})


def results_of_lost_sites(
    documents: pa.Table, detail: str, names: SiteNames, settings: Settings, documents_key: str, scratch: Path
) -> SiteResults:
    """Results of sites that cannot be worked on: pages dropped as ``site_failed``, empty tables."""
    with LocalEngine(jobs=1) as engine:
        nothing = work_on_sites(documents.slice(0, 0), names, settings, documents_key, engine, scratch)
    records = mark_repeated_addresses(documents)
    readable = pc.equal(records["reason"], "")
    reasons = pc.if_else(readable, Reason.SITE_FAILED.value, records["reason"])
    lost = with_columns(records, reason=reasons, detail=pc.if_else(readable, detail, records["detail"]))
    return nothing._replace(tables={**nothing.tables, RESOLVED: sort_records(lost.select(RESOLVED_COLUMNS))})


# -- retry in isolation: a deadly site is lost alone ---------------------------------------------


def work_in_isolation(
    documents: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path
) -> SiteResults:
    """As :func:`work_on_sites`, with a process for each site.

    Pages of a site that fails :data:`TRIES` times are dropped as ``site_failed``.
    """
    results = []
    for number, site in enumerate(grouped_by_site(documents)):
        folder = scratch / f"{number:05d}"
        folder.mkdir()
        results.append(_work_on_site(site, names, settings, documents_key, folder))
    return merge_results(results)


def _work_on_site(
    site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, folder: Path
) -> SiteResults:
    detail, patience_s = "", _STAGE_LIMITS * patience(settings.evidence()) * site_timeout_s(site)
    for number in range(TRIES):
        # Tries share no files: a killed process may have left incomplete ones.
        answer = folder / f"results-{number}"
        arguments = (site, names, settings, documents_key, folder / f"sites-{number}", answer)
        process, pipe = start_child(PRELOAD, partial(_run_body, work_and_pickle))
        with contextlib.suppress(OSError):  # the exit code of a dead process says more
            pipe.send(arguments)
        # The answer is a file: a pipe would have to be read while the process runs, or a large answer would block it.
        process.join(patience_s)
        if process.exitcode == 0:
            results: SiteResults = pickle.loads(answer.read_bytes())
            return results
        detail = f"not done after {patience_s:g} s" if process.is_alive() else cause_of_death(process)
        end_child(process, pipe)
    return results_of_lost_sites(site, detail, names, settings, documents_key, folder / "lost")


def _run_body(work: Callable[..., None], pipe: Connection) -> None:
    """Body of the process: receive the arguments, then work."""
    end_with_program()
    work(*pipe.recv())


def work_and_pickle(
    site: pa.Table, names: SiteNames, settings: Settings, documents_key: str, scratch: Path, answer: Path
) -> None:
    """Work on a site in this process, within the memory limit of the site, and pickle the results to ``answer``."""
    limit_memory(site_memory_bytes(site.num_rows))
    with LocalEngine(jobs=1, preload=PRELOAD) as engine:
        answer.write_bytes(pickle.dumps(work_on_sites(site, names, settings, documents_key, engine, scratch)))
