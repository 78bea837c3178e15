"""What the scripts about `fused` read: sites with gold, evidence of their language pairs, and plain scores."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.feather as feather
from dev_sites import shuffle_warc

from diglot.documents.settle import readable
from diglot.harvest import read_sources
from diglot.pairing.fused import evidence_of
from diglot.pairing.near_copies import near_copies
from diglot.pairing.orphans import Evidence
from diglot.pairing.terms import Terms, site_terms
from diglot.run import RunFolder
from diglot.settings import make_settings
from diglot.site import Pairs, split_sites
from diglot.stages import DOCUMENTS, done_key, load_documents

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Case:
    """Two languages of a site: evidence of the candidates, and which of them are gold or to be ignored."""

    site: str
    evidence: Evidence
    terms: Terms
    training: Pairs
    copies: dict[int, tuple[int, ...]]
    gold: Mask
    ignored: Mask
    gold_pairs: int


def cases(folder: Path, *, most: int, documents: Path | None = None) -> list[Case]:
    """Cases of a site's folder, of the ``most`` language pairs with most gold (0: all).

    ``documents``: folder in which the parsed pages are kept between runs.
    """
    gold, ignored = url_pairs(folder / "gold.tsv"), url_pairs(folder / "ignore.tsv")
    lang_pairs = sorted(gold, key=lambda langs: (-len(gold[langs]), langs))[: most or None]
    found = []
    for site in split_sites(
        readable(read_documents(folder, documents, sorted({tag for pair in gold for tag in pair})))
    ):
        tags = {tag.lower(): tag for tag in set(site.strings("lang"))}
        for langs in lang_pairs:
            gathered = evidence_of(site, *(tags.get(lang, lang) for lang in langs))
            if gathered is None:
                continue
            evidence, training = gathered
            urls = [frozenset((site.urls[i], site.urls[j])) for i, j in evidence.pairs.tolist()]
            right = np.array([pair in gold[langs] for pair in urls], bool)
            skipped = np.array([pair in ignored.get(langs, ()) for pair in urls], bool) & ~right
            sizes = len(gold[langs])
            found.append(
                Case(folder.name, evidence, site_terms(site), training, near_copies(site), right, skipped, sizes)
            )
    return found


def read_documents(folder: Path, kept: Path | None, tags: list[str]) -> object:
    """The records of a site's pages, in shuffled order."""
    cache = kept and kept / f"{folder.name}.arrow"
    if cache and cache.exists():
        return feather.read_table(cache)
    with tempfile.TemporaryDirectory() as temporary:
        shuffled = shuffle_warc(folder / "pages.warc.gz", Path(temporary) / "pages.warc.gz")
        read_sources(shuffled, tags, Path(temporary) / "run")
        with RunFolder(Path(temporary) / "run") as opened:
            documents = load_documents(opened, make_settings(tags), done_key(opened, DOCUMENTS, "diglot read"))
    if cache:
        feather.write_feather(documents, cache)
    return documents


def url_pairs(path: Path) -> dict[tuple[str, str], set[frozenset[str]]]:
    """Address pairs of a file lang1 lang2 url1 url2, by language pair."""
    found: dict[tuple[str, str], set[frozenset[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            first, second, *urls = line.split("\t")[:4]
            found.setdefault((first, second), set()).add(frozenset(urls))
    return found


def strict_f1(cases: list[Case], probabilities: list[Floats]) -> tuple[float, float, float, float]:
    """Strict precision, recall, F1 and expected calibration error of the pairs judged, over all cases of a site."""
    taken = right = gold = 0
    told: list[Floats] = []
    for case, probability in zip(cases, probabilities, strict=True):
        counts = ~case.ignored & ~np.isnan(probability)
        accepted = counts & (probability >= 0.5)
        taken, right = taken + int(accepted.sum()), right + int((accepted & case.gold).sum())
        gold += case.gold_pairs
        told.append(np.stack([probability[counts], case.gold[counts]], axis=1))
    precision, recall = right / max(taken, 1), right / max(gold, 1)
    return precision, recall, 2 * right / max(taken + gold, 1), calibration_error(np.concatenate(told))


def calibration_error(told: Floats) -> float:
    """Mean gap of probability and share right over ten bins, weighted by their size; rows (probability, right)."""
    bins = np.minimum((told[:, 0] * 10).astype(int), 9)
    gaps = [abs(told[bins == k, 0].sum() - told[bins == k, 1].sum()) for k in range(10)]
    return float(sum(gaps) / max(len(told), 1))
