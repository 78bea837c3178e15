"""Segments made for the tests of terms: a site in English and French frames with made-up nouns, and one term in it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pyarrow as pa

from diglot.records import FLAGGED_SCHEMA, BlockKind

FRAMES = (
    ("The {0} is near the {1}.", "Le {0} est près de le {1}."),
    ("We have seen a {0}, and the {1} was old.", "Nous avons vu un {0}, et le {1} était vieux."),
    ("If the {0} works, you can use it with a {1}.", "Si le {0} marche, vous pouvez vous en servir avec un {1}."),
    ("They bought the {0} because of the {1}.", "Ils ont acheté le {0} à cause de le {1}."),
    ("There was no {0} in the {1}.", "Il y avait aucun {0} dans le {1}."),
    ("In the {0}, a {1} is made every day.", "Dans le {0}, un {1} se fait tous les jours."),
    ("Is this {0} for the {1}?", "Est-ce que ce {0} est pour le {1} ?"),
    ("You can find the {0} on a {1}.", "Vous pouvez trouver le {0} sur un {1}."),
)
TERM = "water wheel", "roue à aubes"
"""A term of two words, of which the translation has a function word in the middle."""


def nouns(count: int = 150) -> list[tuple[str, str]]:
    """Made-up words and their translations, no two of which begin alike."""
    rng = random.Random(7)
    beginnings = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in "lmnrst"]
    chosen = rng.sample(beginnings, 2 * count)
    return [(src + "on", tgt + "eur") for src, tgt in zip(chosen[:count], chosen[count:], strict=True)]


def row(src: str, tgt: str, page: int = 0, kind: BlockKind = BlockKind.PARAGRAPH) -> dict[str, object]:
    """A segment of page ``page``, clean and sure."""
    urls = {"src_url": f"https://mill.example/en/{page}", "tgt_url": f"https://mill.example/fr/{page}"}
    fixed = {"src_lang": "en", "tgt_lang": "fr", "score": 1.0, "bead": "1-1", "position": 0, "fetched": ""}
    empty: dict[str, object] = {"flags": [], "other_src_urls": [], "other_tgt_urls": []}
    return {"src": src, "tgt": tgt, "kind": kind.value, "src_variant": "", "tgt_variant": "", **urls, **fixed, **empty}


def table(rows: Sequence[dict[str, object]]) -> pa.Table:
    """Segments as a run keeps them."""
    return pa.Table.from_pylist(list(rows), schema=FLAGGED_SCHEMA)


def mill_rows(
    count: int = 800, *, wheels: Sequence[str] = (TERM[1],), pages: int = 40, own_pages: int = 5
) -> list[dict[str, object]]:
    """``count`` sentences about two things each; every tenth is about the :data:`TERM`, which stands on
    ``own_pages`` of the pages alone and is translated by each of ``wheels`` in turn."""
    rng, words = random.Random(1), nouns()
    rows = []
    for number in range(count):
        src, tgt = FRAMES[rng.randrange(len(FRAMES))]
        pairs, page = rng.sample(words, 2), number % pages
        if number % 10 == 0:
            pairs[rng.randrange(2)] = TERM[0], wheels[number // 10 % len(wheels)]
            page = number // 10 % own_pages
        rows.append(row(src.format(*(pair[0] for pair in pairs)), tgt.format(*(pair[1] for pair in pairs)), page))
    return rows
