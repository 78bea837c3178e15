"""What alignment sees of a document: its token stream, its chunks, and the blocks that they make."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class DocumentView:
    """One page as alignment takes it; the columns of :data:`diglot.records.DOCUMENT_SCHEMA` of like names.

    ``tokens``: int32, negative for a tag, else the length in characters of the next chunk. ``chunk_texts``:
    one a non-negative token, with one space at an end where the page has white space there. ``block_ends``:
    int32 of shape (blocks,), rising; block b holds the chunks ``[block_ends[b - 1], block_ends[b])``.
    ``block_kinds``: int8 of shape (blocks,), values of :class:`diglot.records.BlockKind`.

    Raises: ValueError where these do not fit together.
    """

    tokens: npt.NDArray[np.int32]
    chunk_texts: list[str]
    block_ends: npt.NDArray[np.int32]
    block_kinds: npt.NDArray[np.int8]

    def __post_init__(self) -> None:
        chunks = int(np.count_nonzero(self.tokens >= 0))
        last = int(self.block_ends[-1]) if len(self.block_ends) else 0
        if not chunks == len(self.chunk_texts) == last:
            raise ValueError(f"{chunks} text tokens, {len(self.chunk_texts)} chunks, blocks end at {last}")
        if len(self.block_kinds) != len(self.block_ends):
            raise ValueError(f"{len(self.block_ends)} blocks, {len(self.block_kinds)} kinds")

    def block_texts(self) -> list[str]:
        """Text of each block, white space at its ends removed."""
        bounds = [0, *self.block_ends.tolist()]
        return ["".join(self.chunk_texts[start:end]).strip() for start, end in pairwise(bounds)]
