"""``docs/how-to/add-a-document-format.md`` followed to the letter: its reader and its entry, and nothing else."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import diglot

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-document-format.md"
END_OF_TABLE = ')\n"""The kinds of document, '
PROGRAM = """
import diglot
from diglot.crawl.queue.site_scope import SiteScope, is_document
from diglot.workbench.uploads import file_name
from diglot.errors import DiglotError

if __name__ == "__main__":
    try:
        diglot.harvest("notes", "en,fr", "run", jobs=1)
    except DiglotError as error:
        print("ended", error)
    assert is_document("http://a.example/x.notes"), "crawl"
    assert file_name("x.notes") == "x.notes", "uploads"
"""
LINES = {
    "en": "The garden of the museum is open every day in the summer.\nVisitors may walk under the old trees.\n",
    "fr": "Le jardin du musée est ouvert tous les jours en été.\nLes visiteurs peuvent se promener sous les arbres.\n",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """The package with the reader and the entry of the page."""
    copy = tmp_path / "src" / "diglot"
    shutil.copytree(Path(diglot.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    reader, entry = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[:2]
    (copy / "documents" / "notes.py").write_text(reader, encoding="utf-8")
    table = copy / "document_kinds.py"
    before, end, after = table.read_text(encoding="utf-8").partition(END_OF_TABLE)
    table.write_text(before + entry[entry.index("Medium(\n") :].rstrip() + ",\n" + end + after, encoding="utf-8")
    return copy


def told(package: Path, program: str) -> str:
    folder = package.parents[1]
    (folder / "program.py").write_text(program, encoding="utf-8")
    paths = {**os.environ, "PYTHONPATH": str(package.parent)}
    done = subprocess.run([sys.executable, "program.py"], cwd=folder, env=paths, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_source_takes_the_new_kind(package: Path) -> None:
    notes = package.parents[1] / "notes"
    for lang, lines in LINES.items():
        for number in range(3):
            path = notes / lang / f"page{number}.notes"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"%NOTES\n{lines}{lang} {number}\n", encoding="utf-8")
    told(package, PROGRAM)
    rows = (notes.parent / "run" / "out" / "pages.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) == 6
    assert not [row for row in rows if "not_html" in row or "parser" in row]

    # A mistake in the reader is told with its place, as a note and page by page.
    reader = package / "documents" / "notes.py"
    reader.write_text(reader.read_text(encoding="utf-8").replace("START)", "STRAT)"), encoding="utf-8")
    out = told(package, PROGRAM.replace('"run"', '"other"'))
    note = "6 pages on which the parser failed: NameError: name 'STRAT' is not defined (notes.py, line "
    assert note in out
    assert note.partition(": ")[2] in (notes.parent / "other" / "out" / "pages.tsv").read_text(encoding="utf-8")
