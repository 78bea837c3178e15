"""Arrow tables as data frames of pandas and polars, which are optional, and back; rows of a table by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import pyarrow as pa

from diglot.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import polars


_NO_COLUMN = (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError)


def as_polars(table: pa.Table) -> polars.DataFrame:
    """A polars data frame; :class:`UsageError` if polars is not installed."""
    try:
        import polars
    except ImportError as error:
        raise UsageError(
            "polars is not installed: pip install 'diglot[polars]', or use .table, a pyarrow.Table"
        ) from error
    return polars.from_arrow(table)


def as_pandas(table: pa.Table) -> pandas.DataFrame:
    """A pandas data frame; :class:`UsageError` if pandas is not installed."""
    try:
        import pandas  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "pandas is not installed: pip install 'diglot[pandas]', or use .table, a pyarrow.Table"
        ) from error
    return table.to_pandas()


def as_table(given: Any, schema: pa.Schema) -> pa.Table:
    """A table with the columns of ``schema``, of a pyarrow.Table or a data frame; its other columns are left out. A
    column that may be null may be missing.

    Raises: UsageError for another object, a column that is missing or of another kind, and a cell without a value.
    """
    if hasattr(given, "to_arrow"):  # of polars
        given = given.to_arrow()
    elif hasattr(given, "iloc") and hasattr(given, "columns"):  # of pandas
        try:
            given = pa.Table.from_pandas(given, preserve_index=False)
        except _NO_COLUMN as error:
            raise UsageError(f"a column has values of several kinds: {error}") from error
    if not isinstance(given, pa.Table):
        raise UsageError(f"{given!r:.60}: give a pyarrow.Table, or a data frame of pandas or polars")
    missing = [field.name for field in schema if not field.nullable and field.name not in given.column_names]
    if missing:
        raise UsageError(f"no column {', '.join(missing)}; the columns are those of .table")
    columns = []
    for field in schema:
        if field.name not in given.column_names:
            columns.append(pa.nulls(given.num_rows, field.type))
            continue
        column = given[field.name]
        try:
            columns.append(column.cast(field.type))
        except _NO_COLUMN as error:
            advice = "; a CSV keeps no lists, save rows as Parquet" if pa.types.is_list(field.type) else ""
            raise UsageError(f"column {field.name}: {column.type} is no {field.type}{advice}") from error
        if column.null_count and not field.nullable:
            row = column.is_null().index(True).as_py()
            advice = "write '' for no text" if pa.types.is_string(field.type) else "give one, or leave the row out"
            raise UsageError(f"column {field.name}: row {row} has no value; {advice}")
    return pa.table(columns, schema=schema)


def rows_at(table: pa.Table, place: Any, noun: str) -> pa.Table:
    """The row at a place, or the rows of a slice; ``noun``: what a row is.

    Raises: UsageError for another index, IndexError for a place outside of the table.
    """
    if isinstance(place, slice):
        return table.take(pa.array(range(table.num_rows)[place], pa.int64()))
    # A truth value is a number to Python, and an array has the method of one.
    is_array = bool(getattr(place, "ndim", 0))
    if isinstance(place, bool) or is_array or not isinstance(place, SupportsIndex):
        raise UsageError(f"{place!r:.60}: give a number or a slice, as in [0] or [:10]; .table has the columns")
    try:
        row = range(table.num_rows)[place]
    except IndexError as error:  # the error that Python expects of a sequence
        raise IndexError(f"no {noun} {place}: there are {table.num_rows:,}") from error
    return table.slice(row, 1)
