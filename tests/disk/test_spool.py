"""Tables written one after the other come back in any order, and leave no file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from diglot.disk.spool import Spool

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
