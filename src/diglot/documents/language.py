"""In which language a text is written, told from the text; what the page declares settles close calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import islice

import langcodes
from py3langid.langid import MODEL_FILE

from diglot.documents.language_model import CompiledIdentifier

UNDETERMINED = "und"
MIN_LETTERS = 20
"""Fewer letters than this tell nothing about a language written with an alphabet."""
MIN_IDEOGRAPHS = 6
SAMPLE_CHARS = 600
"""How much text a caller need give: beyond it the answers on real pages do not change."""
CLOSE_DISTANCE = 20
"""CLDR language-matching distance within which the declared language is believed: Bokmål and
Nynorsk (20), Danish (12), Croatian and Bosnian (8)."""


def identify(text: str, declared: str = "") -> tuple[str, float]:
    """BCP 47 tag of a text and how sure it is.

    ``declared`` is the language the page claims; it wins only between languages so close that no
    identifier separates them. Chinese and Serbian carry their script (``zh-Hans``, ``sr-Latn``).
    Returns ``(tag, confidence)``, confidence in [0, 1]; ``("und", 0.0)`` for too little text.
    """
    if not _holds(text, str.isalpha, MIN_LETTERS) and not _holds(text, _is_ideograph, MIN_IDEOGRAPHS):
        return UNDETERMINED, 0.0
    lang, confidence = _identifier().classify(text)
    confidence = float(confidence)
    claimed = language_of(declared)
    if claimed and claimed != lang and _close(claimed, lang, text):
        lang = claimed
    return _with_script(lang, text, declared), confidence


def identify_among(text: str, langs: set[str], declared: str = "") -> str:
    """The likeliest of ``langs`` (primary subtags) for a text, "" where the identifier knows none of them."""
    ranking = _identifier().rank(text[: 4 * SAMPLE_CHARS])
    lang = next((lang for lang, _ in ranking if lang in langs), "")
    return _with_script(lang, text[:SAMPLE_CHARS], declared) if lang else ""


@cache
def _identifier() -> CompiledIdentifier:
    identifier: CompiledIdentifier = CompiledIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    return identifier


@cache
def language_of(tag: str) -> str:
    """Primary language subtag of a tag as people write them (``pt_BR``, ``FR-fr``); "" if it is none."""
    try:
        return langcodes.Language.get(tag.strip().replace("_", "-")).language or ""
    except ValueError:
        return ""


@cache
def _distance(first: str, second: str) -> int:
    return int(max(langcodes.tag_distance(first, second), langcodes.tag_distance(second, first)))


def _close(claimed: str, found: str, text: str) -> bool:
    pair = [f"{lang}-Latn" if lang == "sr" and _is_latin(text) else lang for lang in (claimed, found)]
    return _distance(*pair) <= CLOSE_DISTANCE


def _holds(text: str, kind: Callable[[str], bool], count: int) -> bool:
    """Whether a text has as many characters of a kind; reads no further than that takes."""
    return next(islice(filter(kind, text), count - 1, None), None) is not None


def _is_ideograph(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"


def _is_latin(text: str) -> bool:
    return sum(char.isascii() and char.isalpha() for char in text) * 2 > sum(map(str.isalpha, text))


def _with_script(lang: str, text: str, declared: str) -> str:
    if lang == "sr":
        return "sr-Latn" if _is_latin(text) else "sr-Cyrl"
    if lang == "zh":
        return f"zh-{_chinese_script(text, declared)}"
    return lang


def _chinese_script(text: str, declared: str) -> str:
    """Hans or Hant by which national character set the ideographs fit; a tie goes to the declaration."""
    ideographs = "".join(set(filter(_is_ideograph, text)))
    simplified, traditional = _within(ideographs, "gb2312"), _within(ideographs, "big5")
    hans, hant = len(simplified - traditional), len(traditional - simplified)
    if hans == hant and language_of(declared) == "zh":
        return langcodes.Language.get(declared.replace("_", "-")).maximize().script or "Hans"
    return "Hant" if hant > hans else "Hans"


def _within(chars: str, charset: str) -> set[str]:
    """The characters that a charset has."""
    return set(chars.encode(charset, "ignore").decode(charset))
