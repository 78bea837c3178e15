"""Read task: parse the pages of a source and partition the documents by domain."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pyarrow as pa

from diglot.disk.folder import shard_name
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.errors import SourceError
from diglot.pages import Source, open_source, read
from diglot.run.read import SHARD_RECORDS, parse_records
from diglot.run.work import DOCUMENTS, DOMAINS
from diglot.tasks.partition import partition_documents
from diglot.tasks.plan import RunPlan
from diglot.tasks.task import Task


def documents_name(key: str) -> str:
    """File of the documents written by the read task ``key``."""
    return shard_name(DOCUMENTS, key, 0)


def domains_name(key: str) -> str:
    """File of the domains written by the read task ``key``."""
    return shard_name(DOMAINS, key, 0)


def read_source(store: Store, run: RunPlan, task: Task, engine: LocalEngine, scratch: Path) -> int:
    """Read the source of a task; returns the number of records.

    Raises: SourceError where the source has changed since the run was planned, or the task is of an earlier plan.
    """
    if task not in run.read_tasks():
        raise SourceError(f"{task.source}: the run was planned anew; run the tasks that it has now")
    planned = run.sources[task.number]
    source = open_source(planned.spec, **run.settings.source_options())
    if source.fingerprint() != planned.fingerprint:
        raise SourceError(f"{planned.spec}: changed since the run was planned; plan it again")
    # Alone, a source would have a shorter name than among all sources of the run.
    source = dataclasses.replace(source, name=planned.name)
    made = scratch / "documents.parquet"
    domains = partition_documents(made, _tables(source, run, engine), run.buckets)
    store.put_file(made, documents_name(task.key))
    store.put_table(domains_name(task.key), domains)
    return int(sum(domains["pages"].to_pylist()))


def _tables(source: Source, run: RunPlan, engine: LocalEngine) -> Iterator[pa.Table]:
    records = read(source, max_page_bytes=run.settings.max_page_bytes)
    while shard := list(islice(records, SHARD_RECORDS)):
        yield from parse_records(engine, shard)
