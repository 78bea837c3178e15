"""The ``diglot.toml`` of a run makes it again, what is typed winning; what it lacks or nobody knows is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from diglot.cli import app
from diglot.cli.options import changed_options
from diglot.errors import DiglotError, UsageError
from diglot.results.run import open_run
from diglot.results.run_report import run_tables
from diglot.run.run_config import is_run_config, read_run_config, with_typed

SAMPLE = Path(__file__).parents[2] / "examples" / "sample" / "pages.warc.gz"
QUICK = ["--recipe", "url_baseline", "--set", "aligner=gale_church", "--quiet"]


def cli(*arguments: str | Path) -> None:
    CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False, standalone_mode=False)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("config") / "run"
    cli("harvest", SAMPLE, "-l", "en,fr", "-o", folder, "--min-score", "0.25", "--drop", "too_short", *QUICK)
    return folder


def test_the_run_is_made_again_to_the_same_bytes(run: Path, tmp_path: Path) -> None:
    cli("harvest", "--config", run / "diglot.toml", "-o", tmp_path / "again", "--quiet")
    for name in ("diglot.toml", "out/en-fr.tmx", "out/segments.en-fr.tsv", "out/pages.tsv"):
        assert (run / name).read_bytes() == (tmp_path / "again" / name).read_bytes(), name


def test_a_report_does_not_tell_where_files_lay(run: Path) -> None:
    assert str(SAMPLE.parent) in (run / "diglot.toml").read_text()
    assert str(SAMPLE.parent) not in json.dumps(dict(run_tables(open_run(run)).settings))


def test_files_of_options_are_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, other, run = tmp_path / "made", tmp_path / "other", tmp_path / "run"
    for folder, word in ((made, "apache"), (other, "the")):
        folder.mkdir()
        (folder / "words.txt").write_text(f"{word}\n")
    monkeypatch.chdir(made)
    cli("harvest", SAMPLE, "-l", "en,fr", "-o", run, "--offensive", "words.txt", *QUICK)
    told = (run / "out" / "segments.en-fr.tsv").read_bytes()
    assert b"offensive" in told
    monkeypatch.chdir(other)
    cli("clean", run, "--quiet")
    assert (run / "out" / "segments.en-fr.tsv").read_bytes() == told
    cli("harvest", "--config", run / "diglot.toml", "-o", run, "--quiet")
    assert (run / "out" / "segments.en-fr.tsv").read_bytes() == told
    cli("harvest", "--config", run / "diglot.toml", "-o", run, "--offensive=", "--quiet")
    assert open_run(run).settings.offensive == ""
    cli("clean", run, "--offensive", "words.txt", "--quiet")
    assert (run / "out" / "segments.en-fr.tsv").read_bytes() != told
    assert open_run(run).settings.offensive == str(other / "words.txt")
    assert str(tmp_path) not in (run / "out" / "summary.json").read_text()


def test_what_is_typed_wins(run: Path, tmp_path: Path) -> None:
    copied = tmp_path / "other.warc.gz"
    copied.write_bytes(SAMPLE.read_bytes())
    cli(
        *("harvest", copied, "--config", run / "diglot.toml", "-o", tmp_path / "again", "-l", "de,en", "--quiet"),
        *("--min-score", "0", "--set", "query_keys=false"),
    )
    again = open_run(tmp_path / "again")
    assert again.settings.langs == ("de", "en")
    assert again.settings.min_score == 0  # as typed, though it is what many options are without being typed
    assert again.settings.drop == ("too_short",)
    assert dict(again.settings.options) == {"aligner": "gale_church", "query_keys": "false"}
    assert [each["name"] for each in again.folder.settings()["sources"]] == ["other.warc.gz"]


def test_options_of_another_recipe_do_not_count(run: Path) -> None:
    config = read_run_config(run / "diglot.toml")
    asked = {"recipe": "fused", "options": {"point": "precise"}, "pivot": "", "min_prob": 0.0}
    found, crawl = with_typed(config, asked, ["recipe", "options"], {})
    assert (found["recipe"], found["options"], found["min_score"]) == ("fused", {"point": "precise"}, 0.25)
    assert crawl == {}
    typed, _ = with_typed(config, {"keep": ("too_short", "numbers")}, ["keep"], {})
    assert (typed["keep"], typed["drop"]) == (("too_short", "numbers"), ())
    found, _ = with_typed(config, asked, [], {})
    assert (found["recipe"], found["options"]) == ("url_baseline", {"aligner": "gale_church"})


CRAWL = """
diglot = "0.1.0"
[settings]
langs = ["en", "fr"]
[crawl]
starts = ["https://a.example/"]
langs = ["en", "fr"]
max_pages = 40
exclude = ["/private/*"]
[[sources]]
name = "crawl-00000.warc.gz"
path = "{run}/warc/crawl-00000.warc.gz"
[[sources]]
name = "more.warc.gz"
path = "/data/more.warc.gz"
"""


def test_of_a_crawl_the_start_and_its_options_are_taken_and_not_what_it_wrote(tmp_path: Path) -> None:
    path = tmp_path / "diglot.toml"
    path.write_text(CRAWL.format(run=tmp_path))
    config = read_run_config(path)
    assert config.sources == ("https://a.example/", "/data/more.warc.gz")
    assert config.langs == ("en", "fr")
    assert config.crawl == {"max_pages": 40, "exclude": ["/private/*"]}
    _, crawl = with_typed(config, {}, [], {"max_pages": 7})
    assert crawl == {"max_pages": 7, "exclude": ["/private/*"]}
    assert read_run_config(path, sources=True).crawl == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[settings]\nlangs = ['en', 'fr']\n", "names no source"),
        ("[settings]\n[[sources]]\npath = 'a'\n", "lacks the languages"),
        ("[settings]\nlangs = ['en', 'fr']\n[[sources]]\nname = 'a.warc'\n", r"where its source 'a\.warc' lies"),
        ("[settings]\nlangs = ['en', 'fr']\npivott = 'en'\n", "pivott.*pivot"),
        ("[settings]\nlangs = 'en'\n", "langs = 'en': write a list"),
        ("[settings]\nlangs = ['en', 'fr']\nmin_prob = '0.5'\n", "min_prob = '0.5'"),
        ("[settings]\nlangs = ['en', 'fr']\none_site = 1\n", "one_site = 1"),
        ("[settings]\nlangs = ['en', 'fr']\noptions = 3\n", "options is no table"),
        ("[setting]\nlangs = ['en', 'fr']\n[settings]\n", "setting.*settings"),
        ("signature = 'x'\nsettings = 3\n", "settings is no table"),
        ("[settings]\nlangs = ['en', 'fr']\n[sources]\npath = 'a'\n", "no list of tables"),
        ("merged = ['a']\n[settings]\nlangs = ['en', 'fr']\n", "diglot merge"),
        ("[settings\n", "cannot be read as TOML"),
    ],
)
def test_what_such_a_file_lacks_or_does_not_know_is_said_in_one_line(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "diglot.toml"
    path.write_text(content)
    with pytest.raises(UsageError, match=message) as refused:
        cli("harvest", "--config", path, "-o", tmp_path / "run")
    assert "\n" not in str(refused.value)
    assert str(path) in str(refused.value)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["harvest", "-l", "en,fr", "-o", "run"], "no SOURCE given"),
        (["harvest", str(SAMPLE), "-o", "run"], "Missing option '-l'"),
        (["harvest", str(SAMPLE), "--lang", "en,fr", "-o", "run"], "-l en,fr.*--lang is about the language of single"),
        (["harvest", "--config", "none.toml", "-o", "run"], "none.toml"),
        (["harvest", str(SAMPLE), "-l", "en,fr"], "Missing option '-o'.*as in -o run$"),
        (["harvest", str(SAMPLE), "new", "-l", "en,fr"], "Missing option '-o'.*as in -o new$"),
        (["harvest", str(SAMPLE), str(SAMPLE), "-l", "en,fr"], "Missing option '-o'.*as in -o run$"),
    ],
)
def test_what_is_missing_is_said(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DiglotError, match=message):
        cli(*arguments)


def test_other_commands_say_that_harvest_takes_it(run: Path, tmp_path: Path) -> None:
    config = run / "diglot.toml"
    with pytest.raises(UsageError, match="harvest"):
        cli("tasks", "plan", SAMPLE, "-l", "en,fr", "-o", tmp_path / "tasks", "--config", config)
    with pytest.raises(UsageError, match="harvest"):
        cli("pair", run, "--config", config)


def test_recipe_options_are_still_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "options.toml"
    path.write_text('aligner = "gale_church"\n')
    assert not is_run_config(path)
    assert changed_options(["max_edits=3"], path) == {"aligner": "gale_church", "max_edits": "3"}
