"""Commands at work on runs: each is a process of its own, which goes on when the server ends.

A job is a file with the arguments of the command and the wish of the user. A job is at work while its lock is held: its
process inherits the lock at the start, and the system releases the lock at the end of the process. So a new server
finds the jobs of an earlier server.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from diglot.disk.atomic import lock_file
from diglot.errors import UsageError, describe_error
from diglot.workbench.commands import message_of
from diglot.workbench.shelf import FILES_OF_A_RUN, Shelf, read_json, write_json

GO_ON, PAUSE = "go on", "pause"
"""Wishes of the user for a job."""
WAITING, WORKING, PAUSED, FAILED = "waiting", "working", "paused", "failed"
NOTHING = "no translations found in "
"""Beginning of the message of a run that is complete and has no segment."""
OUTAGE = "taken for an outage of the site"
"""Part of the message of a complete update that found many pages missing."""
MAX_DEATHS = 3
"""Deaths without a message after which a job fails; a process killed for lack of memory leaves none."""
_PROGRAM = """
import signal
# Pausing is an interrupt. A shell that starts the server in the background lets all its processes ignore interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
from diglot.cli import entry
entry()
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A command on a run."""

    name: str
    """Name of the run."""
    kind: str
    words: tuple[str, ...]
    """Arguments of the command."""
    wish: str = GO_ON
    """What the user wants: :data:`GO_ON` or :data:`PAUSE`."""
    ends_crawl: bool = False
    """Whether the crawl ends here: the job uses the pages fetched so far, also after a pause or an error."""
    number: int = 0
    """Place in the queue of jobs."""
    process: int = 0
    """Id of the last process; 0 before the first."""
    deaths: int = 0
    """Processes that died without an error message."""
    error: str = ""
    """Why the job failed."""
    began: float = 0.0
    """Unix time at which the last process started."""
    address: str = ""
    """Website of a crawl; "" for files and for other commands."""

    def can_be_given_up(self, is_finished: bool) -> bool:
        """Whether something remains without the job: outputs of an earlier command, or the runs that a merge reads.

        ``is_finished``: whether the run has outputs.
        """
        return is_finished or self.kind == "merge"


class Jobs:
    """The jobs of a folder, made only by the server that holds the folder's lock.

    ``at_most``: number of jobs at work at a time.
    """

    def __init__(self, shelf: Shelf, at_most: int = 1) -> None:
        self.shelf = shelf
        self.at_most = at_most
        self._jobs: dict[str, Job] = {}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        for path in sorted(shelf.own("jobs").glob("*.json")):
            with suppress(TypeError, KeyError):  # a file of another version
                table = read_json(path)
                job = Job(**{**table, "words": tuple(table["words"])})
                self._jobs[job.name] = job

    # -- asked by pages ------------------------------------------------------------------------

    def of(self, name: str) -> Job | None:
        """The job of a run; None without one."""
        return self._jobs.get(name)

    def merge_of(self, name: str) -> Job | None:
        """The merge of a run with others: waiting, at work, or failed; None without a merge."""
        run = str(self.shelf.run(name))
        return next((job for job in self.all() if job.kind == "merge" and job.name != name and run in job.words), None)

    def all(self) -> list[Job]:
        """All jobs, in the order of their turns."""
        return sorted(self._jobs.values(), key=lambda job: job.number)

    def state_of(self, job: Job) -> str:
        """One of :data:`WAITING`, :data:`WORKING`, :data:`PAUSED` and :data:`FAILED`."""
        if self.is_at_work(job.name):
            return WORKING
        if job.error:
            return FAILED
        return PAUSED if job.wish == PAUSE else WAITING

    def is_at_work(self, name: str) -> bool:
        """Whether the process of a job lives."""
        try:
            with lock_file(self._file(name, "lock")):
                return False
        except BlockingIOError:
            return True

    def events_of(self, name: str) -> Path:
        """The file of what the job said, one JSON object or message a line."""
        return self._file(name, "events")

    # -- asked by the user ---------------------------------------------------------------------

    def add(self, name: str, kind: str, words: Sequence[str], address: str = "") -> Job:
        """Add a job at the end of the queue. Raises: UsageError if the run has a job that has not failed."""
        if self.of(name) is not None and self.state_of(self._jobs[name]) != FAILED:
            raise UsageError(f"{name} is being worked on; wait for the end.")
        self.events_of(name).unlink(missing_ok=True)
        number = max((job.number for job in self._jobs.values()), default=0) + 1
        return self._keep(Job(name=name, kind=kind, words=tuple(words), number=number, address=address))

    def pause(self, name: str) -> None:
        """Let a job rest; its process ends soon, with everything kept."""
        self._set_wish(name, PAUSE)

    def go_on(self, name: str) -> None:
        """Let a paused or failed job go on from where it was."""
        job = self._jobs[name]
        self._keep(replace(job, wish=GO_ON, error="", deaths=0))
        self.tick()

    def end_crawl(self, name: str) -> None:
        """End the crawl of a job, and harvest the pages fetched so far."""
        self._keep(replace(self._jobs[name], ends_crawl=True))
        self._set_wish(name, GO_ON)

    def give_up(self, name: str) -> None:
        """Forget a job that is not at work. Raises: UsageError for a job at work."""
        if self.is_at_work(name):
            raise UsageError(f"{name} is being worked on; pause it first.")
        self._forget(name)

    def _set_wish(self, name: str, wish: str) -> None:
        self._keep(replace(self._jobs[name], wish=wish))
        self._interrupt(name)

    def _interrupt(self, name: str) -> None:
        # The system may have given the id to another process once the lock is free.
        if self.is_at_work(name) and self._jobs[name].process:
            with suppress(ProcessLookupError):
                os.kill(self._jobs[name].process, signal.SIGINT)

    # -- at work -------------------------------------------------------------------------------

    def tick(self) -> list[str]:
        """Close jobs whose process has ended, and start the next ones. Returns the names of closed jobs."""
        ended = []
        free = self.at_most
        for job in self.all():
            if self.is_at_work(job.name):
                free -= 1
            elif job.process and not job.error and self._close_or_retry(job):
                ended.append(job.name)
        for job in self.all():
            if free > 0 and self.state_of(job) == WAITING:
                self._start(job)
                free -= 1
        return ended

    def _close_or_retry(self, job: Job) -> bool:
        """Decide on a job whose process has ended: forget a job that is done, keep the error of one that failed, and
        leave any other to be started again. Returns whether the job is done or has failed."""
        self._reap(job.name)
        said = last_words(self.events_of(job.name))
        if self._file(job.name, "result").is_file() and self._file(job.name, "result").stat().st_size:
            self._forget(job.name)
            return True
        is_done = said.startswith(NOTHING) or OUTAGE in said
        if is_done and (self.shelf.run(job.name) / "out" / "summary.json").is_file():
            # All outputs are written, and the page of the run says what became of its pages.
            self._forget(job.name)
            return True
        if said and not said.startswith("stopped"):
            self._keep(replace(job, error=said))
            return True
        if job.wish == PAUSE:
            return False
        deaths = job.deaths + (not said)
        error = "The work ended without a word, three times. Free memory, then go on." if deaths >= MAX_DEATHS else ""
        self._keep(replace(job, process=0, deaths=deaths, error=error))
        return bool(error)

    def _start(self, job: Job) -> None:
        command = [sys.executable, "-c", _PROGRAM, *words_of(job)]
        # No module comes from the folder of the user.
        environment = {**os.environ, "PYTHONSAFEPATH": "1"}
        try:
            with (
                self._lock(job.name) as lock,
                self._file(job.name, "result").open("wb") as out,
                self.events_of(job.name).open("ab") as errors,
            ):
                child = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=errors,
                    pass_fds=[lock.fileno()],
                    # Ctrl-C in the terminal of the server must not interrupt the job.
                    start_new_session=True,
                    cwd=self.shelf.path,
                    env=environment,
                )
        except OSError as error:
            self._keep(replace(job, error=f"cannot be started: {describe_error(error)}"))
            return
        self._children[job.name] = child
        self._keep(replace(job, process=child.pid, began=time.time()))

    def _lock(self, name: str) -> Any:
        """The lock file of a job, open and locked for a process to inherit."""
        handle = self._file(name, "lock").open("ab")
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle

    def _reap(self, name: str) -> None:
        child = self._children.pop(name, None)
        if child is not None:
            child.wait()

    def _keep(self, job: Job) -> Job:
        write_json(self._file(job.name, "json"), asdict(job))
        self._jobs[job.name] = job
        return job

    def _forget(self, name: str) -> None:
        self._reap(name)
        self._jobs.pop(name, None)
        for kind in FILES_OF_A_RUN["jobs"]:
            self._file(name, kind).unlink(missing_ok=True)

    def _file(self, name: str, kind: str) -> Path:
        return self.shelf.own("jobs", f"{name}.{kind}")


def words_of(job: Job) -> list[str]:
    """Arguments of the command of a job."""
    words = list(job.words)
    if job.ends_crawl:
        # A crawl whose time is over works with the pages it has. What follows "--" is no option.
        words.insert(words.index("--") if "--" in words else len(words), "--max-time=1s")
    return words


def last_words(events: Path) -> str:
    """Last message of a command, without ``diglot:``; "" if the command died without a message."""
    try:
        with events.open("rb") as file:
            file.seek(max(0, events.stat().st_size - 8_192))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ""
    for line in reversed(lines):
        if (said := message_of(line)) or line.startswith("{"):
            return said
    return ""
