"""Images in common of two pages, by file name, without the site's logos and icons.

Source: ILSP/ARC at WMT 2016, section 2.3; bandwidth after Bowman & Azzalini 1997, section 2.4.2.
"""

from __future__ import annotations

import mimetypes
from urllib.parse import unquote, urlsplit

import numpy as np
import numpy.typing as npt

from diglot.arrays import Column, Pairs
from diglot.features.sparse_rows import products
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_ones

COMMON_SHARE = 0.10
"""An image on more than this share of the pages is common (ILSP, section 2.3)."""
COMMON_MIN_PAGES = 5
"""Least value of that limit, in pages: on a small site 10% is next to nothing (ILSP-FC)."""
_NORMAL_MAD = 0.6745
"""Median absolute deviation of the standard normal distribution."""
_CELLS_AT_ONCE = 1_000_000
"""Most cells of the matrix of positions by values that are held."""

Frequencies = npt.NDArray[np.int64]


def image_name(url: str) -> str:
    """File name of an image; with its query where the name is a program's (``show.php?id=4``)."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    name = unquote(parts.path.rpartition("/")[2])
    kind = mimetypes.guess_type(name)[0] or ""
    return f"{name}?{parts.query}" if parts.query and not kind.startswith("image/") else name


def bandwidth(values: Frequencies) -> float:
    """Normal-reference bandwidth ``s * (4 / (3 M)) ** (1/5)`` with a robust ``s``.

    ``s`` is the median absolute deviation divided by .6745; the range if the deviation is 0; 1 if both are 0.

    >>> round(bandwidth(np.array([1, 3, 2, 5])), 4)
    1.1901
    """
    deviation = float(np.median(np.abs(values - np.median(values))))
    spread = deviation / _NORMAL_MAD or float(np.ptp(values)) or 1.0
    return float(spread * (4 / (3 * len(values))) ** 0.2)


def density(values: Frequencies, positions: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Kernel estimate of the density of ``values`` at ``positions``, normal kernel, :func:`bandwidth`."""
    h = bandwidth(values)
    seen, weights = np.unique(values, return_counts=True)
    estimate = np.zeros(len(positions))
    step = max(1, _CELLS_AT_ONCE // len(seen))
    for start in range(0, len(positions), step):
        z = (positions[start : start + step, None] - seen) / h
        estimate[start : start + step] = np.exp(-0.5 * z**2) @ weights
    return np.asarray(estimate / (len(values) * h * np.sqrt(2 * np.pi)))


def lobe_end(values: Frequencies, highest: int) -> int | None:
    """End of the main lobe of the density of image frequencies: its first minimum behind the peak; None without one.

    The density is evaluated at the whole numbers 1 to ``highest``: an image is on a whole number of pages.
    """
    if not len(values) or highest < 3:
        return None
    estimate = density(values, np.arange(1, highest + 1, dtype=np.float64))
    peak = int(estimate.argmax())
    rising = np.flatnonzero(np.diff(estimate[peak:]) >= 0)
    return peak + int(rising[0]) + 1 if len(rising) else None


def most_pages(frequencies: Frequencies, page_count: int) -> int:
    """Most pages that a critical image may be on: the smaller limit of share and density."""
    limit = max(COMMON_MIN_PAGES, int(COMMON_SHARE * page_count))
    end = lobe_end(frequencies, limit)
    return limit if end is None else min(end, limit)


def critical_images(site: Site, langs: tuple[str, ...]) -> SparseMatrix:
    """Critical images of each page, on too few pages to be logos or icons: 0/1 of shape (pages of the site, images).

    Frequencies are counted over the pages in ``langs`` alone: on a site in twenty languages the image of a translated
    page is on twenty pages.
    """
    return site.keep(("critical_images", langs), lambda: _critical(site, langs))


def _critical(site: Site, langs: tuple[str, ...]) -> SparseMatrix:
    shown = site.keep("images shown", lambda: _shown_images(site))
    rows = np.unique(np.concatenate([site.rows_of(lang) for lang in langs]))
    frequencies = shown[rows].column_sizes()
    seen = frequencies[frequencies > 0]
    critical = (frequencies > 0) & (frequencies <= most_pages(seen, len(rows)))
    return shown.keep_columns(critical)


def _shown_images(site: Site) -> SparseMatrix:
    names: dict[str, int] = {}
    # A set, because an image counts once on a page.
    cells = {
        (row, names.setdefault(name, len(names)))
        for row, urls in enumerate(site.ragged_strings("images"))
        for name in map(image_name, urls)
        if name
    }
    rows, columns = np.array(sorted(cells), np.int64).reshape(-1, 2).T
    return matrix_of_ones(rows, columns, (len(site), len(names)))


def image_overlap(site: Site, pairs: Pairs, *, langs: tuple[str, ...]) -> Column:
    """Jaccard coefficient of the critical images of two pages, in [0, 1]; NaN where neither has one."""
    shown = critical_images(site, langs)
    both = products(shown, shown, pairs)
    either = shown.row_sizes()[pairs].sum(axis=1) - both
    return np.divide(both, either, out=np.full(len(pairs), np.nan), where=either > 0).astype(np.float32)
