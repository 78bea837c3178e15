"""What all who act on a crawl are told of an address, and what a process learns again from the journal of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from handed_pages import FETCHED, HOST, SITE, come, found_at, made_answer, made_contents, taken, waiting_crawl
from journal_rows import count_rows, journal_rows
from made_crawls import MadeCrawl, MadeSite

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.page_reading import ROBOTS, Job
from diglot.crawl.queue.prioritiser import Link
from diglot.crawl.response_handling import handle_redirect

START = f"{SITE}/"


def _again(state: CrawlState, folder: Path) -> CrawlState:
    """What the next process has, over the same journal."""
    state.frontier.close()
    return waiting_crawl(folder)


@pytest.mark.parametrize(("state", "counted"), [("done", 0), ("queued", 0), ("failed", 1), ("refused", 1)])
def test_failures_and_refusals_are_counted(tmp_path: Path, state: str, counted: int) -> None:
    crawl = waiting_crawl(tmp_path)
    _, entry = taken(crawl)
    crawl.finish(entry, state, reason="why")
    assert journal_rows(crawl.frontier, "state, reason") == [(state, "why")]
    assert dict(crawl.counts) == ({state: 1} if counted else {})


def test_only_pages_that_may_be_asked_for_are_told_to_prioritiser_and_traps(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    _, entry = taken(state)
    found = [found_at("fr/1"), found_at("fr/2", refused="excluded"), found_at("fr/3", kind="sitemap")]
    state.queue(found, entry)
    assert [state.prioritiser.versions_by_marker(f"{SITE}/en/{n}") for n in (1, 2, 3)] == [
        {f"{SITE}/fr/1"},
        set(),
        set(),
    ]
    ids = dict(journal_rows(state.frontier, "url, id"))
    assert [(source, links) for source, links, _ in state.frontier.noted_links_and_texts()] == [
        (entry.id, [ids[f"{SITE}/fr/1"]])
    ]
    assert count_rows(state.frontier, "found_by=?", [entry.id]) == 3
    state.queue(found[1:], entry)
    assert len(list(state.frontier.noted_links_and_texts())) == 1


@pytest.mark.parametrize(("kind", "left"), [("page", True), ("sitemap", False)])
def test_what_a_sitemap_names_is_not_known_from_worn_pages_only(tmp_path: Path, kind: str, left: bool) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"old/{n}", tier=5) for n in range(50)))
    entries = [
        come(state, made_contents(Link(f"{SITE}/last"), chunks=("This page is gone and will not come back",)))
        for _ in range(50)
    ]
    state.queue([found_at("last")], replace(entries[0], kind=kind))
    assert (state.traps.judge(f"{SITE}/last") is not None) is left


def test_a_host_is_written_to_the_journal_when_it_joins_or_changes_its_scheme(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    _, entry = taken(state)
    state.scope.admit("elsewhere.org", "http")
    state.queue([], entry)
    hosts = [(note.host, note.scheme, note.member) for note in state.frontier.hosts()]
    assert hosts == [(HOST, "https", 1), ("elsewhere.org", "http", 1)]
    state.scope.note_scheme("elsewhere.org", "https")
    state.queue([], entry)
    assert state.frontier.hosts()[1].scheme == "https"
    again = _again(state, tmp_path)
    assert list(again.scope.hosts()) == [(HOST, "https"), ("elsewhere.org", "https")]


def test_a_host_is_left_with_the_server_of_its_rules(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    job = Job("https://rules.example/robots.txt", HOST, ROBOTS)
    state.leave_with_server(job)
    assert state.left == {}
    state.abandon("rules.example", "is overloaded")
    for _ in range(2):
        state.leave_with_server(job)
    assert state.left[HOST] == "has its rules on rules.example, which is overloaded"
    assert len(state.notices) == 2


def test_a_start_is_spelt_as_its_host_was_reached_last(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, start=f"http://{HOST}/")
    job, entry = taken(state)
    handle_redirect(state, job, entry, made_answer(301, Location=START))
    come(state, made_contents())
    state.frontier.close()
    again = waiting_crawl(tmp_path, start=f"http://{HOST}/")
    assert journal_rows(again.frontier, "url, state") == [(f"http://{HOST}/", "failed"), (START, "done")]
    assert again.scope.scheme_of(HOST) == "https"


def test_the_next_process_knows_which_folders_hold_versions_and_what_markers_stand_for(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"de/{n}", tier=5) for n in range(3)), found_at("s/a", tier=5))
    for _ in range(3):
        come(state, made_contents(lang="de"))
    come(state, made_contents(Link(f"{SITE}/v", "Français")))
    again = _again(state, tmp_path)
    assert again.prioritiser.link_priority(f"{HOST}/s/") == state.prioritiser.link_priority(f"{HOST}/s/") == 24.0
    assert again.prioritiser.link_priority(f"{HOST}/de/") == 20.0
    _, entry = taken(again)
    (marked,) = again.prioritiser.links(entry, made_contents(Link(f"{SITE}/de/9")), expand=True).found
    assert marked.refused == "other_language"


def test_a_page_that_waits_to_be_asked_for_again_has_shown_nothing_yet(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, found_at("s/a", tier=5))
    come(state, made_contents(Link(f"{SITE}/v", "Français")))
    state.frontier.ask_again()
    again = _again(state, tmp_path)
    assert again.prioritiser.link_priority(f"{HOST}/s/") == 20.0


def test_the_next_process_finds_what_waits_and_does_not_ask_twice_for_one_page(tmp_path: Path) -> None:
    """Of two addresses that are one page but for the session, the second is left."""
    refused = found_at("fr/2", refused="excluded"), found_at("c?a=1&b=2", refused="excluded")
    waiting = found_at("fr/1"), found_at("fr/3", 1.0, kind="sitemap")
    state = waiting_crawl(tmp_path, found_at("b?a=1&b=2", tier=5), *waiting, *refused)
    come(state, None)
    again = _again(state, tmp_path)
    assert again.prioritiser.versions_by_marker(f"{SITE}/en/1") == {f"{SITE}/fr/1"}
    assert again.prioritiser.versions_by_marker(f"{SITE}/en/2") == set()
    assert again.prioritiser.versions_by_marker(f"{SITE}/en/3") == set()
    stop = again.traps.judge(f"{SITE}/b?b=2&a=1")
    assert stop is not None
    assert stop.reason.startswith("requested before")
    assert again.traps.judge(f"{SITE}/c?b=2&a=1") is None
    assert again.traps.judge(f"{SITE}/fr/1") is None


def test_the_next_process_knows_which_pages_are_worn_and_who_leads_where(tmp_path: Path) -> None:
    old = [found_at(f"old/{n}", 2000.0 - n, tier=5) for n in range(50)]
    state = waiting_crawl(tmp_path, *old, found_at("own", 1900.0, tier=5))
    for _ in range(50):
        come(state, made_contents(Link(f"{SITE}/last"), Link(f"{SITE}/kept"), chunks=("This page is gone for ever",)))
    come(state, made_contents(Link(f"{SITE}/kept"), chunks=("A page with something of its own to read",)))
    again = _again(state, tmp_path)
    for each in (state, again):
        assert each.traps.judge(f"{SITE}/last") is not None
        assert each.traps.judge(f"{SITE}/kept") is None
    assert "50 hold" in str(again.traps.judge(f"{SITE}/last"))


def test_the_next_process_takes_a_start_for_known_from_outside(tmp_path: Path) -> None:
    """Worn pages lead to it too, as to everything."""
    state = waiting_crawl(tmp_path, *(found_at(f"old/{n}", tier=5) for n in range(50)))
    for _ in range(50):
        come(state, made_contents(Link(START), chunks=("This page is gone for ever",)))
    assert _again(state, tmp_path).traps.judge(START) is None


def test_the_place_of_an_answer_is_noted_with_what_asks_for_it_again(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path)
    come(state, None)
    columns = "status, etag, modified, fetched"
    assert journal_rows(state.frontier, columns) == [(200, "", "", FETCHED)]


def test_the_next_process_knows_how_addresses_of_versions_differ(tmp_path: Path) -> None:
    """As undisturbed: three families show the difference, the fourth is found by it."""
    state = waiting_crawl(tmp_path, *(found_at(f"doc/{n}.html", tier=5) for n in range(4)))
    for n in range(3):
        come(state, made_contents(Link(f"{SITE}/tradotto/{n}.html", "Français")))
    state.frontier.add([found_at("tradotto/3.html")])
    state.prioritiser.note_waiting([f"{SITE}/tradotto/3.html"])
    again = _again(state, tmp_path)
    for crawl in (state, again):
        assert list(crawl.prioritiser.versions_by_rule(f"{SITE}/doc/3.html")) == [f"{SITE}/tradotto/3.html"]


def test_the_next_process_finds_versions_among_pages_that_were_fetched(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, found_at("fr/1", tier=5))
    come(state, made_contents(lang="fr"))
    for crawl in (state, _again(state, tmp_path)):
        assert crawl.prioritiser.versions_by_marker(f"{SITE}/en/1") == {f"{SITE}/fr/1"}


def test_the_next_process_knows_which_promises_were_broken(tmp_path: Path) -> None:
    """English under French addresses: what is promised in French goes behind links."""
    state = waiting_crawl(tmp_path, *(found_at(f"fr/{n}", tier=4, lang="fr", family=1) for n in range(6)))
    for _ in range(6):
        come(state, made_contents(lang="en"))
    broken = state.prioritiser.version_priority(1, "fr")
    assert broken < 10.0
    assert _again(state, tmp_path).prioritiser.version_priority(1, "fr") == broken


def test_a_version_for_everybody_else_promises_no_language(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"x/{n}", tier=4, lang="x-default", family=1) for n in range(6)))
    for _ in range(6):
        come(state, made_contents(lang="en"))
    for crawl in (state, _again(state, tmp_path)):
        assert crawl.prioritiser.version_priority(1, "fr") == 100.0


def test_a_host_that_was_left_is_told_of_in_the_journal_until_the_next_crawl(tmp_path: Path) -> None:
    crawl = MadeCrawl(MadeSite({START: (429, {"Retry-After": "601"})}), tmp_path, START)
    crawl.frontier.add([found_at("later", priority=1.0)])
    crawl.run()
    crawl.scheduler.conclude()
    why = "asks to be left alone for 601 s; run the same command after that"
    rows = journal_rows(crawl.frontier, "url, state, reason, detail", "kind='page'")
    assert rows == [(url, "queued", "host_left", why) for url in (START, f"{SITE}/later")]
    crawl.frontier.close()
    crawl = MadeCrawl(MadeSite({}), tmp_path, START)
    assert journal_rows(crawl.frontier, "state, reason, detail", "kind='page'") == [("queued", "", "")] * 2


def test_a_crawl_that_goes_on_keeps_the_rest_of_the_one_before(tmp_path: Path) -> None:
    site = MadeSite({START: (503, {"Retry-After": "400"})})
    crawl = MadeCrawl(site, tmp_path, START)
    crawl.run(3)
    crawl.frontier.close()
    MadeCrawl(site, tmp_path, START).run(1)
    assert site.times_s[3] - site.times_s[2] == 400.0
