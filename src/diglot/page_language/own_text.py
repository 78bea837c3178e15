"""A page's own text: blocks found neither in menus nor on translations; and declared languages checked on this text."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence, Set

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, distinct_counts
from diglot.documents.language import (
    UNDETERMINED,
    identifiable,
    identify,
    is_identifiable_text,
    sample_lengths,
    unidentifiable,
)
from diglot.documents.language_tags import are_of_one_macrolanguage, is_language, language_of
from diglot.language_names import lists_languages, names_language
from diglot.page_language.versions import MIN_PAGES, MIN_SHARE
from diglot.records import BlockKind
from diglot.scripts import own_script_share
from diglot.site import Site
from diglot.words import LETTER_RUNS

OWN_PAGES = (1, 2)
"""Largest number of pages with a page's own block: this page alone or, if such blocks have too little text, two.

The second page is a duplicate, or a translation with an untranslated block. Pages with the same blocks count as one. A
block on three pages is a menu, or a text repeated in every language version."""
ENOUGH_LETTERS = 60
"""Letters of own text enough to tell a language; ideographs, kana and syllables count :data:`LETTERS_PER_IDEOGRAPH`."""
LETTERS_PER_IDEOGRAPH = 4
"""Chinese takes about a quarter of the characters of an alphabet for the same text."""
_IDEOGRAPH = "[\u1200-\u137f\u3040-\ud7a3]"
"""Syllables of Amharic and Tigrinya; kana, ideographs, syllables of Hangul."""
_IDEOGRAPHS = re.compile(f"{_IDEOGRAPH}+")
SAMPLE_BLOCKS = 400
"""Blocks sampled at most, of pages without prose: enough for any sample."""
MAX_KNOWN_WORDS = 0.5
"""Least share of a page's words on pages of a known language that proves the page to be in that language. Half of
the words of an English page stand on two or three further English pages, of a Scots page fewer, of a page in
Kinyarwanda hardly any."""
MIN_OWN_SCRIPT = 0.5
"""Least share of a page's letters in the language's script by CLDR."""
MIN_DECLARED_LETTERS = 20
"""Least letters of own text for a check of the declaration."""
PLACEHOLDER, PLACEHOLDER_LANG = r"(?i)\b(?:lorem|sit amet)\b", "la"
"""Words of the usual placeholder text alone, and the language that an identifier sees in it. A designer fills a page
with it, and it stays where nobody has written the text yet. Real Latin has no word *lorem*, and no *sit amet* without a
comma: Cicero wrote *dolorem ipsum* and *dolor sit, amet*."""


class OwnText:
    """The own text of every page of a site; see :data:`OWN_PAGES`.

    ``number``, ``page``: text and page of every block; ``offsets``: bounds of each page's blocks; ``dictionary``:
    texts; ``classes``: first equal page of every page.
    """

    def __init__(self, site: Site) -> None:
        blocks = site.numbered_blocks
        self.number, ends = blocks.indices.to_numpy(), site.ragged_column("block_ends")
        self.offsets, self.page = ends.offsets, ends.rows_of_values()
        self.dictionary: pa.StringArray = blocks.dictionary
        self.classes = classes = page_classes(self.number, self.offsets)
        self.alone: Mask = np.bincount(classes, minlength=len(site))[classes] == 1
        """Mask of pages without an equal page, shape (pages,)."""
        # Number of pages with the text of every block.
        self._pages_with = distinct_counts(self.number, classes[self.page])[self.number]
        kinds = site.ragged_column("block_kinds").values
        # The name of the site stands in every title, in whatever language: a title is no page's own text.
        self._placeholder = are_placeholders(self.dictionary, self.number, self.page)[self.number]
        self._pages_with[(kinds == BlockKind.TITLE) | self._placeholder] = np.iinfo(np.int64).max
        is_code = kinds == BlockKind.PREFORMATTED
        self._prose = site.ragged_column("block_main").values & ~is_code

    def samples(self) -> list[str]:
        """A sample of each page's own text, of prose where there is enough; "" for a page without own text."""
        # If all characters counted alike, the English titles of a Japanese bibliography would be the only prose: the
        # Japanese ones say as much in fewer characters.
        chars, sizes = pc.utf8_length(self.dictionary).to_numpy().astype(np.int64), weights(self.dictionary)
        texts = []
        for start, end in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True):
            here = slice(start, end)
            text = ""
            for most in OWN_PAGES:
                own = self._pages_with[here] <= most
                text = _sample(self.dictionary, self.number[here], chars, sizes, own, self._prose[here])
                if weight(text) >= ENOUGH_LETTERS:
                    break
            texts.append(text)
        return texts

    def all_but_placeholders(self, page: int) -> str | None:
        """All text of a page, menus too, without its placeholder text; None for a page that has none."""
        here = slice(self.offsets[page], self.offsets[page + 1])
        left = ~self._placeholder[here]
        if left.all():
            return None
        return " ".join(self.dictionary.take(pa.array(self.number[here][left])).to_pylist())

    def rarest(self, page: int, versions: int, most: int) -> str:
        """Text of a page without menus, up to ``most`` characters, the blocks on the fewest pages first.

        A line of a course stands in all language versions, its explanation only in those where it was left
        untranslated. A menu of languages is left out, since it is in no language. ``versions``: see :meth:`shares`.
        """
        here = slice(self.offsets[page], self.offsets[page + 1])
        pages_with = self._pages_with[here]
        order = np.argsort(pages_with, kind="stable")
        rare = order[pages_with[order] <= max(OWN_PAGES[-1], 2 * versions)]
        once = list(dict.fromkeys(self.number[here][rare].tolist()))[:SAMPLE_BLOCKS]
        texts = self.dictionary.take(pa.array(once, pa.int64())).to_pylist()
        return " ".join(text for text in texts if not lists_languages(text))[:most]

    def has_unshared(self) -> Mask:
        """Mask of pages with :data:`ENOUGH_LETTERS` of text that no other page has, shape (pages,).

        A page left untranslated has its text from another page.
        """
        size = np.where(self._pages_with <= OWN_PAGES[0], weights(self.dictionary)[self.number], 0)
        return np.asarray(np.bincount(self.page, weights=size, minlength=len(self.alone)) >= ENOUGH_LETTERS, bool)

    def shares(self, versions: int) -> Floats:
        """Share of own text in each page's prose, in [0, 1], shape (pages,).

        Menus do not count: blocks on more than twice as many pages as the site has language versions.
        """
        size = np.where(self._prose, weights(self.dictionary)[self.number], 0)
        own, prose = (
            np.bincount(self.page, weights=np.where(self._pages_with <= most, size, 0), minlength=len(self.alone))
            for most in (OWN_PAGES[-1], max(OWN_PAGES[-1], 2 * versions))
        )
        return np.asarray(own / np.maximum(prose, 1))


def weight(text: str) -> int:
    """Letters of a text; an ideograph, kana or syllable of Hangul or Ethiopic counts as four.

    >>> weight("Abc, 12"), weight("日本"), weight("ጸጕሪ")
    (3, 8, 12)
    """
    ideographs = sum(map(str.isalpha, "".join(_IDEOGRAPHS.findall(text))))
    return sum(map(str.isalpha, text)) + (LETTERS_PER_IDEOGRAPH - 1) * ideographs


def weights(texts: pa.StringArray) -> Ints:
    """Characters of every text; an ideograph, kana or syllable counts as four; shape (texts,)."""
    ideographs = pc.count_substring_regex(texts, _IDEOGRAPH).to_numpy()
    return np.asarray(pc.utf8_length(texts).to_numpy() + (LETTERS_PER_IDEOGRAPH - 1) * ideographs, np.int64)


def are_placeholders(dictionary: pa.StringArray, number: Ints, page: Ints) -> Mask:
    """Mask of texts that hold words of the usual placeholder text, or that are Latin and stand on a page with such a
    text; shape (texts,). ``number``, ``page``: text and page of every block."""
    found: Mask = pc.match_substring_regex(dictionary, PLACEHOLDER).to_numpy(zero_copy_only=False).copy()
    pages = distinct(page[found[number]])
    # Other paragraphs of placeholder text are Latin without these words.
    beside = distinct(number[np.isin(page, pages)])
    texts = dictionary.take(pa.array(beside)).to_pylist()
    found[beside] |= np.array([identify(text)[0] == PLACEHOLDER_LANG for text in texts], bool)
    return found


def page_classes(number: Ints, offsets: Ints) -> Ints:
    """First page with the same blocks in the same order, for every page; shape (pages,)."""
    first: dict[bytes, int] = {}
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    keys = (number[start:end].tobytes() for start, end in bounds)
    return np.array([first.setdefault(key, page) for page, key in enumerate(keys)], np.int64)


def _sample(dictionary: pa.StringArray, number: Ints, chars: Ints, sizes: Ints, own: Mask, prose: Mask) -> str:
    """Beginnings of a page's own blocks without repeats: of prose if there is enough, else of all blocks.

    ``number``: number of each block's text; ``chars``, ``sizes``: characters and :func:`weights` of the texts; ``own``,
    ``prose``: masks of blocks.
    """
    text = ""
    for kept in (own & prose, own):
        once = np.array(list(dict.fromkeys(number[kept].tolist())), np.int64)
        if not len(once):
            continue
        taken = sample_lengths(chars[once], sizes[once])
        used = np.flatnonzero(taken)[:SAMPLE_BLOCKS]
        texts = dictionary.take(pa.array(once[used])).to_pylist()
        text = " ".join(text[:most] for text, most in zip(texts, taken[used].tolist(), strict=True))
        if weight(text) >= ENOUGH_LETTERS:
            break
    return text


def possible_unknown(
    own: OwnText, tags: Sequence[str], langs: Sequence[str], odd: Iterable[int]
) -> list[tuple[str, ...]]:
    """Primary subtags of wanted languages, unknown to the identifier, that each page may be in without a mark.

    ``tags``: identified language of every page; ``langs``: wanted languages; ``odd``: pages whose text is likeliest in
    no language of the site, but not surely.

    If only one wanted language is unknown, ``odd`` pages may be in that language. A page may also be in an unknown
    language if it is identified as an unwanted language of the same macrolanguage, or if a block names the unknown
    language, as in catalogues (``Language: Tigrinya``). Such blocks stand on pages of one identified language, entries
    of a menu on all pages.
    """
    possible: list[tuple[str, ...]] = [()] * len(tags)
    wanted, shown = set(map(language_of, langs)), tuple(sorted(set(map(language_of, tags))))
    unknown = sorted(set(map(language_of, unidentifiable(langs))))
    texts = own.dictionary.to_pylist() if unknown else []
    unwanted = [(page, found) for page, found in enumerate(map(language_of, tags)) if found not in wanted]
    for lang in unknown:
        names = [n for n, text in enumerate(texts) if names_language(text, lang, shown)]
        pages = np.unique(own.page[np.isin(own.number, names)]).tolist()
        most = max(Counter(tags[page] for page in pages).values(), default=0)
        is_named = most >= max(MIN_PAGES, MIN_SHARE * len(pages))
        near = [page for page, found in unwanted if are_of_one_macrolanguage(found, lang)]
        for page in {*near, *(pages if is_named else ()), *(odd if len(unknown) == 1 else ())}:
            possible[page] += (lang,)
    return possible


def declared_unknown(texts: Sequence[str], tags: Sequence[str], claims: Sequence[tuple[str, ...]]) -> dict[int, str]:
    """Pages in languages unknown to the identifier, or unknown to it in the script of the page: row -> primary subtag.

    ``texts``: own text of every page; ``tags``: identified language; ``claims``: languages named by the page's marks.
    No mark names the identified language, the text is in the script of the declared language, and fewer than half of
    the words stand on pages of any known language of the site. Where pages are identified as the declared language, in
    the script that the identifier knows, a page in another script has the declaration of the template, unless it is
    identified as another language of the same macrolanguage: Central Kurdish beside Kurmanji.
    """
    of_site = identifiable() & {*map(language_of, tags)}
    named = {
        page: lang
        for page, langs in enumerate(claims)
        if (lang := _unknown_language(_without_template(langs, of_site, language_of(tags[page])), texts[page]))
        and language_of(tags[page]) not in langs
        and weight(texts[page]) >= MIN_DECLARED_LETTERS
        and is_in_script_of(lang, texts[page])
    }
    if not named:
        return {}
    known: defaultdict[str, set[str]] = defaultdict(set)
    for page, tag in enumerate(tags):
        if page not in named and tag != UNDETERMINED:
            known[tag] |= _words(texts[page])
    words = {page: _words(texts[page]) for page in named}
    most = {page: max((len(mine & theirs) for theirs in known.values()), default=0) for page, mine in words.items()}
    return {page: lang for page, lang in named.items() if most[page] < MAX_KNOWN_WORDS * len(words[page])}


def is_in_script_of(lang: str, text: str) -> bool:
    """Whether :data:`MIN_OWN_SCRIPT` of the letters of a text are in a script of a language, by CLDR."""
    return bool(own_script_share(pa.array([text]), lang)[0] >= MIN_OWN_SCRIPT)


def _without_template(langs: Iterable[str], of_site: Set[str], found: str) -> list[str]:
    """The declared languages but those of other pages; relatives of ``found``, the language of this page, stay."""
    return [lang for lang in langs if lang not in of_site or are_of_one_macrolanguage(lang, found)]


def _unknown_language(langs: Iterable[str], text: str) -> str:
    """The first language that the identifier does not know in the script of a text; "" for none.

    A macrolanguage that it knows in another script stands for one of its languages that is named as well: pages in
    Central Kurdish declare Kurdish.
    """
    unknown = [lang for lang in langs if is_language(lang) and not is_identifiable_text(text, lang)]
    never = (lang for lang in unknown if lang not in identifiable() and are_of_one_macrolanguage(lang, unknown[0]))
    return next(never, unknown[0]) if unknown else ""


def _words(text: str) -> set[str]:
    return set(LETTER_RUNS.findall(text.casefold()))
