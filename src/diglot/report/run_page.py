"""The report of a run as one HTML file: ``RUN/report.html``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from diglot.arrays import Floats, Ints
from diglot.corpus.shown_segments import shown_segments
from diglot.disk.atomic import replacing
from diglot.pages.media import HTML
from diglot.pairing.cascade import Contributions
from diglot.records import zip_columns
from diglot.report.figures import score_steps
from diglot.report.headline import headline
from diglot.report.one_file import REPORT_SCRIPTS, json_block, one_file, pack
from diglot.report.shown_rows import Shown, choose_rows
from diglot.report.tables import RunTables

REPORT_NAME = 'Diglot <span class="faint">report</span>'
"""Name in the bar of the file."""
LANG_PAIRS_NAMED = 3
"""Language pairs in the title of the file."""
SCORE_STEPS = 1_000
"""Scores are written as integers, in thousandths."""
EVIDENCE_DECIMALS = 2
PROBABILITY_DECIMALS = 4
TERMS_SHOWN = 5_000
"""Most terms in a report, taken from each language pair in turn; `diglot terms` writes all."""
TERM_DECIMALS = 3
TERM_COLUMNS = ("src", "tgt", "src_forms", "tgt_forms", "linked", "pages", "rivals")
"""Columns of terms that are shown as they are."""
TITLE_CHARS = 160
"""Longest title of a page in the list of page pairs; search engines show less than half."""
SUREST_BITS = 25.0
"""Log odds, in bits, of a probability rounded to 1 in float32."""
ContributionsOf = Mapping[tuple[str, str], tuple[Contributions, str]]
"""By the addresses of a page pair: its explanation, and the address of the runner-up."""


def write_report(
    run: RunTables,
    path: str | os.PathLike[str],
    contributions: ContributionsOf | None = None,
    terms: pa.Table | None = None,
) -> None:
    """Write :func:`report_text` to a file; :class:`diglot.errors.UsageError` if it cannot be written."""
    text = report_text(run, contributions, terms).encode()
    with replacing(path) as handle:
        handle.write(text)


def report_text(run: RunTables, contributions: ContributionsOf | None = None, terms: pa.Table | None = None) -> str:
    """The HTML of the report; same run, same text. ``contributions``: explanations of some page pairs; ``terms``: terms
    to show, :data:`diglot.terms.table.TERM_SCHEMA`."""
    shown = choose_rows(run)
    head = headline(run, shown)
    langs = ", ".join(f"{src}\u2013{tgt}" for src, tgt in run.lang_pairs[:LANG_PAIRS_NAMED])
    return one_file(
        "report.html",
        style="report.css",
        scripts=REPORT_SCRIPTS,
        title=f"{head['title']} ({langs}{', …' if len(run.lang_pairs) > LANG_PAIRS_NAMED else ''}): Diglot report",
        name=REPORT_NAME,
        above="",
        headline=json_block(head),
        segments=pack(segment_data(run, shown, contributions, terms)),
    )


def segment_data(
    run: RunTables, shown: Shown, contributions: ContributionsOf | None = None, terms: pa.Table | None = None
) -> dict[str, Any]:
    """Segments and page pairs shown, in columns.

    ``texts``: distinct texts of each language. ``pairs``: page pairs; ``ends``: one past the last row of each.
    ``rows``: segments in the order of ``pairs``: numbers of their texts, score in thousandths, 1 without an excluding
    flag, number of the bead in ``beads``, number of the flags in ``flag_sets``. ``samples``, ``conflicts``: those of
    :class:`Shown`, as places in ``rows``. ``terms``: :func:`term_columns`, or None.
    """
    table = shown_segments(run.segments.take(pa.array(shown.rows)))
    texts: dict[str, dict[str, int]] = {}
    # Texts, beads and sets of flags repeat: numbers keep the file small.
    beads, bead = _number(table["bead"].to_pylist())
    flag_sets, flags = _number([",".join(flags) for flags in table["flags"].to_pylist()])
    return {
        "pairs": _pair_columns(run, shown, contributions or {}),
        "rows": {
            "src": _text_numbers(texts, table["src_lang"].to_pylist(), table["src"].to_pylist()),
            "tgt": _text_numbers(texts, table["tgt_lang"].to_pylist(), table["tgt"].to_pylist()),
            # Rounded down: a score that is rounded up would reach a least score that it does not reach in the run.
            "score": score_steps(run.score[shown.rows], SCORE_STEPS).tolist(),
            "not_excluded": run.not_excluded[shown.rows].astype(int).tolist(),
            "bead": bead,
            "flags": flags,
            **_page_numbers(table),
        },
        "beads": beads,
        "flag_sets": [joined.split(",") if joined else [] for joined in flag_sets],
        "texts": {lang: list(numbers) for lang, numbers in texts.items()},
        "samples": [{kind: _places(shown, rows) for kind, rows in kinds.items()} for kinds in shown.samples],
        "conflicts": [[(_places(shown, rows), count) for rows, count in groups] for groups in shown.conflicts],
        "terms": None if terms is None else term_columns(terms, run.lang_pairs),
    }


def _pair_columns(run: RunTables, shown: Shown, contributions: ContributionsOf) -> dict[str, Any]:
    pairs = run.pairs.take(pa.array(shown.pairs))
    names = {pair: number for number, pair in enumerate(run.lang_pairs)}
    langs = zip_columns(pairs, "src_lang", "tgt_lang")
    methods, method = _number(pairs["method"].to_pylist())
    evidence = [dict(found) for found in pairs["evidence"].to_pylist()]
    features = list(dict.fromkeys(name for found in evidence for name in found))
    kept = np.bincount(run.page_pair_of[run.is_kept], minlength=run.pairs.num_rows)
    probability = np.asarray(pairs["probability"].to_numpy(), np.float64)
    urls = list(zip_columns(pairs, "src_url", "tgt_url"))
    return {
        "src_url": [src for src, _ in urls],
        "tgt_url": [tgt for _, tgt in urls],
        **_titles(run, urls),
        "lang_pair": [names[pair] for pair in langs],
        "probability": np.round(probability, PROBABILITY_DECIMALS).tolist(),
        "log_odds": np.round(_log_odds(probability), EVIDENCE_DECIMALS).tolist(),
        "method": method,
        "methods": methods,
        "features": features,
        "evidence": [[_round(found.get(name)) for name in features] for found in evidence],
        "grounds": [None if pair not in contributions else _contribution_values(*contributions[pair]) for pair in urls],
        "media": _media(run, urls),
        "kept": kept[shown.pairs].tolist(),
        "whole": shown.whole.astype(int).tolist(),
        "ends": np.searchsorted(run.page_pair_of[shown.rows], shown.pairs, side="right").tolist(),
    }


def _titles(run: RunTables, urls: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    """Titles of both pages of each pair; "" where a page has none, or is not in the tables of a large run."""
    titles = dict(zip_columns(run.documents, "url", "title"))
    return {
        f"{side}_title": [(titles.get(pair[place]) or "")[:TITLE_CHARS] for pair in urls]
        for place, side in enumerate(("src", "tgt"))
    }


def _media(run: RunTables, urls: Sequence[tuple[str, str]]) -> list[str]:
    """Kinds of both pages of each pair, such as "html, pdf"; [] where all pages are HTML."""
    media_of = dict(zip_columns(run.documents, "url", "media"))
    both = [[media_of.get(url, HTML) or HTML for url in pair] for pair in urls]
    named = [", ".join(dict.fromkeys(media)) for media in both]
    return named if set(named) - {HTML} else []


def _page_numbers(segments: pa.Table) -> dict[str, list[int]]:
    """Page numbers of the segments in their documents, such as PDF, by side; {} for segments without page numbers."""
    pages = {name: segments[name].to_pylist() for name in ("src_page", "tgt_page")}
    return pages if any(map(any, pages.values())) else {}


def _log_odds(probability: Floats) -> Floats:
    """Log odds of probabilities, in bits, within :data:`SUREST_BITS`."""
    # Probabilities of 0 and 1 have no finite log odds.
    least = 1 / (1 + 2**SUREST_BITS)
    inside = np.clip(probability, least, 1 - least)
    return np.asarray(np.log2(inside) - np.log2(1 - inside))


def _contribution_values(contributions: Contributions, rival: str) -> dict[str, Any]:
    """An explanation as plain values: words and blocks as [src, tgt, bits]; ``rival``: address of the runner-up."""
    lists = {name: getattr(contributions, name) for name in ("words_for", "words_against", "blocks")}
    return {
        **{name: [[each.src, each.tgt, _round(each.bits)] for each in items] for name, items in lists.items()},
        "rival": rival,
        "of_src": contributions.of_src,
        "lead_bits": _round(contributions.lead_bits),
    }


def _round(value: float | None) -> float | None:
    # JSON has no NaN and no infinity.
    return None if value is None or not np.isfinite(value) else round(value, EVIDENCE_DECIMALS)


def _number(values: list[str]) -> tuple[list[str], list[int]]:
    """Distinct values, and the place of every value among them."""
    numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return list(numbers), [numbers[value] for value in values]


def _text_numbers(by_lang: dict[str, dict[str, int]], langs: list[str], texts: list[str]) -> list[int]:
    """Number of each text among the texts of its language; new texts are added to ``by_lang``."""
    numbers = []
    for lang, text in zip(langs, texts, strict=True):
        known = by_lang.setdefault(lang, {})
        numbers.append(known.setdefault(text, len(known)))
    return numbers


def _places(shown: Shown, rows: list[int]) -> list[int]:
    """Places of rows of the run among the rows shown."""
    order: Ints = np.argsort(shown.rows, kind="stable")
    return order[np.searchsorted(shown.rows, rows, sorter=order)].tolist()  # type: ignore[no-any-return]


def term_columns(terms: pa.Table, lang_pairs: Sequence[tuple[str, str]]) -> dict[str, list[Any]]:
    """Columns of terms (:data:`diglot.terms.table.TERM_SCHEMA`) of these language pairs.

    ``lang_pair``: number of the language pair; ``rivals``: other translations; ``src_forms``, ``tgt_forms``: other
    forms; ``examples``: source and target of one segment, or two empty texts.
    """
    numbers = {pair: number for number, pair in enumerate(lang_pairs)}
    langs = zip_columns(terms, "src_lang", "tgt_lang")
    of_pair = np.array([numbers[pair] for pair in langs], np.int64)
    chosen = _first_of_each(of_pair)
    shown = terms.take(pa.array(chosen))
    examples = zip_columns(shown, "example_srcs", "example_tgts")
    return {
        **{name: shown[name].to_pylist() for name in TERM_COLUMNS},
        "lang_pair": of_pair[chosen].tolist(),
        "probability": [round(share, TERM_DECIMALS) for share in shown["probability"].to_pylist()],
        "examples": [[*srcs[:1], *tgts[:1]] or ["", ""] for srcs, tgts in examples],
    }


def _first_of_each(of_pair: Ints) -> Ints:
    """Rows shown, rising: first terms of all language pairs, then second terms, up to the limit."""
    order = np.argsort(of_pair, kind="stable")
    by_pair = of_pair[order]
    place = np.zeros(len(order), np.int64)
    place[order] = np.arange(len(order)) - np.searchsorted(by_pair, by_pair)
    return np.sort(np.argsort(place, kind="stable")[:TERMS_SHOWN])
