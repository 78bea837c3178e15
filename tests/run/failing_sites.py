"""Stages of a site that die or hang on one; a module of its own, so that workers can import it."""

from __future__ import annotations

import os
import time
from typing import Any

import pyarrow as pa

from diglot.run.clean import _flag_part as flag_part
from diglot.run.pair import pair_site
from diglot.run.resolve import resolve_table

POISON = "poison.example"


def resolve_or_die(documents: pa.Table, **options: Any) -> pa.Table:
    """As the stage does, but for one site."""
    if documents["site"][0].as_py() == POISON:
        os.abort()
    return resolve_table(documents, **options)


def pair_or_die(documents: pa.Table, **options: Any) -> pa.Table:
    """As the stage does, but for one site."""
    if documents["site"][0].as_py() == POISON:
        os.abort()
    return pair_site(documents, **options)


def flag_or_fail(_part: pa.Table, **_options: Any) -> pa.Table:
    """Has a bug."""
    raise KeyError("planted")


def flag_or_die(_part: pa.Table, **_options: Any) -> pa.Table:
    """Wants more memory than there is."""
    raise MemoryError


def flag_or_hang(_part: pa.Table, **_options: Any) -> pa.Table:
    """Ends never."""
    time.sleep(600)
    raise AssertionError


def pair_or_hang(documents: pa.Table, **options: Any) -> pa.Table:
    """As the stage does, but for one site."""
    if documents["site"][0].as_py() == POISON:
        time.sleep(600)
    return pair_site(documents, **options)


def flag_or_be_refused(part: pa.Table, **options: Any) -> pa.Table:
    """As the stage does, but a part of the path of its file is a file."""
    gone = f"{part['path'][0].as_py()}/gone.parquet"
    return flag_part(part.set_column(part.column_names.index("flagged"), "flagged", [[gone] * len(part)]), **options)
