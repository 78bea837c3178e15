"""Texts of some pages of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.disk.stage_files import read_stage_file, read_stage_rows
from diglot.reasons import LEADS_ON, Reason
from diglot.records import zip_columns
from diglot.run.work import DOCUMENTS
from diglot.site import Site

SAMPLED = 20
"""Most pages of a sample."""
LOOKED_AT = 1_000
"""Records among which pages are sampled: a note is not worth the texts of all pages."""
_PLACES = ["offset", "url", "reason", "detail"]
_LINKS = ["link_anchors", "link_hreflangs", "link_urls"]
_TEXTS = ["chunks", "block_ends", "text_length_chars", "hidden_chars", *_LINKS]


class SampledPage(NamedTuple):
    """Block texts of a page, ratio of hidden to visible characters, and anchor text, hreflang and address of every
    link."""

    texts: list[str]
    hidden_ratio: float
    links: Sequence[tuple[str, str, str]]


def sampled_pages(folder: RunFolder) -> list[SampledPage]:
    """Up to 20 pages, readable or without text, evenly spread over the first records of a source; none in a merge.

    The source is the first by name that has such pages. So the pages are the same in any order of the sources, and for
    a run cut into tasks; the order of the pages may differ.
    """
    for key in _by_name(folder):
        if pages := list(_pages_of(folder, folder.shards(DOCUMENTS, key) or ())):
            return pages
    return []


def _by_name(folder: RunFolder) -> list[str]:
    """Keys of the documents of every source, in the order of their names."""
    keys: list[str] = folder.recall("sources", folder.recall("run", DOCUMENTS) or "") or []
    names = [source["name"] for source in folder.settings().get("sources", [])]
    return [key for _, key in sorted(zip(names, keys, strict=True))] if len(names) == len(keys) else sorted(keys)


def _pages_of(folder: RunFolder, shards: Sequence[Path]) -> Iterator[SampledPage]:
    places, records = [], 0
    for number, path in enumerate(shards):
        folder.require_intact(path)
        table = read_stage_file(path, _PLACES)
        row = pa.array(np.arange(table.num_rows))
        shard = pa.array(np.full(table.num_rows, number))
        places.append(table.append_column("row", row).append_column("shard", shard))
        records += table.num_rows
        if records >= LOOKED_AT:
            break
    if not places:
        return
    # A file of a task holds the records by site: the offset puts them in the order of the source.
    first = pa.concat_tables(places).sort_by([(name, "ascending") for name in _PLACES]).slice(0, LOOKED_AT)
    is_read = pc.is_in(first["reason"], pa.array(["", Reason.NO_TEXT.value]))
    # A page that leads on at once to another has no text to look at.
    read = first.filter(pc.and_not(is_read, pc.starts_with(first["detail"], LEADS_ON)))
    if not read.num_rows:
        return
    chosen = read.take(np.unique(np.linspace(0, read.num_rows - 1, SAMPLED).astype(int)))
    of_shard: dict[int, list[int]] = {}
    for number, row in zip_columns(chosen, "shard", "row"):
        of_shard.setdefault(number, []).append(row)
    for number, rows in sorted(of_shard.items()):
        pages = read_stage_rows(shards[number], _TEXTS, rows)
        ratios = pages["hidden_chars"].to_numpy() / np.maximum(1, pages["text_length_chars"].to_numpy())
        links = [list(zip(*page, strict=True)) for page in zip_columns(pages, *_LINKS)]
        texts = Site("", pages).block_texts.to_pylist()
        yield from map(SampledPage, texts, ratios.tolist(), links)
