"""Languages of pages too short to tell, settled by the languages of their site and of the run."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, identify_among, language_of

SURE = 0.99
"""Confidence from which an identified language counts as the site's and is left alone when it is common."""
COMMON_SHARE = 0.02
COMMON_MIN_PAGES = 3


def settle_languages(documents: pa.Table, langs: tuple[str, ...]) -> list[str]:
    """Language of every readable document, doubtful ones asked again among the likely languages only.

    Likely are the wanted languages ``langs``, those sure of on at least max(3, 2%) of the pages, and
    what the page itself declares. A page is doubtful when its language is none of these, or not sure.
    A page whose language stays unknown takes the one it declares, if that is wanted.
    """
    found = documents["lang"].to_pylist()
    confidence = documents["lang_confidence"].to_pylist()
    declared = [language_of(tag) for tag in documents["declared_lang"].to_pylist()]
    sure = Counter(language_of(lang) for lang, c in zip(found, confidence, strict=True) if c >= SURE)
    least = max(COMMON_MIN_PAGES, COMMON_SHARE * len(found))
    likely = {lang for lang, pages in sure.items() if pages >= least} | {language_of(tag) for tag in langs}
    settled = list(found)
    for row, lang in enumerate(found):
        if lang == UNDETERMINED:
            settled[row] = declared[row] or lang
        elif language_of(lang) not in likely or confidence[row] < SURE:
            text = " ".join(documents["chunks"][row].as_py())
            settled[row] = identify_among(text, likely | {declared[row]}, declared[row]) or lang
    return settled


def readable(documents: pa.Table) -> pa.Table:
    """The rows without a reason to be dropped."""
    return documents.filter(pc.equal(documents["reason"], ""))
