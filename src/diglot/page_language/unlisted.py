"""Languages that the identifier does not know: taken where the site declares them and the text is no other's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

import pyarrow as pa

from diglot.documents.language import UNDETERMINED, identifiable, is_language, language_of
from diglot.page_language.own_text import weight
from diglot.scripts import own_script_share
from diglot.words import LETTER_RUNS

MAX_KNOWN_WORDS = 0.5
"""Share of a page's words that may stand on pages in a language that the identifier knows: half of the words of a page
of English stand on two or three other pages of English, of a page of Scots on fewer, of one of Kinyarwanda on hardly
any."""
MIN_OWN_SCRIPT = 0.5
"""Share of its letters that must be of the script in which CLDR has the language written."""
MIN_DECLARED_LETTERS = 20
"""Letters of own text from which a declaration can be borne out."""


def unidentifiable(langs: Sequence[str]) -> list[str]:
    """Those of some languages (BCP 47 tags) that no text is identified as."""
    return [tag for tag in langs if language_of(tag) not in identifiable()]


def declared_unknown(texts: Sequence[str], tags: Sequence[str], claims: Sequence[tuple[str, ...]]) -> dict[int, str]:
    """Pages in languages that the identifier does not know: row -> primary subtag.

    ``texts``: own text of every page; ``tags``: what it was taken for; ``claims``: what its marks name. No
    mark names the language that the text was taken for, the text is in the script of the one that is named, and its
    words are those of no other language of the site.
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
    """The largest share of some words that one language of the site has, in [0, 1]."""
    return max((len(words & theirs) / max(len(words), 1) for theirs in known.values()), default=0.0)


def _words(text: str) -> set[str]:
    return set(LETTER_RUNS.findall(text.casefold()))
