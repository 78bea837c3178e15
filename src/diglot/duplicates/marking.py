"""Duplicate pages of a site -> their reason and detail: the representative, and the difference between both pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language_tags import language_of
from diglot.duplicates.equal import equal_pages
from diglot.duplicates.reprints import MIN_SHARED, find_reprints
from diglot.duplicates.shared_text import MIN_CONTAINED, MIN_LIKE, shared_text
from diglot.duplicates.untranslated import (
    MIN_CONFIDENCE,
    BlockTexts,
    pages_abroad,
    pages_in_foreign_frames,
    pages_left_untranslated,
)
from diglot.reasons import Reason
from diglot.records import with_columns
from diglot.site import Site


class DuplicateKind(StrEnum):
    """Relation to the representative: the words before the address in ``pages.tsv`` and ``diglot why``."""

    EQUAL = "equal to"
    NEAR = "left untranslated, nearly equal to"
    UNTRANSLATED = "left untranslated in another language version, original at"
    REPRINT = "reprint of"


WHOLE_PAGES = frozenset({DuplicateKind.EQUAL, DuplicateKind.NEAR})
"""Kinds of duplicates with all text of their representative, or nearly all."""

SAME_PAGES = frozenset({DuplicateKind.EQUAL, DuplicateKind.REPRINT})
"""Kinds of duplicates in the language version of their representative: a link to one means the other."""


class Representative(NamedTuple):
    """Address of a duplicate's representative, and the duplicate's relation to this page."""

    url: str
    kind: DuplicateKind


def mark_duplicates(site: Site) -> pa.Table:
    """The documents of a site, with reason and detail for each duplicate.

    One page of a text stays, with the language versions that show it untranslated, and with the addresses of equal
    pages in its own version. Duplicates are the same for all recipes. First come pages of a registered domain with the
    same text (:mod:`diglot.duplicates.equal`); then pages left untranslated in a foreign language version, with nearly
    the same text or much of it (:mod:`diglot.duplicates.untranslated`); last, near duplicates with fewer links
    (:mod:`diglot.duplicates.reprints`). Documents with a reason already, in none of the wanted languages, are never
    duplicates, but count as evidence of how the site is built.
    """
    documents = site.documents
    found: dict[str, Representative] = {}
    _add_duplicates(found, site.urls, equal_pages(site), DuplicateKind.EQUAL)
    left = pc.invert(pc.is_in(documents["url"], value_set=pa.array(found, pa.string())))
    # Equal pages leave first: their blocks would look repeated, or like a frame, because of the copies alone.
    unequal = site.with_documents(documents.filter(left), left.to_numpy())
    shared = shared_text(unequal)
    texts = BlockTexts(unequal)
    contained = shared.others(shared.of_page >= MIN_CONTAINED)
    much, near = (shared.others(shared.of_longer >= share) for share in (MIN_LIKE, MIN_SHARED))
    for duplicates, kind in (
        (pages_abroad(texts, much), DuplicateKind.NEAR),
        (pages_left_untranslated(texts), DuplicateKind.UNTRANSLATED),
        (pages_in_foreign_frames(texts, contained, MIN_CONFIDENCE), DuplicateKind.UNTRANSLATED),
        (pages_in_foreign_frames(texts, near, 0.0), DuplicateKind.UNTRANSLATED),
        (find_reprints(unequal, near), DuplicateKind.REPRINT),
    ):
        _add_duplicates(found, unequal.urls, duplicates, kind)
    return _with_duplicates(site, found)


def _with_duplicates(site: Site, found: dict[str, Representative]) -> pa.Table:
    """The documents with reason and detail of the duplicates, and with the versions and equal addresses of their
    representatives."""
    documents = site.documents
    reasons, details = (documents[name].to_pylist() for name in ("reason", "detail"))
    tags = dict(zip(site.urls, site.strings("lang"), strict=True))
    versions: defaultdict[str, set[str]] = defaultdict(set)
    equal: defaultdict[str, list[str]] = defaultdict(list)
    for row, (url, version) in enumerate(zip(site.urls, site.strings("edition"), strict=True)):
        if url in found and not reasons[row]:
            page = _final_representative(found, found[url])
            reasons[row], details[row] = Reason.DUPLICATE.value, f"{page.kind} {page.url}"
            kinds, is_abroad = {found[url].kind, page.kind}, version not in ("", language_of(tags[page.url]))
            # A duplicate of another kind, such as a list, may show only a part of its representative.
            if is_abroad and kinds <= WHOLE_PAGES:
                versions[page.url].add(version)
            # A link to the German version leads to no page in English, though the English text is shown there.
            if not is_abroad and kinds <= SAME_PAGES:
                equal[page.url].append(url)
    untranslated = [" ".join(sorted(versions[url])) for url in site.urls]
    equal_urls = [equal[url] for url in site.urls]
    return with_columns(documents, reason=reasons, detail=details, untranslated_in=untranslated, equal_urls=equal_urls)


def _add_duplicates(
    found: dict[str, Representative], urls: Sequence[str], duplicates: Mapping[int, int], kind: DuplicateKind
) -> None:
    """Add duplicates, by row; a page is added once, and the last page of a cycle never."""
    for copy, original in duplicates.items():
        page = Representative(urls[original], kind)
        if urls[copy] not in found and _final_representative(found, page).url != urls[copy]:
            found[urls[copy]] = page


def _final_representative(found: dict[str, Representative], page: Representative) -> Representative:
    """Follow duplicates of duplicates to their representative."""
    # Ends always: _add_duplicates lets no cycle in.
    while page.url in found:
        page = found[page.url]
    return page
