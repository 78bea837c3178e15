"""Jobs are processes of their own: they wait for their turn, rest, and outlive the server that started them."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from diglot.errors import UsageError
from diglot.workbench.jobs import FAILED, PAUSED, WAITING, WORKING, Job, Jobs, last_words, words_of
from diglot.workbench.shelf import Shelf
from made_sites import lett_site

WAIT_S = 120.0


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + WAIT_S
    while not is_so():
        assert time.monotonic() < end, "never came"
        time.sleep(0.05)


def ended(jobs: Jobs, name: str) -> None:
    """Wait until a job has ended, with a look at the jobs as a server has it."""

    def is_so() -> bool:
        jobs.tick()
        job = jobs.of(name)
        return job is None or jobs.state_of(job) in (FAILED, PAUSED)

    until(is_so)


def harvest(tmp_path: Path, shelf: Shelf, pages: int = 4) -> list[str]:
    """Words of a small harvest."""
    (tmp_path / "site.lett").write_bytes(lett_site("jobs.example", range(pages)))
    out = str(shelf.run("run"))
    return ["harvest", str(tmp_path / "site.lett"), "-l", "en,fr", "-o", out, "--json", "--jobs", "1"]


def test_a_job_goes_on_without_its_server(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "home")
    first = Jobs(shelf)
    first.add("run", "harvest", harvest(tmp_path, shelf))
    first.tick()
    job = first.of("run")
    assert job is not None
    assert first.state_of(job) == WORKING
    second = Jobs(shelf)  # as after a kill: all that it knows is in the folder
    assert second.of("run") == job
    assert second.is_at_work("run")
    with pytest.raises(UsageError):
        second.add("run", "harvest", [])
    with pytest.raises(UsageError):
        second.give_up("run")
    ended(second, "run")
    assert second.of("run") is None
    assert (shelf.run("run") / "out" / "summary.json").is_file()
    assert list(shelf.own("jobs").iterdir()) == []
    for child in first._children.values():
        child.wait()


def test_others_wait_for_their_turn(tmp_path: Path) -> None:
    jobs = Jobs(Shelf(tmp_path), at_most=1)
    for name in ("a", "b"):
        jobs.add(name, "harvest", ["recipes"])
    jobs.tick()
    states = [jobs.state_of(job) for job in jobs.all()]
    assert states == [WORKING, WAITING]
    ended(jobs, "a")
    ended(jobs, "b")
    assert jobs.all() == []


def test_an_error_is_kept_until_the_user_goes_on(tmp_path: Path) -> None:
    jobs = Jobs(Shelf(tmp_path))
    jobs.add("bad", "harvest", ["recipes", "no-such-recipe"])
    jobs.tick()
    ended(jobs, "bad")
    again = Jobs(Shelf(tmp_path)).of("bad")
    assert again is not None
    assert "no recipe 'no-such-recipe'" in again.error
    jobs.give_up("bad")
    assert Jobs(Shelf(tmp_path)).of("bad") is None


@pytest.fixture
def interrupts_ignored() -> Iterator[None]:
    """As in a server that a shell starts in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_a_job_rests_and_goes_on(tmp_path: Path, interrupts_ignored: None) -> None:
    shelf = Shelf(tmp_path / "home")
    jobs = Jobs(shelf)
    # A job may end before it is paused: then it is tried again with more pages.
    for pages in (400, 2_000, 8_000):
        shutil.rmtree(shelf.run("run"), ignore_errors=True)
        jobs.add("run", "harvest", harvest(tmp_path, shelf, pages=pages))
        jobs.tick()
        until(lambda: jobs.of("run") is None or b'"read"' in jobs.events_of("run").read_bytes())
        if jobs.of("run") is not None:
            jobs.pause("run")
            ended(jobs, "run")
        if jobs.of("run") is not None:
            break
    job = jobs.of("run")
    assert job is not None
    assert jobs.state_of(job) == PAUSED
    assert last_words(jobs.events_of("run")).startswith("stopped")
    jobs.tick()
    assert not jobs.is_at_work("run")
    jobs.go_on("run")
    ended(jobs, "run")
    assert (shelf.run("run") / "out" / "summary.json").is_file()


def test_a_killed_job_is_started_again_three_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = Jobs(Shelf(tmp_path))
    jobs.add("run", "harvest", ["recipes"])
    for death in range(3):
        jobs.tick()
        job = jobs.of("run")
        assert job is not None
        assert job.deaths == death
        os.kill(job.process, signal.SIGKILL)
        until(lambda: not jobs.is_at_work("run"))
    jobs.tick()
    job = jobs.of("run")
    assert job is not None
    assert "without a word" in job.error


def test_a_job_that_is_to_end_gets_no_more_time() -> None:
    words = ("harvest", "--max-time=2h", "--", "https://a.example")
    assert words_of(Job(name="a", kind="harvest", words=words)) == [*words]
    ending = words_of(Job(name="a", kind="harvest", words=words, ends_crawl=True))
    assert ending == ["harvest", "--max-time=2h", "--max-time=1s", "--", "https://a.example"]
    assert words_of(Job(name="a", kind="harvest", words=("harvest",), ends_crawl=True)) == ["harvest", "--max-time=1s"]


def test_a_crawl_that_is_to_end_still_ends_after_a_pause_or_an_error(tmp_path: Path) -> None:
    jobs = Jobs(Shelf(tmp_path))
    jobs.add("a", "harvest", ["harvest", "--", "https://a.example"])
    jobs.end_crawl("a")
    jobs.pause("a")
    assert [jobs.state_of(job) for job in jobs.all()] == [PAUSED]
    again = Jobs(Shelf(tmp_path), at_most=0)  # nothing is started
    again.go_on("a")
    job = again.of("a")
    assert job is not None
    assert words_of(job) == ["harvest", "--max-time=1s", "--", "https://a.example"]


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("", ""),
        ('{"stage": "read"}\n', ""),
        ('{"stage": "read"}\ndiglot: no; try\n', "no; try"),
        ("diglot: no translations found in en; pages:\npages 3\nkept  x\n", "no translations found in en; pages:"),
        ('{"stage": "read"}\n{"code": 3, "kind": "NothingFound", "message": "none in en:\\npages 3"}\n', "none in en:"),
        ('diglot: stopped\n{"stage": "read"}\n', ""),
    ],
)
def test_last_words(tmp_path: Path, said: str, words: str) -> None:
    (tmp_path / "events").write_text(said)
    assert last_words(tmp_path / "events") == words
    assert last_words(tmp_path / "none") == ""


def test_a_file_of_another_version_is_left_out(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    for name, text in (("a", "{}"), ("b", "no json"), ("c", '{"name": "c", "words": [], "later": 1}')):
        shelf.own("jobs", f"{name}.json").write_text(text)
    assert Jobs(shelf).all() == []
