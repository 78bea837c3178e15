"""The conflict sheet: source texts with several translations, the kept translation first."""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.characters import one_line
from diglot.corpus.flags import ALTERNATIVE, CONFLICT, JUDGED_WRONG, VOUCHED
from diglot.corpus.flags.keeping import carries, clean, is_vouched
from diglot.corpus.flags.repeats import near_text_keys
from diglot.corpus.formats.page_fragments import NUMBER_COLUMNS, page_fragment
from diglot.corpus.formats.tables import Tables
from diglot.corpus.shown_segments import shown_segments
from diglot.disk.atomic import replacing
from diglot.site import site_number

CONFLICT_COLUMNS = ("src", "tgt", "kept", "score", "copies", "src_url", "tgt_url")
_READ = [
    "site",
    "src",
    "tgt",
    "src_blanks",
    "tgt_blanks",
    "score",
    "flags",
    "src_url",
    "tgt_url",
    "other_src_urls",
    *NUMBER_COLUMNS,
]


def write_conflicts(path: str | os.PathLike[str], segments: Tables, min_score: float = 0.0) -> int:
    """Write a header line, then for each source text in conflict its translations; returns the number of lines.

    ``segments``: :data:`diglot.records.FLAGGED_SCHEMA` of one language pair, with a column ``site``; whole sites in
    each table, since a conflict is within a site. Column ``copies``: number of page pairs with the translation. Source
    texts are sorted, site by site. No translation is kept if the best is below ``min_score``, unless judged right or
    corrected. Translations judged wrong are not listed.
    """
    count = 0
    with replacing(path) as handle:
        handle.write(("\t".join(CONFLICT_COLUMNS) + "\n").encode())
        for table in [segments] if isinstance(segments, pa.Table) else segments:
            groups = _groups(table)
            for row in (row for key in sorted(groups, key=_sort_key) for row in groups[key]):
                count += 1
                kept = "yes" if _is_kept(row, min_score) else "no"
                copies = str(len(row["other_src_urls"]) + 1)
                urls = [_with_page(row, side) for side in ("src", "tgt")]
                cells = [row["src"], row["tgt"], kept, f"{row['score']:.4f}", copies, *urls]
                handle.write(("\t".join(map(one_line, cells)) + "\n").encode())
    return count


def _with_page(row: dict[str, Any], side: str) -> str:
    """The address of a side; in a PDF, with the page."""
    url: str = row[f"{side}_url"]
    return url + page_fragment(url, row[f"{side}_page"])


def _is_kept(row: dict[str, Any], min_score: float) -> bool:
    vouched = any(flag in row["flags"] for flag in VOUCHED)
    return vouched or (CONFLICT not in row["flags"] and row["score"] >= min_score)


def _sort_key(group: tuple[str, str]) -> tuple[int, str, str]:
    site, key = group
    return site_number(site), site, key


def _groups(segments: pa.Table) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Rows by site and source key: the best supported row, then alternatives, then conflicts, each by falling score."""
    segments = segments.select(_READ)
    judged = is_vouched(segments) | carries(segments, JUDGED_WRONG)
    in_conflict, second = (carries(segments, flag) for flag in (CONFLICT, ALTERNATIVE))
    beaten = segments.filter(pa.array((in_conflict | second) & ~judged))
    if not beaten.num_rows:
        return {}
    beaten_keys = _keys(beaten)
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {key: [] for key in beaten_keys}
    rivals = clean(segments.filter(pc.is_in(segments["site"], pc.unique(beaten["site"]))))
    of_rivals = pa.array(near_text_keys(rivals["src"].to_pylist()), pa.string())
    rivals = rivals.filter(pc.is_in(of_rivals, pa.array([key for _, key in beaten_keys], pa.string())))
    lost = segments.filter(pa.array(in_conflict & ~judged))
    for rows in (rivals, lost):
        best_first = rows.append_column("second", pa.array(carries(rows, ALTERNATIVE)))
        best_first = best_first.sort_by([("second", "ascending"), ("score", "descending"), ("tgt", "ascending")])
        for group, row in zip(_keys(best_first), shown_segments(best_first).to_pylist(), strict=True):
            if group in groups:
                groups[group].append(row)
    return groups


def _keys(rows: pa.Table) -> list[tuple[str, str]]:
    return list(zip(rows["site"].to_pylist(), near_text_keys(rows["src"].to_pylist()), strict=True))
