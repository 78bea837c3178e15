"""Runs the notebook of the examples and writes what its cells say now into it.

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
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    metadata = dict(notebook.metadata)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES / "sample", Path(folder, "sample"))
        NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": folder}}).execute()
    # The kernel adds its version.
    notebook.metadata = metadata
    nbformat.write(notebook, NOTEBOOK)


if __name__ == "__main__":
    main()
