"""Pages that the language version of their partner shows untranslated: the site has no translation of them there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from diglot.arrays import Mask, Pairs
from diglot.documents.language import language_of
from diglot.site import Site


class _Version(NamedTuple):
    """A language version of a site: pages in the language, and pages shown there untranslated; masks of shape
    (pages,)."""

    in_language: Mask
    shown_untranslated: Mask


def shown_untranslated(site: Site, pairs: Pairs) -> Mask:
    """Mask of pairs of a page with a language whose version of the site shows this page untranslated, (n,).

    A site has one version of a page in each language. Only an address or a link can tell that there is another: the
    versions in two scripts or countries of a language count as one.
    """
    found = np.zeros(len(pairs), bool)
    for version in site.keep("shown untranslated", lambda: _versions(site)):
        for page, other in (pairs.T, pairs.T[::-1]):
            found |= version.shown_untranslated[page] & version.in_language[other]
    return found


def _versions(site: Site) -> list[_Version]:
    """A row for every language whose version shows a page untranslated."""
    shown = [frozenset((text or "").split()) for text in site.strings("untranslated_in")]
    wanted = sorted(frozenset().union(*shown))
    langs = [language_of(lang) for lang in site.strings("lang")] if wanted else []
    masks = (([each == lang for each in langs], [lang in each for each in shown]) for lang in wanted)
    return [_Version(np.array(of_lang, bool), np.array(untranslated, bool)) for of_lang, untranslated in masks]
