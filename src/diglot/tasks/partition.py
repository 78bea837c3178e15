"""Documents dealt out by domain, so that a task of some sites reads little beside their pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from diglot.arrays import Ints
from diglot.disk.exchange import write_buckets
from diglot.disk.store import Store
from diglot.errors import RunFolderError
from diglot.records import DOCUMENT_SCHEMA, with_columns
from diglot.site import DOMAIN_SCHEMA, SITE_NUMBERS, SiteNames, domains_of, registered_domain, site_number
from diglot.tasks.task import Task


def deal_out(path: Path, tables: Iterable[pa.Table], buckets: int) -> pa.Table:
    """Write documents as one file with a row group a bucket of domains; the domains (:data:`DOMAIN_SCHEMA`)."""
    domains = [DOMAIN_SCHEMA.empty_table()]

    def noted() -> Iterator[pa.Table]:
        for table in tables:
            domains.append(domains_of(table))
            yield table

    def bucket_of(table: pa.Table) -> Ints:
        return np.array([bucket_of_domain(registered_domain(u), buckets) for u in table["url"].to_pylist()], np.int64)

    write_buckets(path, noted(), bucket_of, buckets, schema=DOCUMENT_SCHEMA)
    return added_up(domains)


def added_up(domains: Iterable[pa.Table]) -> pa.Table:
    """Tables of domains as one, with one row a domain."""
    pages: dict[str, int] = {}
    names: dict[str, set[str]] = {}
    for table in domains:
        for row in table.to_pylist():
            domain = row["domain"]
            pages[domain] = pages.get(domain, 0) + row["pages"]
            names.setdefault(domain, set()).update(row["names"])
    ordered = sorted(pages)
    columns = [ordered, [pages[domain] for domain in ordered], [sorted(names[domain]) for domain in ordered]]
    return pa.table(columns, schema=DOMAIN_SCHEMA)


def bucket_of_domain(domain: str, buckets: int) -> int:
    """The bucket that the pages of a domain are dealt into, in [0, buckets); buckets are ranges of site numbers."""
    return site_number(domain) * buckets // SITE_NUMBERS


def documents_of(store: Store, dealt: Iterable[str], buckets: int, names: SiteNames, task: Task) -> pa.Table:
    """The documents of a task's sites, with the name of their site.

    Raises: RunFolderError for a file that is not there or damaged.
    """
    wanted = set(range(task.first * buckets // SITE_NUMBERS, task.last * buckets // SITE_NUMBERS + 1))
    own = {domain for domain, site in names.site_of.items() if task.first <= site_number(site) <= task.last}
    wanted |= {bucket_of_domain(domain, buckets) for domain in own}
    tables = [DOCUMENT_SCHEMA.empty_table()]
    for name in dealt:
        try:
            with store.reading(name) as handle:
                file = pq.ParquetFile(handle)
                tables += [_of_task(file.read_row_group(bucket), names, task) for bucket in sorted(wanted)]
        except RunFolderError as error:
            raise RunFolderError(f"{error}; if it is damaged remove it, and read again what is missing") from error
    return pa.concat_tables(tables)


def _of_task(documents: pa.Table, names: SiteNames, task: Task) -> pa.Table:
    sites = names.of(documents["url"].to_pylist())
    mine = np.array([task.first <= site_number(site) <= task.last for site in sites], bool)
    return with_columns(documents, site=sites).filter(pa.array(mine)).cast(DOCUMENT_SCHEMA)
