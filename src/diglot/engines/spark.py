"""Tasks done by a Spark cluster, which is asked for no more than to schedule them: the data stays in files."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import platform
import queue
import re
import shutil
import socket
import sys
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

from diglot.engines.executor import Lost, Work, attempt
from diglot.errors import DiglotError
from diglot.version import __version__

START_TIMEOUT_S = 300.0
"""Time until a session is there, and until the first task of it is done by some executor."""
ANSWER_TIMEOUT_S = 10.0
"""Time a standalone master may take to accept a connection."""
AT_ONCE = 512
"""Tasks a cluster is given at once, each a job of its own."""
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_SETTINGS = {
    "spark.app.name": "diglot",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.executorEnv.PYTHONHASHSEED": "0",
    **{f"spark.executorEnv.{name}": "1" for name in _ONE_THREAD},
}
_SECRET = re.compile(r"secret|password|token", re.IGNORECASE)
_OTHER_PYTHON = re.compile(r"PYTHON_VERSION_MISMATCH|different (minor )?version")
_MISSING_MODULE = re.compile(r"No module named '?(diglot|[\w.]+)")
_DETAIL_CHARACTERS = 500

T = TypeVar("T")


@dataclass(slots=True)
class Spark:
    """An :class:`diglot.engines.executor.Executor`: a session at ``master`` (``local-cluster[2,1,1024]``,
    ``spark://host:7077``, ``yarn``, ``k8s://...``), begun by the first run and ended by :meth:`close`.

    Executors need the same Python and Diglot as here: that of ``PYSPARK_PYTHON``, or of this program, at the same path.
    ``settings``: Spark's, which go before ours. ``event_log``: a folder where Spark writes what each task took.
    A task that raises, or whose executor Spark has lost as often as its ``spark.task.maxFailures`` says (4), is given
    to ``lost``. Doing a task twice, as speculation does, is safe where it is so for the task. Nothing is printed.
    Where no session or no executor is there in ``start_timeout_s``, :class:`DiglotError` is raised, and where it ends.
    """

    master: str
    lost: Lost
    settings: Mapping[str, str] = field(default_factory=dict)
    event_log: Path | None = None
    start_timeout_s: float = START_TIMEOUT_S
    _session: _Session | None = None

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        """See :meth:`diglot.engines.executor.Executor.run`."""
        session = self._session = self._session or _started(self._all_settings(), self.start_timeout_s)
        todo, done = deque(tasks), queue.SimpleQueue[tuple[str, str | Exception]]()
        group = uuid.uuid4().hex
        give = partial(
            _give, session.context, group, partial(attempt, work, self.lost, place), todo, done, threading.Lock()
        )
        givers = [threading.Thread(target=give, daemon=True) for _ in range(min(len(tasks), AT_ONCE))]
        for giver in givers:
            giver.start()
        try:
            for _ in range(len(tasks)):
                task, outcome = done.get()
                yield outcome if isinstance(outcome, str) else self._lost(session, task, outcome)
        except BaseException:
            todo.clear()
            threading.Thread(target=_cancel, args=(session, group, givers), daemon=True).start()
            raise

    def __enter__(self) -> Spark:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the session, whatever it is at."""
        if self._session:
            self._session.end()
            self._session = None

    def _all_settings(self) -> dict[str, str]:
        ours = {**_SETTINGS, "spark.master": self.master}
        if self.event_log is not None:
            self.event_log.mkdir(parents=True, exist_ok=True)
            folder = self.event_log.resolve().as_uri()
            ours |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": folder, "spark.eventLog.compress": "false"}
        return {**ours, **self.settings}

    def _lost(self, session: _Session, task: str, error: Exception) -> str:
        if not session.is_alive():
            self.close()
            raise DiglotError(
                f"the Spark session at {self.master} ended ({_told(error)}); the same command goes on"
            ) from error
        return self.lost(task, _told(error))


def _give(
    context: Any,
    group: str,
    function: Callable[[str], str],
    todo: deque[str],
    done: queue.SimpleQueue[tuple[str, str | Exception]],
    turn: threading.Lock,
) -> None:
    """Body of a thread: give a task to the cluster as a job of its own, so that one that is lost is lost alone, wait
    for its outcome, and take the next. Who has its turn takes a task and readies its job, so that jobs are begun in the
    order of tasks, but for those that are readied in the same moment."""
    with contextlib.suppress(IndexError):  # none is left
        while True:
            with turn:
                task = todo.popleft()
                try:
                    context.setJobGroup(group, "tasks")
                    job = context.parallelize([task], 1).map(function)
                    job.getNumPartitions()
                except Exception as error:  # noqa: BLE001  as below
                    done.put((task, error))
                    continue
            try:
                done.put((task, job.collect()[0]))
            except Exception as error:  # noqa: BLE001  Spark's own kinds change with its version; run() tells it
                done.put((task, error))


def _cancel(session: _Session, group: str, givers: Sequence[threading.Thread]) -> None:
    """Stop tasks nobody waits for any more, also those that are only about to be begun."""
    while any(giver.is_alive() for giver in givers) and session.is_alive():
        with contextlib.suppress(Exception):  # the session ends
            session.context.cancelJobGroup(group)
        time.sleep(0.2)


@dataclass(slots=True)
class _Session:
    """A session and the Java process it is in."""

    gateway: Any
    log: IO[bytes]
    context: Any = None

    def is_alive(self) -> bool:
        if self.gateway.proc.poll() is not None or self.context is None:
            return False
        try:
            return not self.context._jsc.sc().isStopped()
        except Exception:  # noqa: BLE001  whatever keeps it from answering, it is of no use
            return False

    def end(self) -> None:
        """Stop the session; its Java process ends as its input does, or is killed."""
        from pyspark import SparkContext

        if self.is_alive():
            with contextlib.suppress(Exception, DiglotError):
                _within(ANSWER_TIMEOUT_S, self.context.stop)
        SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
        self.gateway.shutdown()
        self.gateway.proc.stdin.close()
        try:
            self.gateway.proc.wait(ANSWER_TIMEOUT_S)
        except Exception:  # noqa: BLE001
            self.gateway.proc.kill()
            self.gateway.proc.wait()
        self.log.close()


def _started(settings: Mapping[str, str], limit_s: float) -> _Session:
    """A session with an executor that has done something."""
    master = settings["spark.master"]
    _check_installed()
    _check_answers(master)
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    if SparkContext._active_spark_context is not None:
        raise DiglotError("this program has a Spark session already; stop it first")
    log = tempfile.TemporaryFile(prefix="diglot-spark-")  # noqa: SIM115  closed with the session
    with _environment(master):
        # What is said here can be read by all users of the machine.
        open_settings = [(key, value) for key, value in settings.items() if not _SECRET.search(key)]
        try:
            gateway = launch_gateway(SparkConf(False).setAll(open_settings), {"stderr": log, "stdout": log})
        except Exception as error:
            with log:
                raise DiglotError(f"Java could not be started for Spark: {_last_lines(log) or error}") from error
        session = _Session(gateway, log)
        try:
            conf = SparkConf(False).setAll(list(settings.items()))
            session.context = _within(limit_s, partial(SparkContext, gateway=gateway, conf=conf))
            _check_executor(session.context, limit_s)
        except BaseException as error:
            told = _told(error)
            session.end()
            if isinstance(error, DiglotError) or not isinstance(error, Exception):
                raise
            raise DiglotError(f"no Spark session at {master}: {told}") from error
    return session


def _check_installed() -> None:
    if importlib.util.find_spec("pyspark") is None:
        raise DiglotError("Spark needs pyspark: pip install 'diglot[spark]'")
    home = os.environ.get("JAVA_HOME")
    if not shutil.which(f"{home}/bin/java" if home else "java"):
        where = f"JAVA_HOME={home} has none" if home else "there is none"
        raise DiglotError(f"Spark needs Java 17 or later and {where} (Debian: apt install default-jre-headless)")


def _check_answers(master: str) -> None:
    """Try the masters of a standalone cluster, whose silence Spark would take a minute to tell."""
    if not master.startswith("spark://"):
        return
    problems = []
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), ANSWER_TIMEOUT_S).close()
        except (OSError, ValueError) as error:
            problems.append(f"{address}: {error}")
        else:
            return
    raise DiglotError(f"no Spark master answers ({'; '.join(problems)}); see that it runs, and --master")


@contextlib.contextmanager
def _environment(master: str) -> Iterator[None]:
    """What Spark takes from the environment when it starts; without an address of its own it would listen on one that
    other machines reach."""
    before = dict(os.environ)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["PYTHONHASHSEED"] = "0"
    if master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:")):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _check_executor(context: Any, limit_s: float) -> None:
    """See that an executor takes tasks, with the same Python and Diglot as here."""
    try:
        [found] = _within(limit_s, context.parallelize([0], 1).map(_versions).collect)
    except DiglotError as error:
        raise DiglotError(
            f"no executor has done a first task within {limit_s:g} s; see that the cluster has workers with "
            f"{context.getConf().get('spark.executor.memory', '1g')} of memory free (spark.executor.memory)"
        ) from error
    except Exception as error:
        told = str(error)
        if _OTHER_PYTHON.search(told):
            raise DiglotError(f"executors have another Python than {_PYTHON}; {_SAME}") from error
        if module := _MISSING_MODULE.search(told):
            raise DiglotError(f"executors have no {module[1]}; {_SAME}") from error
        raise
    if found != _versions(0):
        raise DiglotError(f"executors have {' and '.join(found)}, here are {' and '.join(_versions(0))}; {_SAME}")


_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
_SAME = "every machine needs the same environment, and PYSPARK_PYTHON its python"


def _versions(_: int) -> tuple[str, str]:
    return f"Python {platform.python_version()}", f"Diglot {__version__}"


def _within(limit_s: float, function: Callable[[], T]) -> T:
    """What a function gives in a thread of its own, that is left behind where it takes longer than so many seconds."""
    answers: queue.SimpleQueue[tuple[T | None, BaseException | None]] = queue.SimpleQueue()

    def answer() -> None:
        try:
            answers.put((function(), None))
        except BaseException as error:  # noqa: BLE001  raised where it is waited for
            answers.put((None, error))

    threading.Thread(target=answer, daemon=True).start()
    try:
        given, error = answers.get(timeout=limit_s)
    except queue.Empty as late:
        raise DiglotError(f"Spark has not answered within {limit_s:g} s; see that the cluster is up") from late
    if error is not None:
        raise error
    return given  # type: ignore[return-value]


def _told(error: BaseException) -> str:
    """What an error says that came through Java, without the lines of code it came through."""
    java = getattr(error, "java_exception", None)
    text = str(error)
    if java is not None:
        with contextlib.suppress(Exception):
            text = str(java.getMessage())
    lines = [line.strip() for line in text.partition("\n\tat ")[0].splitlines() if line.strip()]
    if any(line.endswith("Traceback (most recent call last):") for line in lines):
        lines = lines[-1:]  # what a Python process of an executor raised
    return " ".join(lines)[:_DETAIL_CHARACTERS] or type(error).__name__


def _last_lines(log: IO[bytes]) -> str:
    log.seek(0)
    return " ".join(log.read().decode(errors="replace").split())[-_DETAIL_CHARACTERS:]
