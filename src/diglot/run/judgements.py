"""What people have said of the segments of a run: kept in a file of its own, and put into segments as they are read.

No stage file is changed by it, so that it goes on holding when segments are cleaned or aligned again: it is looked up
by the texts that it is about. (What the sites of a run decide among each other is :mod:`diglot.run.across_sites`.)
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

from diglot.corpus.flags import EXCLUDED, LASTING, VOUCHED, Flag
from diglot.corpus.flags.across import with_cells
from diglot.corpus.flags.personal import mask_personal_data
from diglot.corpus.flags.repeats import near_text_keys
from diglot.corpus.judged import PARTLY, RIGHT, WRONG, segment_id
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.disk.safe_read import read_text
from diglot.errors import RunFolderError
from diglot.evaluation.recalibration import ScoreMap
from diglot.records import FLAGGED_SCHEMA
from diglot.run.across_sites import segment_shards
from diglot.site import registered_domain

JUDGED_FILE = "judgements.jsonl"
JUDGEMENTS, SCORE_MAP, RECALIBRATE = "judgements", "score map", "recalibrate"
"""Kind of the notes on judgements, and their keys."""
CHOSEN, TAKEN = "", "taken"
"""How a segment came to be judged: somebody chose it, or somebody says that such choices are as good as random. Where
it was drawn (:mod:`diglot.review.draws`), the name of the drawing stands."""
_FLAG_OF = {RIGHT: Flag.JUDGED_RIGHT, PARTLY: Flag.JUDGED_PARTLY, WRONG: Flag.JUDGED_WRONG}
_READ = ("src_lang", "tgt_lang", "src", "tgt")
_TEXTS = pa.list_(pa.string())

TextKey: TypeAlias = tuple[str, str, str, str]
"""Both languages and both texts of a segment."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict on a segment as the run aligned it, and its text where that was corrected ("" where it stays)."""

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
        """Name of the segment."""
        return segment_id(asdict(self))

    @property
    def is_corrected(self) -> bool:
        """Whether another text stands in the place of one that was aligned."""
        return bool(self.corrected_src or self.corrected_tgt)

    @property
    def flag(self) -> Flag | None:
        """What a segment carries for it; None for an unsure verdict."""
        return Flag.CORRECTED if self.is_corrected else _FLAG_OF.get(self.verdict)

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts as they are to be."""
        return self.corrected_src or self.src, self.corrected_tgt or self.tgt

    @property
    def key(self) -> TextKey:
        """What a copy of the segment has, too."""
        return self.src_lang, self.tgt_lang, self.src, self.tgt


@dataclass(frozen=True)
class Judged:
    """All judgements of a run by the id of their segment, the latest last, and the map of its scores."""

    by_id: Mapping[str, Judgement] = field(default_factory=dict)
    score_map: ScoreMap | None = None

    @cached_property
    def by_texts(self) -> Mapping[TextKey, Judgement]:
        """For copies: the latest on the same texts, also as they are with personal data masked."""
        found: dict[TextKey, Judgement] = {}
        for each in self.by_id.values():
            for masked in (_masked(each), each):
                if masked.flag is not None:
                    found[masked.key] = masked
        return found


def read_judgements(run: Path) -> dict[str, Judgement]:
    """Those of a run folder by id; :class:`RunFolderError` for a file that was changed by another hand."""
    path = run / JUDGED_FILE
    if not path.is_file():
        return {}
    try:
        found = [Judgement(**json.loads(line)) for line in read_text(path).split("\n") if line]
    except (OSError, ValueError, TypeError) as error:
        raise RunFolderError(f"{path}: cannot be read ({error}); delete it and judge again from your files") from error
    return {each.id: each for each in found}


def write_judgements(run: Path, judgements: Mapping[str, Judgement]) -> None:
    """Replace those of a run folder; without any, there is no file."""
    path = run / JUDGED_FILE
    if not judgements:
        path.unlink(missing_ok=True)
        return
    with replacing(path) as handle:
        for each in judgements.values():
            handle.write((json.dumps(asdict(each)) + "\n").encode())


def strike_judgements(run: Path, gone: Callable[[str], bool]) -> None:
    """Take out those on segments of pages whose addresses are ``gone``."""
    found = read_judgements(run)
    left = {name: each for name, each in found.items() if not (gone(each.src_url) or gone(each.tgt_url))}
    if len(left) < len(found):
        write_judgements(run, left)


def judgements_stamp(folder: RunFolder) -> str:
    """What changes when judgements do, or what is made of them; "" where there are none."""
    path = folder.path / JUDGED_FILE
    if not path.is_file():
        return ""
    return xxhash.xxh3_64_hexdigest(path.read_bytes() + repr(folder.recall(JUDGEMENTS, SCORE_MAP)).encode())


def load_judged(folder: RunFolder) -> Judged:
    """What is to be put into the segments of a run."""
    scale = folder.recall(JUDGEMENTS, SCORE_MAP)
    return Judged(read_judgements(folder.path), ScoreMap(**scale) if scale else None)


def judged_shards(folder: RunFolder, segments_key: str) -> Iterator[pa.Table]:
    """Segments of a run with all flags, as they are after judgements (see :mod:`diglot.run.across_sites`)."""
    judged = load_judged(folder)
    return (with_judgements(shard, judged) for shard in segment_shards(folder, segments_key))


def load_judged_segments(folder: RunFolder, segments_key: str) -> pa.Table:
    """All of :func:`judged_shards`."""
    return pa.concat_tables([FLAGGED_SCHEMA.empty_table(), *judged_shards(folder, segments_key)])


def with_judgements(segments: pa.Table, judged: Judged) -> pa.Table:
    """Segments (:data:`FLAGGED_SCHEMA`, whole sites) with corrections, the flags of judgements, and their new scores.

    A judgement holds for its segment, and for others of the same texts on which there is none. Where the translation of
    a source that is kept was judged wrong, the best of those that were flagged for it comes in its place.
    """
    if judged.score_map is not None and segments.num_rows:
        place = segments.schema.get_field_index("score")
        scores = judged.score_map(np.asarray(segments["score"].to_numpy(), np.float64))
        segments = segments.set_column(place, FLAGGED_SCHEMA.field("score"), pa.array(scores, pa.float32()))
    rows, found = _found_in(segments, judged) if judged.by_texts else ([], [])
    if not rows:
        return segments
    before = segments["flags"].take(pa.array(rows)).to_pylist()
    winners = [
        row
        for row, each, flags in zip(rows, found, before, strict=True)
        if each.flag is Flag.JUDGED_WRONG and not EXCLUDED.intersection(flags)
    ]
    columns = {
        "src": pa.array([each.texts[0] for each in found], pa.string()),
        "tgt": pa.array([each.texts[1] for each in found], pa.string()),
        "flags": pa.array([_flags(each, had) for each, had in zip(found, before, strict=True)], _TEXTS),
    }
    return _with_heirs(with_cells(segments, np.array(rows), columns), winners)


def _found_in(segments: pa.Table, judged: Judged) -> tuple[list[int], list[Judgement]]:
    """The rows for which there is a judgement that says something, and that."""
    sources = pa.array(sorted({key[2] for key in judged.by_texts}), pa.string())
    some = np.flatnonzero(pc.is_in(segments["src"], value_set=sources).to_numpy())
    rows: list[int] = []
    found: list[Judgement] = []
    for row, cells in zip(some.tolist(), segments.take(pa.array(some)).to_pylist(), strict=True):
        own = judged.by_id.get(segment_id(cells))
        each = own or judged.by_texts.get(tuple(cells[name] for name in _READ))
        if each is not None and each.flag is not None:
            rows.append(row)
            found.append(each)
    return rows, found


def _flags(judgement: Judgement, had: list[str]) -> list[str]:
    """Flags of a judged segment that had these; of a corrected text none tell that are about the one before."""
    if not judgement.is_corrected:
        return sorted({*had, str(judgement.flag)})
    lasting = LASTING - {Flag.UNALIGNED} if all(judgement.texts) else LASTING
    return sorted({*lasting.intersection(had), Flag.CORRECTED.value})


def _masked(judgement: Judgement) -> Judgement:
    names = ("src", "tgt", "corrected_src", "corrected_tgt")
    return Judgement(**{**asdict(judgement), **{name: mask_personal_data(getattr(judgement, name)) for name in names}})


def _with_heirs(segments: pa.Table, winners: list[int]) -> pa.Table:
    """Take the flag ``conflict`` from the best rival of each of the ``winners``, rows that were judged wrong, unless
    another translation of the same source is kept on the site."""
    if not winners:
        return segments
    wrong = segments.take(pa.array(winners))
    groups = dict.fromkeys(_source_keys(wrong))
    langs = pc.is_in(segments["src_lang"], value_set=pc.unique(wrong["src_lang"]))
    some = np.flatnonzero(langs.to_numpy())
    keys = _source_keys(segments.take(pa.array(some)))
    best: dict[tuple[str, ...], tuple[float, int]] = {}
    kept = set()
    flags, scores = segments["flags"], segments["score"]
    for row, key in zip(some.tolist(), keys, strict=True):
        if key not in groups:
            continue
        excluding = EXCLUDED.intersection(had := flags[row].as_py())
        if not excluding or (not LASTING.intersection(had) and set(VOUCHED).intersection(had)):
            kept.add(key)
        elif excluding == {Flag.CONFLICT}:
            score = scores[row].as_py()
            if key not in best or score > best[key][0]:
                best[key] = score, row
    heirs = sorted(row for key, (_, row) in best.items() if key not in kept)
    left = [[flag for flag in flags[row].as_py() if flag != Flag.CONFLICT] for row in heirs]
    return with_cells(segments, np.array(heirs, np.int64), {"flags": pa.array(left, _TEXTS)})


def _source_keys(segments: pa.Table) -> list[tuple[str, ...]]:
    """Of each segment its site, languages, and source text as far as conflicts look at it."""
    sites = map(registered_domain, segments["src_url"].to_pylist())
    langs = (segments[name].to_pylist() for name in ("src_lang", "tgt_lang"))
    return list(zip(sites, *langs, near_text_keys(segments["src"].to_pylist()), strict=True))
