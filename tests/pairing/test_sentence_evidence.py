"""Page similarity from aligned sentences; SPEC G 8: an SS of 0, of -0.2, and thirty of 0.9."""

from collections import Counter

import numpy as np
import pytest

from diglot.lexicons import Lexicon
from diglot.pairing.pwcc import (
    SentenceReading,
    combine_beads,
    low_share,
    page_distance,
    page_similarity,
    sentence_length,
    stop_words,
)
from made_documents import made_page, made_site, rows

LEXICON = Lexicon(
    "made",
    "en",
    "de",
    (("the dog", "Hund"), ("sleeps", "schläft"), ("cat", "Katze"), ("big", "groß"), ("big", "große")),
)
READING = SentenceReading(lexicon=LEXICON)
DOGS, HUNDE = "Dog sleeps.", "Hund schläft."


@pytest.mark.parametrize("similarity", [0.0, -0.2])
def test_a_similarity_without_a_logarithm_counts_as_a_hundredth(similarity: float) -> None:
    mean, total, share = combine_beads(np.array([similarity, 1.0]), low=0.2)
    assert mean == pytest.approx(np.log(0.01) / 2)
    assert total == pytest.approx(np.log(0.01))
    assert share == 0.5


def test_thirty_good_sentences_pass_by_the_mean_and_fail_by_the_product() -> None:
    mean, total, share = combine_beads(np.full(30, 0.9), low=0.2)
    assert np.exp(mean) == pytest.approx(0.9)
    assert np.exp(total) == pytest.approx(0.0424, abs=5e-5)
    assert np.exp(mean) >= 0.65 > np.exp(total)
    assert share == 0.0


def test_beads_without_words_stay_out_and_nothing_is_no_similarity() -> None:
    assert combine_beads(np.array([np.nan, 0.5]), low=0.2) == (np.log(0.5), np.log(0.5), 0.0)
    assert combine_beads(np.array([np.nan]), low=0.2) == (-np.inf, -np.inf, 1.0)


def pair_of(src: list[str], tgt: list[str], **reading: object) -> tuple[float, float, float]:
    """Similarity, product and low share of two pages of these blocks."""
    site = made_site(made_page("http://h/en", "en", src), made_page("http://h/de", "de", tgt))
    pair = np.array([rows(site, "http://h/en", "http://h/de")], np.int32)
    how = SentenceReading(lexicon=LEXICON, **reading)  # type: ignore[arg-type]
    similarity = float(page_similarity(site, pair, reading=how)[0])
    assert page_distance(site, pair, reading=how)[0] == pytest.approx(1 - similarity)
    return similarity, float(page_similarity(site, pair, reading=how, product=True)[0]), float(
        low_share(site, pair, reading=how)[0]
    )  # fmt: skip


def test_pages_by_hand() -> None:
    # "dog" is in the lexicon as "the dog" only: no translation until "the" is a stop word.
    half = (1 - 0.2) / 2
    assert pair_of([DOGS], [HUNDE]) == (pytest.approx(half), pytest.approx(half), 0.0)
    assert pair_of([DOGS, DOGS], [HUNDE, HUNDE]) == (pytest.approx(half), pytest.approx(half**2), 0.0)
    # Nothing translated: 0.01 for -0.2, a low bead.
    assert pair_of(["Birds fly."], [HUNDE]) == (pytest.approx(0.01), pytest.approx(0.01), 1.0)


def test_stop_words_leave_sentences_and_phrases() -> None:
    src = ["The dog sleeps.", "The cat sleeps.", "The the the the the big cat."]
    tgt = ["Der Hund schläft.", "Der Katze schläft.", "Der der der der der große Katze."]
    similarity, _, low = pair_of(src, tgt, stop_share=0.55)  # 7 of 13 words are "the", and "der"
    assert (similarity, low) == (pytest.approx(1.0), 0.0)
    assert pair_of(src, tgt)[0] < 0.5


def test_a_page_without_sentences_is_low_and_unlike() -> None:
    for src, tgt in (([], [HUNDE]), ([DOGS], []), ([], [])):
        similarity, _, low = pair_of(src, tgt)
        assert (similarity <= 0.01, low) == (True, 1.0)


def test_same_words_stems_and_both_directions() -> None:
    assert pair_of(["GNU 2007."], ["GNU 2007."], same_words=True)[0] == pytest.approx(1.0)
    assert pair_of(["GNU 2007."], ["GNU 2007."])[0] == pytest.approx(0.01)
    assert pair_of(["Cats."], ["Katzen."], stem_letters=3)[0] == pytest.approx(1.0)
    # One of two English words, the only German one: (1 - .2) / 2 forward, 1 / 2 backward.
    assert pair_of(["Cat purrs."], ["Katze."], symmetric=True)[0] == pytest.approx((0.4 + 0.5) / 2)


def test_blocks_beside_the_main_text_do_not_count() -> None:
    pages = [made_page("http://h/en", "en", ["Cat.", "Menu."], block_main=[True, False])]
    pages += [made_page("http://h/de", "de", ["Katze."])]
    site = made_site(*pages)
    pair = np.array([rows(site, "http://h/en", "http://h/de")], np.int32)
    assert page_similarity(site, pair, reading=READING).tolist() == pytest.approx([1.0])


def test_a_similarity_at_the_limit_is_not_low() -> None:
    assert combine_beads(np.array([0.2, 0.1]), low=0.2)[2] == 0.5


def test_blocks_repeated_over_the_site_do_not_count() -> None:
    pages = [made_page(f"http://h/en{n}", "en", ["Cat.", "Birds fly."]) for n in range(7)]
    pages[0] = made_page("http://h/en0", "en", ["Big.", "Birds fly."])
    pages += [made_page("http://h/de", "de", ["Große."])]
    site = made_site(*pages)
    pair = np.array([rows(site, "http://h/en0", "http://h/de")], np.int32)
    assert page_similarity(site, pair, reading=READING).tolist() == pytest.approx([1.0])


def test_stop_words_are_the_commonest_up_to_the_share() -> None:
    counts = Counter({"the": 40, "of": 20, "software": 20, "cat": 10, "dog": 10})
    assert stop_words(counts, 0.0) == frozenset()
    assert stop_words(counts, 0.59) == {"the"}
    assert stop_words(counts, 0.60) == {"the", "of"}  # equal counts go by the alphabet
    assert stop_words(Counter(), 0.5) == frozenset()


def test_chinese_characters_count_twice() -> None:
    assert sentence_length("阿富汗 GNU 3。") == 2 * 3 + 3 + 1 + 2
