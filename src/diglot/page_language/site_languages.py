"""Possible languages of a site's pages, found without resolving each page: a site of one language has no pairs."""

from __future__ import annotations

from collections.abc import Sequence, Set

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, unidentifiable
from diglot.documents.language_tags import are_close, is_language, language_of
from diglot.page_language.versions import address_parts, code_language


def languages_shown(documents: pa.Table) -> set[str]:
    """Primary subtags of the languages shown by readable pages: their text, declarations, hreflang, addresses.

    The languages of a site are the union over its domains.
    """
    hreflangs = pc.list_flatten(documents["link_hreflangs"])
    columns = documents["lang"], documents["declared_lang"], hreflangs
    tags = {tag for column in columns for tag in pc.unique(column).to_pylist()}
    parts = {part.value for url in documents["url"].to_pylist() for part in address_parts(url)}
    named = {*map(language_of, tags), *map(code_language, parts)} - {UNDETERMINED}
    return {lang for lang in named if is_language(lang) and not lang.startswith("x-")}


def may_have_pairs(shown: Set[str], langs: Sequence[str]) -> bool:
    """Whether a site with these languages may have pages in two of the wanted languages ``langs``.

    Always true for languages unknown to the identifier: no page shows them.
    """
    fitting = [tag for tag in langs if any(are_close(language_of(tag), lang) for lang in shown)]
    return len(fitting) > 1 or bool(unidentifiable(langs))
