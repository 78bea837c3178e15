"""All commands of the command line, and their exit codes."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from diglot.arguments import as_options
from diglot.cli import crawling, evaluate, looking, report, review, run, sources, tasks, terms, verifying, workbench
from diglot.cli.console import close_consoles, tell_kept_aside
from diglot.cli.examples import give_examples
from diglot.cli.interrupts import INTERRUPTED, STOPPED, is_interrupted, say_stopped
from diglot.cli.options import decimal_advice
from diglot.cli.streams import say, terminal_columns, wrap_lines
from diglot.cli.typed_words import asks_for_json, option_words
from diglot.disk.atomic import kept_aside
from diglot.disk.written import files_replaced
from diglot.errors import DiglotError, Stopped, UsageError, describe_error
from diglot.version import __version__

_WRONG_USE: Any = typer.BadParameter.__mro__[2]
"""ClickException of click, or of the copy of click inside newer versions of typer."""

_WRITTEN = {"out": "-o", "html": "--html"}
"""Options that name a place to write to, as they are typed."""
_STREAMING = ("align_command", "export_command")
"""Commands that write to standard output for ``-``; any other would make a file of this name."""
_ONE_DASH = re.compile("-[a-z]{2,}")
_NO_NUMBER = re.compile(r"'([^']*)' is not a valid (int|float)(?: range)?")


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"diglot {__version__}")
        raise typer.Exit


def _expand_homes(group: typer.Typer) -> None:
    """Let the commands of a group put the home folder for ``~`` in a path; shells leave it in ``--out=~/run``."""
    for command in group.registered_commands:
        if command.callback is not None:
            command.callback = _with_homes(command.callback)
    for below in group.registered_groups:
        if below.typer_instance is not None:
            _expand_homes(below.typer_instance)


def _with_homes(command: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(command)
    def with_homes(**values: Any) -> Any:
        for name, typed in _WRITTEN.items():
            if str(values.get(name)) == "-" and command.__name__ not in _STREAMING:
                raise UsageError(f"{typed} -: this command writes files; name one, or a folder, in place of -")
        return command(**{name: _at_home(value) for name, value in values.items()})

    return with_homes


def _at_home(value: Any) -> Any:
    """A path, or a list of paths, with the home folder for ``~``; any other value as it is."""
    if isinstance(value, list):
        return [_at_home(each) for each in value]
    if not isinstance(value, Path):
        return value
    path = Path(os.path.expanduser(value))
    try:
        path.stat()
    except OSError as error:  # of a path that is not there, a command itself says more
        if error.errno == errno.ELOOP:
            raise UsageError(f"{path}: a symbolic link that leads to itself; name another place") from error
    except ValueError:  # a null character
        pass
    return path


app = typer.Typer(
    no_args_is_help=True, pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]}
)


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="the version")
    ] = False,
) -> None:
    """Turn a multilingual website into parallel text."""


app.command("harvest")(run.harvest_command)
app.command("crawl")(crawling.crawl_command)
app.command("plan")(sources.plan_command)
app.command("languages")(sources.languages_command)
app.command("read")(run.read_command)
app.command("pair")(run.pair_command)
app.command("align")(run.align_command)
app.command("clean")(run.clean_command)
app.command("merge")(run.merge_command)
app.command("update")(crawling.update_command)
app.command("forget")(crawling.forget_command)
app.command("export")(run.export_command)
app.command("stats")(looking.stats_command)
app.command("search")(looking.search_command)
app.command("recipes")(report.recipes_command)
app.command("why")(report.why_command)
app.command("check")(report.check_command)
app.command("verify")(verifying.verify_command)
app.command("compare")(evaluate.compare_command)
app.command("open")(report.open_command)
app.command("sample")(review.sample_command)
app.command("judge")(review.judge_command)
app.command("terms")(terms.terms_command)
app.command("ui")(workbench.ui_command)
app.add_typer(evaluate.evaluate_app, name="evaluate")
app.add_typer(tasks.tasks_app, name="tasks")
give_examples(app)
_expand_homes(app)


READER_GONE = 141
"""Exit code after SIGPIPE, as shells have it (``| head -1``): 128 and the number of the signal."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return its exit code: 0 done, 1 another error, 2 bad usage or input, 3 nothing found, 5
    done except for lost sites, 6 an update of a site out of order, 130 stopped, and :data:`READER_GONE`."""
    # A program may have called Diglot's functions before; files that they moved aside are no news of this command.
    kept_aside.clear()
    files_replaced.clear()
    try:
        code = _run(arguments)
        # Flushed here, where a full disk or a closed pipe can still be reported.
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # click turns a BrokenPipeError into a SystemExit
        return _end_stopped() if is_interrupted() else READER_GONE
    except OSError as error:
        # Most errors of files have become DiglotErrors; standard output and the system itself are left.
        if is_interrupted():
            return _end_stopped()
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
        where, advice = ("standard output", "free space first") if full else ("the system", "free memory and processes")
        if error.errno == errno.EMFILE:
            advice = "raise the limit of open files (ulimit -n)"
        if error.filename is not None:
            say(f"diglot: {error.filename}: {describe_error(error)}")
        else:
            say(f"diglot: {where}: {error.strerror or error}; {advice}")
        return UsageError.exit_code
    finally:
        close_consoles()
        tell_kept_aside()
    return code


def _require_utf8(arguments: list[str]) -> None:
    """Raise :class:`UsageError` for a word that is not UTF-8: no output, log or ``diglot.toml`` could state it."""
    for word in arguments:
        try:
            word.encode()
        except UnicodeEncodeError as error:
            # Shown as bytes: most likely the name of a file in another encoding.
            shown = word.encode("utf-8", "surrogateescape" if _is_of_shell(word) else "surrogatepass")
            advice = "not UTF-8; rename the file, or write the word as UTF-8"
            if _is_utf8(shown):
                advice = "UTF-8, which the locale does not allow; set LC_ALL=C.UTF-8"
            raise UsageError(f"{str(shown)[1:][:60]}: {advice}") from error


def _is_utf8(word: bytes) -> bool:
    try:
        word.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_of_shell(word: str) -> bool:
    """Whether the surrogates in a word are bytes from a shell (PEP 383)."""
    try:
        os.fsencode(word)
    except UnicodeEncodeError:
        return False
    return True


def _refuse_one_dash(words: Sequence[str]) -> None:
    """Raise :class:`UsageError` for a long option of the command, or its first four letters, behind a single dash.

    Typer would take the first letter for an option, and the other letters for its value.
    """
    words = option_words(words)
    spelled = [word for word in words if _ONE_DASH.match(word)]
    names = _long_options(words) if spelled else ()
    for word in spelled:
        name = f"-{word.partition('=')[0]}"
        # -lang may be meant for --langs.
        meant = sorted(each for each in names if each.startswith(name) and "-" not in each[len(name) :])
        if name in names or (meant and len(name) >= len("--lang")):
            raise UsageError(f"{word}: a long option has two dashes; write {' or '.join(meant)}")


def _refuse_empty_paths(words: Sequence[str]) -> None:
    """Raise :class:`UsageError` for an empty path, as from an unset variable: Python takes it for this folder."""
    words = option_words(words)
    if not any(not word or word.endswith("=") for word in words):
        return
    command, words = _called_command(words)
    # Places of tasks are texts: some are in an object store.
    paths = [each for each in command.params if each.type.name == "path" or each.name in ("run", "out")]
    names = {name: each.opts[0] for each in paths for name in each.opts if name.startswith("-")}
    empty = [
        names.get(option if not value else option.removesuffix("="))
        for option, value in pairwise((*words, "-"))
        if not value or option.endswith("=")
    ]
    if words and not words[0] and paths and command.params[0] in paths:
        empty.insert(0, command.params[0].human_readable_name)
    if name := next(filter(None, empty), None):
        raise UsageError(f"{name} '': names no folder or file; give one (this folder is .)")


def _called_command(words: Sequence[str]) -> tuple[Any, Sequence[str]]:
    """The command named by the first words, and the words behind the name."""
    command: Any = typer.main.get_command(app)
    while words and words[0] in getattr(command, "commands", {}):
        command, words = command.commands[words[0]], words[1:]
    return command, words


def _long_options(words: Sequence[str]) -> set[str]:
    """Long names of the options of the command that ``words`` call."""
    command, _ = _called_command(words)
    names = (name for each in command.params for name in (*each.opts, *each.secondary_opts))
    return {"--help", *(name for name in names if name.startswith("--"))}


def _run(arguments: list[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    try:
        _require_current_folder()
        _require_utf8(words)
        _refuse_one_dash(words)
        _refuse_empty_paths(words)
        # In standalone mode typer prints errors and exits by itself.
        result: Any = app(args=arguments, standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        result = INTERRUPTED
    except DiglotError as error:
        close_consoles()
        if is_interrupted() and not isinstance(error, Stopped):
            return _end_stopped()
        _tell_error(error, as_json=asks_for_json(words))
        return error.exit_code
    except typer.Exit as stop:
        result = stop.exit_code
    except _WRONG_USE as error:
        error.message = _NO_NUMBER.sub(_number_advice, error.message)
        if asks_for_json(words):
            _tell_error(UsageError(error.format_message()), as_json=True)
            return UsageError.exit_code
        with contextlib.suppress(OSError):
            error.show()
        return UsageError.exit_code
    if result == INTERRUPTED:
        return _end_stopped()
    return result if isinstance(result, int) else 0


def _number_advice(wrong: re.Match[str]) -> str:
    kind = "whole number" if wrong[2] == "int" else "number"
    return f"'{wrong[1]}': give a {kind}{decimal_advice(wrong[1])}"


def _require_current_folder() -> None:
    """Raise :class:`UsageError` where the current folder was deleted: no relative path has a meaning there."""
    try:
        Path.cwd()
    except OSError as error:
        raise UsageError(
            f"the current folder cannot be used ({describe_error(error)}); it was perhaps deleted: "
            "change to another with cd"
        ) from error


def _tell_error(error: DiglotError, *, as_json: bool) -> None:
    """Print an error as the last line; as JSON after the summary of a run that was written all the same."""
    message = as_options(str(error))
    if not as_json or is_interrupted():
        _say_last(f"diglot: {message}")
        return
    if error.summary is not None:
        print(json.dumps(error.summary, ensure_ascii=False))
    say(json.dumps({"code": error.exit_code, "kind": type(error).__name__, "message": message}))


def _end_stopped() -> int:
    close_consoles()
    _say_last(STOPPED)
    return INTERRUPTED


def _say_last(text: str) -> None:
    if is_interrupted():
        say_stopped(wrap_lines(text, terminal_columns(sys.stderr)))
    else:
        say(text)
