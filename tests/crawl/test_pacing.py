"""Delays between requests, on a clock of our own."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.crawl.crawl_state import FIRST_HOLD_S, MAX_HOLD_S, Pacing, retry_after_s
from diglot.crawl.page_reading import Answer

SITE = "https://a.example"
NOW = datetime(2026, 1, 1, tzinfo=UTC)
_LIKE_DATES = r"\w{3}, \d{1,3} (Jan|Feb|Dec|\w{3}) -?\d{1,12} \d{1,4}:\d{1,4}(:\d{1,9})? (GMT|[+-]\d{1,9}|\w{1,5})"


def test_the_larger_delay_runs_from_the_end_of_an_answer() -> None:
    now = [100.0]
    pacing = Pacing(1.0, lambda: now[0])
    assert pacing.wait_s("a") == 0
    pacing.set_delay("b", 3.0)
    pacing.note_answer("a", took_s=0.2)
    pacing.note_answer("b", took_s=0.2)
    assert (pacing.wait_s("a"), pacing.wait_s("b"), pacing.wait_s("c")) == (1.0, 3.0, 0.0)
    now[0] = 101.0
    assert (pacing.wait_s("a"), pacing.wait_s("b")) == (0.0, 2.0)


def test_a_slow_server_gets_as_long_a_rest_as_its_answer_took_unless_no_delay_is_wanted() -> None:
    eager, patient = Pacing(0.0, lambda: 0.0), Pacing(1.0, lambda: 0.0)
    for pacing in (eager, patient):
        pacing.note_answer("a", took_s=7.0)
    assert (eager.wait_s("a"), patient.wait_s("a")) == (0.0, 7.0)


def test_an_overloaded_host_rests_as_long_as_it_asks_or_longer_each_time() -> None:
    pacing = Pacing(1.0, lambda: 0.0)
    assert pacing.hold("a", "17", NOW) == 17.0
    assert pacing.wait_s("a") == 17.0
    assert pacing.hold("a", "", NOW) == 2 * FIRST_HOLD_S
    pacing.note_answer("a", took_s=0.0)
    assert pacing.wait_s("a") == 2 * FIRST_HOLD_S, "an answer does not shorten a rest"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 5 ", 5.0),
        ("Thu, 01 Jan 2026 00:02:00 GMT", 120.0),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0.0),
        ("soon", None),
        ("", None),
        ("-3", None),
        ("²", None),
        ("Fri, 31 Dec 99999999999999999999 23:59:59 GMT", None),
        ("Fri, 31 Dec 3000000000 23:59:59 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds


def test_an_overloaded_host_rests_at_least_its_delay() -> None:
    assert Pacing(10.0, lambda: 0.0).hold("a", "1", NOW) == 10.0


@pytest.mark.parametrize("asked", ["601", "999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_no_host_is_waited_for_longer_than_ten_minutes_whatever_it_asks(asked: str) -> None:
    pacing = Pacing(1.0, lambda: 0.0)
    assert pacing.hold("a", asked, NOW) > MAX_HOLD_S
    assert pacing.wait_s("a") == MAX_HOLD_S


def test_a_host_that_is_overloaded_for_ever_rests_ten_minutes_at_last() -> None:
    pacing = Pacing(1.0, lambda: 0.0)
    assert {pacing.hold("a", "soon", NOW) for _ in range(2000)} == {30.0, 60.0, 120.0, 240.0, 480.0, MAX_HOLD_S}


class BusyAtFirst(MadeSite):
    """A site that answers the first request for each page but the start with 503."""

    def answer(self, url: str) -> Answer:
        is_first = url not in self.asked and url.startswith(f"{SITE}/page")
        answer = super().answer(url)
        return Answer(503, [], b"", answer.fetched) if is_first else answer


def test_a_site_that_is_overloaded_now_and_then_rests_no_longer_each_time(tmp_path: Path) -> None:
    urls = [f"{SITE}/page{n}" for n in range(6)]
    links = "".join(f"<a href={url}>x</a>" for url in urls)
    site = BusyAtFirst(
        {f"{SITE}/": made_page("en", 9, links), **{url: made_page("en", n) for n, url in enumerate(urls)}}
    )
    MadeCrawl(site, tmp_path, f"{SITE}/", delay_s=0.0).run()
    times_s = {url: [s for asked, s in zip(site.asked, site.times_s, strict=True) if asked == url] for url in urls}
    assert [again_s - first_s for first_s, again_s in times_s.values()] == [FIRST_HOLD_S] * len(urls)


@given(st.one_of(st.text(), st.from_regex(_LIKE_DATES, fullmatch=True)))
def test_whatever_a_host_writes_is_some_seconds_or_nothing(value: str) -> None:
    seconds = retry_after_s(value, NOW)
    assert seconds is None or 0.0 <= seconds < float("inf")
