"""Cases worked by hand on both sides of the constants of the funnel."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from diglot.outputs.funnel import SITE_COUNTS, Counts, count_sites_of, summarise
from diglot.outputs.run_text import SITES_SHOWN, funnel_text, site_lines
from diglot.records import DOCUMENT_SCHEMA, FLAGGED_SCHEMA, PAIR_SCHEMA
from diglot.run.ledger import make_ledger
from diglot.run.settings import make_settings
from made_documents import made_page
from made_segments import filled


def documents(*pages: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(pages), schema=DOCUMENT_SCHEMA)


# -- the funnel ----------------------------------------------------------------------------------


def site_rows(count: int) -> list[dict[str, Any]]:
    return [{"site": f"s{number}", **dict.fromkeys(SITE_COUNTS, 1)} for number in range(count)]


def test_ten_sites_are_shown() -> None:
    assert SITES_SHOWN == 10
    assert len(site_lines(site_rows(10))) == 1 + 10
    assert len(site_lines(site_rows(11))) == 1 + 10 + 1
    assert "1 more" in site_lines(site_rows(11))[-1]
    assert site_lines(site_rows(1)) == []
    assert len(site_lines(site_rows(2))) == 1 + 2


def counts_of(*scores: float, **options: Any) -> Counts:
    sides = {"src_url": "http://a/en", "tgt_url": "http://a/fr", "src_lang": "en", "tgt_lang": "fr", "site": "a"}
    pages = documents(made_page("http://a/en", "en", site="a"), made_page("http://a/fr", "fr", site="a"))
    pairs = filled(PAIR_SCHEMA, {**sides, "probability": 0.5})
    segments = filled(FLAGGED_SCHEMA, *({**sides, "score": score} for score in scores))
    settings = make_settings("en,fr", **options)
    return count_sites_of(settings, pairs, segments, make_ledger(pages, pairs, segments))


def test_a_segment_is_kept_from_a_score_of_one_half_on() -> None:
    found = counts_of(0.5, 0.4999, 0.0, 1.0)
    assert (found.kept["en-fr"], found.below_min_score) == (2, 2)
    found = counts_of(0.5, 0.4999, 0.0, 1.0, min_score=0.4999)
    assert (found.kept["en-fr"], found.below_min_score) == (3, 1)


def test_scores_are_added_up_in_millionths() -> None:
    assert counts_of(0.5, 0.75).score == {"en-fr": 1_250_000}
    assert counts_of(0.5000004, min_score=0.0).score == {"en-fr": 500_000}
    assert counts_of(0.5000006, min_score=0.0).score == {"en-fr": 500_001}


def test_counts_of_two_groups_of_sites_add_up() -> None:
    both = counts_of(0.5, 0.4) + counts_of(1.0)
    assert (both.pages, both.used, both.below_min_score) == (4, 4, 1)
    assert (both.kept, both.segments, both.score) == ({"en-fr": 2}, {"en-fr": 3}, {"en-fr": 1_500_000})
    assert [(each.pairs, each.probability) for each in both.mass] == [(1, 0.5)] * 2


@pytest.mark.parametrize(("share", "shown"), [(0.9999, "99%"), (0.99, "99%"), (0.9899, "98%"), (1.0, "100%")])
def test_shares_are_cut_and_not_rounded(share: float, shown: str) -> None:
    summary = summarise(make_settings("en,fr"), counts_of(1.0), candidates=1, signature="fused")
    assert shown in funnel_text({**summary, "kept_right": {"en-fr": None, "all": share}})
