"""Write ``sample_pins.tsv`` anew: ``python tests/pairing/fused/write_sample_pins.py``, or ``make pins``.

Chosen of each two languages: the accepted pairs that are most, middling and least probable, and of each refusal the
most probable and the middling pair; then the first candidates that each cap on probabilities holds down, of all
languages.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from made_sample_pins import Pin, lang_pairs, pins_now, write_pins

CAPS = (0.49, 0.06, 0.05, 0.02)
A_CAP = 2
"""So many pairs of each cap."""
REFUSALS = ("probability", "competition")


def chosen() -> list[Pin]:
    """Some thirty candidates of the sample, the same ones each time."""
    found: list[Pin] = []
    capped: dict[float, list[Pin]] = {cap: [] for cap in CAPS}
    for langs in lang_pairs():
        pins = pins_now(*langs)
        accepted = [pin for pin in pins if not pin.refusal]
        found += [accepted[0], accepted[len(accepted) // 2], accepted[-1]] if accepted else []
        for refusal in REFUSALS:
            refused = [pin for pin in pins if pin.refusal == refusal]
            found += [refused[0], refused[len(refused) // 2]] if refused else []
        for cap in CAPS:
            capped[cap] += [pin for pin in pins if abs(pin.probability - cap) < 1e-6]
    found += [pin for cap in CAPS for pin in capped[cap][:A_CAP]]
    return _each_once(found)


def _each_once(pins: Iterable[Pin]) -> list[Pin]:
    return list({(pin.src, pin.tgt): pin for pin in pins}.values())


if __name__ == "__main__":
    write_pins(chosen())
