"""In which language a text is written: told from the text and, where it is short, from the other pages of the run."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import cache
from itertools import islice
from typing import Any

import langcodes
import numpy as np
import py3langid.langid as langid
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Singles
from diglot.documents.identifier_model import read_model
from diglot.documents.language_kernels import features, sums
from diglot.records import rows_where

UNDETERMINED = "und"
MIN_LETTERS = 20
"""Fewer letters than this tell nothing about a language written with an alphabet."""
MIN_IDEOGRAPHS = 6
"""The same of ideographs, kana and syllables of Hangul, of which each says more."""
SAMPLE_CHARS = 600
"""How much text a caller need give: beyond it the answers on real pages do not change."""
CLOSE_DISTANCE = 20
"""CLDR language-matching distance within which the declared language is believed: Bokmål and
Nynorsk (20), Danish (12), Croatian and Bosnian (8)."""
SURE = 0.99
"""Confidence from which an identified language counts as the site's and is left alone when it is common."""
LEAST_PROBABILITY = 1e-6
"""Of a language that is asked for."""
CLASSES = (
    "ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa fi fo fr "
    "fuv fy ga gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk km kn ko "
    "ku ky la lb lg lij ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa pcm pl ps pt qu ro ru "
    "rw sa sdh se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi vo wa wuu xh yo yue "
    "zh zu zxx"
)
"""Languages that the identifier knows, by its own names: to ask which they are need not load its model."""


@cache
def language_of(tag: str) -> str:
    """Primary language subtag of a tag as people write them (``pt_BR``, ``FR-fr``); "" if it is none."""
    try:
        return langcodes.Language.get(tag.strip().replace("_", "-")).language or ""
    except ValueError:
        return ""


@cache
def is_language(lang: str) -> bool:
    """Whether a primary subtag is one of the registry."""
    return bool(lang) and langcodes.Language.get(lang).is_valid()


@cache
def identifiable() -> frozenset[str]:
    """Primary subtags of the languages that the identifier knows; the written standards of Norwegian are among them."""
    known = set(map(language_of, CLASSES.split()))
    return frozenset(known | {lang for lang in ("nb",) if "no" in known})


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
    if no_identifier_tells(claimed, lang, text):
        lang = claimed
    return with_script(lang, text, declared), confidence


def identify_among(text: str, langs: Set[str], declared: str = "") -> str:
    """The likeliest of ``langs`` (primary subtags) for a text, "" where the identifier knows none of them."""
    ranking = _identifier().rank(text[: 4 * SAMPLE_CHARS])
    lang = next((lang for lang, _ in ranking if lang in langs), "")
    return with_script(lang, text[:SAMPLE_CHARS], declared) if lang else ""


def probabilities(text: str, langs: Set[str] | None = None) -> dict[str, float]:
    """Of each of some languages (primary subtags, None for all) how likely a text is in it; those unknown to the
    identifier left out. No less than :data:`LEAST_PROBABILITY` each: on few words the identifier is too sure."""
    ranking = _identifier().rank(text[:SAMPLE_CHARS])
    return {
        lang: max(float(chance), LEAST_PROBABILITY)
        for lang, chance in reversed(ranking)
        if langs is None or lang in langs
    }


def is_identifiable(lang: str) -> bool:
    """Whether the identifier knows a language, or one so close that it takes the one for the other."""
    known, primary = CLASSES.split(), language_of(lang)
    return primary in known or any(are_close(primary, other) for other in known)


@cache
def are_close(first: str, second: str) -> bool:
    """Whether two languages are one, or so close by CLDR that no identifier separates them."""
    distances = (langcodes.tag_distance(*pair) for pair in ((first, second), (second, first)))
    return bool(max(distances) <= CLOSE_DISTANCE)


def no_identifier_tells(claimed: str, found: str, text: str) -> bool:
    """Whether the claimed language of a text is another than the one found, and no identifier tells them apart."""
    claimed, found = language_of(claimed), language_of(found)
    if not claimed or claimed == found:
        return False
    pair = [f"{lang}-Latn" if lang == "sr" and _is_latin(text) else lang for lang in (claimed, found)]
    return are_close(*pair)


def _holds(text: str, kind: Callable[[str], bool], count: int) -> bool:
    """Whether a text has as many characters of a kind; reads no further than that takes."""
    return next(islice(filter(kind, text), count - 1, None), None) is not None


def _is_ideograph(char: str) -> bool:
    return "\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3"


def _is_latin(text: str) -> bool:
    return sum(char.isascii() and char.isalpha() for char in text) * 2 > sum(map(str.isalpha, text))


def with_script(lang: str, text: str, declared: str = "") -> str:
    """Tag of a language, with the script of the text where sites write the language in two."""
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


def readable(documents: pa.Table) -> pa.Table:
    """The rows without a reason to be dropped."""
    return rows_where(documents, pc.equal(documents["reason"], ""))


@cache
def _identifier() -> CompiledIdentifier:
    """The model that ships with py3langid, loaded once a process."""
    model = read_model()
    return CompiledIdentifier(*model[:4], model.outputs, norm_probs=True, tk_row=model.rows)


class CompiledIdentifier(langid.LanguageIdentifier):  # type: ignore[misc]
    """An identifier that gives py3langid's answers in a tenth of its time (confidence to four digits).

    It replaces the one method that takes the time: should another version have none of that name,
    the answers are as right and slow.
    """

    def __init__(self, nb_ptc: Any, *args: Any, **options: Any) -> None:
        # C knows no floats of 16 bits, as the model has them.
        super().__init__(np.asarray(nb_ptc, np.float32), *args, **options)
        states = np.column_stack((self.tk_row, self.tk_output)).astype(np.int32)
        self._automaton = np.asarray(self.tk_nextmove, np.uint32).reshape(-1, 256), states

    def _raw_score(self, text: bytes) -> Singles:
        found = features(text, *self._automaton)
        if not len(found):
            none: Singles = super()._raw_score(b"")
            return none
        scores: Singles = sums(np.sort(found), self.nb_ptc) + self.nb_pc
        return scores
