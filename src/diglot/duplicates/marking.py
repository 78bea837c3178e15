"""Duplicate pages of a site -> their reason and detail: the representative, and the difference between both pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import readable
from diglot.duplicates.equal import Versions, exact_classes, representatives
from diglot.duplicates.reprints import find_reprints, near_duplicates
from diglot.duplicates.untranslated import (
    near_duplicates_abroad,
    near_duplicates_in_foreign_frames,
    pages_in_foreign_frames,
    pages_left_untranslated,
)
from diglot.records import Reason, with_columns
from diglot.site import Site, join_strings, registered_domain


class DuplicateKind(StrEnum):
    """Relation to the representative: the words before the address in ``pages.tsv`` and ``diglot why``."""

    EQUAL = "equal to"
    NEAR = "left untranslated, nearly equal to"
    UNTRANSLATED = "left untranslated in another language version, original at"
    REPRINT = "reprint of"


class Representative(NamedTuple):
    """Address of a duplicate's representative, and the duplicate's relation to this page."""

    url: str
    kind: DuplicateKind


def mark_duplicates(site: Site) -> pa.Table:
    """The documents of a site with reason and detail set for every page but one of the same text.

    Duplicates are the same for all recipes. First come pages of a registered domain with the same text
    (:mod:`diglot.duplicates.equal`); then pages left untranslated in a foreign language version, with nearly the same
    text or much of it (:mod:`diglot.duplicates.untranslated`); last, near duplicates with fewer links
    (:mod:`diglot.duplicates.reprints`). Documents with a reason already, in none of the wanted languages, are never
    duplicates, but count as evidence of how the site is built.
    """
    documents = site.documents
    found: dict[str, Representative] = {}
    _add_duplicates(found, _equal_pages(readable(documents)))
    left = pc.invert(pc.is_in(documents["url"], value_set=pa.array(found, pa.string())))
    # Equal pages leave first: their blocks would look repeated, or like a frame, because of the copies alone.
    _add_duplicates(found, _repeated_pages(site.with_documents(documents.filter(left), left.to_numpy())))
    urls, reasons, details = (documents[name].to_pylist() for name in ("url", "reason", "detail"))
    for row, url in enumerate(urls):
        if url in found and not reasons[row]:
            page = _final_representative(found, found[url])
            reasons[row], details[row] = Reason.DUPLICATE.value, f"{page.kind} {page.url}"
    return with_columns(documents, reason=reasons, detail=details)


def _add_duplicates(found: dict[str, Representative], pairs: Iterable[tuple[str, Representative]]) -> None:
    """Add duplicates; a page is added once, and the last page of a cycle never."""
    for url, page in pairs:
        if url not in found and _final_representative(found, page).url != url:
            found[url] = page


def _final_representative(found: dict[str, Representative], page: Representative) -> Representative:
    """Follow duplicates of duplicates to their representative."""
    # Ends always: _add_duplicates lets no cycle in.
    while page.url in found:
        page = found[page.url]
    return page


def _equal_pages(documents: pa.Table) -> Iterator[tuple[str, Representative]]:
    """Duplicates by equal text."""
    pages = Versions(*(documents[name].to_pylist() for name in ("url", "lang", "edition")))
    keys = [f"{registered_domain(url)} {lang}" for url, lang in zip(pages.urls, pages.langs, strict=True)]
    classes = exact_classes(_whole_texts(documents), keys)
    chosen = representatives(pages, classes, documents["link_urls"].combine_chunks()).tolist()
    url_of_class = {
        leader: url for leader, url, is_kept in zip(classes.tolist(), pages.urls, chosen, strict=True) if is_kept
    }
    for url, leader, is_kept in zip(pages.urls, classes.tolist(), chosen, strict=True):
        if not is_kept:
            yield url, Representative(url_of_class[leader], DuplicateKind.EQUAL)


def _repeated_pages(site: Site) -> Iterator[tuple[str, Representative]]:
    """Duplicates with some text, or a language, different from their representative's."""
    wanted = np.flatnonzero(np.array(site.strings("reason"), dtype=object) == "").astype(np.int32)
    untranslated = pages_left_untranslated(site) | pages_in_foreign_frames(site, wanted)
    near = near_duplicates(site, wanted)
    found = (
        (near_duplicates_abroad(site, wanted), DuplicateKind.NEAR),
        (untranslated, DuplicateKind.UNTRANSLATED),
        (near_duplicates_in_foreign_frames(site, near), DuplicateKind.NEAR),
        (find_reprints(site, near), DuplicateKind.REPRINT),
    )
    for duplicates, kind in found:
        for copy, original in duplicates.items():
            yield site.urls[copy], Representative(site.urls[original], kind)


def page_texts(documents: pa.Table) -> list[str]:
    """Text of each document, white space folded."""
    return [" ".join(text.split()) for text in _whole_texts(documents)]


def _whole_texts(documents: pa.Table) -> Iterator[str]:
    chunks = documents["chunks"].combine_chunks()
    return join_strings(chunks.values, pairwise(chunks.offsets.to_pylist()))
