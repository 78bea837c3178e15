"""LibTagAligner: two pages aligned by edit distance over tags and lengths of texts; matched texts become beads of
blocks.

1. :func:`tag_stream`: a page becomes a stream of relevant tags, and of texts joined over irrelevant tags.
2. :func:`token_alignment`: the cheapest edit of the source stream into the target stream matches texts with texts.
3. :func:`links_of_match`: a matched pair of texts links the blocks of both texts.
4. :func:`beads_from_links`: links without crossings make beads of up to three blocks a side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
import numpy.typing as npt

from diglot.alignment.bands import Band, Path, narrow_width, proportional_centre, solve_in_band
from diglot.alignment.beads import Bead
from diglot.alignment.gale_church import align_lengths, text_length, totals_ratio
from diglot.alignment.path_kernels import TEXT_CLASS, token_path
from diglot.arrays import Floats, Ints
from diglot.documents.html.tags import CONTENT, FORMAT, IRRELEVANT, STRUCTURAL, TAG_CLASSES, TAGS, indices_of_codes

MAX_BEAD_BLOCKS = 3
"""Blocks a side of a bead at most; our choice."""
TEXT_NAME = "text"
"""Class of text chunks in the weights, with costs a unit of length."""
_LEFT_OUT = -2
"""Class of an irrelevant tag."""


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A page as the aligners take it; the columns of :data:`diglot.records.DOCUMENT_SCHEMA` of like names.

    ``tokens``: int32, negative for a tag, else the length in characters of the next chunk. ``chunk_texts``: texts of
    the non-negative tokens, with a single space at an end with white space on the page. ``block_ends``: int32
    (blocks,), rising; block b holds the chunks ``[block_ends[b - 1], block_ends[b])``. ``block_kinds``: int8 (blocks,),
    values of :class:`diglot.records.BlockKind`.

    Raises: ValueError if the columns do not fit together.
    """

    tokens: npt.NDArray[np.int32]
    chunk_texts: list[str]
    block_ends: npt.NDArray[np.int32]
    block_kinds: npt.NDArray[np.int8]

    def __post_init__(self) -> None:
        chunks = int(np.count_nonzero(self.tokens >= 0))
        last = int(self.block_ends[-1]) if len(self.block_ends) else 0
        if not chunks == len(self.chunk_texts) == last:
            raise ValueError(f"{chunks} text tokens, {len(self.chunk_texts)} chunks, blocks end at {last}")
        if len(self.block_kinds) != len(self.block_ends):
            raise ValueError(f"{len(self.block_ends)} blocks, {len(self.block_kinds)} kinds")

    def block_texts(self) -> list[str]:
        """Text of every block, without white space at its ends."""
        bounds = [0, *self.block_ends.tolist()]
        return ["".join(self.chunk_texts[start:end]).strip() for start, end in pairwise(bounds)]


@dataclass(frozen=True, slots=True)
class TagWeights:
    """Costs of LibTagAligner's edit distance (Bitextor 2009, section 6.1; 2010, section 5, equations 6-9).

    ``categories``: tag name -> class; an unnamed tag is "irrelevant": left out, with the texts on both sides joined.
    ``insert``, ``delete``: class -> cost of a tag, and "text" -> cost a character. ``substitute``: sorted pair of
    classes -> cost of different tags (equal tags cost 0), inf for a forbidden pair; ("text", "text") -> cost a unit of
    difference in length. A tag never replaces a text.
    """

    categories: Mapping[str, str]
    insert: Mapping[str, float]
    delete: Mapping[str, float]
    substitute: Mapping[tuple[str, str], float]

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes of relevant tags, sorted."""
        return tuple(sorted(set(self.categories.values()) - {IRRELEVANT}))


_LEAVE_OUT = {STRUCTURAL: 1.0, FORMAT: 0.75, CONTENT: 1.25, TEXT_NAME: 0.01}

PUBLISHED = TagWeights(
    categories=TAG_CLASSES,
    insert=_LEAVE_OUT,
    delete=_LEAVE_OUT,
    substitute={
        (STRUCTURAL, STRUCTURAL): 1.5,
        (FORMAT, STRUCTURAL): 1.75,
        (FORMAT, FORMAT): 0.4,
        (CONTENT, CONTENT): math.inf,
        (CONTENT, FORMAT): math.inf,
        (CONTENT, STRUCTURAL): math.inf,
        (TEXT_NAME, TEXT_NAME): 0.01,
    },
)
"""Weights of Bitextor 2010 (note 9), from Sanchez-Villamil et al. 2006, as TagAligner shipped them."""


def align_documents(src: DocumentView, tgt: DocumentView, weights: TagWeights = PUBLISHED) -> list[Bead]:
    """Beads over the blocks of two pages, from LibTagAligner's alignment of their tags and texts.

    Every block is in exactly one bead: up to three blocks a side, the rest 1-0 and 0-1. ``score``: share of the bead's
    text in matched texts, as far as their lengths agree (twice the common length over the sum, target lengths scaled by
    the ratio of the pages' totals); in [0, 1]. The score measures structure, not meaning.
    """
    src_stream, tgt_stream = tag_stream(src, weights), tag_stream(tgt, weights)
    _, path = token_alignment(src_stream, tgt_stream, weights)
    src_sizes = [text_length(text) for text in src.chunk_texts]
    tgt_sizes = [text_length(text) for text in tgt.chunk_texts]
    ratio = totals_ratio(src_sizes, tgt_sizes)
    src_chunks = SizedChunks.of(src, src_sizes)
    tgt_chunks = SizedChunks.of(tgt, [size / ratio for size in tgt_sizes])
    nodes = path[:-1][(np.diff(path, axis=0) == 1).all(axis=1)]
    links: list[BlockLink] = []
    for i, j in nodes[src_stream.classes[nodes[:, 0]] == TEXT_CLASS].tolist():
        # A matched text may hold several blocks: irrelevant tags such as <br> end a block but no text.
        src_parts = src_chunks.parts(src_stream.first_chunks[i], src_stream.end_chunks[i])
        tgt_parts = tgt_chunks.parts(tgt_stream.first_chunks[j], tgt_stream.end_chunks[j])
        links.extend(links_of_match(src_parts, tgt_parts))
    return beads_from_links(links, src_chunks.block_sizes(), tgt_chunks.block_sizes())


@dataclass(frozen=True, slots=True)
class TagStream:
    """The tokens compared by TagAligner: relevant tags, and texts joined over irrelevant tags.

    Arrays of shape (tokens,). ``codes``: tag code, or 0 for a text. ``classes``: place in ``TagWeights.classes``, or -1
    for a text. ``lengths``: length of a text in characters. A text holds the chunks ``[first_chunks,
    end_chunks)``; a tag has its position in both.
    """

    codes: Ints
    classes: Ints
    lengths: Floats
    first_chunks: Ints
    end_chunks: Ints


def tag_stream(view: DocumentView, weights: TagWeights = PUBLISHED) -> TagStream:
    """Token stream of a page without irrelevant tags; chunks before and after an irrelevant tag are joined."""
    places = {name: place for place, name in enumerate(weights.classes)}
    class_of_tag = np.array([places.get(weights.categories.get(tag, IRRELEVANT), _LEFT_OUT) for tag in TAGS])
    tokens = view.tokens.astype(np.int64)
    is_text = tokens >= 0
    classes = np.where(is_text, TEXT_CLASS, class_of_tag[indices_of_codes(np.where(is_text, -1, tokens))])
    lengths = np.where(is_text, tokens, 0).astype(np.float64)
    chunks_before: Ints = np.cumsum(is_text) - is_text

    kept = np.flatnonzero(classes != _LEFT_OUT)
    text_kept = is_text[kept]
    # A text that follows a text joins it: only irrelevant tags stood between the two.
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
    """Cost and path of the cheapest edit of ``src`` into ``tgt``: nodes (row, column) between the tokens, (k, 2).

    Ties: substitution before deletion before insertion. Memory: one byte a cell of the band, at most
    ``bands.MAX_CELLS``; time about 5 nanoseconds a cell.
    """

    classes = weights.classes
    substitute = np.full((len(classes) + 1, len(classes) + 1), np.inf)  # never empty, even without classes
    for (i, one), (j, other) in product(enumerate(classes), repeat=2):
        substitute[i, j] = weights.substitute[min(one, other), max(one, other)]
    text_weight = weights.substitute[TEXT_NAME, TEXT_NAME]
    src_arrays = (src.codes, src.classes, src.lengths, _leave_out(src, weights.delete, classes))
    tgt_arrays = (tgt.codes, tgt.classes, tgt.lengths, _leave_out(tgt, weights.insert, classes))
    cost = 0.0

    def solve(band: Band) -> Path:
        nonlocal cost
        cost, path = token_path(src_arrays, tgt_arrays, substitute, text_weight, band)
        return path

    centre = proportional_centre(np.ones(len(src.codes)), np.ones(len(tgt.codes)))
    width = narrow_width(len(src.codes), len(tgt.codes))
    path = solve_in_band(solve, centre, len(tgt.codes), half_width=width)
    return cost, path


def _leave_out(stream: TagStream, weights: Mapping[str, float], classes: tuple[str, ...]) -> Floats:
    """Cost of leaving out every token (equations 6 and 8)."""
    # The class of a text, -1, is the last place.
    cost_of_class = np.array([*(weights[name] for name in classes), weights[TEXT_NAME]])
    scale = np.where(stream.classes == TEXT_CLASS, stream.lengths, 1.0)
    costs: Floats = cost_of_class[stream.classes] * scale
    return costs


BlockPart = tuple[int, float]
"""A block, and the length of its part in a text (characters; target lengths are scaled to the source)."""


@dataclass(frozen=True, slots=True)
class BlockLink:
    """A source and a target block of a pair of matched texts; ``weight`` is their common length."""

    src: int
    tgt: int
    weight: float


@dataclass(frozen=True, slots=True)
class SizedChunks:
    """Block and size of every chunk of a page."""

    blocks: list[int]
    sizes: list[float]
    block_count: int

    @classmethod
    def of(cls, view: DocumentView, sizes: Sequence[float]) -> SizedChunks:
        counts = np.diff(view.block_ends, prepend=0)
        return cls(np.repeat(np.arange(len(counts)), counts).tolist(), list(sizes), len(counts))

    def parts(self, first: int, end: int) -> list[BlockPart]:
        """Blocks of the chunks [first, end), with the total size of their chunks."""
        parts: dict[int, float] = {}
        for block, size in zip(self.blocks[first:end], self.sizes[first:end], strict=True):
            parts[block] = parts.get(block, 0.0) + size
        return list(parts.items())

    def block_sizes(self) -> list[float]:
        totals = [0.0] * self.block_count
        for block, size in zip(self.blocks, self.sizes, strict=True):
            totals[block] += size
        return totals


def links_of_match(src: Sequence[BlockPart], tgt: Sequence[BlockPart]) -> list[BlockLink]:
    """Links of the blocks of a pair of matched texts.

    A text joined over irrelevant tags may run through many blocks (lines between <br>). Blocks are first aligned by
    length; inside a bead they are linked by their shares of the text.
    """
    if len(src) == 1 or len(tgt) == 1:
        return _by_share(src, tgt)
    beads = align_lengths([size for _, size in src], [size for _, size in tgt], ratio=1.0)
    return [link for bead in beads for link in _by_share(src[slice(*bead.src)], tgt[slice(*bead.tgt)])]


def _by_share(src: Sequence[BlockPart], tgt: Sequence[BlockPart]) -> list[BlockLink]:
    """Links between overlapping blocks, with both texts stretched to the same length."""
    src_total, tgt_total = sum(size for _, size in src), sum(size for _, size in tgt)
    common = min(src_total, tgt_total)
    links, i, j, done, src_end, tgt_end = [], 0, 0, 0.0, 0.0, 0.0
    if src and tgt:
        src_end, tgt_end = _share(src[0], src_total, len(src)), _share(tgt[0], tgt_total, len(tgt))
    while i < len(src) and j < len(tgt):
        overlap = min(src_end, tgt_end) - done
        done += overlap
        if overlap > 0:
            links.append(BlockLink(src[i][0], tgt[j][0], overlap * common))
        src_first = src_end <= tgt_end
        if src_first and (i := i + 1) < len(src):
            src_end += _share(src[i], src_total, len(src))
        elif not src_first and (j := j + 1) < len(tgt):
            tgt_end += _share(tgt[j], tgt_total, len(tgt))
    return links


def _share(part: BlockPart, total: float, parts: int) -> float:
    return part[1] / total if total > 0 else 1 / parts


def beads_from_links(links: Sequence[BlockLink], src_sizes: Sequence[float], tgt_sizes: Sequence[float]) -> list[Bead]:
    """Beads over all blocks of both sides from links without crossings; the earlier link wins a tie.

    A link counts only if its source block or its target block has no heavier link. Heaviest first, links join their
    blocks and the blocks between into a bead of at most ``MAX_BEAD_BLOCKS`` a side. The remaining blocks are 1-0 and
    0-1 beads, source before target.
    """
    weights: dict[tuple[int, int], float] = {}
    for link in links:
        weights[link.src, link.tgt] = weights.get((link.src, link.tgt), 0.0) + link.weight
    best_src: dict[int, float] = {}
    best_tgt: dict[int, float] = {}
    for (s, t), weight in weights.items():
        best_src[s] = max(weight, best_src.get(s, 0.0))
        best_tgt[t] = max(weight, best_tgt.get(t, 0.0))
    strong = [key for key, weight in weights.items() if weight in (best_src[key[0]], best_tgt[key[1]])]
    # Heaviest first; the key itself makes ties the same on every machine.
    strong.sort(key=lambda key: (-weights[key], key))

    groups = _Groups()
    for s, t in strong:
        groups.join(s, t)
    return _all_beads(groups, weights, src_sizes, tgt_sizes)


class _Groups:
    """Growing beads as pairs of ranges, by source block and by target block."""

    def __init__(self) -> None:
        self.of_src: dict[int, tuple[range, range]] = {}
        self.of_tgt: dict[int, tuple[range, range]] = {}

    def join(self, s: int, t: int) -> None:
        """Join the beads of source block ``s`` and target block ``t``, unless the joint bead is too large."""
        bead, grown = None, (range(s, s + 1), range(t, t + 1))
        while bead != grown:  # blocks between the two may be in a bead of their own
            bead = grown
            touched = [self.of_src[block] for block in bead[0] if block in self.of_src]
            touched += [self.of_tgt[block] for block in bead[1] if block in self.of_tgt]
            grown = _hull(0, [bead, *touched]), _hull(1, [bead, *touched])
            if max(map(len, grown)) > MAX_BEAD_BLOCKS:
                return
        self.of_src.update(dict.fromkeys(grown[0], grown))
        self.of_tgt.update(dict.fromkeys(grown[1], grown))


def _hull(side: int, beads: Sequence[tuple[range, range]]) -> range:
    """The range from the first to the last block of beads on a side."""
    return range(min(bead[side].start for bead in beads), max(bead[side].stop for bead in beads))


def _all_beads(
    groups: _Groups,
    weights: dict[tuple[int, int], float],
    src_sizes: Sequence[float],
    tgt_sizes: Sequence[float],
) -> list[Bead]:
    beads: list[Bead] = []
    i = j = 0
    joined = sorted({(g[0].start, g[0].stop, g[1].start, g[1].stop) for g in groups.of_src.values()})
    for src_start, src_stop, tgt_start, tgt_stop in [*joined, (len(src_sizes),) * 2 + (len(tgt_sizes),) * 2]:
        beads += [Bead((b, b + 1), (j, j)) for b in range(i, src_start)]
        beads += [Bead((src_start, src_start), (b, b + 1)) for b in range(j, tgt_start)]
        i, j = src_stop, tgt_stop
        if src_start < src_stop:
            common = sum(
                weights.get((s, t), 0.0) for s in range(src_start, src_stop) for t in range(tgt_start, tgt_stop)
            )
            total = sum(src_sizes[src_start:src_stop]) + sum(tgt_sizes[tgt_start:tgt_stop])
            beads.append(Bead((src_start, src_stop), (tgt_start, tgt_stop), min(1.0, 2 * common / max(total, 1e-9))))
    return beads
