"""How a segment is named, and what may be said of it, where a person judges segments by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xxhash

RIGHT, PARTLY, WRONG, UNSURE = "right", "partly", "wrong", "unsure"
"""The verdicts."""


def segment_id(row: Mapping[str, Any]) -> str:
    """Name of a segment: the same as long as its texts and addresses are."""
    parts = (row[name] for name in ("src_url", "tgt_url", "src", "tgt"))
    return xxhash.xxh3_64_hexdigest("\x1f".join(parts).encode())
