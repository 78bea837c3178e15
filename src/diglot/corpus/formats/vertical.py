"""Vertical text with an alignment map, as corpus managers (Sketch Engine, NoSketch Engine) load parallel corpora."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any, BinaryIO
from xml.sax.saxutils import quoteattr

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.formats.page_fragments import NUMBER_COLUMNS
from diglot.corpus.formats.tables import rows_of
from diglot.disk.atomic import replacing
from diglot.words import IDEOGRAPHS, KANA

VERTICAL_COLUMNS = (
    "src",
    "tgt",
    "score",
    "bead",
    "flags",
    "src_url",
    "tgt_url",
    "position",
    "fetched",
    *NUMBER_COLUMNS,
)
GLUE = "<g/>"
"""Written between two tokens without a space between them."""
_ALONE = KANA + IDEOGRAPHS
_TOKEN = re.compile(rf"[{_ALONE}]|[^\W{_ALONE}]+(?:[-'’.·][^\W{_ALONE}]+)*|\S")


def write_vertical(path: str | os.PathLike[str], segments: pa.Table, *, src_lang: str, tgt_lang: str) -> list[str]:
    """Write ``PATH.SRC.vert`` and ``PATH.TGT.vert``, and ``PATH.map``, the alignment of segment n with segment n.

    A line is a token or a tag; the map counts the structures ``align``, from 0. Tokens are words, single Chinese and
    Japanese characters, and single marks: input for a tagger, without lemmas or parts of speech. Segments of a PDF have
    the attribute ``page``. Returns the paths.
    Raises: UsageError if a path cannot be written.
    """
    stem = os.fspath(path)
    names = [f"{stem}.{src_lang}.vert", f"{stem}.{tgt_lang}.vert", f"{stem}.map"]
    with replacing(names[0]) as src_file, replacing(names[1]) as tgt_file, replacing(names[2]) as map_file:
        pages = ("", "")
        for number, row in enumerate(rows_of(segments, VERTICAL_COLUMNS)):
            stated = dict(zip(VERTICAL_COLUMNS, row, strict=True))
            urls = (stated["src_url"], stated["tgt_url"])
            for side, handle in enumerate((src_file, tgt_file)):
                _write_segment(handle, side, stated, starts=urls != pages, ends=number > 0)
            map_file.write(f"{number}\t{number}\n".encode())
            pages = urls
        if segments.num_rows:
            for handle in (src_file, tgt_file):
                handle.write(b"</doc>\n")
    return names


def _write_segment(handle: BinaryIO, side: int, stated: dict[str, Any], *, starts: bool, ends: bool) -> None:
    lines = []
    if starts:
        lines += ["</doc>"] if ends else []
        lines.append(f"<doc{_attributes(url=stated[('src_url', 'tgt_url')[side]], fetched=stated['fetched'])}>")
    score, flags = f"{stated['score']:.4f}", ",".join(stated["flags"])
    page = str(stated[NUMBER_COLUMNS[side]] or "")
    lines.append(f"<align{_attributes(score=score, bead=stated['bead'], flags=flags, page=page)}>")
    lines += [*_tokens(one_line(stated[("src", "tgt")[side]])), "</align>"]
    handle.write(("\n".join(lines) + "\n").encode())


def _tokens(text: str) -> Iterator[str]:
    """Tokens, with glue in place of a missing space."""
    end = 0
    for match in _TOKEN.finditer(text):
        if end and match.start() == end:
            yield GLUE
        # A token "<" would be read as the start of a tag.
        yield match[0].replace("&", "&amp;").replace("<", "&lt;")
        end = match.end()


def _attributes(**stated: str) -> str:
    return "".join(f" {name}={quoteattr(one_line(value))}" for name, value in stated.items() if value)
