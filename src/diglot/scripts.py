"""Scripts of languages by CLDR, and the share of their letters in texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

import langcodes
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Floats, Mask

_PARTS = {
    "Hans": ("Han", "Bopomofo"),
    "Hant": ("Han", "Bopomofo"),
    "Jpan": ("Han", "Hiragana", "Katakana"),
    "Kore": ("Hangul", "Han"),
}
"""Unicode scripts in the ISO 15924 scripts that combine several."""
_UNICODE_NAMES = {
    "Beng": "Bengali",
    "Cans": "Canadian_Aboriginal",
    "Egyp": "Egyptian_Hieroglyphs",
    "Lana": "Tai_Tham",
    "Lisu": "Lisu",
    "Mand": "Mandaic",
    "Nkoo": "Nko",
    "Orkh": "Old_Turkic",
    "Orya": "Oriya",
    "Plrd": "Miao",
    "Rohg": "Hanifi_Rohingya",
    "Xsux": "Cuneiform",
}
"""Unicode names of scripts with another English name in CLDR."""


MOST_OTHER_LETTERS, MOST_BORROWED_LETTERS = 0.5, 0.9
"""Least share of letters of another script in a text of that script: where the tag names Latin, and elsewhere."""
MOST_LATIN = 1 / 3
"""Largest share of texts in Latin letters on a site that writes their language in another script: half of a page left
untranslated, and names."""
SCRIPT_PAGES = 3
"""Least pages in a script for a script in which a site writes a language, so that a stray page changes no tags."""
MOST_BYTES_A_CHARACTER = 1.2
"""A text of at most this many bytes a character in UTF-8 counts as Latin. In others, as Vietnamese, letters decide."""

_RIGHT_TO_LEFT = frozenset(
    ("Adlm", "Arab", "Aran", "Armi", "Avst", "Hebr", "Mand", "Mani", "Nkoo", "Phnx", "Rohg", "Samr", "Syrc", "Thaa")
)
"""Right-to-left scripts by ISO 15924."""


@cache
def is_right_to_left(tag: str) -> bool:
    """Whether a language is written from right to left, by its likely script in CLDR.

    >>> [is_right_to_left(tag) for tag in ("ar", "he", "fa", "ku", "az-Arab", "fr", "art")]
    [True, True, True, False, True, False, False]
    """
    try:
        return langcodes.Language.get(tag.replace("_", "-")).maximize().script in _RIGHT_TO_LEFT
    except ValueError:
        return False


@cache
def scripts_of(tag: str) -> frozenset[str]:
    """ISO 15924 codes of the script in the tag, or of the scripts in which the language is written today.

    Source: primary scripts of CLDR supplemental data, else those of the macrolanguage: Twi is written as Akan is. Empty
    for a language unknown to CLDR.

    >>> [sorted(scripts_of(tag)) for tag in ("sr", "sr-Latn", "he", "tw", "art")]
    [['Cyrl', 'Latn'], ['Latn'], ['Hebr'], ['Latn'], []]
    """
    try:
        language = langcodes.Language.get(tag.replace("_", "-"))
    except ValueError:
        return frozenset()
    if language.script:
        return frozenset((language.script,))
    names = (language.language or "", language.prefer_macrolanguage().language or "")
    return next((_primary_scripts()[name] for name in names if name in _primary_scripts()), frozenset())


def with_scripts(tags: Sequence[str], text_of: Callable[[int], str], wanted: Sequence[str]) -> list[str]:
    """Tags of the pages of a site, with the script of the page's text where the site writes the language in two.

    A site writes in two scripts where :data:`SCRIPT_PAGES` pages are in each. Where a tag of ``wanted`` names a script
    of the language, one page in a script is enough. A tag with a script stays, and so does the tag of a text without
    letters in a script of its language. ``tags``: the language of each page; ``text_of``: gives the text of a page by
    its place.
    """
    found = [""] * len(tags)
    for tag in {tag for tag in tags if "-" not in tag and len(scripts_of(tag)) > 1}:
        pages = [page for page, each in enumerate(tags) if each == tag]
        for page, script in zip(pages, scripts_of_texts(list(map(text_of, pages)), tag), strict=True):
            found[page] = script
    count = Counter(zip(tags, found, strict=True))
    common = Counter(tag for (tag, script), pages in count.items() if script and pages >= SCRIPT_PAGES)
    several = {tag for tag, scripts in common.items() if scripts > 1}
    several |= {tag.partition("-")[0] for tag in wanted if langcodes.Language.get(tag).script}
    return [f"{tag}-{each}" if each and tag in several else tag for tag, each in zip(tags, found, strict=True)]


def scripts_of_texts(texts: Sequence[str], tag: str) -> list[str]:
    """For each text the script with most letters, of the several scripts of a language (ISO 15924); "" for no letters,
    or equally many in two scripts.

    >>> scripts_of_texts(["Xəbərlər", "خبرلر", "1"], "az")
    ['Latn', 'Arab', '']
    """
    scripts = sorted(scripts_of(tag))
    patterns = ("|".join(rf"\p{{{name}}}" for name in _names_of(script)) for script in scripts)
    counts = np.stack([pc.count_substring_regex(pa.array(texts, pa.string()), each).to_numpy() for each in patterns])
    least, most = np.sort(counts, axis=0)[-2:]
    return [scripts[best] if sure else "" for best, sure in zip(counts.argmax(axis=0), most > least, strict=True)]


@cache
def _primary_scripts() -> dict[str, frozenset[str]]:
    # Imported here: most commands that load this module ask for no script.
    from lxml import etree

    tree = etree.fromstring((files("language_data") / "data" / "supplementalData.xml").read_bytes())
    primary = tree.iterfind(".//languageData/language[@scripts]")
    return {row.get("type"): frozenset(row.get("scripts").split()) for row in primary if row.get("alt") is None}


def own_script_share(texts: pa.Array, tag: str) -> Floats:
    """Share of letters of each text in the scripts of its language, in [0, 1]; 1 for unknown scripts or no letters."""
    letters = _letters_of(tag)
    if not letters:
        return np.ones(len(texts))
    own, every = (pc.count_substring_regex(texts, pattern).to_numpy() for pattern in (letters, r"\p{L}"))
    return np.asarray(np.where(every > 0, own / np.maximum(every, 1), 1.0))


def borrows_most_letters(texts: pa.Array, tag: str) -> Mask:
    """Mask of texts with half of their letters or more in other scripts than Latin, the script of their language; shape
    (texts,)."""
    found = np.zeros(len(texts), bool)
    if scripts_of(tag) == {"Latn"}:
        # Letters of other scripts take two bytes and more: the lengths rule out most texts.
        longest = MOST_BYTES_A_CHARACTER * pc.utf8_length(texts).to_numpy()
        rows = np.flatnonzero(pc.binary_length(texts).to_numpy() > longest)
        found[rows] = own_script_share(texts.take(pa.array(rows)), tag) <= MOST_OTHER_LETTERS
    return found


def lacks_own_script(texts: pa.Array, tag: str) -> Mask:
    """Mask of texts with letters but none in a script of their language; shape (texts,)."""
    letters = _letters_of(tag)
    if not letters:
        return np.zeros(len(texts), bool)
    lacking = pc.invert(pc.match_substring_regex(texts, letters))
    return np.asarray(pc.and_(lacking, pc.match_substring_regex(texts, r"\p{L}")).to_numpy(zero_copy_only=False))


def lacks_usual_script(texts: pa.Array, tag: str) -> Mask:
    """Mask of texts in Latin letters alone, at most :data:`MOST_LATIN` of all, in a language with more scripts; shape
    (texts,).

    CLDR counts Latin among the scripts of Tajik and Serbian. A site that writes one of them in Cyrillic does not.
    ``texts``: of one site, in one language.
    """
    others = sorted(scripts_of(tag) - {"Latn"})
    if len(others) in (0, len(scripts_of(tag))):
        return np.zeros(len(texts), bool)
    pattern = "|".join(rf"\p{{{name}}}" for script in others for name in _names_of(script))
    patterns = (pattern, r"\p{L}")
    other, letters = (pc.match_substring_regex(texts, each).to_numpy(zero_copy_only=False) for each in patterns)
    latin = letters & ~other
    return np.asarray(latin & (latin.sum() <= MOST_LATIN * letters.sum()), bool)


def is_in_other_script(texts: pa.Array, tag: str) -> Mask:
    """Mask of texts in another script of their language than the tag names; shape (texts,).

    A tag without a script, such as ``sr``, is not checked, nor is Chinese: its scripts share most characters. A text in
    Latin script borrows no words in other scripts: half of its letters are enough. A text in another script borrows
    names and terms in Latin letters: nine tenths are needed.
    """
    named, others = _script_choice(tag)
    if not others:
        return np.zeros(len(texts), bool)
    pattern = "|".join(rf"\p{{{name}}}" for script in others for name in _names_of(script))
    other, every = (pc.count_substring_regex(texts, each).to_numpy() for each in (pattern, r"\p{L}"))
    most = MOST_OTHER_LETTERS if named == "Latn" else MOST_BORROWED_LETTERS
    return np.asarray((other > 0) & (other >= most * every))


@cache
def _script_choice(tag: str) -> tuple[str, tuple[str, ...]]:
    """The script in a tag, and the other scripts in which the language is written today.

    "" and none for a tag without a script of its language, and for Chinese.
    """
    try:
        language = langcodes.Language.get(tag.replace("_", "-"))
    except ValueError:
        return "", ()
    written = _primary_scripts().get(language.language or "", frozenset())
    if language.language == "zh" or language.script not in written:
        return "", ()
    return language.script or "", tuple(sorted(written - {language.script}))


@cache
def _letters_of(tag: str) -> str:
    """RE2 pattern of a letter in the scripts of a language; "" if a script is unknown."""
    names = [name for script in sorted(scripts_of(tag)) for name in _names_of(script)]
    return "|".join(rf"\p{{{name}}}" for name in names) if all(names) else ""


def _names_of(script: str) -> tuple[str, ...]:
    """Unicode names of the parts of a script; "" for a name unknown to the RE2 of Arrow."""
    if script in _PARTS:
        return _PARTS[script]
    name = _UNICODE_NAMES.get(script) or langcodes.Language.make(script=script).script_name("en").replace(" ", "_")
    try:
        pc.match_substring_regex(pa.array([""]), rf"\p{{{name}}}")
    except pa.ArrowInvalid:
        name = ""
    return (name,)
