"""No behaviour of a host makes a crawl hammer it: requests counted by the host, on a clock of its own.

`make crawl-counting` prints the table over ten minutes each; here they are cut short.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from counting_server import BEHAVIOURS, Counts, busy, crawl_hostile, site

from diglot.crawl.queue.frontier import MAX_TRIES
from slow_cases import slow_but

DELAY_S = 1.0
SECONDS, KILLED_S = 100.0, 30.0


def _holds(counts: Counts, bound: int) -> None:
    assert counts.most <= MAX_TRIES, counts.asked.most_common(3)
    assert counts.least_gap_s >= DELAY_S
    assert counts.requests <= bound


@pytest.mark.parametrize("name", BEHAVIOURS)
def test_a_hostile_host_draws_few_requests_and_none_too_soon(tmp_path: Path, name: str) -> None:
    behaviour, bound = BEHAVIOURS[name]
    _holds(crawl_hostile(behaviour, tmp_path, seconds=SECONDS, delay_s=DELAY_S), bound)


@pytest.mark.slow
@pytest.mark.parametrize("name", slow_but(list(BEHAVIOURS)[::8], BEHAVIOURS))
def test_nor_where_the_crawl_is_killed_and_started_again(tmp_path: Path, name: str) -> None:
    """Tries and rests are in the journal: killed after every third request, half of them while it is under way."""
    behaviour, _ = BEHAVIOURS[name]
    _holds(crawl_hostile(behaviour, tmp_path, seconds=KILLED_S, delay_s=DELAY_S, kill_every=3), 1000)


YEAR_TOLD = "asks to be left alone for 31,536,000 s; run the same command after that"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("robots.txt 503, Retry-After a year", YEAR_TOLD),
        ("pages 429, Retry-After a year", YEAR_TOLD),
        ("pages 503, Retry-After 0", "answered 12 requests in a row that it is overloaded"),
        ("Crawl-delay of a year", "robots.txt asks for 31,536,000 s between requests, more than 120 s"),
        ("robots.txt moved to a host that is overloaded", "has its rules on third.example.net, which asks to be left"),
    ],
)
def test_a_host_that_is_left_is_told_of_once(tmp_path: Path, name: str, told: str) -> None:
    notices = crawl_hostile(BEHAVIOURS[name][0], tmp_path, seconds=SECONDS).notices
    assert sum(told in notice for notice in notices) == 1


def test_a_robots_txt_that_asks_for_a_year_is_asked_for_once_a_day(tmp_path: Path) -> None:
    """By whichever process, and however often the same command is run."""
    hostile, hours = site(robots=busy("31536000")), range(0, 200, 3)
    asked = [crawl_hostile(hostile, tmp_path, began_s=3600.0 * hour, seconds=1e9).requests for hour in hours]
    assert [hour for hour, requests in zip(hours, asked, strict=True) if requests] == [*range(0, 200, 24)]
    assert sum(asked) == 9
