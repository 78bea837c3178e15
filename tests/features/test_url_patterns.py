"""URL patterns: the paper's, those of its table of errors, and addresses that only look like them."""

import pytest

from diglot.features.language_markers import PRINTED_SEPARATORS, pattern_keys, plain_key, shortened_keys

WIDE = "/_=.-"


def match(first: str, second: str, separators: str = WIDE) -> bool:
    ours = pattern_keys(first, "en", separators=separators)
    return bool(set(ours) & set(pattern_keys(second, "fr", separators=separators)))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a/en/page.html", "http://a/fr/page.html"),
        ("http://a/English/page.html", "http://a/Francais/page.html"),
        ("http://a/english/page.html", "http://a/fran%C3%A7ais/page.html"),
        ("http://a/page_eng.asp?ID=1008", "https://a/page_fra.asp?ID=1008"),
        ("http://a/page?lang=en", "http://a/page?lang=fr"),
        ("http://a/page?lang=en-US&x=1", "http://a/page?lang=fr-FR&x=1"),
        ("http://a/page?lang=1", "http://a/page?lang=2"),
        ("http://a/p?id=3&langid=0", "http://a/p?id=3&langid=5"),
        ("http://a/p?lingua=4;x", "http://a/p?lingua=1;x"),
        ("http://a/en_US/x", "http://a/fr_FR/x"),
    ],
)
def test_patterns_that_the_paper_prints(first: str, second: str) -> None:
    assert match(first, second, PRINTED_SEPARATORS)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a/br-e/169/Co121.htm", "http://a/br-f/169/Co121.htm"),
        ("http://a/page.en.html", "http://a/page.fr.html"),
    ],
)
def test_patterns_beyond_those_printed(first: str, second: str) -> None:
    assert match(first, second)
    assert not match(first, second, PRINTED_SEPARATORS)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("http://a/en/page.html", "http://a/fr/other.html"),
        ("http://a/end/page.html", "http://a/frd/page.html"),  # no marker, letters follow
        ("http://a/page?lang=6", "http://a/page?lang=7"),  # beyond 0 to 5
        ("http://a/page?slang=1", "http://a/page?slang=2"),
        ("http://a/en/fr/page", "http://a/fr/en/page"),  # two differences
        ("http://a/fr/page", "http://a/en/page"),  # each is marked as the other language
    ],
)
def test_no_patterns(first: str, second: str) -> None:
    assert not match(first, second)


@pytest.mark.parametrize(
    ("marked", "plain", "left_out"),
    [
        ("http://a/fr/page.html", "http://a/page.html", True),
        ("http://a/page.fr.html", "http://a/page.html", True),
        ("http://a/page_fr.html", "https://A/page.html", True),
        ("http://a/page?lang=fr", "http://a/page?lang", False),
        ("http://a/vitamin-f.html", "http://a/vitamin.html", False),  # one letter is too little to leave out
    ],
)
def test_an_address_without_marker(marked: str, plain: str, left_out: bool) -> None:
    assert (plain_key(plain) in shortened_keys(marked, "fr", separators=WIDE)) == left_out
