"""Likelihood ratios of terms by hand: what chance and the training pairs expect, and what the sums say of a pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from diglot.pairing.fused.likelihood import Likelihood, first_blocks, likelihood, title_likelihood, word_ratios
from diglot.pairing.fused.words import SiteWords, document_frequency, site_words
from diglot.site import Site
from diglot.sparse import SparseMatrix, matrix_of_places
from made_documents import made_page, made_site

NO_PAIRS = np.zeros((0, 2), np.int32)
NAMES = ("LBound", "UBound", "RSet", "LSet")
CLASS_RATE = 4.0
"""So many observations the rate of its class counts for beside those of a term."""


def site_of(english: Sequence[str], french: Sequence[str]) -> Site:
    texts = {"en": english, "fr": french}
    return made_site(
        *(made_page(f"http://x/{lang}/{n}", lang, [text]) for lang in texts for n, text in enumerate(texts[lang]))
    )


def lexicon_of(words: SiteWords, entries: Mapping[tuple[str, str], float]) -> SparseMatrix:
    number = {word: k for k, word in enumerate(words.vocabulary)}
    x, y = ([number[pair[side]] for pair in entries] for side in (0, 1))
    size = len(words.vocabulary)
    return matrix_of_places(np.array(x), np.array(y), np.array([*entries.values()], np.float32), (size, size))


def weights(site: Site) -> tuple[np.ndarray, np.ndarray]:
    words, langs = site_words(site), ("en", "fr")
    counts = [(document_frequency(words.counts, site.rows_of(lang)), len(site.rows_of(lang))) for lang in langs]
    return tuple(np.where(df > 0, np.log((pages + 1) / np.maximum(df, 1)), 0.0) for df, pages in counts)


def ratios(
    site: Site, entries: Mapping[tuple[str, str], float], pair: tuple[int, int], training: np.ndarray = NO_PAIRS
) -> dict[str, float]:
    """Log ratio of each term of an English page for a French one, both by their number."""
    words = site_words(site)
    rows = site.rows_of("en")[pair[0]], site.rows_of("fr")[pair[1]]
    found = word_ratios(words, site.rows_of("fr"), rows, training, lexicon_of(words, entries), weights(site)[1])
    return {words.vocabulary[x]: value for x, value in found.items()}


def sums(
    site: Site, entries: Mapping[tuple[str, str], float], pairs: np.ndarray, training: np.ndarray = NO_PAIRS
) -> Likelihood:
    rows = site.rows_of("en"), site.rows_of("fr")
    words = site_words(site)
    return likelihood(words, rows, pairs, training, lexicon_of(words, entries), weights(site))


def diagonal(site: Site) -> np.ndarray:
    return np.stack([site.rows_of("en"), site.rows_of("fr")], axis=1)


def log_ratio(p1: float, p0: float, *, found: bool = True) -> float:
    return float(np.log(p1 / p0) if found else np.log((1 - p1) / (1 - p0)))


FOUR = site_of(["house ship", "house sea", "ship sea", "tree"], ["maison nef", "maison mer", "bateau mer", "arbre"])
WORDS = {("house", "maison"): 0.6, ("ship", "nef"): 0.9, ("tree", "arbre"): 1.0}


def test_without_training_a_term_is_found_half_of_the_time() -> None:
    """Two of four French pages have the house, and one the ship; the nearest page shares ``maison`` alone."""
    found = ratios(FOUR, WORDS, (0, 0))
    assert set(found) == {"house", "ship"}
    idf = {"maison": np.log(5 / 2), "nef": np.log(5), "mer": np.log(5 / 2)}
    close = idf["maison"] ** 2 / np.hypot(idf["maison"], idf["nef"]) / np.hypot(idf["maison"], idf["mer"])
    chance = (0.5 + close) / (1 + close)
    # No rate of a class is known: it is 1/2, and never below chance.
    assert found["house"] == pytest.approx(log_ratio(max(0.5, chance), chance))
    assert found["ship"] == pytest.approx(log_ratio(0.5, 0.25 / (1 + close)))
    missing = ratios(FOUR, WORDS, (0, 3))
    assert missing == pytest.approx({"house": 0.0, "ship": log_ratio(0.5, 0.25, found=False)})


def test_rates_are_those_of_training_pairs_with_the_class_as_four_more() -> None:
    """Three training pairs have words of a strength between .65 and .8, of which two are translated."""
    site = site_of(["aone", "atwo", "athree", "zz"], ["bone", "btwo", "other", "bthree"])
    entries = {(f"a{n}", f"b{n}"): 0.7 for n in ("one", "two", "three")}
    training = diagonal(site)[:3]
    rate = (2 + 1) / (3 + 2)
    own = (1 - 1 + CLASS_RATE * rate) / (1 - 1 + CLASS_RATE)
    assert ratios(site, entries, (0, 0), training) == pytest.approx({"aone": log_ratio(own, 0.25)})
    other = (1 + CLASS_RATE * rate) / (1 + CLASS_RATE)
    assert ratios(site, entries, (0, 3), training) == pytest.approx({"aone": log_ratio(other, 0.25, found=False)})
    # What was not found in its own pair is not found there by leaving the pair out.
    assert ratios(site, entries, (2, 2), training) == pytest.approx({"athree": log_ratio(own, 0.25, found=False)})


@pytest.mark.parametrize(
    ("strengths", "alike"),
    [((0.36, 0.49), True), ((0.34, 0.36), False), ((0.49, 0.51), False), ((0.9, 0.99), True), ((0.99, 1.0), False)],
)
def test_words_of_one_strength_share_a_rate(strengths: tuple[float, float], alike: bool) -> None:
    """The first word is found in three training pairs, the second in none: apart they have different rates."""
    site = site_of(["aone"] * 3 + ["atwo"] * 3 + ["zz"], ["bone"] * 3 + ["none"] * 3 + ["btwo"])
    entries = {("aone", "bone"): strengths[0], ("atwo", "btwo"): strengths[1]}
    found = ratios(site, entries, (3, 6), diagonal(site)[:6])["atwo"]
    rate = 4 / 8 if alike else 1 / 5
    assert found == pytest.approx(log_ratio(max(CLASS_RATE * rate / (3 + CLASS_RATE), 1 / 7), 1 / 7))


def test_chance_and_rates_are_kept_off_certainty() -> None:
    site = site_of(["all"] * 3, ["tous"] * 3)
    found = ratios(
        site,
        {("all", "tous"): 0.5},
        (0, 0),
        diagonal(site),
    )
    # On every page: chance is cut at .97, and what is learnt, at most .985, cannot be below.
    assert found["all"] == pytest.approx(np.log(max((2 + 4 * 4 / 5) / (2 + 4), 0.97) / 0.97))


def test_terms_without_translation_count_where_their_class_survives() -> None:
    """Numbers that stand on both pages of six of ten training pairs count; of two in ten they do not."""
    for kept, counts in ((6, True), (2, False)):
        site = site_of(
            [f"{100 + n} 77{n}" for n in range(10)], [f"{100 + n if n < kept else 900 + n} w" for n in range(10)]
        )
        entries = {(str(100 + n), str(100 + n)): 1.0 for n in range(kept)}
        found = ratios(site, entries, (9, 9), diagonal(site))
        # Half of all numbers have an entry, and 6 or 2 of 20 are found: 7/22 and 3/22.
        assert ("779" in found) == counts


def test_the_sums_are_of_the_weaker_side() -> None:
    """Both pages of the first pair are all translated; of the second the French one has more to say."""
    site = site_of(["one", "two", "three", "four"], ["eins", "zwei drei vier", "ya", "yb"])
    entries = {("one", "eins"): 0.7, ("two", "zwei"): 0.7, ("three", "drei"): 0.7, ("four", "vier"): 0.7}
    found = sums(site, entries, diagonal(site)[:2])
    gain, loss = log_ratio(0.5, 0.25), log_ratio(0.5, 0.25, found=False)
    usual = 0.5 * gain + 0.5 * loss
    assert found.scaled == pytest.approx([gain / np.sqrt(6), (gain + 2 * loss) / np.sqrt(8)])
    assert found.against == pytest.approx([0, 2 * loss / (3 * usual + 1)])
    assert found.numbers.tolist() == [0, 0]


@pytest.mark.parametrize("number", [1, 40])
def test_numbers_add_up_from_both_sides_and_are_cut(number: int) -> None:
    """Each number of a page is on one of four pages of either language; codes are found with them, and count apart."""
    texts = [" ".join(str(1_000 * page + k) for k in range(number)) for page in range(1, 5)]
    others = [f"{text} word{letter} co_de{letter}" for text, letter in zip(texts, "abcd", strict=True)]
    site = site_of(others, others)
    entries = {(value, value): 1.0 for text in texts for value in text.split()}
    entries |= {(f"co_de{letter}", f"co_de{letter}"): 1.0 for letter in "abcd"}
    pairs = np.array([[0, 4], [0, 5]], np.int32)
    gain, loss = log_ratio(0.5, 0.25), log_ratio(0.5, 0.25, found=False)
    assert sums(site, entries, pairs).numbers == pytest.approx(np.clip([number * gain, number * loss], -12, 12) * 2)


def test_sums_agree_with_the_ratios_of_each_term_whatever_the_order() -> None:
    site = FOUR
    pairs = np.array([(i, 4 + j) for i in range(4) for j in range(4)], np.int32)
    training = diagonal(site)[:2]
    shuffled = np.random.default_rng(0).permutation(len(pairs))
    found, again = sums(site, WORDS, pairs, training), sums(site, WORDS, pairs[shuffled], training)
    assert np.array_equal(found.scaled[shuffled], again.scaled)
    back = {(y, x): value for (x, y), value in WORDS.items()}
    words = site_words(site)
    for (i, j), scaled in zip(pairs.tolist(), found.scaled, strict=True):
        there = ratios(site, WORDS, (i, j - 4), training)
        turned = word_ratios(
            words, site.rows_of("en"), (j, i), training[:, ::-1], lexicon_of(words, back), weights(site)[0]
        )
        assert scaled == pytest.approx(min(sum(side.values()) / np.sqrt(len(side) + 5) for side in (there, turned)))


@pytest.mark.parametrize(("page", "near"), [(0, 1), (5, 1), (6, 0)])
def test_no_more_than_six_siblings_tell_what_chance_is(page: int, near: int) -> None:
    """All eight French pages are alike in the one word that weighs; the seventh is no sibling of the last."""
    site = site_of(["word"] * 2, [f"meme own{n}" + " mot" * (n == page) for n in range(8)])
    words = site_words(site)
    idf = np.array([float(word == "meme") for word in words.vocabulary])
    pair = (0, 2 + 7)
    found = word_ratios(words, site.rows_of("fr"), pair, NO_PAIRS, lexicon_of(words, {("word", "mot"): 0.5}), idf)
    chance = (1 / 8 + near) / 7
    assert list(found.values()) == pytest.approx([log_ratio(0.5, chance, found=False)])


def titled_site() -> Site:
    pages = [made_page(f"http://a/{k}", "en", [f"Function {name}", "text"]) for k, name in enumerate(NAMES)]
    pages += [made_page(f"http://b/{k}", "fr", [f"Fonction {name}", "texte"]) for k, name in enumerate(NAMES)]
    return made_site(*pages)


def test_a_title_that_names_something_else_speaks_against_a_pair() -> None:
    site = titled_site()
    words = site_words(site)
    number = {word: k for k, word in enumerate(words.vocabulary)}
    entries = [(number["function"], number["fonction"], 0.9)]
    entries += [(number[name.lower()], number[name.lower()], 1.0) for name in NAMES]
    x, y, value = zip(*entries, strict=True)
    lexicon = matrix_of_places(np.array(x), np.array(y), np.array(value), (len(number), len(number)))
    training = np.array([[0, 4], [1, 5], [2, 6]], np.int32)
    pairs = np.array([[0, 4], [0, 5], [3, 7]], np.int32)
    found = title_likelihood(words, (site.rows_of("en"), site.rows_of("fr")), pairs, training, lexicon)
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
    words = site_words(site)
    titles = first_blocks(words)
    named = [{words.vocabulary[x] for x in titles[[row]].columns} for row in range(len(site))]
    assert named == [{"one", "two"}, set(), set(), {"one", "two"}]
    assert titles.values.tolist() == [1.0] * 4
