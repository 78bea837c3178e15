"""A run of several sites gives the same files whole, as tasks in any order and cut, done twice, and after deaths."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import dying_sites
import poison_pages
import pyarrow.parquet as pq
import pytest

from diglot.disk.folder import RunFolder
from diglot.disk.store import Store
from diglot.errors import DiglotError, RunFolderError, SitesFailed, SourceError, UsageError
from diglot.forgetting import forget
from diglot.harvesting import clean_run, harvest
from diglot.progress import Progress, Silent
from diglot.results.run import open_run
from diglot.run.settings import Settings, make_settings
from diglot.run.stored_pages import OVERSIZED_SITES
from diglot.run.work import DOCUMENTS
from diglot.tasks import Stage, commands, work
from diglot.tasks.commands import finish_tasks, plan_tasks, run_tasks, select_tasks, stage_progress, stage_tasks
from diglot.tasks.execution import local_executor
from diglot.tasks.task import Outcome
from diglot.verifying import verify_run
from diglot.version import __version__
from two_sites import HOSTS, lines_of, outputs, sites, write_mixed


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Eight pages in each language of two sites, mixed in three files."""
    small = {host: lines[:16] for host, lines in sites().items()}
    return write_mixed(tmp_path_factory.mktemp("sites") / "mixed", small, files=3)


@pytest.fixture(scope="module")
def whole(archives: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a run of them writes that is not cut."""
    run = tmp_path_factory.mktemp("whole") / "run"
    harvest(archives, "en,fr", run, jobs=1)
    return outputs(run)


@pytest.fixture(scope="module", autouse=True)
def a_task_a_site() -> Iterator[None]:
    """Sites are work enough for a task each."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("diglot.tasks.in_run.BUNDLE_PAGES", 10)
        yield


def settings() -> Settings:
    return make_settings("en,fr")


class Heard(Silent):
    """Lines about stages."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def finish(self, text: str) -> None:
        self.lines.append(text)


def planned(archives: list[Path], place: Path, progress: Progress | None = None) -> Store:
    plan_tasks([str(path) for path in archives], settings(), str(place), progress)
    return Store.at(place)


def test_tasks_in_any_order_and_twice_give_what_the_whole_run_gives(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path
) -> None:
    store = planned(archives, tmp_path / "run")
    for stage in Stage:
        tasks = stage_tasks(store, stage)
        assert len(tasks) == {Stage.READ: 3, Stage.SITE: 2}[stage]
        random.Random(1).shuffle(tasks)
        assert run_tasks(store, tasks) == []
        made = {name: store.read_bytes(name) for name in store.names() if name.endswith(".parquet")}
        for task in tasks:
            store.delete(work.outcome_name(task))
        assert run_tasks(store, tasks) == []
        assert {name: store.read_bytes(name) for name in made} == made
    finish_tasks(store, None)
    assert outputs(tmp_path / "run") == whole
    run = open_run(tmp_path / "run")
    assert ": paired with " in str(run.why(run.pairs()[0].src_url))


def test_a_run_of_several_sites_is_cut_by_itself(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.tasks.in_run.MANY_PAGES", 10)
    run = harvest(archives, "en,fr", tmp_path / "run", jobs=2)
    assert len(list((run.path / "pairs").iterdir())) == 2
    assert outputs(run.path) == whole
    assert not list((run.path / "exchange").iterdir())


@pytest.mark.slow
def test_a_finished_run_can_lie_elsewhere(whole: dict[str, bytes], done: Store, tmp_path: Path) -> None:
    assert finish_tasks(done, tmp_path / "run") == tmp_path / "run"
    assert outputs(tmp_path / "run") == whole
    shutil.rmtree(tmp_path / "store")
    require_whole_run(tmp_path / "run")


def require_whole_run(run: Path) -> None:
    """Fail unless a run explains, cleans, exports and forgets its pages."""
    pair = open_run(run).pairs()[0]
    assert ": paired with " in str(open_run(run).why(pair.src_url))
    assert sum(clean_run(run, min_score=0.6).summary()["kept"].values())
    assert open_run(run).export(["pages"], run.parent / "exported")
    assert forget(run, url=pair.src_url).addresses == 1
    assert pair.src_url not in (run / "out" / "pages.tsv").read_text()
    assert verify_run(run).unchecked == []


@pytest.mark.slow
def test_a_relative_path_of_the_run_leaves_out_no_pages(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.harvesting.spark_executor", lambda _master: local_executor(1))
    monkeypatch.chdir(tmp_path)
    harvest(archives, "en,fr", "run", engine="spark", master="local")
    assert outputs(tmp_path / "run") == whole
    assert verify_run("run").unchecked == []
    require_whole_run(tmp_path / "run")


def test_nothing_is_finished_without_the_pages(
    archives: list[Path], whole: dict[str, bytes], done: Store, tmp_path: Path
) -> None:
    done.delete(done.names("documents/")[1])
    with pytest.raises(DiglotError, match=r"pages of 1 of 3 sources are gone; run `diglot tasks run .* read` again"):
        finish_tasks(done, tmp_path / "run")
    assert run_tasks(done, stage_tasks(done, Stage.READ)) == []
    finish_tasks(done, tmp_path / "run")
    assert outputs(tmp_path / "run") == whole


def test_a_site_that_takes_its_process_along_is_lost_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    poison = {dying_sites.POISON: lines_of(dying_sites.POISON), HOSTS[0]: lines_of(HOSTS[0])}
    store = planned(write_mixed(tmp_path / "mixed", poison), tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    monkeypatch.setattr("diglot.tasks.in_run.BUNDLE_PAGES", 1000)
    (task,) = stage_tasks(store, Stage.SITE)
    for death in range(work.DEATHS):
        store.put_bytes(f"tasks/tries/{task.name}.elsewhere.example+7+{death}", b"")
    monkeypatch.setattr("diglot.tasks.sites.work_and_pickle", dying_sites.work_or_die)
    assert run_tasks(store, [task]) == []
    with pytest.raises(SitesFailed):
        finish_tasks(store, None)
    lines = (tmp_path / "run" / "out" / "pages.tsv").read_text().splitlines()
    failed = [line for line in lines if "site_failed" in line]
    assert failed
    assert all(dying_sites.POISON in line and "killed by SIGABRT" in line for line in failed)
    assert {pair.src_url.split("/")[2] for pair in open_run(tmp_path / "run").pairs()} == {HOSTS[0]}


@pytest.mark.parametrize(
    ("planted", "detail"),
    [(poison_pages.parse_or_die, "killed by SIGABRT"), (poison_pages.parse_or_hang, "not done after 2 s")],
)
def test_a_page_that_kills_or_hangs_costs_itself(
    planted: Any, detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = planned(write_mixed(tmp_path / "mixed", {HOSTS[0]: lines_of(HOSTS[0])}), tmp_path / "run")
    with monkeypatch.context() as poison:
        poison.setattr("diglot.run.read.parse_table", planted)
        poison.setattr("diglot.run.read.PAGE_TIMEOUT_S", 2.0)
        assert run_tasks(store, stage_tasks(store, Stage.READ)) == []
    assert run_tasks(store, stage_tasks(store, Stage.SITE)) == []
    finish_tasks(store, None)
    lines = (tmp_path / "run" / "out" / "pages.tsv").read_text().splitlines()
    assert [line.split("\t")[0] for line in lines if detail in line] == [f"http://{HOSTS[0]}/{poison_pages.PAGE}"]


@pytest.mark.slow
def test_a_full_disk_loses_nothing(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = planned(archives, tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    tasks = stage_tasks(store, Stage.SITE)
    with monkeypatch.context() as full:
        full.setattr(Store, "put_table", dying_sites.full_disk)
        failed = run_tasks(store, tasks)
    assert ["the disk is full" in outcome.error for outcome in failed] == [True, True]
    assert stage_progress(store)[Stage.SITE] == (2, 0, 0, [])
    assert run_tasks(store, tasks) == []
    finish_tasks(store, None)
    assert outputs(tmp_path / "run") == whole


def test_a_source_that_changed_since_it_was_planned_is_told(tmp_path: Path) -> None:
    (path,) = write_mixed(tmp_path / "mixed", sites())
    store = planned([path], tmp_path / "run")
    path.write_bytes(path.read_bytes() + lines_of("new.example")[0])
    (outcome,) = run_tasks(store, stage_tasks(store, Stage.READ))
    assert "changed since the run was planned" in outcome.error
    with pytest.raises(DiglotError, match="1 of 1 sources are not read yet"):
        stage_tasks(store, Stage.SITE)


def test_parts_are_all_tasks_between_them(archives: list[Path], tmp_path: Path) -> None:
    tasks = stage_tasks(planned(archives, tmp_path / "run"), Stage.READ)
    parts = [select_tasks(tasks, part=f"{place}/2") for place in range(2)]
    assert sorted(task.number for part in parts for task in part) == [0, 1, 2]
    assert select_tasks(tasks, number=1) == [tasks[1]]
    for wrong in ("2/2", "x/2", "1", "-1/2", "²/3", "0/" + "1" * 5_000):
        with pytest.raises(UsageError, match="I/N"):
            select_tasks(tasks, part=wrong)
    with pytest.raises(UsageError, match="numbered from 0 to 2"):
        select_tasks(tasks, number=3)


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.warc: no such file"):
        plan_tasks([str(tmp_path / "none.warc")], settings(), str(tmp_path / "run"))
    with pytest.raises(UsageError, match=r"no tasks are planned here; run `diglot tasks plan SOURCES -o '.*/of mine'`"):
        commands.stage_tasks(Store.at(tmp_path / "of mine"), Stage.READ)


def test_settled_shards_hold_every_record_once(done: Store) -> None:
    read = [url for name in done.names("documents/") for url in pq.read_table(done.open(name))["url"].to_pylist()]
    told = [url for name in done.names("resolved/") for url in pq.read_table(done.open(name))["url"].to_pylist()]
    assert sorted(told) == sorted(read)


def test_two_workers_at_one_task_lose_nothing(archives: list[Path], whole: dict[str, bytes], tmp_path: Path) -> None:
    store = planned(archives, tmp_path / "run")
    with local_executor(2) as executor:
        for stage in Stage:
            lines = [task.to_line() for task in stage_tasks(store, stage) for _ in range(2)]
            outcomes = [Outcome.from_line(line) for line in executor.run(work.run_line, store.uri, lines)]
            assert len(outcomes) == len(lines)
            assert [outcome.error for outcome in outcomes if outcome.error] == []
    finish_tasks(store, None)
    assert outputs(tmp_path / "run") == whole


def test_another_worker_may_end_between_the_look_and_the_read(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = planned(archives, tmp_path / "run")
    tasks = stage_tasks(store, Stage.READ)
    gone = [f"{work.TRIES}{task.name}.elsewhere.example+7+0" for task in tasks]
    there = Store.names

    def names(self: Store, prefix: str = "") -> list[str]:
        return there(self, prefix) + [name for name in gone if name.startswith(prefix)]

    monkeypatch.setattr(Store, "names", names)
    assert run_tasks(store, tasks) == []


def test_a_run_that_was_cut_keeps_all_shards_of_its_documents(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.tasks.in_run.MANY_PAGES", 10)
    monkeypatch.setattr("diglot.run.read.SHARD_RECORDS", 7)
    harvest(archives, "en,fr", tmp_path / "run", jobs=2)
    with closing(RunFolder(tmp_path / "run")) as folder:
        assert folder.recall(OVERSIZED_SITES, folder.recall("run", DOCUMENTS)) == []
    clean_run(tmp_path / "run")
    assert outputs(tmp_path / "run") == whole
    harvest(archives, "en,fr", tmp_path / "run", jobs=2)
    assert outputs(tmp_path / "run") == whole


@pytest.mark.slow
def test_documents_dealt_into_other_buckets_are_read_again(
    archives: list[Path], whole: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = planned(archives, tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    monkeypatch.setattr("diglot.tasks.plan.LEAST_BUCKETS", 2)
    planned(archives, tmp_path / "run")
    assert stage_progress(store)[Stage.READ].done == 0
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []
    finish_tasks(store, None)
    assert outputs(tmp_path / "run") == whole


@pytest.mark.slow
def test_finishing_again_after_another_command_loses_nothing(whole: dict[str, bytes], done: Store) -> None:
    run = finish_tasks(done, None)
    assert finish_tasks(done, None) == run
    assert outputs(run) == whole
    clean_run(run, pii="off")
    with pytest.raises(DiglotError, match="2 of 2 tasks of sites made is no longer there"):
        finish_tasks(done, None)
    assert run_tasks(done, stage_tasks(done, Stage.SITE)) == []
    finish_tasks(done, None)
    assert outputs(run) == whole


@pytest.mark.slow
def test_exports_of_earlier_options_go_when_tasks_are_finished_by_others(archives: list[Path], tmp_path: Path) -> None:
    def finished(options: Settings) -> None:
        plan_tasks([str(path) for path in archives], options, str(tmp_path / "run"))
        store = Store.at(tmp_path / "run")
        for stage in Stage:
            assert run_tasks(store, stage_tasks(store, stage)) == []
        finish_tasks(store, None)

    finished(settings())
    (exported,) = open_run(tmp_path / "run").export(["jsonl"])
    finished(settings())
    assert exported.is_file()
    finished(make_settings("en,fr", min_score=0.9))
    assert not exported.exists()


def test_a_word_list_that_changed_since_the_plan_is_told(archives: list[Path], tmp_path: Path) -> None:
    words, place = tmp_path / "words.txt", tmp_path / "run"
    words.write_text("darn\n")
    (tmp_path / "elsewhere").mkdir()
    copy = str(shutil.copy(words, tmp_path / "elsewhere"))
    options = make_settings("en,fr", offensive=str(words))
    plan_tasks([str(path) for path in archives], options, str(place))
    store = Store.at(place)
    run_tasks(store, stage_tasks(store, Stage.READ))
    earlier = stage_tasks(store, Stage.SITE)
    plan_tasks([str(path) for path in archives], replace(options, offensive=copy), str(place))
    assert {task.key for task in earlier} == {task.key for task in stage_tasks(store, Stage.SITE)}
    plan_tasks([str(path) for path in archives], options, str(place))
    assert stage_tasks(store, Stage.SITE) == earlier
    words.write_text("darn\nheck\n")
    assert ["changed since the run was planned" in each.error for each in run_tasks(store, earlier)] == [True, True]
    plan_tasks([str(path) for path in archives], options, str(place))
    assert not {task.key for task in earlier} & {task.key for task in stage_tasks(store, Stage.SITE)}
    assert ["planned anew" in each.error for each in run_tasks(store, earlier)] == [True, True]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"version": "VERSION"}', b"\xff"])
def test_a_damaged_plan_is_told_and_replaced(content: bytes, archives: list[Path], tmp_path: Path) -> None:
    store = planned(archives, tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    stage_tasks(store, Stage.SITE)
    for name in ("tasks/run.json", "tasks/sites.json"):
        store.put_bytes(name, content.replace(b"VERSION", __version__.encode()))
        with pytest.raises(UsageError, match="damaged"):
            stage_progress(store)
        planned(archives, tmp_path / "run")
        assert len(stage_tasks(store, Stage.SITE)) == 2


@pytest.mark.slow
def test_documents_that_are_gone_are_read_again(archives: list[Path], tmp_path: Path) -> None:
    store = planned(archives, tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    tasks = stage_tasks(store, Stage.SITE)
    damaged = store.names("documents/")[1]
    store.put_bytes(damaged, b"PAR1")
    assert ["if it is damaged remove it" in outcome.error for outcome in run_tasks(store, tasks)] == [True, True]
    store.delete(damaged)
    with pytest.raises(DiglotError, match="1 of 3 sources are not read yet"):
        stage_tasks(store, Stage.SITE)
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []


def test_emptied_domains_are_named_with_what_to_do(archives: list[Path], tmp_path: Path) -> None:
    store = planned(archives, tmp_path / "run")
    run_tasks(store, stage_tasks(store, Stage.READ))
    emptied = store.names("domains/")[1]
    store.put_bytes(emptied, b"")
    with pytest.raises(RunFolderError, match=rf"/{emptied}: .*if it is damaged remove it, and read again what is"):
        stage_tasks(store, Stage.SITE)
    store.delete(emptied)
    with pytest.raises(DiglotError, match=r"1 of 3 sources are not read yet; run `diglot tasks run .* read`"):
        stage_tasks(store, Stage.SITE)
    assert run_tasks(store, stage_tasks(store, Stage.READ)) == []
    assert len(stage_tasks(store, Stage.SITE)) == 2


@pytest.mark.slow
def test_translations_of_one_site_are_no_error_on_another(tmp_path: Path) -> None:
    other = "quay.example"
    pages = {HOSTS[0]: lines_of(HOSTS[0]), other: lines_of(other, (b"e", b"x"))}
    archive = write_mixed(tmp_path / "mixed", pages)
    rows = harvest(archive, "en,fr", tmp_path / "plain", jobs=1).segments("en", "fr").table.to_pylist()
    of_other = {row["src"] for row in rows if other in row["src_url"]}
    own = [row for row in rows if row["src"] not in of_other]
    assert own
    (tmp_path / "known.tsv").write_text("".join(f"{row['src']}\t{row['tgt']}\n" for row in own), encoding="utf-8")
    options = {"aligner": "lexical", "aligner_evidence": f"translations:{tmp_path / 'known.tsv'}"}
    together = harvest(archive, "en,fr", tmp_path / "whole", jobs=1, options=options)
    plan_tasks([str(path) for path in archive], make_settings("en,fr", options=options), str(tmp_path / "run"))
    store = Store.at(tmp_path / "run")
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []
    finish_tasks(store, None)
    assert outputs(tmp_path / "run") == outputs(together.path)
    assert any(note.startswith(f"{other} en-fr: evidence ") for note in together.summary()["notes"])


def contents(run: Path) -> dict[str, bytes]:
    """Every file but the journal, which is opened to be read."""
    files = (path for path in run.rglob("*") if path.is_file() and not path.name.startswith(("journal.db", "run.lock")))
    return {path.relative_to(run).as_posix(): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def done_once(archives: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store whose tasks are all done; not to be changed."""
    store = planned(archives, tmp_path_factory.mktemp("done") / "store")
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []
    return Path(store.uri)


@pytest.fixture
def done(done_once: Path, tmp_path: Path) -> Store:
    """A copy of it."""
    return Store.at(shutil.copytree(done_once, tmp_path / "store"))


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """The run of another site."""
    pages = {"quay.example": lines_of("quay.example", (b"Chapitre", b"Quai"))}
    return harvest(write_mixed(tmp_path / "other", pages), "en,fr", tmp_path / "another", jobs=1).path


def test_another_run_is_replaced_only_when_asked(
    archives: list[Path], whole: dict[str, bytes], done: Store, other: Path, tmp_path: Path
) -> None:
    before = contents(other)
    with pytest.raises(
        RunFolderError, match=r"another: holds a run of .*; choose another folder, or say overwrite=True"
    ):
        finish_tasks(done, other)
    with pytest.raises(
        RunFolderError, match=r"another: holds a run of .*; choose another folder, or say overwrite=True"
    ):
        planned(archives, other)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("of mine")
    with pytest.raises(RunFolderError, match="mine: is not empty, and no run folder"):
        finish_tasks(done, tmp_path / "mine")
    assert contents(other) == before
    finish_tasks(done, other, overwrite=True)
    assert outputs(other) == whole


@pytest.mark.slow
def test_a_finished_run_takes_more_sources(archives: list[Path], whole: dict[str, bytes], tmp_path: Path) -> None:
    for sources in (archives[:2], archives):
        store = planned(sources, tmp_path / "run")
        for stage in Stage:
            assert run_tasks(store, stage_tasks(store, stage)) == []
        finish_tasks(store, None)
    assert outputs(tmp_path / "run") == whole
    assert verify_run(tmp_path / "run").faults == []


def finish(store: Store, out: Path | None = None) -> Path:
    """Do all tasks of a store and finish the run."""
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []
    return finish_tasks(store, out)


def pages_of(run: Path) -> set[str]:
    return {line.split("\t")[0] for line in (run / "out" / "pages.tsv").read_text().splitlines()[1:]}


@pytest.mark.slow
def test_tasks_of_more_sources_leave_out_what_was_forgotten(archives: list[Path], tmp_path: Path) -> None:
    run = finish(planned(archives[:2], tmp_path / "run"))
    gone = open_run(run).pairs()[0].src_url
    forget(run, url=gone)
    assert finish(planned(archives, run)) == run
    here = harvest(archives, "en,fr", tmp_path / "here", jobs=1).path
    assert pages_of(run) == pages_of(here) - {gone}
    forget(here, url=gone)
    assert outputs(run) == outputs(here)
    assert verify_run(run).unchecked == []


@pytest.mark.slow
def test_a_plan_leaves_out_what_was_forgotten_where_the_run_is_finished(
    archives: list[Path], done: Store, tmp_path: Path
) -> None:
    run = finish_tasks(done, tmp_path / "run")
    gone = open_run(run).pairs()[0].src_url
    forget(run, url=gone)
    before, made = contents(run), outputs(run)
    with pytest.raises(DiglotError, match=r"forgotten here that the tasks have read; .*`diglot tasks status .*store`"):
        finish_tasks(done, run)
    assert contents(run) == before
    assert stage_progress(done)[Stage.READ].done == 0
    for _ in range(2):  # the next plan knows of it, too
        finish(done, run)
        assert outputs(run) == made
        planned(archives, tmp_path / "store")


@pytest.mark.slow
@pytest.mark.parametrize("in_place", [True, False])
def test_a_run_keeps_what_its_plan_left_out(
    archives: list[Path], done: Store, tmp_path: Path, *, in_place: bool
) -> None:
    run = finish_tasks(done, tmp_path / "run")
    gone = open_run(run).pairs()[0].src_url
    forget(run, url=gone)
    with pytest.raises(DiglotError, match="forgotten here that the tasks have read"):
        finish_tasks(done, run)
    told = Heard()
    planned(archives, tmp_path / "store", told)
    for stage in Stage:
        run_tasks(done, stage_tasks(done, stage))
    other = finish_tasks(done, None if in_place else tmp_path / "other", told)
    assert told.lines.count("addresses or hosts forgotten before are left out (1 hash)") == 2
    harvest(archives, "en,fr", other, jobs=1)
    assert outputs(other) == outputs(harvest(archives, "en,fr", run, jobs=1).path)
    assert gone not in pages_of(other)


@pytest.mark.slow
def test_a_run_on_spark_leaves_out_what_was_forgotten(
    archives: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.harvesting.spark_executor", lambda _master: local_executor(1))
    run = harvest(archives, "en,fr", tmp_path / "run", jobs=1)
    gone = run.pairs()[0].src_url
    forget(run.path, url=gone)
    before = outputs(run.path)
    harvest(archives, "en,fr", run.path, engine="spark", master="local")
    assert outputs(run.path) == before


def test_known_sources_are_not_read_again_among_more(archives: list[Path], tmp_path: Path) -> None:
    store = planned(archives[1:], tmp_path / "run")
    assert run_tasks(store, stage_tasks(store, Stage.READ)) == []
    planned(archives, tmp_path / "run")
    assert stage_progress(store)[Stage.READ].done == 2
    assert [task.number for task in stage_tasks(store, Stage.READ) if not work.read_outcome(store, task)] == [0]


@pytest.mark.parametrize("elsewhere", [True, False])
def test_every_file_of_finished_tasks_is_verified(done: Store, tmp_path: Path, *, elsewhere: bool) -> None:
    run = finish_tasks(done, tmp_path / "run" if elsewhere else None)
    found = verify_run(run)
    assert (found.faults, found.unchecked, found.yours) == ([], [], [])
    stages = {path.parent.name: path for path in run.glob("*/*.parquet")}
    assert {"pairs", "segments", "flagged"} <= set(stages)
    for path in stages.values():
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    named = {fault.path for fault in verify_run(run).faults}
    assert named == {path.relative_to(run).as_posix() for path in stages.values()}
