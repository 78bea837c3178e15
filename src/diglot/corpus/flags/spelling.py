"""Words with a letter of another script that looks like their own: the letter is replaced."""

from __future__ import annotations

import re

from diglot.words import LETTER_RUN

_SCRIPTS = {
    "Latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Greek": re.compile("[\u0370-\u03ff\u1f00-\u1fff]"),
    "Cyrillic": re.compile("[\u0400-\u052f]"),
}
_ALIKE = (
    ("Latin", "AaBCcEeHIiJjKMOoPpSsTXxYy\u00cf\u00ef\u00cb\u00eb", "Cyrillic", "АаВСсЕеНІіЈјКМОоРрЅѕТХхУуЇїЁё"),
    ("Latin", "ABEHIKMNOoPTXYZ", "Greek", "ΑΒΕΗΙΚΜΝΟοΡΤΧΥΖ"),
)
"""Two scripts, each with letters. The letters at the same place print alike."""
_OWN_LETTERS: dict[tuple[str, ...], dict[int, int]] = {
    **{(one, other): str.maketrans(ones, others) for one, ones, other, others in _ALIKE},
    **{(other, one): str.maketrans(others, ones) for one, ones, other, others in _ALIKE},
}
"""For the script of strange letters and that of the word: the letter of the word for each strange one."""
LEAST_LETTERS = 3
"""Least letters of a word: two may be a symbol, as in *kΩ* and *Hα*."""
_VARIABLE = r"(?<!\S)[~$%@\\/#+-]+\w+"
"""A run of code with the sign of an option or a variable, ended by a translated name: *~Aархив*, *-oфайл*."""
_VARIABLE_OR_WORD = re.compile(f"{_VARIABLE}|{LETTER_RUN}")
MAYBE_MIXED = r"(?i)\p{Latin}[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}]\p{Latin}"
"""Letters of two of these scripts side by side (RE2)."""


def with_own_letters(text: str) -> str:
    """The text with the letters of a word in one script, where the others print as letters of that script.

    Letters of the script that is rarer in a word are the doubtful ones; of as many of each, those that are not of the
    first letter's script. An abbreviation with an ending of another script ("SMSки") stays, and so does a search term
    or an option with a translated name ("~Aархив").

    >>> with_own_letters("Cкачать") == "Скачать", with_own_letters("Скачать"), with_own_letters("SMSки, ~Aархив")
    (True, 'Скачать', 'SMSки, ~Aархив')
    """
    return _VARIABLE_OR_WORD.sub(_replacement, text)


def _replacement(match: re.Match[str]) -> str:
    word = match[0]
    if len(word) < LEAST_LETTERS or word.isascii() or not word[0].isalpha():
        return word
    found = {script: chars for script, letters in _SCRIPTS.items() if (chars := letters.findall(word))}
    # Of as many letters of each script, those of the first letter's are the word's own.
    scripts = tuple(sorted(found, key=lambda script: (len(found[script]), word[0] in found[script])))
    if scripts not in _OWN_LETTERS:
        return word
    own, strange = _OWN_LETTERS[scripts], found[scripts[0]]
    is_short_form = len(strange) > 1 and all(map(str.isupper, strange)) and not word.isupper()
    return word.translate(own) if own.keys() >= set(map(ord, strange)) and not is_short_form else word
