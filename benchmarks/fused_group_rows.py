"""What speaks for the pairs that groups over all languages make on an evaluation site, and what gold says of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fused_sites import Case, read_documents
from gold_verdicts import lang_pair, read_gold

from diglot.arrays import Floats, Mask
from diglot.documents.language import readable
from diglot.documents.language_tags import language_of
from diglot.pairing.fused.decision import Outcome
from diglot.pairing.fused.groups import MAX_PAGES, MIN_LANGS, log_odds, pairs_in_groups
from diglot.site import split_sites


@dataclass(frozen=True)
class GroupRows:
    """Pairs in groups: ``features`` (n, 3); ``right``, ``unclear`` and ``ignored`` masks; gold pairs of the site."""

    features: Floats
    right: Mask
    unclear: Mask
    ignored: Mask
    gold_pairs: int


def group_rows(folder: Path, cases: Sequence[Case], outcomes: Sequence[Outcome], documents: Path) -> GroupRows | None:
    """Pairs in groups of the language pairs that have gold; None for a site that is not put in groups."""
    gold = read_gold(folder)
    tags = sorted({tag for langs in gold.pairs for tag in langs})
    (site,) = split_sites(readable(read_documents(folder, documents, tags)), together=True)
    langs = sorted({tag for case in cases for tag in case.langs}, key=lambda tag: (language_of(tag) != "en", tag))
    if len(langs) < MIN_LANGS or len(site) > MAX_PAGES:
        return None
    sure = {case.langs: outcome for case, outcome in zip(cases, outcomes, strict=True) if not outcome.notes}
    odds = {langs: (outcome.pairs, log_odds(outcome.probability)) for langs, outcome in sure.items()}
    pairs, features = pairs_in_groups(site, langs, odds)
    spoken = site.strings("lang")
    kept = np.array([(spoken[i], spoken[j]) in sure for i, j in pairs.tolist()], bool)
    urls = [(site.urls[i], site.urls[j]) for i, j in pairs[kept].tolist()]
    verdicts = [
        gold.right(lang_pair(spoken[i], spoken[j]), *pair)
        for (i, j), pair in zip(pairs[kept].tolist(), urls, strict=True)
    ]
    right, unclear = (np.array([verdict is kind for verdict in verdicts], bool) for kind in (True, None))
    ignored = np.array([frozenset(pair) in gold.ignored for pair in urls], bool)
    return GroupRows(features[kept], right, unclear, ignored, sum(map(len, gold.pairs.values())))
