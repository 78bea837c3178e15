"""Possible languages of a site's pages, found without resolving each page: a site of one language has no pairs."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, are_close, is_language, language_of, unidentifiable
from diglot.languages import WEIGHED
from diglot.page_language.versions import address_parts, code_language


class Wanted(Protocol):
    """The options of a run about languages."""

    @property
    def langs(self) -> tuple[str, ...]:
        """Wanted languages, BCP 47 tags."""

    @property
    def lang_from(self) -> str:
        """One of :data:`diglot.languages.LANG_FROM`."""

    @property
    def lang_rules(self) -> tuple[str, ...]:
        """``TEXT=TAG``."""


def languages_shown(documents: pa.Table) -> set[str]:
    """Primary subtags of the languages shown by readable pages: their text, declarations, hreflang, addresses.

    The languages of a site are the union over its domains.

    >>> from diglot.records import DOCUMENT_SCHEMA
    >>> languages_shown(DOCUMENT_SCHEMA.empty_table())
    set()
    """
    hreflangs = pc.list_flatten(documents["link_hreflangs"])
    tags = {tag for column in (documents["lang"], documents["declared_lang"], hreflangs) for tag in _distinct(column)}
    parts = {part.value for url in _distinct(documents["url"]) for part in address_parts(url)}
    named = {*map(language_of, tags), *map(code_language, parts)} - {UNDETERMINED}
    return {lang for lang in named if is_language(lang) and not lang.startswith("x-")}


def may_have_pairs(shown: Set[str], wanted: Wanted) -> bool:
    """Whether a site with these languages may have pages in two wanted languages.

    Always true if the user says how to find a page's language, and for languages unknown to the identifier.
    """
    # Rules, declarations and unknown languages give a site languages not shown by its pages.
    if wanted.lang_rules or wanted.lang_from != WEIGHED or unidentifiable(wanted.langs):
        return True
    return sum(any(are_close(language_of(tag), lang) for lang in shown) for tag in wanted.langs) > 1


def _distinct(column: pa.ChunkedArray) -> Iterable[str]:
    values: list[str] = pc.unique(column).to_pylist()
    return values
