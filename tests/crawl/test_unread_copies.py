"""An update of a run whose journal is of an older version, without the texts of its pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from journal_rows import journal_rows
from test_crawl_runs import Served, serving

from diglot.crawl.queue.frontier import Frontier
from diglot.crawl.unread_copies import read_copy
from diglot.documents.parse import parse_page
from diglot.errors import SiteOutage
from diglot.harvesting import harvest
from diglot.updating import update
from made_website import website

WALL = "<html lang=en><h1>Sign in</h1><p>{}</p><p>After signing in you return to {}</p></html>"
NOTICE = "Please sign in to go on, for only registered customers may read what this library has on its shelves. "


def chapters() -> dict[str, bytes]:
    return {path: body for path, body in website().items() if path.endswith(("chapter1.html", "chapter2.html"))}


def unread(run: Path) -> int:
    """Number of pages without a text in the journal."""
    with closing(Frontier(run / "journal.db")) as frontier:
        return len(journal_rows(frontier, "id", "id IN (SELECT address FROM record WHERE marks IS NULL)"))


def old_run(site: Served, out: Path) -> Path:
    """A run as an older version would have left it."""
    harvest(site.start, "en,fr", out, crawl=site.options, jobs=1)
    with closing(Frontier(out / "journal.db")) as frontier:
        frontier._db.execute("UPDATE record SET marks=NULL, contents='', words='', chars=NULL")
    return out


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A served site and an old run of it, to be copied."""
    with serving(chapters()) as site:
        yield site, old_run(site, tmp_path_factory.mktemp("crawled") / "run")


def test_a_login_on_all_pages_is_seen_though_the_journal_has_no_texts(
    crawled: tuple[Served, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, run = crawled[0], Path(shutil.copytree(crawled[1], tmp_path / "run"))
    monkeypatch.setattr(site, "pages", {path: WALL.format(NOTICE * 3, path).encode() for path in site.pages})
    with pytest.raises(SiteOutage, match="4 of 4"):
        update(run, crawl=site.options, jobs=1)
    assert unread(run) == 0


@pytest.mark.parametrize("etags", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["304", "same bytes"])
def test_the_copy_of_an_unchanged_page_is_read(crawled: tuple[Served, Path], etags: bool, tmp_path: Path) -> None:
    site, run = crawled[0], Path(shutil.copytree(crawled[1], tmp_path / "run"))
    if not etags:
        with closing(Frontier(run / "journal.db")) as frontier:
            frontier._db.execute("UPDATE address SET etag=NULL")
    assert unread(run) > 0
    assert update(run, crawl=site.options, jobs=1).pages == {"same": 4}
    assert unread(run) == 0
    with closing(Frontier(run / "journal.db")) as frontier:
        texts = [record for records in frontier.texts_ever().values() for record in records]
    assert len(texts) == 4
    assert all(len(text.marks) for text in texts)


def test_a_copy_in_a_file_that_is_gone_costs_no_page(tmp_path: Path) -> None:
    assert read_copy(tmp_path / "crawl-00000.warc.gz", 0, 9, max_bytes=9, parse=parse_page) is None
    (tmp_path / "empty").touch()
    assert read_copy(tmp_path / "empty", 0, 9, max_bytes=9, parse=parse_page) is None
    (tmp_path / "cut").write_bytes(b"WARC/1.1")
    assert read_copy(tmp_path / "cut", 100, 9, max_bytes=9, parse=parse_page) is None


@pytest.mark.slow
def test_a_damaged_copy_is_read_once(tmp_path: Path) -> None:
    with serving(chapters()) as site:
        run = old_run(site, tmp_path / "run")
        with closing(Frontier(run / "journal.db")) as frontier:
            ((number, start),) = journal_rows(frontier, "id, start", "url LIKE '%/fr/chapter2.html'")
        (archive,) = (run / "warc").glob("crawl-*.warc.gz")
        with archive.open("r+b") as file:
            file.seek(start + 200)
            file.write(bytes(50))
        update(run, crawl=site.options, jobs=1)
    with closing(Frontier(run / "journal.db")) as frontier:
        assert frontier.unread_copy(number) is None
        assert len(frontier.texts_ever()) == 3
