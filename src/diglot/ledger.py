"""What became of every record: used, or dropped with exactly one reason."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from diglot.languages import wanted_language
from diglot.records import DOCUMENT_SCHEMA, Reason

USED = "used"
LEDGER_SCHEMA = pa.schema(
    [pa.field(name, pa.string(), nullable=False) for name in ("url", "lang", "fate", "reason", "detail", "source")]
)


def one_record_an_address(documents: pa.Table) -> pa.Table:
    """The documents with all but one record of each address marked :attr:`Reason.REPEATED_ADDRESS`.

    Kept is a readable record before an unreadable one, then the latest fetched, then the largest,
    then the first by source and offset. Rows are sorted by address.
    """
    keys = [("url", "ascending"), ("readable", "descending"), ("fetched", "descending")]
    keys += [("size_bytes", "descending"), ("source", "ascending"), ("offset", "ascending")]
    readable = pc.cast(pc.equal(documents["reason"], ""), pa.int8())
    documents = documents.append_column("readable", readable).sort_by(keys).drop_columns(["readable"])
    urls = documents["url"].to_pylist()
    reasons = documents["reason"].to_pylist()
    for row in range(1, len(urls)):
        if urls[row] == urls[row - 1] and not reasons[row]:
            reasons[row] = Reason.REPEATED_ADDRESS.value
    column = DOCUMENT_SCHEMA.get_field_index("reason")
    return documents.set_column(column, DOCUMENT_SCHEMA.field(column), pa.array(reasons, pa.string()))


def mark_languages(documents: pa.Table, settled: Sequence[str], langs: tuple[str, ...]) -> pa.Table:
    """The readable documents with ``lang`` set to the wanted language they belong to, or dropped as none's."""
    declared = documents["declared_lang"].to_pylist()
    wanted = [wanted_language(lang, says, langs) for lang, says in zip(settled, declared, strict=True)]
    reasons = [
        "" if tag else Reason.UNKNOWN_LANGUAGE.value if lang == "und" else Reason.OTHER_LANGUAGE.value
        for tag, lang in zip(wanted, settled, strict=True)
    ]
    tags = [tag or lang for tag, lang in zip(wanted, settled, strict=True)]
    for name, values in (("lang", tags), ("reason", reasons)):
        column = DOCUMENT_SCHEMA.get_field_index(name)
        documents = documents.set_column(column, DOCUMENT_SCHEMA.field(column), pa.array(values, pa.string()))
    return documents


def make_ledger(documents: pa.Table, pairs: pa.Table, segments: pa.Table) -> pa.Table:
    """One row a record with its fate; ``documents`` as :func:`mark_languages` leaves them, all records.

    ``pairs``: accepted ones only; ``segments``: those kept. A page paired in any language pair of
    which a segment was kept is used.
    """
    paired = _addresses(pairs)
    kept = _addresses(segments)
    texts = [text_hash(chunks) for chunks in documents["chunks"].to_pylist()]
    urls, langs, reasons = (documents[name].to_pylist() for name in ("url", "lang", "reason"))
    used_texts = {(langs[i], texts[i]): urls[i] for i in range(len(urls)) if not reasons[i] and urls[i] in kept}
    details = documents["detail"].to_pylist()
    fates = []
    for i, url in enumerate(urls):
        if not reasons[i] and url not in kept:
            twin = used_texts.get((langs[i], texts[i]))
            if url in paired:
                reasons[i] = Reason.NO_SEGMENTS.value
            elif twin is not None:
                reasons[i], details[i] = Reason.DUPLICATE.value, twin
            else:
                reasons[i] = Reason.NO_PARTNER.value
        fates.append("dropped" if reasons[i] else USED)
    sources = documents["source"].to_pylist()
    return pa.table([urls, langs, fates, reasons, details, sources], schema=LEDGER_SCHEMA)


def text_hash(chunks: Sequence[str]) -> str:
    """Hash of a page's text; equal texts are exact duplicates, whatever their markup."""
    return xxhash.xxh3_128_hexdigest(" ".join("".join(chunks).split()).encode())


def _addresses(table: pa.Table) -> set[str]:
    return {*table["src_url"].to_pylist(), *table["tgt_url"].to_pylist()}
