"""Near copies, originals in foreign frames, addresses the content does not bear out, and the shipped prior."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from diglot.copies.frames import no_candidates
from diglot.copies.reprints import near_copies, shown_again
from diglot.errors import RecipeError
from diglot.pairing.fused import content_value, reliability
from diglot.pairing.fused.decision import undecided
from diglot.pairing.fused.prior import FEATURES, MARGIN, read_prior
from diglot.recipes.fused import POINTS, Options, steps
from made_documents import made_page, made_site

ENGLISH = ["Back to the table of contents of this manual", "Search all of the documentation pages here"]
HUNGARIAN = [
    "Vissza a kézikönyv tartalomjegyzékéhez és a tárgymutatóhoz",
    "Keresés az összes dokumentációs oldal között",
]


def test_near_copies_share_nearly_all_their_text() -> None:
    text = [f"Paragraph number {n} tells of something that no other one tells" for n in range(30)]
    pages = [made_page("http://a/1", "en", text), made_page("http://a/2", "en", [*text, "Hu"])]
    pages += [made_page("http://a/3", "en", text[:20]), made_page("http://a/4", "fr", text)]
    assert near_copies(made_site(*pages)) == {0: (1,), 1: (0,)}


def linking(url: str, *urls: str, lang: str = "en") -> dict[str, object]:
    """A page of two words of its own that links to others."""
    fields = {name: [""] * len(urls) for name in ("link_anchors", "link_hreflangs")}
    fields |= {"link_urls": list(urls), "link_alternate": [False] * len(urls)}
    return made_page(url, lang, [f"{url} {lang}"], **fields)


@pytest.mark.parametrize(
    ("links_to_copy", "lang", "found"), [(0, "en", ["b"]), (2, "en", ["b"]), (3, "en", []), (9, "fr", ["b"])]
)
def test_a_copy_that_its_own_language_hardly_links_to_is_shown_again(
    links_to_copy: int, lang: str, found: list[str]
) -> None:
    """Six English pages link to the one: those that link to the other would have to be more than two."""
    text = [f"Paragraph number {n} tells of something that no other one tells" for n in range(9)]
    pages = [made_page(f"http://x/{name}", "en", text) for name in ("a", "b")]
    pages += [linking(f"http://x/{n}", "http://x/a", "http://x/a") for n in range(6)]
    pages += [linking(f"http://x/{lang}/{n}", "http://x/b", lang=lang) for n in range(links_to_copy)]
    pages += [made_page("http://x/c", "en", ["Quite another text, to which no page links at all"])]
    site = made_site(*pages)
    assert [site.urls[row][9:] for row in shown_again(site)] == found


@pytest.mark.parametrize(
    ("neighbours", "found"),
    [
        (["ja/1", "ja/2", "en/1", "en/2"], ["b"]),
        (["ja/1", "en/1", "en/2"], []),  # one page of another language is a language switch's
        (["ja/1", "de/1", "en/1", "en/2"], []),  # and so is one of each of two
        (["ja/1", "ja/2", *(f"en/{n}" for n in range(5))], []),  # two of seven are too few
    ],
)
def test_a_copy_that_stands_among_pages_of_another_language_is_shown_again(
    neighbours: list[str], found: list[str]
) -> None:
    text = [f"Paragraph “{n}” tells of something that no other one tells" for n in range(9)]
    requoted = [block.translate({0x201C: "「", 0x201D: "」"}) for block in text]
    links = [f"http://x/{name}" for name in neighbours]
    pages = [
        linking("http://x/a", "http://x/en/1", "http://x/ja/1") | made_page_text(text),
        linking("http://x/b", *links) | made_page_text(requoted),
    ]
    pages += [linking(f"http://x/{lang}/{n}", lang=lang) for lang in ("en", "ja", "de") for n in range(5)]
    site = made_site(*pages)
    assert near_copies(site) == {0: (1,), 1: (0,)}
    assert [site.urls[row][9:] for row in shown_again(site)] == found


def made_page_text(blocks: list[str]) -> dict[str, object]:
    """What a page with these blocks has instead of another's text."""
    page = made_page("", "", blocks)
    return {name: page[name] for name in page if name.startswith(("block", "chunks", "tokens", "text"))}


def test_an_original_in_the_frame_of_another_edition_is_known_as_a_copy() -> None:
    def body(n: int) -> list[str]:
        return [f"Chapter {n} describes in {n} plain English words how music {n} is written down on paper"]

    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *body(n)]) for n in range(8)]
    pages += [made_page(f"http://a/hu/{n}", "en", [*HUNGARIAN, *body(n)]) for n in range(5)]
    versions = [
        made_page(f"http://a/old/{n}", "en", [*ENGLISH[:1], "An older version of it", *body(n)]) for n in (6, 7)
    ]
    site = made_site(*pages, *versions)
    assert [site.urls[row] for row in no_candidates(site)] == [f"http://a/hu/{n}" for n in range(5)]


def test_a_page_left_untranslated_in_another_edition_is_known_as_a_copy() -> None:
    def body(n: int) -> list[str]:
        return [
            f"Chapter {n} describes in {n} plain English words how music {n} is written down on paper",
            f"It goes on at some length about the {n} ways in which a note {n} may be held",
        ]

    pages = [made_page(f"http://a/en/{n}", "en", [*ENGLISH, *body(n)]) for n in range(8)]
    own = [
        f"A {n}. fejezet a zene {n} leírásáról szól, magyarul, és elég hosszan ahhoz, hogy számítson" for n in range(8)
    ]
    pages += [made_page(f"http://a/hu/{n}", "hu", [*HUNGARIAN, own[n]]) for n in range(6)]
    pages += [made_page("http://a/hu/6", "hu", [*HUNGARIAN, *body(6)])]
    # Half of it, or nothing but a listing, is no reason.
    pages += [made_page("http://a/hu/7", "hu", [*HUNGARIAN, own[7], *body(7)[:1]])]
    pages += [made_page(f"http://a/{lang}/8", lang, ["12 + 3.5 = 15.5", "x << y >> z"]) for lang in ("en", "hu")]
    site = made_site(*pages)
    assert [site.urls[row] for row in no_candidates(site)] == ["http://a/hu/6"]


def test_an_address_counts_as_far_as_content_at_the_level_of_translations_bears_it_out() -> None:
    prior = read_prior()
    columns = {name: FEATURES.index(name) for name in ("structure", "cosine", "neutral")}
    good = {name: np.full(8, prior.pair[k]) for name, k in columns.items()} | {"address": np.ones(8)}
    poor = {name: np.full(8, prior.orphan[k]) for name, k in columns.items()} | {"address": np.ones(8)}
    assert reliability(good, "address") == pytest.approx(0.9)
    assert reliability(poor, "address") == pytest.approx(0.1)
    assert reliability(good | {"address": np.zeros(8)}, "address") == 0.5


def test_a_lexicon_of_few_pairs_counts_little() -> None:
    names = ("neutral", "structure", "order", "cosine", "title")
    scores = {name: np.array([0.0] * 18 + [1.0, 0.0]) for name in names[:2]}
    scores |= {name: np.array([0.0] * 18 + [0.0, 1.0]) for name in names[2:]}
    few, many = content_value(scores, 1), content_value(scores, 1000)
    assert few[18] > 5 * few[19]
    assert many[19] > 0.9 * many[18]


def test_a_score_that_hardly_any_candidate_has_does_not_outweigh_the_others() -> None:
    """One title of 30 has a word known: its candidate must not be worth more than all other evidence together."""
    scores = {name: np.linspace(0, 1, 30) for name in ("neutral", "structure", "order", "cosine")}
    scores["title"] = np.zeros(30)
    without = content_value(scores, 100)
    scores["title"][3] = 0.01
    value = content_value(scores, 100)
    assert np.delete(value, 3) == pytest.approx(np.delete(without, 3))
    assert 0 < value[3] - without[3] <= 10 / 4


def test_ties_are_not_decided() -> None:
    features = np.zeros((4, len(FEATURES)))
    features[:, MARGIN] = [0, -1, -1, 1]
    features[:, MARGIN + 1] = [1, -0.5, 1, 1]
    assert undecided(features, 1.0).tolist() == [True, True, False, False]


def test_a_prior_that_lacks_a_column_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "prior.json"
    broken.write_text('{"bias": 0, "share": 0.5, "columns": []}')
    with pytest.raises(RecipeError, match=r"prior\.json.*order"):
        read_prior(broken)


def test_operating_points() -> None:
    for point, least in POINTS.items():
        assert steps(Options(point=point), "en", "fr")[0].min_probability == least
    assert steps(Options(point="precise", min_probability=0.7), "en", "fr")[0].min_probability == 0.7
    with pytest.raises(RecipeError, match="precise, balanced, recall"):
        steps(Options(point="best"), "en", "fr")
