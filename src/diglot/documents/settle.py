"""Languages of pages too short to tell, settled by the languages of their site and of the run."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, identify_among, language_of

SURE = 0.99
"""Confidence from which an identified language counts as the site's and is left alone when it is common."""
COMMON_PAGES = 3
LITTLE_TEXT_CHARS = 2_000
"""Length of all text of a page, menus included, up to which an unlikely language is doubted."""


def settle_languages(documents: pa.Table, langs: tuple[str, ...]) -> list[str]:
    """Language of every readable document, doubtful ones asked again among the likely languages only.

    Likely are the wanted languages ``langs``, those of at least three pages that are long or sure, and
    what the page itself declares. A page is doubtful when its language is not sure, or when it has little
    text and its language is none of these: on few words the identifier is sure of the oddest tongues.
    A page whose language stays unknown takes the one it declares, if that is wanted.
    """
    found = documents["lang"].to_pylist()
    confidence = documents["lang_confidence"].to_pylist()
    length = documents["text_length_chars"].to_pylist()
    declared = [language_of(tag) for tag in documents["declared_lang"].to_pylist()]
    solid = Counter(
        language_of(lang)
        for lang, sureness, chars in zip(found, confidence, length, strict=True)
        if sureness >= SURE or chars >= LITTLE_TEXT_CHARS
    )
    likely = {lang for lang, pages in solid.items() if pages >= COMMON_PAGES} | {language_of(tag) for tag in langs}
    settled = list(found)
    for row, lang in enumerate(found):
        if lang == UNDETERMINED:
            settled[row] = declared[row] or lang
        elif confidence[row] < SURE or (length[row] < LITTLE_TEXT_CHARS and language_of(lang) not in likely):
            text = " ".join(documents["chunks"][row].as_py())
            settled[row] = identify_among(text, likely | {declared[row]}, declared[row]) or lang
    return settled


def readable(documents: pa.Table) -> pa.Table:
    """The rows without a reason to be dropped."""
    return documents.filter(pc.equal(documents["reason"], ""))
