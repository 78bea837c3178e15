"""Durations in words."""

from __future__ import annotations


def duration_text(seconds: float) -> str:
    """A duration to two units: ``2 h 5 min``.

    >>> duration_text(7500.0), duration_text(42.4), duration_text(200_000)
    ('2 h 5 min', '42 s', '2 d 7 h')
    """
    for size, unit, smaller, name in ((86_400, "d", 3600, "h"), (3600, "h", 60, "min"), (60, "min", 1, "s")):
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            return f"{whole:.0f} {unit} {rest // smaller:.0f} {name}" if rest >= smaller else f"{whole:.0f} {unit}"
    return f"{seconds:.0f} s"
