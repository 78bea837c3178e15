"""Words are found in all runs, also those of two characters where no blank stands between words."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from diglot.workbench.bench import Bench
from diglot.workbench.concordance import HITS, Concordance, make_index, match_text, tokens

ROWS = [
    ("en", "fr", "The café opens at 9.", "Le café ouvre à 9 h.", "https://a.example/en", "https://a.example/fr"),
    ("en", "fr", "Opening hours", "Heures d'ouverture", "https://a.example/en", "https://a.example/fr"),
    ("en", "ja", "the city of Kyoto", "京都市の料理", "https://a.example/en", "https://a.example/ja"),
    ("en", "ja", "Tokyo", "東京都 Tower", "https://a.example/en", "https://a.example/ja"),
    ("en", "th", "welcome", "ยินดีต้อนรับ", "https://a.example/en", "https://a.example/th"),
]


@pytest.fixture
def concordance(tmp_path: Path) -> Concordance:
    made = Concordance(tmp_path / "words")
    make_index(made.path_of("a"), "1", ROWS)
    make_index(made.path_of("b"), "1", ROWS[:1])
    return made


@pytest.mark.parametrize(
    ("query", "sources"),
    [
        ("cafe", ["The café opens at 9."] * 2),
        ("CAFÉ OUVRE", ["The café opens at 9."] * 2),
        ("ouvre café", []),  # as a phrase
        ("open", ["The café opens at 9.", "Opening hours", "The café opens at 9."]),  # a word that is begun
        ("pening", []),
        ("京都", ["the city of Kyoto", "Tokyo"]),
        ("都市の", ["the city of Kyoto"]),
        ("都", ["the city of Kyoto", "Tokyo"]),
        ("理", ["the city of Kyoto"]),
        ("東京都 tower", ["Tokyo"]),
        ("ต้อนรับ", ["welcome"]),
        ('" OR src : x', []),
        ("d'ouverture", ["Opening hours"]),
        ("?!", []),
        ("", []),
    ],
)
def test_what_is_found(concordance: Concordance, query: str, sources: list[str]) -> None:
    assert [found.src for found in concordance.search(query, ["a", "b"])] == sources


def test_one_pair_of_languages_in_either_order(concordance: Concordance) -> None:
    for langs in (("en", "ja"), ("ja", "en")):
        assert {found.tgt_lang for found in concordance.search("the", ["a", "b"], langs)} == {"ja"}
    assert concordance.search("the", ["a"], ("de", "en")) == []
    assert concordance.lang_pairs(["a", "b", "none"]) == [("en", "fr"), ("en", "ja"), ("en", "th")]


@given(st.text(max_size=40))
def test_a_text_is_found_by_its_own_words(text: str) -> None:
    cut = list(tokens(text))
    assert bool(match_text(text)) == bool(cut)
    assert all(token.isalnum() or not token.isascii() for token in cut)
    assert '"' not in "".join(cut)


def test_an_index_that_is_none_is_left_out(concordance: Concordance) -> None:
    concordance.path_of("c").write_bytes(b"no database")
    assert concordance.search("cafe", ["c", "b"])[0].site == "b"
    assert not concordance.path_of("c").exists()


def test_a_new_index_takes_the_place_of_the_old(concordance: Concordance) -> None:
    assert concordance.is_current("b", "1")
    make_index(concordance.folder / "new", "2", ROWS[1:2])
    (concordance.folder / "new").replace(concordance.path_of("b"))
    assert concordance.is_current("b", "2")
    assert concordance.search("cafe", ["b"]) == []
    concordance.path_of("b").unlink()
    assert not concordance.is_current("b", "2")


def test_hits_are_bounded(tmp_path: Path) -> None:
    made = Concordance(tmp_path)
    make_index(made.path_of("a"), "1", ROWS[:1] * 200)
    assert len(made.search("cafe", ["a"])) == HITS + 1


@pytest.mark.slow
def test_a_run_is_searched_soon_after_its_end(with_indexes: None, client: TestClient, bench: Bench, run: Path) -> None:
    end = time.monotonic() + 300
    while not (found := client.get("/search/hits", params={"q": "harbour opens"}).json())["hits"]:
        assert time.monotonic() < end, "never came"
        time.sleep(0.1)
    assert found["hits"][0]["site"] == "town"
    assert found["waiting"] == 0
    assert '<option value="en,fr">' not in client.get("/").text
    assert "English – French" in client.get("/search").text
    assert client.get("/search/hits", params={"q": "x", "langs": "en"}).status_code == 400
