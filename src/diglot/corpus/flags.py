"""What speaks against a segment: flags that are written beside it, and the choice of those that exclude it.

Nothing is deleted here. The table of segments keeps every row and says what is wrong with it; a
translation memory takes the rows without a flag of ``EXCLUDED``.
"""

import math
import unicodedata
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.numbers import numbers_in

Mask = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int64]


class Flag(StrEnum):
    """Reasons to doubt a segment."""

    BOILERPLATE = "boilerplate"
    DUPLICATE = "duplicate"
    IDENTICAL = "identical"
    LENGTH_RATIO = "length_ratio"
    NO_LETTERS = "no_letters"
    NUMBERS = "numbers"
    UNALIGNED = "unaligned"


FLAG_TEXT: dict[Flag, str] = {
    Flag.BOILERPLATE: "the same pair of texts stands on a large share of the page pairs",
    Flag.DUPLICATE: "a better scored copy of the same pair of texts is kept",
    Flag.IDENTICAL: "both sides are the same text",
    Flag.LENGTH_RATIO: "one side is far longer than the other side leads one to expect",
    Flag.NO_LETTERS: "a side holds no letter",
    Flag.NUMBERS: "the two sides name different numbers",
    Flag.UNALIGNED: "one side is empty: nothing was found that translates it",
}

EXCLUDED = frozenset(Flag) - {Flag.NUMBERS}
"""Flags that keep a segment out of the corpus. Numbers differ in good translations too (spelt out in
letters, dates turned round), so that flag warns and does not exclude."""

RATIO_LEAST_CHARS = 20
"""Shorter texts have no typical length ratio."""
RATIO_LEAST_ROWS = 10
"""Rows of a language pair below which its typical length ratio is not known, and no row is flagged."""
RATIO_LEAST_BOUND = math.log(2.2)
RATIO_DEVIATIONS = 3 * 1.4826
"""Three standard deviations, estimated as 1.4826 times the median absolute deviation (Hampel 1974)."""


def flag_segments(segments: pa.Table, *, boilerplate_pages: int = 5, boilerplate_share: float = 0.3) -> pa.Table:
    """The same table, rows and order, with the flags of each row added to those it has, sorted.

    Language pairs are judged apart. ``boilerplate``: the pair of texts stands on more page pairs than
    ``boilerplate_pages`` and than ``boilerplate_share`` of all. Texts are the same where they are after
    NFKC, case folding and with white space as one space. A row with an empty side is ``unaligned`` and
    nothing else. Flagging a flagged table changes nothing.
    """
    if not segments.num_rows:
        return segments
    src, tgt = _text_codes(segments["src"], segments["tgt"])
    lang_pair = _combine(_codes(segments["src_lang"]), _codes(segments["tgt_lang"]))
    page_pair = _combine(lang_pair, _codes(segments["src_url"]), _codes(segments["tgt_url"]))
    text_pair = _combine(lang_pair, src, tgt)
    empty = _is_empty(segments["src"]) | _is_empty(segments["tgt"])
    duplicate = _is_duplicate(segments, text_pair)
    found: dict[Flag, Mask] = {
        Flag.BOILERPLATE: _is_boilerplate(
            text_pair, page_pair, lang_pair, least=boilerplate_pages, share=boilerplate_share
        ),
        Flag.DUPLICATE: duplicate,
        Flag.IDENTICAL: src == tgt,
        Flag.LENGTH_RATIO: _is_odd_length(segments, lang_pair, usable=~(empty | duplicate)),
        Flag.NO_LETTERS: ~(_matches(segments["src"], r"\p{L}") & _matches(segments["tgt"], r"\p{L}")),
        Flag.NUMBERS: _is_other_numbers(segments["src"], segments["tgt"]),
    }
    found = {flag: mask & ~empty for flag, mask in found.items()} | {Flag.UNALIGNED: empty}
    column = segments.schema.get_field_index("flags")
    return segments.set_column(column, segments.schema.field(column), _with_flags(segments["flags"], found))


def clean(segments: pa.Table) -> pa.Table:
    """The rows that carry no flag of ``EXCLUDED``, in order: what a translation memory takes."""
    flags = segments["flags"].combine_chunks()
    values, rows = pc.list_flatten(flags), pc.list_parent_indices(flags)
    keep = np.ones(segments.num_rows, dtype=bool)
    keep[rows.filter(pc.is_in(values, pa.array(sorted(EXCLUDED)))).to_numpy()] = False
    return segments.filter(pa.array(keep))


def same_text_key(text: str) -> str:
    """What two texts share when they count as the same: NFKC, case folded, white space as one space."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _codes(column: pa.ChunkedArray) -> Codes:
    """A number for each distinct value, int64 of shape (rows,)."""
    indices = column.combine_chunks().dictionary_encode().indices
    return np.asarray(indices.to_numpy(), dtype=np.int64)


def _combine(*codes: Codes) -> Codes:
    """A number from 0 for each distinct combination."""
    combined = codes[0]
    for other in codes[1:]:
        _, combined = np.unique(combined * (other.max() + 1) + other, return_inverse=True)
    return combined


def _text_codes(src: pa.ChunkedArray, tgt: pa.ChunkedArray) -> tuple[Codes, Codes]:
    """Equal numbers for texts that count as the same, over both columns; each distinct text is read once."""
    both = pa.chunked_array([*src.chunks, *tgt.chunks], type=pa.string()).combine_chunks().dictionary_encode()
    numbers: dict[str, int] = {}
    of_text = [numbers.setdefault(same_text_key(text), len(numbers)) for text in both.dictionary.to_pylist()]
    codes = np.array(of_text, dtype=np.int64)[both.indices.to_numpy()]
    return codes[: len(src)], codes[len(src) :]


def _matches(column: pa.ChunkedArray, pattern: str) -> Mask:
    return np.asarray(pc.match_substring_regex(column, pattern).to_numpy(), dtype=bool)


def _is_empty(column: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.equal(pc.utf8_trim_whitespace(column), "").to_numpy(), dtype=bool)


def _is_duplicate(segments: pa.Table, text_pair: Codes) -> Mask:
    """All copies of a pair of texts but the best scored; ties go to the first by addresses and position."""
    order = [
        ("score", "descending"),
        ("src_url", "ascending"),
        ("tgt_url", "ascending"),
        ("position", "ascending"),
    ]
    best_first = pc.sort_indices(segments.select([name for name, _ in order]), sort_keys=order).to_numpy()
    _, firsts = np.unique(text_pair[best_first], return_index=True)
    duplicate = np.ones(len(text_pair), dtype=bool)
    duplicate[best_first[firsts]] = False
    return duplicate


def _is_boilerplate(text_pair: Codes, page_pair: Codes, lang_pair: Codes, *, least: int, share: float) -> Mask:
    # A pair of texts and a page pair each belong to one language pair: their codes say which.
    pages_of_lang = np.bincount(lang_pair[np.unique(page_pair, return_index=True)[1]])
    standing = np.unique(np.stack([text_pair, page_pair]), axis=1)[0]
    pages = np.bincount(standing, minlength=int(text_pair.max()) + 1)[text_pair]
    return np.asarray(pages > np.maximum(least, share * pages_of_lang[lang_pair]), dtype=bool)


def _is_odd_length(segments: pa.Table, lang_pair: Codes, *, usable: Mask) -> Mask:
    """Length ratio in characters beyond what is usual for the language pair, learnt from the ``usable`` rows.

    A row is judged where both sides reach 20 characters, or would if they were as long as the other side
    leads one to expect: a heading of two Chinese characters passes, a paragraph against a word does not.
    """
    src_chars, tgt_chars = (
        np.maximum(1.0, pc.utf8_length(segments[side]).to_numpy().astype(np.float64)) for side in ("src", "tgt")
    )
    log_ratio = np.log(tgt_chars / src_chars)
    long_enough = np.minimum(src_chars, tgt_chars) >= RATIO_LEAST_CHARS
    odd = np.zeros(len(log_ratio), dtype=bool)
    for number in range(int(lang_pair.max()) + 1):
        rows = lang_pair == number
        known = log_ratio[rows & usable & long_enough]
        if len(known) < RATIO_LEAST_ROWS:
            continue
        median = float(np.median(known))
        bound = max(RATIO_DEVIATIONS * float(np.median(np.abs(known - median))), RATIO_LEAST_BOUND)
        src_reach = np.maximum(src_chars, tgt_chars / math.exp(median))
        tgt_reach = np.maximum(tgt_chars, src_chars * math.exp(median))
        judged = rows & (np.minimum(src_reach, tgt_reach) >= RATIO_LEAST_CHARS)
        odd |= judged & (np.abs(log_ratio - median) > bound)
    return odd


def _is_other_numbers(src: pa.ChunkedArray, tgt: pa.ChunkedArray) -> Mask:
    # \p{N}, not \p{Nd}: NFKC turns superscripts and fractions into digits.
    differ = _matches(src, r"\p{N}") | _matches(tgt, r"\p{N}")
    rows = np.flatnonzero(differ)
    texts = zip(src.take(pa.array(rows)).to_pylist(), tgt.take(pa.array(rows)).to_pylist(), strict=True)
    differ[rows] = [numbers_in(a) != numbers_in(b) for a, b in texts]
    return differ


def _with_flags(existing: pa.ChunkedArray, found: dict[Flag, Mask]) -> pa.Array:
    """Lists of the flags a row has and those found; a list is built once for each distinct combination."""
    before = pc.binary_join(existing.combine_chunks(), ",").dictionary_encode()
    bits = sum((mask.astype(np.int64) << number for number, mask in enumerate(found.values())), start=np.int64(0))
    known = before.dictionary.to_pylist()
    combined, rows = np.unique(np.asarray(bits) * len(known) + before.indices.to_numpy(), return_inverse=True)
    lists = []
    for code in combined.tolist():
        flags = {flag for flag in known[code % len(known)].split(",") if flag}
        flags |= {str(flag) for number, flag in enumerate(found) if code // len(known) >> number & 1}
        lists.append(sorted(flags))
    return pa.array(lists, type=pa.list_(pa.string())).take(pa.array(rows))
