"""Texts too long to be aligned at once: cut along the coarse path, part by part."""

from __future__ import annotations

import random
from itertools import product

import pytest

from diglot.alignment import long_texts, site_model
from diglot.alignment.beads import Bead
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.site_model import align_with, learn_model

WORDS = ["".join(parts) for parts in product("bdfgklmnprstv", "aeiou", "lmnrst", ("ek", "od"))]
"""Enough of them that no two blocks of sentences look alike."""


def _text(sentences: int, left_out: range = range(0)) -> ParallelText:
    """Sentences of a text and the same in another language, some of them left out on its side."""
    draw = random.Random(5)
    src = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(4, 9))) + "." for _ in range(sentences)]
    tgt = [" ".join(f"{word[::-1]}a" for word in text[:-1].split()) + "." for text in src]
    return ParallelText(src, [text for number, text in enumerate(tgt) if number not in left_out])


def _covers(beads: list[Bead], pair: ParallelText) -> bool:
    """Whether every sentence of both sides is in exactly one bead, in order."""
    src = [number for bead in beads for number in range(*bead.src)]
    tgt = [number for bead in beads for number in range(*bead.tgt)]
    return src == list(range(len(pair.src))) and tgt == list(range(len(pair.tgt)))


@pytest.mark.parametrize("part", [399, 150, 130])
def test_parts_have_the_beads_of_the_whole_but_where_sentences_are_left_out(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = _text(400, range(130, 140))
    whole = align_with(model := learn_model([pair]), pair)
    monkeypatch.setattr(long_texts, "PART_SENTENCES", part)
    monkeypatch.setattr(long_texts, "OVERLAP", 60)
    beads = align_with(model, pair)
    assert _covers(beads, pair)
    assert _outside(beads) == _outside(whole)


def _outside(beads: list[Bead]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Beads outside of the sentences left out, and of ten beside them."""
    return [(bead.src, bead.tgt) for bead in beads if bead.src[1] < 120 or bead.src[0] > 150]


def test_a_text_that_fits_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = _text(200)
    model = learn_model([pair])
    whole = align_with(model, pair)
    monkeypatch.setattr(long_texts, "PART_SENTENCES", 200)
    assert align_with(model, pair) == whole


@pytest.mark.parametrize(("src", "tgt"), [(500, 3), (3, 500), (130, 500)])
def test_sides_of_very_different_lengths_end(src: int, tgt: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_texts, "PART_SENTENCES", 100)
    texts = _text(500)
    pair = ParallelText(texts.src[:src], texts.tgt[:tgt])
    assert _covers(align_with(learn_model([pair]), pair), pair)


def test_long_texts_teach_only_where_there_are_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    long, short = _text(300), _text(60)
    monkeypatch.setattr(long_texts, "PART_SENTENCES", 100)
    sizes: list[list[int]] = []
    learn = site_model.number_texts

    def count(pairs: list[ParallelText]) -> object:
        sizes.append([len(pair.src) for pair in pairs])
        return learn(pairs)

    monkeypatch.setattr(site_model, "number_texts", count)
    learn_model([long, short])
    learn_model([long])
    assert sizes == [[60], [100]]
