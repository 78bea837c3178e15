"""Documents dealt out by domain: every task gets all documents of its sites and no other."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from diglot.disk.store import Store
from diglot.records import DOCUMENT_SCHEMA
from diglot.site import domains_of, join_domains
from diglot.tasks import Stage
from diglot.tasks.partition import merge_domains, partition_documents, read_documents
from diglot.tasks.plan import bundles, pages_by_site
from diglot.tasks.task import Outcome, Task
from made_documents import made_page

DOMAINS = [f"site{number}.example" for number in range(6)]
PAGES = st.lists(st.tuples(st.sampled_from(DOMAINS), st.sampled_from(["", *DOMAINS])), min_size=1, max_size=30)


def documents(pages: list[tuple[str, str]]) -> pa.Table:
    """A page a row on the first domain that names, where one is given, a version on the second."""
    rows = []
    for number, (domain, other) in enumerate(pages):
        links = [f"https://{other}/fr"] if other else []
        named = {"link_urls": links, "link_anchors": [""] * len(links), "link_hreflangs": ["fr"] * len(links)}
        alternate = {"link_alternate": [True] * len(links), "link_fragments": [""] * len(links)}
        rows.append(made_page(f"https://{domain}/{number}", "en", **named, **alternate))
    return pa.Table.from_pylist(rows, schema=DOCUMENT_SCHEMA)


@settings(max_examples=25)  # each writes and reads files
@given(PAGES, st.integers(1, 9), st.integers(1, 12), st.integers(0, 30))
def test_tasks_have_all_documents_between_them_each_by_its_site(
    tmp_path_factory: object, pages: list[tuple[str, str]], buckets: int, bundle_pages: int, cut: int
) -> None:
    folder: Path = tmp_path_factory.mktemp("dealt")  # type: ignore[attr-defined]
    table = documents(pages)
    parts = [table.slice(0, cut), table.slice(cut)]
    found = [partition_documents(folder / f"{number}.parquet", [part], buckets) for number, part in enumerate(parts)]
    domains = merge_domains(found)
    assert domains.equals(domains_of(table))
    names = join_domains(domains)
    sites = dict(zip(table["url"].to_pylist(), names.of(table["url"].to_pylist()), strict=True))
    seen: dict[str, str] = {}
    for number, bundle in enumerate(bundles(pages_by_site(domains, names), bundle_pages=bundle_pages)):
        task = Task(stage=Stage.SITE, number=number, key="k", weight=1, first=bundle.first, last=bundle.last)
        own = read_documents(Store.at(folder), ["0.parquet", "1.parquet"], buckets, names, task)
        assert own.num_rows == bundle.pages
        assert not seen.keys() & set(own["url"].to_pylist())
        seen |= dict(zip(own["url"].to_pylist(), own["site"].to_pylist(), strict=True))
    assert seen == sites


@given(st.integers(0, 10**6), st.text(max_size=30), st.integers(0, 2**64 - 1))
def test_a_task_and_its_outcome_are_the_same_from_their_lines(number: int, text: str, first: int) -> None:
    task = Task(stage=Stage.READ, number=number, key="abc", weight=number, source=text, first=first)
    assert Task.from_line(task.to_line()) == task
    outcome = Outcome(stage=Stage.SITE, number=number, error=text, lost=True)
    assert Outcome.from_line(outcome.to_line()) == outcome
    assert "\n" not in task.to_line() + outcome.to_line()
