"""Run the notebook of the examples and write what its cells say now into it.

python docs/write_notebook.py
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

EXAMPLES = Path(__file__).parents[1] / "examples"
NOTEBOOK = EXAMPLES / "notebook.ipynb"


def main() -> None:
    metadata = nbformat.read(NOTEBOOK, as_version=4).metadata
    with tempfile.TemporaryDirectory() as folder:
        notebook = run_notebook(Path(folder))
    # The kernel adds its version.
    notebook.metadata = metadata
    nbformat.write(notebook, NOTEBOOK)


def run_notebook(folder: Path) -> nbformat.NotebookNode:
    """The notebook with what its cells say now, run in a folder with a copy of the sample."""
    shutil.copytree(EXAMPLES / "sample", folder / "sample")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": str(folder)}}).execute()
    return notebook


if __name__ == "__main__":
    main()
