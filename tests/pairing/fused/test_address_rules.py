"""Rules of addresses and language switches by hand: what bears them out, and what they say of a pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.features.links import linked_pages
from diglot.features.url_difference import UrlParts, apply_rule, url_parts, url_rule
from diglot.pairing.fused.addresses import LearntRules, few_differing_by_codes, partners_elsewhere, switch_links
from diglot.pairing.fused.evidence import LEVEL, reliability
from diglot.site import Site
from made_documents import made_page, made_site


def mirrored(count: int, *more: str) -> Site:
    """English pages 00, 01, ..., French ones of the same name, and further French pages; no address has a code."""
    english = [f"http://x/left/{n:02}" for n in range(count)]
    french = [url.replace("/left/", "/right/") for url in english] + list(more)
    return made_site(*(made_page(url, lang) for lang, urls in (("en", english), ("fr", french)) for url in urls))


def rows_of(site: Site, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    urls = [(f"http://x/{src}", f"http://x/{tgt}") for src, tgt in pairs]
    return np.array([[site.urls.index(url) for url in pair] for pair in urls], np.int32).reshape(-1, 2)


def same(numbers: range, src: str = "left", tgt: str = "right") -> list[tuple[str, str]]:
    return [(f"{src}/{n:02}", f"{tgt}/{n:02}") for n in numbers]


@pytest.mark.parametrize(("near", "kept"), [(0, False), (1, False), (2, True), (6, True)])
def test_a_rule_is_kept_if_content_bears_out_three_pairs_in_ten(near: int, kept: bool) -> None:
    """Of six pairs that the rule makes so many are the best of their pages; 1.5 / 7 is too little, 2.5 / 7 enough."""
    site = mirrored(6)
    made, others = same(range(6)), [(f"left/{n:02}", f"right/{(n + 1) % 6:02}") for n in range(6)]
    known = rows_of(site, made + others)
    # What contradicts a pair is a better candidate of its English page; the French page's best is low.
    similarity = [0.9 if n < near else 0.1 for n in range(6)] + [0.2 if n < near else 0.9 for n in range(6)]
    rules = LearntRules(site, rows_of(site, made), known, np.array(similarity))
    assert rules.candidates().tolist() == (sorted(rows_of(site, made).tolist()) if kept else [])
    assert rules.evidence(known).tolist() == [float(kept)] * 6 + [0] * 6


@pytest.mark.parametrize(("value", "kept"), [(0.7, True), (0.69, False)])
@pytest.mark.parametrize("side", ["en", "fr"])
def test_seven_tenths_of_the_best_of_either_page_are_near_enough(value: float, kept: bool, side: str) -> None:
    site = mirrored(6, "http://x/right/other") if side == "en" else mirrored(7)
    better = [("left/" + f"{n:02}", "right/other") if side == "en" else ("left/06", f"right/{n:02}") for n in range(6)]
    matched = rows_of(site, same(range(6)))
    known = np.concatenate([matched, rows_of(site, better)])
    rules = LearntRules(site, matched, known, np.array([value] * 6 + [1.0] * 6))
    assert bool(len(rules.candidates())) == kept


@pytest.mark.parametrize(("matched", "made", "kept"), [(3, 3, True), (2, 6, False), (3, 6, True)])
def test_a_rule_needs_three_cases(matched: int, made: int, kept: bool) -> None:
    site = mirrored(made)
    known = rows_of(site, same(range(made)))
    rules = LearntRules(site, known[:matched], known, np.full(made, 0.9))
    assert len(rules.candidates()) == made * kept


@pytest.mark.parametrize("made", [2, 3])
def test_a_rule_must_make_three_pairs(made: int) -> None:
    """The folders differ in all pairs, whose names differ too; so many pages have one of the same name."""
    site = mirrored(made, *(f"http://x/right/other{n}" for n in range(3)))
    site = made_site(*site.documents.to_pylist(), *(made_page(f"http://x/left/{n}th", "en") for n in range(3)))
    matched, true = (
        rows_of(site, [(f"left/{n}th", f"right/other{n}") for n in range(3)]),
        rows_of(site, same(range(made))),
    )
    rules = LearntRules(site, matched, np.concatenate([matched, true]), np.full(3 + made, 0.9))
    assert (rules.evidence(true) > 0).tolist() == [made == 3] * made


def test_a_pair_has_less_evidence_where_a_better_rule_makes_another() -> None:
    """Five matched pairs have the first rule, whose six pairs are all borne out: 5 * 6.5 / 7. Three have the second,
    of whose six pairs three are: 3 * 3.5 / 7."""
    site = mirrored(6, *(f"http://x/be/{n:02}" for n in range(6)))
    first, second = same(range(6)), same(range(6), tgt="be")
    matched, known = rows_of(site, first[:5] + second[3:]), rows_of(site, first + second)
    rules = LearntRules(site, matched, known, np.array([0.9] * 6 + [0.1] * 3 + [0.9] * 3))
    strong, weak = 5 * 6.5 / 7, 3 * 3.5 / 7
    assert rules.evidence(known) == pytest.approx([1] * 6 + [weak / strong] * 6)
    assert len(rules.candidates()) == 12


def test_the_best_rule_of_the_target_page_counts_as_well() -> None:
    """Two source folders lead to one target; the rule with more cases has all the evidence."""
    urls = [f"http://x/{folder}/{n:02}" for folder in ("left", "us", "right") for n in range(6)]
    site = made_site(*(made_page(url, "fr" if "/right/" in url else "en") for url in urls))
    first, second = same(range(6)), same(range(6), src="us")
    matched, known = rows_of(site, first[:4] + second[3:]), rows_of(site, first + second)
    rules = LearntRules(site, matched, known, np.full(12, 0.9))
    assert rules.evidence(known) == pytest.approx([1] * 6 + [3 / 4] * 6)


def test_a_part_of_a_difference_is_a_rule_where_the_whole_never_recurs() -> None:
    """Siblings are taken for each other each time, and still the folders tell."""
    site = mirrored(8)
    crossed = rows_of(site, [(f"left/{n:02}", f"right/{(n * 3 + 1) % 8:02}") for n in range(8)])
    true = rows_of(site, same(range(8)))
    rules = LearntRules(site, crossed, np.concatenate([crossed, true]), np.full(16, 0.9))
    assert (rules.evidence(true) == 1).all()


def test_a_weak_rule_is_measured_by_one_case_at_least() -> None:
    """Three cases, and four pairs of fourteen borne out, come to 3 * 4.5 / 15."""
    site = mirrored(14)
    made = rows_of(site, same(range(14)))
    better = rows_of(site, [(f"left/{n:02}", f"right/{(n + 1) % 14:02}") for n in range(4, 14)])
    rules = LearntRules(site, made[:3], np.concatenate([made, better]), np.array([0.9] * 4 + [0.1] * 10 + [0.9] * 10))
    assert rules.evidence(made) == pytest.approx([0.9] * 14)


@pytest.mark.parametrize(
    ("english", "french"),
    [
        ("http://x/{}", "http://x/fr/{}"),
        ("http://x/en-us/{}", "http://x/FR_fr/{}"),
        ("http://x/{}.html", "http://x/{}.fr.html"),
        ("http://x/{}?lang=en", "http://x/{}?lang=fr"),
        ("http://en.x.org/{}", "http://fr.x.org/{}"),
    ],
)
def test_a_language_of_one_page_has_the_addresses_of_the_others(english: str, french: str) -> None:
    """The German pages show how the site writes addresses; the one French page then has its partner, and content
    bears out half: one pair of one, shrunk."""
    names = ["terms-1", "terms-2", "terms-3"]
    german = french.replace("fr", "de").replace("FR", "DE")
    pages = [made_page(english.format(name), "en") for name in names]
    pages += [made_page(german.format(name), "de") for name in names] + [made_page(french.format("terms-2"), "fr")]
    site = made_site(*pages)
    (page,) = site.rows_of("fr").tolist()
    known = np.array([[row, page] for row in site.rows_of("en").tolist()], np.int32)
    rules = LearntRules(site, known[:1], known, np.full(3, 0.9))
    assert rules.evidence(known).tolist() == [0, 0.75, 0]
    assert rules.candidates().tolist() == [known[1].tolist()]


def coded(german: Sequence[str], french: str) -> int:
    """Number of pairs of English pages one, two and three with a French page, beside German pages."""
    english = [made_page(f"http://x/{name}", "en") for name in ("one", "two", "three")]
    site = made_site(*english, *(made_page(f"http://x/{url}", "de") for url in german), made_page(french, "fr"))
    (page,) = site.rows_of("fr").tolist()
    known = np.array([[row, page] for row in site.rows_of("en").tolist()], np.int32)
    return len(LearntRules(site, known[:0], known, np.full(3, 0.9)).candidates())


@pytest.mark.parametrize(
    ("german", "french", "pairs"),
    [
        (("de/one", "de/two", "de/three"), "http://x/fr/two", 1),
        # Two shared addresses may be chance.
        (("de/one", "de/four"), "http://x/fr/two", 0),
        # A code of another language is part of the address.
        (("de/one", "de/two", "de/three"), "http://x/it/two", 0),
        # What the address of the French page names has no English page.
        (("de/one", "de/two", "de/three"), "http://x/fr/deux", 0),
    ],
)
def test_codes_differ_on_a_whole_site_or_tell_nothing(german: Sequence[str], french: str, pairs: int) -> None:
    assert coded(german, french) == pairs


def test_two_pages_of_a_language_at_one_address_without_codes_have_no_partner() -> None:
    pages = [made_page(f"http://x/{name}", "en") for name in ("one", "two", "three", "en/two")]
    site = made_site(*pages, *(made_page(f"http://x/fr/{name}", "fr") for name in ("one", "two", "three")))
    known = rows_of(site, [("two", "fr/two"), ("en/two", "fr/two"), ("one", "fr/one")])
    rules = LearntRules(site, known[:0], known, np.full(3, 0.9))
    assert rules.candidates().tolist() == known[2:].tolist()


@pytest.mark.parametrize(
    ("english", "japanese", "pairs"),
    [
        (["index.html"], ["ja/index.html"], 1),
        (["index.html"], ["index_jp.html"], 1),
        (["us/?v=1"], ["jp/?v=1"], 1),
        (["one", "two"], ["ja/one", "ja/two"], 2),
        # Three and more are enough to learn from.
        (["one", "two", "three"], ["ja/one", "ja/two", "ja/three"], 0),
        # English pages may have no version; where Japanese ones have none, addresses do not tell versions.
        (["one", "two"], ["ja/one"], 1),
        (["one"], ["ja/one", "ja/two"], 0),
        (["one"], ["ja/two"], 0),
        (["about-us.html"], ["ja/about.html"], 0),
        (["cz/one"], ["ja/one"], 0),
    ],
)
def test_one_or_two_addresses_that_differ_by_codes_alone_tell_pairs(
    english: list[str], japanese: list[str], pairs: int
) -> None:
    pages = [made_page(f"http://x/{url}", lang) for lang, urls in (("en", english), ("ja", japanese)) for url in urls]
    site = made_site(*pages)
    rows = site.rows_of("en"), site.rows_of("ja")
    every = np.array([(i, j) for i in rows[0] for j in rows[1]], np.int32)
    found = every[few_differing_by_codes(site, *rows, every)]
    assert len(found) == pairs
    assert [i for i, _ in found.tolist()] == rows[0][:pairs].tolist()


@pytest.mark.parametrize(
    ("rule", "address", "found"),
    [
        (
            [("filename", "en", "fr")],
            "http://x/len/enden",
            ["http://x/len/endfr", "http://x/len/frden"],
        ),
        ([("filename", "", "-fr")], "http://x/ab", ["http://x/-frab", "http://x/a-frb", "http://x/ab-fr"]),
        ([("filename", "xx", "fr")], "http://x/en", []),
        ([("directory", "en", "fr")], "http://x/en/a/en/b", ["http://x/en/a/fr/b", "http://x/fr/a/en/b"]),
        ([("directory", "a/en", "fr")], "http://x/a/en/b", ["http://x/fr/b"]),
        ([("directory", "a/en", "fr")], "http://x/en/a/b", []),
        ([("directory", "en", "")], "http://x/en/b", ["http://x/b"]),
        ([("variable", "l=en", "l=fr")], "http://x/b?z=1&l=en", ["http://x/b?l=fr&z=1"]),
        ([("variable", "l=en", "l=fr")], "http://x/b?l=de", []),
        ([("variable", "", "l=fr")], "http://x/b?z=1", ["http://x/b?l=fr&z=1"]),
        ([("directory", "en", "fr"), ("filename", "a", "b")], "http://x/en/a", ["http://x/fr/b"]),
        ([("directory", "en", "fr"), ("filename", "a", "b")], "http://x/en/c", []),
        ([("directory", "en", "en")], "http://x/en/c", []),
    ],
)
def test_addresses_that_a_rule_makes(rule: list[tuple[str, str, str]], address: str, found: list[str]) -> None:
    assert list(apply_rule(tuple(rule), url_parts(address))) == sorted(map(url_parts, found))


PARTS = st.lists(st.sampled_from(["a", "en", "fr", "x1"]), max_size=3)


@st.composite
def addresses(draw: st.DrawFn) -> UrlParts:
    query = "&".join(f"{k}=1" for k in sorted(set(draw(PARTS))))
    return url_parts(f"http://x/{''.join(part + '/' for part in draw(PARTS))}{'-'.join(draw(PARTS))}?{query}")


@settings(deadline=None)
@given(addresses(), addresses())
def test_a_rule_leads_from_where_it_was_found(src: UrlParts, tgt: UrlParts) -> None:
    """Where one folder at most differs: several are told one by one, and may be put in another order."""
    rule = url_rule(src, tgt)
    found = list(apply_rule(rule, src))
    assert src not in found
    assert found == sorted(set(found))
    if sum(kind == "directory" for kind, _, _ in rule) <= 1 and src != tgt:
        assert tgt in found


def switching(*links: tuple[int, int, str], back: Sequence[tuple[int, int, str]] = (), hreflang: bool = False) -> Site:
    """Twenty pages a language, and links (from, to, anchor) to the other language."""
    pages = []
    for lang, other, mine in (("en", "fr", links), ("fr", "en", back)):
        for n in range(20):
            here = [(f"http://x/{other}/{to:02}", text) for start, to, text in mine if start == n]
            texts = [text for _, text in here]
            columns = {"link_urls": [url for url, _ in here], "link_alternate": [False] * len(here)}
            columns |= {"link_anchors": [f"{n}"] * len(here) if hreflang else texts}
            columns |= {"link_hreflangs": texts if hreflang else [""] * len(here)}
            pages.append(made_page(f"http://x/{lang}/{n:02}", lang, **columns))
    return made_site(*pages)


def switched(site: Site, matched: Sequence[tuple[int, int]] = ()) -> dict[tuple[int, int], float]:
    """Evidence by page numbers."""
    rows = np.array([(i, 20 + j) for i, j in matched], np.int32).reshape(-1, 2)
    found = switch_links(site, site.rows_of("en"), site.rows_of("fr"), rows)
    return {(i, j - 20): value for (i, j), value in found.items()}


def straight(count: int, anchor: str = "Zonk") -> list[tuple[int, int, str]]:
    return [(n, n, anchor) for n in range(count)]


def test_a_switch_both_ways_counts_in_full_and_one_way_less() -> None:
    assert switched(switching(*straight(3))) == {(n, n): 0.6 for n in range(3)}
    assert switched(switching(back=straight(4))) == {(n, n): 0.6 for n in range(4)}
    assert switched(switching(*straight(5), back=straight(3))) == {(n, n): 1.0 if n < 3 else 0.6 for n in range(5)}


def test_a_switch_stands_on_three_pages_under_one_name() -> None:
    assert switched(switching(*straight(2))) == {}
    assert switched(switching((0, 0, "a"), (1, 1, "b"), (2, 2, "c"))) == {}
    assert switched(switching((0, 0, "FR"), (1, 1, "fr"), (2, 2, "Fr"), hreflang=True)) != {}
    assert switched(switching((0, 0, "FR"), (1, 1, "fr"), (2, 2, "Fr"))) == {}


@pytest.mark.parametrize(
    ("agreeing", "value"), [(10, 0.6), (5, 0.6 * 2 * 5.5 / 11), (3, 0.6 * 2 * 3.5 / 11), (2, None)]
)
def test_a_switch_is_believed_as_far_as_content_agrees(agreeing: int, value: float | None) -> None:
    """Pages that content did not match say nothing: 2.5 of 11 is too little, 3.5 of 11 enough."""
    matched = [(n, n if n < agreeing else (n + 1) % 10) for n in range(10)]
    found = switched(switching(*straight(15)), matched)
    assert found == ({} if value is None else pytest.approx({(n, n): value for n in range(15)}))


@pytest.mark.parametrize(("own", "is_switch"), [(7, True), (6, False)])
def test_seven_links_in_ten_lead_to_a_page_of_their_own(own: int, is_switch: bool) -> None:
    """Two that lead to one page share what speaks for it."""
    links = [(n, n % own, "Zonk") for n in range(10)]
    expected = {(n, to): 0.6 / (2 if to < 10 - own else 1) for n, to, _ in links}
    assert switched(switching(*links)) == (pytest.approx(expected) if is_switch else {})


def test_a_switch_that_falls_back_to_the_home_page_links_the_pages_that_it_tells_apart() -> None:
    """The other links to page 0 say nothing of their pages; its own says something if it is answered."""
    links = [*straight(5), *((n, 0, "Zonk") for n in range(5, 15))]
    assert switched(switching(*links)) == {(n, n): 0.6 for n in range(1, 5)}
    assert switched(switching(*links, back=links)) == {(n, n): 1.0 for n in range(5)}


def test_a_page_that_two_pages_link_to_is_no_fallback() -> None:
    links = [*straight(5), (5, 0, "Zonk")]
    assert switched(switching(*links)) == {(n, n): 0.6 if n else 0.3 for n in range(5)} | {(5, 0): 0.3}


@pytest.mark.parametrize(("more", "is_switch"), [(2, True), (3, False)])
def test_a_switch_has_hardly_more_links_than_pages(more: int, is_switch: bool) -> None:
    assert bool(switched(switching(*straight(10), *((n, n + 10, "Zonk") for n in range(more))))) == is_switch


def test_of_two_switches_the_better_counts() -> None:
    """The second leads two of four pages astray, of which content knows better."""
    links = [*straight(4), *((n, n if n < 2 else n + 8, "Zink") for n in range(4))]
    found = switched(switching(*links), [(n, n) for n in range(4)])
    assert found == pytest.approx({(n, n): 0.6 for n in range(4)} | {(n, n + 8): 0.6 for n in (2, 3)})


def elsewhere(site: Site, agreeing: int, known: int | None = None) -> dict[int, float]:
    """English pages whose translation is elsewhere, with the chance: content matches ``known`` pages, some of them as
    the switch says."""
    matched = [(n, 20 + (n if n < agreeing else (n + 1) % 20)) for n in range(agreeing if known is None else known)]
    rows = np.array(matched, np.int32).reshape(-1, 2)
    chances = partners_elsewhere(site, site.rows_of("en"), site.rows_of("fr"), rows)
    return {row: pytest.approx(chance) for row, chance in enumerate(chances.tolist()) if chance}


@pytest.mark.parametrize(
    ("spelling", "page"), [("https://x/fr/{}", "http://x/fr/{}"), ("http://x/fr%3F{}", "http://x/fr?{}")]
)
def test_links_lead_to_a_page_with_another_protocol_and_in_a_mirror_made_with_wget_k(spelling: str, page: str) -> None:
    english = [
        made_page(f"http://x/en/{n}", "en", link_urls=[spelling.format(n)], link_anchors=["Zonk"], link_hreflangs=[""])
        for n in range(4)
    ]
    site = made_site(*english, *(made_page(page.format(n), "fr") for n in range(4)))
    rows = np.array([(0, 4), (1, 5)], np.int32)
    found = switch_links(site, site.rows_of("en"), site.rows_of("fr"), rows)
    assert found == {(n, 4 + n): 0.6 for n in range(4)}
    assert linked_pages(site).tolist() == [[n, 4 + n] for n in range(4)]
    assert not partners_elsewhere(site, site.rows_of("en"), site.rows_of("fr"), rows).any()


ABSENT = 30


@pytest.mark.parametrize("hreflang", [True, False])
def test_a_page_that_links_to_an_absent_page_has_its_translation_there(hreflang: bool) -> None:
    site = switching(*straight(10), (15, ABSENT, "Zonk"), hreflang=hreflang)
    assert elsewhere(site, 10) == {15: 10.5 / 11}
    # The links of the other language say nothing here.
    assert elsewhere(switching(*straight(10), back=[*straight(10), (15, ABSENT, "Zonk")]), 10) == {}


@pytest.mark.parametrize(
    ("agreeing", "known", "chance"),
    [(1, 1, None), (2, 2, 2.5 / 3), (5, 10, 5.5 / 11), (3, 10, 3.5 / 11), (2, 10, None)],
)
def test_an_absent_page_is_believed_as_far_as_content_agrees(agreeing: int, known: int, chance: float | None) -> None:
    site = switching(*straight(10), (15, ABSENT, "Zonk"))
    assert elsewhere(site, agreeing, known) == ({} if chance is None else {15: chance})


def test_absent_pages_count_among_the_links_of_a_switch() -> None:
    assert elsewhere(switching(*straight(2), (15, ABSENT, "Zonk")), 2) == {15: 2.5 / 3}
    many = [(n, ABSENT + n // 2, "Zonk") for n in range(10, 20)]
    assert len(elsewhere(switching(*straight(4), *many[:6]), 4)) == 6  # 7 targets of 10 pages
    assert elsewhere(switching(*straight(4), *many[:8]), 4) == {}  # 8 of 12
    more = [(15, ABSENT, "Zonk"), *((n, ABSENT + 1 + n, "Zonk") for n in range(3))]
    assert elsewhere(switching(*straight(10), *more[:3]), 10) == {15: 10.5 / 11}  # 13 links of 11 pages
    assert elsewhere(switching(*straight(10), *more), 10) == {}  # 14


@pytest.mark.parametrize(("home", "agreeing"), [(0, 9), (ABSENT, 10)])
def test_a_page_whose_switch_falls_back_to_a_page_for_all_has_no_translation(home: int, agreeing: int) -> None:
    """Nor does page 0, if its link to the page for all is not answered; then it is none of the agreeing links."""
    links = [*straight(10), *((n, home, "Zonk") for n in range(12, 16))]
    chance = (agreeing + 0.5) / (agreeing + 1)
    assert elsewhere(switching(*links), 10) == dict.fromkeys([0] * (home == 0) + [12, 13, 14, 15], chance)
    assert elsewhere(switching(*links, back=straight(10)), 10) == dict.fromkeys([12, 13, 14, 15], 10.5 / 11)
    # Two pages may have one translation.
    assert elsewhere(switching(*straight(10), (12, 0, "Zonk")), 10) == {}


def test_a_page_with_a_partner_under_a_switch_lacks_none() -> None:
    links = [*straight(10), (15, ABSENT, "Zonk"), *((n, n, "Zink") for n in (0, 1, 2))]
    assert elsewhere(switching(*links), 10) == {15: 10.5 / 11}
    assert elsewhere(switching(*links, (15, 15, "Zink")), 10) == {}


@pytest.mark.parametrize("spelling", ["https://x/fr/{}", "http://x/fr/{}/index.html", "http://x/fr/{}/?a=1"])
def test_another_spelling_of_the_address_of_a_page_is_not_absent(spelling: str) -> None:
    def is_elsewhere(url: str) -> bool:
        links = {"link_urls": [url], "link_anchors": ["Zonk"], "link_hreflangs": [""], "link_alternate": [False]}
        pages = switching(*straight(10)).documents.to_pylist()
        site = made_site(*pages, made_page("http://x/en/99", "en", **links))
        rows = np.array([(n, 21 + n) for n in range(10)], np.int32)
        return bool(partners_elsewhere(site, site.rows_of("en"), site.rows_of("fr"), rows).any())

    assert not is_elsewhere(spelling.format("18"))
    assert is_elsewhere(spelling.format("unseen"))
    assert not is_elsewhere(spelling.format("unseen").replace("//x", "//other"))


def test_a_page_with_a_link_to_an_equal_page_of_its_partner_lacks_none() -> None:
    """The French page 18 stands for a page with the same text, to which the English one links."""
    site = switching(*straight(10), (15, ABSENT, "Zonk"))
    absent = site.documents["link_urls"][15].as_py()[0]
    pages = [
        {**row, "equal_urls": [absent] if row["url"].endswith("fr/18") else None} for row in site.documents.to_pylist()
    ]
    assert elsewhere(site, 10) == {15: 10.5 / 11}
    assert elsewhere(made_site(*pages), 10) == {}


def test_a_name_under_which_pages_link_within_their_language_is_no_switch() -> None:
    site = switching(*straight(10), (15, ABSENT, "Zonk"))
    pages = site.documents.to_pylist()
    pages[16] |= {"link_urls": ["http://x/en/03"], "link_anchors": ["Zonk"], "link_hreflangs": [""]}
    pages[16]["link_alternate"] = [False]
    assert elsewhere(made_site(*pages), 10) == {}


@pytest.mark.parametrize(("level", "borne_out"), [(0.26, 6), (0.24, 2)])
def test_addresses_are_believed_as_far_as_content_is_at_the_level_of_translations(level: float, borne_out: int) -> None:
    """A quarter of the way from orphans' pairs of other sites to true ones; two more pairs are all the way."""
    support = np.array([1, 1, 1, 1, 0.5, 0.5, 0.4, 0.0])
    levels = np.repeat([level] * 4 + [1.0] * 4, len(LEVEL)).reshape(-1, len(LEVEL))
    assert reliability(support, levels) == pytest.approx((1 + borne_out) / (2 + 6))
