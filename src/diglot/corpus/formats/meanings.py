"""Meaning of the columns of exported tables, for dataset cards and for the fields of Parquet files."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa

SEGMENT_MEANING = {
    "src, tgt": "the two texts",
    "src_lang, tgt_lang": "their languages, BCP 47",
    "src_variant, tgt_variant": "the written form of the language, if known",
    "score": "in [0, 1]: by the aligner `lexical` the probability that each word is right, by others how well "
    "their lengths fit",
    "flags": "warnings; segments with an excluding flag are left out",
    "bead": "number of sentences on either side",
    "kind": "kind of block on the page: paragraph, title, heading, list_item, table_cell, caption, control or "
    "preformatted",
    "src_url, tgt_url": "the pages of the texts",
    "other_src_urls, other_tgt_urls": "pages of copies, which are left out",
    "position": "order in the two pages, from 0",
    "fetched": "when the page was fetched",
    "src_title, tgt_title": "titles of the pages",
    "src_fetched, tgt_fetched": "when the pages were fetched",
    "src_licence, tgt_licence": "licences that the pages name",
}
"""Columns of segments."""
PAGE_MEANING = {
    "group": "address of the first version of this page, in the order of the languages; empty without a version",
    "probability, method": "of the page pair, and how it was found",
    "src_blocks, tgt_blocks, blocks": "blocks of the page in reading order: `kind` (paragraph, title, heading, "
    "list_item, table_cell, caption, control, preformatted), `text`, and `main`, false for menus and for text repeated "
    "all over the site",
    "segments": "sentences of both pages in order: `src`, `tgt` (empty without a counterpart), the numbers of their "
    "blocks from 0, `bead`, `score`, `flags`, and `kept`, whether it is in the translation memory",
    "links": "aligned blocks in reading order: numbers of `src` and `tgt` blocks, one side empty for a block without a "
    "counterpart, and the mean `score` of the segments",
    "text": "main text of the page, a block a line",
    "url, title, fetched, licence": "of the page, or with `src_` and `tgt_` of the two pages",
    "fate, reason": "whether the page is used in a pair, and why not",
}
"""Columns of page pairs and of pages."""


def described_schema(schema: pa.Schema, meaning: Mapping[str, str]) -> pa.Schema:
    """The schema with the meaning of each column as ``description`` in the metadata of its field.

    >>> described_schema(pa.schema([("src_url", pa.string())]), {"url, title": "of the page"}).field(0).metadata
    {b'description': b'of the page'}
    """
    known = {name: text for names, text in meaning.items() for name in names.split(", ")}
    fields = []
    for field in schema:
        text = known.get(field.name) or known.get(field.name.partition("_")[2])
        fields.append(field.with_metadata({"description": text}) if text else field)
    return pa.schema(fields)
