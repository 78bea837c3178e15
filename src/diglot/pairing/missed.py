"""Page pairs that were probably missed: implied by a third language, or hidden by wrong pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import fsum

import pyarrow as pa

from diglot.records import zip_columns


def implied_pairs(pairs: pa.Table, lang_pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Expected number of missed pairs of each language pair (``en-fr``), from the accepted ones of a site.

    ``pairs``: :data:`diglot.records.PAIR_SCHEMA`. Two pages that are paired with one page of a third language, and with
    no page of each other's language, translate each other if both pairs are right: the product of their probabilities,
    or the largest of several. Pages that a site really lacks stand in no pair and add nothing.
    """
    partners: defaultdict[tuple[str, str], dict[tuple[str, str], float]] = defaultdict(dict)
    names = ("src_lang", "src_url", "tgt_lang", "tgt_url", "probability")
    accepted = pairs.filter(pairs["accepted"])
    for src_lang, src, tgt_lang, tgt, chance in zip_columns(accepted, *names):
        partners[src_lang, src][tgt_lang, tgt] = partners[tgt_lang, tgt][src_lang, src] = chance
    spoken = {page: {lang for lang, _ in found} for page, found in partners.items()}
    implied: dict[tuple[tuple[str, str], tuple[str, str]], float] = {}
    for found in partners.values():
        for one, other in combinations(sorted(found), 2):
            if one[0] not in spoken[other] and other[0] not in spoken[one]:
                chance = found[one] * found[other]
                implied[one, other] = max(chance, implied.get((one, other), 0.0))
    missed: defaultdict[frozenset[str], list[float]] = defaultdict(list)
    for pages, chance in implied.items():
        missed[frozenset(lang for lang, _ in pages)].append(chance)
    return {f"{src}-{tgt}": fsum(missed[frozenset((src, tgt))]) for src, tgt in lang_pairs}


def hidden_pairs(pairs: pa.Table, pages: Mapping[str, int], lang_pairs: Sequence[tuple[str, str]]) -> dict[str, float]:
    """Expected number of pairs missed because a wrong pair took their pages, by language pair (``en-fr``).

    ``pairs``: :data:`diglot.records.PAIR_SCHEMA`; ``pages``: number of pages of each language. The chance of a
    wrong pair is 1 less its probability. Each page of a wrong pair misses a partner as often as pages have partners.
    """
    right: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    accepted = pairs.filter(pairs["accepted"])
    for src, tgt, chance in zip_columns(accepted, "src_lang", "tgt_lang", "probability"):
        right[src, tgt].append(chance)
    hidden = {}
    for src, tgt in lang_pairs:
        found = fsum(right[src, tgt])
        shares = (min(1.0, found / max(pages[lang], 1)) for lang in (src, tgt))
        # There are no more pairs than pages of the smaller language.
        most = max(0.0, min(pages[src], pages[tgt]) - found)
        hidden[f"{src}-{tgt}"] = min(most, (len(right[src, tgt]) - found) * fsum(shares))
    return hidden
