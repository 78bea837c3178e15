"""What files write for a language: itself, a variant that is asked for, or the one that its pages declare."""

from __future__ import annotations

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

DECLARED = "declared"
"""Asked for in place of a variant: the one in which all texts of the language are."""


class SeenVariants:
    """The variants in which the texts of each language are, as far as they are known."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}

    def add(self, segments: pa.Table, src_lang: str, tgt_lang: str) -> None:
        """Add those of both sides of some segments; "" stands where one is not known."""
        for lang, column in ((src_lang, "src_variant"), (tgt_lang, "tgt_variant")):
            self._of.setdefault(lang, set()).update(pc.unique(segments[column]).to_pylist())

    def tag(self, lang: str, asked: Mapping[str, str]) -> str:
        """What files write for a language: the variant asked for, that of all its texts for :data:`DECLARED`, or the
        language."""
        seen = self._of.get(lang, set())
        agreed = next(iter(seen)) if len(seen) == 1 else ""
        variant = asked.get(lang, "")
        return (agreed if variant == DECLARED else variant) or lang
