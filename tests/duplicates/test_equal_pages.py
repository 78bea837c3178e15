"""Pages of equal text: their classes, and which of them stands for the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from diglot.duplicates.equal import (
    Versions,
    exact_classes,
    representatives,
)


def link_lists(links: list[list[str]]) -> pa.ListArray:
    return pa.array(links, pa.list_(pa.string()))


def test_classes_of_duplicates() -> None:
    text = " ".join(f"word{n}" for n in range(200))
    texts = [text, text + " ", text.replace("word7 ", "other "), "something else entirely here", text]
    langs = ["en", "en", "en", "en", "fr"]
    assert exact_classes(texts, langs).tolist() == [0, 0, 2, 3, 4]
    urls = ["http://a/da/x", "http://a/en/x", "http://a/en/y", "http://a/en/z", "http://a/fr/x"]
    stands = representatives(
        Versions(urls, langs, ["da", "en", "en", "en", "fr"]), exact_classes(texts, langs), link_lists([[]] * 5)
    )
    assert stands.tolist() == [False, True, True, True, True]


def test_a_page_that_stands_twice_in_each_edition_is_represented_alike() -> None:
    """Figures linked once each, from a long chapter and from a short one; opaque addresses sort either way round."""
    urls = ["http://a/2", "http://a/7", "http://a/9", "http://a/3", "http://a/1", "http://a/4"]
    urls += [f"http://a/more{n}" for n in range(3)]
    long_en, short_en = [urls[0], *urls[6:]], [urls[1]]
    long_fr, short_fr = [urls[2], *urls[6:]], [urls[3]]
    langs = ["en", "en", "fr", "fr", "en", "fr", "en", "en", "en", "en", "en", "fr", "fr"]
    links = [*([[]] * 9), long_en, short_en, long_fr, short_fr]
    urls += [f"http://a/chapter{n}" for n in range(4)]
    classes = np.array([0, 0, 2, 2, *range(4, 13)], np.int32)
    stands = representatives(Versions(urls, langs, [""] * 13), classes, link_lists(links))
    assert stands.tolist() == [True, False, True, False, *([True] * 9)]
