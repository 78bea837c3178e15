"""What the scripts about `fused` read: sites with gold, evidence of their language pairs, and plain scores."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.feather as feather
from dev_sites import shuffle_warc
from gold_verdicts import ACCEPTED, Gold, LangPair, read_gold

from diglot.arrays import Floats, Mask
from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.documents.language_tags import language_of
from diglot.harvesting import read_sources
from diglot.pairing.fused.decision import Outcome, decide
from diglot.pairing.fused.evidence import Evidence, compare, gather
from diglot.pairing.fused.matching import Matching, first_matching, self_train
from diglot.pairing.fused.prior import Prior, read_prior
from diglot.pairing.fused.words import SiteWords, site_words
from diglot.run.resolve import load_documents
from diglot.run.settings import make_settings
from diglot.run.work import DOCUMENTS, stage_key
from diglot.site import Site, split_sites


@dataclass(frozen=True)
class Case:
    """Two languages of a site: evidence of the candidates, and which of them are gold, to be ignored by the scorer, or
    without a word in gold (among them the ignored)."""

    site: str
    langs: LangPair
    evidence: Evidence
    words: SiteWords
    matching: Matching
    gold: Mask
    ignored: Mask
    unclear: Mask
    gold_pairs: int


def cases(folder: Path, *, most: int = 0, least_gold: int = 0, documents: Path | None = None) -> list[Case]:
    """Cases of a site's folder, of the language pairs with most gold: ``most`` of them, or as many as it takes to have
    ``least_gold`` gold pairs; 0 for all.

    ``documents``: folder in which parsed pages are kept between runs.
    """
    gold = read_gold(folder)
    chosen = choose({langs: len(pairs) for langs, pairs in gold.pairs.items()}, most=most, least_gold=least_gold)
    tags = sorted({tag for langs in gold.pairs for tag in langs})
    return [
        case
        for site in split_sites(readable(read_documents(folder, documents, tags)), together=True)
        for langs in chosen
        if (case := case_of(folder.name, site, langs, gold)) is not None
    ]


def choose(sizes: dict[LangPair, int], *, most: int, least_gold: int) -> list[LangPair]:
    """Language pairs, those with most gold first, until there are enough of them."""
    ordered = sorted(sizes, key=lambda langs: (-sizes[langs], langs))[: most or None]
    before = np.cumsum([0, *(sizes[langs] for langs in ordered)])
    return [langs for langs, count in zip(ordered, before, strict=False) if not least_gold or count < least_gold]


def case_of(name: str, site: Site, langs: LangPair, gold: Gold) -> Case | None:
    """The case of two languages, English or the first of the alphabet as source; None without candidates."""
    known = {tag.lower(): tag for tag in set(site.strings("lang"))}
    src, tgt = sorted((known.get(tag, tag) for tag in langs), key=lambda tag: (language_of(tag) != "en", tag))
    rows = site.rows_of(src), site.rows_of(tgt)
    matching = self_train(site, *rows, first_matching(site, *rows))
    evidence = gather(compare(site, rows, matching), read_prior().level)
    if not len(evidence.pairs):
        return None
    urls = [(site.urls[i], site.urls[j]) for i, j in evidence.pairs.tolist()]
    verdicts = [gold.right(langs, *pair) for pair in urls]
    ignored = np.array([frozenset(pair) in gold.ignored for pair in urls], bool)
    right, unclear = (np.array([verdict is kind for verdict in verdicts], bool) for kind in (True, None))
    size = len(gold.pairs[langs])
    return Case(name, (src, tgt), evidence, site_words(site), matching, right, ignored, unclear, size)


def decided(case: Case, prior: Prior | None = None) -> Outcome:
    """What the recipe makes of a case, with these numbers of other sites or its own."""
    return decide(case.evidence, case.words, case.matching, prior or read_prior(), np.random.default_rng(0))


def read_documents(folder: Path, kept: Path | None, tags: list[str]) -> object:
    """The records of a site's pages, in shuffled order."""
    cache = kept and kept / f"{folder.name}.arrow"
    if cache and cache.exists():
        return feather.read_table(cache)
    with tempfile.TemporaryDirectory() as temporary:
        shuffled = shuffle_warc(folder / "pages.warc.gz", Path(temporary) / "pages.warc.gz")
        read_sources(shuffled, tags, Path(temporary) / "run")
        with RunFolder(Path(temporary) / "run") as opened:
            documents = load_documents(opened, make_settings(tags), stage_key(opened, DOCUMENTS, "diglot read"))
    if cache:
        feather.write_feather(documents, cache)
    return documents


def strict_f1(cases: Sequence[Case], probabilities: Sequence[Floats]) -> float:
    """Strict F1 over all cases of a site."""
    taken = right = gold = 0
    for case, probability in zip(cases, probabilities, strict=True):
        accepted = ~case.ignored & (np.nan_to_num(probability) >= ACCEPTED)
        taken, right = taken + int(accepted.sum()), right + int((accepted & case.gold).sum())
        gold += case.gold_pairs
    return 2 * right / max(taken + gold, 1)


def told(cases: Sequence[Case], probabilities: Sequence[Floats]) -> Floats:
    """Rows (probability, right) of the pairs of the matching of which gold says something."""
    rows = [np.zeros((0, 2))]
    for case, probability in zip(cases, probabilities, strict=True):
        known = ~case.unclear & ~np.isnan(probability)
        rows.append(np.stack([probability[known], case.gold[known]], axis=1))
    return np.concatenate(rows)
