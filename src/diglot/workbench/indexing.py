"""Make the index of a run: ``python -m diglot.workbench.indexing RUN FILE STAMP``, a process of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from diglot.corpus.characters import one_line
from diglot.corpus.formats.tables import rows_of
from diglot.results.run import Run, open_run
from diglot.workbench.concordance import make_index
from diglot.workbench.processes import exit_after

COLUMNS = ("src_lang", "tgt_lang", "src", "tgt", "src_url", "tgt_url")


def segments_kept(run: Run) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Languages, texts and addresses of the segments that a run keeps."""
    for part in run.each_part(*run.settings.language_pairs()):
        for row in rows_of(part.kept_rows(), COLUMNS):
            src_lang, tgt_lang, *texts = map(one_line, row)
            yield src_lang, tgt_lang, texts[0], texts[1], texts[2], texts[3]


def write_index(words: list[str]) -> None:
    """Write an index whole, or not at all."""
    run, path, stamp = Path(words[0]), Path(words[1]), words[2]
    part = path.with_name(f".{path.name}.part")
    try:
        make_index(part, stamp, segments_kept(open_run(run)))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    exit_after(write_index)
