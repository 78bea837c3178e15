"""Old copies: pages left untranslated in another language version, whose originals have changed since."""

from __future__ import annotations

import numpy as np

from diglot.arrays import Floats, Mask
from diglot.documents.language_tags import language_of
from diglot.page_language.own_text import weights
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_ones

MIN_COPIED = 0.25
"""Share of an old copy's own text, in characters, on one page that stands in no other language version. With 80% it is
a duplicate, and takes part in no pair."""
MAX_PAGES_WITH_TEXT = 3
"""Text on more of these pages is a phrase of the site, and no sign of a copy."""


def old_copies(site: Site) -> Mask:
    """Mask of old copies, (pages,): pages in the language version of another language, with an original outside."""
    return site.keep("old copies", lambda: _old_copies(site))


def _old_copies(site: Site) -> Mask:
    langs = np.array(list(map(language_of, site.strings("lang"))), object)
    versions = np.array(site.strings("edition"), object)
    abroad = np.asarray((versions != "") & (versions != langs), bool)
    found = np.zeros(len(site), bool)
    if not abroad.any():
        return found
    texts, repeated = site.numbered_blocks, site.repeated_blocks
    own, row = ~repeated.values, repeated.rows_of_values()
    has = matrix_of_ones(row[own], texts.indices.to_numpy()[own], (len(site), len(texts.dictionary)))
    chars = weights(texts.dictionary).astype(np.float64)
    for lang in sorted(set(langs[abroad].tolist())):
        copies, originals = (np.flatnonzero((langs == lang) & kept) for kept in (abroad, ~abroad))
        found[copies] = _copied_share(has[copies], has[originals], chars) >= MIN_COPIED
    return found


def _copied_share(copies: SparseMatrix, originals: SparseMatrix, chars: Floats) -> Floats:
    """Largest share of a copy's text on an original, for each copy, (copies,).

    ``copies``, ``originals``: sparse matrices of ones, (pages, texts); ``chars``: characters of a text, (texts,).
    """
    rare = originals.keep_columns(originals.column_sizes() <= MAX_PAGES_WITH_TEXT)
    text = copies.scale_columns(chars)
    shared = text @ rare.T
    most = np.zeros(len(copies.starts) - 1)
    np.maximum.at(most, shared.row_numbers(), shared.values)
    return np.asarray(most / np.maximum(text.row_sums(), 1))
