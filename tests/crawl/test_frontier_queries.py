"""What the rest of the program asks the journal, on a journal of nine addresses worked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diglot.crawl.crawling import _pages_before
from diglot.crawl.queue.frontier import DONE, FAILED, REFUSED, SITEMAP, Frontier, NewAddress

H, I = "h.example", "i.example"  # noqa: E741
COLUMNS = {
    # id: state and columns that an answer fills
    1: (DONE, {"status": 200, "warc": "w", "digest": "d1", "page_lang": "en", "partnered": 1, "fetched": "t1"}),
    2: (DONE, {"status": 200, "page_lang": None}),  # fetched again, unchanged, its record gone
    3: (FAILED, {"status": 301, "reason": "http_status", "detail": "301 to http://h.example/4"}),
    4: (FAILED, {"status": 404, "reason": "http_status", "digest": "d4"}),
    5: (FAILED, {"reason": "unreachable"}),
    6: (REFUSED, {"reason": "robots", "detail": "line 2"}),
    7: (REFUSED, {"reason": "other_language"}),
    8: (DONE, {"status": 200}),
}


@pytest.fixture
def frontier(tmp_path: Path) -> Iterator[Frontier]:
    """Eight addresses of one host, of which the last is a sitemap, and one that waits for another host."""
    frontier = Frontier(tmp_path / "journal.db")
    hows = {1: "start", 3: "version", 4: "redirect", 6: "sitemap"}
    for n in range(1, 9):
        kind = SITEMAP if n == 8 else "page"
        frontier.add([NewAddress(f"http://{H}/{n}", H, kind=kind, how=hows.get(n, "link"))], None if n == 1 else 1)
    for n, (state, values) in COLUMNS.items():
        frontier.finish(n, state, **values)
    frontier.add([NewAddress(f"http://{I}/9", I, how="sitemap")], 8)
    frontier.note_left(I, "asks for a year")
    frontier.note_host("k.example", "http")
    yield frontier
    frontier.close()


def test_counts_of_outcomes(frontier: Frontier) -> None:
    assert frontier.outcome_counts() == {
        "pages": 2,
        "redirects": 1,
        "failed": 2,  # a failure without a status is no redirect
        "refused": 2,
        "queued": 1,
        "left": 1,
    }
    assert frontier.has_pages()
    assert (frontier.count_stored_pages(), frontier.count_robots_refusals()) == (1, 1)
    assert (frontier.count_sitemaps(), frontier.count_read_sitemaps(), frontier.count_sitemap_pages()) == (1, 1, 2)


def test_reasons_are_counted_without_redirects(frontier: Frontier) -> None:
    assert frontier.reason_counts(FAILED) == {"404": 1, "unreachable": 1}
    assert frontier.reason_counts(REFUSED) == {"other_language": 1, "robots": 1}


def test_the_queue_is_counted(frontier: Frontier) -> None:
    outcomes = frontier.outcome_counts()
    assert frontier.queue_counts() == {name: outcomes[name] for name in ("queued", "failed", "refused")}


def test_a_crawl_goes_on_from_its_pages(frontier: Frontier, tmp_path: Path) -> None:
    assert _pages_before(tmp_path / "journal.db") == 1
    assert _pages_before(tmp_path / "none.db") == 0


def test_queued_addresses_are_counted(frontier: Frontier) -> None:
    assert frontier.count_queued() == 1


@pytest.mark.parametrize("column", ["warc", "state", "kind"])
def test_a_stored_page_is_a_page_that_came_and_has_its_record(frontier: Frontier, column: str) -> None:
    spoilt = {"warc": None, "state": FAILED, "kind": SITEMAP}
    state, values = COLUMNS[1]
    frontier.finish(1, **{"state": state, **values, column: spoilt[column]})
    assert frontier.count_stored_pages() == 0


def test_outcomes_are_those_of_pages_by_id(frontier: Frontier) -> None:
    outcomes = frontier.page_outcomes()
    assert [page.id for page in outcomes] == [1, 2, 3, 4, 5, 6, 7, 9]
    assert outcomes[5] == (6, f"http://{H}/6", H, REFUSED, "robots", "line 2", None, None)
    assert [page.id for page in frontier.start_outcomes()] == [1, 4]
    assert frontier.page_digests() == {f"http://{H}/1": "d1", f"http://{H}/4": "d4"}
    assert frontier.fetched_languages() == [("en", 1), (None, None)]


def test_a_crawl_that_goes_on_learns_from_all_but_other_languages(frontier: Frontier) -> None:
    known = frontier.known_addresses()
    assert [each.id for each in known] == [1, 2, 3, 4, 5, 6, 8, 9]
    assert known[0] == (1, f"http://{H}/1", "page", "en", 1, DONE, "start", 200, "", None)


def test_rows_of_fetches_are_by_address_and_without_what_is_forgotten(frontier: Frontier) -> None:
    frontier.strike_out([1])
    rows = {row[0]: row[1:] for row in frontier.fetches()}
    assert list(rows) == [f"http://{H}/{n}" for n in range(2, 9)] + [f"http://{I}/9"]
    assert rows[f"http://{H}/6"] == (REFUSED, "robots", "line 2", None, None, "sitemap", None, None)
    assert rows[f"http://{I}/9"][-2:] == (f"http://{H}/8", None)


def test_addresses_of_hosts_and_by_spelling(frontier: Frontier) -> None:
    assert frontier.all_hosts() == {H, I, "k.example"}
    assert frontier.addresses_on(I) == [(9, f"http://{I}/9")]
    assert frontier.variants_of(f"https://{H}/2", H) == [(2, f"http://{H}/2")]
    assert frontier.variants_of(f"http://{H}/8", H) == []  # a sitemap


def test_variants_of_an_address_are_found_by_any_of_them(frontier: Frontier) -> None:
    variants = [f"http://{H}/2?utm_source=x", f"http://{H}/2;jsessionid=A1"]
    frontier.add([NewAddress(each, H) for each in (*variants, f"http://{H}/2?page=2", f"http://{H}/22")])
    for each in (f"http://{H}/2", *variants):
        assert [url for _, url in frontier.variants_of(each, H)] == [f"http://{H}/2", *variants]


def test_only_redirects_that_were_followed_have_a_target(frontier: Frontier) -> None:
    notes = [
        (301, "301 to http://elsewhere.example/, which is not of this site"),
        (302, "302 to itself, probably until a cookie comes back, and a crawl keeps none"),
        (301, "more than 5 redirects"),
        (301, "301 to http://10.0.0.1/, which is not connected to: a private address"),
        (304, "304"),
        (308, f"308 to http://{H}/3,3"),
    ]
    urls = [f"http://{H}/r{n}" for n in range(len(notes))]
    frontier.add([NewAddress(each, H) for each in urls])
    for entry_id, (status, detail) in zip(frontier.ids_of(urls), notes, strict=True):
        frontier.finish(entry_id, FAILED, status=status, reason="http_status", detail=detail)
    assert frontier.redirects() == {f"http://{H}/3": f"http://{H}/4", urls[-1]: f"http://{H}/3,3"}
    assert frontier.leading_to([f"https://{H}/4"]) == [(3, f"http://{H}/3")]


def test_links_of_a_page_alone_are_those_without_content_that_no_other_page_has(frontier: Frontier) -> None:
    # Page 1 found 2 to 8. It has the content of 1 and 2, and 4 is an answer without a record.
    assert frontier.linked_only_from([1]) == [3, 4, 5, 6, 7]
    frontier.note_links(2, [5, 6])
    assert frontier.linked_only_from([1]) == [3, 4, 7]
    assert frontier.linked_only_from([1, 2]) == [3, 4, 5, 6, 7]
    assert frontier.linked_only_from([2]) == []
    # What a redirect of page 1 alone leads to goes with it.
    frontier.add([NewAddress(f"http://{H}/target", H, how="redirect")], 3)
    assert len(frontier.linked_only_from([1])) == 4


def test_what_is_raised_waits_and_is_below(frontier: Frontier) -> None:
    frontier.add(NewAddress(f"http://{H}/f{n}", H, tier=n, family=7, priority=1.0) for n in range(4))
    frontier.add([NewAddress(f"http://{H}/map", H, kind=SITEMAP, family=7)])
    frontier.raise_family(7, tier=2, priority=50.0)
    assert [frontier.take([I]) is not None for _ in range(2)] == [True, True]
    taken = {entry.url: (entry.tier, entry.priority) for entry in iter(lambda: frontier.take([I]), None)}
    assert taken == {f"http://{H}/f2": (2, 1.0), f"http://{H}/f3": (3, 1.0), f"http://{H}/map": (0, 0.0)}


def test_a_new_crawl_asks_again_for_what_came_failed_or_was_kept_from_us(frontier: Frontier) -> None:
    frontier.add([NewAddress(f"http://{H}/10", H, hops=1, how="redirect")])
    frontier.finish(10, FAILED, reason="http_status", status=404)
    frontier.ask_again()
    queued = {entry.id for entry in iter(lambda: frontier.take([]), None)}
    assert queued == {1, 2, 3, 4, 5, 6, 8, 9, 10}  # not 7, in another language; 10 is known and queued by nothing else


def test_versions_are_weighed_by_family_and_by_language(frontier: Frontier) -> None:
    frontier.add(
        [
            NewAddress(f"http://{H}/a", H, tier=4, family=7, lang="de"),
            NewAddress(f"http://{H}/b", H, tier=4, family=8, lang="fr-CA"),
            NewAddress(f"http://{H}/c", H, tier=4, family=8, lang="fr"),
            NewAddress(f"http://{H}/d", H, tier=4, family=8, lang="frr"),  # North Frisian, another language
            NewAddress(f"http://{H}/e", H, tier=3, family=7, lang="fr"),
        ]
    )
    frontier.weigh_versions(7, "fr", tier=4, weigh=lambda family, lang: 5.0)
    urls = [entry.url[-1] for entry in iter(lambda: frontier.take([I]), None)]
    assert sorted(urls[:3]) == ["a", "b", "c"]
    assert sorted(urls[3:]) == ["d", "e"]
