"""Arrow tables as data frames of pandas and polars, which are optional."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from diglot.errors import UsageError

if TYPE_CHECKING:
    import pandas
    import polars


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
