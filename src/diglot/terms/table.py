"""Step 10. Terms as an Arrow table: spelling, counts, pages, rivals, examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, distinct_pairs, run_places
from diglot.records import BlockKind
from diglot.terms.candidates import UNIT_WORDS, Candidates, Phrases, Side
from diglot.terms.estimate import TermPlaces, termhood
from diglot.terms.rivals import Translations, find_rivals, same_sources
from diglot.terms.scoring import Counts, association
from diglot.terms.tokens import Tokens
from diglot.terms.variants import Endings, Words

MAX_EXAMPLES = 3
_LOOKED_AT = 50
"""Most occurrences of a term counted for its spelling."""
_GOOD_TOKENS = 12
"""Tokens of the best example; an example is worse by the difference."""
_HEADS = [BlockKind.TITLE.value, BlockKind.HEADING.value, BlockKind.CONTROL.value]

TERM_SCHEMA = pa.schema(
    [
        pa.field("src", pa.string(), nullable=False),
        pa.field("tgt", pa.string(), nullable=False),
        pa.field("src_lang", pa.string(), nullable=False),
        pa.field("tgt_lang", pa.string(), nullable=False),
        pa.field("source", pa.int32(), nullable=False),  # number of the source side, common to all its translations
        pa.field("probability", pa.float32(), nullable=False),  # of a right pair, see estimate.probability
        pa.field("termhood", pa.float32(), nullable=False),  # in [0, 1), see estimate.termhood
        pa.field("linked", pa.int32(), nullable=False),  # distinct segments with a link between both sides
        pa.field("src_count", pa.int32(), nullable=False),  # distinct segments with the source side
        pa.field("tgt_count", pa.int32(), nullable=False),
        pa.field("both_count", pa.int32(), nullable=False),  # distinct segments with both sides
        pa.field("pages", pa.int32(), nullable=False),  # source pages of the linked segments, copies counted
        pa.field("units", pa.int32(), nullable=False),  # linked segments with nothing else
        pa.field("association", pa.float32(), nullable=False),  # log-likelihood ratio
        pa.field("inconsistent", pa.bool_(), nullable=False),  # the source side has another translation, too
        pa.field("rivals", pa.list_(pa.string()), nullable=False),  # these translations, most linked first
        # Other forms of either side, most frequent first.
        pa.field("src_forms", pa.list_(pa.string()), nullable=False),
        pa.field("tgt_forms", pa.list_(pa.string()), nullable=False),
        # Example segments: parallel lists of at most MAX_EXAMPLES, from different pages if possible.
        pa.field("example_srcs", pa.list_(pa.string()), nullable=False),
        pa.field("example_tgts", pa.list_(pa.string()), nullable=False),
        pa.field("example_src_urls", pa.list_(pa.string()), nullable=False),
        pa.field("example_tgt_urls", pa.list_(pa.string()), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class TermGroups:
    """Results of the previous steps.

    Of each candidate: ``groups``, its group. Of each group: ``counts``; ``best`` and ``base``, numbers of its best
    candidate and of the candidate with its base form; ``chance``, probability of a right pair; ``cohesive``, its
    cohesion. By side: ``words``, content words of each phrase; ``endings``, endings of the forms.
    """

    texts: Sequence[Sequence[str]]
    sides: Sequence[Side]
    candidates: Candidates
    phrases: tuple[Phrases, Phrases]
    groups: Ints
    counts: Counts
    best: Ints
    base: Ints
    chance: Floats
    cohesive: Floats
    words: Sequence[Sequence[Words]]
    endings: tuple[Endings, Endings]

    def words_of(self, side: int, groups: Ints) -> list[Words]:
        """Content words on one side of the best candidates of groups."""
        number = (self.candidates.src, self.candidates.tgt)[side]
        return [self.words[side][place] for place in number[self.best[groups]].tolist()]


def term_table(found: TermGroups, kept: Ints, segments: pa.Table, src_lang: str, tgt_lang: str) -> pa.Table:
    """The kept groups as terms (:data:`TERM_SCHEMA`), most telling first."""
    columns: list[Any] = [column[kept] for column in found.counts]
    counts = Counts(*columns)
    held = _Occurrences(found, kept)
    sources_of = _source_pages(segments)
    pages = _page_counts(held, sources_of)
    words = found.words_of(0, kept), found.words_of(1, kept)
    sources = same_sources(words[0], counts.linked, found.endings[0])
    terms = _termhood(found, kept, held, sources, segments, sources_of)
    share = counts.linked / np.maximum(counts.src_linked, 1)
    rivals = find_rivals(
        Translations(*words, sources, counts.linked, pages, share, found.chance[kept]), found.endings[1]
    )
    written = [_spellings(found, kept, held, side) for side in (0, 1)]
    others = [list(map(_others, written[side], _forms(found, kept, side))) for side in (0, 1)]
    shown = list(_examples(found, held, sources_of.own))
    cells = {
        "src": written[0],
        "tgt": written[1],
        "src_lang": [src_lang] * len(kept),
        "tgt_lang": [tgt_lang] * len(kept),
        "source": sources,
        "probability": found.chance[kept],
        "termhood": terms,
        "linked": counts.linked,
        "src_count": counts.src,
        "tgt_count": counts.tgt,
        "both_count": counts.both,
        "pages": pages,
        "units": counts.units,
        "association": association(counts.both, counts.src, counts.tgt, segments.num_rows),
        "inconsistent": [bool(each) for each in rivals],
        "rivals": [[written[1][other] for other in each] for each in rivals],
        "src_forms": others[0],
        "tgt_forms": others[1],
        "example_srcs": [[found.texts[0][row] for row in rows] for rows in shown],
        "example_tgts": [[found.texts[1][row] for row in rows] for rows in shown],
        "example_src_urls": _values_at(segments["src_url"], shown),
        "example_tgt_urls": _values_at(segments["tgt_url"], shown),
    }
    table = pa.table([pa.array(cells[field.name], field.type) for field in TERM_SCHEMA], schema=TERM_SCHEMA)
    return _most_telling_first(table, found.chance[kept] * terms * np.log1p(counts.linked))


def _most_telling_first(table: pa.Table, worth: Floats) -> pa.Table:
    """The terms sorted by ``worth``, shape (terms,); of equal worth by their texts."""
    src, tgt = table["src"].to_pylist(), table["tgt"].to_pylist()
    order = sorted(range(len(worth)), key=lambda row: (-round(float(worth[row]), 9), src[row], tgt[row]))
    return table.take(pa.array(order, pa.int64()))


class _Occurrences:
    """Occurrences of the kept groups: rows in the pairs of the candidates, by group, in order of the text."""

    def __init__(self, found: TermGroups, kept: Ints) -> None:
        of_pairs = _of_groups(found, kept, np.arange(len(kept)))[found.groups[found.candidates.numbers]]
        rows = np.flatnonzero(of_pairs >= 0)
        groups = of_pairs[rows]
        pairs = found.candidates.pairs
        order = np.lexsort((pairs.src_first[rows], groups))
        self.rows, self.groups = rows[order], groups[order]
        self.segments = pairs.segments[self.rows]
        self.offsets = np.searchsorted(self.groups, np.arange(len(kept) + 1))


def _of_groups(found: TermGroups, kept: Ints, values: Ints) -> Ints:
    """Values of the kept groups, by number of the group; -1 for other groups."""
    of_groups = np.full(len(found.best), -1)
    of_groups[kept] = values
    return of_groups


class _SourcePages(NamedTuple):
    """Source pages of each segment, its own page first. ``numbers``, ``offsets`` (segments + 1,): the pages of segment
    n are ``numbers[offsets[n]:offsets[n + 1]]``; ``total``: number of pages."""

    numbers: Ints
    offsets: Ints
    total: int

    @property
    def own(self) -> Ints:
        """The page of each segment itself."""
        return self.numbers[self.offsets[:-1]]


def _source_pages(segments: pa.Table) -> _SourcePages:
    others = segments["other_src_urls"].combine_chunks()
    lengths = pc.list_value_length(others).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(lengths + 1)))
    own = segments["src_url"].combine_chunks()
    both = pa.concat_arrays([own, others.flatten()]).dictionary_encode()
    numbers = both.indices.to_numpy().astype(np.int64)
    found = np.empty(len(numbers), np.int64)
    found[offsets[:-1]] = numbers[: len(own)]
    is_other = np.ones(len(numbers), bool)
    is_other[offsets[:-1]] = False
    found[is_other] = numbers[len(own) :]
    return _SourcePages(found, offsets, len(both.dictionary))


def _page_counts(held: _Occurrences, pages: _SourcePages) -> Ints:
    """Number of pages with linked segments of each term, pages of copies included."""
    # A segment may hold a term twice, and two segments may stand on one page: distinct pairs at both steps.
    terms, rows = distinct_pairs(held.groups, held.segments)
    counts = np.diff(pages.offsets)[rows]
    page_of = pages.numbers[run_places(pages.offsets[rows], counts)]
    of_pages, _ = distinct_pairs(np.repeat(terms, counts), page_of)
    return np.bincount(of_pages, minlength=len(held.offsets) - 1)


def _termhood(
    found: TermGroups, kept: Ints, held: _Occurrences, sources: Ints, segments: pa.Table, source_pages: _SourcePages
) -> Floats:
    """Termhood of each term, from all places of all forms of the source side."""
    page_of, pages = source_pages.own, source_pages.total
    tokens, places = found.sides[0].tokens, found.phrases[0].places
    group = np.full(len(found.phrases[0].hashes), -1)
    within = _of_groups(found, kept, sources)[found.groups]
    members = np.flatnonzero(within >= 0)
    group[found.candidates.src[members]] = within[members]
    at = np.flatnonzero(group[places.phrases] >= 0)
    terms, on = group[places.phrases[at]], page_of[tokens.segments[places.first[at]]]
    occurrences = np.bincount(terms, minlength=len(kept))
    seen = np.bincount(distinct_pairs(terms, on)[0], minlength=len(kept))
    heads = _is_head(found, segments)
    linked, rows = distinct_pairs(held.groups, held.segments)
    in_heads = np.bincount(linked[heads[rows]], minlength=len(kept))
    return termhood(
        TermPlaces(
            found.counts.linked[kept],
            occurrences[sources],
            seen[sources],
            np.bincount(page_of[tokens.segments], minlength=pages),
            in_heads,
            float(heads.mean()) if len(heads) else 1.0,
            found.cohesive[kept],
        )
    )


def _is_head(found: TermGroups, segments: pa.Table) -> Mask:
    """Mask of segments that are titles, headings or controls, or of a few words."""
    kinds = segments["kind"].to_numpy()
    return np.asarray(np.isin(kinds, _HEADS) | (found.sides[0].tokens.counts() <= UNIT_WORDS))


def _spellings(found: TermGroups, kept: Ints, held: _Occurrences, side: int) -> list[str]:
    """Usual spelling of the base form of each term."""
    tokens = found.sides[side].tokens
    pairs = found.candidates.pairs
    first, size = (pairs.src_first, pairs.src_size) if side == 0 else (pairs.tgt_first, pairs.tgt_size)
    is_base = found.candidates.numbers[held.rows] == found.base[kept][held.groups]
    written = []
    for begin, end in zip(held.offsets[:-1].tolist(), held.offsets[1:].tolist(), strict=True):
        rows = held.rows[begin:end][is_base[begin:end]][:_LOOKED_AT]
        seen: Counter[str] = Counter()
        for row in rows.tolist():
            text = _text(found.texts[side], tokens, int(first[row]), int(size[row]))
            # The capital of a first word says nothing about the usual spelling.
            seen[text] += 2 if tokens.starts[first[row]] else 1
        written.append(max(seen, key=lambda text: (seen[text], text[:1].islower(), text)))
    return written


def _text(texts: Sequence[str], tokens: Tokens, first: int, size: int) -> str:
    segment = tokens.segments[first]
    return " ".join(texts[segment][tokens.starts[first] : tokens.ends[first + size - 1]].split())


def _forms(found: TermGroups, kept: Ints, side: int) -> list[list[str]]:
    """Forms on a side of each group, most linked first."""
    number = (found.candidates.src, found.candidates.tgt)[side]
    phrases, tokens = found.phrases[side], found.sides[side].tokens
    place = _of_groups(found, kept, np.arange(len(kept)))[found.groups]
    members = np.flatnonzero(place >= 0)
    forms: list[list[str]] = [[] for _ in range(len(kept))]
    for member in members[np.lexsort((members, -found.candidates.linked[members]))].tolist():
        phrase = number[member]
        text = _text(found.texts[side], tokens, int(phrases.first[phrase]), int(phrases.sizes[phrase]))
        forms[place[member]].append(text)
    return forms


def _others(own: str, forms: list[str]) -> list[str]:
    """Distinct forms beside the term, case ignored."""
    once = {own.casefold(): own}
    for form in forms:
        once.setdefault(form.casefold(), form)
    return list(once.values())[1:]


def _examples(found: TermGroups, held: _Occurrences, page_of: Ints) -> Iterator[list[int]]:
    """Examples of each term: segments of middling length, from different pages if possible."""
    lengths = found.sides[0].tokens.counts()
    for begin, end in zip(held.offsets[:-1].tolist(), held.offsets[1:].tolist(), strict=True):
        rows = distinct(held.segments[begin:end])
        rows = rows[np.lexsort((rows, np.abs(lengths[rows] - _GOOD_TOKENS)))]
        by_page = dict(zip(page_of[rows][::-1].tolist(), rows[::-1].tolist(), strict=True))
        fresh = set(by_page.values())
        order = rows.tolist()
        yield [*(row for row in order if row in fresh), *(row for row in order if row not in fresh)][:MAX_EXAMPLES]


def _values_at(column: pa.ChunkedArray, rows: Sequence[Sequence[int]]) -> list[list[str]]:
    """The values of a column at lists of rows."""
    flat = column.take(pa.array([row for each in rows for row in each], pa.int64())).to_pylist()
    values = iter(flat)
    return [[next(values) for _ in each] for each in rows]
