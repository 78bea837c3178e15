"""A page is forgotten under all of its addresses, with the links that only it had; the same text elsewhere is named."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from made_crawls import MadeSite
from made_runs import LANGS, PAGE, SITE, START, WORD, crawl, made_site

from diglot.cli import main
from diglot.cli.crawling import _forgotten_lines
from diglot.crawl.queue.frontier import Frontier
from diglot.disk.folder import RunFolder
from diglot.errors import UsageError
from diglot.forgetting import Forgotten, forget
from diglot.harvesting import harvest
from diglot.run.crawl import write_fetches
from diglot.run.work import CRAWL
from packed_files import holding
from slow_cases import slow_but

MAIL = f"{PAGE}?utm_source=mail"
PRINT = f"{SITE}/en/print5.html"
SECRET = "private-plans"


def site() -> MadeSite:
    """The chapters, of which one has links of its own, is linked from a mail, and has a view to print."""
    pages = made_site().answers
    body = pages[PAGE].replace(
        b"</main>", f'<a href="{SECRET}.html">plans</a><a href="{SECRET}.pdf">plans</a></main>'.encode()
    )
    start = pages[START].replace(b"</main>", b'<a href="print5.html">print</a></main>')
    last = pages[f"{SITE}/en/chapter6.html"].replace(b"</main>", f'<a href="{MAIL}">again</a></main>'.encode())
    made = {**pages, START: start, f"{SITE}/en/chapter6.html": last, PAGE: body, MAIL: body}
    return MadeSite({**made, PRINT: body.replace(SECRET.encode(), b"chapter1")})


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of that site; not to be changed."""
    out = tmp_path_factory.mktemp("variants") / "run"
    out.mkdir()
    crawl(site(), out)
    with RunFolder(out) as folder:
        write_fetches(folder)
        folder.remember(CRAWL, "options", {"starts": [START], "langs": list(LANGS)})
        folder.remember(CRAWL, "done", True)
    harvest(sorted(map(str, (out / "warc").glob("*.warc.gz"))), LANGS, out, jobs=1)
    return out


@pytest.fixture
def run(before: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(before, tmp_path / "run"))


def test_variants_of_a_forgotten_address_are_forgotten_and_stay_away(run: Path) -> None:
    assert MAIL in {url for _, url in _pages(run)}
    forget(run, url=PAGE, same_text=True, jobs=1)
    assert holding(run, WORD) == set()
    # As a link of the page that has it.
    assert {name.split("/")[0] for name in holding(run, "utm_source")} <= {"documents", "warc"}
    frontier = Frontier(run / "journal.db")
    frontier.ask_again()
    frontier.close()
    again = site()
    crawl(again, run)
    assert f"{SITE}/en/chapter6.html" in again.asked
    assert not {PAGE, MAIL, PRINT} & set(again.asked)


SPELT = [
    f"{SITE}/fr/../en/%63hapter5%2Ehtml",
    f"{MAIL}&PHPSESSID=77",
    f"{SITE}/en/chapter5.html;jsessionid=0A1B",
]


@pytest.mark.parametrize("spelt", slow_but(SPELT[:1], SPELT))
def test_an_address_is_matched_by_its_normal_form_and_variants(run: Path, spelt: str) -> None:
    assert forget(run, url=spelt, jobs=1).addresses == 3  # the page, the link from a mail, the old address
    assert PAGE not in {url for _, url in _pages(run)}


def test_another_address_in_a_query_is_not_the_page_it_names(run: Path) -> None:
    with pytest.raises(UsageError, match=r"does not know .*; out/fetches.tsv and out/pages.tsv list"):
        forget(run, url=f"{SITE}/share?of={PAGE}", jobs=1)
    assert PAGE in {url for _, url in _pages(run)}


@pytest.mark.slow
def test_links_that_only_the_page_had_leave_the_journal(run: Path) -> None:
    assert {"journal.db", "out/fetches.tsv"} <= holding(run, SECRET)
    forget(run, url=PAGE, jobs=1)
    assert holding(run, SECRET) == set()


def test_the_same_text_elsewhere_is_named_with_what_to_type(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", str(run), "--url", PAGE, "--jobs", "1"]) == 0
    printed = capsys.readouterr().out
    assert f"note      {PRINT} has the same text (100% of it): diglot forget {run} --url {PRINT}\n" in printed
    assert holding(run, WORD)
    assert forget(run, url=PRINT, jobs=1).same_text == {}
    assert holding(run, WORD) == set()


def _pages(run: Path) -> list[tuple[int, str]]:
    frontier = Frontier(run / "journal.db")
    try:
        return frontier.addresses_on(SITE.removeprefix("http://"))
    finally:
        frontier.close()


def test_an_address_with_the_same_text_that_is_a_translation_too_is_named_once(tmp_path: Path) -> None:
    done = Forgotten(1, [], [], [], same_text={"https://a/fr": 0.9, "https://a/print": 1.0})
    lines = _forgotten_lines(tmp_path, replace(done, translations=["https://a/fr", "https://a/de"]))
    assert [line.partition(": diglot")[0].removeprefix("note      ") for line in lines[1:]] == [
        "https://a/fr is a translation of it, has the same text (90% of it) and stays",
        "https://a/print has the same text (100% of it)",
        "https://a/de is a translation of it and stays",
    ]
