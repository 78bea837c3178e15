"""A cut archive is named in the notes of its run: the pages that followed are missing."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from diglot.harvesting import harvest
from diglot.merging import merge
from diglot.outputs.run_text import funnel_text
from made_website import HOST, website
from pages.made_warcs import http, member, record
from slow_cases import slow_but

RECORDS = [record(http(body), url=f"{HOST}/{name}") for name, body in website().items() if body]
PACKED = list(map(member, RECORDS))
BROKEN = PACKED[-3][:40] + bytes(20) + PACKED[-3][60:]
LONGER = RECORDS[-3].replace(b"Content-Length: ", b"Content-Length: 9999", 1)
FILES = {
    "gzip": (b"".join(PACKED)[:-30], True),
    "plain": (b"".join(RECORDS)[:-30], True),
    "request": (b"".join(PACKED) + member(record(b"GET / HTTP/1.1", kind="request"))[:-20], True),
    "whole": (b"".join(PACKED), False),
    "broken inside": (b"".join([*PACKED[:-3], BROKEN, *PACKED[-2:]]), False),
    "too long inside": (b"".join([*RECORDS[:-3], LONGER, *RECORDS[-2:]]), False),
}


@pytest.mark.parametrize("kind", slow_but(["gzip", "whole", "broken inside"], FILES))
def test_a_note_names_a_cut_archive(kind: str, tmp_path: Path) -> None:
    content, is_cut = FILES[kind]
    name = "site.warc.gz" if content.startswith(gzip.compress(b"", mtime=0)[:2]) else "site.warc"
    (tmp_path / name).write_bytes(content)
    run = harvest(tmp_path / name, "en,fr", tmp_path / "run", jobs=1)
    notes = [note for note in run.summary()["notes"] if note.startswith(f"cut before the end: {name}. The pages")]
    assert len(notes) == is_cut
    dropped = run.summary()["dropped"]
    assert dropped.get("cut_record", 0) == (is_cut or kind == "too long inside")
    assert dropped.get("damaged_record", 0) == (kind == "broken inside")
    assert ("note      cut before" in funnel_text(run.summary())) == is_cut


def test_a_merge_says_which_run_had_a_cut_archive(tmp_path: Path) -> None:
    for name, content in (("one", b"".join(PACKED)), ("two", b"".join(PACKED)[:-30])):
        (tmp_path / f"{name}.warc.gz").write_bytes(content)
        harvest(tmp_path / f"{name}.warc.gz", "en,fr", tmp_path / name, jobs=1)
    notes = merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both").summary()["notes"]
    assert [note.partition(".")[0] for note in notes] == ["two: cut before the end: two"]
    # The file was fetched again.
    (tmp_path / "two.warc.gz").write_bytes(b"".join(PACKED))
    whole = harvest(tmp_path / "two.warc.gz", "en,fr", tmp_path / "two", jobs=1, overwrite=True)
    assert whole.summary()["notes"] == []
    assert merge([tmp_path / "one", tmp_path / "two"], tmp_path / "both").summary()["notes"] == []
