"""Pages that the language version of their partner shows untranslated: the site has no translation of them there."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Mask, Pairs
from diglot.documents.language import language_of
from diglot.site import Site


def shown_untranslated(site: Site, pairs: Pairs) -> Mask:
    """Mask of pairs of a page with a language whose version of the site shows this page untranslated, (n,).

    A site has one version of a page in each language. Only an address or a link can tell that there is another: the
    versions in two scripts or countries of a language count as one.
    """
    langs = np.array(list(map(language_of, site.strings("lang"))), object)
    shown = [text.split() for text in site.strings("untranslated_in")]
    return np.array([langs[j] in shown[i] or langs[i] in shown[j] for i, j in pairs.tolist()], bool)
