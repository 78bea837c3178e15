"""The greedy choice of pairs, each page once."""

from __future__ import annotations

import cython
import numpy as np
from cython.cimports.diglot.arrays import Int32Rows, Ints, MaskOut


def greedy_choice(pairs: Int32Rows, order: Ints, pages: cython.Py_ssize_t) -> np.ndarray:
    """Mask of the pairs accepted in this order, each unless a page is taken; ``pages``: above any row number."""
    all_accepted = np.zeros(pairs.shape[0], np.bool_)
    accepted: MaskOut = all_accepted
    taken: MaskOut = np.zeros(pages, np.bool_)
    with cython.nogil:
        for place in range(order.shape[0]):
            k = order[place]
            i, j = pairs[k, 0], pairs[k, 1]
            if not taken[i] and not taken[j]:
                taken[i], taken[j], accepted[k] = True, True, True
    return all_accepted
