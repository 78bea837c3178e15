"""Tasks that do as they are told; a module of its own, so that other processes can import it.

A task is JSON: ``number`` and ``order``; its outcome has ``number`` and ``said``."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import failing_stages
import pyarrow as pa

from diglot.engines.pool import LocalEngine
from diglot.reasons import Reason


def task(number: int, order: str = "ok") -> str:
    """A line that says what is to be done."""
    return json.dumps({"number": number, "order": order})


def obey(place: str, line: str) -> str:
    """Carry out the order of a task; ``place``: a folder where it leaves what tests look at."""
    told = json.loads(line)
    return outcome(told["number"], _carry_out(Path(place), told["number"], told["order"]))


def lost(line: str, detail: str) -> str:
    """The outcome of a task that came to nothing."""
    return outcome(json.loads(line)["number"], f"lost: {detail}")


def outcome(number: int, said: str) -> str:
    """A line that says what became of a task."""
    return json.dumps({"number": number, "said": said})


def tasks(orders: Sequence[str]) -> list[str]:
    """Lines that say what is to be done, numbered from 0."""
    return [task(number, order) for number, order in enumerate(orders)]


def said(outcomes: Iterable[str]) -> dict[int, str]:
    """What became of each task, by number; no task has two outcomes."""
    found = [json.loads(line) for line in outcomes]
    assert len({each["number"] for each in found}) == len(found)
    return {each["number"]: each["said"] for each in found}


def _carry_out(place: Path, number: int, order: str) -> str:
    begun = len(list(place.glob(f"{number}.*")))
    (place / f"{number}.{begun}").write_text(f"{os.getpid()}\n")
    if order == "raise":
        raise ValueError("planted")
    if order == "exit":
        os._exit(7)
    if order == "kill" or (order == "kill once" and not begun):
        os.kill(os.getpid(), signal.SIGKILL)
    if order == "wait":
        time.sleep(0.2)
    if order == "wait for another":
        _wait_for_another(place, number)
    if order == "hang once" and not begun:
        time.sleep(600)
    if order == "pid":
        return str(os.getpid())
    if order.startswith("stage "):
        return _with_engine(order.removeprefix("stage "))
    return "done"


def _wait_for_another(place: Path, number: int) -> None:
    """Until two others have been begun, half a minute at most: the outcome of the first of them is then known."""
    for _ in range(3000):
        if sum(not path.name.startswith(f"{number}.") for path in place.iterdir()) >= 2:
            return
        time.sleep(0.01)


def _with_engine(order: str) -> str:
    """What three rows say after a stage of an engine of this process, the middle one told to do ``order``."""
    rows = [{"number": number, "order": order if number == 1 else "ok"} for number in range(3)]
    table = pa.Table.from_pylist(rows, schema=failing_stages.SCHEMA)
    with LocalEngine(jobs=1, preload=("diglot.run.preload",)) as engine:
        done = pa.concat_tables(engine.map(failing_stages.obey, [table], failed=_named))
    return " ".join(done["order"].to_pylist())


def _named(row: pa.Table, reason: Reason, _detail: str) -> pa.Table:
    return row.set_column(1, "order", pa.array([reason.value]))
