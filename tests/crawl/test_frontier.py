"""The journal of a crawl and its archive: what a killed process leaves behind."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from journal_rows import journal_rows

from diglot.crawl.archive import Archive, Exchange, forget_records
from diglot.crawl.queue.frontier import DONE, FAILED, MAX_TRIES, QUEUED, Frontier, NewAddress
from diglot.crawl.queue.records import Copy
from diglot.errors import RunFolderError
from diglot.pages import open_sources, read
from diglot.records import Page


def _frontier(folder: Path, *urls: str) -> Frontier:
    frontier = Frontier(folder / "journal.db")
    frontier.add(NewAddress(url, "h", priority=float(n)) for n, url in enumerate(urls))
    return frontier


def _exchange(url: str, body: bytes) -> Exchange:
    fields = [(b"Content-Type", b"text/html"), (b"Content-Length", str(len(body)).encode())]
    return Exchange(url, "2026-01-01T00:00:00Z", "HTTP/1.1 200 OK", [(b"Host", b"h")], fields, body, "GET / HTTP/1.1")


def test_the_most_wanted_comes_first_and_busy_hosts_wait(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/low", "http://h/high")
    frontier.add([NewAddress("http://i/other", "i", priority=0.5)])
    assert [entry.url for entry in iter(lambda: frontier.take(["i"]), None)] == ["http://h/high", "http://h/low"]
    entry = frontier.take([])
    assert entry is not None
    assert entry.url == "http://i/other"
    frontier.close()


def test_what_was_in_flight_waits_again_until_it_has_killed_three_crawls(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/a")
    for _ in range(MAX_TRIES):
        frontier.requeue_in_flight()
        assert frontier.take([]) is not None
    frontier.requeue_in_flight()
    assert journal_rows(frontier, "state, reason") == [(FAILED, "crawl_died")]
    frontier.close()


def test_an_address_rises_but_never_sinks_and_a_settled_one_stays(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/a")
    frontier.add([NewAddress("http://h/a", "h", tier=4, priority=100.0, lang="fr", family=7, how="version")])
    frontier.add([NewAddress("http://h/a", "h", tier=0, priority=500.0)])
    assert journal_rows(frontier, "tier, priority, lang, family, how") == [(4, 100.0, "fr", 7, "version")]
    entry = frontier.take([])
    assert entry is not None
    frontier.finish(entry.id, DONE)
    frontier.add([NewAddress("http://h/a", "h", tier=5, priority=1000.0)])
    assert journal_rows(frontier, "state, tier") == [(DONE, 4)]
    frontier.close()


def test_a_transaction_that_fails_changes_nothing(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/a")
    with pytest.raises(AttributeError), frontier.transaction():
        frontier.take([]).missing  # type: ignore[union-attr]  # noqa: B018
    assert journal_rows(frontier, "state") == [(QUEUED,)]
    frontier.close()


@pytest.mark.parametrize("torn", [b"", b"\x1f\x8b\x08 half a member", b"x" * 5000])
def test_what_was_written_and_not_noted_is_cut_off(tmp_path: Path, torn: bytes) -> None:
    frontier = Frontier(tmp_path / "journal.db")
    archive = Archive(tmp_path / "warc", frontier, software="test")
    archive.append(_exchange("http://h/a", b"<p>one"), frontier)
    path = tmp_path / "warc" / "crawl-00000.warc.gz"
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    (tmp_path / "warc" / "crawl-00001.warc.gz").write_bytes(torn)
    again = Archive(tmp_path / "warc", frontier, software="test")
    assert path.read_bytes() == whole
    assert [each.name for each in (tmp_path / "warc").iterdir()] == [path.name]
    place = again.append(_exchange("http://h/b", b"<p>two"), frontier)
    assert path.stat().st_size == place.start + place.length
    pages = [page for page in read(open_sources([str(path)])[0]) if isinstance(page, Page)]
    assert [(page.url, page.body) for page in pages] == [("http://h/a", b"<p>one"), ("http://h/b", b"<p>two")]
    assert pages[1].offset == place.start
    frontier.close()


def test_an_archive_shorter_than_the_journal_says_is_refused(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "journal.db")
    Archive(tmp_path / "warc", frontier, software="test").append(_exchange("http://h/a", b"<p>one"), frontier)
    path = tmp_path / "warc" / "crawl-00000.warc.gz"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(RunFolderError, match="shorter than the journal says"):
        Archive(tmp_path / "warc", frontier, software="test")
    frontier.close()


def test_the_archive_is_valid_for_another_reader(tmp_path: Path) -> None:
    checker = pytest.importorskip("warcio.checker")
    frontier = Frontier(tmp_path / "journal.db")
    archive = Archive(tmp_path / "warc", frontier, software="test")
    for number in range(3):
        archive.append(_exchange(f"http://h/{number}", b"<p>%d" % number), frontier)
    check = checker.Checker(type("Arguments", (), {"inputs": [], "verbose": False}))
    check.process_one(str(tmp_path / "warc" / "crawl-00000.warc.gz"))
    assert check.exit_value == 0
    frontier.close()


def test_an_address_is_as_deep_as_the_shortest_way_to_it(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "journal.db")
    for depth in (5, 2, 7):
        frontier.add([NewAddress("http://h/a", "h", depth=depth)])
    assert journal_rows(frontier, "depth") == [(2,)]
    frontier.close()


def test_an_archive_written_again_has_all_records_of_those_that_stay(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/0", "http://h/1", "http://h/2")
    archive = Archive(tmp_path / "warc", frontier, software="test")
    ids = {url: number for number, url in journal_rows(frontier, "id, url")}
    for url, body in (("0", b"old"), ("1", b"one"), ("2", b"two"), ("0", b"new")):
        place = archive.append(_exchange(f"http://h/{url}", b"<html><p>" + body), frontier)
        values = {"warc": place.warc, "start": place.start, "length": place.length}
        frontier.finish(ids[f"http://h/{url}"], DONE, **values)
        frontier.note_record(ids[f"http://h/{url}"], Copy(body.decode()), **values)
    forget_records(tmp_path / "warc", frontier, {ids["http://h/1"]})
    files = [path.name for path in (tmp_path / "warc").iterdir()]
    assert files == list(frontier.archives()) == ["crawl-00001.warc.gz"]
    assert [page.body for page in _pages(tmp_path / "warc")] == [b"<html><p>old", b"<html><p>two", b"<html><p>new"]
    in_use = {page.offset for page in _pages(tmp_path / "warc") if page.body != b"<html><p>old"}
    assert {place.start for place in frontier.places_in_use()[files[0]]} == in_use
    assert not frontier.are_all_in_use()
    forget_records(tmp_path / "warc", frontier, set())
    assert [path.name for path in (tmp_path / "warc").iterdir()] == files
    (tmp_path / "warc" / "crawl-00000.warc.gz").write_bytes(b"left by a kill")
    forget_records(tmp_path / "warc", frontier, set())
    assert [path.name for path in (tmp_path / "warc").iterdir()] == files
    frontier.close()


def _pages(folder: Path) -> list[Page]:
    sources = open_sources(sorted(map(str, folder.glob("*.warc.gz"))))
    return [record for source in sources for record in read(source) if isinstance(record, Page)]


def test_of_what_is_forgotten_a_journal_keeps_only_that_it_is(tmp_path: Path) -> None:
    frontier = _frontier(tmp_path, "http://h/a", "http://h/b")
    ids = [number for (number,) in journal_rows(frontier, "id", "url='http://h/a'")]
    frontier.note_links(ids[0], [2])
    with frontier.transaction():
        frontier.mark_forgotten(["http://h/a", "gone.org"])
        frontier.strike_out(ids)
    frontier.close()
    frontier = Frontier(tmp_path / "journal.db")
    frontier.add([NewAddress(url, "h") for url in ("http://h/a", "https://h/a", "http://h/c")])
    frontier.add([NewAddress("http://gone.org/x", "gone.org")])
    frontier.note_host("gone.org", "http")
    frontier.ask_again()
    assert [url for (url,) in journal_rows(frontier, "url", "kind='page'")] == ["http://h/b", "http://h/c"]
    assert [row[0] for row in frontier.fetches()] == ["http://h/b", "http://h/c"]
    assert (frontier.hosts(), list(frontier.noted_links_and_texts())) == ([], [])
    frontier.close()


def test_a_journal_of_an_older_version_gets_its_later_columns(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with closing(Frontier(journal)) as frontier:
        frontier.add([NewAddress("http://h/a", "h")])
    with closing(sqlite3.connect(journal)) as older:
        older.execute("DROP INDEX address_turn")
        older.execute("CREATE INDEX address_next ON address (state, priority DESC, id)")
        for table, column in (("record", "marks"), ("record", "contents"), ("address", "known"), ("address", "missed")):
            older.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
    with closing(Frontier(journal)) as frontier:
        frontier.ask_again()
        taken = frontier.take([])
        assert taken is not None
        assert (taken.url, taken.known, frontier.texts_ever()) == ("http://h/a", 0, {})
