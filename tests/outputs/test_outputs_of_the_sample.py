"""What a harvest of the sample writes, pinned: which files, their rows, and what became of each page and segment."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from diglot.corpus.formats.tmx import read_tmx
from diglot.harvesting import harvest
from diglot.outputs.run_text import funnel_text
from diglot.results.run import Run
from diglot.run.run_config import read_run_config

SAMPLE = Path(__file__).parents[2] / "examples" / "sample" / "pages.warc.gz"
ROOT = "https://httpd.apache.org/docs/2.4/"
KEPT = {"en-de": 285, "en-fr": 1331, "de-fr": 493}
ALIGNED = {"en-de": 925, "en-fr": 2393, "de-fr": 1346}
PAIRS = {"en-de": 9, "en-fr": 23, "de-fr": 13}
CONFLICTS = {"en-de": 10, "en-fr": 28, "de-fr": 18}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The sample in three languages; not to be changed."""
    return harvest(SAMPLE, "en,de,fr", tmp_path_factory.mktemp("sample") / "run", jobs=1)


def rows_of(run: Run, name: str) -> list[dict[str, str]]:
    with (run.path / "out" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def test_the_files(run: Run) -> None:
    by_pair = [
        name
        for pair in KEPT
        for name in (f"{pair}.tmx", *(f"{k}.{pair}.tsv" for k in ("conflicts", "pairs", "segments")))
    ]
    assert sorted(path.name for path in (run.path / "out").iterdir()) == sorted([*by_pair, "pages.tsv", "summary.json"])
    stages = {path.name for path in run.path.iterdir() if path.is_dir() and any(path.iterdir())}
    assert stages == {"documents", "resolved", "pairs", "segments", "flagged", "out"}
    for stage in stages - {"out"}:
        (shard,) = (run.path / stage).iterdir()
        assert shard.name.endswith("-00000.parquet")


@pytest.mark.parametrize("pair", KEPT)
def test_rows_of_each_file(run: Run, pair: str) -> None:
    segments = rows_of(run, f"segments.{pair}.tsv")
    assert len(segments) == ALIGNED[pair]
    assert len(rows_of(run, f"pairs.{pair}.tsv")) == PAIRS[pair]
    assert len(rows_of(run, f"conflicts.{pair}.tsv")) == CONFLICTS[pair]
    units = [tuple(each.text for each in unit.variants) for unit in read_tmx(run.path / "out" / f"{pair}.tmx")]
    assert len(units) == KEPT[pair]
    texts = {(row["src"], row["tgt"]) for row in segments}
    assert texts.issuperset(units)


def test_first_rows(run: Run) -> None:
    actions = {"src_url": f"{ROOT}en/mod/mod_actions.html", "tgt_url": f"{ROOT}de/mod/mod_actions.html"}
    assert rows_of(run, "pairs.en-de.tsv")[0] == {**actions, "probability": "1.0000", "method": "fused"}
    title, menu = rows_of(run, "segments.en-de.tsv")[:2]
    same = "mod_actions - Apache HTTP Server Version 2.4"
    assert title == {"src": same, "tgt": same, "score": "0.8468", "bead": "1-1", "flags": "identical", **actions}
    assert (menu["src"], menu["tgt"]) == ("Modules", "Module")
    assert menu["flags"] == "boilerplate,duplicate,too_short"
    first = rows_of(run, "conflicts.en-de.tsv")[:2]
    assert [(row["src"], row["kept"], row["copies"]) for row in first] == [
        ("An idle process is one which is not handling a request.", "yes", "1") for _ in range(2)
    ]
    unit = next(read_tmx(run.path / "out" / "en-de.tmx"))
    assert [(each.lang, each.text) for each in unit.variants] == [
        ("en", "Glossary"),
        ("de", "Glossar"),
    ]


def test_what_became_of_each_page(run: Run) -> None:
    rows = rows_of(run, "pages.tsv")
    assert [row["url"] for row in rows] == sorted(row["url"] for row in rows)
    assert {row["source"] for row in rows} == {"pages.warc.gz"}
    assert Counter((row["lang"], row["fate"]) for row in rows) == {
        ("fr", "used"): 27,
        ("en", "used"): 23,
        ("de", "used"): 13,
        ("", "dropped"): 1,
        ("en", "dropped"): 8,
        ("ja", "dropped"): 24,
        ("es", "dropped"): 1,
        ("tr", "dropped"): 1,
    }
    dropped = {row["url"].removeprefix(ROOT): row for row in rows if row["fate"] == "dropped"}
    others = {name for name, row in dropped.items() if row["reason"] == "other_language"}
    assert {row["lang"] for row in rows if row["reason"] == "other_language"} == {"ja", "es", "tr"}
    assert {
        name: (row["reason"], row["detail"].replace(ROOT, "")) for name, row in dropped.items() if name not in others
    } == {
        "de/howto/access.html": ("duplicate", "equal to en/howto/access.html"),
        "de/vhosts/ip-based.html": ("duplicate", "equal to en/vhosts/ip-based.html"),
        "ja/howto/access.html": ("duplicate", "equal to en/howto/access.html"),
        "en/developer/documenting.html": ("no_partner", ""),
        "en/developer/filters.html": ("no_partner", ""),
        "en/developer/hooks.html": ("no_partner", ""),
        "en/license.html": ("no_partner", ""),
        "en/platform/ebcdic.html": ("no_partner", ""),
        "images/left.gif": ("not_html", "image/gif"),
    }


def test_the_summary(run: Run) -> None:
    summary = run.summary()
    assert list(summary) == [
        *("pages", "used", "dropped", "documents", "documents_by_language", "candidates", "pairs", "segments", "kept"),
        *("kept_right", "flags", "left_out", "below_min_score", "min_score", "warned", "recipe", "version"),
        *("sites", "estimates", "notes", "seconds"),
    ]
    assert {name: summary[name] for name in ("pages", "used", "documents", "candidates", "below_min_score")} == {
        "pages": 98,
        "used": 63,
        "documents": 97,
        "candidates": 789,
        "below_min_score": 99,
    }
    assert summary["dropped"] == {"duplicate": 3, "no_partner": 5, "not_html": 1, "other_language": 26}
    assert (summary["pairs"], summary["segments"], summary["kept"]) == (PAIRS, ALIGNED, KEPT)
    assert summary["kept_right"] == {"en-de": 0.7928, "en-fr": 0.8655, "de-fr": 0.7619, "all": 0.8314}
    assert list(summary["left_out"].items()) == [
        *(("contained", 4), ("identical", 1052), ("language_menu", 90), ("length_ratio", 8), ("no_letters", 1)),
        *(("numbers", 6), ("series", 4), ("unaligned", 431)),
        *(("wrong_language", 6), ("boilerplate", 542), ("duplicate", 304), ("near_duplicate", 4), ("conflict", 4)),
    ]
    assert summary["estimates"]["en-de"] == {"precision": 0.996, "recall": 0.9945}
    assert summary["estimates"]["all"] == {"precision": 0.9952, "recall": 0.9948}
    assert summary["sites"] == [{"site": "apache.org", "documents": 97, "used": 63, "pairs": 45, "kept": 2109}]
    assert set(summary["seconds"]) == {"read", "resolve", "pair", "align", "clean", "write"}


def test_the_figures_of_the_funnel_in_their_order(run: Run) -> None:
    """Numbers alone: how they are worded may change."""
    numbers: list[Any] = [
        [int(word) for word in line.replace(",", "").split() if word.isdigit()]
        for line in funnel_text(run.summary()).splitlines()
    ]
    numbers = [found for found in numbers if found]
    assert [found[0] for found in numbers] == [
        *(98, 26, 5, 3, 1, 31, 45, 9, 23, 13, 4664, 285, 1331, 493),
        *(1052, 542, 431, 304, 90, 8, 6, 6, 4, 4, 4, 4, 1, 99, 146, 23, 2),
    ]
    assert numbers[0] == [98, 63, 35]
    assert numbers[5] == [31, 27, 24, 13, 1, 1]
    assert numbers[10] == [4664, 2109, 2555]


def test_what_the_run_says_of_itself(run: Run) -> None:
    written = run.folder.settings()
    assert list(written) == ["diglot", "signature", "settings", "sources"]
    assert [(each["name"], each["kind"], each["hash"]) for each in written["sources"]] == [
        ("pages.warc.gz", "warc", "86ff4b9f67db857df5a380c06a6395e4")
    ]
    again = read_run_config(run.path / "diglot.toml")
    assert (again.sources, again.langs, again.crawl) == ((str(SAMPLE),), ("en", "de", "fr"), {})
    assert json.loads((run.path / "out" / "summary.json").read_text("utf-8")) == run.summary()
