"""What a run over several sites found on each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.run.ledger import USED

COUNTS = ("documents", "used", "pairs", "kept")
"""Pages that were read, those used, page pairs, segments kept: each adds up to the number of the run."""
SITES_SHOWN = 10


def count_by_site(documents: pa.Table, ledger: pa.Table, pairs: pa.Table, kept: pa.Table) -> list[dict[str, Any]]:
    """A row a site, ``site`` and :data:`COUNTS`, most segments first; ``kept``: segments that are.

    A site is that of settled pages; what could not be read is not counted.
    """
    settled = documents.filter(pc.not_equal(documents["site"], ""))
    site_of = dict(zip(settled["url"].to_pylist(), settled["site"].to_pylist(), strict=True))
    read = ledger.filter(pc.not_equal(ledger["lang"], ""))
    urls = (read["url"], read.filter(pc.equal(read["fate"], USED))["url"], pairs["src_url"], kept["src_url"])
    counts = [Counter(site_of[url] for url in column.to_pylist()) for column in urls]
    rows = [{"site": site, **{name: n[site] for name, n in zip(COUNTS, counts, strict=True)}} for site in counts[0]]
    return sorted(rows, key=lambda row: (-row["kept"], -row["pairs"], -row["documents"], row["site"]))


def site_lines(sites: Sequence[dict[str, Any]]) -> list[str]:
    """A table for a person, nothing for one site: the first :data:`SITES_SHOWN`, and how many more there are."""
    if len(sites) < 2:
        return []
    shown = sites[:SITES_SHOWN]
    rows = [
        ("", *COUNTS[:-1], "segments kept"),
        *((row["site"], *(f"{row[name]:,}" for name in COUNTS)) for row in shown),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, (name, *cells) in enumerate(rows):
        counts = "  ".join(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))
        lines.append(f"{'' if number else 'sites':<10}{name.ljust(widths[0])}  {counts}")
    return [*lines, f"{'':<10}and {len(sites) - len(shown):,} more"] if len(sites) > len(shown) else lines
