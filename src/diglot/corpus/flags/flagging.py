"""Flags found on the segments of a run, all at once: what stands beside a segment depends on the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask
from diglot.corpus.flags import EXCLUDED, Flag, reaches
from diglot.corpus.flags.lengths import is_odd_length, is_too_short
from diglot.corpus.flags.names import differing_names
from diglot.corpus.flags.numbers import numbers_agree
from diglot.corpus.flags.personal import Mode, has_personal_data, mask_personal_data
from diglot.corpus.flags.repeats import (
    TextCodes,
    best_rows,
    codes_of,
    combine,
    is_again,
    is_boilerplate,
    is_conflict,
    is_label,
    other_addresses,
    rows_by,
    text_codes,
)
from diglot.corpus.flags.sites import segment_sites
from diglot.corpus.flags.unicode import is_damaged, normal_texts
from diglot.corpus.flags.variants import is_read_from_text, variant_of
from diglot.corpus.flags.wrong_language import PAGE_TEXTS, wrong_language
from diglot.records import FLAGGED_SCHEMA

LETTER, NUMBER = r"\p{L}", r"\p{N}"
MAYBE_DAMAGED = r"\x{FFFD}|[\x{80}-\x{24F}\x{2010}-\x{2122}]{2}|[\x{420}\x{421}][\x{80}-\x{45F}]"
"""A letter decoded as two or three: marks beyond ASCII side by side, or the Cyrillic that UTF-8 becomes in CP1251."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What pages say of themselves, by address; an address that is missing says nothing."""

    machine_translated: frozenset[str] = frozenset()
    declared_lang: Mapping[str, str] = field(default_factory=dict)
    other_texts: pa.Table = field(default_factory=PAGE_TEXTS.empty_table)
    """Texts of pages in languages that nobody asked for, :data:`PAGE_TEXTS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaning:
    """Options. ``boilerplate``: a pair of texts on more page pairs than this, and than this share of all."""

    personal_data: Mode = "flag"
    offensive: frozenset[str] = frozenset()
    """Words, in small letters, that flag a segment."""
    boilerplate_pages: int = 5
    boilerplate_share: float = 0.3
    min_score: float = 0.0
    """Least score of a segment that is kept: of several translations none below it is preferred to one above."""
    one_site: bool = False
    """Take all pages for one site's."""


def flag_segments(segments: pa.Table, options: Cleaning | None = None, pages: PageFacts | None = None) -> pa.Table:
    """The same rows in order as :data:`diglot.records.FLAGGED_SCHEMA`: texts in NFC, flags added to those there.

    Each language pair of each site is judged apart, so that a site gives the same units alone and among others; what
    several sites have is another matter (:mod:`diglot.corpus.flags.across`). Texts are the same where they are after
    NFKC, case folding and with white space as one space. A row with an empty side is ``unaligned`` and nothing else.
    Flagging a flagged table changes nothing.
    """
    options, pages = options or Cleaning(), pages or PageFacts()
    if not segments.num_rows:
        return FLAGGED_SCHEMA.empty_table()
    segments = _with_texts(segments, options.personal_data == "mask")
    sites = segment_sites(segments, one_site=options.one_site)
    lang_pair = combine(codes_of(segments["src_lang"]), codes_of(segments["tgt_lang"]))
    peers = combine(sites.of_row, lang_pair)
    empty = _is_empty(segments["src"]) | _is_empty(segments["tgt"])
    codes = text_codes(segments)
    machine_made = _is_machine_made(segments, pages)
    found, standing_for = _repeats(segments, peers, codes, machine_made, options)
    distinct, of_row = _text_pairs(segments)
    found |= {flag: mask[of_row] for flag, mask in _of_texts(distinct, options).items()}
    found |= {Flag.MACHINE_TRANSLATED: machine_made, Flag.IDENTICAL: codes.letters[0] == codes.letters[1]}
    copies = found[Flag.DUPLICATE] | found[Flag.NEAR_DUPLICATE]
    found[Flag.WRONG_LANGUAGE] = wrong_language(segments, sites, ~empty, pages.other_texts)
    translated = ~(empty | copies | found[Flag.IDENTICAL] | found[Flag.WRONG_LANGUAGE])
    found[Flag.LENGTH_RATIO] = is_odd_length(segments, peers, usable=translated)
    found[Flag.NAMES] = _differing_names(segments, peers, _usable(found, empty, but=Flag.NUMBERS))
    preferred = reaches(segments, options.min_score), ~found[Flag.BOILERPLATE]
    found[Flag.CONFLICT] = is_conflict(segments, codes.near[0], peers, standing_for, _usable(found, empty), *preferred)
    labels = _usable(found, empty) & is_label(segments)
    found[Flag.SERIES], _ = is_again(segments, combine(peers, *codes.series), labels)
    found = {flag: mask & ~empty for flag, mask in found.items()} | {Flag.UNALIGNED: empty}
    standing_for = np.where(empty, np.arange(segments.num_rows), standing_for)
    return _flagged_table(segments, found, standing_for, pages)


def _usable(found: Mapping[Flag, Mask], empty: Mask, but: Flag | None = None) -> Mask:
    """Rows without a flag that excludes, ``but`` for one that is left out of account."""
    excluding = (mask for flag, mask in found.items() if flag in EXCLUDED and flag != but)
    return np.asarray(~np.logical_or.reduce([empty, *excluding]), dtype=bool)


def _with_texts(segments: pa.Table, mask: bool) -> pa.Table:
    for name in ("src", "tgt"):
        texts = normal_texts(segments[name])
        if mask:
            texts = _mapped(texts, mask_personal_data)
        column = segments.schema.get_field_index(name)
        segments = segments.set_column(column, segments.schema.field(column), texts)
    return segments


def _mapped(column: pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array:
    texts = column.combine_chunks().dictionary_encode()
    return pa.array(list(map(change, texts.dictionary.to_pylist())), pa.string()).take(texts.indices)


def _repeats(
    segments: pa.Table, peers: Ints, codes: TextCodes, machine_made: Mask, options: Cleaning
) -> tuple[dict[Flag, Mask], Ints]:
    """Flags for what the peers say again, and for every row the row that is kept for it."""
    rows = np.arange(segments.num_rows)
    page_pair = combine(peers, codes_of(segments["src_url"]), codes_of(segments["tgt_url"]))
    text_pair = combine(peers, *codes.same)
    best = best_rows(segments, text_pair, machine_made)
    nearly_best = best_rows(segments, combine(peers, *codes.near), machine_made)
    boilerplate = is_boilerplate(
        text_pair, page_pair, peers, least=options.boilerplate_pages, share=options.boilerplate_share
    )
    found = {
        Flag.BOILERPLATE: boilerplate & (best != rows),
        Flag.DUPLICATE: best != rows,
        Flag.NEAR_DUPLICATE: (best == rows) & (nearly_best != rows),
    }
    return found, nearly_best


def _text_pairs(segments: pa.Table) -> tuple[pa.Table, Ints]:
    """The distinct pairs of texts, and the row among them of every segment."""
    sides = codes_of(segments["src"]), codes_of(segments["tgt"])
    _, first, of_row = np.unique(sides[0] * (sides[1].max() + 1) + sides[1], return_index=True, return_inverse=True)
    return segments.select(["src", "tgt"]).take(pa.array(first)), of_row


def _of_texts(segments: pa.Table, options: Cleaning) -> dict[Flag, Mask]:
    """Flags that a row earns by its own two texts."""
    sides = [segments["src"], segments["tgt"]]
    found = {
        Flag.NO_LETTERS: ~(_matches(sides[0], LETTER) & _matches(sides[1], LETTER)),
        # The pattern is \p{N} and not \p{Nd}, because NFKC turns superscripts and fractions into digits.
        Flag.NUMBERS: _rows_where(segments, NUMBER, lambda src, tgt: not numbers_agree(src, tgt)),
        Flag.MOJIBAKE: _rows_where(segments, MAYBE_DAMAGED, lambda src, tgt: is_damaged(src) or is_damaged(tgt)),
        Flag.TOO_SHORT: is_too_short(segments),
    }
    if options.personal_data != "off":
        pattern = r"@|\d.*\d.*\d.*\d.*\d|<(email|iban|card|phone)>"
        found[Flag.PERSONAL_DATA] = _rows_where(
            segments, pattern, lambda src, tgt: has_personal_data(src) or has_personal_data(tgt)
        )
    if options.offensive:
        words = "|".join(sorted(map(re.escape, options.offensive)))
        listed = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
        found[Flag.OFFENSIVE] = _rows_where(
            segments, LETTER, lambda src, tgt: bool(listed.search(src.casefold()) or listed.search(tgt.casefold()))
        )
    return found


def _differing_names(segments: pa.Table, peers: Ints, usable: Mask) -> Mask:
    found = np.zeros(segments.num_rows, bool)
    for rows in rows_by(peers):
        asked = rows[usable[rows]]
        found[asked] = differing_names(*_texts(segments, asked))
    return found


def _texts(segments: pa.Table, rows: Ints) -> tuple[list[str], list[str]]:
    taken = segments.select(["src", "tgt"]).take(pa.array(rows))
    return taken["src"].to_pylist(), taken["tgt"].to_pylist()


def _rows_where(segments: pa.Table, pattern: str, is_so: Callable[[str, str], bool]) -> Mask:
    """Rows of which ``is_so`` holds, asked only where a side matches ``pattern``."""
    found = _matches(segments["src"], pattern) | _matches(segments["tgt"], pattern)
    rows = np.flatnonzero(found)
    found[rows] = [is_so(src, tgt) for src, tgt in zip(*_texts(segments, rows), strict=True)]
    return found


def _matches(column: pa.ChunkedArray, pattern: str) -> Mask:
    return np.asarray(pc.match_substring_regex(column, pattern).to_numpy(), dtype=bool)


def _is_empty(column: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.equal(pc.utf8_trim_whitespace(column), "").to_numpy(), dtype=bool)


def _is_machine_made(segments: pa.Table, pages: PageFacts) -> Mask:
    known = pa.array(sorted(pages.machine_translated), pa.string())
    found = (pc.is_in(segments[name], known).to_numpy() for name in ("src_url", "tgt_url"))
    return np.asarray(np.logical_or(*found), dtype=bool)


def _flagged_table(segments: pa.Table, found: dict[Flag, Mask], standing_for: Ints, pages: PageFacts) -> pa.Table:
    columns = {name: segments[name] for name in segments.column_names}
    columns["flags"] = _with_flags(segments["flags"], found)
    columns["other_src_urls"], columns["other_tgt_urls"] = other_addresses(segments, standing_for)
    for side in ("src", "tgt"):
        columns[f"{side}_variant"] = _variants(segments, side, pages)
    return pa.table([columns[name] for name in FLAGGED_SCHEMA.names], schema=FLAGGED_SCHEMA)


def _variants(segments: pa.Table, side: str, pages: PageFacts) -> pa.Array:
    """Variant of each text; where it is told from the page alone, each distinct page is looked at once."""
    lang, url = (segments[f"{side}_{name}"].combine_chunks().dictionary_encode() for name in ("lang", "url"))
    langs, urls = lang.dictionary.to_pylist(), url.dictionary.to_pylist()
    codes, rows = np.unique(lang.indices.to_numpy() * np.int64(len(urls)) + url.indices.to_numpy(), return_inverse=True)
    found = [
        variant_of("", langs[code // len(urls)], _declared(urls[code % len(urls)], pages)) for code in codes.tolist()
    ]
    variants = pa.array(found, pa.string()).take(pa.array(rows))
    read = np.isin(lang.indices.to_numpy(), np.flatnonzero(list(map(is_read_from_text, langs))))
    if not read.any():
        return variants
    some = segments.filter(pa.array(read))
    lists = (some[name].to_pylist() for name in (side, f"{side}_lang", f"{side}_url"))
    told = [variant_of(text, lang, _declared(url, pages)) for text, lang, url in zip(*lists, strict=True)]
    return pc.replace_with_mask(variants, pa.array(read), pa.array(told, pa.string()))


def _declared(url: str, pages: PageFacts) -> str:
    return pages.declared_lang.get(url, "")


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
