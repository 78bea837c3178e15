"""Odd command lines: every command with an odd value in one of its options or arguments."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from diglot.cli import app

ODD = (
    "", " ", "-", "--", "-1", "0", "1.5", "1e999", "nan", "inf", "-inf", "0x10", "1_000", "９", "9" * 50, "9" * 5000,
    "true", "None", "a,b", ",", ",,,", "en,en", "en,fr", "x" * 300, "x" * 5000, "en-", "-en", "en_US", "zh-Hant-TW",
    "tlh", "q" * 9, "*", "[", "[!]", "**/", "\\", "%", "%s", "{}", "$HOME", "`id`", "~", "~nobody/x",
    "/dev/null", "/dev/zero", "/proc/self/mem", "..", "a/../b", "\x01", "\t", "\n", "\u202e", "\udc80", "é", "😀",
    "KEY", "KEY=", "=VALUE", "seed=1.5", "seed=1e3", f"seed={10**22}", "seed=-1", "seed=nan", "seed=True",
    "min_probability=nan", "min_probability=1e999", "min_probability=two", "aligner=none",
    "aligner_evidence=embed;embed", "aligner_evidence=dictionary:", "aligner_evidence=translations:/dev/zero",
    "aligner_evidence=apertium:../../bin/sh", "point=", "127.0.0.1:0", "127.0.0.1:65536", "127.0.0.1:"+"9" * 50,
    "[::1]:x", "[::1]:99999999", "127.0.0.1", ":80", "http://", "http://[", "http://[::1", "http://a:99999/",
    "http://127.0.0.1:1/", "ftp://a/", "file:///etc/passwd", "javascript:alert(1)", "1d", "1w", "1e999d", "-5m", "m",
    "nan h", "nands", "inf", "weighed", "text", "path=fr", "/fr/=fr", "=", "a=b=c", "all", "url_baseline", "tmx,tmx",
    "tmx,xls", "beads", "flag", "mask", "names", "no_such_flag",
)  # fmt: skip


def commands() -> dict[str, Any]:
    """Every command by its words, but for the workbench, which works until it is stopped."""
    found: dict[str, Any] = {}

    def add(prefix: str, group: Any) -> None:
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                add(f"{prefix}{name} ", command)
            elif name != "ui":
                found[f"{prefix}{name}"] = command

    add("", typer.main.get_command(app))
    return found


def plain_line(name: str, place: Path) -> list[str]:
    """A command line that needs no work to speak of: its sources do not exist or are short."""
    run, text, gold, none = (str(place / word) for word in ("run", "text.txt", "gold.tsv", "none.warc"))
    new = str(place / "new")
    lines = {
        "harvest": [none, "-l", "en,fr", "-o", new],
        "crawl": ["http://127.0.0.1:1/", "-o", new],
        "plan": ["http://127.0.0.1:1/"],
        "languages": [none],
        "read": [none, "-l", "en,fr", "-o", new],
        "pair": [none],
        "align": [text, text, "-l", "en,fr", "--aligner", "gale_church"],
        "clean": [none],
        "update": [run],
        "verify": [run],
        "forget": [run, "--url", "http://a.example/"],
        "export": [run, "-o", new],
        "stats": [run],
        "search": [run, "hours"],
        "recipes": [],
        "why": [run, "http://a.example/"],
        "check": [gold],
        "compare": [none, "-l", "en,fr"],
        "open": [run, "--path"],
        "sample": [run, "-o", f"{new}.tsv"],
        "judge": [run, gold],
        "terms": [run],
        "merge": [run, none, "-o", new],
        "tasks plan": [none, "-l", "en,fr", "-o", new],
        "tasks list": [run, "read"],
        "tasks run": [run, "read"],
        "tasks status": [run],
        "tasks finish": [run],
        "evaluate pairs": [run, gold],
        "evaluate segments": [gold, gold],
        "evaluate wmt16": [str(place)],
    }
    return [*name.split(), *lines[name]]


def odd_lines(place: Path, rng: random.Random) -> Iterator[list[str]]:
    """Command lines without end: an odd value for an option, an odd argument, or an odd word somewhere."""
    known = commands()
    while True:
        name = rng.choice(sorted(known))
        line = plain_line(name, place)
        options = [option for option in known[name].params if option.param_type_name == "option"]
        start = len(name.split())
        kind = rng.random()
        if kind < 0.6 and options:
            option = rng.choice(options)
            value = [] if getattr(option, "is_flag", False) else [rng.choice(ODD)]
            line = [*line, option.opts[-1], *value]
        elif kind < 0.85 and len(line) > start:
            line[rng.randrange(start, len(line))] = rng.choice(ODD)
        else:
            line.insert(rng.randrange(len(line) + 1), rng.choice(ODD))
        if all("\0" not in word for word in line):
            yield line
