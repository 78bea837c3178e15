"""Options of a run: from what is typed, to diglot.toml and back."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from diglot.alignment.evidence import sources
from diglot.corpus.flags import MIN_SCORE
from diglot.disk.folder import RunFolder
from diglot.errors import DiglotError, LanguageError, RecipeError, RunFolderError, UsageError
from diglot.run.clean import cleaning_options
from diglot.run.settings import Settings, make_settings, read_options, settings_without_languages


@given(
    st.lists(st.sampled_from(["en", "fr", "pt-BR", "zh-Hant"]), min_size=2, unique=True),
    st.sampled_from(["url_baseline", "bitextor2009", "bitextor2010-relative"]),
    st.booleans(),
    st.floats(0, 1),
    st.none() | st.floats(0, 1),
    st.sampled_from(["", "https://a.example/é"]),
    st.sampled_from([(), ("a.example", "b.example")]),
)
def test_round_trip_through_toml(
    langs: list[str],
    recipe: str,
    one_site: bool,
    min_prob: float,
    min_score: float | None,
    base: str,
    hosts: tuple[str, ...],
) -> None:
    others = {"min_prob": min_prob, "min_score": min_score, "hosts": hosts}
    made = make_settings(langs, recipe=recipe, one_site=one_site, base_url=base, pivot=langs[0], **others)
    assert Settings.from_table(tomllib.loads(tomli_w.dumps(made.to_table()))) == made


def test_round_trip_of_recipe_options(tmp_path: Path) -> None:
    made = make_settings(
        "en,fr", recipe="bitextor2010", options={"max_edits": "20", "block_threshold": "30%,en-fr=0.1"}
    )
    with RunFolder(tmp_path) as folder:
        folder.write_settings({"settings": made.to_table()})
        again = Settings.from_table(folder.settings()["settings"])
    assert again == made
    assert again.resolved_recipe().options.block_threshold.of("fr", "en") == 0.1
    assert again.language_pairs() == [("en", "fr")]


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"langs": ["en", "fr"]},
        {"langs": 3, "options": {}},
        {"langs": ["en", "fr"], "options": 3},
        {"langs": ["en", "fr"], "options": ["a"]},
        {"langs": ["en", "fr"], "options": {}, "hosts": "a.example"},
        {"langs": ["en", "fr"], "options": {}, "min_prob": "high"},
        {"langs": ["en", "fr"], "options": {}, "min_score": "0.5"},
        {"langs": ["en", "fr"], "options": {}, "one_site": 1},
        {"langs": ["en", "fr"], "options": {}, "max_page_bytes": 0.5},
        {"langs": ["en", "fr"], "options": {}, "max_page_bytes": True},
        {"langs": ["en", "fr"], "options": {}, "min_score": True},
        {"langs": ["en", "fr"], "options": {}, "hosts": [1]},
        3,
        "en",
    ],
)
def test_a_table_that_holds_no_options_of_a_run(table: Any) -> None:
    with pytest.raises(RunFolderError, match=r"diglot\.toml does not hold the options of a run"):
        Settings.from_table(table)


def test_languages_in_the_table_are_checked() -> None:
    with pytest.raises(LanguageError):
        Settings.from_table({"langs": ["en", "klingon"], "options": {}})
    assert Settings.from_table({"langs": "en,fr", "options": {}, "new": 1}).langs == ("en", "fr")


def test_a_whole_number_in_the_table_is_a_probability() -> None:
    assert Settings.from_table({"langs": "en,fr", "options": {}, "min_prob": 1, "min_score": 0}).min_prob == 1


@pytest.mark.parametrize(
    ("mistake", "error"),
    [
        ({"recipe": "none"}, RecipeError),
        ({"options": {"colour": "red"}}, RecipeError),
        ({"options": {"aligner": "guess"}}, RecipeError),
        ({"pivot": "de"}, LanguageError),
        ({"min_prob": 1.5}, UsageError),
        ({"min_prob": float("nan")}, UsageError),
        ({"min_score": -0.1}, UsageError),
        ({"min_score": float("nan")}, UsageError),
    ],
)
def test_mistakes_are_found_before_any_work(mistake: dict[str, Any], error: type[DiglotError]) -> None:
    with pytest.raises(error):
        make_settings("en,fr", **mistake)


def test_another_recipe_drops_the_options_of_the_first() -> None:
    made = make_settings("en,fr", recipe="bitextor2010", options={"max_edits": "20"})
    other = made.with_recipe("url_baseline", {"query_keys": "no"})
    assert (other.recipe, other.options) == ("url_baseline", (("query_keys", "no"),))
    with pytest.raises(RecipeError):
        made.with_recipe("url_baseline", {"max_edits": "20"})


def test_options_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "options.toml"
    path.write_text('max_edits = 7\nurl_rule = false\nblock_threshold = "20%"\n')
    options = read_options(path)
    recipe = make_settings("en,fr", recipe="bitextor2010", options=options).resolved_recipe()
    assert (recipe.options.max_edits, recipe.options.url_rule) == (7.0, False)
    assert recipe.options.block_threshold.of("en", "fr") == 0.2


def test_the_least_score_goes_with_the_aligner() -> None:
    made = make_settings("en,fr")
    assert made.least_score() == MIN_SCORE
    assert made.with_recipe("url_baseline", {}).least_score() == 0.0
    assert make_settings("en,fr", options={"aligner": "tags"}).least_score() == 0.0
    assert make_settings("en,fr", recipe="url_baseline", min_score=0.3).least_score() == 0.3


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        ({"lang_from": "guess"}, "lang_from=guess: give one of weighed, text, declared, path"),
        ({"lang_rules": ("nb",)}, "lang_rules=nb: give a part of addresses and a language"),
        ({"lang_rules": ("/nb/=norsk",)}, "lang_rules=/nb/=norsk: give a part of addresses and a language"),
    ],
)
def test_what_tells_a_language_is_checked_at_once(choice: dict[str, Any], said: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(said)):
        make_settings("en,fr", **choice)


def test_rules_for_languages_are_kept_in_toml() -> None:
    made = make_settings("en,nb", lang_from="path", lang_rules=("?lang=no=nb", "/nb/=nb"))
    assert Settings.from_table(tomllib.loads(tomli_w.dumps(made.to_table()))) == made


FILES = [
    ({"offensive": "words.txt"}, {"offensive": "{here}/words.txt"}),
    ({"offensive": Path("../here/words.txt")}, {"offensive": "{here}/words.txt"}),
    ({"offensive": "/lists/words.txt"}, {"offensive": "/lists/words.txt"}),
    ({"offensive": ""}, {"offensive": ""}),
    ({"warc_prefix": "warcs"}, {"warc_prefix": "{here}/warcs"}),
    ({"warc_prefix": "s3://bucket/warcs"}, {"warc_prefix": "s3://bucket/warcs"}),
    ({"warc_prefix": "https://a.example/warcs/"}, {"warc_prefix": "https://a.example/warcs/"}),
    ({"warc_prefix": "https:/warcs"}, {"warc_prefix": "{here}/https:/warcs"}),
]


@pytest.mark.parametrize(("typed", "stated"), FILES)
def test_a_run_states_files_from_the_root(
    typed: dict[str, Any], stated: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    for made in (make_settings("en,fr", **typed), settings_without_languages(**typed)):
        for name, path in stated.items():
            assert getattr(made, name) == path.format(here=tmp_path / "here")


EVIDENCE = [
    ("dictionary:d.tsv", "dictionary:{here}/d.tsv"),
    (
        "dictionary:d.tsv, e.tsv;translations:f.tsv;embed",
        "dictionary:{here}/d.tsv,{here}/e.tsv;translations:{here}/f.tsv;embed",
    ),
    ("translations:f, g.tsv", "translations:{here}/f, g.tsv"),
    ("dictionary:/lists/d.tsv", "dictionary:/lists/d.tsv"),
]


@pytest.mark.parametrize(("typed", "stated"), EVIDENCE)
def test_a_run_states_files_of_a_recipe_from_the_root(
    typed: str, stated: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sources, "_check", lambda source, langs: None)
    plain, evidence = make_settings("en,fr"), stated.format(here=tmp_path)
    by_set = make_settings("en,fr", options={"aligner_evidence": typed})
    for made in (by_set, plain.with_evidence(typed), plain.with_recipe("fused", {"aligner_evidence": typed})):
        assert dict(made.options) == {"aligner_evidence": evidence}
    short = dict(by_set.without_folders().options)["aligner_evidence"]
    assert short == stated.replace("{here}/", "").replace("/lists/", "")
    assert by_set.resolved_recipe().signature("1").endswith(f"|aligner_evidence={short}|diglot:1")
    lexicon = settings_without_languages(recipe="pwcc", options={"lexicon": "a.tsv,b.tsv", "mutual": "yes"})
    assert dict(lexicon.options) == {"lexicon": f"{tmp_path}/a.tsv,{tmp_path}/b.tsv", "mutual": "yes"}


@pytest.mark.parametrize(
    ("folder", "evidence", "is_stated"),
    [
        ("a,b", "dictionary:d.tsv", False),
        ("a,b", "translations:d.tsv", True),
        ("a;b", "translations:d.tsv", False),
        ("a\udcff", "translations:d.tsv", False),
        ("a b", "dictionary:d.tsv", True),
    ],
)
def test_a_file_stays_as_typed_where_its_folder_could_not_be_stated(
    folder: str, evidence: str, is_stated: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    monkeypatch.setattr(sources, "_check", lambda source, langs: None)
    made = dict(make_settings("en,fr", options={"aligner_evidence": evidence}).options)["aligner_evidence"]
    assert made == (evidence.replace(":", f":{tmp_path / folder}/") if is_stated else evidence)


def test_a_relative_path_of_an_earlier_run_stays_and_is_read_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words.txt").write_text("darn\n")
    monkeypatch.chdir(tmp_path)
    table = make_settings("en,fr").to_table() | {"offensive": "words.txt"}
    found = Settings.from_table(table)
    assert found.offensive == "words.txt"
    assert cleaning_options(found).offensive == {"darn"}
