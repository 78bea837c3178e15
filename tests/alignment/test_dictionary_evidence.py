"""A dictionary as evidence: words translated on the other side, by hand, and files that do not serve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diglot.alignment.evidence.sources import similarities
from diglot.alignment.evidence.translations import STEM_LETTERS, dictionary_similarity
from diglot.errors import LanguageError, SourceError
from diglot.lexicons import Lexicon

ENTRIES = (("Haus", "maison"), ("Katze", "chat"), ("Häuser", "maisons"), ("sieht", "voit"), ("zu Hause", "chez soi"))


def test_words_translated_both_ways_by_hand() -> None:
    similarity = dictionary_similarity(
        ["Die Katze sieht das Haus.", "Nichts davon."],
        ["Le chat voit la maison.", "Autre chose."],
        Lexicon("made", "de", "fr", ENTRIES),
    )
    found = similarity(np.array([[0, 1, 0, 1], [1, 2, 0, 1]]))
    # three of five words both ways; none of two beside five, none of five beside two
    assert found == pytest.approx([(3 - 0.2 * 2) / 5, (-0.2 * 2 / 5 - 0.2 * 5 / 5) / 2])


def test_inflected_words_are_found_by_their_stems() -> None:
    assert STEM_LETTERS == 5
    similarity = dictionary_similarity(
        ["Wohnungen"], ["appartements"], Lexicon("", "de", "fr", (("Wohnung", "appartement"),))
    )
    assert similarity(np.array([[0, 1, 0, 1]])).tolist() == [1.0]


def test_a_phrase_says_nothing_of_its_first_word() -> None:
    similarity = dictionary_similarity(["ice"], ["glace"], Lexicon("", "en", "fr", (("ice cream", "glace"),)))
    assert similarity(np.array([[0, 1, 0, 1]]))[0] < 0.5


def test_a_file_of_entries_and_files_that_do_not_serve(tmp_path: Path) -> None:
    text = (["Das Haus."], ["La maison."])
    good, other = tmp_path / "good.tsv", tmp_path / "other.tsv"
    good.write_text("fr\tde\nmaison\tHaus\nla\tdas\n", encoding="utf-8")
    other.write_text("en\tja\nhouse\t家\n", encoding="utf-8")
    (similarity,) = similarities(f"dictionary:{good}", [text], ("de", "fr"))
    assert similarity(np.array([[0, 1, 0, 1]])).tolist() == [1.0]
    with pytest.raises(LanguageError, match="not a dictionary of de and fr"):
        similarities(f"dictionary:{other}", [text], ("de", "fr"))
    with pytest.raises(SourceError, match="No such file"):
        similarities(f"dictionary:{tmp_path / 'none.tsv'}", [text], ("de", "fr"))
