"""WACZ files give the pages of the archives in them; ZIPs that are none, or made to harm, are refused or counted."""

from __future__ import annotations

import random
import struct
import tempfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from made_containers import arc_records, frame, wacz, zipped
from made_warcs import drops_of, http, made_site, member, pages_of, read_bytes, record

from diglot.errors import SourceError
from diglot.pages import Kind, byte_feed, open_sources, read
from diglot.reasons import Reason
from diglot.records import Drop, Page

SITE = made_site()
URLS = list(SITE)
RECORDS = [record(http(body), url=url) for url, body in SITE.items()]
FIRST = b"".join(map(member, RECORDS[:9]))
SECOND = b"".join(map(member, RECORDS[9:]))
TWO = {"data-1.warc.gz": SECOND, "data-0.warc.gz": FIRST}


def read_wacz(folder: Path, content: bytes, *, name: str = "made.wacz") -> list[Page | Drop]:
    return read_bytes(folder, content, name=name)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_same_pages_as_of_the_bare_files_in_the_order_of_their_names(tmp_path: Path, method: int) -> None:
    bare: list[Page | Drop] = []
    for name, content in sorted(TWO.items()):
        (tmp_path / name).write_bytes(content)
        bare += read(open_sources([str(tmp_path / name)])[0])
    found = read_wacz(tmp_path, wacz(TWO, method), name="no-name")
    assert open_sources([str(tmp_path / "no-name")])[0].kind == Kind.WACZ
    assert [replace(item, source=item.source.removeprefix("no-name/archive/")) for item in found] == bare
    assert list(pages_of(found)) == URLS


def test_folders_within_and_every_kind_of_archive(tmp_path: Path) -> None:
    arc = {url: SITE[url] for url in URLS[16:]}
    kinds = {
        "c/2.arc.gz": b"".join(map(member, arc_records(arc))),
        "a/0.warc": b"".join(RECORDS[:4]),
        "a/b/1.warc.zst": b"".join(map(frame, RECORDS[4:16])),
    }
    found = read_wacz(tmp_path, wacz(kinds))
    assert pages_of(found) == SITE
    assert {item.source for item in found} == {f"made.wacz/archive/{name}" for name in kinds}


def test_a_zip_of_several_is_read_and_of_more_levels_counted(tmp_path: Path) -> None:
    inner = {"b.wacz": wacz({"x.warc.gz": SECOND}), "a.wacz": wacz({"x.warc.gz": FIRST}), "datapackage.json": b"{}"}
    found = read_wacz(tmp_path, zipped(inner), name="several.zip")
    assert list(pages_of(found)) == URLS
    assert found[0].source == "several.zip/a.wacz/archive/x.warc.gz"
    deep = zipped({"d.wacz": zipped({"c.wacz": zipped(inner)})})
    found = read_wacz(tmp_path, deep, name="deep.zip")
    assert not pages_of(found)
    assert [drop.reason for drop in drops_of(found)] == [Reason.UNREADABLE_FILE] * 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (wacz(TWO)[:-40], "cut or damaged"),
        (wacz(TWO)[: len(FIRST)], "cut or damaged"),
        (zipped({"archive/readme.txt": b"x", "a.warc.gz": FIRST}), "no WARC file in its folder archive/"),
        (zipped({}), "no WARC file in its folder archive/"),
    ],
)
def test_zips_that_are_no_wacz_are_said_in_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message) as refused:
        read_wacz(tmp_path, content)
    assert "\n" not in str(refused.value)
    assert "made.wacz" in str(refused.value)


def _patched(content: bytes, name: str, *, at: int, local_at: int | None, value: bytes) -> bytes:
    """With a field of a member changed in the directory and, with ``local_at``, where the member lies."""
    changed = bytearray(content)
    here = content.rindex(name.encode()) - 46
    changed[here + at : here + at + len(value)] = value
    if local_at is not None:
        there = content.index(name.encode()) - 30
        changed[there + local_at : there + local_at + len(value)] = value
    return bytes(changed)


@pytest.mark.parametrize(
    "name", ["archive/../../../out.warc.gz", "archive//etc/out.warc.gz", "archive/..\\..\\out.warc.gz"]
)
def test_nothing_is_written_where_a_member_says(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "a" / "b" / "c"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    (place / "site.wacz").write_bytes(zipped({name: FIRST}, zipfile.ZIP_DEFLATED))
    found = list(read(open_sources(["site.wacz"])[0]))
    assert list(pages_of(found)) == list(pages_of(read_bytes(tmp_path, FIRST, name="first.warc.gz")))
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path / "first.warc.gz", place / "site.wacz"}
    assert not Path("/etc/out.warc.gz").exists()


def test_an_encrypted_member_is_counted_and_the_others_read(tmp_path: Path) -> None:
    content = _patched(wacz(TWO), "archive/data-0.warc.gz", at=8, local_at=6, value=b"\1\0")
    found = read_wacz(tmp_path, content)
    assert list(pages_of(found)) == URLS[9:]
    assert [(drop.url, drop.reason, drop.detail) for drop in drops_of(found)] == [
        ("made.wacz/archive/data-0.warc.gz", Reason.UNREADABLE_FILE, "it is encrypted")
    ]


def test_an_unknown_packing_is_counted_and_the_others_read(tmp_path: Path) -> None:
    content = _patched(wacz(TWO), "archive/data-0.warc.gz", at=10, local_at=8, value=b"\x0e\0")
    found = read_wacz(tmp_path, content)
    assert list(pages_of(found)) == URLS[9:]
    assert [drop.reason for drop in drops_of(found)] == [Reason.UNREADABLE_FILE]


def test_members_laid_over_one_another_are_not_read_again_and_again(tmp_path: Path) -> None:
    content = wacz({f"{number:03}.warc.gz": FIRST for number in range(3)})
    for number in (1, 2):
        content = _patched(content, f"archive/{number:03}.warc.gz", at=42, local_at=None, value=_where(content, 0))
    found = read_wacz(tmp_path, content)
    assert not pages_of(found)
    assert [drop.reason for drop in drops_of(found)] == [Reason.DAMAGED_RECORD] * 3


def _where(content: bytes, number: int) -> bytes:
    at = content.index(f"archive/{number:03}".encode()) - 30
    return struct.pack("<I", at)


def test_a_bomb_is_counted_before_it_fills_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_feed, "BOMB_MIN_BYTES", 1 << 20)
    bomb = zipped({"archive/0.warc": bytes(200 << 20), "archive/1.warc.gz": SECOND}, zipfile.ZIP_DEFLATED)
    found = read_wacz(tmp_path, bomb)
    assert list(pages_of(found)) == URLS[9:]
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [("made.wacz/archive/0.warc", Reason.TOO_LARGE)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Path("/dev/full").open("wb", buffering=0)  # noqa: SIM115  closed by the reader
    monkeypatch.setattr("tempfile.TemporaryFile", lambda **_: full)
    with pytest.raises(SourceError, match=r"made\.wacz/archive/0\.warc: no room.*No space left.*TMPDIR"):
        read_wacz(tmp_path, zipped({"archive/0.warc": FIRST}, zipfile.ZIP_DEFLATED))


def test_files_that_inflate_within_the_bound_do_not_pass_it_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(byte_feed, "BOMB_MIN_BYTES", 8 << 20)
    filling = {f"archive/{number}.warc": bytes(7 << 20) for number in range(9)}
    found = read_wacz(tmp_path, zipped({"in.wacz": zipped(filling, zipfile.ZIP_DEFLATED)}, zipfile.ZIP_DEFLATED))
    assert [drop.reason for drop in drops_of(found)].count(Reason.TOO_LARGE) >= 7
    assert not pages_of(found)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_100_flips_are_read_counted_or_refused(tmp_path: Path, method: int) -> None:
    rng = random.Random(11)
    whole = wacz(TWO, method)
    for _ in range(100):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] ^= 1 << rng.randrange(8)
        try:
            found = read_wacz(tmp_path, bytes(damaged))
        except SourceError:
            continue
        assert set(pages_of(found).values()) <= set(SITE.values())
        assert len(pages_of(found)) == len(SITE) or drops_of(found)


def test_fingerprint_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "a.wacz").write_bytes(wacz(TWO))
    (tmp_path / "b.wacz").write_bytes(wacz({"data-0.warc.gz": FIRST}))
    first, second = open_sources([str(tmp_path / "a.wacz"), str(tmp_path / "b.wacz")])
    assert first.fingerprint() != second.fingerprint()
    assert first.size_bytes() == len(wacz(TWO))
