"""The screen after a run: what leaves segments out adds up, language pairs with nothing take a line, sites a table."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from diglot.cli import main
from diglot.harvesting import harvest
from diglot.outputs.funnel import count_by_site, count_sites_of, summarise
from diglot.outputs.run_text import SITES_SHOWN, funnel_text, site_lines
from diglot.reasons import Reason
from diglot.records import DOCUMENT_SCHEMA, PAIR_SCHEMA, SEGMENT_SCHEMA
from diglot.run.ledger import make_ledger
from diglot.run.pair import _crowd_notes
from diglot.run.settings import make_settings
from diglot.site import MAX_DOMAINS, domains_of, join_domains
from made_documents import made_page
from made_segments import filled
from made_sites import lett_line
from made_website import COUNT, website


def between(src: str, tgt: str, **others: Any) -> dict[str, Any]:
    return {"src_url": f"http://{src}/en", "tgt_url": f"http://{tgt}/fr", "src_lang": "en", "tgt_lang": "fr", **others}


DOCUMENTS = filled(
    DOCUMENT_SCHEMA, *(made_page(f"http://{s}/{lang}", lang, site=s) for s in "ab" for lang in ("en", "fr"))
)
PAIRS = filled(PAIR_SCHEMA, between("a", "a", probability=1.0), between("b", "b", probability=1.0))
SEGMENTS = filled(
    SEGMENT_SCHEMA,
    between("a", "a", score=0.9),
    between("a", "a", score=0.9, flags=["too_short"]),
    between("a", "a", score=0.4, flags=["too_short"]),
    between("a", "a", score=0.3, flags=["boilerplate", "duplicate", "too_short"]),
    between("b", "b", score=0.8, flags=["boilerplate", "numbers"]),
)


def summary_of(langs: str, **options: Any) -> dict[str, Any]:
    settings = make_settings(langs, **options)
    ledger = make_ledger(DOCUMENTS, PAIRS, SEGMENTS)
    return summarise(settings, count_sites_of(settings, PAIRS, SEGMENTS, ledger), candidates=7, signature="fused")


def test_what_is_left_out_adds_up_and_what_only_warns_stands_apart() -> None:
    lines = funnel_text(summary_of("en,fr,de")).splitlines()
    assert lines[2:] == [
        "pairs     2 page pairs out of 7 candidates",
        "                   2  en-fr",
        "            no pairs for: en-de, fr-de",
        "segments  5 aligned: 2 kept, 3 left out",
        "          kept: an estimated 90% right in every word; a single site may have a tenth more or less",
        "                   2  en-fr",
        "          left out, each counted once, under its first flag that excludes",
        "                   1  boilerplate: the same two texts stand on many pages of the site; one copy is kept",
        "                   1  numbers: the two sides have different numbers",
        "                   1  score below 0.5 (--min-score), no flag that excludes",
        "          kept with a flag that warns; a segment may have several",
        "                   1  too_short: both sides have fewer than three words",
    ]


def counts_below(lines: list[str], head: str) -> int:
    """Sum of the counts in the lines that follow the one that begins so."""
    start = next(number for number, line in enumerate(lines) if line.startswith(head)) + 1
    counted = itertools.takewhile(lambda line: re.match(r" +[\d,]+  ", line), lines[start:])
    return sum(int(line.split()[0].replace(",", "")) for line in counted)


def test_the_numbers_on_the_screen_sum_to_the_totals(tmp_path: Path) -> None:
    source = tmp_path / "site.lett"
    source.write_bytes(b"".join(lett_line(name[:2], f"http://a.example/{name}", b) for name, b in website().items()))
    summary = harvest(source, "en,fr,de", tmp_path / "run", jobs=1).summary()
    lines = funnel_text(summary).splitlines()
    numbers = {
        line.split()[0]: [int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", line)]
        for line in lines
        if re.match(r"pages|segments|pairs", line)
    }
    records, used, dropped = numbers["pages"]
    assert (records, dropped) == (used + dropped, counts_below(lines, "pages "))
    aligned, kept, left_out = numbers["segments"]
    assert aligned == kept + left_out
    assert (kept, left_out) == (counts_below(lines, "          kept:"), counts_below(lines, "          left out"))
    assert numbers["pairs"][0] == counts_below(lines, "pairs ")
    assert kept > 0 < left_out


def test_nearly_all_are_not_all() -> None:
    summary = {**summary_of("en,fr,de"), "pairs": {"en-fr": 2, "en-de": 1, "fr-de": 0}}
    said = funnel_text({**summary, "kept_right": {"en-fr": 0.9996, "all": 0.957}})
    assert "en-fr: 99% right" in said
    assert "an estimated 95% right in every word" in said


@pytest.mark.parametrize(("recipe", "right"), [("fused", 0.9), ("url_baseline", None)])
def test_segments_say_how_many_are_right_where_scores_are_probabilities(recipe: str, right: float | None) -> None:
    summary = summary_of("en,fr,de", recipe=recipe, min_score=0.5)
    assert summary["kept_right"] == {"en-fr": right, "en-de": None, "fr-de": None, "all": right}


@pytest.mark.parametrize(
    ("options", "below", "kept"),
    [({}, 1, 2), ({"min_score": 0.0}, 0, 3), ({"min_score": 0.95}, 3, 0), ({"recipe": "url_baseline"}, 0, 3)],
)
def test_the_floor_is_that_of_probabilities_unless_one_is_named(options: dict[str, Any], below: int, kept: int) -> None:
    summary = summary_of("en,fr", **options)
    assert (summary["below_min_score"], summary["kept"]) == (below, {"en-fr": kept})
    assert summary["left_out"] == {"boilerplate": 1, "numbers": 1}
    assert summary["segments"]["en-fr"] == kept + below + 2


def test_estimates_of_language_pairs_with_nothing_are_not_shown() -> None:
    none, some = {"precision": None, "recall": 0.0}, {"precision": 1.0, "recall": 0.5}
    said = funnel_text({**summary_of("en,fr,de"), "estimates": {"en-fr": some, "en-de": none, "all": some}})
    assert said.count("estimated precision 100.0%, recall 50.0%") == 1
    apart = funnel_text(
        {**summary_of("en,fr,de"), "estimates": {"en-fr": some, "en-de": none, "all": none | {"precision": 1}}}
    )
    assert "candidates: estimated precision 100.0%, recall 0.0%\n" in apart
    assert " 2  en-fr: precision 100.0%, recall 50.0%\n" in apart


def test_further_records_of_an_address_are_no_documents() -> None:
    again = made_page("http://a/en", "en", site="a", reason=Reason.REPEATED_ADDRESS.value)
    ledger = make_ledger(pa.concat_tables([DOCUMENTS, filled(DOCUMENT_SCHEMA, again)]), PAIRS, SEGMENTS)
    counts = count_sites_of(make_settings("en,fr"), PAIRS, SEGMENTS, ledger)
    assert (counts.pages, counts.dropped["repeated_address"], counts.languages["en"]) == (5, 1, 2)
    assert [row["documents"] for row in counts.sites] == [2, 2]


def test_by_site() -> None:
    ledger, kept = make_ledger(DOCUMENTS, PAIRS, SEGMENTS.slice(0, 2)), SEGMENTS.slice(0, 2)
    sites = count_by_site(ledger, PAIRS, kept)
    assert sites == [
        {"site": "a", "documents": 2, "used": 2, "pairs": 1, "kept": 2},
        {"site": "b", "documents": 2, "used": 0, "pairs": 1, "kept": 0},
    ]
    assert site_lines(sites) == [
        "sites        documents  used  pairs  segments kept",
        "          a          2     2      1              2",
        "          b          2     0      1              0",
    ]
    assert site_lines(sites[:1]) == site_lines([]) == []
    many = [{**sites[0], "site": f"s{n}"} for n in range(SITES_SHOWN + 2)]
    assert len(site_lines(many)) == SITES_SHOWN + 2
    assert site_lines(many)[-1] == "          and 2 more"
    assert len(site_lines(many, None)) == SITES_SHOWN + 3
    assert site_lines(sites, columns=50) == site_lines(sites)
    assert site_lines(sites, columns=49) == [
        "sites     a: 2 documents, 2 used, 1 pairs, 2 segments kept",
        "          b: 2 documents, 0 used, 1 pairs, 0 segments kept",
    ]


def test_a_crowd_of_domains_is_told() -> None:
    def named(url: str, *others: str) -> dict[str, Any]:
        many = len(others)
        links = {"link_urls": list(others), "link_hreflangs": ["fr"] * many, "link_anchors": [""] * many}
        return made_page(url, "en", [], **links, link_alternate=[True] * many)

    spokes = [f"http://n{n}.org/" for n in range(MAX_DOMAINS)]
    pages = [named("http://hub.org/", *spokes), *(named(spoke, "http://hub.org/") for spoke in spokes)]
    (note,) = _crowd_notes(join_domains(domains_of(filled(DOCUMENT_SCHEMA, *pages))).crowds)
    assert note.startswith(f"hub.org, n0.org, n1.org and {MAX_DOMAINS - 2} more domains name each other")
    assert _crowd_notes(join_domains(domains_of(filled(DOCUMENT_SCHEMA, *pages[:-1]))).crowds) == []


def test_owners_on_a_platform_are_paired_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bob has Alice's English pages and Alice their translations: nothing but her own pages are hers."""
    source = tmp_path / "owners.lett"
    owners = [("alice", ("en", "fr")), ("bob", ("en",))]
    lines = [
        lett_line(name[:2], f"http://{owner}.github.io/{name}", body)
        for owner, langs in owners
        for name, body in website().items()
        if name.startswith(langs)
    ]
    source.write_bytes(b"".join(lines))
    run = harvest(source, "en,fr", tmp_path / "run", jobs=1)
    assert {pair.src_url.split("/")[2] for pair in run.pairs()} == {"alice.github.io"}
    summary = run.summary()
    assert [(row["site"], row["pairs"]) for row in summary["sites"]] == [
        ("alice.github.io", COUNT),
        ("bob.github.io", 0),
    ]
    for name, whole in (("documents", summary["documents"]), ("used", summary["used"])):
        assert sum(row[name] for row in summary["sites"]) == whole
    assert sum(row["kept"] for row in summary["sites"]) == summary["kept"]["en-fr"]
    assert main(["harvest", str(source), "-l", "en,fr", "-o", str(tmp_path / "run"), "--jobs", "1"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert any(line.startswith("          bob.github.io") for line in shown)
