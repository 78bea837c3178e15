"""Foreign texts, by their script, by an identifier of languages, and by their words.

Words are learnt from the texts of the site, which may themselves be mixed. Hence four steps:

1. A text without a letter in the scripts of its language is foreign, however short, and a text in another script than
   its tag names (``sr-Latn``, ``zh-TW``). A text in Latin letters is foreign where the site writes its language in
   another script, if it is likeliest in another language of the site.
2. The identifier reads a sample of the long texts of each language. Texts surely in another language teach the words of
   that language; the other texts teach the own words, common here and rarer in all other languages.
3. The identifier also reads all long texts with hardly an own word; those surely in another language are foreign.
4. Any text with words far commoner in another language of the site is foreign. Words are counted again without these
   texts, a few times.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Ints, Mask, distinct, run_places
from diglot.corpus.flags.variants import has_other_ideographs
from diglot.documents.language import (
    UNDETERMINED,
    are_close,
    identify,
    is_identifiable,
    language_of,
    probabilities,
)
from diglot.page_language.own_text import PLACEHOLDER
from diglot.scripts import is_in_other_script, lacks_own_script, lacks_usual_script
from diglot.words import LETTER_RUNS, UNSPACED_SCRIPTS

LEAST_LETTERS = 40
"""Least letters of a text for the identifier, which errs on shorter texts."""
LEAST_IDEOGRAPHS = 15
LEAST_CONFIDENCE = 0.95
SAMPLE = 500
"""Long texts of each language for the identifier: enough to see a language of one text in a hundred."""
COMMON_WORDS = 200
"""Number of common words of a language: most sentences have one. The identifier does not read a text with two."""
OWN_RATIO = 2.0
"""Least ratio of the rate of an own word to its rate in any other language of the site."""
LEAST_TEXTS = 3
"""Least texts identified as a language without segments, for its words to be counted."""
PRIOR_COUNT = 1.0
"""Shape of the gamma prior on the ratio of the rate of a word in one language to its rate in all (DuMouchel 1999): the
prior belief in equal rates is worth this many occurrences."""
LEAST_FOREIGN, MOST_FOREIGN = 0.005, 0.5
"""Bounds of the prior share of foreign texts: never 0, never a majority."""
SURENESS = 0.9
"""Least probability of a foreign text, by its words."""
ROUNDS = 3
"""Rounds of counting; after two, hardly any verdict changes."""
COPIED_ODDS = math.log(SURENESS / (1 - SURENESS))
"""Least log odds of a third language for shared words, if they are half of each side. The prior is even, because sides
with so much in common are hardly translations."""
LEAST_COPIED_CHARS, LEAST_COPIED_CHANCE, COPIED_TIMES = 12, 0.3, 30
"""Least characters of copied words for the identifier; least probability of a third language, low because close
languages share the probability; least ratio of it to the probability of either own language."""
PARTICLES = (
    "a al and ao au aux d da dal de degli dei del della delle den der des di do dos du e el en et i in l la las le les "
    "los na no of op ou sur te ten ter und v van vom von y z zu zum zur"
)
"""Small words in names of people, places and firms: *Concello de Noia*, *Les Gîtes du Siècle*, *Johann von der Aa*."""
TITLE_WORDS = "are be can do get how is it let me my there this we what when where who why you your"
"""Words of English titles, which have capitals, too, and of no name with small words: *All You Can Eat and Go*."""
SHORT_NAME_WORDS = 3
"""Most words, all with a capital, of a name that is as it is in Latin letters in any script: *New York Times*."""
LEAST_CHANCE = 0.1
"""Least probability of the likeliest language for a text in Latin letters. Labels have few letters, so that over a
hundred languages share it; names give any of them less: *Program: Microsoft Office*."""
_PLACEHOLDER = re.compile(PLACEHOLDER)
LATIN = "la"
"""Names of species, mottos and chants are in Latin in every language; placeholder text is in the same Latin."""
COPIED_WEIGHT = 1 / 3
"""Weight of a word on both sides: it may be a name or a title, or untranslated."""

_UNSPACED = f"[{UNSPACED_SCRIPTS}]"
_TEXTS_CUT = 1 << 14
"""Texts cut into words at a time; bounds memory."""
_CODE = r"\S*(?:[/_=@\\{}<>#$%~|^+*&0-9]|\pL[.:;(]+\pL)\S*|(?:^|\s)--?\pL\S*"
"""Runs of code between blanks: addresses, paths, variables, options, numbers with letters."""


class Texts(NamedTuple):
    """Distinct texts of one site, a row each."""

    text: pa.Array
    lang: Ints
    """Row of ``tags``, shape (texts,)."""
    tags: tuple[str, ...]
    """BCP 47."""
    judged: Mask
    """Sides of segments. The other texts are of pages in languages outside the run, and only teach."""


class Words(NamedTuple):
    """The words of texts, one after the other."""

    word: Ints
    """Row of ``known``, shape (words,)."""
    text: Ints
    """Row of the text, ascending, shape (words,)."""
    known: pa.Array
    texts: int

    def totals(self, of_word: Floats) -> Floats:
        """Sum over the words of each text; ``of_word`` is of shape (known,)."""
        return np.asarray(np.bincount(self.text, weights=of_word[self.word], minlength=self.texts), np.float64)

    def of(self, texts: Mask) -> Words:
        """The words of some texts."""
        taken = texts[self.text]
        return self._replace(word=self.word[taken], text=self.text[taken])

    def take(self, rows: Ints) -> Words:
        """The words of the texts ``rows``, numbered anew in this order; a text may occur more than once."""
        starts, ends = np.searchsorted(self.text, rows), np.searchsorted(self.text, rows, side="right")
        counts = ends - starts
        places = run_places(starts, counts)
        return Words(self.word[places], np.repeat(np.arange(len(rows)), counts), self.known, len(rows))

    def counts(self, member: Ints, classes: int) -> Floats:
        """Occurrences of each word in each class of texts, shape (classes, known); class -1 counts nowhere."""
        some = self.of(member >= 0)
        places = member[some.text] * len(self.known) + some.word
        return np.bincount(places, minlength=classes * len(self.known)).reshape(classes, -1).astype(np.float64)


class Evidence(NamedTuple):
    """Statistics of words in the languages of a site."""

    langs: tuple[str, ...]
    """Primary subtags: languages of the segments, then further languages found."""
    log_ratio: Floats
    """Log ratio of the rate of each word in a language to its rate in all, shape (languages, known words)."""
    threshold: Floats
    """Least log odds of a foreign text in each language, shape (languages,)."""

    def against(self, words: Words, lang: int, weight: Floats | None = None) -> Floats:
        """Log odds of the likeliest other language against ``lang``, for each text; shape (texts,).

        ``weight``: of each word, shape (words,).
        """
        others = [other for other in range(len(self.langs)) if not are_close(self.langs[lang], self.langs[other])]
        found = np.full(words.texts, -np.inf)
        for other in others:
            odds = (self.log_ratio[other] - self.log_ratio[lang])[words.word]
            odds = odds if weight is None else odds * weight
            found = np.maximum(found, np.bincount(words.text, weights=odds, minlength=words.texts))
        return found


class Verdicts(NamedTuple):
    """Verdicts on texts; masks of shape (texts,)."""

    foreign: Mask
    lacking: Mask
    """Foreign by script: the language of the text has other letters."""
    latin: Mask
    """Foreign in Latin letters where the site writes another script, but for names that stand on the other side, too
    (:func:`shares_a_name`)."""
    by_words: Mask
    """Foreign by words, to be weighed again beside the other side."""
    words: Words
    evidence: Evidence
    lang: Ints
    """Row of ``evidence.langs``, shape (texts,)."""

    def stays(self, text: Ints, other: Ints) -> Mask:
        """Mask of texts still foreign by words beside the text of their other side; shape of ``text``.

        Each distinct word counts once, a word of both sides for less.
        """
        known = len(self.words.known)
        sides = (self.words.take(rows) for rows in (text, other))
        keys, copied = (distinct(side.text * known + side.word) for side in sides)
        mine = Words(keys % known, keys // known, self.words.known, len(text))
        weight = np.where(are_among(keys, copied), COPIED_WEIGHT, 1.0)
        stays = np.zeros(len(text), bool)
        for lang in np.unique(self.lang[text]).tolist():
            odds = self.evidence.against(mine, lang, weight)
            stays |= (self.lang[text] == lang) & (odds > self.evidence.threshold[lang])
        return stays

    def shared_words(self, src: Ints, tgt: Ints) -> Words:
        """The distinct words of both texts, if they are half of each; numbered as ``src``."""
        known = len(self.words.known)
        sides = [self.words.take(rows) for rows in (src, tgt)]
        mine, others = (distinct(side.text * known + side.word) for side in sides)
        copied = mine[are_among(mine, others)]
        most = np.maximum(*(np.bincount(side // known, minlength=len(src)) for side in (mine, others)))
        half = 2 * np.bincount(copied // known, minlength=len(src)) >= np.maximum(most, 1)
        return Words(copied % known, copied // known, self.words.known, len(src)).of(half)

    def are_third(self, copied: Words, src: Ints, tgt: Ints) -> Mask:
        """Mask of pairs with shared words in a third language, as of a title kept beside its translation in every
        language version; shape of ``src``."""
        third = np.ones(len(src), bool)
        for side in (src, tgt):
            for lang in np.unique(self.lang[side]).tolist():
                odds = self.evidence.against(copied, lang)
                third = third & ((self.lang[side] != lang) | (odds > COPIED_ODDS))
        return third


class Reading(NamedTuple):
    """Results of the identifier by text; arrays of shape (texts,)."""

    langs: tuple[str, ...]
    """Primary subtags of the languages of the texts."""
    lang: Ints
    """Row of ``langs``, and so of the languages of :meth:`classes`, which begin with ``langs``."""
    found: npt.NDArray[np.object_]
    """Primary subtag of the language surely identified; "" without one, and for texts not read yet."""
    judged: Mask
    shared: Mask
    """Texts in two languages of the site: only the identifier decides."""

    @property
    def judged_langs(self) -> list[int]:
        """Languages of the judged texts."""
        langs: list[int] = np.unique(self.lang[self.judged]).tolist()
        return langs

    def is_other(self) -> Mask:
        """Mask of texts surely in another language; not in one so close that identifiers confuse the two."""
        pairs = zip(self.found.tolist(), self.lang.tolist(), strict=True)
        return np.array([bool(name) and not are_close(name, self.langs[lang]) for name, lang in pairs], bool)

    def classes(self) -> tuple[tuple[str, ...], Ints]:
        """``langs`` and further frequent languages; for each text the place of its identified language, or -1."""
        count = Counter(self.found.tolist())
        more = sorted(name for name, texts in count.items() if texts >= LEAST_TEXTS and name not in ("", *self.langs))
        number = {name: place for place, name in enumerate((*self.langs, *more))}
        return tuple(number), np.array([number.get(name, -1) for name in self.found.tolist()], np.int64)


def foreign_texts(texts: Texts) -> Verdicts:
    """Verdicts on the judged texts."""
    lacking, latin = np.zeros((2, len(texts.text)), bool)
    langs = tuple(sorted(set(map(language_of, texts.tags))))
    for number, tag in enumerate(texts.tags):
        rows = np.flatnonzero(texts.lang == number)
        of_tag = texts.text.take(pa.array(rows))
        lacking[rows] = (
            lacks_own_script(of_tag, tag) | is_in_other_script(of_tag, tag) | has_other_ideographs(of_tag, tag)
        )
        for row in rows[lacks_usual_script(of_tag, tag) & ~lacking[rows]].tolist():
            latin[row] = _is_of_site(texts.text[row].as_py(), langs, language_of(tag))
    words = words_of(texts.text)
    lang = np.array([langs.index(language_of(tag)) for tag in texts.tags], np.int64)[texts.lang]
    shared = _in_two_languages(texts, lang)
    reading = Reading(langs, lang, np.full(len(lang), "", object), texts.judged, shared)
    readable = _is_long(words) & ~lacking & ~latin & np.array(list(map(is_identifiable, langs)))[lang]
    for number in range(len(langs)):
        rows = np.flatnonzero(readable & (lang == number))
        _identify(texts, rows[:: math.ceil(len(rows) / SAMPLE) or 1], reading)
    doubtful = readable & texts.judged & ~_has_own_words(words, reading)
    _identify(texts, np.flatnonzero(doubtful), reading)
    evidence, by_words = _by_words(words, reading, lacking | latin)
    sure = (lacking | (reading.is_other() & doubtful)) & texts.judged
    return Verdicts(sure, lacking, latin & texts.judged, by_words & ~sure, words, evidence, lang)


def are_names(text: str, copied: Set[str]) -> bool:
    """Whether all words that a text shares with its other side are in names (:func:`is_name`), equal in every language.

    ``copied``: the shared words, in lower case.

    >>> are_names("By Ada Lovelace", {"ada", "lovelace"}), are_names("ni diru – let us say", {"ni", "diru"})
    (True, False)
    >>> are_names("Sponsored by Concello de Noia", {"concello", "de", "noia"})
    True
    >>> are_names("Posted on 9 March by Ada", {"posted", "on", "by", "ada"})
    False
    """
    words = groupby(LETTER_RUNS.findall(text), lambda word: word.casefold() in copied)
    names = [list(run) for is_copied, run in words if is_copied]
    return bool(names) and all(map(is_name, names))


def is_name(words: Sequence[str]) -> bool:
    """Whether all words begin with a capital, but for particles between them.

    >>> is_name(["Concello", "de", "Noia"]), is_name(["Comments", "off"]), is_name(["El", "museo", "Goya"])
    (True, False, False)
    >>> is_name("Sign up for the Newsletter".split()), is_name("All You Can Eat and Go".split())
    (False, False)
    """
    small = [place for place, word in enumerate(words) if not word[0].isupper()]
    if not small:
        return True
    are_inner = small[0] > 0 and small[-1] < len(words) - 1
    is_title = not {word.casefold() for word in words if word[0].isupper()}.isdisjoint(TITLE_WORDS.split())
    return are_inner and not is_title and all(words[place] in PARTICLES.split() for place in small)


def shares_a_name(text: str, other: str) -> bool:
    """Whether a text is a name, with its class perhaps, and the other side holds its words or some of them alone.

    >>> shares_a_name("Program: Microsoft Office Professional", "Microsoft Office Professional")
    True
    >>> shares_a_name("Microsoft Office Professional", "Microsoft Office Профессиональный")
    False
    """
    words = LETTER_RUNS.findall(text)
    mine, others = ({word.casefold() for word in side} for side in (words, LETTER_RUNS.findall(other)))
    return is_name(words) and bool(others) and (mine <= others or others <= mine)


def is_placeholder(text: str) -> bool:
    """Whether a text begins the usual placeholder text, which is left where nobody has written the text yet.

    >>> is_placeholder("Lorem ipsum dolor sit amet"), is_placeholder("Quercus robur")
    (True, False)
    """
    return _PLACEHOLDER.search(text) is not None


def is_in_a_third(text: str, copied: Set[str], langs: tuple[str, str]) -> bool:
    """Whether the words that a text shares with its other side are surely in neither of the two languages.

    ``copied``: the shared words, in lower case. Names (:func:`are_names`) are in no language, and Latin is in any, but
    for placeholder text.
    """
    words = [word for word in LETTER_RUNS.findall(text) if word.casefold() in copied]
    joined = " ".join(words)
    has_small = any(word[0].islower() for word in words)
    if len(joined) < LEAST_COPIED_CHARS or not has_small or are_names(text, copied):
        return False
    chances = probabilities(joined)
    own = [chances.get(language_of(lang), 1.0) for lang in langs]
    best = max(chances, key=lambda lang: (chances[lang], lang))
    is_sure = chances[best] >= LEAST_COPIED_CHANCE and chances[best] > COPIED_TIMES * max(own)
    is_of_all = best == LATIN and not is_placeholder(joined)
    return is_sure and not is_of_all and not any(are_close(language_of(lang), best) for lang in langs)


def _is_of_site(text: str, langs: Sequence[str], own: str) -> bool:
    """Whether a text is likeliest in another language of the site than its own, however short, and no name."""
    words = LETTER_RUNS.findall(text)
    if is_name(words) and len(words) <= SHORT_NAME_WORDS:
        return False
    chances = probabilities(text)
    best = max(chances, key=lambda lang: (chances[lang], lang))
    return chances[best] >= LEAST_CHANCE and best in langs and not are_close(best, own)


def _in_two_languages(texts: Texts, lang: Ints) -> Mask:
    """Mask of texts in two languages of the site."""
    number = texts.text.dictionary_encode().indices.to_numpy().astype(np.int64)
    return np.asarray(_have_two(number, lang, len(texts.text))[number])


def words_of(texts: pa.Array) -> Words:
    """Words of texts in lower case, code left out; each letter of a script without blanks is a word."""
    starts = range(0, max(len(texts), 1), _TEXTS_CUT)
    cut = [_cut(texts.slice(start, _TEXTS_CUT)) for start in starts]
    codes = pa.chunked_array([words for words, _ in cut]).unify_dictionaries()
    known = codes.chunk(0).dictionary
    word = np.concatenate([chunk.indices.to_numpy() for chunk in codes.chunks]).astype(np.int64)
    text = np.concatenate([row + start for (_, row), start in zip(cut, starts, strict=True)])
    some = word != pc.index(known, "").as_py()
    return Words(word[some], text[some], known, len(texts))


def _cut(texts: pa.Array) -> tuple[pa.DictionaryArray, Ints]:
    """Words of some texts, "" among them where separators begin or end a text, and the row of the text of each."""
    apart = pc.utf8_lower(texts)
    if pc.any(pc.match_substring_regex(apart, _UNSPACED)).as_py():
        apart = pc.replace_substring_regex(apart, rf"({_UNSPACED})", r" \1 ")
    runs = pc.split_pattern_regex(pc.replace_substring_regex(apart, _CODE, " "), r"[^\pL\pM]+")
    return runs.flatten().dictionary_encode(), pc.list_parent_indices(runs).to_numpy().astype(np.int64)


def _is_long(words: Words) -> Mask:
    unspaced = pc.match_substring_regex(words.known, _UNSPACED).to_numpy(zero_copy_only=False)
    letters = np.where(unspaced, 0, pc.utf8_length(words.known).to_numpy(zero_copy_only=False))
    enough = words.totals(letters) >= LEAST_LETTERS
    return np.asarray(enough | (words.totals(unspaced.astype(np.float64)) >= LEAST_IDEOGRAPHS))


def _identify(texts: Texts, rows: Ints, reading: Reading) -> None:
    """Identify the languages of the texts ``rows`` that have none yet, and enter them into ``reading.found``."""
    for row in rows.tolist():
        if not reading.found[row]:
            lang, confidence = identify(texts.text[row].as_py(), texts.tags[texts.lang[row]])
            is_sure = confidence >= LEAST_CONFIDENCE and lang != UNDETERMINED
            reading.found[row] = language_of(lang) if is_sure else ""


def _has_own_words(words: Words, reading: Reading) -> Mask:
    """Mask of texts with two different own words of their language."""
    classes, member = reading.classes()
    counts = words.counts(member, len(classes))
    rate = counts / np.maximum(1.0, counts.sum(axis=1, keepdims=True))
    has = np.zeros(words.texts, bool)
    for number in reading.judged_langs:
        others = np.delete(rate, number, axis=0).max(axis=0, initial=0.0)
        own = np.flatnonzero((rate[number] > OWN_RATIO * others) & (counts[number] > 1))
        common = np.zeros(len(words.known), bool)
        common[own[np.argsort(-counts[number][own], kind="stable")[:COMMON_WORDS]]] = True
        held = (reading.lang[words.text] == number) & common[words.word]
        has |= _have_two(words.text[held], words.word[held], words.texts)
    return has


def _by_words(words: Words, reading: Reading, lacking: Mask) -> tuple[Evidence, Mask]:
    """Statistics of words after all rounds, and the mask of texts foreign by words."""
    classes, member = reading.classes()
    known, is_other = member == reading.lang, reading.is_other()
    in_two_texts = _have_two(words.word, words.text, len(words.known))
    share = np.full(len(reading.langs), LEAST_FOREIGN)
    foreign = lacking | is_other
    for _ in range(ROUNDS):
        teaches = np.where(foreign | (~reading.judged & ~known) | reading.shared, -1, reading.lang)
        counts = words.counts(np.where(is_other | (reading.shared & (member >= 0)), member, teaches), len(classes))
        evidence = Evidence(classes, _log_ratio(counts) * in_two_texts, _threshold(share))
        for number in reading.judged_langs:
            mine = (reading.lang == number) & reading.judged
            odds = evidence.against(_candidates(words.of(mine & ~known), evidence, number), number)
            foreign[mine] = ((odds > evidence.threshold[number]) | lacking | is_other)[mine]
            share[number] = np.clip(foreign[mine].mean(), LEAST_FOREIGN, MOST_FOREIGN)
    return evidence, foreign & ~lacking & ~is_other


def _log_ratio(counts: Floats) -> Floats:
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / max(1.0, counts.sum())
    return np.asarray(np.log((counts + PRIOR_COUNT) / (expected + PRIOR_COUNT)))


def _threshold(share: Floats) -> Floats:
    return np.asarray(math.log(SURENESS / (1 - SURENESS)) + np.log((1 - share) / share))


def _candidates(words: Words, evidence: Evidence, lang: int) -> Words:
    """Words of possibly foreign texts: an upper bound, with each word in its likeliest language."""
    bound = evidence.log_ratio.max(axis=0) - evidence.log_ratio[lang]
    return words.of(words.totals(bound) > evidence.threshold[lang])


def are_among(numbers: Ints, others: Ints) -> Mask:
    """Mask of numbers among the others; both ascending."""
    if not len(others):
        return np.zeros(len(numbers), bool)
    place = np.minimum(np.searchsorted(others, numbers), len(others) - 1)
    return np.asarray(others[place] == numbers)


def _have_two(keys: Ints, values: Ints, size: int) -> Mask:
    """Mask of keys with two different values, shape (size,)."""
    first = np.full(size, -1)
    first[keys[::-1]] = values[::-1]
    found = np.zeros(size, bool)
    found[keys[values != first[keys]]] = True
    return found
