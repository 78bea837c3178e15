"""Gold kept to the languages of a run."""

from pathlib import Path

import pytest

from diglot.errors import SourceError, UsageError
from diglot.evaluation.gold import GoldPair, GoldSet, read_gold_set

GOLD = GoldSet(
    (
        GoldPair("en", "fr", "e1", "f1"),
        GoldPair("de", "en", "d1", "e1"),
        GoldPair("en", "zh-cn", "e1", "c1"),
        GoldPair("en", "zh_TW", "e1", "t1"),
        GoldPair("en", "pt-br", "e1", "p1"),
    ),
    (GoldPair("fr", "en", "f2", "e2"), GoldPair("de", "fr", "d2", "f2")),
    "gold.tsv",
)


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ([("en", "fr")], {"f1"}),
        ([("fr", "en")], {"f1"}),
        ([("en", "de")], {"d1"}),
        ([("en", "zh")], {"c1", "t1"}),
        ([("en", "zh-Hans")], {"c1"}),
        ([("en", "zh-Hant"), ("en", "fr")], {"t1", "f1"}),
        ([("en", "pt")], {"p1"}),
        ([("en", "pt-BR")], {"p1"}),
    ],
)
def test_the_gold_of_language_pairs(asked: list[tuple[str, str]], left: set[str]) -> None:
    kept = GOLD.of_languages(asked).pairs
    assert {url for pair in kept for url in pair[2:]} - {"e1"} == left
    assert {frozenset(pair[:2]) for pair in kept} == set(map(frozenset, asked))


def test_ignored_pairs_are_kept_to_them_too() -> None:
    assert GOLD.of_languages([("en", "fr")]).ignored == (GoldPair("fr", "en", "f2", "e2"),)


@pytest.mark.parametrize("asked", [[("en", "pt-PT")], [("fr", "de")], [("en", "ja")]])
def test_no_gold_in_the_languages_is_said_with_what_there_is(asked: list[tuple[str, str]]) -> None:
    with pytest.raises(UsageError, match=r"gold\.tsv has no pair in .*; it has: de-en, en-fr, en-pt-br") as refusal:
        GOLD.of_languages(asked)
    assert "\n" not in str(refusal.value)


def test_an_empty_gold_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text("")
    with pytest.raises(UsageError, match="no pair at all"):
        read_gold_set(path).of_languages([("en", "fr")])
    path.write_text("en\tfr\thttp://a/1\n")
    with pytest.raises(SourceError, match=r"gold\.tsv line 1"):
        read_gold_set(path)
