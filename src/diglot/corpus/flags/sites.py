"""Sites of segments: everything is counted and learnt within a site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from diglot import sparse
from diglot.arrays import Ints
from diglot.site import registered_domain


@dataclass(frozen=True, slots=True)
class SegmentSites:
    """Sites of segments by number: registered domains that a pair of pages joins are one site."""

    of_row: Ints
    """Shape (segments,)."""
    of_domain: Mapping[str, int] = field(default_factory=dict)
    elsewhere: int = -1
    """The site of a domain without segments; -1 for none."""

    def of_urls(self, urls: pa.ChunkedArray) -> Ints:
        """Sites of other pages, shape (pages,); -1 for those of no site of the segments."""
        distinct = urls.combine_chunks().dictionary_encode()
        sites = [self.of_domain.get(registered_domain(url), self.elsewhere) for url in distinct.dictionary.to_pylist()]
        return np.asarray(np.array(sites, np.int64)[distinct.indices.to_numpy()])


def segment_sites(segments: pa.Table, *, one_site: bool = False) -> SegmentSites:
    """The sites of segments; ``one_site`` treats all as one."""
    if one_site:
        return SegmentSites(np.zeros(segments.num_rows, np.int64), elsewhere=0)
    both = pa.chunked_array([*segments["src_url"].chunks, *segments["tgt_url"].chunks]).combine_chunks()
    urls = both.dictionary_encode()
    domains = pa.array(map(registered_domain, urls.dictionary.to_pylist()), pa.string()).dictionary_encode()
    src, tgt = domains.indices.to_numpy()[urls.indices.to_numpy()].reshape(2, -1)
    names = domains.dictionary.to_pylist()
    if np.array_equal(src, tgt):
        return SegmentSites(src.astype(np.int64), {name: number for number, name in enumerate(names)})
    from scipy.sparse.csgraph import connected_components

    # Two domains with a pair of pages between them are one site.
    joined = sparse.coo_array((np.ones(len(src), np.int8), (src, tgt)), shape=(len(names),) * 2)
    site = connected_components(joined, directed=False)[1].astype(np.int64)
    return SegmentSites(site[src], dict(zip(names, site.tolist(), strict=True)))
