"""Run the examples of README and docs as a reader would, and compare what they print with what is shown.

    python docs/run_examples.py            say where a shown output is not what comes out
    python docs/run_examples.py --write    put what comes out into the pages

A ``console`` block runs where its commands begin with ``$ diglot`` or ``$ python examples/``, a ``python``
block always, unless ``<!-- not run -->`` stands on the line before it. A line ``...`` in a shown output
stands for any lines. Times are not compared. All pages run in one folder, in the order of ``PAGES``.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from diglot.cli import main as diglot

ROOT = Path(__file__).resolve().parents[1]
NOT_RUN = "<!-- not run -->"
_BLOCK = re.compile(r"^(?P<mark>[^\n]*)\n```(?P<kind>console|python)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS = re.compile(r"\b\d+\.\d+ s\b")


@dataclass(frozen=True, slots=True)
class Block:
    """One example of a page; ``start`` and ``end`` are offsets of its body in the page's text."""

    page: Path
    kind: str
    body: str
    start: int
    end: int


def pages() -> list[Path]:
    """README first, then every page of docs, by path."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def runnable_blocks(page: Path) -> list[Block]:
    """The examples of a page that run."""
    blocks = []
    for match in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        commands = [line[2:] for line in match["body"].splitlines() if line.startswith("$ ")]
        ours = match["kind"] == "python" or all(c.startswith(("diglot ", "python examples/")) for c in commands)
        if ours and match["mark"].strip() != NOT_RUN:
            blocks.append(Block(page, match["kind"], match["body"], *match.span("body")))
    return blocks


def run_console(block: Block) -> str:
    """The block with what its commands print now; raises AssertionError where one of them fails."""
    lines: list[str] = []
    for piece in re.split(r"^(?=\$ )", block.body, flags=re.MULTILINE):
        if not piece:
            continue
        command, *shown = piece.splitlines()
        printed = _run_command(shlex.split(command[2:]))
        lines += [command, *_as_shown(shown, printed.splitlines())]
    return "".join(f"{line}\n" for line in lines)


def _run_command(words: list[str]) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        if words[0] == "diglot":
            code = diglot(words[1:])
            assert code == 0, f"{shlex.join(words)}: exit code {code}\n{output.getvalue()}"
        else:
            with _arguments(words[1:]):
                runpy.run_path(words[1], run_name="__main__")
    return output.getvalue()


@contextlib.contextmanager
def _arguments(words: list[str]) -> Iterator[None]:
    before, sys.argv = sys.argv, words
    try:
        yield
    finally:
        sys.argv = before


def _as_shown(shown: list[str], printed: list[str]) -> list[str]:
    """``printed``, cut where ``shown`` has ``...``, and with the times that ``shown`` has."""
    if not shown:
        return []
    kept = printed
    if "..." in shown:
        head = shown.index("...")
        tail = len(shown) - head - 1
        kept = [*printed[:head], "...", *printed[len(printed) - tail :]]
    times = dict(zip(map(_without_times, shown), shown, strict=True))
    return [times.get(_without_times(line), line).rstrip() for line in kept]


def _without_times(line: str) -> str:
    return _SECONDS.sub("0.0 s", line)


def run_python(block: Block, namespace: dict[str, Any]) -> None:
    """Run a block; its names stay for the next block of the page."""
    exec(compile(block.body, f"{block.page}, a python block", "exec"), namespace)


def prepare(folder: Path) -> None:
    """Make ``folder`` look like a checkout: the examples are there."""
    (folder / "examples").symlink_to(ROOT / "examples")


def run_page(page: Path) -> str:
    """The page's text with what its examples print now, run in the working directory."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, Any] = {}
    pieces, end = [], 0
    for block in runnable_blocks(page):
        if block.kind == "python":
            run_python(block, namespace)
        else:
            pieces += [text[end : block.start], run_console(block)]
            end = block.end
    return "".join([*pieces, text[end:]])


def main() -> int:
    """Run all pages; 1 where a page does not show what comes out."""
    write = sys.argv[1:] == ["--write"]
    differing = []
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        os.chdir(folder)
        for page in pages():
            text = run_page(page)
            if text != page.read_text(encoding="utf-8"):
                differing.append(page)
                if write:
                    page.write_text(text, encoding="utf-8")
        os.chdir(ROOT)
    for page in differing:
        print(f"{page.relative_to(ROOT)}: {'rewritten' if write else 'shows another output than comes out'}")
    return 1 if differing and not write else 0


if __name__ == "__main__":
    sys.exit(main())
