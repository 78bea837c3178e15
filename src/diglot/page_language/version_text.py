"""Whether a page holds text in the language of its language version, among text left in another language."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints, distinct
from diglot.documents.language import MIN_LETTERS, SAMPLE_CHARS, is_indistinguishable, probabilities
from diglot.documents.language_tags import language_of
from diglot.page_language.own_text import OwnText, weight, weights
from diglot.site import REPEATED_MIN_PAGES, REPEATED_SHARE, Site

HELD_SHARE = 0.05
"""Least share of a page's text in the language of its version; the letters of a text are divided by the number of
pages that hold it. A page left untranslated has only its title and frame in that language, which do not count; a page
of a language course, or a list with most entries left in the original, has a few sentences."""


class VersionText:
    """The texts of a site, and the language versions whose pages hold each text.

    ``versions``: the language version of every page, "" where unknown.
    """

    def __init__(self, site: Site, own: OwnText, versions: Sequence[str]) -> None:
        codes, self._version = np.unique(np.array(versions, dtype=object), return_inverse=True)
        self._own, self._codes = own, max(len(codes), 1)
        texts, pages = len(own.dictionary), max(len(site), 1)
        text, page = np.divmod(distinct(own.number.astype(np.int64) * pages + own.page), pages)
        keys, pages_in = np.unique(text * self._codes + self._version[page], return_counts=True)
        in_versions = np.bincount(keys // self._codes, minlength=texts)
        # Untranslated text stands in more versions than translated text. Pools: 1 version, 2, up to 4, up to 8 ...
        self._pool = np.ceil(np.log2(np.maximum(in_versions, 1))).astype(np.int64)
        self._pages = np.bincount(text, minlength=texts)
        self._worth = weights(own.dictionary) / np.maximum(self._pages, 1)
        most = np.maximum(REPEATED_MIN_PAGES, REPEATED_SHARE * np.bincount(self._version, minlength=self._codes))
        self._frames = keys[pages_in > most[keys % self._codes]]
        titles = pc.index_in(site.documents["title"].combine_chunks(), own.dictionary)
        self._titles: Ints = titles.fill_null(-1).to_numpy()

    def sample(self, page: int, version: str, tag: str) -> str:
        """Text of a page in the language of its version, "" for less than 5% of the page.

        ``version``: primary subtag; ``tag``: the language found for the page, a BCP 47 tag. Texts that stand in about
        as many versions are one pool; a pool is in the likelier of the two languages.
        """
        texts = self._telling(page)
        least = HELD_SHARE * self._worth[texts].sum()
        for pool in np.unique(self._pool[texts]).tolist():
            mine = texts[self._pool[texts] == pool]
            if self._worth[mine].sum() >= least:
                text = " ".join(self._own.dictionary.take(pa.array(mine)).to_pylist())[:SAMPLE_CHARS]
                if _is_in(text, version, tag):
                    return text
        return ""

    def _telling(self, page: int) -> Ints:
        """Distinct texts of a page, rarest first, without the title and the frame of the language version."""
        here = self._own.number[self._own.offsets[page] : self._own.offsets[page + 1]]
        texts = np.array(list(dict.fromkeys(here.tolist())), np.int64)
        # The name of the site stands in every title, in whatever language.
        texts = texts[texts != self._titles[page]]
        texts = texts[~np.isin(texts * self._codes + self._version[page], self._frames)]
        rarest_first: Ints = texts[np.argsort(self._pages[texts], kind="stable")]
        return rarest_first


def _is_in(text: str, version: str, tag: str) -> bool:
    """Whether a text is likelier in the language of the version than in the language found for the page."""
    if weight(text) < MIN_LETTERS:
        return False
    chances = probabilities(text)
    likeliest = max(chances, key=lambda lang: (chances[lang], lang))
    if is_indistinguishable(version, likeliest, text):
        return True
    chances = probabilities(text, {version, language_of(tag)})
    return chances.get(version, 0.0) > chances.get(language_of(tag), 0.0)
