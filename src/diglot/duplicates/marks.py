"""Documents of which another stands for the same text, marked with that page and with what they are to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import compress, pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import readable
from diglot.duplicates.editions import near_copies_in_foreign_frames, pages_in_foreign_frames, pages_left_untranslated
from diglot.duplicates.equal import (
    exact_classes,
    in_languages_of_untranslated,
    near_classes,
    representatives,
    untranslated_copies,
)
from diglot.duplicates.reprints import near_copies, shown_again
from diglot.records import Reason, with_columns
from diglot.site import Site, joined, registered_domain, rows_of_lists


class Kinship(StrEnum):
    """What a copy is to the page that stands for it, as ``pages.tsv`` and ``diglot why`` say it before the address."""

    EQUAL = "equal to"
    NEAR = "left untranslated, nearly equal to"
    EDITION = "left untranslated in another edition, original at"
    REPRINT = "reprint of"


_MAIN_TEXT = ("chunks", "block_ends", "block_main")
"""What the main text of a page is made of."""


class Original(NamedTuple):
    """The page that stands for a copy, and what the copy is to it."""

    url: str
    kinship: Kinship


def mark_copies(site: Site) -> pa.Table:
    """The documents of a site with all but one page of a text dropped, by whatever recipe they are paired.

    First pages with the same text, and those of nearly the same that stand in the edition of another language
    (:mod:`diglot.duplicates.equal`), in a registered domain; then originals shown in another edition
    (:mod:`diglot.duplicates.editions`); last near copies that are linked less (:mod:`diglot.duplicates.reprints`).
    Documents that have a reason already, being in none of the wanted languages, are no copies, but they show how the
    site is built.
    """
    documents = site.documents
    originals: dict[str, Original] = {}
    _add(originals, _equal(readable(documents)))
    left = pc.invert(pc.is_in(documents["url"], value_set=pa.array(originals, pa.string())))
    _add(originals, _by_site(site.with_documents(documents.filter(left), left.to_numpy())))
    urls, reasons, details = (documents[name].to_pylist() for name in ("url", "reason", "detail"))
    for row, url in enumerate(urls):
        if url in originals and not reasons[row]:
            original = _standing(originals, originals[url])
            reasons[row], details[row] = Reason.DUPLICATE.value, f"{original.kinship} {original.url}"
    return with_columns(documents, reason=reasons, detail=details)


def _add(originals: dict[str, Original], found: Iterable[tuple[str, Original]]) -> None:
    """Add copies, each once; one page of those that stand for each other in a circle is none."""
    for url, original in found:
        if url not in originals and _standing(originals, original).url != url:
            originals[url] = original


def _standing(originals: dict[str, Original], original: Original) -> Original:
    """The page that stands for a copy in the end, where that for which it is one is a copy itself."""
    while original.url in originals:
        original = originals[original.url]
    return original


def _equal(documents: pa.Table) -> Iterator[tuple[str, Original]]:
    """Copies by their whole text or, where they claim another language than that of their text, by nearly all of it."""
    urls, found, editions = (documents[name].to_pylist() for name in ("url", "lang", "edition"))
    langs = [f"{registered_domain(url)} {lang}" for url, lang in zip(urls, found, strict=True)]
    classes = exact_classes(_whole_texts(documents), langs)
    chosen = representatives(classes, urls, found, editions, documents["link_urls"].combine_chunks())
    stands_for = {leader: url for leader, url, stands in zip(classes.tolist(), urls, chosen, strict=True) if stands}
    for url, leader, stands in zip(urls, classes.tolist(), chosen.tolist(), strict=True):
        if not stands:
            yield url, Original(stands_for[leader], Kinship.EQUAL)
    asked = in_languages_of_untranslated(langs, found, editions)
    texts = main_texts(documents.select(_MAIN_TEXT).take(pa.array(asked, pa.int64())))
    near = near_classes(texts, [langs[row] for row in asked])
    told = ([column[row] for row in asked] for column in (urls, found, editions))
    for copy, copied in untranslated_copies(near, *told).items():
        yield urls[asked[copy]], Original(urls[asked[copied]], Kinship.NEAR)


def _by_site(site: Site) -> Iterator[tuple[str, Original]]:
    """Copies among the pages of a site that differ in text, or in language, from what stands for them."""
    wanted = np.flatnonzero(np.array(site.strings("reason"), dtype=object) == "").astype(np.int32)
    editions = pages_left_untranslated(site) | pages_in_foreign_frames(site, wanted)
    near = near_copies(site, wanted)
    few_words = near_copies_in_foreign_frames(site, near)
    kinds = ((editions, Kinship.EDITION), (few_words, Kinship.NEAR), (shown_again(site, near), Kinship.REPRINT))
    for copies, kinship in kinds:
        for copy, original in copies.items():
            yield site.urls[copy], Original(site.urls[original], kinship)


def page_texts(documents: pa.Table) -> list[str]:
    """Text of each document, white space folded."""
    return [" ".join(text.split()) for text in _whole_texts(documents)]


def _whole_texts(documents: pa.Table) -> Iterator[str]:
    chunks = documents["chunks"].combine_chunks()
    return joined(chunks.values, pairwise(chunks.offsets.to_pylist()))


def main_texts(documents: pa.Table) -> list[str]:
    """Main text of each document; menus change with the language of a site's frame, main text does not."""
    marks = rows_of_lists(documents["block_main"])
    chunks, ends = documents["chunks"].combine_chunks(), rows_of_lists(documents["block_ends"])
    texts = []
    for first, mine, is_main in zip(chunks.offsets.to_pylist(), ends, marks, strict=False):
        bounds = compress(pairwise([first, *(first + end for end in mine)]), is_main)
        texts.append(" ".join(" ".join(text.split()) for text in joined(chunks.values, bounds)))
    return texts
