"""Sites of made words: two languages that share only numbers, and stories told in six."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from diglot.site import Site
from made_documents import made_page, made_site

SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve")
LANGS = ("en", "fr", "de", "es", "it", "pt")
STORIES = 12


def made_words(rng: np.random.Generator, count: int) -> list[str]:
    """So many different words of three syllables, sorted."""
    found: set[str] = set()
    while len(found) < count:
        found.add("".join(rng.choice(SYLLABLES, 3)))
    return sorted(found)


def bilingual_site(
    *, pages: int = 40, orphans: int = 12, seed: int = 5, opaque: bool = True
) -> tuple[Site, set[tuple[str, str]]]:
    """A site in two made languages that share no word but numbers; ``orphans`` pages a side have no partner."""
    rng = np.random.default_rng(seed)
    vocabulary = made_words(rng, 600)
    src_words, tgt_words = vocabulary[:300], vocabulary[300:]
    made, gold = [], set()
    for number in range(pages + 2 * orphans):
        topic = rng.choice(300, 25, replace=False)
        blocks = [[*rng.choice(topic, 9), *rng.integers(0, 40, 3)] for _ in range(6)]
        year = int(rng.integers(100, 999))
        sides = {"en": src_words, "fr": tgt_words}
        if number >= pages:
            del sides["fr" if number < pages + orphans else "en"]
        urls = {}
        for lang, names in sides.items():
            key = int(rng.integers(10**6)) if opaque else number
            urls[lang] = f"http://a.example/{'' if opaque else lang + '/'}{key}{lang if opaque else ''}"
            texts = [
                " ".join(names[word] for word in block) + f" {year if k == 2 else ''}" for k, block in enumerate(blocks)
            ]
            made.append(made_page(urls[lang], lang, texts))
        if len(urls) == 2:
            gold.add((urls["en"], urls["fr"]))
    return made_site(*made), gold


def planted_words() -> dict[str, str]:
    """The words of the first language of :func:`bilingual_site`, each with its translation."""
    truth = made_words(np.random.default_rng(5), 600)
    return dict(zip(truth[:300], truth[300:], strict=True))


def figures(number: int) -> list[str]:
    """The five numbers by which a story is known in all languages."""
    return [str(random.Random(number * 7 + k).randrange(10_000, 99_999)) for k in range(5)]


def story(lang: str, number: int, links: Sequence[str] = (), more_blocks: int = 0) -> dict[str, Any]:
    """Words of the language alone, and five numbers that tell the story in all."""
    rng = random.Random(f"{lang} {number}")
    own = [f"{lang}{rng.choice('aeiou')}{rng.randrange(60)}x" for _ in range(40)]
    blocks = [" ".join(own[:20]), " ".join(figures(number) + own[20:])]
    blocks += [f"{lang}text{block}" for block in range(more_blocks)]
    return made_page(
        f"http://x/{lang}/{number}",
        lang,
        blocks,
        link_urls=list(links),
        link_anchors=[""] * len(links),
        link_hreflangs=[""] * len(links),
        link_alternate=[False] * len(links),
    )


def number_of(site: Site, row: int) -> str:
    """Which story stands on the page of a row."""
    return site.urls[row].rsplit("/", 1)[1]
