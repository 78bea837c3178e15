"""Wrong arguments of the functions for Python are refused at the door, in words, before anything is written."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import diglot
from diglot.errors import LanguageError, RunFolderError, SourceError, UsageError
from diglot.recipes import get_recipe
from made_website import as_folder

HARVESTS: dict[str, dict[str, Any]] = {
    "jobs=-1: give a number of processes": {"jobs": -1},
    "jobs='2': give a number of processes": {"jobs": "2"},
    "jobs=1.5: give a number of processes": {"jobs": 1.5},
    "jobs=True: give a number of processes": {"jobs": True},
    "source=5: give an address or a path": {"source": 5},
    "source=None": {"source": None},
    "langs=None: give languages": {"langs": None},
    "langs=['en', 5]": {"langs": ["en", 5]},
    "out=None: give a path": {"out": None},
    "out='': give a path": {"out": ""},
    "out='a\\x00b': give a path in UTF-8, with names of at most 255 bytes and no null character": {"out": "a\0b"},
    "out='\\ud800': give a path": {"out": "\ud800"},
    "out='a\\udcff': give a path": {"out": "a\udcff"},
    "out='/tmp/yyyyyyyyyyyyyyyyy": {"out": "/tmp/" + 256 * "y"},
    "offensive='a\\x00b': give a path": {"offensive": "a\0b"},
    "lang_from={}: give a text": {"lang_from": {}},
    "max_page_bytes=1000000000000": {"max_page_bytes": 10**12},
    "options=['a']: give options by name": {"options": ["a"]},
    "options={1: 2}: give options by name": {"options": {1: 2}},
    "base_url=5: give a text": {"base_url": 5},
    "base_url=PosixPath('pages'): give a text": {"base_url": Path("pages")},
    "offensive=5: give a path": {"offensive": 5},
    "progress=<built-in function print>: give an object": {"progress": print},
    "min_score='0.7': give a number": {"min_score": "0.7"},
    "min_score=7: give a number between 0 and 1": {"min_score": 7},
    "min_prob=None: give a number": {"min_prob": None},
    "min_prob=-0.1: give a number between 0 and 1": {"min_prob": -0.1},
    "keep='duplicate': give a list of texts": {"keep": "duplicate"},
    "hosts='a.example': give a list of texts": {"hosts": "a.example"},
    "crawl=5: give options by name": {"crawl": 5},
    "include='/en/': give a list of texts": {"crawl": {"include": "/en/"}},
    "max_pages='5': give a whole number": {"crawl": {"max_pages": "5"}},
    "no_documents=0: give True or False": {"crawl": {"no_documents": 0}},
    "split_pages='no': give True or False": {"split_pages": "no"},
    "one_site=None: give True or False": {"one_site": None},
    "folders=1: give True or False": {"folders": 1},
    "skip_unreadable='': give True or False": {"skip_unreadable": ""},
    "overwrite='no': give True or False": {"overwrite": "no"},
    "lang_from=guess: give one of": {"lang_from": "guess"},
    "lang_rules=nb: give a part of addresses": {"lang_rules": ["nb"]},
    "keep= and drop= both name numbers": {"keep": ["numbers"], "drop": ["numbers"]},
    "none.txt: cannot be read as UTF-8 text": {"base_url": "http://a.example/", "offensive": "none.txt"},
    "pii=all: give one of flag, mask, off": {"pii": "all"},
    "base_url=nowhere: not a plain web address": {"base_url": "nowhere"},
    "give base_url=https://HOST/PATH": {},
    "hosts= chooses from a CDXJ index": {"base_url": "http://a.example/", "hosts": ["a.example"]},
    "warc_prefix= says where": {"base_url": "http://a.example/", "warc_prefix": "x"},
    "warc_prefix=https://a.example/w/: give a folder, or s3://, gs:// or hdfs://; fetch files of other addresses": {
        "warc_prefix": "https://a.example/w/"
    },
    "max_pages=: an option of the crawl; write crawl={'max_pages': ...}": {"max_pages": 5},
    "max_pages=: for a crawl": {"crawl": {"max_pages": 5}},
    "max_pages=900: above 500, tell the site whom to write to: agent='diglot/": {
        "source": "https://a.example/",
        "crawl": {"max_pages": 900},
    },
    "max_time_s=nan: give 0 or more": {"source": "https://a.example/", "crawl": {"max_time_s": float("nan")}},
    "agent=: one line": {"source": "https://a.example/", "crawl": {"agent": "A\nB"}},
    "allow_hosts='a:b': is not HOST:PORT": {"source": "https://a.example/", "crawl": {"allow_hosts": ["a:b"]}},
    "allow_hosts=HOST:PORT lets one host through": {"source": "http://127.0.0.1:8/"},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return as_folder(tmp_path_factory.mktemp("site") / "pages")


@pytest.fixture(scope="module")
def run(site: Path, tmp_path_factory: pytest.TempPathFactory) -> diglot.Run:
    out = tmp_path_factory.mktemp("run") / "run"
    return diglot.harvest(site, "en,fr,de", out, base_url="http://garden.example/", jobs=1)


@pytest.mark.parametrize("told", HARVESTS)
def test_a_harvest_refuses_a_wrong_value_and_makes_no_folder(told: str, site: Path, tmp_path: Path) -> None:
    given = {"source": site, "langs": "en,fr", "out": tmp_path / "run", **HARVESTS[told]}
    with pytest.raises(UsageError, match=re.escape(told)):
        diglot.harvest(**given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("function", [diglot.align_run, diglot.forget, diglot.update])
def test_functions_on_runs_refuse_a_negative_number_of_processes(function: Callable[..., Any], run: diglot.Run) -> None:
    with pytest.raises(UsageError, match="jobs=-1: give a number of processes"):
        function(run, jobs=-1)


def test_functions_on_files_refuse_a_negative_number_of_processes(site: Path, tmp_path: Path) -> None:
    for call in (diglot.find_languages, diglot.plan_files):
        with pytest.raises(UsageError, match="jobs=-1"):
            call(site, jobs=-1)
    with pytest.raises(UsageError, match="jobs=-1"):
        diglot.compare(site, "en,fr", jobs=-1)
    with pytest.raises(UsageError, match="jobs=-1"):
        diglot.read_sources(site, "en,fr", tmp_path / "out", jobs=-1)


@pytest.mark.parametrize("source", ["", " ", ["", "pages"]])
def test_an_empty_name_is_no_source(source: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    as_folder(tmp_path / "pages")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="names no source; give a web address"):
        diglot.harvest(source, "en,fr", "run")
    assert not (tmp_path / "run").exists()


def test_values_of_numpy_and_columns_are_values_of_python(site: Path, tmp_path: Path) -> None:
    plain = {
        "langs": ["en", "fr"],
        "min_score": 0.75,
        "min_prob": 0.25,
        "keep": ["duplicate"],
        "max_page_bytes": 9000,
        "options": {"seed": 0, "min_probability": 0.9},
    }
    other: dict[str, Any] = {
        "langs": pa.chunked_array([["en"], ["fr"]]),
        "min_score": np.float64(0.75),
        "min_prob": np.float32(0.25),
        "keep": {"duplicate": 1}.keys(),
        "max_page_bytes": np.int64(9000),
        "options": {"seed": np.int64(0), "min_probability": "0.9"},
    }
    runs = [
        diglot.harvest(site, out=tmp_path / name, base_url="http://a.example/", jobs=1, **given)
        for name, given in (("plain", plain), ("other", other))
    ]
    texts = [(run.path / "diglot.toml").read_text(encoding="utf-8") for run in runs]
    assert texts[0] == texts[1]
    assert runs[0].settings == runs[1].settings
    numbers = [run.count_kept(min_score=score) for run, score in zip(runs, (0.8, Fraction(4, 5)), strict=True)]
    assert numbers[0] == numbers[1]
    assert runs[1].export(np.array(["tmx"]), tmp_path / "memory", langs=np.array(["en", "fr"]))


def test_a_crawl_takes_numbers_of_numpy(tmp_path: Path) -> None:
    limits: Any = {"max_pages": np.int64(5), "delay_s": np.float32(0.5), "include": np.array(["/a*"])}
    with pytest.raises(UsageError, match="allow_hosts=HOST:PORT lets one host through"):
        diglot.crawl_run("http://127.0.0.1:8/a", tmp_path / "run", langs=np.array(["en", "fr"]), crawl=limits)


def test_a_source_of_evidence_is_a_text_or_a_list(run: diglot.Run) -> None:
    number: Any = 5
    with pytest.raises(UsageError, match="evidence=5: give sources of evidence"):
        diglot.align(["a"], ["b"], "en", "fr", evidence=number)
    with pytest.raises(UsageError, match="src_lang=5: give a text"):
        diglot.align(["a"], ["b"], number, "fr")
    for one in ("nothing", ["nothing"]):
        with pytest.raises(UsageError, match="nothing"):
            diglot.align_run(run, evidence=one)
    function: Any = len
    for given in (function, [function]):
        with pytest.raises(UsageError, match="a run names its evidence, as in 'embed'; a function works"):
            diglot.align_run(run, evidence=given)


def test_recipes_are_a_text_or_a_list(site: Path) -> None:
    for names in ("url_baseline, pwcc", ["url_baseline", "pwcc"]):
        compared = diglot.compare(site, "en,fr", recipes=names, base_url="http://a.example/", jobs=1)
        assert [each.recipe for each in compared.contenders] == ["url_baseline", "pwcc"]


def test_a_text_is_no_list_of_texts(run: diglot.Run, tmp_path: Path) -> None:
    names: Any = "tmx"
    with pytest.raises(UsageError, match=re.escape("names='tmx': give a list of texts, as in ['one', 'two']")):
        run.export(names, tmp_path)
    runs: Any = str(run.path)
    with pytest.raises(UsageError, match="give a list of paths"):
        diglot.merge(runs, tmp_path / "merged")
    assert not list(tmp_path.iterdir())


def test_an_export_refuses_unknown_flags(run: diglot.Run, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no flag 'dupl'; did you mean duplicate"):
        run.export(["tsv"], tmp_path / "out", excluded=frozenset({"dupl"}))
    assert not (tmp_path / "out").exists()


def test_wrong_languages_are_told_what_to_name(run: diglot.Run) -> None:
    with pytest.raises(LanguageError, match="name two languages, a pair of the run: en-fr, en-de, fr-de"):
        run.segments()
    with pytest.raises(LanguageError, match="the pair is en-fr here: name en first"):
        run.segments("fr", "en")
    with pytest.raises(LanguageError, match="has no pair en-ja; it has: en-fr"):
        run.segments("en", "ja")
    with pytest.raises(LanguageError, match="'zz-nope-!' is not a language code"):
        diglot.align(["a"], ["b"], "en", "zz-nope-!")


CALLS: dict[str, Callable[[Any], Any]] = {
    "no crawl option 'langs'": lambda run: diglot.harvest("https://a.example/", "en,fr", "x", crawl={"langs": "de"}),
    "no option 'foo'": lambda run: diglot.find_languages("x", foo=1),
    "None is no text": lambda run: diglot.align([None], ["x"], "en", "de"),
    "5 is no text": lambda run: diglot.align(5, ["x"], "en", "de"),
    "['tmx'] is no name of a format": lambda run: run.segments("en", "fr").write("memory", ["tmx"]),
    "['tsv'] is no name of a format": lambda run: run.terms("en", "fr").write("memory", ["tsv"]),
    "no format is named; there are": lambda run: run.segments("en", "fr").write("memory"),
    "no format is named; there are: tmx": lambda run: run.export([]),
    "flag=3: give a flag or flags": lambda run: run.segments("en", "fr").filter(flag=3),
    "min_score='a': give a number": lambda run: run.segments("en", "fr").filter(min_score="a"),
    "min_score=None: give a number between 0 and 1": lambda run: run.segments("en", "fr").filter(min_score=None),
    "min_score=5: give a number between 0 and 1": lambda run: run.segments("en", "fr").filter(min_score=5),
    "src=3: give a text": lambda run: run.segments("en", "fr").filter(src=3),
    "size=2.5: give a whole number": lambda run: run.segments("en", "fr").sample(2.5),
    "size='3': give a whole number": lambda run: run.segments("en", "fr").sample("3"),
    "3 is no Segments": lambda run: run.segments("en", "fr").join(3),
    "termhood='a': give a number": lambda run: run.terms("en", "fr").choose(termhood="a"),
    "termhood=5: give a number between 0 and 1": lambda run: run.terms("en", "fr").choose(termhood=5),
    "termhood=None: give a number": lambda run: run.terms("en", "fr").choose(termhood=None),
    "size=-1: give a whole number, at least 1": lambda run: diglot.sample(run, -1),
    "size=0: give a whole number, at least 1": lambda run: diglot.sample(run, 0),
    "'en-fr' is no pair of languages": lambda run: run.each_part("en-fr"),
    "None is no pair of languages": lambda run: run.each_part(None),
    "path=None: give a path in UTF-8, with names": lambda run: run.terms("en", "fr").decide(None),
    "out=None: give a path": lambda run: run.terms("en", "fr").write(None, "tsv"),
    "src='\\ud800': give a text": lambda run: run.segments("en", "fr").filter(src="\ud800"),
    "page='\\ud800': give a text": lambda run: run.segments("en", "fr").filter(page="\ud800"),
    "out='a\\x00b': give a path": lambda run: run.export(["tsv"], "a\0b"),
    "path='\\ud800': give a path": lambda run: diglot.check_tmx("\ud800"),
    "has no pair en-sv": lambda run: run.each_part(("en", "sv")),
    "handle=": lambda run: run.export_text(["tsv"], io.StringIO(), langs="en,fr"),
    "min_score=6: give a number between 0 and 1": lambda run: run.export(["tmx"], "memory", min_score=6),
    "min_score=7: give a number between 0 and 1": lambda run: run.count_kept(min_score=7),
    "min_score=nan: give a number between 0 and 1": lambda run: run.count_kept(min_score=float("nan")),
    "min_prob=4: give a number between 0 and 1": lambda run: run.count_kept(min_prob=4),
    "min_prob=2: give a number between 0 and 1": lambda run: run.pairs(min_prob=2),
    "min_prob=3: give a number between 0 and 1": lambda run: run.segments("en", "fr", min_prob=3),
    "spreadsheet='no': give True or False": lambda run: run.export(["csv"], "memory", spreadsheet="no"),
    "regex='no': give True or False": lambda run: diglot.search(run, "a", regex="no"),
    "same_text=0: give True or False": lambda run: diglot.forget(run, "http://a.example/", same_text=0),
    "least=7: give a number between 0 and 1": lambda run: run.terms("en", "fr", least=7),
    "path=None: give a path": lambda run: diglot.check_tmx(None),
    "path=b'x.tmx': give a path": lambda run: diglot.check_tmx(b"x.tmx"),
    "out=b'memory': give a path": lambda run: run.segments("en", "fr").write(b"memory", "tmx"),
    "descending='no': give True or False": lambda run: run.segments("en", "fr").sort(descending="no"),
    "True: give a number or a slice": lambda run: run.segments("en", "fr")[True],
    "array([ True, False]): give a number or a slice": lambda run: run.segments("en", "fr")[np.array([True, False])],
    "max_page_bytes=0: give a whole number, at least 1": lambda run: diglot.harvest("x", "en", "y", max_page_bytes=0),
    "langs=en,it: the run has no such pair": lambda run: run.export(["tsv"], langs="en,it"),
    "langs=en,fr,de: give two languages, as in langs=en,fr": lambda run: diglot.sample(run, langs="en,fr,de"),
    "variants=en-nowhere: no BCP 47 tag": lambda run: run.export(["tmx"], variants="en-nowhere"),
    "pivot=it: none of the languages": lambda run: run.export(["tsv"], pivot="it"),
    "spreadsheet=True: for csv": lambda run: run.export(["tmx"], spreadsheet=True),
    "leave out regex=True to search": lambda run: diglot.search(run, "(", regex=True),
    "ignore= needs gold=": lambda run: diglot.compare("x", "en,fr", ignore="y"),
    "recipes=[]: name recipes": lambda run: diglot.compare("x", "en,fr", recipes=[]),
    "name one thing to forget: url=ADDRESS or host=HOST": lambda run: diglot.forget(run),
    "option min_probability: 5": lambda run: get_recipe("fused").with_options({"min_probability": 5}),
}


@pytest.mark.parametrize("told", CALLS)
def test_wrong_values_are_told_in_words(
    told: str, run: diglot.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=re.escape(told)):
        CALLS[told](run)
    assert not list(tmp_path.iterdir())


def test_what_was_refused_without_need_is_taken(run: diglot.Run) -> None:
    assert run.segments("EN", "Fr").name == "en-fr"
    assert {part.name for part in run.each_part()} == {"en-fr", "en-de", "fr-de"}
    assert get_recipe("fused").with_options({"min_probability": 0.3}).options.min_probability == 0.3
    beads = diglot.align(["One.", "Two."], ["Un.", "Deux."], "en", "fr")
    for made in (np.array, iter, tuple):
        assert diglot.align(made(["One.", "Two."]), made(["Un.", "Deux."]), "en", "fr") == beads


def test_an_unfinished_run_has_no_pairs_to_read(site: Path, tmp_path: Path) -> None:
    diglot.read_sources(site, "en,fr", tmp_path / "run", base_url="http://a.example/", jobs=1)
    with pytest.raises(RunFolderError, match="holds no pairs yet"):
        diglot.open_run(tmp_path / "run").pairs()
