"""Paragraphs of main text: which count, how many tokens they have."""

import numpy as np

from diglot.features.paragraphs import (
    fewer_paragraphs,
    paragraph_counts,
    paragraph_ratio,
    paragraph_tokens,
    token_ratio,
)
from ilsp_pages import body, rows, site_of

MENU = '<nav><a href="/">Home</a></nav>'


def test_navigation_does_not_count_unless_all_is_asked_for() -> None:
    site = site_of(
        ("http://a/1", "en", body(MENU, "<p>one two</p>", "<p>three</p>")),
        ("http://a/2", "fr", body("<p>un</p>")),
    )
    assert paragraph_counts(site).tolist() == [2, 1]
    assert paragraph_counts(site, main=False).tolist() == [3, 1]
    assert paragraph_tokens(site).tolist() == [3, 1]
    assert paragraph_ratio(site, rows((0, 1), (1, 0))).tolist() == [0.5, 0.5]
    np.testing.assert_allclose(token_ratio(site, rows((0, 1))), [1 / 3])
    assert fewer_paragraphs(site, rows((0, 1))).tolist() == [1]


def test_text_repeated_all_over_the_site_does_not_count() -> None:
    pages = [(f"http://a/{k}", "en", body("<p>All rights reserved.</p>", f"<p>Page {k}</p>")) for k in range(10)]
    assert paragraph_counts(site_of(*pages)).tolist() == [1] * 10
    assert paragraph_counts(site_of(*pages), main=False).tolist() == [2] * 10


def test_each_character_of_a_script_without_spaces_is_a_token() -> None:
    site = site_of(("http://a/1", "zh", body("<p>我们 use GNU 软件。</p>")))
    assert paragraph_tokens(site).tolist() == [7]  # 我 们 use GNU 软 件 。


def test_two_pages_without_paragraphs_are_no_evidence() -> None:
    site = site_of(("http://a/1", "en", body(MENU)), ("http://a/2", "fr", body(MENU)), ("http://a/3", "fr", "<p>x"))
    assert np.isnan(paragraph_ratio(site, rows((0, 1)))).all()
    assert paragraph_ratio(site, rows((0, 2))).tolist() == [0]
