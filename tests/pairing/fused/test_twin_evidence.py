"""What tells twins apart: how often codes stand on both pages, and what their titles name. Cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from diglot.features.sparse_rows import ruzicka
from diglot.pairing.fused.terms import TermClass, site_terms
from diglot.pairing.fused.twins import count_agreement, first_blocks, title_likelihood
from diglot.site import Site
from made_documents import made_page, made_site

NAMES = ("LBound", "UBound", "RSet", "LSet")


@given(st.integers(0, 2**32 - 1))
@settings(deadline=None)
def test_ruzicka_is_that_of_dense_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    src, tgt = (rng.integers(1, 5, (6, 8)) * (rng.random((6, 8)) < 0.3) for _ in range(2))
    pairs = rng.integers(0, 6, (20, 2)).astype(np.int32)
    found = ruzicka(sparse.csr_array(src.astype(float)), sparse.csr_array(tgt.astype(float)), pairs)
    for (i, j), value in zip(pairs.tolist(), found.tolist(), strict=True):
        larger = np.maximum(src[i], tgt[j]).sum()
        assert np.isnan(value) if not larger else value == pytest.approx(np.minimum(src[i], tgt[j]).sum() / larger)


def test_twins_that_name_each_other_do_not_name_each_other_as_often() -> None:
    site = made_site(
        made_page("http://a/1", "en", ["LBound and LBound unlike UBound"]),
        made_page("http://a/2", "fr", ["LBound et LBound mais UBound"]),
        made_page("http://a/3", "fr", ["UBound et UBound mais LBound"]),
        made_page("http://a/4", "fr", ["et rien de plus"]),
        made_page("http://a/5", "en", ["and nothing more"]),
    )
    rows = site.rows_of("en"), site.rows_of("fr")
    pairs = np.array([[0, 1], [0, 2], [0, 3], [4, 3]], np.int32)
    found = count_agreement(site_terms(site), rows, pairs)
    assert found[:3] == pytest.approx([1.0, (1 + 1) / (2 + 2), 0.0])
    assert np.isnan(found[3])


def titled_site() -> Site:
    pages = [made_page(f"http://a/{k}", "en", [f"Function {name}", "text"]) for k, name in enumerate(NAMES)]
    pages += [made_page(f"http://b/{k}", "fr", [f"Fonction {name}", "texte"]) for k, name in enumerate(NAMES)]
    return made_site(*pages)


def test_a_title_that_names_something_else_speaks_against_a_pair() -> None:
    site = titled_site()
    terms = site_terms(site)
    number = {word: k for k, word in enumerate(terms.vocabulary)}
    entries = [(number["function"], number["fonction"], 0.9)]
    entries += [(number[name.lower()], number[name.lower()], 1.0) for name in NAMES]
    x, y, value = zip(*entries, strict=True)
    lexicon = sparse.csr_array((value, (x, y)), shape=(len(number), len(number)))
    training = np.array([[0, 4], [1, 5], [2, 6]], np.int32)
    pairs = np.array([[0, 4], [0, 5], [3, 7]], np.int32)
    found = title_likelihood(terms, (site.rows_of("en"), site.rows_of("fr")), pairs, training, lexicon)
    # three of three names were found, (3 + 1) / (3 + 2); one of four titles holds each; all titles hold "function"
    name_found, name_missing = np.log(0.8 / 0.25), np.log(0.2 / 0.75)
    assert found == pytest.approx([name_found, name_missing, name_found])


def test_first_blocks_of_pages_without_any() -> None:
    site = made_site(
        made_page("http://a/1", "en", ["one two", "three"]),
        made_page("http://a/2", "en", []),
        made_page("http://a/3", "en", ["...", "four"]),
        made_page("http://a/4", "en", ["two one two"]),
    )
    terms = site_terms(site)
    titles = first_blocks(terms)
    named = [{terms.vocabulary[x] for x in titles[[row]].indices} for row in range(len(site))]
    assert named == [{"one", "two"}, set(), set(), {"one", "two"}]
    assert titles.data.tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LBound Lbound", TermClass.CODE),
        ("Note note NOTE", TermClass.WORD),
        ("NOTE Note", TermClass.CAPITALS),
        ("PDF pdf PDFs", TermClass.CAPITALS),
    ],
)
def test_the_class_of_most_written_forms(text: str, kind: TermClass) -> None:
    terms = site_terms(made_site(made_page("http://a/1", "en", [text])))
    assert terms.classes[0] == kind
