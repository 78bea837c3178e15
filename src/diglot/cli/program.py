"""The ``diglot`` program: from its first line on an interrupt ends it with one line and no traceback."""

from __future__ import annotations

import os
import sys

from diglot.cli.interrupts import INTERRUPTED, ignore_interrupts, is_interrupted, obey_interrupts, say_stopped


def entry() -> None:
    """What the ``diglot`` script runs.

    Its tables live in the system's memory pool, which gives back what Arrow's own would keep: a tenth less at the end
    of a large run, and no slower. Before anything imports Arrow, which reads this once.
    """
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
        os._exit(code)  # Python ends by the signal itself where it met it in text that it compiled
    sys.exit(code)


def _run() -> int:
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    from diglot import engines
    from diglot.cli.streams import give_up_streams, open_streams

    engines.is_own_program = True
    open_streams()
    from diglot.cli.commands import main

    code = main()
    give_up_streams()
    return code
