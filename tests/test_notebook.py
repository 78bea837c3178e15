"""The notebook of the examples, run anew in a kernel: what its cells say is what is printed in it."""

import re

import nbformat
import pytest

from loaded_scripts import load_script

script = load_script("docs/write_notebook")


def said(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell shows, as text; of a running stage only what it said in the end."""
    outputs = [output.get("data", output) for output in cell.get("outputs", [])]
    return [
        re.sub(r"\(0x[0-9a-f]+\)", "", str(each.get("text/html") or each.get("text/plain") or each.get("text")))
        for each in outputs
    ]


@pytest.fixture(scope="module")
def run_again(tmp_path_factory: pytest.TempPathFactory) -> nbformat.NotebookNode:
    return script.run_notebook(tmp_path_factory.mktemp("notebook"))


def test_every_cell_says_what_it_said(run_again: nbformat.NotebookNode) -> None:
    printed = nbformat.read(script.NOTEBOOK, as_version=4)
    for before, now in zip(printed.cells, run_again.cells, strict=True):
        assert said(now) == said(before), now.source


def test_pictures_are_shown(run_again: nbformat.NotebookNode) -> None:
    shown = [text for cell in run_again.cells for text in said(cell) if text.startswith(("<table", "<div"))]
    assert len(shown) >= 5
    assert any("segments kept" in text for text in shown)
    assert any("all, in bits" in text for text in shown)
