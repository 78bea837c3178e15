"""Rounds of tasks given to an executor, worked by hand: what is given out, how often, and what is said at the end."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from diglot.disk.store import Store
from diglot.engines.executor import Work
from diglot.errors import DiglotError, UsageError
from diglot.progress import Silent
from diglot.tasks import Stage
from diglot.tasks.execution import check_engine, execute
from diglot.tasks.task import Outcome, Task, heaviest_first
from diglot.tasks.work import lost_outcome, outcome_name

WEIGHTS = (1, 5, 5, 3)
TASKS = [Task(stage=Stage.SITE, number=number, key="k", weight=weight) for number, weight in enumerate(WEIGHTS)]


def outcome(number: int, error: str = "", *, lost: bool = False) -> Outcome:
    return Outcome(stage=Stage.SITE, number=number, pages=1, error=error, lost=lost)


class Scripted:
    """An executor whose tasks come to what a script says, a character a round: done, lost, wrong, unsaid (done by its
    own word, but nothing is in the store)."""

    def __init__(self, scripts: dict[int, str]) -> None:
        self.scripts, self.rounds = scripts, list[list[int]]()

    def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
        given = [Task.from_line(line) for line in tasks]
        self.rounds.append([task.number for task in given])
        for task in given:
            script = self.scripts.get(task.number, "d")
            said = script[min(len(self.rounds), len(script)) - 1]
            if said == "d":
                Store.at(place).put_bytes(outcome_name(task), outcome(task.number).to_line().encode())
            error = {"l": "its process was lost: gone", "w": f"no file {task.number}"}.get(said, "")
            yield outcome(task.number, error, lost=said == "l").to_line()


class Counting(Silent):
    """What a listener is told."""

    def __init__(self) -> None:
        self.total: int | None = None
        self.advanced, self.said = 0, ""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        self.total = total

    def advance(self, done: int) -> None:
        self.advanced += done

    def finish(self, text: str) -> None:
        self.said = text


def run(tmp_path: Path, scripts: dict[int, str], tasks: Sequence[Task] = TASKS) -> tuple[Scripted, Counting, str]:
    """The executor, the listener and the error after all is done; "" for none."""
    executor, listener = Scripted(scripts), Counting()
    try:
        execute(Store.at(tmp_path), tasks, executor, listener)
    except DiglotError as error:
        return executor, listener, str(error)
    return executor, listener, ""


def test_the_heaviest_are_given_first_and_those_of_one_weight_by_number(tmp_path: Path) -> None:
    executor, listener, error = run(tmp_path, {})
    assert executor.rounds == [[1, 2, 3, 0]]
    assert (listener.total, listener.advanced, listener.said, error) == (4, 4, "4 tasks done", "")


def test_what_is_done_is_counted_and_not_given_again(tmp_path: Path) -> None:
    run(tmp_path, {}, TASKS[1:2])
    executor, listener, _ = run(tmp_path, {})
    assert executor.rounds == [[2, 3, 0]]
    assert (listener.total, listener.advanced) == (4, 4)
    again, counted, _ = run(tmp_path, {})
    assert again.rounds in ([], [[]])
    assert counted.advanced == 4


def test_one_task_is_not_said_to_be_several(tmp_path: Path) -> None:
    assert run(tmp_path, {}, TASKS[:1])[1].said == "1 task done"


@pytest.mark.parametrize(("script", "rounds"), [("ld", 2), ("lld", 3), ("llld", 4)])
def test_a_task_whose_process_is_lost_is_given_out_four_times(script: str, rounds: int, tmp_path: Path) -> None:
    executor, listener, error = run(tmp_path, {2: script})
    assert executor.rounds == [[1, 2, 3, 0], *[[2]] * (rounds - 1)]
    assert (listener.advanced, error) == (4, "")


def test_a_task_lost_four_times_is_an_error(tmp_path: Path) -> None:
    executor, listener, error = run(tmp_path, {2: "lllld"})
    assert executor.rounds == [[1, 2, 3, 0], [2], [2], [2]]
    assert listener.advanced == 3
    assert error.startswith("1 of 4 tasks are not done (site 2: its process was lost: gone)")
    assert run(tmp_path, {})[2] == ""  # the same command tries it again


def test_an_error_is_not_tried_again_unless_another_task_was_lost(tmp_path: Path) -> None:
    executor, _, error = run(tmp_path / "alone", {3: "wd"})
    assert executor.rounds == [[1, 2, 3, 0]]
    assert "site 3: no file 3" in error
    executor, _, error = run(tmp_path / "beside", {3: "wd", 1: "ld"})
    assert executor.rounds == [[1, 2, 3, 0], [1, 3]]
    assert error == ""


def test_three_errors_are_named(tmp_path: Path) -> None:
    for failing, named in ((3, ["1", "2", "3"]), (4, ["1", "2", "3"])):
        scripts = dict.fromkeys([1, 2, 3, 0][:failing], "w")
        _, _, error = run(tmp_path / str(failing), scripts)
        assert error.startswith(f"{failing} of 4 tasks are not done (")
        assert re.findall(r"site (\d): no file \1", error) == named


def test_a_task_counts_as_done_where_the_store_says_so(tmp_path: Path) -> None:
    """An outcome without an error whose file is not there, as where a store was emptied meanwhile."""
    executor, _, error = run(tmp_path, {0: "u"})
    assert executor.rounds == [[1, 2, 3, 0]]
    assert error.startswith("1 of 4 tasks are not done ()")


def test_no_tasks_are_all_done(tmp_path: Path) -> None:
    executor, listener, error = run(tmp_path, {}, [])
    assert executor.rounds in ([], [[]])
    assert (listener.total, listener.said, error) == (0, "0 tasks done", "")


def test_two_schedulers_at_one_store_do_the_tasks_of_the_other_no_harm(tmp_path: Path) -> None:
    """The second finds done what the first has done while it waited for its own."""
    store, other = Store.at(tmp_path), Scripted({})

    class Interleaved(Scripted):
        def run(self, work: Work, place: str, tasks: Sequence[str]) -> Iterator[str]:
            found = super().run(work, place, tasks)
            yield next(found)
            execute(store, TASKS, other, Silent())
            yield from found

    executor, listener = Interleaved({0: "l", 3: "l"}), Counting()
    execute(store, TASKS, executor, listener)
    assert executor.rounds == [[1, 2, 3, 0]]
    assert other.rounds == [[2, 3, 0]]
    assert listener.said == "4 tasks done"


def test_the_outcome_of_a_lost_task_names_it() -> None:
    found = Outcome.from_line(lost_outcome(TASKS[2].to_line(), "killed by SIGKILL"))
    expected = outcome(2, "its process was lost: killed by SIGKILL", lost=True)
    assert found == dataclasses.replace(expected, pages=0)


def test_a_name_of_a_task_has_its_stage_key_and_number() -> None:
    assert dataclasses.replace(TASKS[0], number=42, key="abc").name == "site/abc-00042"
    assert outcome_name(TASKS[3]) == "tasks/site/k-00003.json"


def test_heaviest_first_keeps_numbers_in_order() -> None:
    assert [task.number for task in heaviest_first(reversed(TASKS))] == [1, 2, 3, 0]


@pytest.mark.parametrize(
    ("engine", "master", "wrong"),
    [("local", "", ""), ("spark", "yarn", ""), ("spark", "", "needs a master"), ("local", "yarn", "needs a master"),
     ("flink", "", "--engine flink: give local or spark"),
     *(("spark", master, "") for master in ("spark://h:7077", "spark://a:1,[::1]:2", "k8s://https://h:443", "local",
                                            "local[*]", "local[2]", "local[2, 3]", "local-cluster[2,1,1024]")),
     *(("spark", master, f"^--master {re.escape(master)}: no address of a Spark cluster; give spark://HOST:PORT")
       for master in ("nonsense", "spark://", "spark://h", "spark://h:", "spark://h:7077/", "spark:h:7077", "yarn2",
                      "http://h:7077", "k8s://", "local[]", "local[0]", "local[x]", "local-cluster[2,1]", " yarn"))],
)  # fmt: skip
def test_an_engine_and_its_master_go_together(engine: str, master: str, wrong: str) -> None:
    if not wrong:
        check_engine(engine, master)
        return
    with pytest.raises(UsageError, match=wrong):
        check_engine(engine, master)
