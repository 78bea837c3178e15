"""Entry point of the ``diglot`` program: an interrupt ends it with one line and no traceback from the start."""

from __future__ import annotations

import os
import sys

from diglot.cli.interrupts import INTERRUPTED, ignore_interrupts, is_interrupted, obey_interrupts, say_stopped


def entry() -> None:
    """Run the command line and exit with its code."""
    obey_interrupts()
    try:
        code = _run()
    except BaseException:
        if not is_interrupted():
            raise
        say_stopped()
        code = INTERRUPTED
    ignore_interrupts()
    if is_interrupted():
        os._exit(code)  # sys.exit would end by the signal if it came while Python compiled text
    sys.exit(code)


def _run() -> int:
    # The system's memory pool gives memory back that Arrow's own keeps: a tenth less at the end of a large run, at the
    # same speed. Arrow reads the variable once, at import.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from diglot import engines
    from diglot.cli.streams import give_up_streams, open_streams

    engines.is_own_program = True
    open_streams()
    from diglot.cli.commands import main

    code = main()
    give_up_streams()
    return code
