"""The recipe pwcc on a made site: what it pairs, when it abstains, and what it says of its lexicon."""

from pathlib import Path

import pytest

from diglot.errors import SourceError
from diglot.pairing.cascade import Scored, run_cascade
from diglot.pairing.table import pair_table
from diglot.recipes import get_recipe
from diglot.site import Site
from made_documents import made_page, made_site

ENGLISH = ["The cat sleeps.", "The dog barks.", "A house has a roof."]
GERMAN = ["Die Katze schläft.", "Der Hund bellt.", "Ein Haus hat ein Dach."]
WORDS = "the die|the der|a ein|cat katze|sleeps schläft|dog hund|barks bellt|house haus|has hat|roof dach"


@pytest.fixture
def lexicon(tmp_path: Path) -> Path:
    path = tmp_path / "made.tsv"
    path.write_text("en\tde\n" + WORDS.replace(" ", "\t").replace("|", "\n") + "\nno entry\n")
    return path


@pytest.fixture
def site() -> Site:
    """Two translations, one page of other content, one page far away; all in one folder a language."""
    return made_site(
        made_page("http://h/en/1", "en", ENGLISH[:2]),
        made_page("http://h/en/2", "en", ENGLISH[2:]),
        made_page("http://h/en/3", "en", ["Nobody translated this."]),
        made_page("http://h/de/x", "de", GERMAN[2:]),
        made_page("http://h/de/y", "de", GERMAN[:2]),
    )


def run(site: Site, name: str = "pwcc", **options: str) -> tuple[Scored, set[tuple[str, str]]]:
    recipe = get_recipe(name).with_options({"stop_share": "0", **options})
    steps = recipe.steps(recipe.options, "en", "de")
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("de"), steps)
    pair_table(site, scored, steps, "en", "de")
    return scored, {(site.urls[i][-1], site.urls[j][-1]) for i, j in scored.pairs[scored.accepted].tolist()}


def test_pairs_pages_that_translate_each_other(site: Site, lexicon: Path) -> None:
    scored, found = run(site, lexicon=str(lexicon))
    assert found == {("1", "y"), ("2", "x")}
    assert scored.score[scored.accepted].tolist() == [1.0, 1.0]
    assert scored.candidates == 6
    assert set(scored.refused_by) == {"", "low_sentences"}


def test_threshold_and_product(site: Site, tmp_path: Path) -> None:
    path = tmp_path / "small.tsv"
    path.write_text("en\tde\n" + WORDS.replace("cat katze|", "").replace(" ", "\t").replace("|", "\n") + "\n")
    similarity = ((2 - 0.2) / 3 * 1.0) ** 0.5  # the sentence of the cat, that of the dog
    scored, found = run(site, lexicon=str(path))
    assert found == {("1", "y"), ("2", "x")}
    assert min(scored.score[scored.accepted].tolist()) == pytest.approx(similarity)
    assert run(site, lexicon=str(path), raw_product="yes")[1] == {("2", "x")}  # .6 is under .65
    assert run(site, lexicon=str(path), threshold="0.8")[1] == {("2", "x")}
    assert run(site, lexicon=str(path), low="0.7", max_low_share="0.4")[1] == {("2", "x")}


def test_anchors_must_agree(site: Site, lexicon: Path, tmp_path: Path) -> None:
    words = tmp_path / "anchors.tsv"
    words.write_text("en\tde\nCats\tKatzen\n")
    home = made_page("http://h/", "fr", link_urls=["http://h/en/1", "http://h/de/y"], link_anchors=["Cats", "Hunde"])
    linked = made_site(home, *site.documents.to_pylist())
    assert run(linked, lexicon=str(lexicon))[1] == {("1", "y"), ("2", "x")}
    assert run(linked, lexicon=str(lexicon), word_list=str(words))[1] == {("2", "x")}


def test_abstains_without_a_lexicon_for_the_pair_and_says_why(site: Site, lexicon: Path) -> None:
    recipe = get_recipe("pwcc")
    assert run(site)[1] == set()
    assert recipe.requires(recipe.options, "en", "ru") == (
        "there is no en-ru lexicon, so pwcc pairs nothing; name a file in its option lexicon"
    )
    given = recipe.with_options({"lexicon": str(lexicon)})
    assert given.steps(given.options, "en", "ru") == ()
    assert "made.tsv holds no en-ru lexicon" in given.requires(given.options, "en", "ru")
    assert given.requires(given.options, "de", "en") == ""


def test_says_how_many_lines_were_no_entries(lexicon: Path) -> None:
    recipe = get_recipe("pwcc").with_options({"lexicon": str(lexicon)})
    assert recipe.remarks(recipe.options, "en", "de") == ("made.tsv: 1 lines are no entries and were left out",)


def test_a_wrong_lexicon_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "wrong.tsv"
    path.write_text("not a lexicon\n")
    recipe = get_recipe("pwcc").with_options({"lexicon": str(path)})
    with pytest.raises(SourceError, match=r"wrong\.tsv: not a lexicon"):
        recipe.steps(recipe.options, "en", "de")


def test_other_recipes_need_nothing() -> None:
    recipe = get_recipe("bitextor2010")
    assert recipe.requires(recipe.options, "en", "de") == ""
    assert recipe.remarks(recipe.options, "en", "de") == ()
