"""The fused recipe's parts on planted cases, and the whole on a small made-up site with orphans."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_bilingual import bilingual_site, planted_words

from diglot.arrays import Rows
from diglot.features.sparse_rows import nearest, unit_rows
from diglot.features.url_difference import apply_rule, url_parts, url_rule
from diglot.pairing import fused
from diglot.pairing.fused import orphans as orphan_module
from diglot.pairing.fused import outcome_of_two
from diglot.pairing.fused.addresses import LearntRules, switch_links
from diglot.pairing.fused.evidence import FEATURES
from diglot.pairing.fused.lexicon import learn_lexicon
from diglot.pairing.fused.matching import Matching, best_alternatives, first_matching, relearn, self_train
from diglot.pairing.fused.orphans import (
    SHARE_RANGE,
    fit_orphan_model,
    likeliest_share,
    logistic_regression,
    parallel_share,
    posterior,
)
from diglot.pairing.fused.prior import Prior, read_prior
from diglot.pairing.fused.words import WordClass, document_frequency, site_words
from diglot.site import Site
from made_documents import made_page, made_site
from made_matrices import matrix_of


@pytest.mark.parametrize("opaque", [True, False])
def test_pairs_are_found_and_orphans_refused(opaque: bool) -> None:
    site, gold = bilingual_site(opaque=opaque)
    outcome = outcome_of_two(site, "en", "fr")
    accepted = outcome.pairs[outcome.probability >= 0.5]
    found = {(site.urls[i], site.urls[j]) for i, j in accepted.tolist()}
    assert found == gold
    assert outcome.probability[outcome.probability >= 0.5].mean() >= 0.97
    assert 0.4 < outcome.share <= 0.97
    rows = outcome.pairs[outcome.matched]
    assert len(set(rows[:, 0].tolist())) == len(set(rows[:, 1].tolist())) == len(rows)
    assert outcome.bits.shape == (len(outcome.pairs), len(FEATURES))


@pytest.mark.parametrize("edition", ["fr", "en"])
def test_an_original_comes_before_its_old_copy_in_another_language_version(edition: str) -> None:
    """The French pages translate the old text, which stands in the French version as well, in English."""
    site, gold = bilingual_site()
    table, urls = site.documents, [src for src, _ in sorted(gold)[:10]]
    copied = table.filter(pc.is_in(table["url"], pa.array(urls))).to_pylist()
    new = [{**row, "chunks": [*row["chunks"][:5], f"rewritten {row['url']}"]} for row in copied]
    old = [{**row, "url": f"{row['url']}/old", "edition": edition} for row in copied]
    kept = table.filter(pc.invert(pc.is_in(table["url"], pa.array(urls))))
    rewritten = pa.Table.from_pylist([*new, *old], schema=table.schema)
    assert (accepted_urls(pa.concat_tables([kept, rewritten])) == gold) == (edition == "fr")


def test_a_page_in_another_language_version_keeps_its_partner_if_it_has_no_original() -> None:
    site, gold = bilingual_site()
    abroad = {src for src, _ in sorted(gold)[:30]}
    rows = [{**row, "edition": "fr" if row["url"] in abroad else ""} for row in site.documents.to_pylist()]
    assert accepted_urls(pa.Table.from_pylist(rows, schema=site.documents.schema)) == gold


@pytest.mark.parametrize(("in_french", "in_english", "are_pairs"), [(True, False, True), (True, True, False)])
def test_two_pages_shown_untranslated_in_the_version_of_each_other_are_no_pair(
    in_french: bool, in_english: bool, are_pairs: bool
) -> None:
    """One of the two may have stayed when the translation came at another address."""
    site, gold = bilingual_site()
    shown = sorted(gold)[:10]
    version = {src: "fr" for src, _ in shown if in_french} | {tgt: "en" for _, tgt in shown if in_english}
    rows = [{**row, "untranslated_in": version.get(row["url"], "")} for row in site.documents.to_pylist()]
    found = accepted_urls(pa.Table.from_pylist(rows, schema=site.documents.schema))
    assert found == (gold if are_pairs else gold - set(shown))


def accepted_urls(documents: pa.Table) -> set[tuple[str, str]]:
    """The addresses of the accepted pairs of English and French."""
    site = Site("made", documents.sort_by("url"))
    outcome = outcome_of_two(site, "en", "fr")
    return {(site.urls[i], site.urls[j]) for i, j in outcome.pairs[outcome.probability >= 0.5].tolist()}


def test_the_same_whatever_the_order_of_the_pages() -> None:
    site, _ = bilingual_site()
    shuffled = Site(
        "made", site.documents.take(pa.array(np.random.default_rng(1).permutation(len(site)))).sort_by("url")
    )
    first, second = outcome_of_two(site, "en", "fr"), outcome_of_two(shuffled, "en", "fr")
    assert np.array_equal(first.pairs, second.pairs)
    assert np.array_equal(first.probability, second.probability)


def test_a_site_without_parallel_pages_is_refused_by_its_numbers() -> None:
    site, _ = bilingual_site(pages=0, orphans=40)
    assert (outcome_of_two(site, "en", "fr").probability >= 0.5).sum() <= 1


def test_too_little_to_learn_from_is_no_error() -> None:
    for pages, orphans in ((1, 0), (0, 1), (2, 0), (3, 1)):
        site, _ = bilingual_site(pages=pages, orphans=orphans)
        outcome = outcome_of_two(site, "en", "fr")
        assert len(outcome.probability) == len(outcome.pairs)


def test_languages_without_a_page_have_no_pair() -> None:
    """A warning of NumPy, such as of a logarithm of 0, would fail the test."""
    site, _ = bilingual_site(pages=3)
    assert len(outcome_of_two(site, "de", "el").pairs) == 0


def linked_site(pages: int, here: str, there: str) -> Site:
    """Pages of :func:`bilingual_site` that link their translations by an anchor; an empty anchor is no link."""
    site, gold = bilingual_site(pages=pages, orphans=0)
    documents = site.documents.to_pylist()
    for page in documents:
        other, anchor = next(
            (pair[1 - side], (here, there)[side]) for pair in gold for side in (0, 1) if pair[side] == page["url"]
        )
        if anchor:
            page |= {"link_urls": [other], "link_anchors": [anchor], "link_hreflangs": [""], "link_alternate": [False]}
    return made_site(*documents)


@pytest.mark.parametrize(
    ("here", "there", "raised"),
    [("Français", "English", True), ("Français", "", False), ("Zonk", "Zonk", False), ("", "", False)],
)
def test_two_pages_that_name_each_other_are_a_pair_though_nothing_can_be_learnt(
    monkeypatch: pytest.MonkeyPatch, here: str, there: str, raised: bool
) -> None:
    # Any column may have a value for links, and make the pair likely: only the rule differs.
    sure = 1 - 1e-4
    monkeypatch.setattr(fused, "DECLARED", 0.0)
    plain = outcome_of_two(linked_site(1, here, there), "en", "fr")
    monkeypatch.setattr(fused, "DECLARED", sure)
    outcome = outcome_of_two(linked_site(1, here, there), "en", "fr")
    assert plain.probability[0] < sure
    assert outcome.probability[0] == pytest.approx(sure if raised else plain.probability[0], abs=1e-9)
    odds = np.log2(outcome.probability / (1 - outcome.probability)) - np.log2(
        plain.probability / (1 - plain.probability)
    )
    links = FEATURES.index("link")
    assert outcome.bits[0, links] - plain.bits[0, links] == pytest.approx(odds[0])


@pytest.mark.parametrize(("french", "raised"), [("fr/index.html", True), ("fr/other.html", False)])
def test_a_site_of_two_pages_that_differ_by_the_code_in_their_addresses_is_a_pair(
    monkeypatch: pytest.MonkeyPatch, french: str, raised: bool
) -> None:
    sure = 1 - 1e-4
    documents = bilingual_site(pages=1, orphans=0)[0].documents.to_pylist()
    urls = {"en": "http://x/index.html", "fr": f"http://x/{french}"}
    site = [page | {"url": urls[page["lang"]]} for page in documents]
    monkeypatch.setattr(fused, "DECLARED", 0.0)
    plain = outcome_of_two(made_site(*site), "en", "fr")
    monkeypatch.setattr(fused, "DECLARED", sure)
    outcome = outcome_of_two(made_site(*site), "en", "fr")
    assert outcome.probability[0] == pytest.approx(sure if raised else plain.probability[0], abs=1e-9)
    address = FEATURES.index("address")
    assert (outcome.bits[0, address] > plain.bits[0, address]) == raised


@pytest.mark.parametrize(("pages", "raised"), [(fused.MIN_TRAINING - 1, True), (20, False)])
def test_names_raise_pairs_only_where_too_little_can_be_learnt(
    monkeypatch: pytest.MonkeyPatch, pages: int, raised: bool
) -> None:
    sure = 1 - 1e-7
    monkeypatch.setattr(fused, "DECLARED", sure)
    outcome = outcome_of_two(linked_site(pages, "Français", "English"), "en", "fr")
    assert outcome.matched.sum() == pages
    assert (outcome.probability[outcome.matched].min() == sure) == raised
    assert outcome.probability[~outcome.matched].max() < 0.5


def test_the_lexicon_learns_the_planted_words() -> None:
    site, _ = bilingual_site(pages=60, orphans=0)
    rows = site.rows_of("en"), site.rows_of("fr")
    matching = self_train(site, *rows, first_matching(site, *rows))
    vocabulary = site_words(site).vocabulary
    partner = planted_words()
    places = zip(matching.lexicon.row_numbers().tolist(), matching.lexicon.columns.tolist(), strict=True)
    entries = [(vocabulary[x], vocabulary[y]) for x, y in places]
    right = sum(partner.get(x) == y for x, y in entries)
    assert right >= 200
    assert matching.log_ratio == pytest.approx(0, abs=0.05)


def test_names_of_twins_are_not_learnt_as_translations_from_their_one_pair() -> None:
    """Two beads of one pair of pages say nothing of a word; and a code that both languages have is itself."""

    def site_of(copies: int) -> Site:
        texts = {"en": ["Ceiling of a {n}", "gives Ceiling by Mode_Up {n}"]}
        texts["fr"] = ["Plancher du {n}", "rend Plancher selon Mode_Down {n}"]
        pages = [
            made_page(f"http://a/{lang}/{n}", lang, [text.format(n=f"word{lang}{n}") for text in blocks])
            for lang, blocks in texts.items()
            for n in range(copies)
        ]
        others = [made_page(f"http://a/{lang}/z", lang, ["Mode_Up and Mode_Down"]) for lang in texts]
        return made_site(*pages, *others)

    for copies, learnt in ((1, False), (2, True)):
        site = site_of(copies)
        words = site_words(site)
        pages = [[site.urls.index(f"http://a/{lang}/{n}") for lang in ("en", "fr")] for n in range(copies)]
        beads = np.array([[words.block_offsets[i] + k, words.block_offsets[j] + k] for i, j in pages for k in (0, 1)])
        df = [document_frequency(words.counts, site.rows_of(lang)) for lang in ("en", "fr")]
        lexicon = learn_lexicon(words, beads, *df).to_dense()
        numbers = {word: number for number, word in enumerate(words.vocabulary)}
        assert (lexicon[numbers["ceiling"], numbers["plancher"]] > 0) == learnt
        assert lexicon[numbers["mode_up"], numbers["mode_down"]] == 0
        assert lexicon[numbers["mode_up"], numbers["mode_up"]] == 1


def test_a_lexicon_learnt_anew_forgets_wrong_pairs() -> None:
    site, gold = bilingual_site(pages=60, orphans=0)
    src, tgt = site.rows_of("en"), site.rows_of("fr")
    right = np.array([[site.urls.index(url) for url in pair] for pair in sorted(gold)], np.int32)
    first = self_train(site, src, tgt, first_matching(site, src, tgt))
    wrong = np.stack([right[:, 0], np.roll(right[:, 1], 7)], axis=1)
    misled = relearn(site, src, tgt, first, wrong)
    again = relearn(site, src, tgt, misled, right)

    def share_right(matching: Matching) -> float:
        best = matching.pairs[np.lexsort((-matching.similarity, matching.pairs[:, 0]))]
        best = best[np.r_[True, best[1:, 0] != best[:-1, 0]]]
        return float(np.mean([tuple(site.urls[row] for row in pair) in gold for pair in best.tolist()]))

    assert share_right(misled) < share_right(again)
    assert share_right(again) > 0.95
    assert np.array_equal(again.training, right)


@pytest.mark.parametrize(("sure", "is_again"), [(4, True), (5, False)])
def test_too_few_sure_pairs_teach_no_lexicon_and_likely_pairs_do(
    sure: int, is_again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, gold = bilingual_site(pages=20, orphans=0)
    pairs = np.array([[site.urls.index(url) for url in pair] for pair in sorted(gold)], np.int32)

    def few(site: Site, src: Rows, tgt: Rows, first: Matching) -> Matching:
        return replace(relearn(site, src, tgt, first, pairs), training=pairs[:sure])

    monkeypatch.setattr(fused, "self_train", few)
    training = outcome_of_two(site, "en", "fr").matching.training
    assert (len(training) > sure) == is_again


def test_a_term_is_of_the_class_of_its_forms() -> None:
    words = site_words(made_site(made_page("http://a/1", "en", ["UCase of ١٢ and 3:30, GNU text text"])))
    kinds = {word: WordClass(kind).name for word, kind in zip(words.vocabulary, words.classes.tolist(), strict=True)}
    assert kinds["ucase"] == "CODE"
    assert kinds["12"] == kinds["3.30"] == "NUMBER"
    assert kinds["gnu"] == "CAPITALS"
    assert words.counts.to_dense()[0, words.vocabulary.index("text")] == 2


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LBound Lbound", WordClass.CODE),
        ("Note note NOTE", WordClass.WORD),
        ("NOTE Note", WordClass.CAPITALS),
        ("PDF pdf PDFs", WordClass.CAPITALS),
    ],
)
def test_the_class_of_most_written_forms(text: str, kind: WordClass) -> None:
    words = site_words(made_site(made_page("http://a/1", "en", [text])))
    assert words.classes[0] == kind


@given(st.integers(0, 2**32 - 1), st.integers(1, 5))
def test_nearest_is_what_comparing_all_gives(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    src = unit_rows(matrix_of(rng.random((7, 5)) * (rng.random((7, 5)) < 0.5)))
    tgt = unit_rows(matrix_of(rng.random((9, 5)) * (rng.random((9, 5)) < 0.5)))
    product = (src @ tgt.T).to_dense()
    found = nearest(src, tgt, k)
    for row in range(7):
        mine = found[found[:, 0] == row, 1]
        best = np.sort(product[row])[::-1][: len(mine)]
        assert len(mine) == min(k, (product[row] > 0).sum())
        assert product[row, mine] == pytest.approx(best)


def test_best_alternatives() -> None:
    pairs = np.array([[0, 5], [0, 6], [1, 5], [2, 7]], np.int32)
    row, column = best_alternatives(pairs, np.array([0.9, 0.4, 0.7, 0.5]))
    assert row.tolist() == [0.4, 0.9, 0, 0]
    assert column.tolist() == [0.7, 0, 0.9, 0]


def test_the_model_tells_seeds_from_orphans_and_knows_their_share(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)

    def draw(count: int, mean: float) -> np.ndarray:
        return np.stack([rng.normal(mean, 1, count), rng.normal(0, 1, count), np.full(count, np.nan)], axis=1)

    columns = len(FEATURES)
    prior = Prior(np.zeros(3), np.array([3.0, 1.0, 1.0]), np.zeros(3), 0.0, 0.6)
    monkeypatch.setattr(orphan_module, "FEATURES", ("order", "title", "cosine"))
    assert columns == len(read_prior().weights)
    model = fit_orphan_model(draw(400, 3), draw(400, 0), prior)
    assert model.weights[0] > 3 * abs(model.weights[1])
    unlearnt = fit_orphan_model(draw(0, 3), draw(0, 0), prior)
    assert unlearnt.weights.tolist() == [0, 0, 0]
    assert unlearnt.low.tolist() == [0, 0, 0]
    for share in (0.3, 0.5, 0.9):
        mixed = np.concatenate([draw(int(1000 * share), 3), draw(1000 - int(1000 * share), 0)])
        estimate = parallel_share(*map(model.logit, (mixed, draw(400, 3), draw(400, 0))), usual=share)
        assert estimate == pytest.approx(share, abs=0.1)
        assert likeliest_share(model.logit(mixed)) == pytest.approx(share, abs=0.05)
    overlapping = parallel_share(*map(model.logit, (draw(500, 0), draw(500, 0), draw(500, 0))), usual=0.5)
    assert overlapping == pytest.approx(0.5, abs=0.1)
    assert posterior(np.array([0.0]), 0.5).tolist() == [0.5]


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=60))
def test_the_likeliest_share_makes_the_log_odds_likeliest(logits: list[float]) -> None:
    """No share of a grid makes what was seen likelier; the factor that no share changes is left out."""
    g = np.array(logits)
    found, grid = likeliest_share(g), np.linspace(*SHARE_RANGE, 50)
    likelihood = [np.logaddexp(np.log(share) + g, np.log(1 - share)).sum() for share in (found, *grid)]
    assert likelihood[0] >= max(likelihood) - 1e-2


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 10), st.floats(0.5, 30))
def test_a_regression_of_classes_that_lie_apart_does_not_run_away(seed: int, ridge: float, apart: float) -> None:
    from scipy.optimize import minimize  # a second to import, in every process that collects tests

    rng = np.random.default_rng(seed)
    y = np.repeat([0.0, 1.0], [40, 15])
    x = np.hstack([rng.normal(0, 1, (55, 4)) + apart * y[:, None], np.ones((55, 1))])
    cost, centre, pull = np.where(y == 1, 1.0, 15 / 40), np.array([2.0, 2, 2, 2, -30]), np.full(5, ridge)
    beta = logistic_regression(x, y, cost, centre=centre, ridge=pull)

    def loss(b: np.ndarray) -> float:
        return float((cost * (np.logaddexp(0, x @ b) - y * (x @ b))).sum() + (pull * (b - centre) ** 2).sum() / 2)

    least = minimize(loss, centre, method="BFGS")
    assert loss(beta) <= least.fun + 1e-4 * (1 + abs(least.fun))


def test_rules_of_addresses_are_learnt_without_a_list() -> None:
    urls = [f"http://a.example/{side}/{n}.html" for side in ("qq", "zz") for n in range(6)]
    site = made_site(*(made_page(url, "en" if "/qq/" in url else "fr", ["text"]) for url in urls))
    true = [(n, n + 6) for n in range(6)]
    matched = np.array([*true[:4], (4, 11), (5, 10)], np.int32)
    known = np.array([*true, (4, 11), (5, 10)], np.int32)
    rules = LearntRules(site, matched, known, np.array([0.9] * 6 + [0.95] * 2))
    assert {tuple(pair) for pair in rules.candidates().tolist()} == set(true)
    assert rules.evidence(known).tolist() == [1] * 6 + [0, 0]
    contradicted = LearntRules(site, matched, known, np.array([0.1] * 6 + [0.95] * 2))
    assert not len(contradicted.candidates()) or contradicted.evidence(known)[:6].max() <= 1


@pytest.mark.parametrize(
    ("src", "tgt"),
    [
        ("http://a.example/x/index.en.html", "http://a.example/x/index.fr.html"),
        ("http://a.example/x/start.php", "http://a.example/x/start-fr.php"),
        ("http://a.example/x?id=3", "http://a.example/x?id=3&lang=fr"),
        ("http://a.example/x/", "http://a.example/fr/x/"),
    ],
)
def test_a_rule_applied_gives_the_address_it_came_from(src: str, tgt: str) -> None:
    rule = url_rule(url_parts(src), url_parts(tgt))
    assert url_parts(tgt) in set(apply_rule(rule, url_parts(src)))


def linked(url: str, lang: str, links: Sequence[tuple[str, str]]) -> dict:
    others = {"link_urls": [to for to, _ in links], "link_anchors": [text for _, text in links]}
    return made_page(
        url, lang, ["text"], **others, link_hreflangs=[""] * len(links), link_alternate=[False] * len(links)
    )


def test_a_language_switch_is_known_by_what_it_does() -> None:
    pages = []
    for n in range(5):
        pages.append(linked(f"http://a/e{n}", "en", [(f"http://a/f{n}", "Zonk"), ("http://a/f0", "Home")]))
        pages.append(linked(f"http://a/f{n}", "fr", [(f"http://a/e{n}", "Zink"), ("http://a/e0", "Accueil")]))
    site = made_site(*pages)
    src, tgt = site.rows_of("en"), site.rows_of("fr")
    links = switch_links(site, src, tgt, np.stack([src, tgt], axis=1))
    assert links == {(int(i), int(j)): 1.0 for i, j in zip(src, tgt, strict=True)}
    wrong = np.stack([src, np.roll(tgt, 1)], axis=1)
    assert switch_links(site, src, tgt, wrong) == {}
