"""Hashes inside of Parquet files: the same values have the same hash however they are cut, and no flip is read."""

from __future__ import annotations

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.disk.content_hashes import DAMAGE, KEY, READ, HashedWriter, column_hash, count_group_rows, read_groups
from diglot.records import DOCUMENT_SCHEMA, FLAGGED_SCHEMA, PAIR_SCHEMA

TABLE = pa.table(
    {
        "text": ["a", None, "bcd", "", "é"],
        "lists": pa.array([["x", "y"], [], None, ["z"], [None, "q"]]),
        "map": pa.array([[("a", 1.0)], [], None, [("b", 2.0), ("c", 3.0)], []], pa.map_(pa.string(), pa.float32())),
        "truth": [True, False, None, True, True],
        "small": pa.array([1, 2, 3, None, 5], pa.int8()),
        "marks": pa.array([b"1" * 16] * 5, pa.binary(16)),
        "large": pa.array([b"abc", b"", None, b"d", b"e"], pa.large_binary()),
        "named": pa.array(["a", "b", "a", None, "a"]).dictionary_encode(),
        "none": pa.nulls(5),
        "row": [{"a": 1, "b": "x"}, None, {"a": 2, "b": None}, {"a": 3, "b": "y"}, None],
    }
)


def written(*tables: pa.Table) -> bytes:
    handle = io.BytesIO()
    with HashedWriter(handle, tables[0].schema) as writer:
        for table in tables:
            writer.write(table)
    return handle.getvalue()


def opened(content: bytes) -> pq.ParquetFile:
    return pq.ParquetFile(pa.BufferReader(content), **READ)


@given(st.integers(0, 5), st.integers(0, 5))
def test_a_hash_does_not_depend_on_chunks(first: int, second: int) -> None:
    cuts = sorted((first, second))
    parts = [TABLE.slice(0, cuts[0]), TABLE.slice(*cuts[:1], 0), TABLE.slice(cuts[0], cuts[1] - cuts[0])]
    parts.append(TABLE.slice(cuts[1]).combine_chunks())
    cut = pa.concat_tables(parts)
    assert [*map(column_hash, cut.columns)] == [*map(column_hash, TABLE.columns)]


VALUES = st.lists(st.none() | st.text(max_size=3), max_size=6)


@given(VALUES, VALUES)
def test_other_values_have_another_hash(one: list[str | None], other: list[str | None]) -> None:
    found = [column_hash(pa.chunked_array([pa.array(each, pa.string())])) for each in (one, other)]
    assert (found[0] == found[1]) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pa.array(["ab", "c"]), pa.array(["a", "bc"])),
        (pa.array([["a"], ["b"]]), pa.array([["a", "b"], []])),
        (pa.array([None, 0]), pa.array([0, None])),
        (pa.array([-1], pa.int32()), pa.array([2**32 - 1], pa.uint32())),
        (pa.array([None], pa.string()), pa.array([""])),
    ],
)
def test_near_columns_have_other_hashes(one: pa.Array, other: pa.Array) -> None:
    assert column_hash(pa.chunked_array([one])) != column_hash(pa.chunked_array([other]))


def test_what_was_written_is_read() -> None:
    content = written(TABLE, TABLE.slice(1, 2), TABLE.slice(0, 0))
    assert read_groups(opened(content)).to_pydict() == pa.concat_tables([TABLE, TABLE.slice(1, 2)]).to_pydict()
    assert read_groups(opened(content), ["text"], [1]).to_pydict() == {"text": [None, "bcd"]}
    assert count_group_rows(opened(content)) == 7
    assert read_groups(opened(content)).schema.metadata is None


def test_hashes_with_a_number_of_rows_that_is_none_are_damage() -> None:
    for rows in ("²", "1" * 5_000):
        handle = io.BytesIO()
        with pq.ParquetWriter(handle, TABLE.schema) as writer:
            writer.write_table(TABLE)
            writer.add_key_value_metadata({KEY: rows.encode()})
        with pytest.raises(pa.ArrowInvalid, match="another than what was written"):
            count_group_rows(opened(handle.getvalue()))


@pytest.mark.parametrize("schema", [DOCUMENT_SCHEMA, PAIR_SCHEMA, FLAGGED_SCHEMA])
def test_all_columns_of_stages_have_hashes(schema: pa.Schema) -> None:
    assert read_groups(opened(written(schema.empty_table()))).schema.equals(schema)


def flipped(content: bytes, bit: int) -> bytes:
    spoilt = bytearray(content)
    spoilt[bit // 8] ^= 1 << bit % 8
    return bytes(spoilt)


def test_no_flip_is_read_as_other_content() -> None:
    """Each seventh bit of a small file: what is read is what was written, or an error."""
    content = written(TABLE.select(["text", "lists", "small"]), TABLE.select(["text", "lists", "small"]))
    right = read_groups(opened(content))
    refused = 0
    for bit in range(0, 8 * len(content), 7):
        found: Any = None
        try:
            found = read_groups(opened(flipped(content, bit)))
        except DAMAGE:
            refused += 1
        assert found is None or found.equals(right), bit
    # Statistics and names of programs in the footer may change without harm.
    assert refused > len(content) * 3 // 7


def test_a_file_without_hashes_is_refused() -> None:
    plain = io.BytesIO()
    pq.write_table(TABLE.select(["text"]), plain)
    with pytest.raises(pa.ArrowInvalid, match="no hashes"):
        read_groups(opened(plain.getvalue()))
    changed = written(TABLE.select(["text"])).replace(KEY, b"diglot.washes")
    with pytest.raises(DAMAGE):
        read_groups(opened(changed))
