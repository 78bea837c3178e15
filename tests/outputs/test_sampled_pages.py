"""Pages looked at for a note: the same ones however a run was made."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from diglot.disk.content_hashes import HashedWriter
from diglot.disk.folder import RunFolder
from diglot.disk.stage_files import read_stage_rows
from diglot.disk.store import Store
from diglot.harvesting import harvest
from diglot.outputs.sampled_pages import sampled_pages
from diglot.run.settings import make_settings
from diglot.tasks import Stage
from diglot.tasks.commands import finish_tasks, plan_tasks, run_tasks, stage_tasks
from two_sites import sites, write_mixed


def looked_at(run: Path) -> list[list[str]]:
    with RunFolder(run, create=False) as folder:
        return sorted(page.texts for page in sampled_pages(folder))


def test_the_same_pages_in_any_order_of_the_sources_and_by_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diglot.outputs.sampled_pages.SAMPLED", 4)
    archives = write_mixed(tmp_path / "mixed", sites(), files=3)
    for name, order in {"run": archives, "backwards": archives[::-1]}.items():
        harvest(order, "en,fr", tmp_path / name, jobs=1)
    plan_tasks([str(path) for path in archives], make_settings("en,fr"), str(tmp_path / "tasks"), None)
    store = Store.at(tmp_path / "tasks")
    for stage in Stage:
        assert run_tasks(store, stage_tasks(store, stage)) == []
    finish_tasks(store, None)
    first = looked_at(tmp_path / "run")
    assert len(first) == 4
    assert looked_at(tmp_path / "backwards") == first
    assert looked_at(tmp_path / "tasks") == first


@pytest.mark.parametrize("rows", [[], [0], [2], [3], [1, 2, 3, 9], list(range(10))])
def test_rows_of_a_file_are_those_by_number(tmp_path: Path, rows: list[int]) -> None:
    table = pa.table({"text": [f"page {number}" for number in range(10)], "size": np.arange(10)})
    with open(tmp_path / "rows.parquet", "wb") as handle, HashedWriter(handle, table.schema) as writer:
        for start, end in ((0, 3), (3, 4), (4, 10)):
            writer.write(table.slice(start, end - start))
    assert pq.ParquetFile(tmp_path / "rows.parquet").num_row_groups == 3
    found = read_stage_rows(tmp_path / "rows.parquet", ["text"], rows)
    assert found.to_pydict() == {"text": [f"page {number}" for number in rows]}
