"""The recipe `ilsp`: each method finds its pair, a paired page is withdrawn, options do what they say."""

import json
from pathlib import Path

import numpy as np
import pytest

from diglot.errors import RecipeError
from diglot.pairing.cascade import Scored, run_cascade
from diglot.pairing.table import pair_table
from diglot.recipes.ilsp import RATIOS, RECIPE, SHIPPED, read_classifier
from diglot.site import Site
from ilsp_pages import body, site_of

DIGITS = "Call 0123456789 or 9876543210 for more."


def text(*lengths: int, letter: str) -> str:
    return "".join(f"<p>{letter * length}</p>" for length in lengths)


def pictures(*names: str) -> str:
    return "".join(f'<img src="/i/{name}">' for name in names)


# One pair for each method; lengths differ between the pairs so that structure does not join them.
PAGES = (
    ("http://a/linked", "en", body(text(10, letter="a"), '<a href="/lie">Français</a>')),
    ("http://a/lie", "fr", body(text(900, letter="b"))),
    ("http://a/x/en/same.html", "en", body(text(20, letter="c"))),
    ("http://a/x/fr/same.html", "fr", body(text(700, letter="d"))),
    ("http://a/alpha", "en", body(text(50, letter="e"), f"<p>{DIGITS}</p>", pictures("cat.png", "dog.png"))),
    ("http://a/beta", "fr", body(text(55, letter="f"), f"<p>{DIGITS}</p>", pictures("cat.png", "dog.png"))),
    ("http://a/gamma", "en", body(text(70, letter="g"), "<p>In 1848, 1871, 1914 and 1945.</p>")),
    ("http://a/delta", "fr", body(text(75, letter="h"), "<p>En 1848, 1871, 1914 et 1945.</p>")),
    ("http://a/eins", "en", body(text(10, 20, 30, letter="i"), pictures("sun.png"))),
    ("http://a/zwei", "fr", body(text(10, 20, 30, letter="j"), pictures("sun.png"))),
    ("http://a/tall", "en", body("<h1>One</h1>", text(30, 300, 31, 301, 32, letter="k"))),
    ("http://a/small", "fr", body("<h1>Un</h1>", text(32, 310, 33, 300, 30, letter="l"))),
)
EXPECTED = {"a": "linked", "u": "x/en/same.html", "p": "alpha", "d": "gamma", "i": "eins", "h": "tall"}


def run(site: Site, **options: str) -> Scored:
    recipe = RECIPE.with_options(options)
    return run_cascade(site, site.rows_of("en"), site.rows_of("fr"), recipe.steps(recipe.options, "en", "fr"))


def accepted(scored: Scored) -> list[tuple[int, int, str]]:
    found = zip(scored.pairs.tolist(), scored.method, scored.accepted, strict=True)
    return [(i, j, method) for (i, j), method, kept in found if kept]


def test_every_method_finds_its_pair_and_says_its_letter() -> None:
    site = site_of(*PAGES)
    found = {method: site.urls[i] for i, _, method in accepted(run(site))}
    assert found == {letter: f"http://a/{page}" for letter, page in EXPECTED.items()}
    assert all(j == i + 1 for i, j, _ in accepted(run(site)))
    assert np.all((run(site).score >= 0) & (run(site).score <= 1))


def test_methods_come_in_the_order_of_the_letters_and_no_others() -> None:
    site = site_of(*PAGES)
    assert [method for *_, method in accepted(run(site, methods="ip"))] == ["i", "i"]  # takes what p would have had
    assert [method for *_, method in accepted(run(site, methods="pi"))] == ["p", "i"]


def test_a_page_paired_by_a_link_is_withdrawn() -> None:
    """The link is wrong and the addresses are right: the error blocks the right pair, as in the paper's system."""
    pages = (
        ("http://a/en/x", "en", body("<p>One</p>", '<a href="/fr/y" hreflang="fr">fr</a>')),
        ("http://a/fr/x", "fr", body("<p>Un</p>")),
        ("http://a/fr/y", "fr", body("<p>Deux</p>")),
    )
    assert accepted(run(site_of(*pages))) == [(0, 2, "a")]
    assert accepted(run(site_of(*pages), methods="u")) == [(0, 1, "u")]


def test_reciprocal_links_win_where_links_contradict_each_other() -> None:
    pages = (
        ("http://a/1", "en", body("<p>One</p>", '<a href="/2" hreflang="fr">fr</a>')),
        ("http://a/2", "fr", body("<p>Un</p>", '<a href="/3" hreflang="en">en</a>')),
        ("http://a/3", "en", body("<p>Two</p>", '<a href="/2" hreflang="fr">fr</a>')),
    )
    assert accepted(run(site_of(*pages))) == [(2, 1, "a")]


def test_exact_ties_leave_a_page_without_partner() -> None:
    twin = body(text(10, 20, 30, letter="i"), pictures("sun.png"))
    pages = (("http://a/1", "en", twin), ("http://a/2", "fr", twin), ("http://a/3", "fr", twin))
    assert accepted(run(site_of(*pages), methods="i")) == []


def test_rivals_leave_high_confidence_for_medium_and_low() -> None:
    def page(*lengths: int, heading: str = "One") -> str:
        return body(f"<h1>{heading}</h1>", text(*lengths, letter="k"))

    pages = (
        ("http://a/1", "en", page(30, 300, 31, 301, 32)),
        ("http://a/2", "fr", page(30, 300, 31, 301, 32)),
        ("http://a/3", "fr", page(30, 300, 31, 301, 200)),
    )
    site = site_of(*pages)
    assert accepted(run(site, methods="h")) == []
    assert accepted(run(site, methods="hm")) == [(0, 1, "m")]
    assert accepted(run(site, methods="l")) == [(0, 1, "l")]


def test_distant_levels_are_not_compared_but_linked_and_patterned_pages_are() -> None:
    far = (
        ("http://a/b/c/d/1", "en", body(text(10, 20, 30, letter="i"), pictures("sun.png"))),
        ("http://a/2", "fr", body(text(10, 20, 30, letter="i"), pictures("sun.png"))),
    )
    assert accepted(run(site_of(*far))) == []
    assert accepted(run(site_of(*far), max_depth_difference="inf"))[0][2] == "i"


def test_lengths_may_be_checked_for_addresses_too() -> None:
    pages = (
        ("http://a/en/x", "en", body("<p>one</p>")),
        ("http://a/fr/x", "fr", body(*["<p>un deux trois</p>", "<p>quatre cinq</p>", "<p>six</p>"])),
    )
    assert accepted(run(site_of(*pages))) == [(0, 1, "u")]
    checked = run(site_of(*pages), check_lengths="true", methods="u")
    assert accepted(checked) == []
    assert checked.refused_by == ["paragraphs"]


def test_evidence_of_accepted_pairs_is_on_record() -> None:
    site = site_of(*PAGES)
    steps = RECIPE.steps(RECIPE.options, "en", "fr")
    table = pair_table(site, run(site), steps, "en", "fr")
    evidence = {row["method"]: dict(row["evidence"]) for row in table.to_pylist() if row["accepted"]}
    assert evidence["i"]["images"] == 1
    assert evidence["p"]["digits"] == 1
    assert evidence["h"]["structure"] > 0


@pytest.mark.parametrize("methods", ["", "ax", "aa", "A"])
def test_unknown_or_repeated_letters_are_refused(methods: str) -> None:
    with pytest.raises(RecipeError, match="methods"):
        RECIPE.with_options({"methods": methods})


def test_weights_are_readable_and_prefer_fewer_edits() -> None:
    content = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert tuple(content["ratios"]) == RATIOS
    decide = read_classifier()
    edits = np.linspace(0, 0.38, 20)
    decided = decide(np.stack([np.full(20, 0.95), np.full(20, 0.95), edits], axis=1))
    assert decided[0] > 0 > decided[-1]
    assert np.all(np.diff(decided) < 0)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"ratios": ["x"], "terms": [{"powers": [0, 0, 0], "weight": 1}]}',
        json.dumps({"ratios": RATIOS, "terms": []}),
        json.dumps({"ratios": RATIOS, "terms": [{"powers": [0, 0], "weight": 1}]}),
        json.dumps({"ratios": RATIOS, "terms": [{"powers": [0, -1, 0], "weight": 1}]}),
        json.dumps({"ratios": RATIOS, "terms": [{"powers": [0, 1, 0], "weight": "NaN"}]}),
    ],
)
def test_weights_of_another_format_are_refused_by_name(tmp_path: Path, content: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(RecipeError, match=r"weights\.json"):
        RECIPE.with_options({"structure_weights": str(path)})


def test_missing_weights_are_refused() -> None:
    with pytest.raises(RecipeError, match=r"nowhere\.json"):
        RECIPE.with_options({"structure_weights": "nowhere.json"})


def test_numbers_of_the_paper_add_up() -> None:
    """Section 3: true positives by method make 2,040; misses are duplicates and the rest."""
    by_method = {"u": 987, "p d i": 791, "a": 180, "h": 82}
    assert sum(by_method.values()) == 2040
    assert 2402 - 2040 == 182 + 180
    assert [round(100 * n / 2040, 2) for n in by_method.values()] == [48.38, 38.77, 8.82, 4.02]
    assert (round(100 * 2040 / 2402, 2), round(100 * (2040 + 182) / 2402, 1)) == (84.93, 92.5)
