"""Marks that a machine translated a page: what translation plugins and services leave in its markup."""

from __future__ import annotations

import re

# Each of these says that the text of this very page is a machine's: the class that a browser's translator puts on
# the document, the tag that BCP 47 (RFC 6497, extension T) and HTML authors use, and what plugins write where
# they have translated. A plugin that merely offers to translate leaves other marks.
# Beside each stand words of which the markup of such a page holds one: looking for those costs far less.
_Mark = tuple[str, re.Pattern[bytes], tuple[bytes, ...]]
_MARKS: tuple[_Mark, ...] = tuple(
    (name, re.compile(pattern), words)
    for name, pattern, words in (
        ("machine-translated-from", rb"machine-translated-from", (b"machine-translated-from",)),
        (
            "extension t",
            rb"<html[^>]{0,500}\slang=[\"']?[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,4}-t-[a-z0-9-]{0,40}t0-",
            (b"t0-",),
        ),
        (
            "google",
            rb"<html[^>]{0,500}\sclass=[\"'][^\"'>]{0,300}\btranslated-(?:ltr|rtl)\b|translate\.goog/|_x_tr_tl=",
            (b"translated-ltr", b"translated-rtl", b"translate.goog/", b"_x_tr_tl="),
        ),
        ("microsoft", rb"<html[^>]{0,500}\s_msttexthash|<font[^>]{0,100}\s_mst(?:text)?hash", (b"_mst",)),
        ("yandex", rb"<html[^>]{0,500}\bclass=[\"'][^\"'>]{0,300}\byandex-translate", (b"yandex-translate",)),
        (
            "gtranslate",
            rb"<meta[^>]{0,100}generator[^>]{0,100}gtranslate|x-gtranslate|tdn\.gtranslate",
            (b"gtranslate",),
        ),
        (
            "transposh",
            rb"<span[^>]{0,200}class=[\"'](?:tr_|transposh)[^>]{0,200}data-source=[\"'](?:1|2|3)",
            (b"data-source=",),
        ),
        (
            "weglot",
            rb"<html[^>]{0,500}\bdata-wg-translated|<meta[^>]{0,100}weglot:translated",
            (b"data-wg-translated", b"weglot:translated"),
        ),
        (
            "generator",
            rb"<meta[^>]{0,60}name=[\"']?(?:generator|translator|translation-?(?:engine|method|type))[\"'\s]"
            rb"[^>]{0,100}(?:machine.translat|google.translat|deepl|bing.translat|microsoft.translator|transposh)",
            (b"translat", b"deepl", b"transposh"),
        ),
        (
            "notranslate source",
            rb"<meta[^>]{0,60}name=[\"']?(?:x-)?translated-by[\"'\s][^>]{0,100}(?:google|deepl|bing|yandex)",
            (b"translated-by",),
        ),
    )
)

_COMMON = b"translat"
_OTHER_MARKS = tuple(
    (name, pattern, rest)
    for name, pattern, words in _MARKS
    if (rest := tuple(w for w in words if b"translat" not in w))
)
"""What is to be looked for where the commonest word is missing."""


def machine_mark(html: str) -> str:
    """Name of the first mark on a page that a machine translated it, "" for none.

    >>> machine_mark('<html class="translated-ltr" lang="fr">'), machine_mark("<p>machine translation</p>")
    ('google', '')
    """
    markup = html.encode("utf-8", "replace").lower()
    marks = _MARKS if _COMMON in markup else _OTHER_MARKS
    found = [
        (match.start(), order)
        for order, (_name, pattern, words) in enumerate(marks)
        if any(word in markup for word in words) and (match := pattern.search(markup))
    ]
    return marks[min(found)[1]][0] if found else ""
