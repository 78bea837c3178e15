"""A folder with one thing of every kind that a command line may name."""

from __future__ import annotations

from pathlib import Path

from diglot.harvesting import harvest
from made_website import as_lett


def made_place(folder: Path) -> Path:
    """Put a source, a run of it, a text and gold pairs into a folder; returns the folder."""
    as_lett(folder / "site.lett")
    harvest(folder / "site.lett", "en,fr", folder / "run", jobs=1)
    (folder / "text.txt").write_text("One line.\n")
    (folder / "gold.tsv").write_text("en\tfr\thttp://a.example/1\thttp://a.example/2\n")
    return folder
