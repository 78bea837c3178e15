"""LibTagAligner: two pages are aligned by edit distance over their tags and the lengths of their texts.

Source: Bitextor 2009, section 6.1; Bitextor 2010, section 5, equations 6-9. What is ours: tags and texts
are edited in a band that widens as needed, and what it matches is gathered into beads of blocks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from diglot.alignment.bands import Band, Path, narrow_width, proportional_centre, solve_in_band
from diglot.alignment.beads import Bead
from diglot.alignment.block_links import Link, SizedChunks, beads_from_links, links_of_match
from diglot.alignment.gale_church import length_ratio, text_length
from diglot.alignment.tag_weights import PUBLISHED, TEXT, TagWeights
from diglot.alignment.views import DocumentView
from diglot.documents.tags import IRRELEVANT, TAGS, indices_of_codes

_TEXT_CLASS = -1  # as kernels.TEXT, which is not imported before it is needed: numba takes its time


@dataclass(frozen=True, slots=True)
class TagStream:
    """The tokens that TagAligner compares: relevant tags, and texts joined over the irrelevant ones.

    Arrays of shape (tokens,). ``codes``: tag code, or 0 for a text. ``classes``: place in
    ``TagWeights.classes``, or -1 for a text. ``lengths``: of a text, in the unit of the weights. A text
    holds the chunks ``[first_chunks, end_chunks)``; for a tag both say where it stands.
    """

    codes: npt.NDArray[np.int64]
    classes: npt.NDArray[np.int64]
    lengths: npt.NDArray[np.float64]
    first_chunks: npt.NDArray[np.int64]
    end_chunks: npt.NDArray[np.int64]


def tag_stream(view: DocumentView, weights: TagWeights = PUBLISHED) -> TagStream:
    """Token stream of a page without its irrelevant tags, the chunks on their two sides joined."""
    places = {name: place for place, name in enumerate(weights.classes)}
    class_of_tag = np.array([places.get(weights.categories.get(tag, IRRELEVANT), -2) for tag in TAGS])
    tokens = view.tokens.astype(np.int64)
    is_text = tokens >= 0
    classes = np.where(is_text, _TEXT_CLASS, class_of_tag[indices_of_codes(np.where(is_text, -1, tokens))])
    lengths = np.where(is_text, tokens, 0).astype(np.float64)
    if weights.unit == "words":
        lengths[is_text] = [len(text.split()) for text in view.chunk_texts]
    chunks_before: npt.NDArray[np.int64] = np.cumsum(is_text) - is_text

    kept = np.flatnonzero(classes != -2)
    text_kept = is_text[kept]
    opens = kept[~text_kept | ~np.concatenate(([False], text_kept[:-1]))]
    following = np.concatenate((opens[1:], [len(tokens)]))
    ends = np.append(chunks_before, len(view.chunk_texts))[following]
    return TagStream(
        codes=np.where(is_text[opens], 0, tokens[opens]),
        classes=classes[opens],
        lengths=np.add.reduceat(lengths, opens) if len(opens) else np.zeros(0),
        first_chunks=chunks_before[opens],
        end_chunks=ends,
    )


def token_alignment(src: TagStream, tgt: TagStream, weights: TagWeights = PUBLISHED) -> tuple[float, Path]:
    """Cost and path of the cheapest edit of ``src`` into ``tgt``: nodes (row, column), (k, 2), tokens
    between them.

    Equal costs: substitution before deletion before insertion. Memory: one byte a cell of the band, at most
    ``bands.MAX_CELLS``; time about 5 nanoseconds a cell.
    """
    from diglot.alignment import kernels

    classes = weights.classes
    substitute = np.full((len(classes) + 1, len(classes) + 1), np.inf)  # never empty, even without classes
    for (i, one), (j, other) in product(enumerate(classes), repeat=2):
        substitute[i, j] = weights.substitute[min(one, other), max(one, other)]
    text_weight = weights.substitute[TEXT, TEXT]
    src_arrays = (src.codes, src.classes, src.lengths, _leave_out(src, weights.delete, classes))
    tgt_arrays = (tgt.codes, tgt.classes, tgt.lengths, _leave_out(tgt, weights.insert, classes))
    cost = 0.0

    def solve(band: Band) -> Path:
        nonlocal cost
        edges = (band.low, band.high, band.start)
        cost, path = kernels.token_path(src_arrays, tgt_arrays, substitute, text_weight, edges)
        return path

    centre = proportional_centre(np.ones(len(src.codes)), np.ones(len(tgt.codes)))
    width = narrow_width(len(src.codes), len(tgt.codes))
    path = solve_in_band(solve, centre, len(tgt.codes), half_width=width)
    return cost, path


def _leave_out(stream: TagStream, weights: Mapping[str, float], classes: tuple[str, ...]) -> npt.NDArray[np.float64]:
    """Cost of leaving out each token (equations 6 and 8); the class of a text, -1, takes the last place."""
    cost_of_class = np.array([*(weights[name] for name in classes), weights[TEXT]])
    scale = np.where(stream.classes == _TEXT_CLASS, stream.lengths, 1.0)
    costs: npt.NDArray[np.float64] = cost_of_class[stream.classes] * scale
    return costs


def align_documents(src: DocumentView, tgt: DocumentView, weights: TagWeights = PUBLISHED) -> list[Bead]:
    """Beads over the blocks of two pages, from LibTagAligner's alignment of their tags and texts.

    Every block is in one bead; up to three blocks a side, the others 1-0 and 0-1. ``score``: the share of
    the bead's text that lies in matched texts, as far as their lengths agree (twice the common length over
    the sum, target lengths being scaled by the ratio of the pages' totals); in [0, 1]. It measures
    structure, not meaning.
    """
    src_stream, tgt_stream = tag_stream(src, weights), tag_stream(tgt, weights)
    _, path = token_alignment(src_stream, tgt_stream, weights)
    src_sizes = [text_length(text) for text in src.chunk_texts]
    tgt_sizes = [text_length(text) for text in tgt.chunk_texts]
    ratio = length_ratio(src_sizes, tgt_sizes)
    src_chunks = SizedChunks.of(src, src_sizes)
    tgt_chunks = SizedChunks.of(tgt, [size / ratio for size in tgt_sizes])
    nodes = path[:-1][(np.diff(path, axis=0) == 1).all(axis=1)]
    links: list[Link] = []
    for i, j in nodes[src_stream.classes[nodes[:, 0]] == _TEXT_CLASS].tolist():
        src_parts = src_chunks.parts(src_stream.first_chunks[i], src_stream.end_chunks[i])
        tgt_parts = tgt_chunks.parts(tgt_stream.first_chunks[j], tgt_stream.end_chunks[j])
        links.extend(links_of_match(src_parts, tgt_parts))
    return beads_from_links(links, src_chunks.block_sizes(), tgt_chunks.block_sizes())
