"""What became of every record: used, or dropped with exactly one reason."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, pairwise

import pyarrow as pa
import pyarrow.compute as pc

from diglot.copies.editions import pages_in_foreign_frames
from diglot.copies.equal import exact_classes, near_classes, representatives, untranslated_copies
from diglot.languages import wanted_language
from diglot.records import DOCUMENT_SCHEMA, Reason
from diglot.site import registered_domain, rows_of_lists

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
    return _with_columns(documents, reason=reasons)


def mark_languages(documents: pa.Table, settled: Sequence[str], langs: tuple[str, ...]) -> pa.Table:
    """The readable documents with ``lang`` set to the wanted language they belong to, or dropped as none's."""
    declared = documents["declared_lang"].to_pylist()
    wanted = [wanted_language(lang, says, langs) for lang, says in zip(settled, declared, strict=True)]
    reasons = [
        "" if tag else Reason.UNKNOWN_LANGUAGE.value if lang == "und" else Reason.OTHER_LANGUAGE.value
        for tag, lang in zip(wanted, settled, strict=True)
    ]
    tags = [tag or lang for tag, lang in zip(wanted, settled, strict=True)]
    return _with_columns(documents, lang=tags, reason=reasons)


def mark_duplicates(documents: pa.Table, site_langs: frozenset[str]) -> pa.Table:
    """The readable documents of wanted languages with all but one page of a text dropped as duplicates of it.

    So are near duplicates that claim another language: originals shown where a translation is missing.
    ``site_langs``: primary subtags of all languages found, wanted or not.
    """
    langs = [f"{registered_domain(url)} {lang}" for url, lang in zip(*_lists(documents, "url", "lang"), strict=True)]
    texts, urls, links = page_texts(documents), documents["url"].to_pylist(), rows_of_lists(documents["link_urls"])
    classes = exact_classes(texts, langs)
    found, declared = _lists(documents, "lang", "declared_lang")
    chosen = representatives(classes, urls, found, links, site_langs=site_langs)
    stands_for = {leader: url for leader, url, stands in zip(classes.tolist(), urls, chosen, strict=True) if stands}
    details = ["" if stands else stands_for[leader] for leader, stands in zip(classes.tolist(), chosen, strict=True)]
    near = near_classes(main_texts(documents), langs)
    copies = untranslated_copies(near, urls, found, declared, site_langs=site_langs)
    for copy, original in copies.items():
        details[copy] = details[copy] or details[original] or urls[original]
    reasons = [Reason.DUPLICATE.value if detail else "" for detail in details]
    return _with_columns(documents, reason=reasons, detail=details)


def page_texts(documents: pa.Table) -> list[str]:
    """Text of each document, white space folded."""
    return [" ".join("".join(chunks).split()) for chunks in rows_of_lists(documents["chunks"])]


def mark_foreign_frames(documents: pa.Table, settled: Sequence[str]) -> pa.Table:
    """The documents with originals shown in another edition's frame dropped; ``settled``: their true languages."""
    copies = pages_in_foreign_frames(block_texts(documents), settled)
    urls, reasons, details = _lists(documents, "url", "reason", "detail")
    for copy, original in copies.items():
        if not reasons[copy]:
            reasons[copy], details[copy] = Reason.DUPLICATE.value, urls[original]
    return _with_columns(documents, reason=reasons, detail=details)


def block_texts(documents: pa.Table) -> list[list[str]]:
    """Texts of the blocks of each document, white space folded."""
    columns = (rows_of_lists(documents[name]) for name in ("chunks", "block_ends"))
    return [
        [" ".join("".join(chunks[start:end]).split()) for start, end in pairwise([0, *ends])]
        for chunks, ends in zip(*columns, strict=True)
    ]


def main_texts(documents: pa.Table) -> list[str]:
    """Main text of each document; menus change with the language of a site's frame, main text does not."""
    marks = rows_of_lists(documents["block_main"])
    texts = block_texts(documents)
    return [" ".join(compress(mine, is_main)) for mine, is_main in zip(texts, marks, strict=True)]


def make_ledger(documents: pa.Table, pairs: pa.Table, segments: pa.Table) -> pa.Table:
    """One row a record with its fate; ``documents``: all records, marked by the functions above.

    ``pairs``: accepted ones only; ``segments``: those kept. A page paired in any language pair of
    which a segment was kept is used.
    """
    paired, kept = _addresses(pairs), _addresses(segments)
    urls, langs, reasons, details, sources = _lists(documents, "url", "lang", "reason", "detail", "source")
    for i, url in enumerate(urls):
        if not reasons[i] and url not in kept:
            reasons[i] = (Reason.NO_SEGMENTS if url in paired else Reason.NO_PARTNER).value
    fates = ["dropped" if reason else USED for reason in reasons]
    return pa.table([urls, langs, fates, reasons, details, sources], schema=LEDGER_SCHEMA)


def _lists(table: pa.Table, *names: str) -> tuple[list[str], ...]:
    return tuple(table[name].to_pylist() for name in names)


def _with_columns(documents: pa.Table, **columns: list[str]) -> pa.Table:
    for name, values in columns.items():
        place = DOCUMENT_SCHEMA.get_field_index(name)
        documents = documents.set_column(place, DOCUMENT_SCHEMA.field(place), pa.array(values, pa.string()))
    return documents


def _addresses(table: pa.Table) -> set[str]:
    return {*table["src_url"].to_pylist(), *table["tgt_url"].to_pylist()}
