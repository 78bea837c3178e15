"""Work on a run in a process of its own: ``python -m diglot.workbench.run_work WORK RUN ...``.

- ``index RUN FILE STAMP`` makes the index of its segments for the search over all sites.
- ``terms RUN SRC,TGT`` prints its terms as JSON.
- ``write-terms RUN SRC,TGT;SRC,TGT... FORMAT FOLDER DECISIONS [accepted]`` writes a file of terms for each language
  pair, as the user decided on them.
- ``verdicts RUN FILE`` takes the verdicts of the run page.
- ``sheet FOLDER FILE RUN`` takes a sheet with verdicts in a folder, and prints how many as JSON.
- ``saved-pages FOLDER`` prints whether a folder holds pages saved by a browser, as JSON.
- ``languages FOLDER FILE...`` prints the language of each document of a folder, and all languages, as JSON.
- ``align FOLDER SRC TGT LANG,LANG OUT`` aligns two documents of a folder into one in it, and prints numbers as JSON.

Modules that write outputs or align are imported only by the works that need them: the import takes as long as a work.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from diglot.corpus.characters import one_line, spreadsheet_cell
from diglot.corpus.formats.page_fragments import without_page_fragment
from diglot.corpus.formats.tables import rows_of
from diglot.corpus.shown_segments import shown_segments
from diglot.corpus.verdicts import segment_id
from diglot.disk.safe_read import read_text
from diglot.documents.language import CLASSES, NO_LANGUAGE
from diglot.documents.language_tags import language_of
from diglot.errors import DiglotError, NothingFound, SitesFailed, UsageError
from diglot.pages.folder import are_saved_pages
from diglot.report.run_page import term_columns
from diglot.results.run import Run, open_run
from diglot.terms.decisions import ACCEPTED, with_decisions
from diglot.terms.writing import write_terms
from diglot.workbench.concordance import make_index
from diglot.workbench.verdicts import FIELDS, waiting_entries

INDEXED_COLUMNS = ("src_lang", "tgt_lang", "src", "tgt", "src_url", "tgt_url")


def segments_kept(run: Run) -> Iterator[tuple[str, str, str, str, str, str]]:
    """Languages, texts and addresses of the segments that a run keeps."""
    for part in run.each_part(*run.settings.language_pairs()):
        for row in rows_of(shown_segments(part.kept_rows()), INDEXED_COLUMNS):
            src_lang, tgt_lang, *texts = map(one_line, row)
            yield src_lang, tgt_lang, texts[0], texts[1], texts[2], texts[3]


def write_index(run: Path, file: str, stamp: str) -> None:
    """Write an index whole, or not at all."""
    path = Path(file)
    part = path.with_name(f".{path.name}.part")
    try:
        make_index(part, stamp, segments_kept(open_run(run)))
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def list_terms(run: Path, lang_pair: str) -> None:
    """Print the terms of a language pair in columns."""
    src, _, tgt = lang_pair.partition(",")
    found = open_run(run).terms(src, tgt)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    json.dump(term_columns(found.table, [(src, tgt)]), sys.stdout, ensure_ascii=False)


def write_decided_terms(run: Path, lang_pairs: str, form: str, folder: str, file: str, which: str = "") -> None:
    """Write the terms of each language pair into a folder; ``file``: of decisions; ``which``: accepted, or all."""
    decisions: dict[str, Any] = json.loads(read_text(Path(file))) if Path(file).is_file() else {}
    for lang_pair in lang_pairs.split(";"):
        src, _, tgt = lang_pair.partition(",")
        terms = with_decisions(open_run(run).terms(src, tgt).found, decisions)
        if which == ACCEPTED:
            terms = terms.filter(pc.equal(terms["verdict"], ACCEPTED))
        write_terms(terms, folder, [form], src_lang=src, tgt_lang=tgt)


def take_entries(run: Path, file: str) -> None:
    """Take entries by key; an entry without a verdict withdraws an earlier one."""
    from diglot.results.take_verdicts import take_verdicts, withdraw_verdicts

    entries = list(waiting_entries(Path(file)).values())
    withdrawn = [entry for entry in entries if not entry["verdict"]]
    given = latest_verdicts(entry for entry in entries if entry["verdict"])
    if withdrawn:
        _ignore_outcome(withdraw_verdicts, run, withdrawn)
    if given:
        with tempfile.TemporaryDirectory() as folder:
            sheet = Path(folder) / "verdicts.tsv"
            sheet.write_text("".join(map(_line, [dict(zip(FIELDS, FIELDS, strict=True)), *given])), encoding="utf-8")
            _ignore_outcome(take_verdicts, run, [sheet])


def latest_verdicts(entries: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The latest entry on each segment. Equal texts on two pages of a document are the same segment."""
    found: dict[str, dict[str, Any]] = {}
    for entry in entries:
        urls = {name: without_page_fragment(entry[name]) for name in ("src_url", "tgt_url")}
        found[segment_id({**urls, **{name: one_line(entry[name]) for name in ("src", "tgt")}})] = entry
    return list(found.values())


def take_sheet(folder: Path, file: str, run: str) -> None:
    """Take a sheet with verdicts into a run, and print the numbers of rows as JSON; {} for a run left without
    segments."""
    from diglot.results.take_verdicts import take_verdicts

    run = os.path.abspath(run)
    # Messages begin with the name of the file, and not with the folder.
    os.chdir(folder)
    try:
        found = take_verdicts(run, [file]).plain()
    except (NothingFound, SitesFailed):  # all is written by then: every segment may have been judged wrong
        found = {}
    json.dump({name: found[name] for name in ("taken", "open", "foreign", "edited", "replaced") if found}, sys.stdout)


def list_languages(folder: Path, *names: str) -> None:
    """Print the language of each document of a folder, "" if unknown, and the tags of all that can be identified."""
    from diglot.texts.document_pair import document_languages

    # Messages begin with the name of the file, and not with the folder.
    os.chdir(folder)
    known = [tag for tag in CLASSES.split() if tag != NO_LANGUAGE]
    # Chinese and Serbian are found with their script.
    found = [tag if tag in known else language_of(tag) for tag in document_languages(list(map(Path, names)))]
    json.dump({"found": [tag if tag in known else "" for tag in found], "all": known}, sys.stdout)


def tell_saved_pages(pages: Path) -> None:
    """Print as JSON whether a folder holds pages saved by a browser, which tell their addresses."""
    json.dump(are_saved_pages(pages), sys.stdout)


def align_pair(folder: Path, src: str, tgt: str, langs: str, out: str) -> None:
    """Align two documents of a folder, and print the numbers of segments kept and found as JSON."""
    from diglot.texts import MEMORY, TextOptions, align_files

    os.chdir(folder)
    written = align_files(Path(src), Path(tgt), TextOptions(langs=langs, to=MEMORY), out=Path(out))
    json.dump({"kept": written.kept, "segments": written.found} if written else {}, sys.stdout)


def _ignore_outcome(call: Any, *arguments: Any) -> None:
    """Call, and pass over errors about a run left without segments, and about segments that the run no longer has."""
    try:
        call(*arguments)
    except (NothingFound, SitesFailed):  # all is written by then: every segment may have been judged wrong
        return
    except UsageError as error:
        if "judges a segment that this run holds" not in str(error):
            raise


def _line(entry: dict[str, str]) -> str:
    return "\t".join(spreadsheet_cell(one_line(entry[name])) for name in FIELDS) + "\n"


WORKS: dict[str, Callable[..., None]] = {
    "index": write_index,
    "terms": list_terms,
    "write-terms": write_decided_terms,
    "verdicts": take_entries,
    "sheet": take_sheet,
    "languages": list_languages,
    "saved-pages": tell_saved_pages,
    "align": align_pair,
}


def start_work(words: list[str]) -> None:
    """Run one of :data:`WORKS` with the arguments of the command line."""
    name, run, *rest = words
    WORKS[name](Path(run), *rest)


if __name__ == "__main__":
    try:
        start_work(sys.argv[1:])
    except DiglotError as error:
        print(f"diglot: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
