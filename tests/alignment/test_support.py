"""Pages of one plan with other content, and translated pages with short segments: scores follow the words."""

import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from diglot.alignment.lexical.support import MAX_UNSUPPORTED, translated_share
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segments import bead_segment
from diglot.alignment.site_model import SiteModel, align_with, learn_model
from diglot.records import BlockKind

FLOOR = 0.5
"""The score below which a segment is left out by default."""
HEADING, PROSE = int(BlockKind.HEADING), int(BlockKind.PARAGRAPH)


def vocabulary(letters: str, seed: int) -> list[str]:
    draw = random.Random(seed)
    return list(dict.fromkeys("".join(draw.choices(letters, k=6)) for _ in range(400)))


SRC, TGT = vocabulary("abcdefghij", 1), vocabulary("ЖЩЮЯЭЫЪЬЙЧ".lower(), 2)


class Writer:
    """Texts in two made languages: word n of the one translates word n of the other; low numbers are frequent."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def numbers(self, count: int) -> list[int]:
        return [int(390 * self.draw.random() ** 3) for _ in range(count)]

    def plan(self) -> list[list[int]]:
        """Eight blocks of words: headings of two, sentences of nine to twelve."""
        return [self.numbers(2 if block % 2 == 0 else self.draw.randint(9, 12)) for block in range(8)]

    def same_plan(self, blocks: list[list[int]]) -> list[list[int]]:
        """Other content in the lengths of a page."""
        return [self.numbers(len(block)) for block in blocks]


def page_pair(src: list[list[int]], tgt: list[list[int]], number: int) -> ParallelText:
    kinds = [HEADING if block % 2 == 0 else PROSE for block in range(len(src))]
    texts = [[" ".join(words[n] for n in block) for block in side] for words, side in ((SRC, src), (TGT, tgt))]
    opens = [1] * len(src)
    return ParallelText(texts[0], texts[1], (opens, opens), (kinds, kinds), fold=number)


def made_site(pages: int, adapted: int) -> list[ParallelText]:
    """Page pairs of a site; the last ``adapted`` of them have other content on the same plan."""
    writer, site = Writer(pages), []
    for number in range(pages):
        src = writer.plan()
        site.append(page_pair(src, src if number < pages - adapted else writer.same_plan(src), number))
    return site


def scored(site: list[ParallelText], model: SiteModel) -> Iterator[float]:
    """Score of every segment with two sides."""
    for pair in site:
        for bead in align_with(model, pair):
            segment = bead_segment(pair.src, pair.tgt, pair.kinds, bead)
            if segment.src and segment.tgt:
                yield segment.score


def test_headings_of_adapted_pages_stay_below_the_floor() -> None:
    site = made_site(60, adapted=20)
    model = learn_model(site)
    translated, adapted = (list(scored(part, model)) for part in (site[:40], site[40:]))
    # By order and lengths alone every one of these 160 segments scores above .9.
    assert len(adapted) == 160
    assert sum(score >= FLOOR for score in adapted) <= 16
    assert not any(score >= 0.9 for score in adapted)
    assert sum(score >= FLOOR for score in translated) >= 0.97 * 40 * 8


def with_menu(pair: ParallelText, menu: list[list[int]]) -> ParallelText:
    """The page pair with the same translated blocks before its own."""
    blocks = page_pair(menu, menu, 0)
    (src_opens, tgt_opens), (src_kinds, tgt_kinds) = pair.opens, pair.kinds
    opens = [*blocks.opens[0], *src_opens], [*blocks.opens[1], *tgt_opens]
    kinds = [*blocks.kinds[0], *src_kinds], [*blocks.kinds[1], *tgt_kinds]
    return replace(pair, src=[*blocks.src, *pair.src], tgt=[*blocks.tgt, *pair.tgt], opens=opens, kinds=kinds)


def test_a_translated_menu_does_not_speak_for_adapted_text() -> None:
    menu = Writer(7).plan()
    site = [with_menu(pair, menu) for pair in made_site(60, adapted=20)]
    model = learn_model(site)
    own = [bead.score for pair in site[40:] for bead in align_with(model, pair) if bead.src[0] >= 8 and all(bead.sizes)]
    assert len(own) >= 150
    assert sum(score >= FLOOR for score in own) <= 16


def test_short_segments_of_translated_pages_stay() -> None:
    """One word of every heading stands nowhere else: only the rest of its page speaks for it."""
    site = made_site(40, adapted=0)
    alone = [vocabulary("klmnopqrst", 3), vocabulary("абвгдежзик", 4)]
    for number, pair in enumerate(site):
        for side, texts in enumerate((pair.src, pair.tgt)):
            assert isinstance(texts, list)
            texts[4] = alone[side][number]
    model = learn_model(site)
    scores = [
        bead.score for pair in site for bead in align_with(model, pair) if bead.src == (4, 5) and bead.tgt == (4, 5)
    ]
    assert len(scores) >= 38
    assert min(scores) >= FLOOR
    assert max(scores) == MAX_UNSUPPORTED < 0.9


def share(nats: list[float], chars: list[float], lone: float = 0.0) -> float:
    return translated_share(np.array(nats), np.array(chars), lone)


def test_the_share_by_hand() -> None:
    """300 characters at .9 are imagined; words that say nothing leave them as they are."""
    assert share([], []) == pytest.approx(0.9)
    assert share([0.0, 0.0], [500.0, 40.0]) == pytest.approx(0.9)
    assert share([30.0], [700.0]) == pytest.approx((700 + 270) / 1000)
    assert share([-30.0], [700.0]) == pytest.approx(270 / 1000)
    assert share([30.0], [300.0], lone=400.0) == pytest.approx((300 + 270) / 1000)
    half = share([30.0, -30.0], [350.0, 350.0])
    assert half == pytest.approx((350 + 270) / 1000)


def test_more_text_that_translates_raises_the_share() -> None:
    shares = [share([8.0, -8.0], [chars, 1000.0 - chars]) for chars in (0.0, 250.0, 500.0, 750.0, 1000.0)]
    assert shares == sorted(shares)
    assert shares[0] < 0.3 < 0.9 < shares[-1]
