"""What a report is made of: all of a small run; of a large one its largest sites, others by lot, every n-th record."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from made_bundles import SETTINGS, bundle_of

from diglot.disk.exchange import key_buckets
from diglot.outputs import report_tables as module
from diglot.outputs.report_tables import SEGMENTS_HELD, SEGMENTS_SAMPLED, report_tables
from diglot.records import DOCUMENT_SCHEMA, FLAGGED_SCHEMA
from diglot.report.shown_rows import DRAWING_SEED
from diglot.run.bundles import Bundle
from diglot.run.settings import make_settings
from diglot.run.stored_pages import RESOLVED_SCHEMA

WRITTEN = {"signature": "s", "sources": [{"name": "a.warc", "path": "/home/me/a.warc", "hash": "0"}]}


def summary_of(bundle: Bundle) -> dict[str, Any]:
    counts: dict[str, int] = {}
    for url in bundle.segments["src_url"].to_pylist():
        site = url.split("/")[2]
        counts[site] = counts.get(site, 0) + 1
    sites = [{"site": site} for site in sorted(counts, key=lambda site: (-counts[site], site))]
    return {"segments": {"en-fr": bundle.segments.num_rows}, "pages": bundle.resolved.num_rows, "sites": sites}


def shown(bundle: Bundle, *, held: int, sampled: int) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SEGMENTS_HELD", held)
        patch.setattr(module, "SEGMENTS_SAMPLED", sampled)
        found = report_tables(WRITTEN, SETTINGS, summary_of(bundle), [bundle])
    assert found.sites_shown in (None, len(set(found.pairs["site"].to_pylist())))
    assert found.figures.segments.total() == bundle.segments.num_rows
    return [url.split("/")[2] for url in found.segments["src_url"].to_pylist()]


def test_twice_as_many_segments_are_held_as_are_sampled() -> None:
    assert (SEGMENTS_HELD, SEGMENTS_SAMPLED) == (200_000, 100_000)


def test_a_run_of_as_many_segments_as_are_held_is_shown_whole() -> None:
    bundle = bundle_of(a=3, b=2)
    assert shown(bundle, held=5, sampled=1) == [*"aaabb"]
    assert shown(bundle, held=4, sampled=3) == [*"aaa"]
    assert shown(bundle, held=4, sampled=5) == [*"aaabb"]


def test_a_site_that_does_not_fit_makes_room_for_the_next() -> None:
    assert shown(bundle_of(a=4, b=3, c=1), held=1, sampled=5) == [*"aaaac"]
    assert shown(bundle_of(a=4, b=3, c=1), held=1, sampled=3) == [*"bbb"]


def test_of_sites_that_are_all_too_large_the_largest_is_cut() -> None:
    assert shown(bundle_of(a=4, b=3), held=1, sampled=2) == [*"aa"]


def test_the_largest_sites_come_before_those_that_are_drawn() -> None:
    sizes = {f"s{number:02d}": 20 - number for number in range(13)}
    bundle = bundle_of(**sizes)
    largest = set(sorted(sizes)[:10])
    room = sum(sizes[site] for site in largest)
    assert set(shown(bundle, held=1, sampled=room)) == largest
    more = set(shown(bundle, held=1, sampled=room + 10))
    assert largest < more
    assert more == set(shown(bundle, held=1, sampled=room + 10))


def test_after_the_ten_largest_sites_others_are_drawn_by_a_fixed_seed() -> None:
    """Ten sites of two segments are all taken; of twenty sites of one segment those that the draw puts first."""
    large, small = [f"a{number}" for number in range(10)], [f"b{number:02d}" for number in range(20)]
    bundle = bundle_of(**dict.fromkeys(large, 2), **dict.fromkeys(small, 1))
    drawn = np.random.default_rng(DRAWING_SEED).permutation(small).tolist()
    for room in (1, 5, 19):
        assert {*shown(bundle, held=1, sampled=20 + room)} == {*large, *drawn[:room]}


@pytest.mark.parametrize(("pages", "step"), [(6, 1), (7, 2), (12, 2), (13, 3)])
def test_of_more_records_than_are_held_every_nth_is_taken(
    pages: int, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RECORDS_HELD", 6)
    bundle = bundle_of(a=1, b=1, c=1, d=1, e=1, f=1)
    urls = bundle.resolved["url"]
    found = report_tables(WRITTEN, SETTINGS, {**summary_of(bundle), "pages": pages}, [bundle])
    expected = [
        url for url, bucket in zip(urls.to_pylist(), key_buckets(urls, step).tolist(), strict=True) if not bucket
    ]
    assert 0 < len(expected) <= 12
    assert found.documents["url"].to_pylist() == found.ledger["url"].to_pylist() == expected


def test_a_report_says_nothing_of_where_files_lie() -> None:
    bundle = bundle_of(a=1)
    settings = replace(SETTINGS, offensive="/home/me/words.txt", warc_prefix="/home/me/warcs")
    found = report_tables(WRITTEN, settings, summary_of(bundle), [bundle])
    assert found.settings["sources"] == [{"name": "a.warc", "hash": "0"}]
    assert (found.settings["settings"]["offensive"], found.settings["settings"]["warc_prefix"]) == (
        "words.txt",
        "warcs",
    )
    assert "/home/me" not in repr(found.settings)
    assert WRITTEN["sources"][0]["path"]  # type: ignore[index]


def test_what_the_recipe_tells_of_its_evidence() -> None:
    bundle = bundle_of(a=1)
    plain = report_tables(WRITTEN, SETTINGS, summary_of(bundle), [bundle])
    assert (plain.evidence_groups, plain.least_option, plain.aligner) == ({}, "", "tags")
    fused = report_tables(WRITTEN, make_settings("en,fr"), summary_of(bundle), [bundle])
    assert (fused.least_option, fused.aligner) == ("min_probability", "lexical")
    assert list(fused.evidence_groups) == ["fused"]


def test_segments_are_unflagged_whatever_their_score() -> None:
    bundle = bundle_of(a=3)
    flags = [["identical"], ["too_short"], []]
    segments = bundle.segments.set_column(
        bundle.segments.schema.get_field_index("flags"),
        FLAGGED_SCHEMA.field("flags"),
        pa.array(flags, pa.list_(pa.string())),
    )
    flagged = Bundle(SETTINGS, bundle.resolved, bundle.pairs, segments, {})
    found = report_tables(WRITTEN, SETTINGS, summary_of(flagged), [flagged])
    assert found.not_excluded.tolist() == [False, True, True]
    dropped = make_settings("en,fr", recipe="url_baseline", drop=("too_short",), keep=("identical",))
    assert report_tables(WRITTEN, dropped, summary_of(flagged), [flagged]).not_excluded.tolist() == [True, False, True]


def test_a_run_without_a_bundle() -> None:
    found = report_tables(WRITTEN, SETTINGS, {"segments": {}, "pages": 0}, [])
    tables = (found.documents, found.pairs, found.segments, found.ledger)
    assert [table.num_rows for table in tables] == [0, 0, 0, 0]
    assert found.documents.schema == RESOLVED_SCHEMA
    assert set(RESOLVED_SCHEMA.names) < set(DOCUMENT_SCHEMA.names)
