"""What became of every record: used, or dropped with exactly one reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from diglot.languages import wanted_language
from diglot.records import Reason, with_columns

USED = "used"
LEDGER_SCHEMA = pa.schema(
    [
        pa.field(name, pa.string(), nullable=False)
        for name in ("url", "lang", "fate", "reason", "detail", "source", "fetched", "title", "licence")
    ]
)


def one_record_an_address(documents: pa.Table) -> pa.Table:
    """The documents with all but one record of each address marked :attr:`Reason.REPEATED_ADDRESS`.

    Kept is a readable record before an unreadable one, then the latest fetched, then the largest,
    then the first by source and offset. Rows are sorted by address.
    """
    documents = by_address(documents)
    urls = documents["url"].to_pylist()
    reasons = documents["reason"].to_pylist()
    for row in range(1, len(urls)):
        if urls[row] == urls[row - 1] and not reasons[row]:
            reasons[row] = Reason.REPEATED_ADDRESS.value
    return with_columns(documents, reason=reasons)


def by_address(documents: pa.Table) -> pa.Table:
    """The records by address, of each address the one that counts first."""
    keys = [("url", "ascending"), ("readable", "descending"), ("fetched", "descending")]
    keys += [("size_bytes", "descending"), ("source", "ascending"), ("offset", "ascending")]
    readable = pc.cast(pc.equal(documents["reason"], ""), pa.int8())
    return documents.append_column("readable", readable).sort_by(keys).drop_columns(["readable"])


def mark_languages(documents: pa.Table, settled: Sequence[str], langs: tuple[str, ...]) -> pa.Table:
    """The readable documents with ``lang`` set to the wanted language they belong to, or dropped as none's."""
    declared = documents["declared_lang"].to_pylist()
    wanted = [wanted_language(lang, says, langs) for lang, says in zip(settled, declared, strict=True)]
    reasons = [
        "" if tag else Reason.UNKNOWN_LANGUAGE.value if lang == "und" else Reason.OTHER_LANGUAGE.value
        for tag, lang in zip(wanted, settled, strict=True)
    ]
    tags = [tag or lang for tag, lang in zip(wanted, settled, strict=True)]
    return with_columns(documents, lang=tags, reason=reasons)


def make_ledger(
    documents: pa.Table, pairs: pa.Table, segments: pa.Table, failed: Mapping[str, str] | None = None
) -> pa.Table:
    """One row a record with its fate; ``documents``: all records, marked by the functions above.

    ``pairs``: accepted ones only; ``segments``: those kept. A page paired in any language pair of
    which a segment was kept is used. ``failed``: sites that could not be paired, and why.
    """
    paired, kept = _addresses(pairs), _addresses(segments)
    urls, langs, reasons, details, sources = _lists(documents, "url", "lang", "reason", "detail", "source")
    sites = documents["site"].to_pylist() if failed else [""] * len(urls)
    for i, url in enumerate(urls):
        if failed and not reasons[i] and sites[i] in failed:
            reasons[i], details[i] = Reason.SITE_FAILED.value, failed[sites[i]]
        if not reasons[i] and url not in kept:
            reasons[i] = (Reason.NO_SEGMENTS if url in paired else Reason.NO_PARTNER).value
    fates = ["dropped" if reason else USED for reason in reasons]
    told = (documents[name] for name in ("fetched", "title", "licence"))
    return pa.table([urls, langs, fates, reasons, details, sources, *told], schema=LEDGER_SCHEMA)


def _lists(table: pa.Table, *names: str) -> tuple[list[str], ...]:
    return tuple(table[name].to_pylist() for name in names)


def _addresses(table: pa.Table) -> set[str]:
    return {*table["src_url"].to_pylist(), *table["tgt_url"].to_pylist()}
