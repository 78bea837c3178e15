"""Whole pages for corpora of documents: page pairs with their blocks and segments aligned, and the pages of a language.

Blocks are in the reading order of the page; every sentence of both pages is in one segment, so a text without a
counterpart stands at its place. Segments are in the order of the source page, and the target may have its blocks in
another. Blocks and segments refer to each other by numbers from 0.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.alignment.beads import bead_sizes
from diglot.alignment.segmenting import is_whole, split_blocks
from diglot.errors import RunFolderError
from diglot.features.paragraphs import kept_blocks
from diglot.no_breaks import with_blanks
from diglot.records import BlockKind
from diglot.site import Site

PAGES_AT_ONCE = 256
"""Page pairs, or pages, in memory as Python objects."""

_TEXT, _NUMBERS = pa.string(), pa.list_(pa.int32())
BLOCK = pa.struct([("kind", _TEXT), ("text", _TEXT), ("main", pa.bool_())])
SEGMENT = pa.struct(
    [
        *((name, _TEXT) for name in ("src", "tgt")),
        *((name, _NUMBERS) for name in ("src_blocks", "tgt_blocks")),
        ("bead", _TEXT),
        ("score", pa.float32()),
        ("flags", pa.list_(_TEXT)),
        ("kept", pa.bool_()),
    ]
)
LINK = pa.struct([("src", _NUMBERS), ("tgt", _NUMBERS), ("score", pa.float32())])
_PAGE_FIELDS = ("url", "title", "fetched", "licence")
PAIR_DOCUMENTS = pa.schema(
    [
        *((name, _TEXT) for name in ("site", "group", "src_lang", "tgt_lang")),
        ("probability", pa.float32()),
        ("method", _TEXT),
        *((f"{side}_{name}", _TEXT) for side in ("src", "tgt") for name in _PAGE_FIELDS),
        *((f"{side}_blocks", pa.list_(BLOCK)) for side in ("src", "tgt")),
        ("segments", pa.list_(SEGMENT)),
        ("links", pa.list_(LINK)),
    ]
)
PAGES = pa.schema(
    [
        *((name, _TEXT) for name in ("site", "group", "lang", *_PAGE_FIELDS, "fate", "reason", "text")),
        ("blocks", pa.list_(BLOCK)),
    ]
)

TextMask = Callable[[str], str]
"""Text -> text without personal data; or the text itself."""


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """Blocks of a page with text; ``block_of``: for each sentence of the page, the number of its block."""

    blocks: list[dict[str, Any]]
    block_of: list[int]


class Pages:
    """Pages with blocks, found by address. ``sites``: with all readable pages, also duplicates."""

    def __init__(self, sites: Sequence[Site], mask: TextMask = str) -> None:
        self._mask = mask
        self._sites = sites
        self._place_of = {url: (site, row) for site in sites for row, url in enumerate(site.urls)}

    def urls(self, lang: str) -> list[str]:
        """Addresses of the pages in a language, sorted."""
        return sorted(site.urls[row] for site in self._sites for row in site.rows_of(lang).tolist())

    def facts(self, url: str) -> dict[str, str]:
        """Site, address, title, fetch time and licence of a page."""
        site, row = self._place_of[url]
        return {name: site.strings(name)[row] for name in ("site", *_PAGE_FIELDS)}

    def read(self, url: str) -> PageBlocks:
        """The blocks of a page, cut into sentences as they were for the alignment."""
        site, row = self._place_of[url]
        chunks = site.ragged_strings("chunks")[row]
        ends = [0, *site.ragged_column("block_ends").row(row).tolist()]
        texts = ["".join(chunks[start:end]).strip() for start, end in pairwise(ends)]
        kinds = [BlockKind(int(kind)) for kind in site.ragged_column("block_kinds").row(row)]
        split = split_blocks(texts, site.strings("lang")[row], list(map(is_whole, texts, kinds)))
        blocks: list[dict[str, Any]] = []
        block_of: list[int] = []
        # Data are masked in plain text: their patterns have plain blanks.
        shown = map(with_blanks, (self._mask(" ".join(text.split())) for text in texts), site.block_blanks(row))
        for text, kind, main, sentences in zip(shown, kinds, kept_blocks(site).row(row).tolist(), split, strict=True):
            if sentences:
                block_of += [len(blocks)] * len(sentences)
                blocks.append({"kind": kind.label, "text": text, "main": bool(main)})
        return PageBlocks(blocks, block_of)


def pair_documents(
    pairs: Sequence[Mapping[str, Any]],
    segments: Mapping[tuple[str, str], Sequence[Mapping[str, Any]]],
    pages: Pages,
    groups: Mapping[str, str],
) -> Iterator[pa.Table]:
    """Page pairs as :data:`PAIR_DOCUMENTS`, some at a time.

    ``pairs``: rows of :data:`diglot.records.PAIR_SCHEMA`; ``segments``: by both addresses, in the order of their
    positions, with ``kept``; ``groups``: by address. Raises: RunFolderError for pages that another version aligned.
    """

    def row(pair: Mapping[str, Any]) -> dict[str, Any]:
        urls = {side: pair[f"{side}_url"] for side in ("src", "tgt")}
        sides = {side: pages.read(url) for side, url in urls.items()}
        placed = list(_place(segments.get((urls["src"], urls["tgt"]), ()), sides["src"], sides["tgt"], urls["src"]))
        facts = {f"{side}_{name}": value for side, url in urls.items() for name, value in pages.facts(url).items()}
        own = {name: pair[name] for name in ("site", "src_lang", "tgt_lang", "probability", "method")}
        blocks = {f"{side}_blocks": read.blocks for side, read in sides.items()}
        counts = len(sides["src"].blocks), len(sides["tgt"].blocks)
        return {
            **facts,
            **own,
            **blocks,
            "group": groups[urls["src"]],
            "segments": placed,
            "links": _links(placed, counts),
        }

    yield from _tables(map(row, pairs), PAIR_DOCUMENTS)


def page_documents(
    pages: Pages, lang: str, fates: Mapping[str, tuple[str, str]], groups: Mapping[str, str]
) -> Iterator[pa.Table]:
    """The pages of a language as :data:`PAGES`, some at a time; ``fates``: fate and reason by address."""

    def row(url: str) -> dict[str, Any]:
        blocks = pages.read(url).blocks
        fate, reason = fates[url]
        text = "\n".join(block["text"] for block in blocks if block["main"])
        outcome = {"lang": lang, "group": groups.get(url, ""), "fate": fate, "reason": reason, "text": text}
        return {**pages.facts(url), **outcome, "blocks": blocks}

    yield from _tables(map(row, pages.urls(lang)), PAGES)


def _tables(rows: Iterator[dict[str, Any]], schema: pa.Schema) -> Iterator[pa.Table]:
    yield schema.empty_table()
    while batch := list(islice(rows, PAGES_AT_ONCE)):
        yield pa.Table.from_pylist(batch, schema=schema)


def _place(
    segments: Iterable[Mapping[str, Any]], src: PageBlocks, tgt: PageBlocks, url: str
) -> Iterator[dict[str, Any]]:
    """Each segment with the numbers of its blocks.

    The bead gives the number of sentences that follow on each page. For a target out of page order, ``tgt_start`` gives
    the first target sentence.
    """
    at = [0, 0]
    for segment in segments:
        own = {name: segment[name] for name in ("src", "tgt", "bead", "score", "flags", "kept")}
        counts = bead_sizes(segment["bead"])
        starts = at[0], at[1] if segment["tgt_start"] is None else segment["tgt_start"]
        for name, page, start, count in zip(("src", "tgt"), (src, tgt), starts, counts, strict=True):
            own[f"{name}_blocks"] = sorted(set(page.block_of[start : start + count]))
        at = [at[0] + counts[0], at[1] + counts[1]]
        yield own
    if at != [0, 0] and at != [len(src.block_of), len(tgt.block_of)]:
        raise RunFolderError(
            f"{url}: another version of Diglot cut this page into sentences; run `diglot align RUN`, then export again"
        )


def _links(segments: Sequence[Mapping[str, Any]], counts: tuple[int, int]) -> list[dict[str, Any]]:
    """Blocks joined by segments of two sides, and the other blocks at their places; in the order of the source."""
    links: list[dict[str, Any]] = []
    linked: tuple[dict[int, int], dict[int, int]] = ({}, {})
    weights: list[list[tuple[int, float]]] = []
    for segment in (each for each in segments if each["src_blocks"] and each["tgt_blocks"]):
        sides = segment["src_blocks"], segment["tgt_blocks"]
        known = (linked[side][number] for side in (0, 1) for number in sides[side] if number in linked[side])
        link = next(known, len(links))
        if link == len(links):
            links.append({"src": [], "tgt": []})
            weights.append([])
        for side, name in enumerate(("src", "tgt")):
            new = [number for number in sides[side] if number not in linked[side]]
            links[link][name] += new
            linked[side].update(dict.fromkeys(new, link))
        weights[link].append((len(segment["src"]) + len(segment["tgt"]), segment["score"]))
    for found, each in zip(links, weights, strict=True):
        sizes, scores = np.array(each, float).T
        found["score"] = float(np.average(scores, weights=np.maximum(sizes, 1)))
    return _with_others(links, counts)


def _with_others(links: Sequence[dict[str, Any]], counts: tuple[int, int]) -> list[dict[str, Any]]:
    """Links, and blocks without a link at their places: before the next link, or behind a link around the block."""
    found: list[dict[str, Any]] = []
    left = {
        name: deque(sorted(set(range(count)).difference(*(link[name] for link in links))))
        for name, count in zip(("src", "tgt"), counts, strict=True)
    }

    def add_up_to(ends: tuple[int, int]) -> None:
        for (name, own), end in zip(left.items(), ends, strict=True):
            while own and own[0] < end:
                found.append(_alone(name, own.popleft()))

    for link in links:
        add_up_to((link["src"][0], link["tgt"][0]))
        found.append(link)
        add_up_to((link["src"][-1], link["tgt"][-1]))
    add_up_to(counts)
    return found


def _alone(name: str, number: int) -> dict[str, Any]:
    return {"src": [], "tgt": [], "score": 0.0, name: [number]}
