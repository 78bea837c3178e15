"""Judgements by people on the segments of a run, stored in a file of their own and applied when segments are read.

Stage files stay as they are. A judgement is found again by the texts of the segment, so cleaning or aligning again does
not lose it. (Decisions across sites: :mod:`diglot.run.across_sites`.)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import xxhash

from diglot.corpus.flags import (
    ALTERNATIVE,
    CONFLICT,
    CORRECTED,
    EXCLUDED,
    JUDGED_PARTLY,
    JUDGED_RIGHT,
    JUDGED_WRONG,
    LASTING,
    UNALIGNED,
    VOUCHED,
)
from diglot.corpus.flags.across import with_cells
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.flags.repeats import near_text_keys
from diglot.corpus.verdicts import PARTLY, RIGHT, UNSURE, WRONG, segment_id
from diglot.disk.atomic import remove_file, replacing
from diglot.disk.folder import RunFolder
from diglot.disk.safe_read import read_text
from diglot.errors import RunFolderError, describe_error
from diglot.evaluation.recalibration import ScoreMap
from diglot.records import FLAGGED_SCHEMA, with_columns
from diglot.run import JUDGED_FILE
from diglot.run.across_sites import segment_shards
from diglot.site import registered_domain

JUDGEMENTS, SCORE_MAP, RECALIBRATE, UNWRITTEN = "judgements", "score map", "recalibrate", "unwritten"
"""Kind and keys of the notes on judgements. ``UNWRITTEN`` is set while outputs are written for new judgements."""
CHOSEN, TAKEN = "", "taken"
"""How a segment came to be judged: chosen by somebody, or chosen but declared as good as random. A drawn segment
(:mod:`diglot.review.sheets`) has the name of the drawing."""
_FLAG_OF = {RIGHT: JUDGED_RIGHT, PARTLY: JUDGED_PARTLY, WRONG: JUDGED_WRONG}
_TEXTS = pa.list_(pa.string())

TextKey: TypeAlias = tuple[str, str, str, str]
"""Languages and texts of a segment, both sides."""
TEXT_KEY = ("src_lang", "tgt_lang", "src", "tgt")
"""Columns of a :data:`TextKey`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on a segment as aligned, and corrected texts, "" where a text is right."""

    verdict: str
    src: str
    tgt: str
    src_lang: str
    tgt_lang: str
    src_url: str
    tgt_url: str
    corrected_src: str = ""
    corrected_tgt: str = ""
    drawn: str = CHOSEN

    @property
    def id(self) -> str:
        """Id of the segment, by its texts as aligned."""
        return segment_id(asdict(self))

    @property
    def is_corrected(self) -> bool:
        """Whether a text was corrected."""
        return bool(self.corrected_src or self.corrected_tgt)

    @property
    def flag(self) -> str | None:
        """Flag of the judged segment; None for an unsure verdict."""
        return CORRECTED if self.is_corrected else _FLAG_OF.get(self.verdict)

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts after correction."""
        return self.corrected_src or self.src, self.corrected_tgt or self.tgt

    @property
    def key(self) -> TextKey:
        """Languages and texts as aligned; copies of the segment have the same key."""
        return self.src_lang, self.tgt_lang, self.src, self.tgt


@dataclass(frozen=True)
class RunJudgements:
    """All judgements of a run by segment id, the latest last, and the map for scores."""

    by_id: Mapping[str, Judgement] = field(default_factory=dict)
    score_map: ScoreMap | None = None

    @cached_property
    def lang_pairs(self) -> frozenset[tuple[str, str]]:
        """Language pairs with a verdict on a random segment: the map holds for the scores of these."""
        return frozenset(
            (each.src_lang, each.tgt_lang)
            for each in self.by_id.values()
            if each.drawn != CHOSEN and each.verdict != UNSURE
        )

    @cached_property
    def by_texts(self) -> Mapping[TextKey, Judgement]:
        """Latest judgement on the same texts, for copies of a segment; also on the texts with personal data masked."""
        found: dict[TextKey, Judgement] = {}
        for each in self.by_id.values():
            # Where both texts are found, the unmasked one is written last and counts.
            for masked in (_mask(each), each):
                if masked.flag is not None:
                    found[masked.key] = masked
        return found


def read_judgements(run: Path) -> dict[str, Judgement]:
    """Judgements of a run folder by id; :class:`RunFolderError` for a file damaged by hand."""
    path = run / JUDGED_FILE
    if not path.is_file():
        return {}
    try:
        found = [Judgement(**json.loads(line)) for line in read_text(path).split("\n") if line]
    except (OSError, ValueError, TypeError) as error:
        raise RunFolderError(
            f"{path}: cannot be read ({describe_error(error)}); delete it and judge again from your files"
        ) from error
    return {each.id: each for each in found}


def write_judgements(run: Path, judgements: Mapping[str, Judgement]) -> None:
    """Replace the judgements of a run folder. Without judgements there is no file."""
    path = run / JUDGED_FILE
    if not judgements:
        path.unlink(missing_ok=True)
        remove_file(path)  # from the list of written files, too
        return
    with replacing(path, revises=True) as handle:
        for each in judgements.values():
            handle.write((json.dumps(asdict(each)) + "\n").encode())


def strike_judgements(run: Path, gone: Callable[[str], bool]) -> None:
    """Remove judgements on pages whose address is ``gone``."""
    found = read_judgements(run)
    if struck := judgements_on(found, gone):
        write_judgements(run, {name: each for name, each in found.items() if name not in struck})


def judgements_on(judgements: Mapping[str, Judgement], gone: Callable[[str], bool]) -> dict[str, Judgement]:
    """Judgements by id on pages whose address is ``gone``."""
    return {name: each for name, each in judgements.items() if gone(each.src_url) or gone(each.tgt_url)}


def judgements_stamp(folder: RunFolder) -> str:
    """A hash of the judgements and the score map; "" without judgements."""
    path = folder.path / JUDGED_FILE
    if not path.is_file():
        return ""
    return xxhash.xxh3_64_hexdigest(path.read_bytes() + repr(folder.recall(JUDGEMENTS, SCORE_MAP)).encode())


def load_judged(folder: RunFolder) -> RunJudgements:
    """Judgements to apply to the segments of a run."""
    scale = folder.recall(JUDGEMENTS, SCORE_MAP)
    return RunJudgements(read_judgements(folder.path), ScoreMap(**scale) if scale else None)


def judged_shards(folder: RunFolder, segments_key: str) -> Iterator[pa.Table]:
    """Segments of a run with all flags, changed by judgements; like :func:`diglot.run.across_sites.segment_shards`."""
    judged = load_judged(folder)
    return (with_judgements(shard, judged) for shard in segment_shards(folder, segments_key))


def load_judged_segments(folder: RunFolder, segments_key: str) -> pa.Table:
    """The shards of :func:`judged_shards` as a single table."""
    return pa.concat_tables([FLAGGED_SCHEMA.empty_table(), *judged_shards(folder, segments_key)])


def with_judgements(segments: pa.Table, judged: RunJudgements) -> pa.Table:
    """Apply corrections, flags and new scores to segments (:data:`FLAGGED_SCHEMA`, whole sites).

    New scores are those of the language pairs that were judged. A judgement applies to a segment, and to other segments
    with the same texts unless judged themselves. Where the kept translation of a source was judged wrong, another one
    takes its place, without ``alternative`` or ``conflict``.
    """
    # Scores come first: they decide among rivals below.
    if judged.score_map is not None and segments.num_rows:
        scores = segments["score"].to_numpy().astype(np.float64)
        for src_lang, tgt_lang in judged.lang_pairs:
            own = pc.and_(pc.equal(segments["src_lang"], src_lang), pc.equal(segments["tgt_lang"], tgt_lang)).to_numpy()
            scores[own] = judged.score_map(scores[own])
        segments = with_columns(segments, score=scores)
    rows, found = _found_in(segments, judged) if judged.by_texts else ([], [])
    if not rows:
        return segments
    before = segments["flags"].take(pa.array(rows)).to_pylist()
    winners = [
        row
        for row, each, flags in zip(rows, found, before, strict=True)
        if each.flag == JUDGED_WRONG and not EXCLUDED.intersection(flags)
    ]
    columns = {
        "src": pa.array([each.texts[0] for each in found], pa.string()),
        "tgt": pa.array([each.texts[1] for each in found], pa.string()),
        "flags": pa.array([_flags(each, had) for each, had in zip(found, before, strict=True)], _TEXTS),
    }
    for side in ("src", "tgt"):
        # A correction has the blanks that a person typed.
        had = segments[f"{side}_blanks"].take(pa.array(rows)).to_pylist()
        both = zip((getattr(each, f"corrected_{side}") for each in found), had, strict=True)
        columns[f"{side}_blanks"] = pa.array([None if typed else blanks for typed, blanks in both], pa.string())
    return _with_heirs(with_cells(segments, np.array(rows), columns), winners)


def _found_in(segments: pa.Table, judged: RunJudgements) -> tuple[list[int], list[Judgement]]:
    """Rows with a judgement, and the judgements; unsure ones are left out."""
    sources = pa.array(sorted({key[2] for key in judged.by_texts}), pa.string())
    some = np.flatnonzero(pc.is_in(segments["src"], value_set=sources).to_numpy())
    rows: list[int] = []
    found: list[Judgement] = []
    for row, cells in zip(some.tolist(), segments.take(pa.array(some)).to_pylist(), strict=True):
        own = judged.by_id.get(segment_id(cells))
        each = own or judged.by_texts.get(tuple(cells[name] for name in TEXT_KEY))
        if each is not None and each.flag is not None:
            rows.append(row)
            found.append(each)
    return rows, found


def _flags(judgement: Judgement, had: list[str]) -> list[str]:
    """Flags of a judged segment. A corrected text loses all flags about the text before."""
    if not judgement.is_corrected:
        return sorted({*had, str(judgement.flag)})
    lasting = LASTING - {UNALIGNED} if all(judgement.texts) else LASTING
    return sorted({*lasting.intersection(had), CORRECTED})


def _mask(judgement: Judgement) -> Judgement:
    names = ("src", "tgt", "corrected_src", "corrected_tgt")
    return Judgement(**{**asdict(judgement), **{name: mask_personal_data(getattr(judgement, name)) for name in names}})


def _with_heirs(segments: pa.Table, winners: list[int]) -> pa.Table:
    """Let another translation of the same source win in place of each row in ``winners``, kept rows judged wrong.

    The heir is the best ``alternative`` that is kept, or else the best rival left out by ``conflict``. It loses that
    flag. Nothing changes where another kept translation of the source on the site has no flag ``alternative``.
    """
    if not winners:
        return segments
    wrong = segments.take(pa.array(winners))
    groups = dict.fromkeys(_source_keys(wrong))
    langs = pc.is_in(segments["src_lang"], value_set=pc.unique(wrong["src_lang"]))
    some = np.flatnonzero(langs.to_numpy())
    keys = _source_keys(segments.take(pa.array(some)))
    best: dict[tuple[str, ...], tuple[tuple[bool, float], int]] = {}
    has_winner = set()
    flags, scores = segments["flags"], segments["score"]
    for row, key in zip(some.tolist(), keys, strict=True):
        if key not in groups:
            continue
        excluding = EXCLUDED.intersection(had := flags[row].as_py())
        is_kept = not excluding or bool(not LASTING.intersection(had) and set(VOUCHED).intersection(had))
        if is_kept and ALTERNATIVE not in had:
            has_winner.add(key)
        elif is_kept or excluding == {CONFLICT}:
            rank = is_kept, scores[row].as_py()
            if key not in best or rank > best[key][0]:
                best[key] = rank, row
    heirs = sorted(row for key, (_, row) in best.items() if key not in has_winner)
    left = [[flag for flag in flags[row].as_py() if flag not in (CONFLICT, ALTERNATIVE)] for row in heirs]
    return with_cells(segments, np.array(heirs, np.int64), {"flags": pa.array(left, _TEXTS)})


def _source_keys(segments: pa.Table) -> list[tuple[str, ...]]:
    """Site, languages, and normalized source text of every segment, the key of conflicts."""
    sites = map(registered_domain, segments["src_url"].to_pylist())
    langs = (segments[name].to_pylist() for name in ("src_lang", "tgt_lang"))
    return list(zip(sites, *langs, near_text_keys(segments["src"].to_pylist()), strict=True))
