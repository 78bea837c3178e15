"""The bench: shared state of all requests to a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request

from diglot.errors import UsageError
from diglot.workbench.concordance import Concordance
from diglot.workbench.jobs import PAUSED, WAITING, WORKING, Jobs
from diglot.workbench.planning import Plans
from diglot.workbench.run_state import RunState, RunStates
from diglot.workbench.shelf import NotHere, Shelf, is_run
from diglot.workbench.term_decisions import TermDecisions
from diglot.workbench.uploads import MAX_UPLOAD_BYTES
from diglot.workbench.verdicts import Verdicts

MAX_BODY_BYTES = 4 << 20
"""Size limit of a request body without files."""


@dataclass(kw_only=True)
class Bench:
    """The folder with its runs and jobs, and settings of this server."""

    shelf: Shelf
    jobs: Jobs
    verdicts: Verdicts
    plans: Plans
    concordance: Concordance
    allow_hosts: Sequence[str] = ()
    max_upload_bytes: int = MAX_UPLOAD_BYTES
    states: RunStates = field(default_factory=RunStates)
    items: dict[str, tuple[dict[str, Any], Any]] = field(default_factory=dict)
    """Rows of the list of sites as HTML, with their values, by name."""
    left: set[str] = field(default_factory=set)
    """Names of dropped files whose page was left; it may be loaded again."""

    @property
    def terms(self) -> TermDecisions:
        """Terms of the runs, and decisions on them."""
        return TermDecisions(self.shelf)

    def has(self, name: str) -> bool:
        """Whether there is a run or a job of this name."""
        try:
            path = self.shelf.run(name)
        except NotHere:
            return False
        return self.jobs.of(name) is not None or (path.is_dir() and is_run(path))

    def state(self, name: str) -> RunState:
        """What is known of a run."""
        return self.states.of(self.shelf.run(name))

    def require(self, name: str) -> str:
        """The name, if there is such a run. Raises: NotHere."""
        if not self.has(name):
            raise NotHere(f"There is no site named {name[:100]}.")
        return name

    def require_unmerged(self, name: str) -> str:
        """The name, if there is such a run and no merge reads it. Raises: NotHere, UsageError."""
        merge = self.jobs.merge_of(self.require(name))
        if merge is not None:
            raise UsageError(f"{name} is being merged; wait for the end of {merge.name}, or delete {merge.name} first.")
        return name

    def require_idle(self, name: str) -> None:
        """Raise UsageError if a run has a job, at work, waiting, paused or stopped by an error."""
        job = self.jobs.of(name)
        if job is None:
            return
        state = self.jobs.state_of(job)
        if state in (WORKING, WAITING):
            raise UsageError(f"{name} is being worked on; wait for the end.")
        ways = "go on or give up" if job.can_be_given_up(self.state(name).is_finished) else "go on"
        raise UsageError(f"{name} {'is paused' if state == PAUSED else 'stopped with an error'}. Open it, then {ways}.")

    def require_finished(self, name: str) -> RunState:
        """The state of a finished run that no job works on. Raises: NotHere, UsageError."""
        self.require(name)
        self.require_idle(name)
        state = self.state(name)
        if not state.is_finished:
            raise UsageError(f"{name} is not finished.")
        return state


def bench_of(request: Request) -> Bench:
    """The bench of the server that answers."""
    bench: Bench = request.app.state.bench
    return bench


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object that a page sends. Raises: UsageError for anything else, and for more than the limit."""
    value, content = None, b""
    if request.headers.get("content-type", "").split(";")[0] == "application/json":
        async for part in request.stream():
            content += part
            if len(content) > MAX_BODY_BYTES:
                raise UsageError("That is too much at once.")
        with suppress(ValueError, RecursionError):
            value = json.loads(content or b"{}")
    if not isinstance(value, dict):
        raise UsageError("This page is out of date; load it again.")
    return value
