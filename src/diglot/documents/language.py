"""The language of a text, identified from a sample by py3langid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from itertools import islice

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Ints
from diglot.documents.identifier_model import SPOKEN, identifier
from diglot.documents.language_tags import CLOSE_DISTANCE, are_close, language_of
from diglot.documents.text_scripts import MIN_IDEOGRAPHS, in_main_script, is_ideograph, is_latin, with_script
from diglot.languages import SAME_FOR_A_DETECTOR
from diglot.records import rows_where
from diglot.scripts import scripts_of_texts

UNDETERMINED = "und"
MIN_LETTERS = 20
"""Letters of an alphabet below which a text has no known language."""
SAMPLE_CHARS = 600
"""Characters of a sample: with more the answers on real pages do not change."""
MIN_PROSE_CHARS, SAMPLE_PLACES = 40, 8
"""Shortest block taken for prose where there is enough, and number of places sampled on a long page."""
SURE = 0.99
"""Least confidence of an identified language of the site; at this confidence a frequent language is not doubted."""
LEAST_PROBABILITY = 1e-6
"""Least probability of a language: on few words the identifier is too sure."""
CLASSES = (
    "ace af am an ar ary arz as az ba bcl be bg bn br bs ca crh cs cy da de dz el en eo es et eu ext fa fi fo fr "
    "fuv fy ga gcf gcr gd gl gom grc gu gug guw ha hbo he hi hr ht hu hy id ig is it ja jv ka kab kik kk km kn ko "
    "ku ky la lb lg lij ln lo lt ltg lv mg mk ml mn mr ms mt my ne nl nn no nso oc om or pa pcm pl ps pt qu ro ru "
    "rw sa sdh se si sk sl sn so sq sr st sv sw ta te tg th tk tl tr tt ug uk ur uz uzs vec vi vo wa wuu xh yo yue "
    "zh zu zxx"
)
"""Names of the identifier's languages; this list spares a load of the model."""
IDENTIFIED_SCRIPTS = {
    **dict.fromkeys(("az", "ha", "ku", "ms", "tk"), "Latn"),
    **dict.fromkeys(("kk", "ky", "tg"), "Cyrl"),
    "pa": "Guru",
    "ug": "Arab",
}
"""The only script in which the identifier knows a language, of languages written in several by CLDR. It takes
Azerbaijani in Arabic letters for Uzbek, Kazakh for Uyghur, Punjabi for Urdu."""
NO_LANGUAGE = "zxx"
"""Class of the identifier for text without words: check sums, code, numbers."""
NORWEGIAN = frozenset(("nb", "no"))
"""Two tags of Bokmål; the identifier gives ``no``."""


@cache
def identifiable() -> frozenset[str]:
    """Primary subtags of the languages known to the identifier, with the written standards of Norwegian."""
    # The identifier has ``no`` and ``nn``; pages of Bokmål declare ``nb``.
    return frozenset({*map(language_of, CLASSES.split()), "nb"} - SPOKEN.keys())


def unidentifiable(langs: Sequence[str]) -> list[str]:
    """The languages (BCP 47 tags) unknown to the identifier."""
    return [tag for tag in langs if language_of(tag) not in identifiable()]


def identify(text: str, declared: str = "") -> tuple[str, float]:
    """BCP 47 tag of a text and the confidence, in [0, 1]; ``("und", 0.0)`` for too little text, or for text that the
    identifier does not take for words, such as check sums.

    ``declared``: the language that the page claims; it wins only between languages too close for any identifier.
    Chinese and Serbian carry their script (``zh-Hans``, ``sr-Latn``).
    """
    if not _holds(text, str.isalpha, MIN_LETTERS) and not _holds(text, is_ideograph, MIN_IDEOGRAPHS):
        return UNDETERMINED, 0.0
    lang, confidence = identifier().classify(in_main_script(text))
    if lang == NO_LANGUAGE:
        return UNDETERMINED, 0.0
    confidence = float(confidence)
    claimed = language_of(declared)
    if is_indistinguishable(claimed, lang, text):
        lang = claimed
    return with_script(lang, text, declared), confidence


def identify_among(text: str, langs: Set[str], declared: str = "") -> str:
    """The likeliest of ``langs`` (primary subtags) for a text, "" if the identifier knows none."""
    # Bokmål (nb) is the identifier's Norwegian.
    meant = {"no" if lang == "nb" else lang: lang for lang in sorted(langs)}
    ranking = identifier().rank(text[: 4 * SAMPLE_CHARS])
    lang = next((meant[lang] for lang, _ in ranking if lang in meant), "")
    return with_script(lang, text[:SAMPLE_CHARS], declared) if lang else ""


def probabilities(text: str, langs: Set[str] | None = None) -> dict[str, float]:
    """Probability of each language for a text, at least :data:`LEAST_PROBABILITY`.

    ``langs``: primary subtags, None for all that the identifier names; languages unknown to it are left out. Bokmål
    (``nb``), if asked for, is the identifier's Norwegian. The probability of a language not asked for is added to each
    language that the identifier does not tell from it: that of Bosnian to Serbian in Latin letters, for example.
    """
    ranking = identifier().rank(text[:SAMPLE_CHARS])
    chances = {lang: max(float(chance), LEAST_PROBABILITY) for lang, chance in reversed(ranking) if lang not in SPOKEN}
    if langs is None:
        return chances
    others = [lang for lang in chances if lang not in langs | NORWEGIAN and chances[lang] > LEAST_PROBABILITY]
    chances["nb"] = chances["no"]
    return {
        lang: chance
        + sum(chances[other] for other in others if is_indistinguishable(lang, other, text, SAME_FOR_A_DETECTOR))
        for lang, chance in chances.items()
        if lang in langs
    }


def is_identifiable(lang: str) -> bool:
    """Whether the identifier knows a language, or a language too close to it to tell apart."""
    known, primary = identifiable(), language_of(lang)
    return primary in known or any(are_close(primary, other) for other in known)


def is_identifiable_text(text: str, lang: str) -> bool:
    """Whether the identifier knows a language (primary subtag) in the script of a text.

    Latin letters count as known: hardly anybody writes Kyrgyz or Tajik in them, and pages that declare these languages,
    or have a code such as that of Kentucky in their address, are in English.

    >>> is_identifiable_text("Xəbərlər", "az"), is_identifiable_text("خبرلر", "az"), is_identifiable_text("Mmɔ", "tw")
    (True, False, False)
    """
    script = IDENTIFIED_SCRIPTS.get(lang)
    return lang in identifiable() and (script is None or scripts_of_texts([text], lang)[0] in (script, "Latn", ""))


def is_identified(lang: str) -> bool:
    """Whether the identifier can name a language; it takes a text in any other language for one of its own.

    >>> is_identified("nb"), is_identified("sc")
    (True, False)
    """
    return lang in NORWEGIAN or lang in CLASSES.split()


def is_indistinguishable(claimed: str, found: str, text: str, most: int = CLOSE_DISTANCE) -> bool:
    """Whether the claimed language of a text differs from the identified one, and no identifier tells them apart;
    ``most``: largest CLDR distance of such languages."""
    claimed, found = language_of(claimed), language_of(found)
    if not claimed or claimed == found:
        return False
    pair = [f"{lang}-Latn" if lang == "sr" and is_latin(text) else lang for lang in (claimed, found)]
    return are_close(*pair, most)


def meant_language(tag: str, text_of: Callable[[], str], named: Mapping[str, int], found: Mapping[str, int]) -> str:
    """The tag of a text's language, or of an indistinguishable language that the site means instead.

    A language that a mark of the site names stays. Else the site means the language with most marks among the
    indistinguishable ones; without any mark, the language of most pages. ``text_of`` gives the text; ``named``,
    ``found``: marks, and pages, of each language of the site, by primary subtag.

    >>> meant_language("bs", lambda: "Sve je tu", {"sr": 2}, {"bs": 9}), meant_language("bs", str, {"bs": 1}, {"hr": 9})
    ('sr-Latn', 'bs')
    """
    lang = language_of(tag)
    if not lang or lang in named:
        return tag
    text = text_of()
    alike = [other for other in {**named, **found} if is_indistinguishable(other, tag, text, SAME_FOR_A_DETECTOR)]
    best = max([*alike, lang], key=lambda each: (each in named, named.get(each, 0), found.get(each, 0), each))
    return with_script(best, text) if best != lang else tag


def sample_lengths(chars: Ints, sizes: Ints | None = None) -> Ints:
    """Characters to sample from the beginning of each block of ``chars`` characters; shape (blocks,).

    All of a short page. Of a longer page pieces from places that divide the prose evenly, so that the language of most
    of a half-translated page is found. ``sizes``: characters of each block with an ideograph counted as four, which
    tell prose from short blocks; ``chars``, where not given.
    """
    sizes = chars if sizes is None else sizes
    # Code, names and menus, often English, are short: with enough prose left, short blocks do not count.
    is_long = sizes >= MIN_PROSE_CHARS
    if sizes[is_long].sum() >= SAMPLE_CHARS:
        chars = chars * is_long
    ends = np.cumsum(chars)
    if not len(ends) or ends[-1] <= SAMPLE_CHARS:
        return chars
    places = (np.arange(SAMPLE_PLACES) + 0.5) / SAMPLE_PLACES * ends[-1]
    pieces = np.bincount(np.searchsorted(ends, places, side="right"), minlength=len(chars))
    return np.asarray(pieces * (SAMPLE_CHARS // SAMPLE_PLACES), np.int64)


def _holds(text: str, kind: Callable[[str], bool], count: int) -> bool:
    """Whether a text has ``count`` characters of a kind; reads no further than needed."""
    return next(islice(filter(kind, text), count - 1, None), None) is not None


def readable(documents: pa.Table) -> pa.Table:
    """The documents without a reason for which they were dropped."""
    return rows_where(documents, pc.equal(documents["reason"], ""))
