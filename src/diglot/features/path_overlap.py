"""How many directories two addresses share (PWCC, section 3, assumption 1)."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

import numpy as np
from rapidfuzz.distance import LCSseq

from diglot.site import Column, Pairs, Site


@lru_cache(maxsize=200_000)
def path_directories(url: str) -> tuple[str, ...]:
    """Names of the directories of an address, without host and file name."""
    return tuple(filter(None, urlsplit(url).path.split("/")[:-1]))


def common_directories(site: Site, pairs: Pairs) -> Column:
    """Number of directories the two addresses share, in order, others between them allowed.

    Returns: float32 (n,), length of the longest common subsequence of the directory names.
    Source: PWCC, section 3, *CP*; its example gives 2 for chn/wjdt/zyjh and eng/wjdt/zyjh.
    """
    directories = [path_directories(url) for url in site.urls]
    shared = [LCSseq.similarity(directories[i], directories[j]) for i, j in pairs.tolist()]
    return np.array(shared, np.float32)
