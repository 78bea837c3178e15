"""``diglot ui``: the workbench in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from diglot.cli.options import AllowHost

FOLDER = Path("~/diglot")


def ui_command(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="folder of all sites, made on first use")] = FOLDER,
    port: Annotated[int, typer.Option("--port", min=0, max=65_535, help="port on this machine; 0: a free one")] = 0,
    at_most: Annotated[int, typer.Option("--at-most", min=1, metavar="N", help="harvests at a time; others wait")] = 1,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="print the address, open no browser")] = False,
    allow_host: AllowHost = [],  # noqa: B006
) -> None:
    """Open the workbench: a page in the browser, from the address of a site to a memory. Ctrl-C closes it."""
    from diglot.workbench.server import open_browser, serve

    def say(address: str) -> None:
        typer.echo(f"workbench {address}")
        if not no_browser:
            open_browser(address)

    typer.echo(serve(folder, port=port, at_most=at_most, allow_hosts=allow_host, say=say))
