"""What a page leads to is queued, its versions first, and what it shows of the site moves what waits."""

from __future__ import annotations

from pathlib import Path

import pytest
from handed_pages import HOST, SITE, come, found_at, made_contents, row, waiting_crawl
from journal_rows import journal_rows
from made_crawls import MadeCrawl, MadeSite, made_page

from diglot.crawl.crawl_state import CrawlState
from diglot.crawl.page_reading import ReadPage
from diglot.crawl.queue.prioritiser import Link
from diglot.crawl.queue.traps import text_hashes

START = f"{SITE}/"
TEXTS = ("The harbour opens every morning before the boats leave", "short")


def _place(state: CrawlState, path: str) -> tuple[int, float]:
    tier, priority = row(state, f"{SITE}/{path}", "tier, priority")
    return tier, pytest.approx(priority)


@pytest.mark.parametrize(
    ("depth", "lang", "declared", "chars", "queued"),
    [
        (1, "en", "", 1000, {"b", "v"}),
        (1, "de", "", 1000, {"v"}),
        (1, "de", "", 199, {"b", "v"}),
        (1, "de", "fr", 1000, {"b", "v"}),
        (0, "de", "", 1000, {"b", "v"}),
    ],
)
def test_links_of_wanted_pages_and_of_the_start_are_queued_of_others_their_versions(
    tmp_path: Path, depth: int, lang: str, declared: str, chars: int, queued: set[str]
) -> None:
    state = waiting_crawl(tmp_path, found_at("a", depth=depth))
    links = Link(f"{SITE}/b"), Link(f"{SITE}/v", "Français")
    contents = made_contents(*links, lang=lang, declared=declared, chars=chars)
    entry = come(state, contents)
    rows = journal_rows(state.frontier, "url, found_by, depth, how", "found_by IS NOT NULL")
    how = {"b": "link", "v": "version"}
    assert rows == [(f"{SITE}/{path}", entry.id, depth + 1, how[path]) for path in sorted(queued)]


def test_what_a_page_is_and_says_is_noted_without_changing_its_state(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, found_at("a"))
    for metas, told in (((), "done"), ((("robots", "noindex"),), "refused")):
        contents = made_contents(lang="und", declared="fr-CA", chunks=TEXTS)
        entry = come(state, None, read=ReadPage(b"", contents, metas=metas))
        assert row(state, entry.url, "state, page_lang, partnered") == (told, "fr-CA", 0)
        *_, (seen, _, texts) = state.frontier.noted_links_and_texts()
        assert (seen, texts) == (entry.id, list(text_hashes(entry.url, TEXTS)))
    assert state.counts["refused"] == 1


def test_the_traps_are_told_of_every_page(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"old/{n}", tier=5) for n in range(50)))
    for _ in range(50):
        come(state, made_contents(Link(f"{SITE}/last"), chunks=("This page is gone and will not come back",)))
    stop = state.traps.judge(f"{SITE}/last")
    assert stop is not None
    assert "50 hold 'this page is gone and will not come back'" in stop.reason


@pytest.mark.parametrize(
    ("links", "partnered", "priority"),
    [
        ([], 0, 16.0),
        ([Link(f"{SITE}/s/v", "Français")], 1, 24.0),
        ([Link(f"{SITE}/s/v", "Deutsch")], 0, 16.0),
        ([Link(f"{SITE}/s/v", "", "x-default", alternate=True)], 0, 16.0),
    ],
)
def test_what_waits_in_the_folder_of_a_page_is_weighed_by_whether_the_page_has_a_version(
    tmp_path: Path, links: list[Link], partnered: int, priority: float
) -> None:
    """Shares of 1/3 and 2/3, to a tenth; links and not versions, and of this folder only."""
    waiting = found_at("s/b", 19.98, depth=2), found_at("s/c", 100.0, tier=4), found_at("o/d", 19.99)
    state = waiting_crawl(tmp_path, found_at("s/a"), *waiting)
    come(state, made_contents(*links, Link(f"{SITE}/s/e"), Link(f"{SITE}/s/t/f")))
    assert row(state, f"{SITE}/s/a", "partnered") == (partnered,)
    assert (_place(state, "s/b"), _place(state, "s/e")) == ((0, priority - 0.02), (0, priority - 0.02))
    assert (_place(state, "s/c"), _place(state, "o/d"), _place(state, "s/t/f")) == ((4, 100.0), (0, 19.99), (0, 19.98))
    assert state.prioritiser.link_priority(f"{HOST}/s/") == priority


@pytest.mark.parametrize("lang", ["und", "de"])
def test_a_folder_learns_of_pages_that_are_followed_only(tmp_path: Path, lang: str) -> None:
    state = waiting_crawl(tmp_path, found_at("s/a"))
    come(state, made_contents(lang=lang))
    assert state.prioritiser.link_priority(f"{HOST}/s/") == (16.0 if lang == "und" else 20.0)


def test_pages_teach_which_markers_stand_for_unwanted_languages(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"de/{n}", tier=5) for n in range(3)))
    for _ in range(3):
        come(state, made_contents(lang="de"))
    come(state, made_contents(Link(f"{SITE}/de/9")))
    assert row(state, f"{SITE}/de/9", "state, reason") == ("refused", "other_language")


def test_what_is_a_version_by_its_address_is_raised_and_makes_its_page_one_that_has_a_version(tmp_path: Path) -> None:
    waiting = [found_at(path, 1.0) for path in ("fr/1", "de/1", "fr/2", "vf/2", "vf/3")]
    state = waiting_crawl(tmp_path, *(found_at(f"en/{n}", tier=5) for n in (1, 2, 3)), *waiting)
    for number in range(3):
        state.prioritiser.learn_versions(f"{SITE}/en/{90 + number}", [f"{SITE}/vf/{90 + number}"])
    come(state, made_contents())
    assert (_place(state, "fr/1"), _place(state, "de/1"), _place(state, "vf/2")) == ((3, 80.0), (0, 1.0), (0, 1.0))
    come(state, made_contents())
    assert (_place(state, "fr/2"), _place(state, "vf/2")) == ((3, 80.0), (2, 70.0))
    come(state, made_contents())
    assert _place(state, "vf/3") == (2, 70.0)
    partnered = journal_rows(state.frontier, "partnered", "state='done'")
    assert partnered == [(1,), (1,), (1,)]


def test_a_version_by_marker_and_by_rule_is_one_by_marker(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, found_at("en/1"), found_at("fr/1", 1.0))
    for number in range(3):
        state.prioritiser.learn_versions(f"{SITE}/en/{90 + number}", [f"{SITE}/fr/{90 + number}"])
    come(state, made_contents())
    assert _place(state, "fr/1") == (3, 80.0)


def test_pages_in_unwanted_languages_raise_nothing(tmp_path: Path) -> None:
    family = found_at("x/1", 50.0, tier=1, family=2)
    state = waiting_crawl(tmp_path, found_at("1", family=2), found_at("fr/1", 1.0), family)
    come(state, made_contents(lang="de"))
    assert (_place(state, "fr/1"), _place(state, "x/1")) == ((0, 1.0), (1, 50.0))
    assert row(state, f"{SITE}/1", "partnered") == (0,)


@pytest.mark.parametrize("family", [None, 77])
def test_members_of_a_family_rise_to_the_head_when_one_of_them_has_come(tmp_path: Path, family: int | None) -> None:
    of = family or 2
    members = found_at("x/1", 50.0, tier=1, family=of), found_at("x/2", 7.0, tier=4, family=of)
    other = found_at("x/3", 50.0, tier=1, family=of + 1)
    state = waiting_crawl(tmp_path, found_at("a", family=family), *members, other)
    assert come(state, made_contents()).id == 2
    assert (_place(state, "x/1"), _place(state, "x/2"), _place(state, "x/3")) == ((4, 100.0), (4, 7.0), (1, 50.0))


@pytest.mark.parametrize(
    ("hreflang", "anchor", "lang", "taught"),
    [("fr", "", "en", True), ("de", "", "en", False), ("", "more", "en", False), ("fr", "", "de", False)],
)
def test_only_wanted_versions_of_wanted_pages_teach_how_addresses_differ(
    tmp_path: Path, hreflang: str, anchor: str, lang: str, taught: bool
) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"o/{n}", tier=5) for n in range(3)), found_at("v/9", 1.0))
    for number in range(3):
        come(state, made_contents(Link(f"{SITE}/v/{number}", anchor, hreflang, bool(hreflang)), lang=lang))
    assert list(state.prioritiser.versions_by_rule(f"{SITE}/o/9")) == ([f"{SITE}/v/9"] if taught else [])


@pytest.mark.parametrize(
    ("known_as", "family", "lang", "after"),
    [
        ("fr", 77, "en", 7.0),
        ("fr-CA", 77, "en", 7.0),
        ("fr", 77, "fr-CA", 100.0),
        ("fr", 77, "und", 100.0),
        ("fr", None, "en", 100.0),
        ("", 77, "en", 100.0),
    ],
)
def test_versions_that_wait_are_weighed_by_whether_this_one_was_in_its_language(
    tmp_path: Path, known_as: str, family: int | None, lang: str, after: float
) -> None:
    waiting = found_at("w/1", 100.0, tier=4, family=77, lang="fr"), found_at("w/2", 100.0, tier=3, family=1, lang="fr")
    state = waiting_crawl(tmp_path, found_at("a", tier=4, family=family, lang=known_as), *waiting)
    come(state, made_contents(lang=lang, declared="en"))
    assert state.prioritiser.version_priority(77, "fr") == pytest.approx(after)
    assert (_place(state, "w/1"), _place(state, "w/2")) == ((4, after), (3, 100.0))


def test_a_page_that_a_sitemap_names_without_versions_is_no_promise(tmp_path: Path) -> None:
    state = waiting_crawl(tmp_path, *(found_at(f"a/{n}", tier=5, lang="fr", how="sitemap") for n in range(3)))
    for _ in range(3):
        come(state, made_contents(lang="en"))
    assert state.prioritiser.version_priority(77, "fr") == 100.0


def test_a_version_that_was_doubted_is_believed_again_when_others_kept_their_word(tmp_path: Path) -> None:
    """Its family has broken its word once, 1.5/2.5; its language by and by less of it: 2/3, 3/4, 4/5, 5/6, 6/7."""
    others = (found_at(f"o/{n}", tier=3, family=80 + n, lang="fr") for n in range(4))
    waiting = found_at("a", 2001.0, tier=4, family=77, lang="fr"), found_at("w", 100.0, tier=4, family=77, lang="fr-CA")
    state = waiting_crawl(tmp_path, *waiting, *others)
    come(state, made_contents(lang="en"))
    priorities = [row(state, f"{SITE}/w", "priority")[0]]
    for _ in range(4):
        come(state, made_contents(lang="fr"))
        priorities += row(state, f"{SITE}/w", "priority")
    assert priorities[:3] == [pytest.approx(7.0), pytest.approx(7.25), pytest.approx(7.4)]
    assert priorities[-1] == 100.0


def test_a_drop_down_menu_of_languages_leads_to_versions_and_other_menus_lead_nowhere(tmp_path: Path) -> None:
    menus = (
        "<select onchange='location=this.value'><option value=/>English<option value=/fr/>Français</select>"
        "<select onchange='location=this.value'><option value=/2020/05/>May 2020</select>"
    )
    site = MadeSite({START: made_page("en", 1, menus), f"{SITE}/fr/": made_page("fr", 1, menus)})
    crawl = MadeCrawl(site, tmp_path, START, ("en", "fr"))
    assert crawl.run() == [START, f"{SITE}/fr/"]
    assert journal_rows(crawl.frontier, "how", f"url='{SITE}/fr/'") == [("version",)]
