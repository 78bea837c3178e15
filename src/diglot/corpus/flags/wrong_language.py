"""The flag ``wrong_language``: segments with a side in a language other than its own."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from rapidfuzz.distance import Postfix, Prefix

from diglot.arrays import Ints, Mask, distinct, distinct_counts
from diglot.corpus.flags.codes import SegmentSites, codes_of, combine, encode_sorted, rows_by_code, stack
from diglot.corpus.flags.foreign import Verdicts, foreign_texts
from diglot.corpus.flags.foreign_by_identifier import is_in_a_third
from diglot.corpus.flags.kept_names import translates_around_names
from diglot.corpus.flags.names import are_names, is_name, shares_a_name
from diglot.corpus.flags.site_texts import Texts
from diglot.documents.language import probabilities
from diglot.documents.language_tags import are_close, language_of
from diglot.scripts import borrows_most_letters, own_script_share, scripts_of
from diglot.words import LETTER_RUNS, has_no_case

PAGE_TEXTS = pa.schema([("url", pa.string()), ("lang", pa.string()), ("text", pa.string())])
"""Columns: address of a page, language of a text on it (BCP 47), and the text."""
_COLUMNS = ["src_lang", "tgt_lang", "src_url", "tgt_url"]
"""Columns of segments that are read here, beside the texts."""
LEAST_ABROAD = 10
"""Least number of pages in another language with a text, and their least multiple of the pages in its own language, for
a text left untranslated: a menu, the labels of a form."""

LEFT_TIMES = 50
"""Least ratio of the probability of another language, in whose version a text stands, too, to that of its own language,
for a label left untranslated; each further version with the text counts as much again. Two words give the identifier
little to go by, and languages have loan words (*force majeure*)."""
LEAST_SHARED = 3
"""Least words of a third language on both sides: two are a dish, a brand or a loan word (*croque-monsieur*)."""
_CODE = re.compile(r"[/_=@\\{}<>#$%~^+*0-9]|\w[.;(]+\w")
"""Signs of code within a run between blanks: an address, a path, a variable."""
_NO_TITLE = re.compile(r"[\d\"“”„«»‹›「」『』]")
"""A number, as in an address, or a quotation mark: a quotation stays in its language."""


class SideTexts(NamedTuple):
    """Texts by number: distinct values in ascending order, and the places of the texts of segments among them."""

    values: pa.Array
    sides: Ints
    """Places of both sides, shape (2, segments)."""
    others: Ints
    """Places of the texts of other pages."""


def is_wrong_language(
    segments: pa.Table, texts: SideTexts, sites: SegmentSites, usable: Mask, others: pa.Table
) -> Mask:
    """Mask of rows with a side in a foreign language, shape (rows,).

    ``others``: texts of pages in languages outside the run (:data:`PAGE_TEXTS`). Each site is learnt from and judged by
    itself.
    """
    flagged = np.zeros(segments.num_rows, bool)
    other_sites = sites.of_urls(others["url"]) if others.num_rows else np.zeros(0, np.int64)
    for rows in rows_by_code(sites.of_row):
        judged = rows[usable[rows]]
        if len(judged):
            taught = np.flatnonzero(other_sites == sites.of_row[rows[0]])
            of_site = texts._replace(sides=texts.sides[:, judged], others=texts.others[taught])
            flagged[judged] = _is_wrong_in_site(
                of_site, segments.select(_COLUMNS).take(pa.array(judged)), others.take(pa.array(taught))
            )
    return flagged


def _is_wrong_in_site(of_site: SideTexts, segments: pa.Table, others: pa.Table) -> Mask:
    """Mask of rows of one site with a side in a foreign language; the sure signs are looked for first."""
    texts, abroad, number, rows = _distinct_texts(of_site, segments, others)
    verdicts = foreign_texts(texts)
    src, tgt = rows
    # Untranslated on both sides, a text may as well be a name.
    translated = np.isin(np.arange(len(number)), rows[:, number[src] != number[tgt]])
    foreign = verdicts.foreign | _are_left(texts, number, translated)
    flagged = foreign[src] | foreign[tgt]
    borrowing = _borrowing_texts(texts)
    for side, other in ((src, tgt), (tgt, src)):
        doubted = np.flatnonzero(verdicts.latin[side] & ~flagged)
        both = (texts.text.take(pa.array(each[doubted])).to_pylist() for each in (side, other))
        flagged[doubted] = [not shares_a_name(*pair) for pair in zip(*both, strict=True)]
        doubted = np.flatnonzero(verdicts.by_words[side] & ~flagged)
        flagged[doubted] = verdicts.stays(side[doubted], other[doubted])
        doubted = np.flatnonzero(borrowing[side] & ~flagged)
        flagged[doubted] = _are_in_third_script(texts, side[doubted], other[doubted])
    doubted = np.flatnonzero((abroad[src] | abroad[tgt]) & ~flagged)
    flagged[doubted] = [_share_no_word(texts, *pair) for pair in rows[:, doubted].T.tolist()]
    left = np.flatnonzero(~flagged)
    pairs, pair_of = np.unique(rows[:, left], axis=1, return_inverse=True)
    flagged[left] = _shares_a_third(texts, verdicts, *pairs)[pair_of.ravel()]
    doubted = np.flatnonzero(flagged & ~verdicts.lacking[src] & ~verdicts.lacking[tgt])
    flagged[doubted] = ~_translate_around_names(texts, *rows[:, doubted])
    return np.asarray(flagged, bool)


def _translate_around_names(texts: Texts, src: Ints, tgt: Ints) -> Mask:
    """Mask of pairs of texts in their own languages but for the names that both have; shape of ``src``."""
    pairs, pair_of = np.unique(np.stack([src, tgt]), axis=1, return_inverse=True)
    src_texts, tgt_texts = (texts.text.take(pa.array(side)).to_pylist() for side in pairs)
    langs = zip(*([texts.tags[number] for number in texts.lang[side].tolist()] for side in pairs), strict=True)
    found = list(map(translates_around_names, src_texts, tgt_texts, langs))
    return np.array(found, bool)[pair_of.ravel()]


def _stand_abroad(texts: Texts, text: Ints, pages: Ints) -> Mask:
    """Mask of texts that stand on many more pages of another language than of their own; shape (texts,).

    ``text``: a number for each text, the same in all languages; ``pages``: number of pages with it in its language.
    """
    found = np.zeros(len(pages), bool)
    many = np.flatnonzero(pages >= LEAST_ABROAD)
    several = np.flatnonzero(texts.judged & np.isin(text, text[many]) & (np.bincount(text)[text] > 1))
    elsewhere: dict[int, list[int]] = {}
    for number in many.tolist():
        elsewhere.setdefault(int(text[number]), []).append(number)
    for number in several.tolist():
        lang = language_of(texts.tags[texts.lang[number]])
        found[number] = any(
            pages[other] >= LEAST_ABROAD * pages[number]
            and not are_close(lang, language_of(texts.tags[texts.lang[other]]))
            for other in elsewhere[int(text[number])]
        )
    return found


def _are_left(texts: Texts, number: Ints, asked: Mask) -> Mask:
    """Mask of the texts ``asked`` that stand in another language version, too, and are surely in its language: labels
    of the original that nobody translated; shape (texts,).

    ``number``: a number for each text, the same in all languages.
    """
    found = np.zeros(len(number), bool)
    asked = asked & texts.judged & (np.bincount(number)[number] > 1)
    versions: dict[int, set[str]] = {}
    for text in np.flatnonzero(np.isin(number, number[asked])).tolist():
        versions.setdefault(int(number[text]), set()).add(language_of(texts.tags[texts.lang[text]]))
    for text in np.flatnonzero(asked).tolist():
        own = language_of(texts.tags[texts.lang[text]])
        others = {lang for lang in versions[int(number[text])] if not are_close(own, lang)}
        found[text] = bool(others) and is_left(texts.text[text].as_py(), own, others)
    return found


def is_left(text: str, own: str, others: Set[str]) -> bool:
    """Whether a text is surely in one of the languages ``others`` in whose versions it stands, and not in its own.

    Names and single words stand in any language, so a text has two words or more, some in small letters.

    >>> is_left("Vai alla lista completa", "en", {"it"}), is_left("Vai alla lista completa", "it", {"en"})
    (True, False)
    >>> is_left("Armed Forces of Ukraine", "pl", {"en"}), is_left("Force majeure", "en", {"fr"})
    (False, False)
    """
    prose = " ".join(run for run in text.split() if not _CODE.search(run))
    words = [word for word in LETTER_RUNS.findall(prose) if len(word) > 1]
    if len(words) < 2 or is_name(words) or not any(word.islower() for word in words):
        return False
    chances = probabilities(" ".join(words))
    chances["nb"] = chances["no"]  # the identifier's Norwegian is Bokmål
    best = max(chances, key=lambda lang: (chances[lang], lang in others, lang))
    # A language unknown to the identifier is never ruled out.
    return best in others and len(others) * chances[best] > LEFT_TIMES * chances.get(own, len(others))


def _share_no_word(texts: Texts, src: int, tgt: int) -> bool:
    """Whether two texts have no word in common: a name that stands all over the site is in no language."""
    words, others = (set(LETTER_RUNS.findall(texts.text[place].as_py().casefold())) for place in (src, tgt))
    return words.isdisjoint(others)


def _borrowing_texts(texts: Texts) -> Mask:
    """Mask of texts with most letters in other scripts than Latin, the script of their language; shape (texts,)."""
    found = np.zeros(len(texts.text), bool)
    for number, tag in enumerate(texts.tags):
        rows = np.flatnonzero(texts.judged & (texts.lang == number))
        found[rows] = borrows_most_letters(texts.text.take(pa.array(rows)), tag)
    return found


def _are_in_third_script(texts: Texts, borrowing: Ints, other: Ints) -> Mask:
    """Pairs in which one text borrows letters foreign to both languages, and the other text borrows none.

    A mask of the shape of ``borrowing``.

    The titles of a French page are in Arabic, those of the English page are not. A course of Russian has its words on
    both sides.
    """
    found = np.zeros(len(borrowing), bool)
    langs = texts.lang[np.stack([borrowing, other])]
    for numbers in np.unique(langs, axis=1).T:
        rows = np.flatnonzero((numbers == langs.T).all(axis=1))
        tag, other_tag = (texts.tags[number] for number in numbers)
        borrowing_texts, other_texts = (texts.text.take(pa.array(side[rows])) for side in (borrowing, other))
        latin = own_script_share(borrowing_texts, tag) if "Latn" in scripts_of(other_tag) else 0
        is_foreign = own_script_share(borrowing_texts, other_tag) == latin
        found[rows] = is_foreign & (own_script_share(other_texts, other_tag) == 1)
    return found


def _shares_a_third(texts: Texts, verdicts: Verdicts, src: Ints, tgt: Ints) -> Mask:
    """Mask of pairs of texts with mostly the same words, at one end and of a third language; shape of ``src``."""
    copied = verdicts.shared_words(src, tgt)
    third = verdicts.are_third(copied, src, tgt)
    pairs = distinct(copied.text)
    bounds = np.searchsorted(copied.text, [pairs, pairs + 1]).tolist()
    for place, start, end in zip(pairs.tolist(), *bounds, strict=True):
        text, other = (texts.text[side[place]].as_py() for side in (src, tgt))
        words = frozenset(copied.known.take(pa.array(copied.word[start:end])).to_pylist())
        if not share_an_end(text, other, words):
            third[place] = False
        elif third[place]:
            third[place] = not are_names(text, words)
        else:
            # The identifier is slow, so it reads only the pairs that their words do not decide.
            langs = texts.tags[texts.lang[src[place]]], texts.tags[texts.lang[tgt[place]]]
            third[place] = is_in_a_third(text, words, langs)
    return third


def share_an_end(src: str, tgt: str, copied: Set[str]) -> bool:
    """Whether the words that two texts share stand together at one end of both, as a title in a third language beside
    its translations, or are both texts. Elsewhere they are loan words and names, which a translation keeps.

    ``copied``: the shared words, in lower case, each letter of a script without blanks as one.

    >>> share_an_end("Fire: det store bålet", "Ogień: det store bålet", {"det", "store", "bålet"})
    True
    >>> share_an_end("Direct op je tablet", "Direkt op jo tablet", {"op", "tablet"})
    False
    """
    sides = src_folded, tgt_folded = src.casefold(), tgt.casefold()
    if src_folded == tgt_folded:
        return True
    # Codes of languages have two letters.
    if len(copied) < LEAST_SHARED or all(word.isascii() and len(word) < 3 for word in copied):
        return False
    begin, end = Prefix.similarity(*sides), len(src_folded) - Postfix.similarity(*sides)
    parts = (src_folded[:begin], src_folded[begin:]), (src_folded[end:], src_folded[:end])
    return any(not _NO_TITLE.search(shared) and not _holds_any(rest, copied) for shared, rest in parts)


def _holds_any(text: str, words: Set[str]) -> bool:
    """Whether a text has one of the words."""
    known = {*LETTER_RUNS.findall(text), *filter(has_no_case, text)}
    return not known.isdisjoint(words)


def _distinct_texts(of_site: SideTexts, segments: pa.Table, others: pa.Table) -> tuple[Texts, Mask, Ints, Ints]:
    """Distinct texts of each language, by language and text; mask of the texts that stand abroad; a number for each
    text, the same in all languages; places of both sides in the texts, (2, segments)."""
    tags, lang = encode_sorted(stack(segments["src_lang"], segments["tgt_lang"], others["lang"]))
    text = np.concatenate([of_site.sides.ravel(), of_site.others])
    numbers = combine(lang, text)
    first = np.unique(numbers, return_index=True)[1]
    pages = distinct_counts(numbers, codes_of(stack(segments["src_url"], segments["tgt_url"], others["url"])))
    sides = numbers[: of_site.sides.size].reshape(2, -1)
    judged = np.zeros(len(first), bool)
    judged[sides] = True
    texts = Texts(of_site.values.take(pa.array(text[first])), lang[first], tuple(tags.to_pylist()), judged)
    return texts, _stand_abroad(texts, text[first], pages), text[first], sides
