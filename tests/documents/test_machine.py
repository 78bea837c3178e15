"""Marks of machine translation, and pages that only talk of it or offer it."""

import pytest

from diglot.documents.machine_translated import machine_mark

MACHINE = [
    '<html lang="fr-x-mtfrom-en" class="translated-ltr">',
    "<html class='no-js translated-rtl'>",
    '<html lang="fr-t-en-t0-und">',
    '<meta name="machine-translated-from" content="en">',
    '<font _mstTextHash="123">Bonjour</font>',
    '<meta name="generator" content="GTranslate 2.0">',
    '<meta name="generator" content="Google Translate plugin">',
    '<span class="tr_" data-source="1">Bonjour</span>',
    '<html lang="fr" data-wg-translated="fr">',
    '<meta name="translated-by" content="DeepL">',
    '<a href="https://example-org.translate.goog/page?_x_tr_tl=fr">x</a>',
]
HUMAN = [
    '<html lang="fr" class="translated">',
    "<p>We compared machine translation by Google, DeepL and Bing; translated-ltr is a class.</p>",
    '<meta name="generator" content="WordPress 6.4"><div class="gtranslate_wrapper"></div>',
    '<meta name="author" content="A human translator">',
    '<link rel="alternate" hreflang="fr" href="/fr/"><script src="/js/weglot.min.js"></script>',
]


@pytest.mark.parametrize("html", MACHINE)
def test_a_page_that_a_machine_made(html: str) -> None:
    assert machine_mark(f"<!doctype html>{html}<body><p>Bonjour</p>".encode())


@pytest.mark.parametrize("html", HUMAN)
def test_a_page_that_a_person_made(html: str) -> None:
    assert machine_mark(f"<!doctype html>{html}<body><p>Bonjour</p>".encode()) == ""


def test_long_pages_cost_little() -> None:
    assert machine_mark(b"<meta transl" * 80_000) == ""
    assert machine_mark(b'<html class="' + b"x " * 500_000 + b"translat") == ""
