"""The command line and its entry point. The function of a command parses, calls and prints."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from diglot.cli.interrupts import (
    INTERRUPTED,
    exit_code,
    ignore_interrupts,
    is_interrupted,
    obey_interrupts,
    say_stopped,
)
from diglot.cli.typed_words import asks_for_json

if TYPE_CHECKING:
    from diglot.cli.commands import app as app
    from diglot.cli.commands import main as main

__all__ = ["app", "entry", "main"]

UNFORESEEN = 1
"""Exit code of an unforeseen error, the same as Python's."""
COLLECTED_OBJECTS = 50_000
"""New objects after which Python looks for garbage."""


def __getattr__(name: str) -> Any:
    """Load the commands on first use: they take long to import, and interrupts must work before."""
    if name in ("app", "main"):
        return getattr(importlib.import_module("diglot.cli.commands"), name)
    raise AttributeError(f"module 'diglot.cli' has no attribute {name!r}")


def entry() -> None:
    """Run the command line and exit with its code; an interrupt at any time ends it with one line, no traceback."""
    obey_interrupts()
    try:
        code = _run()
    except BaseException as error:
        if is_interrupted():
            say_stopped()
            code = INTERRUPTED
        elif isinstance(error, Exception) and not sys.flags.dev_mode:
            code = _tell_failure(error)
        else:
            raise
    if code == INTERRUPTED:
        code = exit_code()
    # The exit code is known: an interrupt while Python shuts down must not change it.
    ignore_interrupts()
    if is_interrupted():
        os._exit(code)  # sys.exit would end by the signal if it came while Python compiled text
    sys.exit(code)


def _tell_failure(error: Exception) -> int:
    """Print an unforeseen error, such as a user's own module that fails at import; returns the exit code."""
    import json

    from diglot.errors import describe_failure

    advice = "mend it there if the file is yours, or report what `python -X dev -m diglot` prints for the same command"
    if isinstance(error, MemoryError):
        advice = "free memory, or raise the limit of this shell (ulimit -v)"
    message = f"{describe_failure(error)}; {advice}"
    if asks_for_json(sys.argv):
        line = json.dumps({"code": UNFORESEEN, "kind": type(error).__name__, "message": message})
    else:
        line = f"diglot: {message}"
    with contextlib.suppress(OSError, ValueError):
        print(line, file=sys.stderr)
    return UNFORESEEN


def _run() -> int:
    # The system's memory pool gives memory back that Arrow's own keeps: a tenth less at the end of a large run, at the
    # same speed. Arrow reads the variable once, at import.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    # Matrices here are small: threads would wait busily for work, and how a product is cut among them changes its last
    # digits from machine to machine. NumPy reads the variable once, at import.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports make many objects and no garbage: by its usual steps, the collector takes a twentieth of their time.
    gc.set_threshold(COLLECTED_OBJECTS, *gc.get_threshold()[1:])
    from diglot import engines
    from diglot.cli.streams import give_up_streams, open_streams

    engines.is_own_program = True
    open_streams()
    # Imports open files, which must not get the number of a closed standard stream.
    from diglot.cli.commands import main

    code = main()
    give_up_streams()
    return code
