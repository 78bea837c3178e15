"""Pages that the language version of their partner shows untranslated: the site has no translation of them there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Ints, Mask, Pairs
from diglot.documents.language_tags import language_of
from diglot.site import Site


class _Version(NamedTuple):
    """A language version of a site: pages in the language, and pages shown there untranslated; masks of shape
    (pages,)."""

    in_language: Mask
    shown_untranslated: Mask


def count_shown_untranslated(site: Site, pairs: Pairs) -> Ints:
    """Number of the two pages of each pair that the version in the language of the other shows untranslated, (n,).

    A site has one version of a page in each language, but for copies that stay when a translation comes at another
    address. The versions in two scripts or countries of a language count as one.
    """
    found = np.zeros((2, len(pairs)), bool)
    for version in site.keep("shown untranslated", lambda: _versions(site)):
        for side, (page, other) in enumerate((pairs.T, pairs.T[::-1])):
            found[side] |= version.shown_untranslated[page] & version.in_language[other]
    return found.sum(axis=0)


def _versions(site: Site) -> list[_Version]:
    """A row for every language whose version shows a page untranslated."""
    shown = [frozenset((text or "").split()) for text in site.strings("untranslated_in")]
    wanted = sorted(frozenset().union(*shown))
    langs = [language_of(lang) for lang in site.strings("lang")] if wanted else []
    masks = (([each == lang for each in langs], [lang in each for each in shown]) for lang in wanted)
    return [_Version(np.array(of_lang, bool), np.array(untranslated, bool)) for of_lang, untranslated in masks]
