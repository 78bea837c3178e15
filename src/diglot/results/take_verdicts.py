"""Take verdicts and corrections into a run: store them, weigh them, write the outputs again."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from unicodedata import normalize

import pyarrow as pa

from diglot.checked_arguments import check_arguments
from diglot.corpus.characters import one_line
from diglot.corpus.flags import JUDGED_WRONG
from diglot.corpus.flags.keeping import carries, kept_mask, reaches
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.flags.unicode import normal_text
from diglot.corpus.shown_segments import shown_segments
from diglot.corpus.verdicts import PARTLY, WRONG, segment_id
from diglot.disk.folder import RunFolder
from diglot.engines.pool import LocalEngine
from diglot.errors import NothingFound, SitesFailed, UsageError
from diglot.no_breaks import plain_blanks
from diglot.outputs.corpus_files import is_finished
from diglot.outputs.finish import finish_stage
from diglot.progress import Progress, default_progress
from diglot.records import zip_columns
from diglot.results.delta import write_last_deltas
from diglot.results.run import Run
from diglot.review.sheets import DRAWS, VerdictFile, VerdictRow, draw_of, read_verdicts
from diglot.review.weighing import Weighing, wants_new_scores, weigh
from diglot.run.across_sites import segment_shards
from diglot.run.bundles import Bundles
from diglot.run.judgements import (
    JUDGEMENTS,
    RECALIBRATE,
    TAKEN,
    UNWRITTEN,
    Judgement,
    RunJudgements,
    judged_shards,
    load_judged,
    read_judgements,
    with_judgements,
    write_judgements,
)
from diglot.run.work import OUTDATED, Work, result_keys

_MOVES = ("left_out", "below", "flagged", "added")
"""Counts of :class:`VerdictsTaken`: kept segments lost, for three reasons, and segments won."""
_COLUMNS = ["src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url"]


@dataclass(frozen=True, slots=True)
class VerdictsTaken:
    """Result of :func:`take_verdicts`.

    ``taken``: number of rows on segments of the run. ``open``: number of rows with neither verdict nor correction.
    ``foreign``: number of rows on segments that the run does not hold. ``edited``: number of rows whose ``src`` or
    ``tgt`` was changed; only the columns of corrections are taken. ``replaced``: number of earlier verdicts and
    corrections that differ from the new ones. ``kept_before``, ``kept``: segments kept before and after; None if no
    output was written. Of the segments kept before, ``left_out`` were judged wrong, ``below`` have too low a new score,
    and ``flagged`` are left out for another flag; ``added``: number of segments kept that were left out before.
    ``weighing``: of all judgements of the run, None without any.
    """

    taken: int
    open: int
    foreign: int
    edited: int
    replaced: int
    kept_before: int | None
    kept: int | None
    left_out: int
    below: int
    flagged: int
    added: int
    weighing: Weighing | None

    def plain(self) -> dict[str, Any]:
        """As values for JSON, errors by band first."""
        weighing = self.weighing.plain() if self.weighing else {}
        check = weighing.pop("check", None) or {"bands": []}
        names = ("taken", "kept_before", "kept", *_MOVES)
        own = {name: getattr(self, name) for name in names}
        # The counts of this call replace those of the check, which has some of the same names.
        rows = {name: getattr(self, name) for name in ("open", "foreign", "edited", "replaced")}
        return {**check, **weighing, **own, **rows}


@dataclass(frozen=True, slots=True)
class _Segment:
    """A segment as aligned, and both texts as shown, with the corrections of earlier judgements.

    All texts have their no-break blanks.
    """

    aligned: Mapping[str, Any]
    shown: tuple[str, str]

    def is_corrected(self) -> bool:
        return self.shown != (self.aligned["src"], self.aligned["tgt"])


@check_arguments
def take_verdicts(
    out: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]] = (),
    *,
    as_random: bool = False,
    recalibrate: bool | None = None,
    clear: bool = False,
    progress: Progress | None = None,
) -> VerdictsTaken:
    """Take files of verdicts and corrections into a run; write its outputs again if the judgements change.

    The latest verdict on a segment counts. ``as_random``: the segments were drawn at random, and not chosen for being
    right or wrong. ``recalibrate``: whether to recalibrate scores on the verdicts on random segments, if that makes the
    scores better; None for the run's last choice, at first True. ``clear``: delete all earlier judgements first.

    Raises: SourceError for a file that cannot be read, UsageError where no row has a verdict or a correction on a
    segment of the run; both leave the run as it was. NothingFound and SitesFailed are raised after all is written.
    """
    given = [read_verdicts(path) for path in files]
    rows = [row for each in given for row in each.rows]
    other_texts = {name: texts for each in given for name, texts in each.other_texts.items()}
    run = Run(out)
    folder = run.folder
    with folder.lock():
        keys = result_keys(folder)
        before = read_judgements(folder.path)
        segments = _look_up(folder, keys[1], {*other_texts, *(row.id for row in rows)})
        edited = sum(_is_edited(segments.get(name), texts) for name, texts in other_texts.items())
        judgements = _with_rows({} if clear else before, run, given, segments, as_random=as_random)
        replaced = 0 if clear else sum(_says_other(old, judgements[name]) for name, old in before.items())
        _check_rows(files, rows, segments, edited)
        had_new_scores = wants_new_scores(folder)
        new_scores = had_new_scores if recalibrate is None else recalibrate
        if judgements != before or new_scores != had_new_scores or not _are_outputs_whole(folder):
            result = _rewrite(run, keys, judgements, new_scores, progress)
        else:
            result = _weigh_again(run, keys, judgements, new_scores)
    foreign = sum(row.id not in segments for row in rows)
    result |= {"taken": len(rows) - foreign, "foreign": foreign, "open": sum(each.open for each in given)}
    return VerdictsTaken(edited=edited, replaced=replaced, **result)


def _says_other(one: Judgement, other: Judgement) -> bool:
    """Whether two judgements on a segment have other verdicts or corrections."""
    return replace(one, drawn=other.drawn) != other


def _is_edited(segment: _Segment | None, texts: tuple[str, str]) -> bool:
    """Whether a segment of the run has other texts than its row in a file; blanks do not count."""
    return segment is not None and list(map(_bare, segment.shown)) != list(map(_bare, texts))


def _bare(text: str) -> str:
    return " ".join(plain_blanks(one_line(text)).split())


def _rewrite(
    run: Run,
    keys: tuple[str, str],
    judgements: Mapping[str, Judgement],
    new_scores: bool,
    progress: Progress | None,
) -> dict[str, Any]:
    """Write judgements and outputs; fields of :class:`VerdictsTaken` about the outputs."""
    shown = load_judged(run.folder)
    kept_before, kept, weighing = _write_outputs(run, keys, judgements, new_scores, progress)
    moves = _count_moves(run, Bundles(run.folder, run.settings, *keys, judged=False), shown)
    counts = {name: moves[name] for name in _MOVES}
    return {"kept_before": kept_before, "kept": kept, "weighing": weighing, **counts}


def _weigh_again(
    run: Run, keys: tuple[str, str], judgements: Mapping[str, Judgement], new_scores: bool
) -> dict[str, Any]:
    """Fields of :class:`VerdictsTaken` about outputs that stay as they are."""
    raw, weighing = Bundles(run.folder, run.settings, *keys, judged=False), None
    if judgements:
        weighing = weigh(run.settings, judgements, raw, run.folder.recall_all(DRAWS), new_scores)
    return {"kept_before": None, "kept": None, "weighing": weighing, **dict.fromkeys(_MOVES, 0)}


def _check_rows(
    files: Sequence[str | os.PathLike[str]], rows: Sequence[VerdictRow], segments: Mapping[str, _Segment], edited: int
) -> None:
    """Raise UsageError for files without a verdict, and for verdicts on no segment of the run."""
    if rows and not any(row.id in segments for row in rows):
        raise UsageError(
            f"none of the {len(rows):,} rows judges a segment that this run holds; were they of another run?"
        )
    if files and not rows and edited:
        raise UsageError(
            f"no row has a verdict or a correction, and in {edited:,} the text of src or tgt was changed; "
            "write the new text into corrected_src or corrected_tgt"
        )
    if files and not rows:
        names = ", ".join(map(str, files))
        raise UsageError(f"{names}: no row has a verdict yet; write right, partly or wrong beside some")


def _count_moves(run: Run, bundles: Bundles, before: RunJudgements) -> Counter[str]:
    """Numbers of segments, by :data:`_MOVES`, that judgements leave out or take in. ``bundles``: without judgements."""
    after, moves = load_judged(run.folder), Counter[str]()
    excluded, least = run.settings.excluding_flags(), run.settings.least_score()
    for bundle in bundles:
        was, now = (with_judgements(bundle.segments, judged) for judged in (before, after))
        was_kept, is_kept = (kept_mask(each, excluded, least) for each in (was, now))
        gone = was_kept & ~is_kept
        wrong, low = carries(now, JUDGED_WRONG), kept_mask(now, excluded) & ~reaches(now, least)
        masks = (gone & wrong, gone & low, gone & ~wrong & ~low, is_kept & ~was_kept)
        moves.update({name: int(mask.sum()) for name, mask in zip(_MOVES, masks, strict=True)})
    return moves


def withdraw_verdicts(
    out: str | os.PathLike[str], segments: Iterable[Mapping[str, str]], *, progress: Progress | None = None
) -> int:
    """Delete judgements of a run, and write its outputs again; returns their number.

    ``segments``: rows with ``src``, ``tgt``, ``src_url`` and ``tgt_url``; the texts as aligned or as corrected.
    """
    run = Run(out)
    gone = set(map(segment_id, segments))
    with run.folder.lock():
        before = read_judgements(run.path)
        left = {name: each for name, each in before.items() if not gone & {*_both_ids(each)}}
        if len(left) < len(before) or not _are_outputs_whole(run.folder):
            _write_outputs(run, result_keys(run.folder), left, wants_new_scores(run.folder), progress)
    return len(before) - len(left)


def _both_ids(judgement: Judgement) -> tuple[str, str]:
    """Ids of a judged segment, as aligned and as corrected."""
    return judgement.id, segment_id({**asdict(judgement), **dict(zip(("src", "tgt"), judgement.texts, strict=True))})


def judgement_lines(out: str | os.PathLike[str]) -> list[str]:
    """The judgements of a run as lines of a file of verdicts, column names first."""
    names = ("id", "verdict", "corrected_src", "corrected_tgt", *_COLUMNS)
    with Run(out).folder as folder:
        rows = [{"id": name, **asdict(each)} for name, each in read_judgements(folder.path).items()]
    return ["\t".join(names), *("\t".join(one_line(row[name]) for name in names) for row in rows)]


def _look_up(folder: RunFolder, segments_key: str, wanted: set[str]) -> dict[str, _Segment]:
    """Segments by id. A segment has an id by its aligned texts and, once corrected, an id by its corrected texts."""
    found: dict[str, _Segment] = {}
    if not wanted:
        return found
    both = zip(segment_shards(folder, segments_key), judged_shards(folder, segments_key), strict=True)
    for aligned, shown in (map(shown_segments, each) for each in both):
        texts = zip_columns(shown, "src", "tgt")
        for row, now in zip(_rows(aligned), texts, strict=True):
            as_aligned = (row["src"], row["tgt"])
            for pair in dict.fromkeys((as_aligned, now)):
                for name in _ids({**row, "src": pair[0], "tgt": pair[1]}):
                    # One id may name a segment as corrected and another one as aligned: the aligned segment counts.
                    # It is one id where a correction changes blanks alone.
                    if name in wanted and (name not in found or pair == as_aligned or found[name].aligned is row):
                        found[name] = _Segment(row, pair)
    return found


def _rows(table: pa.Table) -> Iterable[dict[str, Any]]:
    return (row for batch in table.select(_COLUMNS).to_batches(10_000) for row in batch.to_pylist())


def _ids(row: Mapping[str, Any]) -> list[str]:
    """Id of a segment, and the id of the texts as written in a sheet of lines, if different."""
    lines = {name: one_line(row[name]) for name in ("src", "tgt")}
    is_plain = lines["src"] == row["src"] and lines["tgt"] == row["tgt"]
    return [segment_id(row)] if is_plain else [segment_id(row), segment_id({**row, **lines})]


def _with_rows(
    known: Mapping[str, Judgement],
    run: Run,
    given: Sequence[VerdictFile],
    segments: Mapping[str, _Segment],
    *,
    as_random: bool,
) -> dict[str, Judgement]:
    """The judgements ``known`` and those in the files ``given``, the latest last."""
    judgements = dict(known)
    draws = run.folder.recall_all(DRAWS)
    for file in given:
        drawn = draw_of(draws, file.listed) or (TAKEN if as_random else "")
        for row in file.rows:
            if row.id not in segments:
                continue
            new = _judgement(row, segments[row.id], run.settings.pii == "mask")
            if not new.verdict:
                continue  # a correction to the same text
            old = judgements.pop(new.id, None)
            if segments[row.id].is_corrected() and new.verdict != WRONG:
                # The verdict is on the corrected text; the text as aligned was not right.
                new = replace(new, verdict=old.verdict if old else PARTLY)
            earlier = old.drawn if old else ""
            # A segment of a random draw stays in the draw when another file judges it again.
            judgements[new.id] = replace(new, drawn=earlier if earlier in draws else drawn or earlier)
    return judgements


def _judgement(row: VerdictRow, segment: _Segment, is_masked: bool) -> Judgement:
    """The judgement of a row; a text is stored as a correction only where it differs from the aligned text."""
    texts = list(segment.shown)
    for side, correction in enumerate((row.corrected_src, row.corrected_tgt)):
        text = normal_text(normalize("NFC", one_line(correction))).strip()
        # Programs, and sheets of earlier versions, hold the same text with plain blanks: that corrects nothing.
        known = segment.shown[side], _aligned_sides(segment)[side]
        text = next((own for own in known if plain_blanks(own) == text), text)
        texts[side] = (mask_personal_data(text) if is_masked else text) or texts[side]
    if row.verdict == WRONG and tuple(texts) == segment.shown:
        # The verdict on a corrected text withdraws the correction.
        texts = list(_aligned_sides(segment))
    changed = [text if text != segment.aligned[side] else "" for side, text in zip(("src", "tgt"), texts, strict=True)]
    verdict = row.verdict or (PARTLY if any(changed) else "")
    own = {name: segment.aligned[name] for name in _COLUMNS}
    own |= {side: plain_blanks(own[side]) for side in ("src", "tgt")}
    return Judgement(verdict=verdict, corrected_src=changed[0], corrected_tgt=changed[1], **own)


def _aligned_sides(segment: _Segment) -> tuple[str, str]:
    return segment.aligned["src"], segment.aligned["tgt"]


def _are_outputs_whole(folder: RunFolder) -> bool:
    """Whether the run has outputs, and no command was killed while it wrote them for new judgements."""
    return not folder.recall(JUDGEMENTS, UNWRITTEN) and is_finished(folder)


def _write_outputs(
    run: Run, keys: tuple[str, str], judgements: Mapping[str, Judgement], recalibrate: bool, progress: Progress | None
) -> tuple[int | None, int, Weighing | None]:
    """Store judgements and write the outputs of the run; segments kept before (None where unknown) and now."""
    folder = run.folder
    before = sum(run.summary()["kept"].values()) if is_finished(folder) else None
    with LocalEngine(jobs=1) as engine:
        work = Work(folder, run.settings, engine, progress=progress or default_progress())
        # A command that is killed before the last file has the same judgements when it is typed again.
        folder.remember(JUDGEMENTS, UNWRITTEN, True)
        # A kill leaves outputs that are known to be outdated.
        folder.remember(*OUTDATED, "earlier verdicts")
        write_judgements(folder.path, judgements)
        folder.remember(JUDGEMENTS, RECALIBRATE, recalibrate)
        try:
            summary, weighing = finish_stage(work, *keys)
        except (NothingFound, SitesFailed):  # all is written by then
            _finish_outputs(run)
            raise
    _finish_outputs(run)
    return before, sum(summary["kept"].values()), weighing


def _finish_outputs(run: Run) -> None:
    """Write the deltas of an updated run, and note that all outputs are written."""
    write_last_deltas(run.folder)
    run.folder.forget_note(JUDGEMENTS, UNWRITTEN)
