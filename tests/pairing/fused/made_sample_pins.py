"""Figures of pairs of the sample as a table: what is told of each candidate, how it is written and read."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from made_sample import LANGS, judged_by_fused, paired_by_fused, sample_site

TABLE = Path(__file__).with_name("sample_pins.tsv")
HOST = "https://httpd.apache.org/docs/2.4/"
TOLD = ("src", "tgt", "refusal", "probability")


@dataclass(frozen=True)
class Pin:
    """A candidate by the ends of its addresses, with bits by column, NaN where a column says nothing.

    ``refusal``: "" for an accepted pair, "none told" for one that is not the best refused candidate of a page.
    """

    src: str
    tgt: str
    refusal: str
    probability: float
    bits: dict[str, float]


def pins_now(src_lang: str, tgt_lang: str) -> list[Pin]:
    """All candidates of two languages of the sample, most probable first."""
    site, scored, judged = sample_site(), paired_by_fused(src_lang, tgt_lang), judged_by_fused(src_lang, tgt_lang)
    refusals = dict(zip(map(tuple, scored.pairs.tolist()), scored.refused_by, strict=True))
    names = [url.removeprefix(HOST) for url in site.urls]
    pins = [
        Pin(
            names[i],
            names[j],
            refusals.get((i, j), "none told"),
            float(judged.probability[k]),
            {name: float(bits[k]) for name, bits in judged.evidence.items()},
        )
        for k, (i, j) in enumerate(judged.pairs.tolist())
    ]
    return sorted(pins, key=lambda pin: (-pin.probability, pin.src, pin.tgt))


def lang_pairs() -> list[tuple[str, str]]:
    """The six pairs of the languages of the sample."""
    return list(combinations(LANGS, 2))


def read_pins() -> list[Pin]:
    """The table as it is."""
    with TABLE.open(encoding="utf-8", newline="") as handle:
        return list(_pins(csv.DictReader(handle, delimiter="\t")))


def _pins(rows: Iterable[dict[str, str]]) -> Iterator[Pin]:
    for row in rows:
        bits = {name: float(value or "nan") for name, value in row.items() if name not in TOLD}
        yield Pin(row["src"], row["tgt"], row["refusal"], float(row["probability"]), bits)


def write_pins(pins: Iterable[Pin]) -> None:
    """The table anew: probabilities with six digits, bits with four."""
    rows = list(pins)
    with TABLE.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t", lineterminator="\n")
        writer.writerow([*TOLD, *rows[0].bits])
        for pin in rows:
            bits = ["" if value != value else f"{value:.4f}" for value in pin.bits.values()]
            writer.writerow([pin.src, pin.tgt, pin.refusal, f"{pin.probability:.6f}", *bits])
