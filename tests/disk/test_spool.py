"""Tables written one after the other come back in any order, and leave no file."""

from __future__ import annotations

import gc
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.disk import spool as module
from diglot.disk.spool import Spool
from diglot.errors import UsageError

SCHEMA = pa.schema([pa.field("text", pa.string(), nullable=False), pa.field("row", pa.int64(), nullable=False)])


def table_of(texts: list[str]) -> pa.Table:
    return pa.table([texts, list(range(len(texts)))], schema=SCHEMA)


@given(written=st.lists(st.lists(st.text(max_size=3), max_size=5), max_size=6), data=st.data())
def test_tables_come_back_in_any_order(written: list[list[str]], data: st.DataObject) -> None:
    tables = list(map(table_of, written))
    asked = data.draw(st.lists(st.sampled_from(range(len(tables))), max_size=8) if tables else st.just([]))
    with TemporaryDirectory() as folder:
        spool = Spool(folder, SCHEMA)
        places = [spool.write(table) for table in tables]
        found = spool.read(*(places[number] for number in asked))
        assert found.schema == SCHEMA
        assert found.equals(pa.concat_tables([SCHEMA.empty_table(), *(tables[number] for number in asked)]))
        assert not list(Path(folder).iterdir())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_a_full_disk_is_named_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.tempfile, "TemporaryFile", lambda dir: open("/dev/full", "w+b", buffering=0))  # noqa: SIM115
    with pytest.raises(UsageError, match=r"test_a_full_disk.*: a temporary file cannot be written there"):
        Spool(tmp_path, SCHEMA).write(table_of(["a"]))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_what_stays_unwritten_on_a_full_disk_is_given_up_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Path("/dev/full").open("w+b")  # noqa: SIM115
    monkeypatch.setattr(module.tempfile, "TemporaryFile", lambda dir: full)
    raised: list[object] = []
    monkeypatch.setattr("sys.unraisablehook", raised.append)
    Spool(tmp_path, SCHEMA).write(table_of(["a"]))  # waits in the buffer of the file
    gc.collect()
    assert full.closed
    assert not raised
