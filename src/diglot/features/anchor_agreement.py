"""Agreement of the links to two pages by a bilingual word list (PWCC, section 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from diglot.arrays import Column, Pairs
from diglot.lexicons import Lexicon, PhrasePair
from diglot.site import Site
from diglot.words import words_of

Phrase = tuple[str, ...]
_UNKNOWN, _DIFFERENT, _AGREE = np.nan, 0.0, 1.0


def anchor_agreement(site: Site, pairs: Pairs, *, word_list: Lexicon) -> Column:
    """1 for agreeing texts of the links to both pages, 0 where one text holds a listed phrase and the other no
    translation; NaN where neither holds a listed phrase, or no link leads to a page.

    The anchors of all links to a page are taken together. ``word_list``: from the language of the pairs' first column
    to that of the second; not a full dictionary, because every word in it would have to be translated.
    Source: PWCC, section 3, assumption 3, *AS*.
    """
    listed = site.keep(("anchor phrases", word_list), lambda: _listed_phrases(site, word_list))
    # Few sets of phrases recur on many pages: most pairs repeat an earlier comparison.
    verdicts: dict[tuple[frozenset[Phrase] | None, frozenset[Phrase] | None], float] = {}
    tables = site.keep(("anchor list", word_list), lambda: _tables(word_list))
    column = np.empty(len(pairs), np.float32)
    for k, (i, j) in enumerate(pairs.tolist()):
        key = (listed[0].get(i), listed[1].get(j))
        if key not in verdicts:
            verdicts[key] = _agreement(*key, *tables)
        column[k] = verdicts[key]
    return column


def _agreement(
    src: frozenset[Phrase] | None,
    tgt: frozenset[Phrase] | None,
    forward: dict[Phrase, set[Phrase]],
    backward: dict[Phrase, set[Phrase]],
) -> float:
    if src is None or tgt is None or not (src or tgt):
        return _UNKNOWN
    translated = all(forward[phrase] & tgt for phrase in src) and all(backward[phrase] & src for phrase in tgt)
    return _AGREE if translated else _DIFFERENT


def _tables(word_list: Lexicon) -> tuple[dict[Phrase, set[Phrase]], dict[Phrase, set[Phrase]]]:
    """Translations of the list's phrases, in both directions."""
    forward, backward = defaultdict(set), defaultdict(set)
    for src, tgt in _phrases(word_list.entries, word_list.src_lang, word_list.tgt_lang):
        forward[src].add(tgt)
        backward[tgt].add(src)
    return forward, backward


def _phrases(entries: Iterable[PhrasePair], src_lang: str, tgt_lang: str) -> Iterable[tuple[Phrase, Phrase]]:
    for src, tgt in entries:
        phrases = tuple(words_of(src, src_lang)), tuple(words_of(tgt, tgt_lang))
        if all(phrases):
            yield phrases


def _listed_phrases(
    site: Site, word_list: Lexicon
) -> tuple[dict[int, frozenset[Phrase]], dict[int, frozenset[Phrase]]]:
    """Listed phrases in the anchors of the links to each page, as source and as target page."""
    row_of = {url: row for row, url in enumerate(site.urls)}
    anchors: dict[int, set[str]] = defaultdict(set)
    for links, texts in zip(site.ragged_strings("link_urls"), site.ragged_strings("link_anchors"), strict=True):
        for link, text in zip(links, texts, strict=True):
            if text and link in row_of:
                anchors[row_of[link]].add(text)
    forward, backward = site.keep(("anchor list", word_list), lambda: _tables(word_list))
    return (
        {row: _find_phrases(texts, word_list.src_lang, forward) for row, texts in anchors.items()},
        {row: _find_phrases(texts, word_list.tgt_lang, backward) for row, texts in anchors.items()},
    )


def _find_phrases(texts: Iterable[str], lang: str, listed: dict[Phrase, set[Phrase]]) -> frozenset[Phrase]:
    """Listed phrases in any of the texts, word by word."""
    longest = max(map(len, listed), default=0)
    found = set()
    for text in texts:
        words = words_of(text, lang)
        for start in range(len(words)):
            for end in range(start + 1, min(start + longest, len(words)) + 1):
                phrase = tuple(words[start:end])
                if phrase in listed:
                    found.add(phrase)
    return frozenset(found)
