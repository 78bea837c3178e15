"""Files of a run to download, made on request: by ``diglot export``, and terms with the user's decisions."""

from __future__ import annotations

import re
import secrets
import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path

from diglot.disk.folder_list import LIST
from diglot.errors import UsageError
from diglot.workbench.last_update import delta_of
from diglot.workbench.processes import run_command, work_on_run
from diglot.workbench.shelf import NotHere, Shelf
from diglot.workbench.term_decisions import TermDecisions

_LANGS = re.compile(r"[A-Za-z0-9-]+,[A-Za-z0-9-]+")
_VARIANT = re.compile(r"declared|[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){1,3}(,[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){1,3})*")


@dataclass(frozen=True, slots=True)
class Download:
    """A kind of file to download."""

    name: str
    label: str
    text: str
    """What the file is for, behind the label."""
    command: str
    """What makes the file: ``export``, ``terms`` or ``delta``."""
    form: str
    """Name of the format for that command."""
    first: bool = False
    """Whether the file is offered at once, and not under More."""
    joint: bool = False
    """Whether a single file holds all languages; otherwise each language pair has a file."""
    has_variant: bool = False
    """Whether the user may choose a variant of a language, such as fr-CA."""
    spreadsheet: bool = False
    """Whether cells are written so that a spreadsheet takes none for a formula."""


DOWNLOADS = (
    Download("tmx", "TMX", "for translation tools", "export", "tmx", first=True, has_variant=True),
    Download("xlsx", "Excel", "to judge and correct, here or in Excel", "export", "xlsx", first=True),
    Download("csv", "CSV", "for spreadsheets", "export", "csv", first=True, spreadsheet=True),
    Download("glossary", "Glossary", "terms as an Excel file", "terms", "xlsx", first=True),
    Download("omegat", "Glossary for OmegaT", "terms as a text file", "terms", "omegat"),
    Download("tbx", "TBX", "terms for termbases", "terms", "tbx"),
    Download("tbx2", "TBX of 2008", "terms for older termbases", "terms", "tbx2"),
    Download("terms-tsv", "Terms as TSV", "with examples", "terms", "tsv"),
    Download("tsv", "TSV", "all segments, also those left out", "export", "tsv", spreadsheet=True),
    Download("delta", "New segments", "TMX of what the last update brought", "delta", "tmx"),
    Download("xliff", "XLIFF 2.0", "page pairs with notes", "export", "xliff", has_variant=True),
    Download("xliff12", "XLIFF 1.2", "for older tools", "export", "xliff12", has_variant=True),
    Download("moses", "Moses", "two plain texts, to train machine translation", "export", "moses"),
    Download("jsonl", "JSON lines", "for programs", "export", "jsonl"),
    Download("parquet", "Parquet", "for data frames", "export", "parquet"),
    Download("vertical", "Vertical", "for corpus managers", "export", "vertical"),
    Download("cesalign", "CES align", "whole pages with their paragraphs", "export", "cesalign"),
    Download("documents", "Documents, Parquet", "page pairs as whole texts", "export", "documents"),
    Download("documents-jsonl", "Documents, JSON lines", "page pairs as whole texts", "export", "documents-jsonl"),
    Download("pages", "Pages, Parquet", "all pages with their texts", "export", "pages"),
    Download("pages-jsonl", "Pages, JSON lines", "all pages with their texts", "export", "pages-jsonl"),
    Download("tmx-multi", "TMX of all languages", "one memory", "export", "tmx-multi", joint=True),
    Download("sqlite", "SQLite", "a database of all languages", "export", "sqlite", joint=True),
)
"""All kinds of files. A new format of Diglot is one entry more."""
_BY_NAME = {each.name: each for each in DOWNLOADS}


async def make_download(
    shelf: Shelf, name: str, kind: str, langs: str, *, variant: str = "", accepted: bool = False
) -> tuple[Path, str]:
    """Make a file of a run in a new folder, which the caller deletes; returns its path and its name for the user.

    ``langs``: a language pair as in ``en,fr``, or ``all`` for a joint file; only for terms also several pairs
    (``en,fr;en,de``), which come in a zip file. ``accepted``: only terms that the user accepted. Raises: NotHere for an
    unknown kind, UsageError for languages that the run does not have and for a run without terms.
    """
    if kind not in _BY_NAME:
        raise NotHere("There is no such kind of file; load the page again.")
    wanted = _BY_NAME[kind]
    if variant and wanted.has_variant and not _VARIANT.fullmatch(variant):
        raise UsageError(f"{variant[:40]} is not a variant; write one such as fr-CA, or several: en-GB,fr-CA.")
    run = shelf.run(name)
    folder = shelf.own("downloads", secrets.token_hex(8))
    words = ["export", str(run), "--to", wanted.form, "-o", str(folder)]
    if not wanted.joint:
        words.append(f"--langs={langs}")
    if wanted.spreadsheet:
        words.append("--spreadsheet")
    if variant and wanted.has_variant:
        words.append(f"--variant={variant}")
    try:
        folder.mkdir(parents=True)
        if wanted.command == "delta":
            _copy_delta(run, langs, folder)
        elif wanted.command == "terms":
            decisions = str(TermDecisions(shelf).file(name))
            words = [langs, wanted.form, str(folder), decisions, *(["accepted"] if accepted else [])]
            await work_on_run("write-terms", run, words)
        else:
            await run_command(words)
        return _as_one_file(folder, name, kind)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _copy_delta(run: Path, langs: str, folder: Path) -> None:
    """Copy the new segments of the last update. Raises: UsageError where no update wrote any."""
    pair = langs.replace(",", "-")
    source = delta_of(run, pair)
    if not _LANGS.fullmatch(langs) or source.is_symlink() or not source.is_file():
        was_updated = (run / "out" / "changes.tsv").is_file()
        why = "the last update brought none" if was_updated else "the site was not updated yet"
        raise UsageError(f"There is nothing new in these languages: {why}.")
    shutil.copyfile(source, folder / f"new.{pair}.tmx")


def _as_one_file(folder: Path, name: str, kind: str) -> tuple[Path, str]:
    # LIST says which files of a folder are Diglot's; the user wants the others.
    made = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != LIST)
    if not made:
        raise UsageError("There is nothing to download in these languages.")
    if len(made) == 1:
        return made[0], f"{name}.{made[0].name}"
    packed = folder / "files.zip"
    with zipfile.ZipFile(packed, "x", zipfile.ZIP_DEFLATED) as archive:
        for path in made:
            archive.write(path, path.relative_to(folder).as_posix())
    return packed, f"{name}.{kind}.zip"
