"""The written form of a language: script and region of a text."""

from __future__ import annotations

import re
from functools import cache

import langcodes
import numpy as np
import pyarrow as pa

from diglot.arrays import Mask
from diglot.words import IDEOGRAPHS

MULTISCRIPT = frozenset(("az", "bs", "kk", "ku", "mn", "ms", "pa", "sd", "sr", "tg", "tk", "ug", "uz"))
"""Languages with more than one script in use, by the supplemental data of CLDR; Chinese has its own rule."""
LEAST_VARIANT_LETTERS = 10
"""Least letters of a text whose script is read."""
LEAST_SHARE = 0.9
"""Least share of the letters in one script."""
LEAST_VARIANT_IDEOGRAPHS = 2
"""Least characters in only one of the national sets, for the script of a Chinese text."""
_SCRIPTS = {
    "Latn": re.compile("[A-Za-z\u00c0-\u024f]"),
    "Cyrl": re.compile("[\u0400-\u052f]"),
    "Arab": re.compile("[\u0620-\u06d3]"),
    "Deva": re.compile("[\u0904-\u0939]"),
    "Guru": re.compile("[\u0a05-\u0a39]"),
}
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")


def variant_of(text: str, lang: str, declared: str = "") -> str:
    """BCP 47 tag of the variant, "" for an unknown variant.

    The script is read from the text unless ``lang`` names one. The region is ``declared`` by the page, since no text
    tells pt-BR from pt-PT for certain; a declared tag of another language is ignored, and so are regions of Chinese.

    >>> variant_of("這是繁體中文，並不難認", "zh"), variant_of("Ово је пример реченице", "sr"), variant_of("Sim", "pt")
    ('zh-Hant', 'sr-Cyrl', '')
    """
    language, script, region = _parts(lang)
    if not script and language == "zh":
        script = _chinese_script(text)
    elif not script and language in MULTISCRIPT:
        script = _script(text)
    declared_language, _, declared_region = _parts(declared)
    if not region and declared_language == language and language != "zh":
        region = declared_region
    tag = "-".join(filter(None, (language, script, region)))
    return tag if script or region else ""


def is_read_from_text(lang: str) -> bool:
    """Whether the variant of a language depends on the text."""
    language, script, _ = _parts(lang)
    return not script and (language == "zh" or language in MULTISCRIPT)


def has_other_ideographs(texts: pa.Array, tag: str) -> Mask:
    """Mask of texts in simplified characters where the tag names traditional ones, or the reverse; shape (texts,).

    A Chinese tag names them by its script or region: ``zh-Hant``, ``zh-TW``. Most short texts have too few characters
    that are in one national set alone, and pass.
    """
    language, script, region = _parts(tag)
    named = (script or langcodes.Language.get(tag).maximize().script) if language == "zh" and (script or region) else ""
    if not named:
        return np.zeros(len(texts), bool)
    return np.array([_chinese_script(text) not in ("", named) for text in texts.to_pylist()], bool)


@cache
def _parts(tag: str) -> tuple[str, str, str]:
    """Language, script and region of a tag; "" for a missing part, and for all parts of an invalid tag."""
    try:
        parsed = langcodes.Language.get(tag.strip().replace("_", "-"))
    except ValueError:
        return "", "", ""
    return parsed.language or "", parsed.script or "", parsed.territory or ""


def _script(text: str) -> str:
    counts = {script: len(letters.findall(text)) for script, letters in _SCRIPTS.items()}
    script = max(counts, key=lambda name: counts[name])
    enough = sum(counts.values()) >= LEAST_VARIANT_LETTERS and counts[script] >= LEAST_SHARE * sum(counts.values())
    return script if enough else ""


def _chinese_script(text: str) -> str:
    """Hans or Hant by the characters that only one of the national character sets holds."""
    kinds = [_national_set(char) for char in _IDEOGRAPH.findall(text)]
    hans, hant = kinds.count("Hans"), kinds.count("Hant")
    if max(hans, hant) < LEAST_VARIANT_IDEOGRAPHS or max(hans, hant) < LEAST_SHARE * (hans + hant):
        return ""
    return "Hans" if hans > hant else "Hant"


@cache
def _national_set(char: str) -> str:
    simplified, traditional = _is_in(char, "gb2312"), _is_in(char, "big5")
    return "" if simplified == traditional else "Hans" if simplified else "Hant"


def _is_in(char: str, charset: str) -> bool:
    try:
        char.encode(charset)
    except UnicodeEncodeError:
        return False
    return True
