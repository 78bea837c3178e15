"""Draw a random sample of a run's kept segments, and write the sheet to judge it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from diglot.arguments import Langs, PathLike
from diglot.checked_arguments import check_arguments
from diglot.errors import UsageError
from diglot.languages import parse_languages
from diglot.records import SEGMENT_SCHEMA
from diglot.results.run import Run, as_run
from diglot.review.sheets import draw_sample, note_draw, write_sheet


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet to judge. ``size``: number of segments in it."""

    path: Path
    size: int


@check_arguments
def sample(run: PathLike, size: int = 200, *, out: PathLike | None = None, langs: Langs = "", seed: int = 0) -> Sheet:
    """Draw kept segments at random and write a sheet to judge them by hand.

    ``out``: ``sheet.html``, a page with keys, or ``sheet.tsv``; None for ``RUN/sample.html``. ``langs``: only this pair
    of languages. Another ``seed`` gives another sample. The run notes the draw: :func:`diglot.take_verdicts`
    then knows that nobody chose these segments. Raises: UsageError if the run keeps no such segment, or is
    read-only.
    """
    opened = as_run(run)
    if opened.folder.is_read_only:
        raise UsageError(f"{opened.path}: is read-only, and a run notes the segments drawn; copy it to another place")
    path = Path(out) if out is not None else opened.path / "sample.html"
    with opened.folder.writing_to(path.parent):
        kept = _kept_segments(opened, langs)
        drawn = draw_sample(kept, size, seed=seed)
        write_sheet(drawn, path, title=opened.path.name)
        note_draw(opened.folder, drawn, kept)
    return Sheet(path, drawn.num_rows)


def _kept_segments(run: Run, langs: Langs) -> pa.Table:
    """Segments kept in a run, of a language pair or of all pairs."""
    tables = [run.segments(*pair).clean().table.select(SEGMENT_SCHEMA.names) for pair in one_pair_or_all(run, langs)]
    return pa.concat_tables([SEGMENT_SCHEMA.empty_table(), *tables])


def one_pair_or_all(run: Run, langs: Langs) -> list[tuple[str, str]]:
    """The pair of languages ``langs``, typed in any order, as the run has it; all pairs of the run for ""."""
    known = run.settings.language_pairs()
    if not langs:
        return known
    pair = parse_languages(langs)
    if len(pair) != 2:
        raise UsageError(f"langs={','.join(pair)}: give two languages, as in langs=en,fr")
    return [(pair[1], pair[0]) if (pair[1], pair[0]) in known else (pair[0], pair[1])]
