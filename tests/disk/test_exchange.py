"""Rows dealt out into buckets come back whole, each bucket its own, whatever tables they came in."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.arrays import Ints
from diglot.disk import exchange
from diglot.disk.exchange import key_buckets, read_bucket, write_buckets
from diglot.errors import RunFolderError

SCHEMA = pa.schema(
    [
        pa.field("key", pa.string(), nullable=False),
        pa.field("row", pa.int64(), nullable=False),
        pa.field("others", pa.list_(pa.string()), nullable=False),
    ]
)


@pytest.mark.parametrize(("spill_bytes", "joined"), [(29, [3, 3, 1]), (30, [3, 3, 1]), (31, [4, 3]), (71, [7])])
def test_each_small_table_is_weighed_once(spill_bytes: int, joined: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of waiting tables grows with their number, and not with its square; each of the 7 has 10 bytes."""
    weighed: list[int] = []

    class Weighed:
        @property
        def nbytes(self) -> int:
            weighed.append(10)
            return 10

    def count_of(tables: list[object]) -> SimpleNamespace:
        count = len(tables)
        return SimpleNamespace(cast=lambda _: count)

    monkeypatch.setattr(exchange, "SPILL_BYTES", spill_bytes)
    monkeypatch.setattr(exchange, "pa", SimpleNamespace(concat_tables=count_of))
    assert list(exchange._gather([Weighed() for _ in range(7)], SCHEMA)) == joined
    assert len(weighed) == 7


def table_of(keys: list[str], first: int = 0) -> pa.Table:
    rows = range(first, first + len(keys))
    return pa.table([keys, list(rows), [[key] * (row % 3) for key, row in zip(keys, rows, strict=True)]], schema=SCHEMA)


@given(
    keys=st.lists(st.text(max_size=3), max_size=60),
    cuts=st.lists(st.integers(0, 60), max_size=5),
    buckets=st.integers(1, 9),
    spill_bytes=st.sampled_from([0, 300, 1 << 20]),
)
def test_a_bucket_holds_its_rows_in_order_however_they_came(
    keys: list[str], cuts: list[int], buckets: int, spill_bytes: int
) -> None:
    table = table_of(keys)
    bounds = [0, *sorted(min(cut, len(keys)) for cut in cuts), len(keys)]
    parts = [table.slice(start, end - start) for start, end in pairwise(bounds)]

    def bucket_of(rows: pa.Table) -> Ints:
        return key_buckets(rows["key"], buckets)

    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(exchange, "SPILL_BYTES", spill_bytes)
        path = Path(folder, "new", "exchanged.parquet")
        write_buckets(path, iter(parts), bucket_of, buckets, schema=SCHEMA)
        assert pq.ParquetFile(path).num_row_groups == buckets
        numbers = bucket_of(table)
        for bucket in range(buckets):
            assert read_bucket(path, bucket).equals(table.filter(pa.array(numbers == bucket)))
        assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_no_tables_at_all_give_empty_buckets(tmp_path: Path) -> None:
    write_buckets(tmp_path / "a.parquet", [], lambda _: np.zeros(0, np.int64), 3, schema=SCHEMA)
    assert [read_bucket(tmp_path / "a.parquet", bucket).num_rows for bucket in range(3)] == [0, 0, 0]
    assert read_bucket(tmp_path / "a.parquet", 2).schema.equals(SCHEMA)


def test_equal_keys_meet_and_bytes_are_keys_too() -> None:
    keys = ["a", "b", "é", "a", ""]
    numbers = key_buckets(pa.array(keys), 1 << 30)
    assert numbers[0] == numbers[3]
    assert len(set(numbers.tolist())) == 4
    assert key_buckets(pa.array([key.encode() for key in keys], pa.binary()), 1 << 30).tolist() == numbers.tolist()


@pytest.mark.parametrize(("left", "said"), [(-9, "the file is cut"), (0, "the file is empty")])
def test_a_damaged_file_is_named(left: int, said: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write_buckets(path, [table_of(["a"])], lambda rows: np.zeros(rows.num_rows, np.int64), 1, schema=SCHEMA)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(RunFolderError, match=rf"a\.parquet: cannot be read \({said}.*\); run the same command again"):
        read_bucket(path, 0)
