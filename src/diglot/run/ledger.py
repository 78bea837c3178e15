"""The ledger: every record is used, or dropped for exactly one reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.flags.codes import codes_of, stack
from diglot.corpus.flags.keeping import left_out_by
from diglot.documents.language import UNDETERMINED
from diglot.languages import wanted_language
from diglot.layout import largest_first
from diglot.page_language.variants import stated_tags
from diglot.reasons import Reason
from diglot.records import with_columns
from diglot.site import take_in_order

USED = "used"
PAGE_COLUMNS = ("url", "lang", "fate", "reason", "detail", "source", "fetched", "title", "licence")
CAUSES_NAMED = 3
"""Most flags that the detail of a page without a kept segment names."""
LEDGER_SCHEMA = pa.schema([pa.field(name, pa.string(), nullable=False) for name in ("site", *PAGE_COLUMNS)])


def mark_repeated_addresses(documents: pa.Table) -> pa.Table:
    """Keep a single record of every address; other readable ones get :attr:`Reason.REPEATED_ADDRESS`, and unreadable
    ones keep their reason. Rows are sorted by address.

    A readable record wins over an unreadable one, then the latest, then the largest, then https, then the first by
    source and offset. An address is the same with http and https: sites answer to both with one page, and an archive of
    some years has both. The detail of a record with the other scheme names the address that is used.
    """
    readable = pc.cast(pc.equal(documents["reason"], ""), pa.int8())
    keys = [("bare", "ascending"), ("readable", "descending"), ("fetched", "descending")]
    keys += [("size_bytes", "descending"), ("url", "descending"), ("source", "ascending"), ("offset", "ascending")]
    columns = documents.append_column("bare", bare_addresses(documents["url"])).append_column("readable", readable)
    order = pc.sort_indices(columns.select([name for name, _ in keys]), sort_keys=keys)
    documents = take_in_order(documents, order)
    used, again = used_addresses(documents["url"])
    again = pc.and_(again, pc.equal(documents["reason"], ""))
    return mark_repeated(documents, used, again)


def used_addresses(urls: pa.ChunkedArray) -> tuple[pa.ChunkedArray, pa.Array]:
    """The first spelling of each address, with http or https, and a mask of all rows but the first of an address."""
    _, first, codes = np.unique(codes_of(bare_addresses(urls)), return_index=True, return_inverse=True)
    return urls.take(pa.array(first[codes])), pa.array(first[codes] != np.arange(len(urls)))


def mark_repeated(records: pa.Table, used: pa.ChunkedArray, again: pa.Array) -> pa.Table:
    """Records with :attr:`Reason.REPEATED_ADDRESS` for the rows of the mask ``again``. Their detail is the ``used``
    address, if it has another spelling."""
    respelt = pc.not_equal(records["url"], used)
    used_as = pc.if_else(respelt, pc.binary_join_element_wise("used as", used, " "), "")
    reason = pc.if_else(again, Reason.REPEATED_ADDRESS.value, records["reason"])
    return with_columns(records, reason=reason, detail=pc.if_else(again, used_as, records["detail"]))


def bare_addresses(urls: pa.ChunkedArray) -> pa.ChunkedArray:
    """Addresses without ``http://`` or ``https://``."""
    return pc.replace_substring_regex(urls, "^https?://", "")


def mark_languages(documents: pa.Table, resolved: Sequence[str], langs: tuple[str, ...]) -> pa.Table:
    """Readable documents with ``lang`` set to a wanted language, or dropped for an unknown or unwanted language."""
    declared = stated_tags(documents, resolved, langs)
    wanted = [wanted_language(lang, says, langs) for lang, says in zip(resolved, declared, strict=True)]
    reasons = [
        "" if tag else Reason.UNKNOWN_LANGUAGE.value if lang == UNDETERMINED else Reason.OTHER_LANGUAGE.value
        for tag, lang in zip(wanted, resolved, strict=True)
    ]
    tags = [tag or lang for tag, lang in zip(wanted, resolved, strict=True)]
    return with_columns(documents, lang=tags, reason=reasons)


def make_ledger(
    resolved: pa.Table,
    pairs: pa.Table,
    segments: pa.Table,
    failed: Mapping[str, str] | None = None,
    causes: Mapping[str, str] | None = None,
) -> pa.Table:
    """Fate of every record, a row each, in order. A page with a kept segment in any language pair is used.

    ``resolved``: all records, with the resolved columns. ``pairs``: accepted pairs. ``segments``: kept segments.
    ``failed``: sites lost while pairing, and why. ``causes``: why no segment of a page is kept
    (:func:`causes_left_out`).
    """
    reasons, details = resolved["reason"], resolved["detail"]
    if failed:
        lost = pc.and_(pc.equal(reasons, ""), pc.is_in(resolved["site"], pa.array(sorted(failed), pa.string())))
        why = pa.array([failed.get(site, "") for site in resolved["site"].to_pylist()], pa.string())
        reasons = pc.if_else(lost, Reason.SITE_FAILED.value, reasons)
        details = pc.if_else(lost, why, details)
    why_unused = pc.if_else(_is_among(resolved, pairs), Reason.NO_SEGMENTS.value, Reason.NO_PARTNER.value)
    left = pc.and_(pc.equal(reasons, ""), pc.invert(_is_among(resolved, segments)))
    reasons = pc.if_else(left, why_unused, reasons)
    if causes:
        why = pa.array([causes.get(url, "") for url in resolved["url"].to_pylist()], pa.string())
        details = pc.if_else(pc.and_(left, pc.equal(reasons, Reason.NO_SEGMENTS.value)), why, details)
    found = {"reason": reasons, "detail": details, "fate": pc.if_else(pc.equal(reasons, ""), USED, "dropped")}
    columns = [found[name] if name in found else resolved[name] for name in LEDGER_SCHEMA.names]
    return pa.table(columns, schema=LEDGER_SCHEMA)


def causes_left_out(segments: pa.Table, excluded: Collection[str], min_score: float) -> dict[str, str]:
    """For each page without a kept segment, by address: text that names the most frequent flags that left them out."""
    by = left_out_by(segments, excluded, min_score)
    urls = [segments[f"{side}_url"] for side in ("src", "tgt")]
    kept = pc.unique(stack(*(each.filter(pa.array(by == "")) for each in urls)))
    counts: dict[str, Counter[str]] = {}
    for each in urls:
        rows = np.flatnonzero(pc.invert(pc.is_in(each, kept)).to_numpy())
        for url, flag in zip(each.take(rows).to_pylist(), by[rows].tolist(), strict=True):
            counts.setdefault(url, Counter())[flag] += 1
    return {
        url: f"left out: {', '.join(f'{flag} {n:,}' for flag, n in largest_first(found)[:CAUSES_NAMED])}"
        for url, found in counts.items()
    }


def _is_among(resolved: pa.Table, rows: pa.Table) -> pa.ChunkedArray:
    """Mask of the records whose address is a source or target address in ``rows``, of pairs or of segments."""
    return pc.is_in(resolved["url"], pc.unique(stack(rows["src_url"], rows["tgt_url"])))
