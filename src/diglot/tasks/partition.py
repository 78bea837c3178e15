"""Read task: read a source and partition its documents by domain, so that a site task reads little more than its own
pages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from diglot.arrays import Ints
from diglot.disk.content_hashes import READ, read_groups
from diglot.disk.exchange import write_buckets
from diglot.disk.folder import shard_name
from diglot.disk.store import Store
from diglot.engines.pool import LocalEngine
from diglot.errors import RunFolderError, SourceError
from diglot.pages import Source, open_source, read
from diglot.pages.forgotten import is_forgotten
from diglot.records import DOCUMENT_SCHEMA, with_columns
from diglot.run.index_notes import IndexCount
from diglot.run.read import SHARD_RECORDS, parse_records
from diglot.run.work import DOCUMENTS, DOMAINS
from diglot.site import DOMAIN_SCHEMA, SITE_NUMBERS, SiteNames, domains_of, registered_domain, site_number
from diglot.tasks import Stage
from diglot.tasks.plan import RunPlan, damage_errors, read_json, write_json
from diglot.tasks.task import Task


def documents_name(key: str) -> str:
    """File of the documents written by the read task ``key``."""
    return shard_name(DOCUMENTS, key, 0)


def domains_name(key: str) -> str:
    """File of the domains written by the read task ``key``."""
    return shard_name(DOMAINS, key, 0)


def _index_notes_name(task: Task) -> str:
    """File of the notes on the index that a read task has read."""
    return f"tasks/{task.name}.indexes.json"


def read_index_notes(store: Store, tasks: Sequence[Task]) -> list[str]:
    """Notes on the indexes that read tasks have read (:mod:`diglot.run.index_notes`), in the order of the tasks."""
    names = set(store.names(f"tasks/{Stage.READ}/"))
    notes: list[str] = []
    for name in map(_index_notes_name, tasks):
        if name in names:
            with damage_errors(store, name):
                notes += read_json(store, name)["notes"]
    return notes


def read_source(store: Store, run: RunPlan, task: Task, engine: LocalEngine, scratch: Path) -> int:
    """Read the source of a task, and write the notes on an index; returns the number of records.

    Raises: SourceError where the source has changed since the run was planned, or the task is of an earlier plan.
    """
    if task not in run.read_tasks():
        raise SourceError(f"{task.source}: the run was planned anew; run the tasks that it has now")
    planned = run.sources[task.number]
    source = open_source(planned.spec, **run.settings.source_options())
    if source.fingerprint() != planned.fingerprint:
        raise SourceError(f"{planned.spec}: changed since the run was planned; plan it again")
    # Alone, a source may have a shorter name than among all sources of the run.
    source = dataclasses.replace(source, name=planned.name)
    made, count = scratch / "documents.parquet", IndexCount()
    domains = partition_documents(made, _tables(source, run, engine, count), run.buckets)
    if notes := count.notes(source):
        write_json(store, _index_notes_name(task), {"notes": notes})
    store.put_file(made, documents_name(task.key))
    store.put_table(domains_name(task.key), domains)
    return int(sum(domains["pages"].to_pylist()))


def _tables(source: Source, run: RunPlan, engine: LocalEngine, count: IndexCount) -> Iterator[pa.Table]:
    """Documents of a source, in tables; ``count`` counts them on the way."""
    records = (
        record
        for record in read(source, max_page_bytes=run.settings.max_page_bytes)
        if not is_forgotten(record.url, run.forgotten)
    )
    while shard := list(islice(records, SHARD_RECORDS)):
        for table in parse_records(engine, shard, split_pages=run.settings.split_pages):
            count.add(table)
            yield table


def partition_documents(path: Path, tables: Iterable[pa.Table], buckets: int) -> pa.Table:
    """Write documents to a file with a row group for each bucket; returns the domains (:data:`DOMAIN_SCHEMA`)."""
    domains = [DOMAIN_SCHEMA.empty_table()]

    def with_domains() -> Iterator[pa.Table]:
        for table in tables:
            domains.append(domains_of(table))
            yield table

    def bucket_of(table: pa.Table) -> Ints:
        return np.array([bucket_of_domain(registered_domain(u), buckets) for u in table["url"].to_pylist()], np.int64)

    write_buckets(path, with_domains(), bucket_of, buckets, schema=DOCUMENT_SCHEMA)
    return merge_domains(domains)


def merge_domains(domains: Iterable[pa.Table]) -> pa.Table:
    """Merge tables of domains into a table with a row for each domain: pages added, names united."""
    pages: dict[str, int] = {}
    names: dict[str, set[str]] = {}
    for table in domains:
        for row in table.to_pylist():
            domain = row["domain"]
            pages[domain] = pages.get(domain, 0) + row["pages"]
            names.setdefault(domain, set()).update(row["names"])
    # Sorted: the bytes of the table do not depend on the order of the pages.
    ordered = sorted(pages)
    columns = [ordered, [pages[domain] for domain in ordered], [sorted(names[domain]) for domain in ordered]]
    return pa.table(columns, schema=DOMAIN_SCHEMA)


def bucket_of_domain(domain: str, buckets: int) -> int:
    """Bucket of the pages of a domain, in [0, buckets); a bucket is a range of site numbers."""
    return site_number(domain) * buckets // SITE_NUMBERS


def read_documents(store: Store, files: Iterable[str], buckets: int, names: SiteNames, task: Task) -> pa.Table:
    """Documents of the sites of a task, with the name of their site.

    Raises: RunFolderError for a missing or damaged file.
    """
    wanted = set(range(task.first * buckets // SITE_NUMBERS, task.last * buckets // SITE_NUMBERS + 1))
    # A domain joined to a site of this task may lie in any bucket: buckets go by the number of the domain itself.
    own = {domain for domain, site in names.site_of.items() if task.first <= site_number(site) <= task.last}
    wanted |= {bucket_of_domain(domain, buckets) for domain in own}
    tables = [DOCUMENT_SCHEMA.empty_table()]
    for name in files:
        with _with_remedy(), store.reading(name) as handle:
            file = pq.ParquetFile(handle, **READ)
            tables += [_of_task(read_groups(file, groups=[bucket]), names, task) for bucket in sorted(wanted)]
    return pa.concat_tables(tables)


def read_domains(store: Store, key: str) -> pa.Table:
    """Domains written by the read task ``key``.

    Raises: RunFolderError for a missing or damaged file.
    """
    with _with_remedy():
        return store.read_table(domains_name(key))


@contextmanager
def _with_remedy() -> Iterator[None]:
    """Add advice to the error of a damaged file."""
    try:
        yield
    except RunFolderError as error:
        raise RunFolderError(f"{error}; if it is damaged remove it, and read again what is missing") from error


def _of_task(documents: pa.Table, names: SiteNames, task: Task) -> pa.Table:
    sites = names.of(documents["url"].to_pylist())
    # A bucket holds domains of neighbouring tasks, too.
    mine = np.array([task.first <= site_number(site) <= task.last for site in sites], bool)
    return with_columns(documents, site=sites).filter(pa.array(mine)).cast(DOCUMENT_SCHEMA)
