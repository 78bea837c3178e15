"""Work in processes of their own: commands and modules of Diglot, how they are started."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from diglot.errors import UsageError
from diglot.workbench.commands import message_of, plain_message


async def run_command(words: Sequence[str]) -> str:
    """Standard output of a short command of Diglot. Raises: UsageError with the command's error message."""
    return await _run_module("diglot", words)


async def work_on_run(work: str, run: Path, words: Sequence[str]) -> str:
    """Standard output of a work of :mod:`diglot.workbench.run_work`; fails as :func:`run_command` does."""
    return await _run_module("diglot.workbench.run_work", [work, str(run), *words])


async def _run_module(module: str, words: Sequence[str]) -> str:
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
        said = [message for line in errors.decode("utf-8", "replace").splitlines() if (message := message_of(line))]
        raise UsageError(plain_message(said[-1] if said else "the work ended without a word; free memory"))
    return out.decode("utf-8", "replace")
