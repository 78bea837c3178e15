"""Verdicts and corrections taken into a run: stored, put into its outputs, and told what they come to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any
from unicodedata import normalize

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.flags import Flag
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.flags.unicode import normal_text
from diglot.corpus.judged import PARTLY, WRONG, segment_id
from diglot.disk.folder import RunFolder
from diglot.engines.local import LocalEngine
from diglot.errors import UsageError
from diglot.outputs.corpus_files import OUT
from diglot.outputs.finish import finish_stage
from diglot.outputs.same_run import drop_outputs
from diglot.progress import Progress, usual
from diglot.report import REPORT
from diglot.results.delta import write_deltas
from diglot.results.run import Run
from diglot.review.draws import DRAWS, draw_of
from diglot.review.sheets import JudgedFile, JudgedRow, read_judged
from diglot.review.weighing import Weighed, wants_new_scores, weigh
from diglot.run.across_sites import segment_shards
from diglot.run.bundles import Bundles
from diglot.run.judgements import (
    JUDGEMENTS,
    RECALIBRATE,
    TAKEN,
    Judgement,
    judged_shards,
    read_judgements,
    write_judgements,
)
from diglot.run.update_notes import last_texts
from diglot.run.work import PAIRS, SEGMENTS, Work, done_key

_COLUMNS = ["src", "tgt", "src_lang", "tgt_lang", "src_url", "tgt_url"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of verdicts that were handed in.

    ``taken``: how many rows said something of a segment of the run; ``open``: how many said nothing; ``foreign``: how
    many were on segments that the run does not hold. ``kept_before``, ``kept``: segments of the corpus, None where
    nothing was made anew; ``left_out``, ``below``: how many are not in it for a verdict, and for their score alone.
    ``weighed``: what all judgements of the run come to, None without any.
    """

    taken: int
    open: int
    foreign: int
    kept_before: int | None
    kept: int | None
    left_out: int
    below: int
    weighed: Weighed | None

    def plain(self) -> dict[str, Any]:
        """As values for JSON: errors by band at the top, as they are told first."""
        weighed = self.weighed.plain() if self.weighed else {}
        check = weighed.pop("check", None) or {"bands": []}
        names = ("taken", "kept_before", "kept", "left_out", "below")
        own = {name: getattr(self, name) for name in names}
        return {**check, **weighed, **own, "open": self.open, "foreign": self.foreign}


@dataclass(frozen=True, slots=True)
class _Found:
    """A segment that a row is about: as it was aligned, and the texts as they are shown now."""

    aligned: Mapping[str, Any]
    shown: tuple[str, str]

    def is_corrected(self) -> bool:
        return self.shown != (self.aligned["src"], self.aligned["tgt"])


def judge_run(
    out: str | os.PathLike[str],
    files: Sequence[str | os.PathLike[str]] = (),
    *,
    as_random: bool = False,
    recalibrate: bool | None = None,
    clear: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """Take verdicts and corrections (:func:`diglot.review.sheets.read_judged`) into a run, and write its outputs
    anew where that changes anything.

    A later verdict on a segment replaces an earlier one. ``as_random``: the segments of these files may be taken for
    drawn at random among those of about their score. ``recalibrate``: whether scores are made to agree with verdicts on
    random segments, where that helps; None: as before, at first yes. ``clear``: forget all earlier judgements first.

    Raises: SourceError for a file that cannot be meant, UsageError where no row is about a segment of the run; nothing
    is changed then.
    """
    given = [read_judged(path) for path in files]
    run = Run(out)
    folder = run.folder
    with folder.locked():
        keys = done_key(folder, PAIRS, "diglot pair"), done_key(folder, SEGMENTS, "diglot align")
        before = read_judgements(folder.path)
        wanted = wants_new_scores(folder)
        known = {} if clear else before
        found = _look_up(folder, keys[1], {row.id for each in given for row in each.rows})
        taken = _taken(run, known, given, found, as_random=as_random)
        rows = [row for each in given for row in each.rows]
        if rows and not found:
            raise UsageError(
                f"none of the {len(rows):,} rows judges a segment that this run holds; were they of another run?"
            )
        if files and not rows:
            raise UsageError("no row has a verdict yet; write right, partly or wrong beside some")
        is_changed = taken != before or (recalibrate is not None and recalibrate != wanted)
        kept_before = kept = weighed = None
        if is_changed or not (folder.path / OUT / "summary.json").is_file():
            use = wanted if recalibrate is None else recalibrate
            kept_before, kept, weighed = _made_anew(run, keys, taken, use, progress)
        elif taken:
            raw = Bundles(folder, run.settings, *keys, judged=False)
            weighed = weigh(run.settings, taken, raw, folder.recall_all(DRAWS), wanted)
    foreign = sum(row.id not in found for row in rows)
    summary = run.summary()
    return Outcome(
        taken=len(rows) - foreign,
        open=sum(each.open for each in given),
        foreign=foreign,
        kept_before=kept_before,
        kept=kept,
        left_out=summary["left_out"].get(Flag.JUDGED_WRONG, 0),
        below=summary["below_min_score"],
        weighed=weighed,
    )


def judgement_lines(out: str | os.PathLike[str]) -> list[str]:
    """The judgements of a run as lines that can be handed in again, head first."""
    names = ("id", "verdict", "corrected_src", "corrected_tgt", *_COLUMNS)
    with Run(out).folder as folder:
        rows = [{"id": name, **asdict(each)} for name, each in read_judgements(folder.path).items()]
    return ["\t".join(names), *("\t".join(one_line(row[name]) for name in names) for row in rows)]


def _look_up(folder: RunFolder, segments_key: str, wanted: set[str]) -> dict[str, _Found]:
    """The segments with these ids, those of their texts as aligned or as they are shown now."""
    found: dict[str, _Found] = {}
    if not wanted:
        return found
    both = zip(segment_shards(folder, segments_key), judged_shards(folder, segments_key), strict=True)
    for aligned, shown in both:
        texts = zip(shown["src"].to_pylist(), shown["tgt"].to_pylist(), strict=True)
        for row, now in zip(_rows(aligned), texts, strict=True):
            as_aligned = (row["src"], row["tgt"])
            for pair in dict.fromkeys((as_aligned, now)):
                for name in _names({**row, "src": pair[0], "tgt": pair[1]}):
                    if name in wanted and (name not in found or pair == as_aligned):
                        found[name] = _Found(row, pair)
    return found


def _rows(table: pa.Table) -> Iterable[dict[str, Any]]:
    return (row for batch in table.select(_COLUMNS).to_batches(10_000) for row in batch.to_pylist())


def _names(row: Mapping[str, Any]) -> list[str]:
    """The id of a segment, and that of its texts as they stand in a line, where that differs."""
    lines = {name: one_line(row[name]) for name in ("src", "tgt")}
    is_plain = lines["src"] == row["src"] and lines["tgt"] == row["tgt"]
    return [segment_id(row)] if is_plain else [segment_id(row), segment_id({**row, **lines})]


def _taken(
    run: Run,
    known: Mapping[str, Judgement],
    given: Sequence[JudgedFile],
    found: Mapping[str, _Found],
    *,
    as_random: bool,
) -> dict[str, Judgement]:
    """The judgements of a run with those of files added, the latest last."""
    taken = dict(known)
    draws = run.folder.recall_all(DRAWS)
    for file in given:
        drawn = draw_of(draws, file.listed) or (TAKEN if as_random else "")
        for row in file.rows:
            if row.id in found:
                new = _judgement(row, found[row.id], run.settings.pii == "mask")
                if not new.verdict:
                    continue  # a correction that changes nothing
                old = taken.pop(new.id, None)
                if found[row.id].is_corrected() and new.verdict != WRONG:
                    new = replace(new, verdict=old.verdict if old else PARTLY)  # what was aligned was not right
                earlier = old.drawn if old else ""
                taken[new.id] = replace(new, drawn=earlier if earlier in draws else drawn or earlier)
    return taken


def _judgement(row: JudgedRow, found: _Found, is_masked: bool) -> Judgement:
    """A row as it is kept: its texts are corrections only where they differ from what was aligned."""
    texts = list(found.shown)
    for side, correction in enumerate((row.corrected_src, row.corrected_tgt)):
        text = normal_text(normalize("NFC", one_line(correction))).strip()
        texts[side] = (mask_personal_data(text) if is_masked else text) or texts[side]
    if row.verdict == WRONG and tuple(texts) == found.shown:
        texts = [found.aligned["src"], found.aligned["tgt"]]
    changed = [text if text != found.aligned[side] else "" for side, text in zip(("src", "tgt"), texts, strict=True)]
    verdict = row.verdict or (PARTLY if any(changed) else "")
    own = {name: found.aligned[name] for name in _COLUMNS}
    return Judgement(verdict=verdict, corrected_src=changed[0], corrected_tgt=changed[1], **own)


def _made_anew(
    run: Run, keys: tuple[str, str], judgements: Mapping[str, Judgement], recalibrate: bool, progress: Progress | None
) -> tuple[int | None, int, Weighed | None]:
    """Store judgements and write the outputs of the run; how many segments it kept before, where that is known, and
    keeps now, and what the judgements come to. What is outdated goes first, so that a kill leaves too little and
    nothing wrong."""
    folder = run.folder
    has_summary = (folder.path / OUT / "summary.json").is_file()
    before = sum(run.summary()["kept"].values()) if has_summary else None
    with LocalEngine(jobs=1) as engine:
        work = Work(folder, run.settings, engine, progress=progress or usual())
        drop_outputs(work, "verdicts")
        (folder.path / REPORT).unlink(missing_ok=True)
        write_judgements(folder.path, judgements)
        folder.remember(JUDGEMENTS, RECALIBRATE, recalibrate)
        summary, weighed = finish_stage(work, *keys)
    known = last_texts(folder)
    if known is not None:
        write_deltas(run, known)
    return before, sum(summary["kept"].values()), weighed
