"""What the command line has, Python has: the same options under the same names, and types that find mistakes."""

from __future__ import annotations

import ast
import html
import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
import typer.main
from mypy import api as mypy

import diglot
import diglot.arguments
from diglot.arguments import CrawlKeywords, RunKeywords, as_arguments, as_options
from diglot.cli import app
from diglot.cli.options import crawl_options
from diglot.corpus.flags.personal import Mode
from diglot.crawl.options import CrawlOptions
from diglot.languages import LANG_FROM
from diglot.run.settings import Settings
from made_website import as_folder

SCRIPT = Path(__file__).resolve().parents[1] / "examples" / "every_verb.py"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "harvest": diglot.harvest,
    "crawl": diglot.crawl_run,
    "languages": diglot.find_languages,
    "read": diglot.read_sources,
    "pair": diglot.pair_run,
    "clean": diglot.clean_run,
    "merge": diglot.merge,
    "update": diglot.update,
    "verify": diglot.verify_run,
    "forget": diglot.forget,
    "export": diglot.Run.export,
    "stats": diglot.stats,
    "search": diglot.search,
    "compare": diglot.compare,
    "sample": diglot.sample,
    "judge": diglot.take_verdicts,
    "why": diglot.Run.why,
    "check": diglot.check_tmx,
    "open": diglot.report_run,
}
ONLY_PRINTED = {"as_json", "quiet", "verbose"}
ONLY_TYPED = {"config": "a file of options", "listed": "judgement_lines", "limit": "itertools.islice", "path_only": ""}
"""Options of the command line alone, and what Python has instead."""
RENAMED = {
    "changes": "options",
    "max_time": "max_time_s",
    "delay": "delay_s",
    "allow_host": "allow_hosts",
    "address": "source",
    "run": "out",
    "to": "names",
    "variant": "variants",
    "told": "explained",
    "files": "path",
}
PATHS = {"out", "run", "runs", "path", "self", "source", "files", "text", "url", "other"}
CRAWL_OPTIONS = {RENAMED.get(name, name) for name in inspect.signature(crawl_options).parameters}


def keywords_of(function: Callable[..., Any]) -> set[str]:
    """Names of all arguments, with those behind ``**``."""
    found: set[str] = set()
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            keywords = parameter.annotation.removeprefix("Unpack[").removesuffix("]")
            found |= set(get_type_hints(getattr(diglot.arguments, keywords)))
        else:
            found.add(name)
    return found


@pytest.mark.parametrize("command", FUNCTIONS)
def test_a_function_has_the_options_of_its_command(command: str) -> None:
    root: Any = typer.main.get_command(app)
    typed = {param.name for param in root.commands[command].params} - ONLY_PRINTED - set(ONLY_TYPED)
    typed = {RENAMED.get(name, name) for name in typed}
    named = keywords_of(FUNCTIONS[command])
    if "crawl" in named or command == "languages":  # of an address, languages are in diglot.plan_crawl
        typed -= CRAWL_OPTIONS
    if command == "export":  # two lists of flags on the command line, their result in Python
        typed = typed - {"keep", "drop"} | {"excluded"}
    assert typed - PATHS <= named
    assert named - PATHS - {"crawl", "progress", "max_page_bytes"} <= typed


def test_keywords_are_the_options_of_a_run_and_of_a_crawl() -> None:
    explicit = {"langs", "recipe", "options"}
    assert set(get_type_hints(RunKeywords)) == {each.name for each in fields(Settings)} - explicit
    of_crawl = {each.name for each in fields(CrawlOptions)} - {"starts", "langs", "only_known"}
    assert set(get_type_hints(CrawlKeywords)) == of_crawl
    assert set(get_type_hints(CrawlKeywords)) - CRAWL_OPTIONS == {"max_requests", "max_page_bytes"}


def test_words_that_are_options_are_the_known_ones() -> None:
    hints = get_type_hints(RunKeywords)
    assert get_args(hints["lang_from"]) == tuple(LANG_FROM)
    assert get_args(hints["pii"]) == get_args(Mode)


PLANTED = {
    "min_score=0.6, drop": "min_scor=0.6, drop",
    'numbers["kept"]': 'numbers["keep"]',
    'pii="mask"': 'pii="masked"',
    '{"max_pages": 50, ': '{"max_page": 50, ',
    "term.pages": "term.page",
    "hit.score": "hit.row",
    "diglot.report_run(run)": "diglot.report_rnu(run)",
}
"""Right and mistaken pieces of the script."""


@pytest.mark.slow
def test_mistakes_in_a_script_are_found_by_types(tmp_path: Path) -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    for right, mistaken in PLANTED.items():
        assert text.count(right) == 1
        text = text.replace(right, mistaken)
    (tmp_path / "script.py").write_text(text, encoding="utf-8")
    told, _, _ = mypy.run(["--strict", "--no-error-summary", str(tmp_path / "script.py")])
    lines = enumerate(text.splitlines(), start=1)
    planted = {number for number, line in lines if any(each in line for each in PLANTED.values())}
    assert {int(line.split(":")[1]) for line in told.splitlines() if ": error:" in line} == planted


SOURCES = Path(diglot.__file__).parent
COMMANDS_ALONE = (
    "cli",
    "workbench",
    "tasks",
    "texts",
    "run/run_config.py",
    "experiments/against_gold.py",
    "experiments/shared_task.py",
)
"""Parts of Diglot that no function for Python calls, or only in a process of their own."""
OF_COMMANDS = re.compile(r"`[^`]*`|\b[dD]iglot \w+ .*")
"""A whole command to type."""


def test_errors_name_arguments_and_no_options_of_the_command_line() -> None:
    kinds = {name for name, kind in vars(diglot.errors).items() if isinstance(kind, type)}
    named = []
    for path in SOURCES.rglob("*.py"):
        if str(path.relative_to(SOURCES)).startswith(COMMANDS_ALONE):
            continue
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in kinds:
                texts = (node.value for node in ast.walk(call) if isinstance(node, ast.Constant))
                text = OF_COMMANDS.sub("", "".join(text for text in texts if isinstance(text, str)))
                if re.search(r"(^|\s)(--[a-z]|-[lo]\s)", text):
                    named.append((path.name, text))
    assert named == []


def test_notes_of_a_run_name_arguments_and_are_shown_in_a_notebook(tmp_path: Path) -> None:
    site = as_folder(tmp_path / "pages")
    run = diglot.harvest(site, "en,fr,ja", tmp_path / "run", base_url="http://a.example/", jobs=1)
    (note,) = run.notes
    assert note.startswith("no page is in Japanese (ja). `diglot languages SOURCE` shows what is there. ")
    assert html.escape(note) in run._repr_html_()
    assert run.summary()["notes"] == [note.replace("lang_rules=['TEXT=ja']", "--lang 'TEXT=ja'")]


def test_every_option_of_a_run_and_a_crawl_has_an_argument_in_notes() -> None:
    for name, kind in {**get_type_hints(RunKeywords), **get_type_hints(CrawlKeywords)}.items():
        option = as_options(f"give {name}=x").split()[1]
        assert as_arguments(f"give {option}") == f"give {name}={'True' if kind is bool else ''}", option
        assert as_arguments(f"{option}s and a{option}") == f"{option}s and a{option}"
