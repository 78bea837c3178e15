"""Surface features of two pages, without their text (Bitextor 2009, 4; 2010, 3.1; PWCC, 3)."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from diglot.arrays import Column, Pairs
from diglot.site import Site


def size_difference(site: Site, pairs: Pairs) -> Column:
    """Difference of the HTML sizes in bytes as a share of the larger one, in [0, 1]."""
    return relative_difference(site.numbers("size_bytes"), pairs)


def size_difference_bytes(site: Site, pairs: Pairs) -> Column:
    """Difference of the sizes of the HTML, in bytes, without images and other files.

    Returns: float32 (n,), at least 0. Source: PWCC, section 3 and appendix A, *LD*.
    """
    sizes = site.numbers("size_bytes")[pairs]
    return np.abs(sizes[:, 0] - sizes[:, 1]).astype(np.float32)


def text_length_difference(site: Site, pairs: Pairs) -> Column:
    """Difference of the plain-text lengths in characters as a share of the longer one, in [0, 1]."""
    return relative_difference(site.numbers("text_length_chars"), pairs)


def depth_difference(site: Site, pairs: Pairs) -> Column:
    """Difference of the directory levels of the two addresses (Bitextor 2009, section 5.3)."""
    depth = site.depth[pairs]
    return np.abs(depth[:, 0] - depth[:, 1]).astype(np.float32)


def same_extension(site: Site, pairs: Pairs) -> Column:
    """1 for the same extension of both file names (or none), else 0."""
    extensions = site.keep("extension", lambda: np.unique([_extension(u) for u in site.urls], return_inverse=True)[1])
    return (extensions[pairs[:, 0]] == extensions[pairs[:, 1]]).astype(np.float32)


def relative_difference(values: npt.NDArray[np.generic], pairs: Pairs) -> Column:
    """``|a - b| / max(a, b)`` for non-negative values, 0 where both are 0."""
    sides = values[pairs].astype(np.float64)
    larger = sides.max(axis=1)
    difference = np.abs(sides[:, 0] - sides[:, 1])
    return np.divide(difference, larger, out=np.zeros(len(pairs)), where=larger > 0).astype(np.float32)


def _extension(url: str) -> str:
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() if "." in name else ""


@lru_cache(maxsize=200_000)
def path_directories(url: str) -> tuple[str, ...]:
    """Names of the directories of an address, without host and file name.

    >>> path_directories("http://www.fmprc.gov.cn/chn/wjdt/zyjh/t263606.htm")
    ('chn', 'wjdt', 'zyjh')
    """
    return tuple(filter(None, urlsplit(url).path.split("/")[:-1]))
