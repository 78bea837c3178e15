"""A file that an option names counts by its content, not by its name."""

from pathlib import Path

import pytest

from diglot.errors import SourceError
from diglot.recipes import RECIPES


def test_a_changed_lexicon_is_another_input(tmp_path: Path) -> None:
    index, articles = tmp_path / "deu-eng.index", tmp_path / "deu-eng.dict"
    index.write_text("Hund\tA\tK\n")
    articles.write_text("Hund\n dog\n")
    recipe = RECIPES["pwcc"].with_options({"lexicon": str(index)})
    first = recipe.file_hashes()
    assert len(first) == 2
    assert recipe.file_hashes() == first
    articles.write_text("Hund\n cat\n")
    assert recipe.file_hashes() != first
    assert RECIPES["pwcc"].file_hashes() == RECIPES["fused"].file_hashes() == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    recipe = RECIPES["pwcc"].with_options({"lexicon": str(tmp_path / "none.tsv")})
    with pytest.raises(SourceError, match=r"none\.tsv"):
        recipe.file_hashes()


def test_the_folder_of_a_file_is_no_part_of_what_pairs_depend_on(tmp_path: Path) -> None:
    named = [RECIPES["pwcc"].with_options({"lexicon": f"{tmp_path}/{folder}/a.tsv, b.tsv"}) for folder in "xy"]
    parts, others = (recipe.pairing_parts() for recipe in named)
    assert parts == others
    assert "lexicon=a.tsv,b.tsv" in parts
    assert parts != RECIPES["pwcc"].with_options({"lexicon": "c.tsv"}).pairing_parts()
