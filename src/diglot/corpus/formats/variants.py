"""The tag of a language in a file: the language itself, a requested variant, or the declared variant of its pages."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

DECLARED = "declared"
"""Requests the variant of all texts of a language, if there is one."""


class SeenVariants:
    """Known variants of the texts of each language."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}

    def add(self, segments: pa.Table, src_lang: str, tgt_lang: str) -> None:
        """Add the variants on both sides of segments; "" is an unknown variant."""
        for lang, column in ((src_lang, "src_variant"), (tgt_lang, "tgt_variant")):
            self._of.setdefault(lang, set()).update(pc.unique(segments[column]).to_pylist())

    def tag(self, lang: str, asked: Mapping[str, str]) -> str:
        """The tag for a language: the requested variant, for :data:`DECLARED` that of all its texts, else the
        language."""
        seen = self._of.get(lang, set())
        agreed = next(iter(seen)) if len(seen) == 1 else ""
        variant = asked.get(lang, "")
        return (agreed if variant == DECLARED else variant) or lang
