"""Language codes in addresses: the parts of an address where sites write the code of a language version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from diglot.documents.language import identifiable, is_language, language_of

MAX_FOLDERS = 6
"""Folders of an address that are read, from the host on."""
_SUBTAG_END = re.compile(r"[-_.]")
_CODE = re.compile(r"[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,2}(?:\.[a-z0-9-]+)?", re.IGNORECASE)
"""A language as sites write it: ``fr``, ``pt-br``, ``zh_Hant_TW``, ``es_ES.UTF-8``."""
_SUFFIX = re.compile(r"(?<=[._-])([a-z]{2,3}(?:[-_][a-z]{2,4})?)(?=(?:\.[a-z0-9]{1,5}){0,2}$)", re.IGNORECASE)


class Part(NamedTuple):
    """A part of an address and its place, by which pages of the site may differ: ``("folder 1", "fr")``."""

    place: str
    """``host`` (its first label), ``folder N`` from the host on, ``suffix`` of the last folder, or ``?key``."""
    value: str


@lru_cache(maxsize=100_000)
def address_parts(url: str) -> tuple[Part, ...]:
    """Parts of an address that may tell language versions apart, in lower case.

    >>> [tuple(part) for part in address_parts("https://de.example.org/shop/a.fr.html?lang=it")]
    [('host', 'de'), ('folder 1', 'shop'), ('suffix', 'fr'), ('?lang', 'it')]
    """
    return tuple(_parts(url))


def _parts(url: str) -> Iterator[Part]:
    try:
        address = urlsplit(url)
        host = address.hostname or ""
    except ValueError:  # a host no address may have
        return
    if host.count(".") >= 2 and not host.replace(".", "").isdigit():
        yield Part("host", host.split(".")[0])
    *folders, last = unquote(address.path).lower().strip("/").split("/")
    if address.path.endswith("/") or not any(sign in last for sign in "._-"):
        folders.append(last)
    for number, folder in enumerate(folders[:MAX_FOLDERS], 1):
        if folder:
            yield Part(f"folder {number}", folder)
    if suffix := _SUFFIX.search(last):
        yield Part("suffix", suffix[1])
    for pair in address.query.lower().split("&"):
        key, sign, value = pair.partition("=")
        if sign and value:
            yield Part(f"?{key}", unquote(value))


def code_language(value: str, expected: frozenset[str] = frozenset()) -> str:
    """Primary subtag of the language with this code, "" for no code.

    ``expected``: primary subtags accepted in any case. Further codes of three letters count only for languages known to
    the identifier: the registry has 8,000, ``doc`` and ``bin`` among them.

    >>> [code_language(value) for value in ("es_es.utf-8", "pt-br", "shop", "doc", "xx")]
    ['es', 'pt', '', '', '']
    """
    if not _CODE.fullmatch(value):
        return ""
    code = _SUBTAG_END.split(value)[0]
    lang = language_of(code)
    return lang if lang in expected or (is_language(lang) and (len(code) == 2 or lang in identifiable())) else ""
