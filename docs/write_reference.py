"""Write what follows from the code into the docs: ``python docs/write_reference.py``.

``reference/commands.md``, ``reference/python.md`` and ``reference/recipes.md`` are written whole, from the help of the
commands, the docstrings and the recipes. Elsewhere one table is written between its markers: the kinds of evidence in
``theory/fused.md``, the flags in ``reference/reasons-and-flags.md``, the formats in ``how-to/formats.md``.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import typer.main

import diglot
from diglot.cli import app
from diglot.cli.examples import EXAMPLES
from diglot.cli.options import CRAWL_PANEL
from diglot.corpus.flags import FLAGS, Flag
from diglot.corpus.formats import FORMATS, Format
from diglot.errors import DiglotError
from diglot.pairing.fused.evidence import COLUMNS, EvidenceColumn
from diglot.recipes import DEFAULT_RECIPE, RECIPES, get_recipe
from diglot.recipes.recipe import EVIDENCE_MEANING, Recipe, plain_value

FOLDER = Path(__file__).parent
WIDTH = 100
"""Longest call on one line."""
_ROLE = re.compile(r":(?:class|func|data|meth|mod):`([^`]+)`")
GENERATED = "<!-- written by docs/write_reference.py; change the code, then `make docs` -->"

COMMANDS_HEAD = """# Commands

{generated}

Every command says the same with `--help`. Exit codes: 0 done; 1 not done: tasks failed or come too early, a
process died, Spark or Chromium does not start; 2 bad usage or input (after 1 and 2 a line says what to try); 3 nothing
found, with the funnel that says why; 5 done, but some sites were lost; 6 an update that took the site to be out of
order; 130 stopped by Ctrl-C and 143 by SIGTERM, the same command goes on; 141 the program that reads the output has
ended.
`search` ends as grep does: 0 found, 1 not found, 2 bad usage. `verify` ends with 1 if a file is damaged, missing or
changed, or the run is not finished, `forget` if a file that Diglot did not write still holds the page.

Progress goes to standard error, results to standard output. On a terminal each stage has a bar, and then a line;
elsewhere there are only the lines. `-q` leaves out all but errors, and what `plan` and `languages` answer; `-v` adds
the steps of stages, the options in force and all sites. With `--json` each line of progress is an object with the
`"stage"`:

- when a stage or a step of it begins: `"total"`, `"unit"`, and the name of the `"step"`;
- every two seconds at most: `"at"`, how many of `"total"` are done, and for a crawl `"state"`, how many addresses wait,
  failed or were left out;
- when the stage ends: `"done"`, the line for people, and `"seconds"`, or `"kept"` if nothing had to be done.

The summary is one object on standard output. That of a run has the keys of `RUN/out/summary.json`
([the run folder](run-folder.md)), and is printed as well if nothing was found or sites were lost. An error is the last
line of standard error, one object: `"code"`, the exit code; `"kind"`, the class of the error in Python; `"message"`.
After a stop the kind is `Stopped`.
"""

PYTHON_HEAD = """# Python

{generated}

All of this is in the module `diglot`. Types are complete: an editor completes the options and marks a mistyped one.
`source` is what SOURCE is on the command line, one or a list; `out` and `run` are the path of a run folder, or a `Run`.
[How to use it](../how-to/use-in-python.md) has examples.

| command | in Python |
|---|---|
{commands}

## Errors

In `diglot.errors`. The message of an error names the file or option and what to try.

| error | exit code | |
|---|---|---|
{errors}
"""

IN_PYTHON = {
    "harvest": "harvest",
    "crawl": "crawl_run",
    "plan": "plan_files, plan_crawl",
    "languages": "find_languages",
    "read": "read_sources",
    "pair": "pair_run",
    "align": "align_run, align",
    "clean": "clean_run",
    "merge": "merge",
    "update": "update",
    "verify": "verify_run",
    "forget": "forget",
    "export": "Run.export",
    "stats": "stats",
    "search": "search",
    "compare": "compare",
    "recipes": "recipes.RECIPES, recipes.get_recipe",
    "open": "report_run",
    "why": "Run.why, PagePair.why",
    "check": "check_tmx",
    "sample": "sample",
    "judge": "take_verdicts",
    "terms": "Run.terms, Terms.choose, Terms.decide, Terms.write",
}
"""What a command is in Python."""
OPTION_OF = {"max_time_s": "max_time", "delay_s": "delay", "allow_hosts": "allow_host"}
"""Parameters of the command line with another name than the keyword."""

RECIPES_HEAD = """# Recipes

{generated}

A recipe is one way to find out which pages translate each other. Without `--recipe`, `{default}` is used.
Options are changed by `--set KEY=VALUE` or a TOML file of such lines (`--config`); shares are written `0.2` or
`20%`, and `inf` switches a limit off. `block_threshold` takes exceptions for language pairs:
`--set block_threshold=30%,es-ca=20%`. The signature, which states all options, stands in `diglot.toml` and in
every TMX file.
"""


def commands_page() -> str:
    """Every command with its arguments and options."""
    root: Any = typer.main.get_command(app)
    parts = [COMMANDS_HEAD.format(generated=GENERATED)]
    for name, command in _commands(root, "diglot"):
        usage = " ".join(
            [name, *(_argument(p) for p in command.params if p.param_type_name == "argument"), "[OPTIONS]"]
        )
        parts.append(f"## {name}\n\n    {usage}\n\n{inspect.cleandoc(command.help)}\n")
        rows = [_row(param, names_crawl=name != "diglot crawl") for param in command.params]
        if rows:
            parts.append("| | |\n|---|---|\n" + "\n".join(rows) + "\n")
        if examples := EXAMPLES.get(name.removeprefix("diglot "), ()):
            lines = [f"    {words}  # {what}" for words, what in examples]
            parts.append("\n".join(["Examples:", "", *lines, ""]))
    return "\n".join(parts)


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _argument(param: Any) -> str:
    name = (param.metavar or param.name.upper()).strip("[]")
    name += "..." if param.nargs == -1 and not name.endswith("...") else ""
    return name if param.required else f"[{name}]"


def _row(param: Any, *, names_crawl: bool) -> str:
    """A row of the table of a command; ``names_crawl``: options of a crawl, a panel of the help, are marked."""
    if param.param_type_name == "argument":
        return f"| `{_cell(_argument(param))}` | {_cell(param.help or '')} |"
    value = "" if param.is_flag else f" {param.metavar or param.name.upper()}"
    default = f" (default {param.default})" if param.default not in (None, "", False, []) else ""
    need = " (required)" if param.required else default
    meaning = f"crawl: {param.help}" if names_crawl and param.rich_help_panel == CRAWL_PANEL else param.help
    return f"| `{', '.join([*param.opts, *param.secondary_opts])}{_cell(value)}` | {_cell(meaning)}{need} |"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _error_rows(error: type[DiglotError], depth: int = 0) -> Iterator[str]:
    """Rows of an error and, below it, of its kinds."""
    meaning = inspect.cleandoc(error.__doc__ or "").partition("\n")[0].replace("``", "`")
    yield f"| {'&emsp;' * depth}`{error.__name__}` | {error.exit_code} | {meaning} |"
    for kind in error.__subclasses__():
        if kind.__module__ == DiglotError.__module__:
            yield from _error_rows(kind, depth + 1)


def python_page() -> str:
    """Every public function and class with its docstring."""
    commands = (f"| `diglot {name}` | {_names(names)} |" for name, names in IN_PYTHON.items())
    errors = "\n".join(_error_rows(DiglotError))
    parts = [PYTHON_HEAD.format(generated=GENERATED, commands="\n".join(commands), errors=errors)]
    public = {name: getattr(diglot, name) for name in sorted(diglot.__all__, key=str.casefold)}
    parts.append("## Functions\n")
    parts += [_function(name, each) for name, each in public.items() if inspect.isfunction(each)]
    parts.append(_function("recipes.get_recipe", get_recipe))
    parts.append("`recipes.RECIPES`: all recipes by name, a mapping of text to `Recipe`.\n")
    parts.append("## Classes\n")
    parts += [_class(name, each) for name, each in public.items() if inspect.isclass(each)]
    return "\n".join(parts).rstrip("\n") + "\n"


def _names(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split(", "))


def _function(name: str, function: Any) -> str:
    return f"### {name}\n\n{_described(name, function)}"


def _described(name: str, function: Any) -> str:
    """The call, the docstring, and the keywords behind ``**``."""
    return f"{_call(name, function)}\n\n{_prose(function)}\n{_unpacked(function)}"


def _unpacked(function: Any) -> str:
    """The keywords behind ``**`` with their types, or the class that lists them; "" for a function without."""
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            name = parameter.annotation.removeprefix("Unpack[").removesuffix("]")
            if name in diglot.__all__:
                return f"\nKeywords: those of [{name}](#{name.lower()}).\n"
            hints = inspect.unwrap(function).__globals__[name].__annotations__
            return f"\nKeywords: {', '.join(f'`{key}: {_hint(hint)}`' for key, hint in hints.items())}.\n"
    return ""


def _call(name: str, function: Any) -> str:
    """The call as code, an argument a line where it is long."""
    signature = inspect.signature(function)
    arguments = [_argument_text(each) for each in signature.parameters.values() if each.name != "self"]
    if star := next(
        (n for n, each in enumerate(signature.parameters.values()) if each.kind is each.KEYWORD_ONLY), None
    ):
        arguments.insert(star - ("self" in signature.parameters), "*")
    whole = f"{name}({', '.join(arguments)}) -> {signature.return_annotation}"
    if len(whole) <= WIDTH:
        return f"    {whole}"
    lines = ",\n        ".join(arguments)
    return f"    {name}(\n        {lines},\n    ) -> {signature.return_annotation}"


def _argument_text(parameter: inspect.Parameter) -> str:
    stars = (
        "**" if parameter.kind is parameter.VAR_KEYWORD else "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
    )
    default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
    return f"{stars}{parameter.name}: {parameter.annotation}{default}"


def _class(name: str, kind: type) -> str:
    parts = [f"### {name}\n\n{_prose(kind)}\n"]
    if name.endswith("Keywords"):
        parts.append(_keywords(kind))
    elif issubclass(kind, dict):  # a TypedDict
        shown = [f"`{key}: {_hint(hint)}`" for key, hint in kind.__annotations__.items()]
        parts.append(f"Keys: {', '.join(shown)}.\n")
    elif dataclasses.is_dataclass(kind):
        shown = [f"`{each.name}: {each.type}`" for each in dataclasses.fields(kind) if not each.name.startswith("_")]
        parts.append(f"Fields: {', '.join(shown)}.\n")
    for member, value in vars(kind).items():
        if member.startswith("_") or not getattr(value, "__doc__", None):
            continue
        if inspect.isfunction(value):
            parts.append(f"#### {name}.{member}\n\n{_described(f'{name}.{member}', value)}")
        elif isinstance(value, property):
            parts.append(f"`{name}.{member}`: {_prose(value)}\n")
    return "\n".join(parts)


def _keywords(kind: Any) -> str:
    """Keywords with their options on the command line, which say what they mean."""
    root: Any = typer.main.get_command(app)
    options = {param.name: param for param in root.commands["harvest"].params}
    rows = []
    for name, hint in kind.__annotations__.items():
        option = options.get(OPTION_OF.get(name, name))
        meaning = f"`{option.opts[0]}`: {_cell(option.help)}" if option else "only in Python"
        rows.append(f"| `{name}` | `{_cell(_hint(hint))}` | {meaning} |")
    return "\n".join(["| keyword | type | option |", "|---|---|---|", *rows, ""])


def _hint(hint: Any) -> str:
    return str(getattr(hint, "__forward_arg__", hint))


def _prose(described: Any) -> str:
    """A docstring as Markdown: names of objects as code, literals with one backtick."""
    text = inspect.cleandoc(described.__doc__ or "")
    text = _ROLE.sub(lambda role: f"`{role[1].removeprefix('~').removeprefix('diglot.')}`", text)
    return text.replace("``", "`")


def recipes_page() -> str:
    """Every recipe with its source and options."""
    parts = [RECIPES_HEAD.format(generated=GENERATED, default=DEFAULT_RECIPE)]
    return "\n".join([*parts, *map(_recipe, RECIPES.values())])


def _recipe(recipe: Recipe) -> str:
    rows = [
        f"| `{option.name}` | `{plain_value(getattr(recipe.options, option.name))}` "
        f"| {_cell(option.metadata['meaning'])} | {recipe.default_source(option)} |"
        for option in dataclasses.fields(recipe.options)
    ]
    rows.append(
        f"| `aligner` | `{recipe.aligner}` | how the segments of a pair are aligned: `lexical`, `tags` or "
        "`gale_church` | |"
    )
    rows.append(f"| `aligner_evidence` | none | {_cell(EVIDENCE_MEANING)} | |")
    head = f"## {recipe.name}\n\n{recipe.summary}\n\nSource: {recipe.source}.\n"
    return f"{head}\n| option | default | meaning | default from |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"


def fused_page() -> str:
    """The page on ``fused`` with its table of evidence."""
    return with_table("theory/fused.md", "columns", ("column", "told under", "what it says", ""), map(_column, COLUMNS))


def flags_page() -> str:
    """The page on reasons and flags with its table of flags."""
    rows = map(_flag, sorted(FLAGS, key=lambda flag: flag.name))
    return with_table("reference/reasons-and-flags.md", "flags", ("flag", "leaves out", "meaning"), rows)


def formats_page() -> str:
    """The how-to on formats with its table of formats."""
    heads = ("name", "files", "loads in", "what a row keeps")
    return with_table("how-to/formats.md", "formats", heads, map(_format, FORMATS))


def with_table(name: str, marker: str, heads: Sequence[str], rows: Iterable[str], page: str = "") -> str:
    """A page with a table between ``<!-- marker -->`` and ``<!-- /marker -->``; ValueError without these markers.

    ``page``: its text, instead of that of the file.
    """
    page = page or (FOLDER / name).read_text(encoding="utf-8")
    before, begin, rest = page.partition(f"<!-- {marker} -->")
    _, end, after = rest.partition(f"<!-- /{marker} -->")
    if not begin or not end:
        raise ValueError(f"{name}: no <!-- {marker} --> or no <!-- /{marker} --> in the page")
    table = "\n".join([f"| {' | '.join(heads)} |".replace("|  |", "| |"), "|" + "---|" * len(heads), *rows])
    return f"{before}{begin}\n{GENERATED}\n{table}\n{end}{after}"


def _format(form: Format) -> str:
    files = ", ".join(f"`{name}`" for name in form.file_names("SRC", "TGT"))
    return f"| `{form.name}` | {files} | {_cell(form.loads_in)} | {_cell(form.keeps)} |"


def _flag(flag: Flag) -> str:
    meaning = f"{flag.meaning}. {flag.details}" if flag.details else flag.meaning
    return f"| `{flag.name}` | {'yes' if flag.excludes else 'no'} | {_cell(meaning)} |"


def _column(column: EvidenceColumn) -> str:
    marks = {"content": column.content, "level": column.level, "not learnt": not column.learnt}
    told = ", ".join(mark for mark, is_so in marks.items() if is_so)
    return f"| `{column.name}` | {column.group} | {_cell(column.meaning)} | {told} |"


PAGES = {
    "reference/commands.md": commands_page,
    "reference/python.md": python_page,
    "reference/recipes.md": recipes_page,
    "reference/reasons-and-flags.md": flags_page,
    "theory/fused.md": fused_page,
    "how-to/formats.md": formats_page,
}

if __name__ == "__main__":
    for name, write in PAGES.items():
        (FOLDER / name).write_text(write(), encoding="utf-8")
