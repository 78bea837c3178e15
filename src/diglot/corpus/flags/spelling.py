"""Words with a letter of another script that looks like their own."""

from __future__ import annotations

import re

from diglot.words import LETTER_RUNS

_SCRIPTS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
}
_ALIKE = {
    ("Latin", "Cyrillic"): frozenset("AaBCcEeHIiJjKMOoPpSsTXxYy\u00cf\u00ef\u00cb\u00eb"),
    ("Cyrillic", "Latin"): frozenset("АаВСсЕеНІіЈјКМОоРрЅѕТХхУуЇїЁё"),
    ("Latin", "Greek"): frozenset("ABEHIKMNOoPTXYZ"),
    ("Greek", "Latin"): frozenset("ΑΒΕΗΙΚΜΝΟοΡΤΧΥΖ"),
}
"""Letters of the first script that print as a letter of the second."""
LEAST_LETTERS = 3
"""Least letters of a word: two may be a symbol, as in *kΩ* and *Hα*."""
_VARIABLE = re.compile(r"(?<!\S)[~$%@\\/#+-]+\w+")
"""A run of code with the sign of an option or a variable, ended by a translated name: *~Aархив*, *-oфайл*."""
MAYBE_MIXED = r"(?i)\p{Latin}[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}]\p{Latin}"
"""Letters of two of these scripts side by side (RE2)."""


def has_homoglyph(text: str) -> bool:
    """Whether a word has letters of another script that print as letters of its own.

    Letters of the script that is rarer in a word are the doubtful ones. An abbreviation with an ending of another
    script ("SMSки") is none, nor is a search term or an option with a translated name ("~Aархив").

    >>> has_homoglyph("Cкачать"), has_homoglyph("Скачать"), has_homoglyph("SMSки"), has_homoglyph("~Aархив")
    (True, False, False, False)
    """
    return any(_is_mixed(word) for word in LETTER_RUNS.findall(_VARIABLE.sub(" ", text)) if not word.isascii())


def _is_mixed(word: str) -> bool:
    found = {script: letters.findall(word) for script, letters in _SCRIPTS.items()}
    rarest_first = sorted((script for script in found if found[script]), key=lambda script: len(found[script]))
    if len(word) < LEAST_LETTERS or len(rarest_first) != 2:
        return False
    for rare, common in (rarest_first, rarest_first[::-1]):
        if len(found[rare]) <= len(found[common]) and (rare, common) in _ALIKE:
            strange = found[rare]
            is_short_form = len(strange) > 1 and all(map(str.isupper, strange)) and not word.isupper()
            if _ALIKE[rare, common].issuperset(strange) and not is_short_form:
                return True
    return False
