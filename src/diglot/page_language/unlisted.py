"""Languages unknown to the identifier: accepted where the site declares them and the text is in no known language."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

import pyarrow as pa

from diglot.documents.language import UNDETERMINED, identifiable, is_language, language_of
from diglot.page_language.own_text import weight
from diglot.scripts import own_script_share
from diglot.words import LETTER_RUNS

MAX_KNOWN_WORDS = 0.5
"""Share of a page's words that must not be found on the pages of a known language. Half of the words of an English page
stand on two or three further English pages, of a Scots page fewer, of a page in Kinyarwanda hardly any."""
MIN_OWN_SCRIPT = 0.5
"""Least share of a page's letters in the script that CLDR gives for the language."""
MIN_DECLARED_LETTERS = 20
"""Letters of own text from which a declaration can be checked."""


def unidentifiable(langs: Sequence[str]) -> list[str]:
    """The languages (BCP 47 tags) unknown to the identifier."""
    return [tag for tag in langs if language_of(tag) not in identifiable()]


def declared_unknown(texts: Sequence[str], tags: Sequence[str], claims: Sequence[tuple[str, ...]]) -> dict[int, str]:
    """Pages in languages unknown to the identifier: row -> primary subtag.

    ``texts``: own text of every page; ``tags``: identified language; ``claims``: languages named by the page's marks.
    No mark names the identified language, the text is in the script of the declared language, and fewer than half of
    the words stand on pages of any known language of the site.
    """
    named = {
        page: lang
        for page, langs in enumerate(claims)
        if (lang := next((lang for lang in langs if is_language(lang) and lang not in identifiable()), ""))
        and language_of(tags[page]) not in langs
        and weight(texts[page]) >= MIN_DECLARED_LETTERS
        and own_script_share(pa.array([texts[page]]), lang)[0] >= MIN_OWN_SCRIPT
    }
    if not named:
        return {}
    known: defaultdict[str, set[str]] = defaultdict(set)
    for page, tag in enumerate(tags):
        if page not in named and tag != UNDETERMINED:
            known[tag] |= _words(texts[page])
    return {page: lang for page, lang in named.items() if _most_known(_words(texts[page]), known) < MAX_KNOWN_WORDS}


def _most_known(words: Set[str], known: dict[str, set[str]]) -> float:
    """Largest share of the words found in a single language of the site, in [0, 1]."""
    return max((len(words & theirs) / max(len(words), 1) for theirs in known.values()), default=0.0)


def _words(text: str) -> set[str]:
    return set(LETTER_RUNS.findall(text.casefold()))
