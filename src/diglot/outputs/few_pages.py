"""A note in the summary on languages with so few pages that what translates what cannot be learnt from them."""

from __future__ import annotations

from collections.abc import Mapping

from diglot.documents.language import language_of

FEW = 3
"""Most pages of each language. What tells a translation is learnt from all pages of a site: words, numbers, forms."""


def few_pages_notes(documents: Mapping[str, int], pairs: Mapping[str, int]) -> list[str]:
    """A note for the first language pair without page pairs and with few pages on both sides.

    ``documents``: number of pages by language; ``pairs``: number of page pairs by language pair, as in ``en-fr``.
    """
    pages: dict[str, int] = {}
    for lang, count in documents.items():
        pages[language_of(lang)] = pages.get(language_of(lang), 0) + count
    for pair, count in pairs.items():
        src, _, tgt = pair.partition("-")
        numbers = [pages.get(language_of(lang), 0) for lang in (src, tgt)]
        if not count and all(0 < number <= FEW for number in numbers):
            return [
                f"too few pages to learn which of them translate each other ({src} {numbers[0]}, {tgt} {numbers[1]}). "
                f"If you know two that do, save them as files: diglot align FILE FILE -l {src},{tgt} -o memory"
            ]
    return []
