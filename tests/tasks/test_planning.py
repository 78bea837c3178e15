"""How a run is cut, worked by hand: buckets by bytes, tasks by pages, and who is asked for which bucket."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from diglot.disk.folder import RunFolder
from diglot.disk.store import Store
from diglot.errors import RunFolderError
from diglot.results.run import open_run
from diglot.run.settings import make_settings
from diglot.run.work import DOCUMENTS
from diglot.site import DOMAIN_SCHEMA, SITE_NUMBERS, SiteNames, site_number
from diglot.tasks import Stage, commands, in_run
from diglot.tasks import partition as dealing
from diglot.tasks import plan as plan_module
from diglot.tasks.partition import bucket_of_domain, merge_domains
from diglot.tasks.plan import (
    BUNDLE_PAGES,
    bundles,
    pages_by_site,
    plan_sites,
    plan_sources,
    read_site_plan,
    write_run_plan,
    write_site_plan,
)
from diglot.tasks.task import Task
from diglot.verifying import verify_run
from frozen_records import records_that_may_change
from made_sites import lett_site

MIB = 1 << 20


def source(name: str, size: int) -> Any:
    return SimpleNamespace(name=name, spec=name, kind="warc", size_bytes=lambda: size)


def planned(*sizes: int) -> Any:
    sources = [source(f"s{number}", size) for number, size in enumerate(sizes)]
    return plan_sources(make_settings("en,fr"), sources, [f"{each.name}#" for each in sources])


@pytest.mark.parametrize(
    ("sizes", "buckets"),
    [
        ((0,), 8),
        ((144 * MIB - 1,), 8),
        ((144 * MIB,), 9),
        ((100 * MIB, 44 * MIB), 9),
        ((4_096 * 16 * MIB - 1,), 4_095),
        ((4_096 * 16 * MIB,), 4_096),
        ((5_000 * 16 * MIB,), 4_096),
    ],
)
def test_a_bucket_is_16_mib_of_sources_between_8_and_4096(sizes: tuple[int, ...], buckets: int) -> None:
    assert planned(*sizes).buckets == buckets


def test_a_source_is_a_task_as_heavy_as_its_bytes() -> None:
    tasks = planned(5, 7).read_tasks()
    assert [(task.stage, task.number, task.weight, task.source) for task in tasks] == [
        (Stage.READ, 0, 5, "s0"),
        (Stage.READ, 1, 7, "s1"),
    ]
    assert len({task.key for task in tasks}) == 2
    assert tasks[0].key != planned(5, 200 * MIB).read_tasks()[0].key  # other buckets


def by_number(count: int) -> list[str]:
    """Names of sites in the order of their numbers."""
    return sorted((f"site{number}.example" for number in range(count)), key=site_number)


@pytest.mark.parametrize(
    ("pages", "sizes"),
    [
        ((60, 40), [100]),
        ((60, 41), [60, 41]),
        ((100, 1), [100, 1]),
        ((10, 500, 10), [10, 500, 10]),
        ((30, 30, 30, 30), [90, 30]),
        ((99, 1, 1), [100, 1]),
    ],
)
def test_sites_are_put_together_up_to_so_many_pages(pages: tuple[int, ...], sizes: list[int]) -> None:
    names = by_number(len(pages))
    found = bundles(dict(zip(names, pages, strict=True)), bundle_pages=100)
    assert [bundle.pages for bundle in found] == sizes
    assert [bundle.first for bundle in found[1:]] == [
        site_number(names[place]) for place in _first_places(pages, sizes)[1:]
    ]


def _first_places(pages: tuple[int, ...], sizes: list[int]) -> list[int]:
    places, place = [], 0
    for size in sizes:
        places.append(place)
        while size > 0:
            size -= pages[place]
            place += 1
    return places


@pytest.mark.parametrize(("second", "tasks"), [(1_000, 1), (1_001, 2)])
def test_a_task_has_2000_pages_where_nobody_says_otherwise(second: int, tasks: int) -> None:
    assert BUNDLE_PAGES == 2_000
    assert len(bundles(dict(zip(by_number(2), (1_000, second), strict=True)))) == tasks


def test_sites_of_one_number_are_in_one_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "site_number", lambda site: {"a": 5, "b": 5, "c": 9}[site])
    found = bundles({"a": 70, "b": 70, "c": 70}, bundle_pages=100)
    assert [tuple(bundle) for bundle in found] == [(0, 8, 140), (9, SITE_NUMBERS - 1, 70)]


@pytest.mark.parametrize(
    ("number", "buckets", "bucket"),
    [
        (0, 8, 0),
        ((1 << 63) - 1, 2, 0),
        (1 << 63, 2, 1),
        (SITE_NUMBERS - 1, 2, 1),
        (SITE_NUMBERS - 1, 4_096, 4_095),
        (SITE_NUMBERS // 8 - 1, 8, 0),
        (SITE_NUMBERS // 8, 8, 1),
    ],
)
def test_buckets_are_ranges_of_numbers(number: int, buckets: int, bucket: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealing, "site_number", lambda _: number)
    assert bucket_of_domain("any.example", buckets) == bucket


def domains(*rows: tuple[str, int, list[str]]) -> pa.Table:
    return pa.table([list(column) for column in zip(*rows, strict=True)] or [[], [], []], schema=DOMAIN_SCHEMA)


def test_domains_of_several_sources_are_added_up() -> None:
    found = merge_domains([domains(("b", 2, ["c"]), ("a", 1, [])), domains(), domains(("b", 3, ["a", "c"]))])
    assert found.equals(domains(("a", 1, []), ("b", 5, ["a", "c"])))


def test_pages_are_counted_by_the_site_of_their_domain() -> None:
    names = SiteNames({"a": "a", "b": "a"}, ())
    assert pages_by_site(domains(("a", 1, []), ("b", 2, []), ("c", 4, [])), names) == {"a": 3, "c": 4}
    (everything,) = pages_by_site(domains(("a", 1, []), ("c", 4, [])), SiteNames({}, (), together=True)).items()
    assert everything[1] == 5


def test_the_plan_of_sites_is_the_same_from_its_file(tmp_path: Path) -> None:
    names = SiteNames({"a": "a", "b": "a", "c": "c"}, (("x", "y"),))
    plan = plan_sites(planned(1), names, {"a": 3, "c": 4}, ["documents/k.parquet"], bundle_pages=3)
    assert plan.joined == {"a": "a", "b": "a"}
    assert [task.weight for task in plan.tasks] == [pages for _, pages in sorted((site_number(s), p) for s, p in
                                                                                 (("a", 3), ("c", 4)))]  # fmt: skip
    store = Store.at(tmp_path)
    assert read_site_plan(store) is None
    write_site_plan(store, plan)
    assert read_site_plan(store) == plan
    assert plan.site_names(make_settings("en,fr")).of_domain("b") == "a"


def test_a_plan_of_another_run_takes_back_that_of_its_sites(tmp_path: Path) -> None:
    store, run = Store.at(tmp_path), planned(1)
    sites = plan_sites(run, SiteNames({}, ()), {"a": 1}, [], bundle_pages=10)
    for again, kept in ((run, True), (planned(2), False)):
        write_run_plan(store, run)
        write_site_plan(store, sites)
        write_run_plan(store, again)
        assert (read_site_plan(store) is not None) is kept


@pytest.mark.parametrize(
    ("rows", "hosts", "one_site", "many"),
    [
        ((9_999,), ("a", "b"), False, False),
        ((10_000,), ("a", "b"), False, True),
        ((6_000, 4_000), ("a", "b"), False, True),
        ((10_000,), ("a", "www.a"), False, False),
        ((10_000,), ("a", ""), False, False),
        ((10_000,), ("a", "b"), True, False),
    ],
)
def test_a_run_is_cut_from_10000_pages_of_two_sites_on(
    rows: tuple[int, ...], hosts: tuple[str, ...], one_site: bool, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [str(number) for number in range(len(rows))]
    folder = SimpleNamespace(
        recall=lambda kind, _: keys if kind == "sources" else "all", rows=lambda _, key: rows[int(key)]
    )
    urls = [f"http://{host}.example/" if host else "nowhere" for host in hosts]
    monkeypatch.setattr(in_run, "document_shards", lambda *_: [pa.table({"url": urls})])
    monkeypatch.setattr(in_run, "registered_domain", lambda url: url.removeprefix("http://www.").removeprefix(
        "http://") if url != "nowhere" else "")  # fmt: skip
    work: Any = SimpleNamespace(settings=SimpleNamespace(one_site=one_site), folder=folder)
    assert in_run.is_cut(work) is many


def test_a_task_reads_the_buckets_of_its_numbers_and_of_domains_joined_to_its_sites(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Eight buckets of an eighth of all numbers each; the task has the second, and b, of the last, is joined to a."""
    eighth = SITE_NUMBERS // 8
    monkeypatch.setattr(dealing, "site_number", lambda name: {"a": eighth, "b": SITE_NUMBERS - 1}[name])
    asked: list[int] = []

    def read_groups(_file: object, groups: list[int]) -> pa.Table:
        asked.extend(groups)
        return dealing.DOCUMENT_SCHEMA.empty_table()

    class Opened:
        def __enter__(self) -> None: ...

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(dealing.pq, "ParquetFile", lambda _handle, **_: None)
    monkeypatch.setattr(dealing, "read_groups", read_groups)
    store: Any = SimpleNamespace(reading=lambda _: Opened())
    task = Task(stage=Stage.SITE, number=0, key="k", weight=1, first=eighth, last=2 * eighth - 1)
    for names, buckets in (({}, [1]), ({"a": "a", "b": "a"}, [1, 7]), ({"b": "b"}, [1])):
        asked.clear()
        dealing.read_documents(store, ["file"], 8, SiteNames(names, ()), task)
        assert asked == buckets


@pytest.mark.parametrize(
    ("asked", "pivot", "langs", "surveyed"),
    [("en,fr", "", ("en", "fr"), False), ("en,*", "en", ("en", "de", "fr"), True), ("all", "", ("de", "fr"), True)],
)
def test_open_languages_are_looked_for_before_a_plan(
    asked: str, pivot: str, langs: tuple[str, ...], surveyed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[object] = []

    def detect(typed: object, _sources: object, _settings: object, **_: object) -> Any:
        looked.append(typed)
        return SimpleNamespace(langs=langs, pivot=pivot)

    monkeypatch.setattr(commands, "detect_languages", detect)
    monkeypatch.setattr(commands, "serve_from_here", lambda _: None)
    (tmp_path / "site.lett").write_bytes(lett_site("http://a.example", range(1)))
    plan = commands.plan_by_options([str(tmp_path / "site.lett")], asked, {"min_prob": 0.25}, str(tmp_path / "run"))
    assert looked == ([asked] if surveyed else [])
    assert (plan.settings.langs, plan.settings.pivot, plan.settings.min_prob) == (langs, pivot, 0.25)


def test_a_store_of_unfinished_tasks_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "site.lett").write_bytes(lett_site("a.example", range(3)))
    store = tmp_path / "my tasks"
    commands.plan_tasks([str(tmp_path / "site.lett")], make_settings("en,fr"), str(store))
    for read in (verify_run, open_run):
        with pytest.raises(RunFolderError, match=f"not finished, and no run yet; `diglot tasks status '{store}'`"):
            read(store)
    with pytest.raises(RunFolderError, match="not a run folder; name one that `diglot harvest"):
        verify_run(tmp_path)


def test_plans_and_tasks_do_not_change() -> None:
    assert records_that_may_change("diglot.tasks") == set()


def test_a_plan_of_documents_that_were_read_names_all_of_them(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run") as folder:
        folder.remember("run", DOCUMENTS, "all")
        folder.remember("sources", "all", ["first", "second"])
        work: Any = SimpleNamespace(sources=(), folder=folder, settings=make_settings("en,fr"))
        assert [source.key for source in in_run._plan_of_run(work).sources] == ["first", "second"]
