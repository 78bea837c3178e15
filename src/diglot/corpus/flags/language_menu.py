"""The flag ``language_menu``: entries of a menu of languages or countries, such as *Italiano (Italian)*.

An entry has the language's own name, the same on both sides, and its name in the language of the page. Other forms:

* Two languages or two countries, one on each side: language versions sort a menu by different alphabets, or leave out
  their own language, so that the aligner pairs different entries.
* Lists in one text with different names: *Language: Deutsch | Français* and *English | Français*.
* Language switches: codes and flags (*🇨🇿 CZ*, *EN | DE*), the code of the page's language alone, or a name with its
  code, which narrow screens show in place of the name (*Français fr*).
* A label with a list of codes on each side: *Available Languages: de | en | fr*.
* Two entries of a switch with other languages of the site: codes, own names, or the first letters of these (*RU* and
  *RO*, *FR* and *ไทย*, *Рус/Eng* and *Бел/Eng*).
* Titles, each with the name of its language version: *Books - German* and *Books - Polish*.

Names are those of CLDR, in all languages, as `language_data` has them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from contextlib import suppress
from functools import cache, lru_cache
from itertools import takewhile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from langcodes import Language, tag_is_valid
from language_data.names import load_trie, normalize_name
from language_data.util import data_filename

from diglot.arrays import Mask, distinct
from diglot.corpus.flags.codes import codes_of, combine, encode, stack
from diglot.corpus.flags.context import Context, confirm, matches, sides_match
from diglot.documents.language_tags import are_close, language_of

LEAST_ENTRIES = 3
"""Least entries of a menu on a page pair: a text may name a single language in two languages, too."""
_MAYBE_ENTRY = r"^\s*\pL[^.!?\n]{2,78}$"
_MAYBE_NAME = r"^\s*\pL[^.!?:,\n]{0,38}$"
_MAYBE_LIST = r"^\s*\pL[^.!?\n]{2,198}$"
_MAYBE_SEPARATOR = r"[|·•/,;:&、，：]| [–—-] "
"""Separators of names in a list, and the colon after a label (RE2)."""
_SEPARATOR = re.compile(r"[|·•/,;&、，]| [–—-] ")
_LABEL = re.compile(r"[^:：]{1,40}[:：]")
_MAYBE_CODES = r"[:：]\s*[a-z]{2}(?:-\pL{2,4})?\s*[|·•/,;、，]"
"""The beginning of a list of codes behind a label (RE2)."""
LEAST_LISTED = 3
"""Least codes in a list behind a label, in small letters: two of them may be words."""
LEAST_LETTERS = 2
"""Least letters of a name in a list. Some languages are named by a single letter, but so are the entries of an index
from A to Z."""
_BOUNDS = r"[(（\[/|·–—,:-]"
_BOUND = re.compile(_BOUNDS)
_KINDS = ("language", "territory")
Codes = frozenset[tuple[str, str]]
"""What a text is a name of: kinds (:data:`_KINDS`), each with a code, as in ("language", "de")."""
_AROUND = " ()（）[]|·-–—,:▾▼⌄"
"""Signs around a name, the arrow of a drop-down menu among them."""
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
"""A flag: two regional indicators."""
_MAYBE_SWITCH = rf"^\s*(?:{_FLAG}.{{0,200}}|[A-Z]{{2}}(?:-\pL{{2,4}})?\s*[ |·•/,;–—-].{{0,200}})$"
LEAST_CODES = 2
"""Least codes and flags of a switch: a single code may be a word."""
_MAYBE_LABEL = r"^\s*\pL[\pL\pM |·•/,;&–—-]{1,38}$"
_CLIPPED = range(3, 5)
"""Letters of a clipped name, *Eng* or *Ital*. Two letters are a code."""
_FLAGS = re.compile(_FLAG)
_CODE = re.compile(r"[A-Za-z]{2,3}")
_TAG = re.compile(r"[a-z]{2}(?:-[A-Za-z]{2,4})?")
"""A tag of two letters: nearly all words of three letters are codes of some language."""
_CODES = re.compile(r"[A-Z]{2}(?:-[A-Za-z]{2,4})?(?: +[A-Z]{2})*")
"""Codes in capitals: in small letters they may be words, as in *ne – no*."""


def is_menu_of_languages(context: Context) -> Mask:
    """Mask of the rows that are entries of a menu of languages or countries, shape (rows,)."""
    entries, others = context.by_texts(_are_entries), context.by_texts(_name_others)
    page = combine(*(codes_of(context.segments[name]) for name in ("src_url", "tgt_url")))
    many = np.bincount(page[entries], minlength=page.max() + 1)[page] >= LEAST_ENTRIES
    return np.asarray((entries & many) | others | _are_own_codes(context.segments) | _are_labels(context), bool)


def _are_labels(context: Context) -> Mask:
    """Mask of the rows whose sides are :func:`are_other_labels` of languages of their site."""
    found = np.array(context.by_texts(lambda pairs: _both_match(pairs, _MAYBE_LABEL)))
    rows = np.flatnonzero(found)
    if not len(rows):
        return found
    # Menus stand on all pages: each pair of labels of a site is read once.
    _, first, of_row = np.unique(
        combine(context.sites.of_row[rows], *context.texts.sides[:, rows]), return_index=True, return_inverse=True
    )
    langs = _langs_of_sites(context)
    texts = (context.segments[side].take(pa.array(rows[first])).to_pylist() for side in ("src", "tgt"))
    sites = context.sites.of_row[rows[first]].tolist()
    answers = [are_other_labels(src, tgt, langs[site]) for src, tgt, site in zip(*texts, sites, strict=True)]
    found[rows] = np.array(answers, bool)[of_row]
    return found


def _langs_of_sites(context: Context) -> dict[int, frozenset[str]]:
    """The languages of the pages of each site, those outside the run among them."""
    segments, others = context.segments, context.pages.other_texts
    tags, lang = encode(stack(segments["src_lang"], segments["tgt_lang"], others["lang"]))
    site = np.concatenate([context.sites.of_row, context.sites.of_row, context.sites.of_urls(others["url"])])
    langs: dict[int, set[str]] = {}
    for both in distinct(site * len(tags) + lang).tolist():
        number, code = divmod(both, len(tags))
        langs.setdefault(number, set()).add(tags[code].as_py())
    return {number: frozenset(known) for number, known in langs.items()}


def _are_own_codes(segments: pa.Table) -> Mask:
    """Mask of the rows whose sides are the codes of their own languages, as a switch shows *EN* on one page and *DE* on
    the other; or each the code of the other side's language, as a link to the other version. The code of a third
    language does not count: it may be a word."""
    plain = [pc.utf8_lower(pc.utf8_trim(segments[side], _AROUND)) for side in ("src", "tgt")]
    langs = [segments[name] for name in ("src_lang", "tgt_lang")]
    own, crossed = (np.logical_and(*map(_are_codes, plain, each)) for each in (langs, langs[::-1]))
    return np.asarray(own | crossed, bool)


def _are_codes(texts: pa.ChunkedArray, langs: pa.ChunkedArray) -> Mask:
    """Mask of the texts that are a code of the language beside them."""
    found = np.zeros(len(texts), bool)
    for lang in pc.unique(langs).to_pylist():
        is_code = pc.is_in(texts, value_set=pa.array(_own_codes(lang)))
        found |= pc.and_(pc.equal(langs, lang), is_code).to_numpy()
    return found


@cache
def _own_codes(lang: str) -> list[str]:
    """Codes of a language of two or three letters, and of the country that stands for it: uk, ukr and ua."""
    language = Language.get(lang)
    codes = [language_of(lang), (language.maximize().territory or lang).lower()]
    with suppress(LookupError):  # a private tag has no other code
        codes += [language.to_alpha3(variant) for variant in ("T", "B")]
    return codes


def _are_entries(pairs: pa.Table) -> Mask:
    return confirm(_both_match(pairs, _MAYBE_ENTRY) & matches(pairs["src"], _BOUNDS), pairs, is_entry)


def _name_others(pairs: pa.Table) -> Mask:
    lists = _both_match(pairs, _MAYBE_LIST) & sides_match(pairs, _MAYBE_SEPARATOR).any(axis=0)
    bounds, entries = sides_match(pairs, _BOUNDS), _both_match(pairs, _MAYBE_ENTRY)
    return (
        confirm(_both_match(pairs, _MAYBE_NAME), pairs, names_another)
        | confirm(bounds.all(axis=0) & entries, pairs, differ_in_language)
        | confirm(bounds.any(axis=0) & entries, pairs, are_other_entries)
        | confirm(lists, pairs, list_others)
        | confirm(_both_match(pairs, _MAYBE_SWITCH), pairs, are_switches)
        | confirm(_both_match(pairs, _MAYBE_CODES), pairs, are_lists_of_codes)
    )


def _both_match(pairs: pa.Table, pattern: str) -> Mask:
    return np.asarray(sides_match(pairs, pattern).all(axis=0), bool)


def is_entry(src: str, tgt: str) -> bool:
    """Whether both sides are names of languages or countries alone, and share one of them.

    >>> is_entry("Italiano (Italian)", "Italiano (Itali)"), is_entry("Italian (Italy)", "italien (Italie)")
    (True, False)
    """
    names, others = _names_in(src), _names_in(tgt)
    return len(names) > 1 and len(others) > 1 and not names.isdisjoint(others)


def names_another(src: str, tgt: str) -> bool:
    """Whether the sides are names of two languages, or of two countries. Close languages have names in common.

    >>> names_another("Greek", "Giapponese"), names_another("Greek", "Greco"), names_another("Norwegian", "Nynorsk")
    (True, False, False)
    >>> names_another("Français fr", "English en")
    True
    """
    # Most texts are no names: the second is read only beside a name.
    return bool((codes := _coded_name(src)) and (others := _coded_name(tgt)) and _are_apart(codes, others))


def differ_in_language(src: str, tgt: str) -> bool:
    """Whether the sides differ in a single part, and this part names two languages or two countries.

    >>> differ_in_language("Books - German - Level 4", "Books - Polish - Level 4")
    True
    >>> differ_in_language("Books - German", "Books - Deutsch"), differ_in_language("Books - German", "Livres - Polish")
    (False, False)
    """
    mine, its = (_BOUND.split(side) for side in (src, tgt))
    if len(mine) != len(its):
        return False
    parts = [(one.strip(_AROUND), other.strip(_AROUND)) for one, other in zip(mine, its, strict=True)]
    different = [(one, other) for one, other in parts if one.casefold() != other.casefold()]
    return len(different) == 1 < len(parts) and names_another(*different[0])


def are_other_entries(src: str, tgt: str) -> bool:
    """Whether both sides are names of languages or countries alone, perhaps with their translations, and no language
    or country is on both sides.

    >>> are_other_entries("Gaeilge (Irish)", "English"), are_other_entries("Italian (Italy)", "italien (Italie)")
    (True, False)
    """
    mine, its = (frozenset(code for name in _names_in(side) for code in _codes(name)) for side in (src, tgt))
    return _are_apart(mine, its)


def are_other_labels(src: str, tgt: str, langs: Set[str]) -> bool:
    """Whether each side is labels of some of the languages ``langs`` (BCP 47) alone, and a language on one side is none
    of the other side. A label is a code in capitals, the own name of a language, or its first letters.

    >>> are_other_labels("Рус/Eng", "Бел/Eng", {"be", "en", "ru"}), are_other_labels("RU", "RO", {"en", "ru"})
    (True, False)
    """
    mine = _labelled_languages(src, langs)
    its = _labelled_languages(tgt, langs) if mine else frozenset()
    return bool(its) and any(
        not any(are_close(lang, other) for other in others)
        for ours, others in ((mine, its), (its, mine))
        for lang in ours
    )


def _labelled_languages(text: str, langs: Set[str]) -> frozenset[str]:
    """The languages among ``langs`` that a text labels; none for a text with another word."""
    parts = [label for part in _SEPARATOR.split(text) if (label := part.strip(_AROUND))]
    found = [next((language_of(lang) for lang in sorted(langs) if _is_label(part, lang)), "") for part in parts]
    return frozenset(found) if all(found) else frozenset()


def _is_label(text: str, lang: str) -> bool:
    if text.isupper() and text.lower() in _own_codes(lang):
        return True
    folded, name = text.casefold(), _own_name(language_of(lang))
    return folded == name or (text[0].isupper() and len(text) in _CLIPPED and name.startswith(folded))


@cache
def _own_name(lang: str) -> str:
    """The name of a language in itself, in small letters."""
    return str(Language.get(lang).autonym()).casefold()


def list_others(src: str, tgt: str) -> bool:
    """Whether the sides are lists of languages or of countries, perhaps behind labels, and a name on one side names
    another language or country than all names on the other side.

    >>> list_others("Language: Deutsch | Français", "English | Français"), list_others("German, Thai", "Deutsch, Thai")
    (True, False)
    """
    mine = _list_codes(src)
    its = _list_codes(tgt) if mine else ()
    return any(_is_apart_from_all(codes, its) for codes in mine) or any(
        _is_apart_from_all(codes, mine) for codes in its
    )


def are_switches(src: str, tgt: str) -> bool:
    """Whether each side is a switch of languages: several codes, or codes behind flags; or names of two languages
    behind flags.

    >>> are_switches("🇨🇿 CZ", "🇬🇧 EN"), are_switches("EN | NL", "EN|NL|SR"), are_switches("No", "DE")
    (True, True, False)
    """
    if _is_switch(src) and _is_switch(tgt):
        return True
    mine, its = (_FLAGS.sub("", side).strip(_AROUND) for side in (src, tgt))
    return len(mine) < len(src) and len(its) < len(tgt) and names_another(mine, its)


def are_lists_of_codes(src: str, tgt: str) -> bool:
    """Whether each side is a label and a list of codes of languages.

    >>> are_lists_of_codes("Languages: de | en | fr", "Langues : de | en | fr"), are_lists_of_codes("To: de", "À: de")
    (True, False)
    """
    return _lists_codes(src) and _lists_codes(tgt)


def _lists_codes(text: str) -> bool:
    label = _LABEL.match(text)
    codes = [part.strip(_AROUND) for part in _SEPARATOR.split(text[label.end() :])] if label else []
    return len(codes) >= LEAST_LISTED and all(_TAG.fullmatch(code) and tag_is_valid(code) for code in codes)


def _is_switch(text: str) -> bool:
    parts = [part.strip(_AROUND) for part in _SEPARATOR.split(_FLAGS.sub("|", text))]
    named = [part for part in parts if part]
    if not all(map(_CODES.fullmatch, named)):
        return False
    codes = [code for part in named for code in part.split()]
    return len(codes) + len(_FLAGS.findall(text)) >= LEAST_CODES and all(map(_is_code, codes))


def _is_code(text: str) -> bool:
    """Whether a text is a tag of a language, or the code of a country that stands for its language: CZ, UA."""
    return any(map(tag_is_valid, (text, f"und-{text}")))


def _list_codes(text: str) -> tuple[Codes, ...]:
    """The codes of each name of a list; none for a text with other words than names and a label."""
    if (label := _LABEL.match(text)) and not _codes(label[0].strip(_AROUND + "：")):
        text = text[label.end() :]
    names = [name for part in _SEPARATOR.split(text) if (name := part.strip(_AROUND))]
    # Most texts are no lists: the names after the first other word are not read.
    listed = tuple(takewhile(bool, (_codes(name) for name in names if len(name) >= LEAST_LETTERS)))
    return listed if len(listed) == len(names) else ()


def _are_apart(codes: Codes, others: Codes) -> bool:
    """Whether two texts name things of one kind, languages or countries, without a close pair among them."""
    pairs = [(mine, its) for (kind, mine) in codes for (other, its) in others if kind == other]
    return bool(pairs) and not any(are_close(language_of(mine), language_of(its)) for mine, its in pairs)


def _is_apart_from_all(codes: Codes, listed: Sequence[Codes]) -> bool:
    """Whether a list names languages or countries, of the same kind as ``codes``, and none is close to ``codes``."""
    kinds = {kind for kind, _ in codes}
    alike = [others for others in listed if not kinds.isdisjoint(kind for kind, _ in others)]
    return bool(alike) and all(_are_apart(codes, others) for others in alike)


def _names_in(text: str) -> frozenset[str]:
    """The names in a text that consists of names; none for a text with other words."""
    text = text.strip(_AROUND)
    if _is_name(text):
        return frozenset((normalize_name(text),))
    bound = _BOUND.search(text)
    if not bound:
        return frozenset()
    first, others = text[: bound.start()].strip(_AROUND), _names_in(text[bound.end() :])
    return others | {normalize_name(first)} if others and _is_name(first) else frozenset()


def _coded_name(text: str) -> Codes:
    """Kinds and codes of the languages and countries with this name; the code may stand before or behind the name."""
    if known := _codes(text):
        return known
    first, _, behind = text.partition(" ")
    before, _, last = text.rpartition(" ")
    named = (
        (_codes(name), code.casefold()) for code, name in ((last, before), (first, behind)) if _CODE.fullmatch(code)
    )
    return next((codes for codes, code in named if code in {known.casefold() for _, known in codes}), frozenset())


def _is_name(text: str) -> bool:
    return bool(_codes(text))


@lru_cache(maxsize=4096)
def _codes(text: str) -> Codes:
    """Kinds and codes of the languages and countries that a text names in full."""
    # "Chinese (Simplified)" is listed as "Simplified Chinese".
    orders = (normalize_name(text), " ".join(reversed(normalize_name(text).split())))
    known = (
        (kind, names[name])
        for kind, names in zip(_KINDS, _known_names(), strict=True)
        for name in orders
        if name in names
    )
    return frozenset((kind, code.decode()) for kind, codes in known for code in codes)


@cache
def _known_names() -> tuple[Mapping[str, Sequence[bytes]], ...]:
    """Names of languages and of countries in all languages. ``language_data`` itself looks for prefixes, too."""
    return tuple(load_trie(data_filename(f"trie/und/name_to_{kind}.marisa")) for kind in _KINDS)
