"""What a run found on every site, where there are several."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.layout import table_lines
from diglot.run.ledger import USED

COUNTS = ("documents", "used", "pairs", "kept")
"""Readable pages, used pages, page pairs, kept segments; a column adds up to the number of the run."""
HEADS = (*COUNTS[:-1], "segments kept")
SITES_SHOWN = 10


def count_by_site(ledger: pa.Table, pairs: pa.Table, kept: pa.Table) -> list[dict[str, Any]]:
    """A row a site, ``site`` and :data:`COUNTS`, sorted by :func:`most_first`. Sites without a readable page are left
    out."""
    read = ledger.filter(pc.not_equal(ledger["lang"], ""))
    site_of = dict(zip(read["url"].to_pylist(), read["site"].to_pylist(), strict=True))
    pages = (read["site"], read.filter(pc.equal(read["fate"], USED))["site"])
    counts = [Counter(column.to_pylist()) for column in pages]
    for table in (pairs, kept):
        urls = pc.value_counts(table["src_url"])
        found = Counter[str]()
        for url, count in zip(urls.field("values").to_pylist(), urls.field("counts").to_pylist(), strict=True):
            found[site_of[url]] += count
        counts.append(found)
    return most_first(
        {"site": site, **{name: n[site] for name, n in zip(COUNTS, counts, strict=True)}} for site in counts[0]
    )


def most_first(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of sites, most kept segments first."""
    return sorted(rows, key=lambda row: (-row["kept"], -row["pairs"], -row["documents"], row["site"]))


def site_lines(
    sites: Sequence[dict[str, Any]], most: int | None = SITES_SHOWN, columns: int | None = None
) -> list[str]:
    """Lines on the first ``most`` sites (None: all), nothing for a single site.

    A table, or a sentence for every site where the table is wider than ``columns``.
    """
    if len(sites) < 2:
        return []
    shown = sites[:most]
    rows = [("", *HEADS), *((row["site"], *(f"{row[name]:,}" for name in COUNTS)) for row in shown)]
    lines = table_lines(rows)
    if columns is not None and 10 + max(map(len, lines)) > columns:
        told = (", ".join(f"{n} {head}" for n, head in zip(cells, HEADS, strict=True)) for _, *cells in rows[1:])
        lines = [f"{row['site']}: {counts}" for row, counts in zip(shown, told, strict=True)]
    if len(sites) > len(shown):
        lines.append(f"and {len(sites) - len(shown):,} more")
    return [f"{'' if number else 'sites':<10}{line}" for number, line in enumerate(lines)]
