"""Score the pairs, segments or beads of a run or a file against gold."""

from __future__ import annotations

import math
from collections.abc import Collection, Set
from pathlib import Path

import langcodes
import pyarrow as pa
import pyarrow.compute as pc

from diglot.checked_arguments import check_values
from diglot.disk.safe_read import read_named_text
from diglot.documents.language import readable
from diglot.duplicates.equal import page_texts
from diglot.errors import UsageError
from diglot.evaluation.bead_scores import BeadScores, read_beads, score_beads
from diglot.evaluation.comparison import GoldScores, score_proposals
from diglot.evaluation.gold import GoldSet, ProposedPair, fold_tag, read_pairs, tab_fields
from diglot.evaluation.segments import (
    SegmentScores,
    TextPair,
    evaluate_segments,
    read_pivot_segments,
    read_segments,
)
from diglot.evaluation.soft_recall import pages_to_read
from diglot.languages import LangPair, language_pairs, parse_languages
from diglot.results.run import Run
from diglot.run.ledger import mark_repeated_addresses
from diglot.run.read import load_records
from diglot.run.striking import is_merge
from diglot.run.work import DOCUMENTS, PAIRS, stage_key


def score_pairs(found: Path, gold: GoldSet, *, langs: str = "", min_prob: float = 0.0) -> GoldScores:
    """Score the page pairs of a run folder or of a TSV file.

    ``langs``: only pairs of these languages, by default the languages of the run, for a file those of the gold;
    ``min_prob``: least probability of a pair. Soft recall compares the texts of a run's pages; a merge of runs and a
    file hold no texts.

    Raises: SourceError for an unreadable file; UsageError where nothing is left to compare.
    """
    check_values({"min_prob": min_prob})
    run = Run(found) if (found / "journal.db").is_file() else None
    proposed = _run_pairs(run) if run else read_pairs(found)
    if min_prob > 0:
        proposed = _probable(proposed, min_prob, found)
    asked = _lang_pairs(run, langs, found)
    if not gold.pairs:
        raise UsageError(f"{gold.name} has no pair; a line of gold is lang1, lang2, url1, url2, divided by tabs")
    if asked:
        gold = gold.of_languages(asked)
        proposed = _of_languages(proposed, asked)
    if run is None or is_merge(run.folder):
        return score_proposals(proposed, gold)
    records = load_records(run.folder, stage_key(run.folder, DOCUMENTS, "diglot read ... -o {run}"))
    known = set(records["url"].to_pylist())
    gold = gold.spelled_like(known)
    return score_proposals(proposed, gold, _texts(records, gold, proposed), known)


def score_segments(aligned: Path, gold: Path, *, langs: str = "", pivot: str = "en") -> SegmentScores:
    """Score a TSV of segments against gold; with ``langs``, the gold file holds several languages and a pivot."""
    wanted = _gold_segments(gold, langs, pivot)
    if not wanted:
        raise UsageError(f"{gold} has no segment pair; a line of gold is source and target, divided by a tab")
    return evaluate_segments(read_segments(aligned), wanted)


def _gold_segments(gold: Path, langs: str, pivot: str) -> list[TextPair]:
    tags = parse_languages(langs) if langs else ()
    if len(tags) not in (0, 2):
        raise UsageError(f"-l {langs}: segments are of two languages, as in -l en,fr")
    return list(read_pivot_segments(gold, *tags, pivot=pivot) if tags else read_segments(gold))


def mistaken_columns(aligned: Path, gold: Path, scores: SegmentScores, *, langs: str = "", pivot: str = "en") -> str:
    """Advice on columns in another order, where few sources of the gold are those of segments; "" for no advice.

    ``scores``: of :func:`score_segments`, with the same options.
    """
    # Names and numbers, which are the same in both languages, are found in any column.
    if 2 * scores.covered >= scores.gold:
        return ""
    rows = [fields for _, fields in tab_fields(gold)]
    if not langs and all(len(fields) > 3 and langcodes.tag_is_valid(fold_tag(fields[1])) for fields in rows):
        return f"{gold} holds document, language, pivot text, translation: name the pair, as in -l en,fr"
    turned = evaluate_segments(((tgt, src) for src, tgt in read_segments(aligned)), _gold_segments(gold, langs, pivot))
    if turned.covered <= scores.covered:
        return ""
    remedy = f"-l {','.join(reversed(parse_languages(langs)))}" if langs else "change its columns round"
    return f"the sources of {gold} are the targets of {aligned}: {remedy}"


def score_bead_files(test: Path, gold: Path) -> BeadScores:
    """Score a file of beads against gold; :class:`SourceError` names the file and line of an invalid bead."""
    test_beads, gold_beads = (read_beads(read_named_text(path).splitlines(), str(path)) for path in (test, gold))
    if not gold_beads:
        raise UsageError(f'{gold} has no bead; a line of gold is a bead, such as "[0, 1]:[2]"')
    return score_beads(gold_beads, test_beads)


def _run_pairs(run: Run) -> list[ProposedPair]:
    """The page pairs of the run, best first."""
    stage_key(run.folder, PAIRS, "diglot pair {run}")
    return [ProposedPair(p.src_url, p.tgt_url, p.probability, p.src_lang, p.tgt_lang) for p in run.pairs()]


def _probable(proposed: list[ProposedPair], min_prob: float, found: Path) -> list[ProposedPair]:
    """Proposals of at least this probability; UsageError if no proposal has a probability."""
    kept = [pair for pair in proposed if pair.probability >= min_prob]
    if proposed and all(math.isnan(pair.probability) for pair in proposed):
        raise UsageError(f"--min-prob {min_prob:g}: {found} has no probabilities; leave the option out")
    return kept


def _lang_pairs(run: Run | None, langs: str, found: Path) -> list[LangPair]:
    """Language pairs to score; [] for all of the gold."""
    pairs = run.settings.language_pairs() if run else []
    if not langs:
        return pairs
    tags = parse_languages(langs)
    if not run:
        return language_pairs(tags)
    kept = [pair for pair in pairs if set(pair) <= set(tags)]
    if not kept:
        there = ", ".join(f"{src}-{tgt}" for src, tgt in pairs)
        raise UsageError(f"--langs {langs}: {found} has no such pair; it has: {there}")
    return kept


def _of_languages(proposed: list[ProposedPair], asked: Collection[LangPair]) -> list[ProposedPair]:
    """Proposals of these language pairs, and proposals without languages."""
    wanted = {frozenset(pair) for pair in asked}
    return [pair for pair in proposed if not pair.src_lang or frozenset((pair.src_lang, pair.tgt_lang)) in wanted]


def _texts(records: pa.Table, gold: GoldSet, proposed: list[ProposedPair]) -> dict[str, str]:
    """Texts of the pages that soft recall compares, by address."""
    wanted = {frozenset((pair.url1, pair.url2)) for pair in gold.pairs}
    pairs = [frozenset((pair.src_url, pair.tgt_url)) for pair in proposed]
    return texts_of(records, pages_to_read(wanted, pairs))


def texts_of(records: pa.Table, urls: Set[str]) -> dict[str, str]:
    """Texts of the readable pages with these addresses."""
    chosen = records.filter(pc.is_in(records["url"], value_set=pa.array(sorted(urls), pa.string())))
    pages = readable(mark_repeated_addresses(chosen))
    return dict(zip(pages["url"].to_pylist(), page_texts(pages), strict=True))
