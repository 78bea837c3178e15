"""A mistake in one's own format is told with its name, and no format takes the place or the files of another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from diglot.corpus import formats
from diglot.corpus.formats import FORMATS, Format, write_parts
from diglot.corpus.formats.segments import Segments
from diglot.errors import DiglotError, UsageError
from diglot.records import FLAGGED_SCHEMA
from made_segments import filled, made_segment


def fails(_path: Path, _parts: Any) -> list[Path]:
    raise KeyError("target")


def form_of(write: Any, **changes: Any) -> Format:
    own: dict[str, Any] = {"name": "own", "files": ("{src}-{tgt}.own",), "write": write} | changes
    return Format(loads_in="a test", keeps="nothing", **own)


@pytest.fixture
def one_part() -> Segments:
    return Segments(filled(FLAGGED_SCHEMA, made_segment("A cat", "Un chat")), "en", "fr", "recipe|x=1")


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (fails, r"its writer failed: KeyError: 'target' \(test_own_formats\.py, line \d+\)$"),
        (lambda *_: None, r"its writer gives None; a list of paths"),
        (lambda path, _: str(path), r"its writer gives '.*'; a list of paths"),
        (lambda path, _: [path], r"its writer gives \[.*Path.*\]; a list of paths"),
    ],
)
def test_a_writer_that_fails_or_names_no_files_is_told(
    write: Any, said: str, one_part: Segments, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(formats._BY_NAME, "own", form_of(write))
    with pytest.raises(DiglotError, match=f"^format own: {said}"):
        write_parts(tmp_path, lambda: iter([one_part]), "own")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "csv"}, r"^format csv: the name csv is taken by format csv; choose another"),
        ({"files": ("{src}-{tgt}.tmx",)}, r"^format own: the file \{src\}-\{tgt\}\.tmx is taken by format tmx; choose"),
        ({"files": "{src}-{tgt}.own"}, r"^format own: files is '.*'; give \("),
        ({"files": ("{src}-{target}.own",)}, r"^format own: files is .*; give \("),
        ({"files": ()}, r"^format own: files is \(\); give \("),
    ],
)
def test_a_format_with_a_name_or_files_that_cannot_be_used_is_refused(changes: dict[str, Any], said: str) -> None:
    formats._by_name(FORMATS)
    with pytest.raises(UsageError, match=said):
        formats._by_name((*FORMATS, replace(form_of(fails), **changes)))
