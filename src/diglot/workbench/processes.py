"""Work in processes of their own: commands and modules of Diglot, how they are started and how they end."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence

from diglot.errors import DiglotError, UsageError
from diglot.workbench.commands import plain_message


async def run_command(words: Sequence[str]) -> str:
    """Standard output of a short command of Diglot. Raises: UsageError with the command's error message."""
    return await run_module("diglot", words)


async def run_module(module: str, words: Sequence[str]) -> str:
    """Standard output of a module that is run as a program; fails as :func:`run_command` does."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        # No module comes from the folder of the user.
        env={**os.environ, "PYTHONSAFEPATH": "1"},
        # Ctrl-C in the terminal is for the server, which ends the process itself.
        start_new_session=True,
    )
    try:
        out, errors = await child.communicate()
    except asyncio.CancelledError:
        child.kill()
        await child.wait()
        raise
    if child.returncode:
        lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.startswith("diglot: ")]
        raise UsageError(plain_message(lines[-1] if lines else "the work ended without a word; free memory"))
    return out.decode("utf-8", "replace")


def exit_after(work: Callable[[list[str]], None]) -> None:
    """Do the work of this process, with its arguments, and end it; with an error of ours as a command ends."""
    try:
        work(sys.argv[1:])
    except DiglotError as error:
        print(f"diglot: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
