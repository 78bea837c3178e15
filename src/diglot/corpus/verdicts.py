"""The verdicts of people on segments, and the names by which they judge them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import xxhash

from diglot.no_breaks import plain_blanks

RIGHT, PARTLY, WRONG, UNSURE = "right", "partly", "wrong", "unsure"
"""The verdicts."""


def segment_id(row: Mapping[str, Any]) -> str:
    """Name of a segment: the same as long as its texts and addresses are. No-break blanks count as plain ones."""
    parts = (row["src_url"], row["tgt_url"], plain_blanks(row["src"]), plain_blanks(row["tgt"]))
    return xxhash.xxh3_64_hexdigest("\x1f".join(parts).encode())
