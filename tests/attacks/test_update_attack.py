"""A small form of ``make update-attack``, and that it sees what it looks for."""

from __future__ import annotations

import pytest
from attack.tally import Tally
from attack.update_answers import GONE, NOTHING, WISH, Attack, Sent, attacks, message
from attack.updates import KEPT, LOST, prepared

from diglot.crawl import response_handling

CHOSEN = (
    ("status 403", "all"),
    ("status 404", "a tenth"),
    ("status 410", "all"),
    ("301 to one page", "a tenth"),
    ("302 to one page", "all"),
    ("308 to a loop", "all"),
    ("cut at 10 of 20", "a tenth"),
    ("gzip cut at 19 of 20", "all"),
    ("broken gzip", "all"),
    ("empty, 200", "all"),
    ("a long notice", "a tenth"),
    ("a long notice with the ETag", "all"),
    ("a long notice with the ETag", "one page"),
    ("in UTF-16", "a tenth"),
    ("half a body, then a reset", "one page"),
    ("certificate", "all"),
    ("tdm-reservation", "all"),
    ("robots.txt forbids all", "all"),
    ("robots.txt answers 503", "all"),
)


def attacked(*cases: tuple[Attack, str]) -> Tally:
    with prepared(harvested_share=0) as run:
        return run([*cases], 7, 0)


@pytest.mark.slow
def test_no_page_is_lost_and_all_come_back() -> None:
    by_name = {attack.name: attack for attack in attacks()}
    tally = attacked(*((by_name[name], scope) for name, scope in CHOSEN))
    assert tally.held, tally.failures
    # Which cases are killed is drawn by the seed.
    assert (tally.rounds, tally.counts["killed"]) == (len(CHOSEN), 5)


def test_what_is_lost_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(response_handling, "_why_worse", lambda *_: None)
    (attack,) = (attack for attack in attacks() if attack.name == "a word, 200")
    assert attacked((attack, "one page")).counts[LOST] > 0


def test_what_is_wrongly_kept_is_seen() -> None:
    attack = Attack("said to be gone, sent all the same", GONE, lambda _path, body: Sent(message(200, body)))
    tally = attacked((attack, "a tenth"))
    assert tally.counts[KEPT] == 2 * 2  # two pages, in the second and third update
    assert not tally.held


def test_every_status_and_cut_is_among_the_attacks() -> None:
    names = [attack.name for attack in attacks()]
    assert len(names) == len({*names})
    assert {f"status {status}" for status in range(201, 600)} <= {*names}
    assert sum(name.startswith("cut at") for name in names) == 20
    assert {attack.says for attack in attacks()} >= {GONE, WISH, NOTHING}
