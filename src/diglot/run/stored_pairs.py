"""The page pairs that a run stores: reading them, and the estimated precision and recall."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.folder import RunFolder
from diglot.documents.language import unidentifiable
from diglot.records import PAIR_SCHEMA, zip_columns
from diglot.run.work import PAIRS

FAILED, EXPECTED = "failed", "expected"
"""Kinds of notes: sites lost while pairing, and why; and for every other site the expected number of pairs by language
pair (``en-fr``), None for recipes without probabilities. Language pairs are left out where nobody can say whether the
site has such pages."""


def expected_pairs(folder: RunFolder, key: str, lang_pairs: Sequence[tuple[str, str]]) -> dict[str, float | None]:
    """Expected number of pairs of every language pair over all sites; None where nobody can say.

    A site that leaves the language pair out counts as nothing beside sites that do not.
    """
    sites = (folder.recall(EXPECTED, key) or {}).values()
    found: dict[str, float | None] = {}
    for src, tgt in lang_pairs:
        numbers = [site[f"{src}-{tgt}"] for site in sites if f"{src}-{tgt}" in site]
        known = [n for n in numbers if n is not None]
        nobody_knows = len(known) < len(numbers) or (not numbers and unidentifiable((src, tgt)))
        found[f"{src}-{tgt}"] = None if nobody_knows else fsum(known)
    return found


def expected_without(folder: RunFolder, key: str, gone: Callable[[str], bool]) -> dict[str, dict[str, float | None]]:
    """The note :data:`EXPECTED` of a run, without the accepted pairs that have an address that is ``gone``.

    A pair counts as its probability. Pairs that were missed stay: nobody knows their addresses.
    """
    found: dict[str, dict[str, float | None]] = {
        site: dict(n) for site, n in (folder.recall(EXPECTED, key) or {}).items()
    }
    pairs = load_pairs(folder, key)
    names = ("site", "src_lang", "tgt_lang", "src_url", "tgt_url", "probability")
    for site, src, tgt, *urls, probability in zip_columns(pairs, *names):
        expected = found.get(site, {}).get(f"{src}-{tgt}")
        if expected is not None and any(map(gone, urls)):
            found[site][f"{src}-{tgt}"] = max(0.0, expected - probability)
    return found


def load_pairs(folder: RunFolder, key: str, *, min_prob: float = 0.0) -> pa.Table:
    """Accepted pairs of a run with a probability of at least ``min_prob``, :data:`diglot.records.PAIR_SCHEMA`."""
    return accepted_pairs(_all_pairs(folder, key), min_prob)


def accepted_pairs(pairs: pa.Table, min_prob: float) -> pa.Table:
    """Accepted pairs with a probability of at least ``min_prob``."""
    return pairs.filter(pc.and_(pairs["accepted"], pc.greater_equal(pairs["probability"], min_prob)))


def load_refused(folder: RunFolder, key: str) -> pa.Table:
    """Refused pairs of a run: the best candidate of every unpaired page."""
    pairs = _all_pairs(folder, key)
    return pairs.filter(pc.invert(pairs["accepted"]))


def _all_pairs(folder: RunFolder, key: str) -> pa.Table:
    pairs = folder.read(PAIRS, key, PAIR_SCHEMA)
    return PAIR_SCHEMA.empty_table() if pairs is None else pairs


class Mass(NamedTuple):
    """Accepted page pairs of a site and language pair (``en-fr``): number, and sum of probabilities."""

    lang_pair: str
    pairs: int
    probability: float


def pair_mass(pairs: pa.Table) -> tuple[Mass, ...]:
    """Numbers of accepted pairs and sums of their probabilities, by site and language pair."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for site, src, tgt, probability in zip_columns(pairs, "site", "src_lang", "tgt_lang", "probability"):
        found[site, f"{src}-{tgt}"].append(probability)
    return tuple(
        Mass(lang_pair, len(probabilities), fsum(probabilities)) for (_, lang_pair), probabilities in found.items()
    )


def estimates(mass: Sequence[Mass], expected: Mapping[str, float | None]) -> dict[str, dict[str, float | None]]:
    """Estimated precision and recall of accepted pairs by language pair and for ``all``.

    ``expected``: expected number of true pairs among the compared pages, by language pair; None for recipes with scores
    but no probabilities. Precision: mean probability of the accepted pairs. Recall: sum of their probabilities over
    ``expected``. None without an estimate.
    """
    of_pair = {pair: [each for each in mass if each.lang_pair == pair] for pair in expected}
    found = {pair: _estimate(of_pair[pair], total) for pair, total in expected.items()}
    known = [total for total in expected.values() if total is not None]
    return {**found, "all": _estimate(mass, fsum(known) if known and len(known) == len(expected) else None)}


def _estimate(mass: Sequence[Mass], expected: float | None) -> dict[str, float | None]:
    if expected is None:
        return {"precision": None, "recall": None}
    count, right = sum(each.pairs for each in mass), fsum(each.probability for each in mass)
    precision = round(right / count, 4) if count else None
    # Accepted pairs may exceed the expectation by chance.
    return {"precision": precision, "recall": round(min(1.0, right / expected), 4) if expected > 0 else None}
