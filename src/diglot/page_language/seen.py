"""Which languages any page of a site may be in, told without settling it: enough to know that nothing can be paired."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, are_close, is_language, language_of
from diglot.languages import WEIGHED
from diglot.page_language.addresses import address_parts, code_language
from diglot.page_language.unlisted import unidentifiable


class Wanted(Protocol):
    """What a run says of languages."""

    @property
    def langs(self) -> tuple[str, ...]:
        """The wanted ones, BCP 47 tags."""

    @property
    def lang_from(self) -> str:
        """One of :data:`diglot.languages.LANG_FROM`."""

    @property
    def lang_rules(self) -> tuple[str, ...]:
        """``TEXT=TAG``."""


def languages_seen(documents: pa.Table) -> set[str]:
    """Primary subtags of the languages that readable pages are in by all their text, declare, name in links to
    versions, or have in their addresses. Of pages taken together they are those of each.

    >>> from diglot.records import DOCUMENT_SCHEMA
    >>> languages_seen(DOCUMENT_SCHEMA.empty_table())
    set()
    """
    hreflangs = pc.list_flatten(documents["link_hreflangs"])
    tags = {tag for column in (documents["lang"], documents["declared_lang"], hreflangs) for tag in _distinct(column)}
    parts = {part.value for url in _distinct(documents["url"]) for part in address_parts(url)}
    named = {*map(language_of, tags), *map(code_language, parts)} - {UNDETERMINED}
    return {lang for lang in named if is_language(lang) and not lang.startswith("x-")}


def worth_settling(seen: Set[str], wanted: Wanted) -> bool:
    """Whether a site whose pages show these languages may have pages in two wanted ones.

    Always where a person says what tells the language of a page, and for languages that no text is identified as:
    then a site can have what it does not show.
    """
    if wanted.lang_rules or wanted.lang_from != WEIGHED or unidentifiable(wanted.langs):
        return True
    return sum(any(are_close(language_of(tag), lang) for lang in seen) for tag in wanted.langs) > 1


def _distinct(column: pa.ChunkedArray) -> Iterable[str]:
    values: list[str] = pc.unique(column).to_pylist()
    return values
