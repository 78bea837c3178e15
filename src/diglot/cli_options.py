"""What the commands of the command line share: arguments, options, and recipe options as text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diglot.errors import UsageError

Langs = Annotated[str, typer.Option("-l", "--langs", help="languages, as BCP 47 tags: en,fr,pt-BR")]
Out = Annotated[Path, typer.Option("-o", "--out", help="the run folder")]
RunDir = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")]
RecipeName = Annotated[str, typer.Option("--recipe", help="a recipe; `diglot recipes` lists them")]
Changes = Annotated[
    list[str], typer.Option("--set", metavar="KEY=VALUE", help="an option of the recipe; may be repeated")
]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE.toml", help="recipe options from a file")]
Jobs = Annotated[int, typer.Option("--jobs", min=0, help="processes; 0: one a core")]
Json = Annotated[bool, typer.Option("--json", help="machine-readable progress and summary")]
Quiet = Annotated[bool, typer.Option("--quiet", help="print nothing but errors")]
Pivot = Annotated[str, typer.Option("--pivot", help="only pairs with this language")]
MinProb = Annotated[float, typer.Option("--min-prob", min=0.0, max=1.0, help="least score of a pair")]
BaseUrl = Annotated[str, typer.Option("--base-url", help="address that a folder of pages stands for")]
OneSite = Annotated[bool, typer.Option("--one-site", help="pair pages across all hosts, whatever their domain")]
Gold = Annotated[Path, typer.Argument(metavar="GOLD.tsv", help="language, language, address, address between tabs")]
Ignore = Annotated[Path | None, typer.Option("--ignore", help="pairs that are neither right nor wrong")]


def recipe_options(changes: list[str], config: Path | None) -> dict[str, str]:
    """Recipe options from a TOML file and from ``KEY=VALUE`` words, the words winning."""
    from diglot.settings import read_options

    options = read_options(config) if config else {}
    for change in changes:
        key, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"--set {change}: write KEY=VALUE, as in --set max_edits=10")
        options[key.strip()] = value.strip()
    return options
