"""What prioritiser learns of a site: how far promises, folders, markers and differences of addresses are believed."""

from __future__ import annotations

import pytest
from handed_pages import HOST, SITE, made_contents
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.crawl.queue.frontier import PAGE, Entry
from diglot.crawl.queue.prioritiser import Link, Prioritiser
from diglot.crawl.queue.site_scope import SiteScope
from diglot.crawl.queue.sitemaps import SitemapEntry

ENTRY = Entry(7, f"{SITE}/", PAGE, HOST, f"{HOST}/", 0, 0.0, 0, 0, 1, "link", None, "", None, None, None)


def _prioritiser(*langs: str) -> Prioritiser:
    scope = SiteScope(langs)
    scope.admit(HOST, "https")
    return Prioritiser(scope, langs)


@pytest.mark.parametrize(
    ("told", "family", "lang", "priority"),
    [
        ([], 1, "fr", 100.0),
        ([(1, "fr", False)], 1, "fr", 7.0),  # 1.5/2.5 * 2/3 = 0.4
        ([(1, "fr-CA", False)], 1, "FR_fr", 7.0),
        ([(1, "fr", False)], 2, "fr", 100.0),  # 2/3
        ([(1, "fr", False)], 1, "de", 100.0),  # 1.5/2.5
        ([(1, "fr", False), (2, "fr", False)], 3, "fr", 100.0),  # 2/4: half is enough
        ([(1, "fr", False), (2, "fr", False), (3, "fr", False)], 4, "fr", 7.0),  # 2/5
        ([(1, "fr", False), (2, "fr", False), (3, "fr", False)], None, "fr", 7.0),
        ([(1, "fr", False), (1, "de", False)], 1, "", 5 + 5 * 1.5 / 3.5),
        ([(1, "fr", True), (1, "fr", False)], 1, "fr", 100.0),  # 2.5/3.5 * 3/4 = 0.54
        ([(1, "fr", True), (1, "fr", False), (1, "fr", False)], 1, "fr", 5 + 5 * 2.5 / 4.5 * 3 / 5),
        ([(1, "fr", False)] * 9, 2, "de", 100.0),
    ],
)
def test_a_version_goes_ahead_unless_its_family_or_language_has_broken_its_word(
    told: list[tuple[int, str, bool]], family: int | None, lang: str, priority: float
) -> None:
    prioritiser = _prioritiser("en", "fr")
    for of, told_lang, kept in told:
        prioritiser.learn_promise(of, told_lang, kept=kept)
    assert prioritiser.version_priority(family, lang) == pytest.approx(priority)


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["fr", "de"]), st.booleans()), max_size=12))
@settings(deadline=None)
def test_a_kept_word_never_lowers_and_a_broken_one_never_raises_a_version(told: list[tuple[int, str, bool]]) -> None:
    prioritiser = _prioritiser("en", "fr")
    for family, lang, kept in told:
        before = {(f, x): prioritiser.version_priority(f, x) for f in (1, 2, 3) for x in ("fr", "de")}
        prioritiser.learn_promise(family, lang, kept=kept)
        for (f, x), was in before.items():
            now = prioritiser.version_priority(f, x)
            assert now == 100.0 or 5.0 < now < 7.5
            assert (now >= was if kept else now <= was) if family == f or lang == x else now == was


@pytest.mark.parametrize(
    ("pages", "folder", "priority"),
    [
        ([], "en/", 20.0),
        ([("en/1", True, True)], "en/", 24.0),  # 2/3 is 0.7
        ([("en/1", True, False)], "en/", 16.0),  # 1/3 is 0.3
        ([("en/1", False, True)], "en/", 20.0),
        ([(f"en/{n}", True, True) for n in range(9)], "en/", 28.0),  # 10/11 is 0.9
        ([(f"en/{n}", True, False) for n in range(30)], "en/", 10.0),  # 1/32 is 0
        ([(f"en/{n}", True, n > 0) for n in range(4)], "en/", 24.0),  # 4/6
        ([("en/1", True, True)], "en/deep/deeper/", 24.0),
        ([("en/1", True, True)], "english/", 20.0),
        ([("en/1", True, True), ("1", True, False)], "fr/", 16.0),
        ([("en/1", True, True), ("1", True, False)], "en/deep/", 24.0),
        ([("en/deep/1", True, True)], "en/", 20.0),
    ],
)
def test_a_link_is_worth_what_its_folder_or_the_next_above_has_shown(
    pages: list[tuple[str, bool, bool]], folder: str, priority: float
) -> None:
    prioritiser = _prioritiser("en", "fr")
    for path, wanted, has_version in pages:
        prioritiser.learn_page(f"{SITE}/{path}", "en", wanted=wanted, has_version=has_version)
    assert prioritiser.link_priority(f"{HOST}/{folder}") == pytest.approx(priority)
    assert prioritiser.link_priority(f"other.example.com/{folder}") == 20.0
    (found,) = prioritiser.sitemap_family(SitemapEntry(f"{SITE}/{folder}x"))
    assert found.priority == pytest.approx(priority - 0.01)
    (link,) = prioritiser.links(ENTRY, made_contents(Link(f"{SITE}/{folder}x")), expand=True).found
    assert link.priority == pytest.approx(priority - 0.01)


@given(st.lists(st.booleans(), max_size=40))
@settings(deadline=None)
def test_no_folder_outdoes_a_version_or_falls_below_a_doubted_one(told: list[bool]) -> None:
    prioritiser = _prioritiser("en", "fr")
    for number, has_version in enumerate(told):
        prioritiser.learn_page(f"{SITE}/{number}", "en", wanted=True, has_version=has_version)
    priority = prioritiser.link_priority(f"{HOST}/")
    assert 10.0 <= priority <= 30.0
    assert abs(priority - (10 + 20 * (sum(told) + 1) / (len(told) + 2))) <= 1.0 + 1e-9


MARKED = "all 3 pages with 'de' in the address are in other languages"
ENGLISH = ("en/1", "en", True)


@pytest.mark.parametrize(
    ("pages", "path", "detail"),
    [
        ([(f"de/{n}", "de", False) for n in range(3)], "de/9", MARKED),
        ([(f"de/{n}", "de", False) for n in range(2)], "de/9", ""),
        ([(f"de/{n}", "de", False) for n in range(5)], "de/9", MARKED.replace("3", "5")),
        ([(f"de/{n}", "de-AT", False) for n in range(3)], "x/y_de.html", MARKED),
        ([(f"{n}?lang=DE", "de", False) for n in range(3)], "De/9", MARKED),
        ([(f"de/{n}", "de", False) for n in range(3)], "x?l=de", MARKED),
        ([(f"{n}?de", "de", False) for n in range(3)], "de/9", MARKED),
        ([(f"de/{n}", "de", False) for n in range(3)], "delta/modern", ""),
        ([(f"de/{n}", "de", False) for n in range(3)], "deutsch/1", ""),
        ([(f"deutsch/{n}", "de", False) for n in range(3)], "deutsch/9", MARKED.replace("'de'", "'deutsch'")),
        ([(f"d/{n}", "de", False) for n in range(3)], "d/9", ""),
        ([(f"en/{n}", "de", False) for n in range(3)], "en/9", ""),
        ([(f"de/{n}", "", False) for n in range(3)], "de/9", ""),
        ([(f"de/{n}", "de", n == 1) for n in range(5)], "de/9", ""),
        ([(f"de/{n}", "de", True) for n in range(3)], "de/9", ""),
    ],
)
def test_links_are_left_whose_marker_only_ever_stood_for_other_languages(
    pages: list[tuple[str, str, bool]], path: str, detail: str
) -> None:
    prioritiser = _prioritiser("en", "fr")
    for learnt, lang, wanted in pages:
        prioritiser.learn_page(f"{SITE}/{learnt}", lang, wanted=wanted, has_version=False)
    (found,) = prioritiser.links(ENTRY, made_contents(Link(f"{SITE}/{path}")), expand=True).found
    assert (found.refused, found.detail) == ("other_language" if detail else "", detail)
    (version,) = prioritiser.links(ENTRY, made_contents(Link(f"{SITE}/{path}", "Français")), expand=True).found
    assert (version.refused, version.detail) == ("", "")


def test_a_marker_in_the_name_of_a_host_counts() -> None:
    prioritiser = _prioritiser()
    for number in range(3):
        prioritiser.learn_page(f"https://de.site.example.com/{number}", "de", wanted=False, has_version=False)
    (found,) = prioritiser.links(ENTRY, made_contents(Link("https://de.site.example.com/9")), expand=True).found
    assert (found.refused, found.detail) == ("other_language", MARKED)


@pytest.mark.parametrize(
    ("langs", "path", "versions"),
    [
        (("en", "fr"), "en/1", {"fr/1"}),
        (("en", "fr"), "fr/1", {"en/1"}),
        (("en", "fr"), "1", {"en/1", "fr/1"}),
        (("en", "fr"), "de/1", set()),
        (("en", "fr"), "en/3", set()),
        (("en", "de"), "en/1", {"de/1"}),
        ((), "en/1", {"fr/1", "de/1"}),
    ],
)
def test_versions_by_marker_are_one_but_for_a_wanted_language(
    langs: tuple[str, ...], path: str, versions: set[str]
) -> None:
    prioritiser = _prioritiser(*langs)
    prioritiser.note_waiting(f"{SITE}/{waiting}" for waiting in ("en/1", "fr/1", "de/1", "en/2"))
    assert prioritiser.versions_by_marker(f"{SITE}/{path}") == {f"{SITE}/{version}" for version in versions}


@pytest.mark.parametrize(("shown", "path", "versions"), [(2, "en/9", []), (3, "en/9", ["vf/9"]), (3, "vf/8", [])])
def test_versions_by_rule_differ_as_three_families_have_shown(shown: int, path: str, versions: list[str]) -> None:
    prioritiser = _prioritiser("en", "fr")
    prioritiser.note_waiting([f"{SITE}/vf/9", f"{SITE}/en/8"])
    for number in range(shown):
        prioritiser.learn_versions(f"{SITE}/en/{number}", [f"{SITE}/vf/{number}"])
    assert list(prioritiser.versions_by_rule(f"{SITE}/{path}")) == [f"{SITE}/{version}" for version in versions]


def test_only_the_thirty_best_supported_rules_are_tried() -> None:
    """A page that names itself shows no rule; the last of 31 rules has fewer pages than the others."""
    prioritiser = _prioritiser("en", "fr")
    for _ in range(10):
        prioritiser.learn_versions(f"{SITE}/en/1", [f"{SITE}/en/1"])
    for rule in range(31):
        for number in range(4 if rule < 30 else 3):
            prioritiser.learn_versions(f"{SITE}/en/{number}", [f"{SITE}/r{rule}/{number}"])
    prioritiser.note_waiting(f"{SITE}/r{rule}/9" for rule in (29, 30))
    assert list(prioritiser.versions_by_rule(f"{SITE}/en/9")) == [f"{SITE}/r29/9"]


def test_all_versions_of_a_page_teach_and_a_rule_of_too_few_ends_the_search() -> None:
    prioritiser = _prioritiser("en", "fr")
    for number in range(3):
        prioritiser.learn_versions(f"{SITE}/en/{number}", [f"{SITE}/vf/{number}", f"{SITE}/vd/{number}"])
    prioritiser.learn_versions(f"{SITE}/en/0", [f"{SITE}/vx/0"])
    prioritiser.note_waiting(f"{SITE}/{version}/9" for version in ("vf", "vd", "vx"))
    assert set(prioritiser.versions_by_rule(f"{SITE}/en/9")) == {f"{SITE}/vf/9", f"{SITE}/vd/9"}
