"""What every other recipe than `fused` says of the sample, as a table: its pairs, and the best refused ones."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from diglot.pairing.cascade import run_cascade
from diglot.recipes import RECIPES
from diglot.recipes.recipe import Recipe
from made_sample import sample_site

TABLE = Path(__file__).with_name("recipe_pins.tsv")
LEXICON = Path(__file__).with_name("sample_lexicon.tsv")
HOST = "https://httpd.apache.org/docs/2.4/"
PINNED = tuple(name for name in RECIPES if name != "fused")
"""`fused` has a table of its own in ``tests/pairing/fused``."""
CALLED = {"pwcc": {"threshold": "0.05", "max_low_share": "0.95"}, "pwcc-stems": {}}
"""The lexicon of 80 words reaches a tenth of the similarity that the threshold of `pwcc` asks for."""
LANG_PAIRS = (("en", "de"), ("en", "fr"))


class Pin(NamedTuple):
    """A pair of pages by the ends of their addresses; ``refusal``: "" for an accepted pair."""

    recipe: str
    src: str
    tgt: str
    method: str
    refusal: str
    score: float


def pins_of(name: str) -> list[Pin]:
    """All pairs that a recipe accepts on the sample, and the best refused one of each page without a partner."""
    site, recipe = sample_site(), _recipe(name)
    pages = [url.removeprefix(HOST) for url in site.urls]
    pins = []
    for langs in LANG_PAIRS:
        steps = recipe.steps(recipe.options, *langs)
        scored = run_cascade(site, *(site.rows_of(lang) for lang in langs), steps)
        columns = scored.pairs.tolist(), scored.method, scored.refused_by, scored.score.tolist()
        pins += [
            Pin(name, pages[i], pages[j], method, refusal, float(score))
            for (i, j), method, refusal, score in zip(*columns, strict=True)
        ]
    return sorted(pins)


def _recipe(name: str) -> Recipe:
    recipe = RECIPES[name]
    return recipe.with_options({"lexicon": str(LEXICON), **CALLED[name]}) if name in CALLED else recipe


def read_pins() -> list[Pin]:
    """The table as it is."""
    with TABLE.open(encoding="utf-8", newline="") as handle:
        return [Pin(*row[:5], float(row[5])) for row in list(csv.reader(handle, delimiter="\t"))[1:]]


def write_pins(pins: Iterable[Pin]) -> None:
    """The table anew: scores with six digits."""
    with TABLE.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t", lineterminator="\n")
        writer.writerow(Pin._fields)
        writer.writerows((*pin[:5], f"{pin.score:.6f}") for pin in pins)
