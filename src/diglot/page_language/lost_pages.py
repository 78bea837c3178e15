"""Pages dropped because their language cannot be told: counts, and their effect on the expected number of pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import nan

import pyarrow as pa
import pyarrow.compute as pc

from diglot.documents.language import UNDETERMINED, unidentifiable
from diglot.documents.language_tags import is_near, language_of
from diglot.language_names import language_name
from diglot.reasons import Reason
from diglot.records import BlockKind, zip_columns

DOUBTFUL = 0.5
"""Weight of a page in a language near a wanted one: no identifier tells the two languages apart on a single page."""


def lost_to_language(documents: pa.Table, langs: Sequence[str]) -> dict[str, float]:
    """Expected number of pages of each wanted language that were dropped because of their language.

    The number is the sum of three: pages in the language version of the language with text too short to identify;
    pages in that version, if the identifier does not know the language and takes it for another one; half of the pages
    without language version that are in unwanted languages near the language (:data:`DOUBTFUL`). A page of a title
    alone, such as one that shows a picture, has nothing to translate and does not count.
    """
    unknown = {language_of(tag) for tag in unidentifiable(langs)}
    versions, others = Counter[str](), Counter[str]()
    reasons = pa.array([Reason.UNKNOWN_LANGUAGE.value, Reason.OTHER_LANGUAGE.value])
    # Filtered first: few pages are dropped for these reasons, and each page has many blocks.
    dropped = documents.filter(pc.is_in(documents["reason"], reasons))
    for lang, version, kinds in zip_columns(dropped, "lang", "edition", "block_kinds"):
        if all(kind == BlockKind.TITLE for kind in kinds):
            continue
        if lang == UNDETERMINED or version in unknown:
            versions[version] += 1
        # Where the language version is known, it tells near languages apart.
        elif not version:
            others[language_of(lang)] += 1
    near = {tag: sum(others[lang] for lang in others if is_near(language_of(tag), lang)) for tag in langs}
    return {tag: versions[language_of(tag)] + DOUBTFUL * near[tag] for tag in langs}


def with_lost(
    expected: Mapping[str, float],
    lang_pairs: Sequence[tuple[str, str]],
    pages: Mapping[str, int],
    lost: Mapping[str, float],
) -> dict[str, float]:
    """Expected page pairs of each language pair (``en-fr``), with pairs of lost pages added.

    ``pages``, ``lost``: number of pages of each language that were compared, and expected number of those that were
    not. A lost page is in a pair as often as a compared one, and always where none was compared. NaN if a language
    of the pair has no pages and is unknown to the identifier: nobody can say.
    """
    totals = {}
    for src, tgt in lang_pairs:
        if any(not pages[lang] + lost[lang] for lang in unidentifiable((src, tgt))):
            totals[f"{src}-{tgt}"] = nan
            continue
        found = expected[f"{src}-{tgt}"]
        shares = [(lost[lang], min(1.0, found / pages[lang]) if pages[lang] else 1.0) for lang in (src, tgt)]
        added = sum(count * share for count, share in shares)
        most = min(pages[src] + lost[src], pages[tgt] + lost[tgt])
        totals[f"{src}-{tgt}"] = max(found, min(found + added, most)) if added else found
    return totals


def unknown_language_notes(langs: Sequence[str]) -> list[str]:
    """A note on the wanted languages unknown to the identifier, if any."""
    if not (unknown := unidentifiable(langs)):
        return []
    return [
        f"no language identifier here knows {', '.join(map(name_of, unknown))}: only pages that declare or name such a "
        "language, in a script that CLDR has for it, or are taken for one of the same macrolanguage, are found; "
        f"--lang 'TEXT={unknown[0]}' adds pages with TEXT in their address"
    ]


def name_of(tag: str) -> str:
    """``Tigrinya (ti)``."""
    return f"{language_name(tag)} ({tag})"
