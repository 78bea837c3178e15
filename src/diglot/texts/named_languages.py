"""Two texts to be aligned must be in the languages that ``-l`` names, in their order, and must not be the same text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from diglot.documents.language import (
    SAMPLE_CHARS,
    SAMPLE_PLACES,
    SURE,
    UNDETERMINED,
    identify,
    is_identified,
    is_indistinguishable,
    sample_lengths,
)
from diglot.documents.language_tags import are_related, is_near, language_of
from diglot.errors import UsageError
from diglot.language_names import language_name

_PIECE_CHARS = SAMPLE_CHARS // SAMPLE_PLACES


def require_order(paths: tuple[Path, Path], found: tuple[str, str], langs: tuple[str, str]) -> None:
    """Raise :class:`UsageError` if the first text is in the language named for the second, and the second in that
    of the first. ``found``: the languages of both texts, "" where a language is not sure."""
    named, seen = (tuple(map(language_of, tags)) for tags in (langs, found))
    # Tags of one language differ by the script, and else by regions, which no text tells.
    if found == langs[::-1] != langs or seen == named[::-1] != named:
        names = [path.name for path in paths]
        raise UsageError(f"{names[0]} is in {found[0]} and {names[1]} in {found[1]}; name them in the order of -l")


def require_translations(
    paths: tuple[Path, Path], texts: tuple[Sequence[str], Sequence[str]], langs: tuple[str, str]
) -> None:
    """Raise :class:`UsageError` if a text is in another language than is named for it, or both are the same text.

    ``texts``: their lines or sentences.
    """
    # One line, such as a name, may be its own translation.
    if texts[0] == texts[1] and len(texts[0]) > 1:
        raise UsageError(f"{paths[0].name} and {paths[1].name} hold the same text; name a document and its translation")
    found = [other_language(lines, lang) for lines, lang in zip(texts, langs, strict=True)]
    place = next((place for place in (0, 1) if found[place]), None)
    if place is None:
        return
    own = [other or lang for other, lang in zip(found, langs, strict=True)]
    named = f"{language_name(langs[place])} ({langs[place]})"
    advice = f"name a text in {named}" if len(set(map(language_of, own))) == 1 else f"give -l {','.join(own)}"
    said = f"{paths[place].name} is in {language_name(own[place])} ({own[place]}), and -l names {named}"
    raise UsageError(f"{said}; {advice}")


def sure_language(lines: Sequence[str], langs: tuple[str, str]) -> str:
    """Language of a plain text; "" if it is not sure, or if the languages ``langs`` are hard to tell apart."""
    text = _sample(lines)
    # Croatian may be found as Bosnian and Bosnian as Croatian, in the right order, each with confidence.
    if is_indistinguishable(*langs, text) or is_near(*map(language_of, langs)):
        return ""
    lang, confidence = identify(text)
    return lang if confidence >= SURE else ""


def other_language(lines: Sequence[str], named: str) -> str:
    """Language of a text that is surely not in the language ``named``; "" if it may be.

    A text may quote, and be translated in part. So it is in another language only where no piece of its sample is in
    the named one, or in one that its readers read. A text too short to be sampled may be in any language.
    """
    sample, lang = _sample(lines), language_of(named)
    found, confidence = identify(sample)
    if len(sample) < SAMPLE_CHARS or confidence < SURE or not is_identified(lang):
        return ""
    pieces = (sample[start : start + _PIECE_CHARS] for start in range(0, len(sample), _PIECE_CHARS))
    for each in (found, *(identify(piece)[0] for piece in pieces)):
        if each != UNDETERMINED and (language_of(each) == lang or are_related(lang, language_of(each))):
            return ""
    return found


def _sample(lines: Sequence[str]) -> str:
    taken = sample_lengths(np.array([len(line) for line in lines], np.int64)).tolist()
    return "\n".join(line[:size] for line, size in zip(lines, taken, strict=True) if size)
