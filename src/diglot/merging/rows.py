"""Rows of several runs as those of one: a single record of an address, a page pair once, sites in order."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.codes import codes_of
from diglot.records import FLAGGED_SCHEMA, with_columns
from diglot.run.ledger import bare_addresses, mark_repeated, used_addresses
from diglot.run.stored_pages import parsed_mask, sort_records
from diglot.site import in_order_of_sites

MOSTLY = 0.9
"""Share of the addresses of a site that one run must hold, or the site is divided. A site read twice gains and loses a
few pages; of a site read in parts no run holds most."""


def prefix_sources(resolved: pa.Table, name: str) -> pa.Table:
    """Resolved records with the name of their run before each source."""
    return with_columns(resolved, source=pc.binary_join_element_wise(name, resolved["source"], "/"))


def count_divided(resolved: pa.Table) -> int:
    """Number of divided sites: no single run holds :data:`MOSTLY` all of their addresses.

    A site crawled again after a change from http to https is not divided.
    """
    pages = resolved.filter(parsed_mask(resolved))
    runs = pc.list_element(pc.split_pattern(pages["source"], "/", max_splits=1), 0)
    pages = pa.table([pages["site"], runs, bare_addresses(pages["url"])], names=["site", "run", "url"])
    counted = [("url", "count_distinct")]
    of_site = pages.group_by("site").aggregate(counted)
    largest = (
        pages.group_by(["site", "run"]).aggregate(counted).group_by("site").aggregate([("url_count_distinct", "max")])
    )
    joined = largest.join(of_site, "site")
    divided = pc.less(joined["url_count_distinct_max"], pc.multiply(joined["url_count_distinct"], MOSTLY))
    return pc.sum(divided).as_py() or 0


def keep_one_record(resolved: pa.Table) -> tuple[pa.Table, dict[str, str]]:
    """Keep one record of an address with pages in several runs: one that is not left out, then the latest, then https.

    Addresses with http and https are the same, as in one run (:func:`diglot.run.ledger.mark_repeated_addresses`). The
    dict maps each other spelling of an address to the spelling of the kept record.
    """
    read = parsed_mask(resolved)
    pages = resolved.filter(read)
    keys = [("bare", "ascending"), ("reason", "ascending"), ("fetched", "descending"), ("url", "descending")]
    pages = pages.append_column("bare", bare_addresses(pages["url"])).sort_by([*keys, ("source", "ascending")])
    used, again = used_addresses(pages["url"])
    respelt = pc.not_equal(pages["url"], used)
    spellings = dict(zip(pages["url"].filter(respelt).to_pylist(), used.filter(respelt).to_pylist(), strict=True))
    pages = mark_repeated(pages.drop_columns("bare"), used, again)
    return sort_records(pa.concat_tables([pages, resolved.filter(pc.invert(read))])), spellings


def rename_addresses(rows: pa.Table, spellings: dict[str, str]) -> pa.Table:
    """Page pairs or segments with the addresses of kept records; ``spellings``: of :func:`keep_one_record`."""
    others, used = (pa.array(each, pa.string()) for each in (spellings.keys(), spellings.values()))
    for name in ("src_url", "tgt_url"):
        rows = with_columns(rows, **{name: pc.coalesce(used.take(pc.index_in(rows[name], others)), rows[name])})
    return rows


def keep_best_pairs(pairs: pa.Table) -> pa.Table:
    """The most probable row of a pair found in several runs."""
    best_first = pairs.sort_by([("probability", "descending"), ("src_url", "ascending"), ("tgt_url", "ascending")])
    ordered = in_order_of_sites(best_first, "src_lang", "tgt_lang")
    both = pc.binary_join_element_wise(
        *(ordered[name] for name in ("src_lang", "tgt_lang", "src_url", "tgt_url")), "\x1f"
    )
    firsts = np.sort(np.unique(codes_of(both), return_index=True)[1])
    return ordered.take(pa.array(firsts))


def order_by_site(segments: pa.Table) -> pa.Table:
    """Segments in the order of sites; within a site in the order of runs."""
    return in_order_of_sites(segments).select(FLAGGED_SCHEMA.names)
