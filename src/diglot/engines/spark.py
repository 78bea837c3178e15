"""Executor of tasks on Spark. Spark only schedules: data stays in files."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import shutil
import socket
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from diglot import errors
from diglot.engines.executor import Lost, Work, attempt
from diglot.errors import DiglotError
from diglot.version import __version__

START_TIMEOUT_S = 300.0
"""Time limit of the first task of a session."""
ANSWER_TIMEOUT_S = 10.0
"""Time limit of a connection to a standalone master."""
AT_ONCE = 512
"""Number of tasks submitted at a time, one job for each task."""
_OWNER = "spark.diglot.session"
_SETTINGS = {
    "spark.app.name": "diglot",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    **{f"spark.executorEnv.{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")},
}
_DETAIL_CHARACTERS = 500
_ADVICE = "every machine needs the same environment, and PYSPARK_PYTHON its python"


@dataclass(slots=True)
class Spark:
    """An :class:`diglot.engines.executor.Executor` on the active Spark session, or on a new one at ``master``.

    ``master``: ``spark://host:7077``, ``yarn``, ``k8s://...`` or ``local-cluster[2,1,1024]``. The first run makes a
    new session, and :meth:`close` stops it; an active session is left open. ``settings`` override
    ``spark-defaults.conf`` and are visible on the command line of Java: secrets belong in that file. Executors need the
    Python and the Diglot of this program, at the path in ``PYSPARK_PYTHON`` or at the same path. ``lost`` makes the
    outcome of a task after an exception, or after ``spark.task.maxFailures`` (4) lost executors. Spark may do a task
    twice: tasks are idempotent.
    Raises: DiglotError if no session starts, if no executor does a first task in ``start_timeout_s``, or if the
    session ends.
    """

    master: str
    lost: Lost
    settings: Mapping[str, str] = field(default_factory=dict)
    start_timeout_s: float = START_TIMEOUT_S
    _session: Any = None
    _owner: str = field(default_factory=lambda: uuid.uuid4().hex)

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """See :meth:`diglot.engines.executor.Executor.run`."""
        context = self._start()
        group = uuid.uuid4().hex
        threads = ThreadPoolExecutor(max(1, min(len(tasks), AT_ONCE)))
        # A job for each task, so that a lost task is lost alone and outcomes come one by one.
        do = partial(_run_job, context, group, partial(attempt, work, self.lost, place))
        jobs = {threads.submit(do, task): task for task in tasks}
        try:
            for job in as_completed(jobs):
                error = job.exception()
                yield job.result() if error is None else self._lost_outcome(context, jobs[job], error)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            # A thread may submit its job after the group is cancelled: cancel until all have ended.
            while any(job.running() for job in jobs):
                with contextlib.suppress(Exception):
                    context.cancelJobGroup(group)
                time.sleep(0.1)

    def __enter__(self) -> Spark:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop the session if this executor has made it."""
        session, self._session = self._session, None
        if session is not None and session.sparkContext.getConf().get(_OWNER) == self._owner:
            with contextlib.suppress(Exception):
                session.stop()

    def _start(self) -> Any:
        """Context of the session, checked by a first task on an executor."""
        if self._session is None:
            _check_installed()
            _check_master_answers(self.master)
            from pyspark.sql import SparkSession

            settings = {**_SETTINGS, **self.settings, "spark.master": self.master, _OWNER: self._owner}
            try:
                with _environment(self.master):
                    self._session = (
                        SparkSession.getActiveSession() or SparkSession.builder.config(map=settings).getOrCreate()
                    )
            except Exception as error:
                raise DiglotError(f"no Spark session at {self.master}: {describe_error(error)}") from error
            try:
                _check_executor(self._session.sparkContext, self.start_timeout_s)
            except BaseException:
                self.close()
                raise
        return self._session.sparkContext

    def _lost_outcome(self, context: Any, task: str, error: BaseException) -> str:
        """Outcome of a task whose job failed; DiglotError where the session is gone."""
        detail = describe_error(error)
        try:
            context.defaultParallelism  # noqa: B018  asks Java, which raises once the context is stopped
        except Exception:  # noqa: BLE001  whatever Java raises, the session is of no use
            self._session = None
            raise DiglotError(
                f"the Spark session at {self.master} ended ({detail}); the same command goes on"
            ) from error
        return self.lost(task, detail)


def _run_job(context: Any, group: str, do: Callable[[str], str], task: str) -> str:
    # Job groups belong to a thread, so every thread of the pool sets the group.
    context.setJobGroup(group, "tasks")
    [outcome] = context.parallelize([task], 1).map(do).collect()
    return str(outcome)


def _check_installed() -> None:
    if importlib.util.find_spec("pyspark") is None:
        raise DiglotError("Spark needs pyspark: pip install 'diglot[spark]'")
    home = os.environ.get("JAVA_HOME")
    if not shutil.which(f"{home}/bin/java" if home else "java"):
        where = f"JAVA_HOME={home} has none" if home else "there is none"
        raise DiglotError(f"Spark needs Java 17 or later and {where} (Debian: apt install default-jre-headless)")


def _check_master_answers(master: str) -> None:
    """Connect to a master of a standalone cluster: Spark would try a silent one for a minute."""
    if not master.startswith("spark://"):
        return
    problems = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER_TIMEOUT_S).close()
        except (OSError, ValueError) as error:
            problems.append(f"{address}: {errors.describe_error(error)}")
        else:
            return
    raise DiglotError(f"no Spark master answers ({'; '.join(problems)}); see that it runs, and where")


@contextlib.contextmanager
def _environment(master: str) -> Iterator[None]:
    """Set environment variables that Spark reads when it starts, for the block."""
    before = dict(os.environ)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:")):
        # Spark would listen on an address that other machines reach.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    try:
        yield
    finally:
        # Changes for Spark must not reach programs started later.
        os.environ.clear()
        os.environ.update(before)


def _check_executor(context: Any, limit_s: float) -> None:
    """Do a first task: a cluster without room would wait for ever, and another environment would lose every task."""
    # A call into Java has no time limit of its own; a thread can be left behind.
    thread = ThreadPoolExecutor(1)
    try:
        [versions] = thread.submit(context.parallelize([0], 1).map(_versions).collect).result(limit_s)
    except TimeoutError as error:
        raise DiglotError(
            f"no executor has done a first task within {limit_s:g} s; see that the cluster has workers with "
            f"{context.getConf().get('spark.executor.memory', '1g')} of memory free (spark.executor.memory)"
        ) from error
    except Exception as error:
        here = " and ".join(_versions(0))
        raise DiglotError(f"executors cannot do tasks ({describe_error(error)}), here are {here}; {_ADVICE}") from error
    finally:
        thread.shutdown(wait=False)
    if versions != _versions(0):
        raise DiglotError(f"executors have {' and '.join(versions)}, here are {' and '.join(_versions(0))}; {_ADVICE}")


def _versions(_: int) -> tuple[str, str]:
    return f"Python {platform.python_version()}", f"Diglot {__version__}"


def describe_error(error: BaseException) -> str:
    """Message of an error raised through Java, on one line and without stack traces."""
    text = str(error)
    if (java := getattr(error, "java_exception", None)) is not None:
        with contextlib.suppress(Exception):
            text = str(java.getMessage())
    lines = [line for line in text.partition("\n\tat ")[0].splitlines() if line.strip()]
    # Spark 4 ends the traceback of a Python process with a code of its own.
    lines = [line for line in lines if not line.lstrip().startswith("SQLSTATE:")]
    if any(line.endswith("Traceback (most recent call last):") for line in lines):
        # The message of the exception, of one or more lines, follows the indented frames.
        last_frame = max((at for at, line in enumerate(lines) if line.startswith(" ")), default=-1)
        lines = lines[last_frame + 1 :] or lines[-1:]
    return " ".join(map(str.strip, lines))[:_DETAIL_CHARACTERS] or type(error).__name__
