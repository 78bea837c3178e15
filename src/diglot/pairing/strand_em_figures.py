"""Two figures of a fitted structural model, as SVG text (Assylbekov et al. 2015, figures 1 and 2)."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
import numpy.typing as npt

from diglot.arrays import Floats
from diglot.pairing.strand_em import Mixture, StructuralFit

WIDTH, HEIGHT, MARGIN = 640, 440, 60
LEAST_WHOLE = 100.0
"""Least end of an axis whose five ticks are whole numbers: they may be rounded there."""
BARS = 40
SHOWN_QUANTILE = 0.99
"""Quantile of the data at the end of an axis: a few enormous pages would press all others into a corner."""

_STYLE = (
    "text{font:13px sans-serif;fill:#222}.axis{stroke:#222;fill:none}.other{fill:#d95f02}.parallel{fill:#1f6fb4}"
    ".line{stroke:#222;stroke-width:1.5;fill:none}"
)


class _Scale:
    """From data to places in the figure, in pixels: x to the right, y upwards; ``x``, ``y``: limits of the axes."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.x, self.y = x, y

    def at(self, x: float, y: float) -> tuple[float, float]:
        right = (x - self.x[0]) / ((self.x[1] - self.x[0]) or 1.0)
        up = (y - self.y[0]) / ((self.y[1] - self.y[0]) or 1.0)
        return round(MARGIN + right * (WIDTH - 2 * MARGIN), 1), round(HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN), 1)

    def holds(self, x: float, y: float) -> bool:
        return self.x[0] <= x <= self.x[1] and self.y[0] <= y <= self.y[1]


def draw_token_counts(fit: StructuralFit, *, title: str) -> str:
    """Figure 1: tokens of the target page (n) against tokens of the source page (m), and the line n = k m + b."""
    m, n = fit.observations.m, fit.observations.n
    p = fit.parameters
    scale = _Scale((0.0, _shown_end(m)), (0.0, _shown_end(n)))
    points = [*_points(scale, m, n, ~fit.parallel, "other"), *_points(scale, m, n, fit.parallel, "parallel")]
    ends = [(x, p.k * x + p.b) for x in np.linspace(*scale.x, 200)]
    line = _line(scale, ends)
    legend = f"parallel: {int(fit.parallel.sum())} (blue), other: {int((~fit.parallel).sum())} (orange)"
    caption = f"{legend}; n = {p.k:.3f} m {p.b:+.1f}"
    return _figure(
        title, caption, ("tokens of the source page, m", "tokens of the target page, n"), scale, [*points, line]
    )


def draw_residuals(fit: StructuralFit, *, title: str) -> str:
    """Figure 2: density of n - k m - b for the parallel pairs, and the mixture fitted to it."""
    p, seen = fit.parameters, fit.observations.of(fit.parallel)
    residuals = seen.n - p.k * seen.m - p.b
    low, high = np.quantile(residuals, (1 - SHOWN_QUANTILE, SHOWN_QUANTILE))
    heights, edges = np.histogram(residuals, bins=BARS, range=(float(low) - 0.5, float(high) + 0.5))
    density = heights / (len(residuals) * np.diff(edges))
    grid = np.linspace(edges[0], edges[-1], 300)
    curve = np.exp(p.mixture.log_mass(grid))
    scale = _Scale((float(edges[0]), float(edges[-1])), (0.0, float(max(density.max(), curve.max())) * 1.05))
    bars = [_bar(scale, edges[i], edges[i + 1], density[i]) for i in range(BARS)]
    line = _line(scale, zip(grid.tolist(), curve.tolist(), strict=True))
    return _figure(title, _mixture_text(p.mixture), ("residual, n - k m - b", "density"), scale, [*bars, line])


def _shown_end(values: Floats) -> float:
    return max(float(np.quantile(values, SHOWN_QUANTILE)) * 1.05, 1.0)


def _points(scale: _Scale, x: Floats, y: Floats, chosen: npt.NDArray[np.bool_], style: str) -> list[str]:
    """Dots of the chosen pairs; pairs on the same tenth of a pixel share one."""
    places = {scale.at(i, j) for i, j in zip(x[chosen].tolist(), y[chosen].tolist(), strict=True) if scale.holds(i, j)}
    return [f'<circle class="{style}" cx="{i}" cy="{j}" r="2" fill-opacity="0.5"/>' for i, j in sorted(places)]


def _bar(scale: _Scale, left: float, right: float, height: float) -> str:
    (x, y), (end, base) = scale.at(left, height), scale.at(right, 0.0)
    return f'<rect class="parallel" x="{x}" y="{y}" width="{end - x:.1f}" height="{base - y:.1f}" fill-opacity="0.5"/>'


def _line(scale: _Scale, points: Iterable[tuple[float, float]]) -> str:
    shown = " ".join("{},{}".format(*scale.at(x, y)) for x, y in points if scale.holds(x, y))
    return f'<polyline class="line" points="{shown}"/>'


def _mixture_text(mixture: Mixture) -> str:
    parts = zip((mixture.share, 1 - mixture.share), mixture.means, mixture.sds, strict=True)
    return "mixture: " + " + ".join(f"{share:.2f} N({mean:.1f}, sd {sd:.1f})" for share, mean, sd in parts)


def _figure(title: str, caption: str, labels: tuple[str, str], scale: _Scale, content: list[str]) -> str:
    box = f"M{MARGIN} {MARGIN} V{HEIGHT - MARGIN} H{WIDTH - MARGIN}"
    words = [
        _text(WIDTH / 2, 24, title, "middle"),
        _text(WIDTH / 2, 44, caption, "middle"),
        _text(WIDTH / 2, HEIGHT - 14, labels[0], "middle"),
        f'<g transform="translate(16 {HEIGHT / 2}) rotate(-90)">{_text(0, 0, labels[1], "middle")}</g>',
    ]
    for x in np.linspace(*scale.x, 5):
        words.append(_text(scale.at(x, 0)[0], HEIGHT - MARGIN + 18, f"{x:.4g}", "middle"))
    for y in np.linspace(*scale.y, 5):
        tick = f"{y:.3g}" if scale.y[1] < LEAST_WHOLE else f"{y:.0f}"
        words.append(_text(MARGIN - 6, scale.at(0, y)[1] + 4, tick, "end"))
    body = "\n".join([f'<path class="axis" d="{box}"/>', *content, *words])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style>\n{body}\n</svg>\n"
    )


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'
