"""strand_em from pages to pairs: links and addresses, notes, figures, and the joint decision in the cascade."""

import random
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from diglot.arrays import Pairs
from diglot.documents.parse import pages_table, parse_table
from diglot.pairing.candidates import collect, linked_by_anchor, linked_by_hreflang
from diglot.pairing.cascade import IMPROBABLE, run_cascade
from diglot.pairing.strand_em_figures import _figure, _Scale
from diglot.recipes.strand_em import RECIPE, Options
from diglot.records import Page
from diglot.site import Site


def page(name: str, paragraphs: list[int], head: str = "") -> Page:
    body = "".join(f"<p>{'ab ' * length}{name}</p>" for length in paragraphs)
    html = f"<html><head>{head}</head><body>{body}</body></html>"
    return Page(url=f"http://a.org/{name}", body=html.encode(), content_type="text/html; charset=utf-8")


def site_of(pages: list[Page]) -> Site:
    """A site whose pages are in the language that their address ends in."""
    table = parse_table(pages_table(pages)).sort_by("url")
    langs = [url.rpartition(".")[2] for url in table["url"].to_pylist()]
    return Site("a.org", table.set_column(table.schema.get_field_index("lang"), "lang", pa.array(langs)))


def made_site(size: int = 30) -> Site:
    rng = random.Random(4)
    pages = []
    for i in range(size):
        paragraphs = [rng.randint(5, 60) for _ in range(rng.randint(4, 40))]
        pages += [page(f"{i:02}.en", paragraphs), page(f"{i:02}.fr", [round(1.2 * n) for n in paragraphs])]
    return site_of(pages)


def urls_of(site: Site, pairs: Pairs) -> set[tuple[str, str]]:
    return {(site.urls[i].rpartition("/")[2], site.urls[j].rpartition("/")[2]) for i, j in pairs.tolist()}


@pytest.mark.parametrize("drop_repeated", [True, False])
def test_pairs_notes_and_figures(drop_repeated: bool) -> None:
    site = made_site()
    steps = RECIPE.steps(Options(drop_repeated=drop_repeated), "en", "fr")
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), steps)
    found = urls_of(site, scored.pairs[scored.accepted])
    assert found == {(f"{i:02}.en", f"{i:02}.fr") for i in range(30)}
    assert (scored.score[scored.accepted] > 0.5).all()
    # The posterior is not calibrated, so that nothing is estimated by it.
    assert np.isnan(scored.expected_pairs)
    assert scored.notes == ("100% of 30 candidates called parallel: too few others to learn from",)
    assert sorted(scored.figures) == ["en-fr-residuals.svg", "en-fr-tokens.svg"]
    for text in scored.figures.values():
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "nan" not in text


@pytest.mark.parametrize(
    ("top", "ticks"),
    [
        (0.25, ["0", "0.0625", "0.125", "0.188", "0.25"]),
        (1.05, ["0", "0.263", "0.525", "0.788", "1.05"]),
        (99.0, ["0", "24.8", "49.5", "74.2", "99"]),
        (101.0, ["0", "25", "50", "76", "101"]),
    ],
)
def test_ticks_of_a_figure_differ(top: float, ticks: list[str]) -> None:
    figure = ElementTree.fromstring(_figure("t", "c", ("x", "y"), _Scale((0, 4), (0, top)), []))
    texts = [element.text for element in figure.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-5:] == ticks


def test_few_candidates_abstain_and_say_so() -> None:
    site = made_site(3)
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), RECIPE.steps(Options(), "en", "fr"))
    assert not scored.accepted.any()
    assert set(scored.refused_by) == {IMPROBABLE}
    assert scored.notes == ("abstains: only 3 candidate pairs, and fewer than 5 teach nothing",)


def test_what_the_model_says_of_each_candidate_is_told() -> None:
    site = made_site()
    (step,) = RECIPE.steps(Options(), "en", "fr")
    judged = step.judge(site, site.rows_of("en"), site.rows_of("fr"))
    assert len(judged.pairs) == len(judged.probability) == 30
    assert (judged.probability_of(site, judged.pairs[::-1]) == judged.probability[::-1]).all()
    assert step.min_probability == 0.5
    (strict,) = RECIPE.steps(Options(min_probability=0.8), "en", "fr")
    assert strict.min_probability == 0.8


def test_pages_without_a_candidate_are_not_judged() -> None:
    site = made_site()
    (step,) = RECIPE.steps(Options(links=False, url_rules=False), "en", "fr")
    judged = step.judge(site, site.rows_of("en"), site.rows_of("fr"))
    assert judged.pairs.shape == (0, 2)
    assert len(judged.probability) == 0


def alternate(name: str, lang: str, scheme: str = "http") -> str:
    return f'<link rel="alternate" hreflang="{lang}" href="{scheme}://a.org/{name}">'


def test_links_by_hreflang() -> None:
    site = site_of(
        [
            page("both.en", [5], alternate("deux.fr", "fr-CA", "https")),
            page("deux.fr", [5], alternate("both.en", "en")),
            page("oneway.en", [5], alternate("un.fr", "fr")),
            page("un.fr", [5]),
            page("copy.en", [5]),
            page("trois.fr", [5], alternate("copy.en", "ca") + alternate("gone.en", "en")),
            page("default.en", [5], alternate("quatre.fr", "x-default")),
            page("quatre.fr", [5]),
        ]
    )
    rows = site.rows_of("en"), site.rows_of("fr")
    linked = {("both.en", "deux.fr"), ("oneway.en", "un.fr")}
    assert urls_of(site, collect(linked_by_hreflang(site, *rows))) == linked
    assert not len(collect(linked_by_hreflang(site, rows[0], rows[1][:0])))


def test_links_by_anchor() -> None:
    english = page("x.en", [5]).body + b'<a href="/y.fr"> Fran\xc3\xa7ais </a><a href="/z.fr">more in French</a>'
    pages = [Page(url="http://a.org/x.en", body=english, content_type="text/html; charset=utf-8")]
    site = site_of([*pages, page("y.fr", [5]), page("z.fr", [5])])
    rows = site.rows_of("en"), site.rows_of("fr")
    names = {"src_names": frozenset({"english"}), "tgt_names": frozenset({"français"})}
    assert urls_of(site, collect(linked_by_anchor(site, *rows, **names))) == {("x.en", "y.fr")}
