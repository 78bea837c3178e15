"""What a run says of pages whose language it cannot tell: how many are lost, and which languages are unknown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan

import langcodes
import pyarrow as pa

from diglot.documents.language import UNDETERMINED, language_of
from diglot.page_language.unlisted import unidentifiable
from diglot.records import Reason


def lost_to_language(documents: pa.Table, langs: Sequence[str]) -> dict[str, int]:
    """Of each wanted language the pages that stand in its edition and were dropped because their language is unknown.

    Their text tells none, or is taken for another because the identifier knows nothing of theirs.
    """
    columns = (documents[name].to_pylist() for name in ("reason", "lang", "edition"))
    unknown = {language_of(tag) for tag in unidentifiable(langs)}
    dropped = (Reason.UNKNOWN_LANGUAGE.value, Reason.OTHER_LANGUAGE.value)
    editions = Counter(
        edition
        for reason, lang, edition in zip(*columns, strict=True)
        if reason in dropped and (lang == UNDETERMINED or edition in unknown)
    )
    return {tag: editions[language_of(tag)] for tag in langs}


def with_lost(
    expected: Mapping[str, float],
    lang_pairs: Sequence[tuple[str, str]],
    pages: Mapping[str, int],
    lost: Mapping[str, int],
) -> dict[str, float]:
    """Pairs to be expected of each language pair (``en-fr``), those of lost pages added.

    ``pages``, ``lost``: of each language those that were compared, and those that were not. A lost page is in a pair as
    often as one that was compared, and always where none was. NaN, nobody can say, of a language that has no page and
    that no text is identified as.
    """
    found = {}
    for src, tgt in lang_pairs:
        if any(not pages[lang] + lost[lang] for lang in unidentifiable((src, tgt))):
            found[f"{src}-{tgt}"] = nan
            continue
        seen = expected[f"{src}-{tgt}"]
        shares = [(lost[lang], min(1.0, seen / pages[lang]) if pages[lang] else 1.0) for lang in (src, tgt)]
        added = sum(count * share for count, share in shares)
        other = min(pages[src] + lost[src], pages[tgt] + lost[tgt])
        found[f"{src}-{tgt}"] = max(seen, min(seen + added, other)) if added else seen
    return found


def unknown_language_notes(langs: Sequence[str]) -> list[str]:
    """A line for each wanted language that no text is identified as."""
    return [
        f"no language identifier here knows {name_of(tag)}: its pages are those that the site declares to be in it; "
        f"--lang 'TEXT={tag}' takes those with TEXT in their address"
        for tag in unidentifiable(langs)
    ]


def name_of(tag: str) -> str:
    """``Tigrinya (ti)``."""
    return f"{langcodes.Language.get(tag).display_name()} ({tag})"


def language_text(tag: str, by: str, edition: str) -> str:
    """What a page was taken for, for people.

    >>> language_text("en", "its own text", "es")
    'English (en), by its own text; the page stands in the edition of Spanish (es)'
    """
    taken = f"{name_of(tag)}, by {by}" if tag != UNDETERMINED else "not known, too little text"
    other = edition and edition != language_of(tag)
    return taken + (f"; the page stands in the edition of {name_of(edition)}" if other else "")
