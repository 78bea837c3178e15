"""Blocking rules: the pairs of pages to compare.

A rule is called with a site and the rows of the two languages and yields candidate pairs, int32 of shape (n, 2), in
batches of bounded size. A rule of several joins may yield a pair more than once (:func:`unique_pairs`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, Mask, Pairs, Rows
from diglot.documents.language_tags import language_of
from diglot.features.images import critical_images
from diglot.features.language_markers import pattern_keys, plain_key, shortened_keys, stripped_url
from diglot.features.links import language_links, page_links
from diglot.features.url_difference import UrlParts, url_parts
from diglot.site import Site

BATCH_PAIRS = 1_000_000
Blocking = Callable[[Site, Rows, Rows], Iterator[Pairs]]

_T = TypeVar("_T")
_NO_PAIRS = np.zeros((0, 2), np.int32)


def similar_length(site: Site, src: Rows, tgt: Rows, *, max_difference: float) -> Iterator[Pairs]:
    """Pairs whose text lengths differ by at most ``max_difference`` of the longer (fraction), by sorting."""
    yield from _within(site.numbers("text_length_chars").astype(np.float64), src, tgt, max_difference)


def similar_count(
    site: Site, src: Rows, tgt: Rows, *, count: Callable[[Site], npt.NDArray[np.int64]], max_difference: float
) -> Iterator[Pairs]:
    """Pairs whose counts differ by at most ``max_difference`` of the larger (fraction); no pages with a count of 0."""
    counts = count(site).astype(np.float64)
    yield from _within(counts, src[counts[src] > 0], tgt[counts[tgt] > 0], max_difference)


def _within(length: npt.NDArray[np.float64], src: Rows, tgt: Rows, max_difference: float) -> Iterator[Pairs]:
    """Pairs whose lengths differ by at most ``max_difference`` of the longer (fraction)."""
    tgt = tgt[np.argsort(length[tgt], kind="stable")]
    # A limit of 100% would divide by 0.
    keep = max(1.0 - max_difference, 1e-9)
    # Slack for rounding: a pair exactly at the limit is a candidate.
    first = np.searchsorted(length[tgt], length[src] * keep - 1e-6, side="left")
    last = np.searchsorted(length[tgt], length[src] / keep + 1e-6, side="right")
    for rows in _batches(last - first):
        counts = last[rows] - first[rows]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        yield np.stack([np.repeat(src[rows], counts), tgt[np.repeat(first[rows], counts) + within]], axis=1).astype(
            np.int32
        )


def language_linked_pages(site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
    """Pairs linked as language versions, by hreflang or a language's name, in either direction."""
    ends = language_links(site)[:, :2]
    ends = np.concatenate([ends, ends[:, ::-1]])
    wanted = np.isin(ends[:, 0], src) & np.isin(ends[:, 1], tgt)
    yield np.unique(ends[wanted], axis=0).astype(np.int32)


def shared_images(site: Site, src: Rows, tgt: Rows, *, langs: tuple[str, ...]) -> Iterator[Pairs]:
    """Pairs that share a critical image (:func:`diglot.features.images.critical_images`), by sparse product."""
    shown = critical_images(site, langs)
    on_tgt = shown[tgt]
    # A page's row of the product has no more cells than target pages show its images, each image counted by itself.
    for rows in _batches((shown[src] @ on_tgt.column_sums()).astype(np.int64)):
        met = shown[src[rows]] @ on_tgt.T
        yield np.stack([src[rows][met.row_numbers()], tgt[met.columns]], axis=1).astype(np.int32)


def matching_patterns(
    site: Site, src: Rows, tgt: Rows, *, langs: tuple[str, str], separators: str, unmarked: bool
) -> Iterator[Pairs]:
    """Pairs whose addresses match a URL pattern (:mod:`diglot.features.language_markers`).

    ``unmarked``: also pairs with a marker in one address alone.
    """
    urls = site.urls
    src_keys = partial(pattern_keys, lang=langs[0], separators=separators)
    tgt_keys = partial(pattern_keys, lang=langs[1], separators=separators)
    yield from _join(urls, src, tgt, src_keys, tgt_keys)
    if unmarked:
        short_src = partial(shortened_keys, lang=langs[0], separators=separators)
        short_tgt = partial(shortened_keys, lang=langs[1], separators=separators)
        yield from _join(urls, src, tgt, short_src, lambda url: [plain_key(url)])
        yield from _join(urls, src, tgt, lambda url: [plain_key(url)], short_tgt)


def one_url_difference(site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
    """Pairs whose addresses differ in at most one part, by joins on addresses without a part.

    Exact. The cost is linear in the number of addresses times their parts, but quadratic in the files of a directory,
    since any two differ in the file name alone. Source: Bitextor 2010, section 4.1.
    """
    parts = [url_parts(url) for url in site.urls]
    for replaced in (_without_filename, _without_directory, _without_variable):
        yield from _join(parts, src, tgt, replaced, replaced)
    # If one address has a part more, it equals the other address without that part.
    for shorter in (_less_directory, _less_variable):
        yield from _join(parts, src, tgt, shorter, _whole)
        yield from _join(parts, src, tgt, _whole, shorter)


def _whole(parts: UrlParts) -> list[Hashable]:
    return [parts]


def _without_filename(parts: UrlParts) -> list[Hashable]:
    return [(parts.directories, parts.variables)]


def _without_directory(parts: UrlParts) -> list[Hashable]:
    directories, filename, variables = parts
    # With the position, so that the addresses differ in a directory at the same place.
    return [(i, directories[:i] + directories[i + 1 :], filename, variables) for i in range(len(directories))]


def _without_variable(parts: UrlParts) -> list[Hashable]:
    # With the number of variables, so that only addresses with as many variables meet here.
    return [*{(len(parts.variables), reduced) for reduced in _less_variable(parts)}]


def _less_directory(parts: UrlParts) -> list[Hashable]:
    directories, filename, variables = parts
    return [*{UrlParts(directories[:i] + directories[i + 1 :], filename, variables) for i in range(len(directories))}]


def _less_variable(parts: UrlParts) -> list[Hashable]:
    directories, filename, variables = parts
    return [*{UrlParts(directories, filename, variables[:i] + variables[i + 1 :]) for i in range(len(variables))}]


def _join(
    parts: Sequence[_T],
    src: Rows,
    tgt: Rows,
    src_keys: Callable[[_T], Sequence[Hashable]],
    tgt_keys: Callable[[_T], Sequence[Hashable]],
) -> Iterator[Pairs]:
    """Pairs with a key in common, in batches; ``parts``: what the keys are made of, by row."""
    by_key: dict[Hashable, list[int]] = defaultdict(list)
    for row in tgt.tolist():
        for key in tgt_keys(parts[row]):
            by_key[key].append(row)
    found: list[Pairs] = []
    size = 0
    for row in src.tolist():
        partners = sorted({partner for key in src_keys(parts[row]) for partner in by_key.get(key, ())})
        if partners:
            found.append(np.stack([np.full(len(partners), row), np.array(partners)], axis=1).astype(np.int32))
            size += len(partners)
        if size > BATCH_PAIRS:
            yield np.concatenate(found)
            found, size = [], 0
    if found:
        yield np.concatenate(found)


def same_stripped_url(
    site: Site, src: Rows, tgt: Rows, *, src_langs: frozenset[str], tgt_langs: frozenset[str], query_keys: bool
) -> Iterator[Pairs]:
    """Pairs whose addresses are equal after language markers are taken out of the source, the target, or both.

    Source: baseline of the WMT16 bilingual document alignment task.
    """

    def plain(row: int) -> str:
        return stripped_url(site.urls[row], frozenset())

    stripped = {row: stripped_url(site.urls[row], src_langs, query_keys=query_keys) for row in src.tolist()}
    stripped |= {row: stripped_url(site.urls[row], tgt_langs, query_keys=query_keys) for row in tgt.tolist()}
    for src_key, tgt_key in ((stripped.get, plain), (plain, stripped.get), (stripped.get, stripped.get)):
        by_key: dict[Hashable, list[int]] = defaultdict(list)
        for row in tgt.tolist():
            by_key[tgt_key(row)].append(row)
        pairs = [(i, j) for i in src.tolist() for j in by_key.get(src_key(i), ())]
        if pairs:
            yield np.array(pairs, np.int32)


def url_attempts(src_lang: str, tgt_lang: str) -> tuple[Blocking, Blocking, Blocking]:
    """:func:`same_stripped_url` with the markers of a page's own language; of both languages; and with query keys."""
    src, tgt, either = frozenset({src_lang}), frozenset({tgt_lang}), frozenset({src_lang, tgt_lang})
    return (
        partial(same_stripped_url, src_langs=src, tgt_langs=tgt, query_keys=False),
        partial(same_stripped_url, src_langs=either, tgt_langs=either, query_keys=False),
        partial(same_stripped_url, src_langs=either, tgt_langs=either, query_keys=True),
    )


def unique_pairs(batches: Iterable[Pairs], site: Site) -> Iterator[Pairs]:
    """The batches without the pairs of earlier batches."""
    seen = np.zeros(0, np.int64)
    for batch in batches:
        keys, first = np.unique(site.pair_keys(batch), return_index=True)
        new = ~np.isin(keys, seen, assume_unique=True)
        seen = np.concatenate([seen, keys[new]])
        if new.any():
            # In the order of the batch: gates and figures must not depend on the order of keys.
            yield batch[np.sort(first[new])]


def collect(batches: Iterable[Pairs]) -> Pairs:
    """All batches as one array."""
    found = list(batches)
    return np.concatenate(found) if found else _NO_PAIRS


def _batches(counts: Ints | Rows) -> Iterator[Rows]:
    """Places of ``counts``, in parts of about :data:`BATCH_PAIRS` by the sum of the counts."""
    total = np.cumsum(counts)
    cuts = np.searchsorted(total, np.arange(BATCH_PAIRS, int(total[-1]) if len(total) else 0, BATCH_PAIRS))
    yield from (part for part in np.split(np.arange(len(counts), dtype=np.int32), np.unique(cuts)) if len(part))


def linked_by_hreflang(site: Site, src: Rows, tgt: Rows) -> Iterator[Pairs]:
    """Pairs joined by a link whose ``hreflang`` states the language of the linked page.

    Regions are not compared (``pt-BR`` is ``pt``), nor are protocols of addresses. A link to a page left untranslated
    makes no pair: it states another language than that of the page.
    """
    if not len(src) or not len(tgt):
        return
    stated = pc.dictionary_encode(page_links(site)["hreflang"].combine_chunks())
    langs = np.array([language_of(tag) if tag else "" for tag in stated.dictionary.to_pylist()] or [""], dtype=object)
    named = langs[stated.indices.to_numpy()]
    to_tgt, to_src = (named == language_of(site.strings("lang")[rows[0]]) for rows in (tgt, src))
    yield from _link_pairs(site, src, tgt, to_tgt, to_src)


def linked_by_anchor(
    site: Site, src: Rows, tgt: Rows, *, src_names: frozenset[str], tgt_names: frozenset[str]
) -> Iterator[Pairs]:
    """Pairs joined by a link whose whole anchor text is a name of the linked page's language.

    ``src_names``, ``tgt_names``: names in lower case.
    """
    anchors = pc.utf8_lower(pc.utf8_trim_whitespace(page_links(site)["anchor"].combine_chunks()))
    sets = (pa.array(sorted(names), pa.string()) for names in (tgt_names, src_names))
    to_tgt, to_src = (pc.is_in(anchors, value_set=names).to_numpy(zero_copy_only=False) for names in sets)
    yield from _link_pairs(site, src, tgt, to_tgt, to_src)


def _link_pairs(site: Site, src: Rows, tgt: Rows, to_tgt: Mask, to_src: Mask) -> Iterator[Pairs]:
    """Pairs joined by chosen links. Masks over all links of the site: ``to_tgt`` to target pages, ``to_src`` back."""
    size = np.int64(max(len(site), 1))
    forward, backward = _keys(site, src, tgt, to_tgt), _keys(site, tgt, src, to_src)
    backward = backward % size * size + backward // size
    keys = np.union1d(forward, backward)
    pairs = np.stack([keys // size, keys % size], axis=1).astype(np.int32)
    yield from (pairs[start : start + BATCH_PAIRS] for start in range(0, len(pairs), BATCH_PAIRS))


def _keys(site: Site, pages: Rows, partners: Rows, chosen: Mask) -> npt.NDArray[np.int64]:
    """``page * len(site) + partner`` for every chosen link from a page to a partner."""
    links = page_links(site)
    page, partner = (links[end].to_numpy()[chosen] for end in ("from", "to"))
    wanted = np.isin(page, pages) & np.isin(partner, partners)
    keys: npt.NDArray[np.int64] = np.unique(page[wanted] * len(site) + partner[wanted])
    return keys
