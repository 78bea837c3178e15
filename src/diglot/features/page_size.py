"""How many bytes two pages differ in size (PWCC, section 3, assumption 2)."""

from __future__ import annotations

import numpy as np

from diglot.site import Column, Pairs, Site


def size_difference_bytes(site: Site, pairs: Pairs) -> Column:
    """Difference of the sizes of the HTML, in bytes, without images and other files.

    Returns: float32 (n,), at least 0. Source: PWCC, section 3 and appendix A, *LD*.
    """
    sizes = site.numbers("size_bytes")[pairs]
    return np.abs(sizes[:, 0] - sizes[:, 1]).astype(np.float32)
