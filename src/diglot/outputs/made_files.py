"""Files made by a run: all of them, files to delete and write again, and files to strike lines from."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from diglot.corpus.formats import CESALIGN
from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder
from diglot.disk.stated_paths import INDEX
from diglot.outputs.corpus_files import KINDS, OUT
from diglot.outputs.exports import Export
from diglot.review.sheets import LINE_ENDS, PAGE_ENDS, strike_from_sheet
from diglot.run import JUDGED_FILE
from diglot.run.align import MODELS, SENTENCES
from diglot.run.judgements import strike_judgements
from diglot.run.log import LOG
from diglot.run.work import DOCUMENTS, DOMAINS, EXCHANGE, FLAGGED, PAIRS, RESOLVED, SEGMENTS, VERDICTS, WARC

STAGES = (DOCUMENTS, RESOLVED, PAIRS, SEGMENTS, FLAGGED, VERDICTS, SENTENCES, MODELS, DOMAINS, EXCHANGE)
_OUTPUTS = ("report.html", "report/*.svg", *(f"{OUT}/{pattern}" for pattern in KINDS.values()))
_OUTPUTS += tuple(f"{OUT}/{kind}/{pattern}" for kind, pattern in KINDS.items())
_OUTPUTS += (f"{OUT}/delta/*.tmx", f"{OUT}/delta/counts.tsv", f"{OUT}/pages.tsv", f"{OUT}/summary.json")
_LOGS = (LOG,)
"""Files that may name any address and cannot be written again."""
_TASKS = ("tasks/*.json", "tasks/*/*.json", "tasks/tries/*/*")
_LISTS = (f"{OUT}/changes.tsv", "compared/*/pairs.*.tsv")
"""Outputs that cannot be written again, with addresses in fields of lines."""
_ARCHIVE = (f"{WARC}/crawl-*.warc.gz", f"{WARC}/{INDEX}")
_RECORDS = (f"{WARC}/.lock", "journal.db*", "run.lock*", "diglot.toml", JUDGED_FILE, *_ARCHIVE, f"{OUT}/fetches.tsv")
# A page is LANG-NUMBER.xml, a pair PAGE_PAGE_MEASURE.xml; other XML files in the folder stay.
_CES_PAGE = r"[A-Za-z]+(-[A-Za-z\d]+)*-\d+"
_CES_FILE = re.compile(rf"{_CES_PAGE}(_{_CES_PAGE}_[\w+.-]+)?\.xml")


def clear_outputs(
    folder: RunFolder, exports: Iterable[Export], *, keep: Collection[Path] = (), tasks: bool = False
) -> None:
    """Delete every output that a run wrote and can write again, and these exports, except the files ``keep``.

    ``tasks``: also delete the plans of tasks and the log. Files of the user stay; if an output needs the name of such a
    file, the file is renamed.
    """
    run, written = folder.path, folder.written
    for path in _matching(run, _OUTPUTS):
        if path not in keep:
            # A file that only matches a pattern may be the user's, and no output needs its name.
            written.remove(path, is_output=path.relative_to(run).as_posix() in _OUTPUTS)
    for path in _exported_files(run, exports):
        if path not in keep:
            written.remove(path, is_output=True)
    for path in _matching(run, (*_TASKS, *_LOGS)) if tasks else ():
        path.unlink(missing_ok=True)
    for export in exports:
        for path in export.paths(run, export.pairs):
            if path.is_dir() and not any(path.iterdir()):
                path.rmdir()


def strike_lines(run: Path, gone: Callable[[str], bool]) -> None:
    """Strike lines with an address that is ``gone`` from lists, judgements, and sheets for judging."""
    strike_judgements(run, gone)
    for path in _matching(run, _LISTS):
        # Titles and addresses may hold other line separators.
        with path.open(encoding="utf-8", newline="\n") as file:
            lines = file.readlines()
        left = [line for line in lines if not any(map(gone, line.rstrip("\n").split("\t")))]
        if left != lines:
            with replacing(path, revises=True) as handle:
                handle.write("".join(left).encode())
    for end in (*PAGE_ENDS, *LINE_ENDS):
        for path in sorted(run.rglob(f"*{end}")):
            strike_from_sheet(path, gone)


def made_files(folder: RunFolder) -> set[Path]:
    """Files in a run folder made by Diglot: outputs that are as the run wrote them, stages, and its own records."""
    run, stages = folder.path, [f"{stage}/*.parquet" for stage in STAGES]
    listed = (run / name for name in folder.written.names())
    return {*_matching(run, (*_RECORDS, *_TASKS, *_LOGS, *_LISTS, *stages)), *filter(folder.written.is_ours, listed)}


def _matching(run: Path, patterns: Iterable[str]) -> Iterator[Path]:
    return (path for pattern in patterns for path in sorted(run.glob(pattern)) if path.is_file())


def _exported_files(run: Path, exports: Iterable[Export]) -> Iterator[Path]:
    """Existing files of these exports."""
    for export in exports:
        for path in export.paths(run, export.pairs):
            if export.form == CESALIGN:
                yield from (each for each in sorted(path.glob("*.xml")) if _CES_FILE.fullmatch(each.name))
            elif path.is_file():
                yield path
