"""Another choice of languages on the folder of a crawl works on the pages there, and fetches what is missing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from made_crawls import MadeCrawl, MadeSite, made_page
from test_crawl_runs import serving

from diglot.crawl.archived_links import follow_archived_pages
from diglot.documents.parse import parse_page
from diglot.harvesting import harvest
from diglot.run import crawl as crawl_run

S = "http://a.example"


def site_in_three_languages(count: int = 4) -> dict[str, bytes]:
    """Pages by path: chapters in three languages, the last of which only German pages link to."""
    pages = {}
    for number in range(1, count + 1):
        for lang in ("en", "fr", "de"):
            versions = "".join(
                f'<link rel="alternate" hreflang="{other}" href="/{other}/chapter{number}.html">'
                for other in ("en", "fr", "de")
                if other != lang
            )
            onward = number + 1 if number + 1 < count or lang == "de" else 1
            links = f'<a href="/{lang}/chapter{onward}.html">{onward}</a>'
            pages[f"{lang}/chapter{number}.html"] = made_page(lang, number, links, versions)
    return pages


def made_site() -> MadeSite:
    return MadeSite({f"{S}/{path}": page for path, page in site_in_three_languages().items()})


def crawled(
    site: MadeSite, folder: Path, langs: tuple[str, ...], *, again: bool = False, requests: int = 999
) -> set[str]:
    """Pages in the journal after a crawl that follows the archive first where it is another one."""
    crawl = MadeCrawl(site, folder, f"{S}/en/chapter1.html", langs)
    if again:
        follow_archived_pages(crawl.scheduler.state, folder / "warc", parse_page)
    crawl.run(requests)
    pages = {url for url, (state, _) in crawl.states().items() if state == "done"}
    crawl.frontier.close()
    return pages


def test_pages_in_a_language_not_wanted_before_are_fetched_and_no_page_twice(tmp_path: Path) -> None:
    for name in ("run", "fresh"):
        (tmp_path / name).mkdir()
    site = made_site()
    assert not any("/de/" in url for url in crawled(site, tmp_path / "run", ("en", "fr")))
    pages = crawled(site, tmp_path / "run", ("en", "de"), again=True)
    assert pages >= crawled(made_site(), tmp_path / "fresh", ("en", "de")) >= {f"{S}/de/chapter4.html"}
    assert max(Counter(site.pages_asked()).values()) == 1


def test_a_kill_between_costs_nothing(tmp_path: Path) -> None:
    site = made_site()
    crawled(site, tmp_path, ("en", "fr"))
    crawled(site, tmp_path, ("en", "de"), again=True, requests=1)
    assert f"{S}/de/chapter4.html" in crawled(site, tmp_path, ("en", "de"), again=True)
    assert max(Counter(site.pages_asked()).values()) == 1


def test_what_is_still_not_wanted_stays_refused(tmp_path: Path) -> None:
    site = made_site()
    crawled(site, tmp_path, ("en", "fr"))
    pages = crawled(site, tmp_path, ("en", "ja"), again=True)
    assert not any("/de/" in url for url in pages)
    crawl = MadeCrawl(site, tmp_path, f"{S}/en/chapter1.html", ("en", "ja"))
    assert crawl.states()[f"{S}/de/chapter1.html"] == ("refused", "other_language")
    crawl.frontier.close()


def test_a_harvest_in_other_languages_finds_what_a_fresh_one_finds(tmp_path: Path) -> None:
    with serving(site_in_three_languages()) as site:
        first = harvest(site.start, "en,fr", tmp_path / "run", crawl=site.options, jobs=1)
        assert first.settings.langs == ("en", "fr")
        again = harvest(site.start, "en,de", tmp_path / "run", crawl=site.options, jobs=1)
        assert max(count for path, count in site.asked.items() if "chapter" in path) == 1
        fresh = harvest(site.start, "en,de", tmp_path / "fresh", crawl=site.options, jobs=1)
    pairs = [[(pair.src_url, pair.tgt_url) for pair in run.pairs()] for run in (again, fresh)]
    assert sorted(pairs[0]) == sorted(pairs[1])
    assert len(pairs[1]) > 2


@pytest.mark.parametrize(
    ("before", "langs", "expected"),
    [
        (["en", "fr"], ["en", "de"], True),
        (["en", "fr"], [], True),
        (["en", "fr"], ["fr", "en"], False),
        (["en", "fr", "de"], ["en", "de"], False),
        ([], ["en", "de"], False),
        (None, ["en", "de"], False),
    ],
)
def test_links_are_read_again_for_more_languages_only(
    before: list[str] | None, langs: list[str], expected: bool
) -> None:
    assert crawl_run.is_wider(langs, before) is expected
