"""strand_em from pages to pairs: links and addresses, notes, figures, and the joint decision in the cascade."""

import random
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

from diglot.arrays import Pairs
from diglot.documents.table import pages_table, parse_table
from diglot.pairing.assignment import greedy
from diglot.pairing.candidates.links import linked_by_anchor, linked_by_hreflang
from diglot.pairing.candidates.rules import collect
from diglot.pairing.cascade import DECISION, Decision, GatedStep, run_cascade
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
    assert scored.notes == ("100% of 30 candidates called parallel: too few others to learn from",)
    assert sorted(scored.figures) == ["en-fr-residuals.svg", "en-fr-tokens.svg"]
    for text in scored.figures.values():
        assert ElementTree.fromstring(text).tag.endswith("svg")
        assert "nan" not in text


def test_few_candidates_abstain_and_say_so() -> None:
    site = made_site(3)
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), RECIPE.steps(Options(), "en", "fr"))
    assert not scored.accepted.any()
    assert set(scored.refused_by) == {DECISION}
    assert scored.notes == ("abstains: only 3 candidate pairs, and fewer than 5 teach nothing",)


def test_a_joint_decision_gates_ranks_and_scores() -> None:
    site = site_of([page(name, [5]) for name in ("a.en", "b.en", "a.fr", "b.fr", "c.en", "c.fr")])
    calls = []

    def decide(_site: Site, pairs: Pairs) -> Decision:
        calls.append(len(pairs))
        value = {("a.en", "a.fr"): 0.6, ("a.en", "b.fr"): 0.9, ("b.en", "a.fr"): 0.8, ("c.en", "c.fr"): np.nan}
        urls = [site.urls[row].rpartition("/")[2] for row in pairs.ravel()]
        named = zip(urls[::2], urls[1::2], strict=True)
        return Decision(probability=np.array([value.get(pair, 0.1) for pair in named], np.float32), notes=("n",))

    def all_pairs(_site: Site, src: np.ndarray, tgt: np.ndarray):  # type: ignore[no-untyped-def]
        yield np.array([(i, j) for i in src for j in tgt], np.int32)

    step = GatedStep(method="joint", candidates=(all_pairs,), decide=decide, assign=greedy)
    scored = run_cascade(site, site.rows_of("en"), site.rows_of("fr"), (step,))
    assert calls == [9]
    assert urls_of(site, scored.pairs[scored.accepted]) == {("a.en", "b.fr"), ("b.en", "a.fr")}
    assert scored.score[scored.accepted].tolist() == pytest.approx([0.9, 0.8])
    assert set(scored.refused_by) == {"", DECISION}
    assert scored.notes == ("n",)
    with pytest.raises(TypeError, match="either score or decide"):
        GatedStep(method="neither", candidates=(all_pairs,), assign=greedy)


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
    both = {("both.en", "deux.fr")}
    assert urls_of(site, collect(linked_by_hreflang(site, *rows))) == both | {("oneway.en", "un.fr")}
    assert urls_of(site, collect(linked_by_hreflang(site, *rows, reciprocal=True))) == both
    assert not len(collect(linked_by_hreflang(site, rows[0], rows[1][:0])))


def test_links_by_anchor() -> None:
    english = page("x.en", [5]).body + b'<a href="/y.fr"> Fran\xc3\xa7ais </a><a href="/z.fr">more in French</a>'
    pages = [Page(url="http://a.org/x.en", body=english, content_type="text/html; charset=utf-8")]
    site = site_of([*pages, page("y.fr", [5]), page("z.fr", [5])])
    rows = site.rows_of("en"), site.rows_of("fr")
    names = {"src_names": frozenset({"english"}), "tgt_names": frozenset({"français"})}
    assert urls_of(site, collect(linked_by_anchor(site, *rows, **names))) == {("x.en", "y.fr")}
