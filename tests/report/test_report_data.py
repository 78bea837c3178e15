"""What stands in a report: figures by hand, every text where it belongs, and no text that could be markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shlex
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.cli.commands import _long_options
from diglot.language_names import language_name
from diglot.pairing.cascade import Contribution, Contributions
from diglot.report.figures import count_words
from diglot.report.headline import SITE_ROWS, command, headline, pair_command, site_title
from diglot.report.one_file import content_policy, json_block, pack
from diglot.report.run_page import report_text, segment_data
from diglot.report.shown_rows import LOW_SCORE, ROWS_A_KIND, choose_rows
from diglot.report.tables import RunTables
from report.made_run import HOST, HOSTILE, made_run, segment, thresholds


def pages_of(count: int, each: int) -> list[dict[str, Any]]:
    return [
        segment(f"sentence {n} of {page}", f"phrase {n} de {page}", page=page, position=n, score=n / each)
        for page in range(count)
        for n in range(each)
    ]


def test_thresholds_by_hand() -> None:
    counts, means = thresholds([0.25, 0.5, 0.75, 1.0])
    assert [counts[at] for at in (0, 25, 26, 50, 100)] == [4, 4, 3, 3, 1]
    assert [means[at] for at in (0, 26, 51, 100)] == pytest.approx([0.625, 0.75, 0.875, 1.0])
    assert thresholds([]) == ([0] * 101, [0.0] * 101)


@given(st.lists(st.integers(0, 100).map(lambda n: n / 100)))
def test_thresholds_count_what_reaches_them(scores: list[float]) -> None:
    counts, means = thresholds(scores)
    for step in (0, 7, 50, 58, 100):
        reach = [score for score in scores if round(score * 100) >= step]
        assert counts[step] == len(reach)
        assert means[step] == pytest.approx(sum(reach) / len(reach) if reach else 0, abs=1e-4)


@pytest.mark.parametrize(
    ("text", "words"),
    [("It's one, two – three.", 4), ("第一。ABC", 3), ("", 0), ("مرحبا بالعالم", 2), ("v2.4 = 3", 2)],
)
def test_words(text: str, words: int) -> None:
    assert count_words(pa.chunked_array([[text, ""]], pa.string())).tolist() == [words, 0]


def test_headline_by_hand() -> None:
    rows = [
        segment("One two.", "Un deux.", score=0.8),
        segment("Three.", "Trois.", position=1, score=0.6),
        segment("Same", "Same", position=2, flags=["identical"], score=1.0),
        segment("John", "Marie", position=3, flags=["too_short"], score=0.7),
        segment("Low", "Basse", position=4, score=0.4),
    ]
    run = made_run(rows)
    head = headline(run, choose_rows(run))
    (pair,) = head["lang_pairs"]
    assert (pair["segments"], pair["kept"], pair["src_words"], pair["tgt_words"]) == (5, 3, 4, 4)
    assert (pair["src_name"], *(pair["kept_from"][step] for step in (0, 50, 65))) == ("English", 4, 3, 2)
    assert pair["mean_from"][50] == pytest.approx(0.7)
    assert [(each["flag"], each["out"], each["kept"]) for each in head["flags"]] == [
        ("identical", 1, 0),
        ("too_short", 0, 1),
    ]
    assert (head["below_min_score"], head["min_score"]) == (1, 0.5)
    assert head["dropped"][0]["examples"] == [{"url": f"{HOST}/gone", "detail": "404"}]
    assert head["fetched"] == ["2026-11-12", "2026-11-12"]
    assert [each["differs"] for each in head["languages"]] == [False, True]  # fr declared as en-GB
    assert "seconds" not in json.dumps(head)


def test_scores_of_length_aligners_are_no_probabilities() -> None:
    for aligner, probable in (("lexical", True), ("gale_church", False), ("tags", False)):
        run = made_run([segment("a", "b")], aligner=aligner)
        assert headline(run, choose_rows(run))["scores_are_probabilities"] is probable


def test_command() -> None:
    options = {
        "langs": ["en", "fr"],
        "recipe": "ilsp",
        "options": {"x": "a b"},
        "pivot": "en",
        "one_site": True,
        "min_score": 0.25,
    }
    settings = {"sources": [{"name": "a b.warc"}], "settings": {**options, "min_prob": 0.0, "keep": ["conflict"]}}
    assert command(settings) == (
        "diglot harvest 'a b.warc' -l en,fr -o RUN --recipe ilsp --set 'x=a b' --pivot en --min-score 0.25 "
        "--keep conflict --one-site"
    )


def test_the_command_of_a_crawl_names_its_addresses_and_options() -> None:
    crawl: dict[str, Any] = {"starts": ["https://a.example/"], "langs": ["en", "fr"], "max_pages": 30}
    crawl |= {"max_time_s": 5400.0}
    crawl |= {"no_documents": True, "include": ["/a/*", "/b/*"], "delay_s": 0.5, "agent": "Ann", "proxy": "http://p"}
    sources = [{"name": "crawl-00000.warc.gz"}, {"name": "more.warc"}]
    options = {"langs": ["en", "fr"], "recipe": "fused", "options": {}}
    typed = command({"crawl": crawl, "sources": sources, "settings": options})
    assert typed == (
        "diglot harvest https://a.example/ more.warc -l en,fr -o RUN --recipe fused --max-pages 30 --no-documents "
        "--max-time 5400s --include '/a/*' --include '/b/*' --delay 0.5 --agent Ann"
    )
    # The command line knows each of these options.
    words = shlex.split(typed)
    assert {word for word in words if word.startswith("--")} <= _long_options(words[1:])


@pytest.mark.parametrize(("seconds", "typed"), [(1234567.0, "1234567s"), (0.5, "0.5s"), (90, "90s")])
def test_the_time_of_a_crawl_is_typed_as_it_was(seconds: float, typed: str) -> None:
    crawl = {"starts": ["https://a.example/"], "max_time_s": seconds}
    settings = {"crawl": crawl, "sources": [], "settings": {"langs": ["en", "fr"], "recipe": "fused", "options": {}}}
    assert command(settings).partition("--max-time ")[2] == typed


def test_a_run_is_repeated_by_its_own_file() -> None:
    run = made_run([segment("a", "b")])
    stated = headline(run, choose_rows(run))["run"]["command"].splitlines()
    assert stated[0] == "diglot harvest site.warc.gz -l en,fr -o RUN --recipe fused --set seed=1 --min-prob 0.5"
    assert stated[1].startswith("diglot harvest --config RUN/diglot.toml -o NEW")
    merged = replace(run, settings={**run.settings, "merged": ["one", "two"]})
    assert headline(merged, choose_rows(merged))["run"]["command"] == "diglot merge one two -o RUN"
    assert pair_command(replace(merged, least_option="min_probability")) == (
        "diglot export RUN --min-prob {} -o FOLDER"
    )


def test_the_command_for_page_pairs() -> None:
    run = made_run([segment("a", "b")])
    assert pair_command(run) == "diglot harvest --config RUN/diglot.toml -o RUN --min-prob {}"
    with_option = replace(run, least_option="min_probability")
    assert pair_command(with_option) == ("diglot pair RUN --set seed=1 --set min_probability={} && diglot align RUN")
    options = {"seed": "1", "min_probability": "0.7"}
    set_before = {**run.settings, "settings": {**run.settings["settings"], "options": options}}
    assert pair_command(replace(with_option, settings=set_before)) == pair_command(with_option)


def test_the_title_names_the_sites() -> None:
    run = made_run([segment("a", "b"), segment("c", "d", page=1, src_url="https://other.example/1")])
    assert site_title(run) == "example.org, other.example"  # of its pages, those with most first
    assert "<title>example.org, other.example (en\u2013fr): Diglot report</title>" in report_text(run)
    for count, said in ((1, "site0"), (3, "site0, site1, site2"), (1_004, "site0, site1 and 1,002 more sites")):
        sites = [{"site": f"site{n}", "documents": 1, "used": 1, "pairs": 1, "kept": 9} for n in range(count)]
        of_many = replace(run, summary={**run.summary, "sites": sites})
        assert site_title(of_many) == said
    head = headline(of_many, choose_rows(of_many))
    assert (len(head["sites"]), head["sites_of"]) == (SITE_ROWS, 1_004)
    empty = made_run([])
    assert site_title(empty) == "site.warc.gz"


def test_log_odds_and_grounds_of_page_pairs() -> None:
    run = made_run([segment("a", "b", score=0.75), segment("c", "d", page=1, score=1.0)])
    words = (Contribution("chat", "cat", 5.25), Contribution("", "dog", 1.0))
    told = Contributions(
        words, (Contribution("x", "", -2.5),), (Contribution("One.", "Un.", 9.0),), 7, False, float("nan")
    )
    pair = (f"{HOST}/en/0", f"{HOST}/fr/0")
    data = segment_data(run, choose_rows(run), {pair: (told, "https://example.org/rival")})["pairs"]
    assert data["log_odds"] == [1.58, 25.0]  # log2 of 3; as sure as a float32 can be
    assert data["grounds"] == [
        {
            "words_for": [["chat", "cat", 5.25], ["", "dog", 1.0]],
            "words_against": [["x", "", -2.5]],
            "blocks": [["One.", "Un.", 9.0]],
            "rival": "https://example.org/rival",
            "of_src": False,
            "lead_bits": None,
        },
        None,
    ]


def test_language_names() -> None:
    assert [language_name(tag) for tag in ("pt-BR", "zh-Hant", "x y")] == [
        "Portuguese (Brazil)",
        "Chinese (Traditional)",
        "x y",
    ]


def texts_of(data: dict[str, Any], run: RunTables) -> list[tuple[str, str, str, float, str, list[str]]]:
    """The segments as the script of the page reads them."""
    found, first = [], 0
    for pair, end in enumerate(data["pairs"]["ends"]):
        src, tgt = run.lang_pairs[data["pairs"]["lang_pair"][pair]]
        columns = (data["rows"][name][first:end] for name in ("src", "tgt", "score", "bead", "flags"))
        for s, t, score, bead, flags in zip(*columns, strict=True):
            texts = data["texts"][src][s], data["texts"][tgt][t]
            url = data["pairs"]["src_url"][pair]
            found.append((url, *texts, score / 1000, data["beads"][bead], data["flag_sets"][flags]))
        first = end
    return found


def test_every_segment_is_where_it_belongs() -> None:
    rows = [
        segment("b", "β", page=1, position=1, bead="2-1", flags=["duplicate", "numbers"], score=0.125),
        segment("a", "α", page=0),
        segment("a", "ア", page=2, tgt_lang="ja", tgt_url=f"{HOST}/ja/2", score=1.0),
        segment("c", "α", page=1, position=0, bead="1-0"),
    ]
    run = made_run(rows, lang_pairs=(("en", "fr"), ("en", "ja"), ("fr", "ja")))
    data = segment_data(run, choose_rows(run))
    expected = [(r["src_url"], r["src"], r["tgt"], r["score"], r["bead"], r["flags"]) for r in rows]
    found = texts_of(data, run)
    assert sorted(found) == sorted(expected)
    assert [each[1] for each in found if each[0] == f"{HOST}/en/1"] == ["c", "b"]  # by position
    assert data["texts"]["ja"] == ["ア"]
    assert sorted(data["texts"]["en"]) == ["a", "b", "c"]  # each once
    assert data["samples"][2] == {}
    best = data["samples"][1]["best"]
    assert [found[place][2] for place in best] == ["ア"]


def test_a_large_run_is_shown_in_whole_page_pairs() -> None:
    run = made_run(pages_of(60, 40))
    shown = choose_rows(run, segments=1_000)
    whole = shown.pairs[shown.whole]
    assert 20 <= len(whole) <= 25  # 1,000 / 40, samples apart
    counts = np.bincount(run.page_pair_of[shown.rows], minlength=60)
    assert (counts[whole] == 40).all()
    assert len(shown.rows) <= 1_000 + 4 * ROWS_A_KIND
    again = choose_rows(run, segments=1_000)
    assert (again.rows == shown.rows).all()
    assert choose_rows(run).whole.all()
    assert len(choose_rows(run).rows) == 2_400
    little = choose_rows(run, text_bytes=4_000)
    assert 0 < little.whole.sum() < 10


def test_samples() -> None:
    rows = [*pages_of(3, 40), segment("x", "y", page=5, flags=["boilerplate", "duplicate"])]
    run = made_run(rows)
    (kinds,) = choose_rows(run).samples
    assert {kind: len(found) for kind, found in kinds.items()} == {
        "best": 20, "borderline": 20, "random": 20, "boilerplate": 1, "duplicate": 1, LOW_SCORE: 20,
    }  # fmt: skip
    assert min(run.score[kinds["best"]]) == pytest.approx(33 / 40)
    assert max(run.score[kinds["borderline"]]) == pytest.approx(26 / 40)
    assert min(run.score[kinds["borderline"]]) == 0.5 > max(run.score[kinds[LOW_SCORE]])
    assert kinds["boilerplate"] == kinds["duplicate"] == [120]


def test_conflicts() -> None:
    rows = [
        segment("Home", "Chez soi", score=0.3, flags=["conflict"]),
        segment("Home", "Accueil", position=1, score=0.2),
        segment("Home", "Maison", position=2, score=0.7, flags=["conflict"]),
        segment("Home", "Home", position=3, flags=["identical"]),
        segment("Other", "Autre", position=4),
    ]
    shown = choose_rows(made_run(rows))
    assert shown.conflicts == [[([1, 2, 0], 3)]]  # what is kept, then the others by score
    assert shown.conflicts_found == [1]


MARKED = st.text(st.sampled_from("<>&\u2028\u2029\\\"'/a\n\x00é"), max_size=12)


@given(st.dictionaries(MARKED, st.lists(MARKED, max_size=3), max_size=3))
def test_json_blocks_hold_no_sign_of_markup(value: dict[str, list[str]]) -> None:
    block = json_block(value)
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block) == value


def test_what_is_packed_can_be_unpacked() -> None:
    value = {"texts": list(HOSTILE)}
    block = pack(value)
    assert re.fullmatch(r"[A-Za-z0-9+/]+=*", block)
    assert json.loads(zlib.decompress(base64.b64decode(block))) == value


class Blocks(HTMLParser):
    """Tags of a page, and what stands in its scripts and style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inside: dict[str, str] = {}
        self._open = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = f"{tag}#{dict(attrs).get('id', '')}" if tag in ("script", "style") else ""

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.inside[self._open] = self.inside.get(self._open, "") + data


def hostile_run() -> RunTables:
    rows = [
        segment(text, HOSTILE[-1 - n], position=n, page=n % 3, src_url=HOSTILE[n % 3], fetched=HOSTILE[n])
        for n, text in enumerate(HOSTILE)
    ]
    return made_run(
        rows, method=HOSTILE[0], dropped=[(url, url) for url in HOSTILE], declared=HOSTILE[1], source=HOSTILE[2]
    )


def test_the_tags_of_a_page_do_not_depend_on_its_data() -> None:
    tame, hostile = (Blocks(report_text(run)) for run in (made_run([segment("a", "b")]), hostile_run()))
    assert tame.tags == hostile.tags
    assert tame.inside["script#"] == hostile.inside["script#"]
    assert json.loads(hostile.inside["script#headline-data"])["run"]["sources"][0]["name"] == HOSTILE[2]


def test_the_policy_names_style_and_script_of_the_page_and_nothing_else() -> None:
    read = Blocks(report_text(made_run([segment("a", "b")])))
    policy = next(attrs["content"] for tag, attrs in read.tags if "http-equiv" in attrs)
    hashes = {
        kind: base64.b64encode(hashlib.sha256(read.inside[f"{kind}#"].encode()).digest()).decode()
        for kind in ("script", "style")
    }
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes['script']}'; style-src 'sha256-{hashes['style']}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert "script-src" not in content_policy("p {}")
    assert not [attrs for _, attrs in read.tags if {"style", "src", "srcset"} & set(attrs)]


def test_scripts_make_elements_of_texts_only() -> None:
    script = Blocks(report_text(made_run([segment("a", "b")]))).inside["script#"]
    for way in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "import(",
    ):
        assert way not in script, way


def test_the_same_run_gives_the_same_bytes() -> None:
    rows = [*pages_of(4, 10), segment("Größe", "大きさ", page=9, tgt_lang="ja")]
    first, second = (report_text(made_run(rows, lang_pairs=(("en", "fr"), ("en", "ja")))) for _ in range(2))
    assert first == second


def test_a_run_that_found_nothing_has_a_report() -> None:
    assert '"kept":0' in report_text(made_run([]))


def test_a_crawl_is_told_by_its_address() -> None:
    run = made_run([segment("a", "b")])
    assert headline(run, choose_rows(run))["origins"] == [each["name"] for each in run.settings["sources"]]
    crawled, index = {"name": "crawl-00000.warc.gz"}, {"name": "pages.cdxj"}
    others = [{"name": "old.warc.gz"}, {"name": "crawl-1.warc.gz"}]
    settings = {**run.settings, "crawl": {"starts": ["https://a.example/"]}, "sources": [crawled, index, *others]}
    of_crawl = replace(run, settings=settings)
    origins = ["https://a.example/", "old.warc.gz", "crawl-1.warc.gz"]
    assert headline(of_crawl, choose_rows(of_crawl))["origins"] == origins
    # An archive of an earlier crawl, read as a file.
    of_archive = replace(run, settings={**run.settings, "sources": [crawled]})
    assert headline(of_archive, choose_rows(of_archive))["origins"] == ["crawl-00000.warc.gz"]
