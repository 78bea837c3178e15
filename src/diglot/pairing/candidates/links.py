"""Blocking by links: pages linked as language versions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Mask, Pairs, Rows
from diglot.documents.language import language_of
from diglot.features.links import page_links
from diglot.pairing.candidates.rules import BATCH_PAIRS
from diglot.site import Site


def linked_by_hreflang(site: Site, src: Rows, tgt: Rows, *, reciprocal: bool = False) -> Iterator[Pairs]:
    """Pairs joined by a link whose ``hreflang`` states the language of the linked page.

    ``reciprocal``: both pages must name each other. Regions are not compared (``pt-BR`` is ``pt``), nor are protocols
    of addresses. A link to a page left untranslated states another language.
    """
    if not len(src) or not len(tgt):
        return
    stated = pc.dictionary_encode(page_links(site)["hreflang"].combine_chunks())
    langs = np.array([language_of(tag) if tag else "" for tag in stated.dictionary.to_pylist()] or [""], dtype=object)
    named = langs[stated.indices.to_numpy()]
    to_tgt, to_src = (named == language_of(site.strings("lang")[rows[0]]) for rows in (tgt, src))
    yield from _link_pairs(site, src, tgt, to_tgt, to_src, reciprocal)


def linked_by_anchor(
    site: Site,
    src: Rows,
    tgt: Rows,
    *,
    src_names: frozenset[str],
    tgt_names: frozenset[str],
    reciprocal: bool = False,
) -> Iterator[Pairs]:
    """Pairs joined by a link whose whole anchor text is a name of the linked page's language.

    ``src_names``, ``tgt_names``: names in lower case. ``reciprocal``: both pages must name each other.
    """
    anchors = pc.utf8_lower(pc.utf8_trim_whitespace(page_links(site)["anchor"].combine_chunks()))
    sets = (pa.array(sorted(names), pa.string()) for names in (tgt_names, src_names))
    to_tgt, to_src = (pc.is_in(anchors, value_set=names).to_numpy(zero_copy_only=False) for names in sets)
    yield from _link_pairs(site, src, tgt, to_tgt, to_src, reciprocal)


def _link_pairs(site: Site, src: Rows, tgt: Rows, to_tgt: Mask, to_src: Mask, reciprocal: bool) -> Iterator[Pairs]:
    """Pairs joined by chosen links, masks over all links of the site: ``to_tgt`` forwards, ``to_src`` backwards."""
    size = np.int64(max(len(site), 1))
    forward, backward = _keys(site, src, tgt, to_tgt), _keys(site, tgt, src, to_src)
    backward = backward % size * size + backward // size
    keys = np.intersect1d(forward, backward) if reciprocal else np.union1d(forward, backward)
    pairs = np.stack([keys // size, keys % size], axis=1).astype(np.int32)
    yield from (pairs[start : start + BATCH_PAIRS] for start in range(0, len(pairs), BATCH_PAIRS))


def _keys(site: Site, pages: Rows, partners: Rows, chosen: Mask) -> npt.NDArray[np.int64]:
    """``page * len(site) + partner`` for every chosen link from a page to a partner."""
    links = page_links(site)
    page, partner = (links[end].to_numpy()[chosen] for end in ("from", "to"))
    wanted = np.isin(page, pages) & np.isin(partner, partners)
    keys: npt.NDArray[np.int64] = np.unique(page[wanted] * len(site) + partner[wanted])
    return keys
