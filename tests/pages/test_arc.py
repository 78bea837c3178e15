"""ARC files of both versions give the pages that WARC files of the same records give, damaged ones what is whole."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from pathlib import Path

import pytest
from made_containers import arc_record, arc_records
from made_warcs import drops_of, http, made_site, member, pages_of, read_bytes, record
from warcio.archiveiterator import ArchiveIterator

from diglot.pages import Kind, open_sources
from diglot.reasons import Reason
from diglot.records import Drop, Page

SITE = made_site()
URLS = list(SITE)


def without_place(found: list[Page | Drop]) -> list[Page | Drop]:
    return [replace(item, source="", offset=0) for item in found]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("packed", ["plain", "members", "one member"])
def test_same_pages_as_of_warc(tmp_path: Path, version: int, packed: str) -> None:
    others = {"http://a.example/i": "image/gif", "http://a.example/moved": ""}
    warc = [record(http(body), url=url) for url, body in SITE.items()]
    arc = arc_records(SITE, version=version)
    image = http(b"GIF89a", fields={"Content-Type": "image/gif"})
    moved = http(b"", status="301 Moved", fields={"Location": "/"})
    for url, block in zip(others, (image, moved), strict=True):
        warc.append(record(block, url=url))
        arc.append(arc_record(url, block, version=version))
    expected = read_bytes(tmp_path, b"".join(warc))
    content = b"".join(map(member, arc)) if packed == "members" else b"".join(arc)
    content = gzip.compress(content) if packed == "one member" else content
    found = read_bytes(tmp_path, content, name="no-name")
    assert without_place(found) == without_place(expected)
    assert len(pages_of(found)) == len(SITE)
    assert open_sources([str(tmp_path / "no-name")])[0].kind == Kind.ARC


def test_another_reader_finds_the_same(tmp_path: Path) -> None:
    path = tmp_path / "made.arc.gz"  # of version 1, the only one that warcio knows
    path.write_bytes(b"".join(map(member, arc_records(SITE))))
    with path.open("rb") as file:
        theirs = {
            each.rec_headers["uri"]: (each.content_stream().read(), each.rec_headers["archive-date"])
            for each in ArchiveIterator(file)
            if each.http_headers is not None
        }
    ours = {item.url: (item.body, item.fetched) for item in read_bytes(tmp_path, path.read_bytes(), name="x.arc.gz")}
    assert {url: body for url, (body, _) in ours.items()} == {url: body for url, (body, _) in theirs.items()}
    assert {fetched for _, fetched in ours.values()} == {"2024-06-01T12:00:00Z"}
    assert {date for _, date in theirs.values()} == {"20240601120000"}


def test_a_block_without_http_is_what_its_line_says(tmp_path: Path) -> None:
    page = b"<html><body><p>old</p></body></html>"
    content = b"".join(
        [
            *arc_records({}),
            arc_record("http://a.example/old page.html", page),
            arc_record("dns:a.example", b"192.0.2.1\n", kind=b"text/dns"),
        ]
    )
    found = read_bytes(tmp_path, content)
    assert pages_of(found) == {"http://a.example/old%20page.html": page}
    assert [drop.reason for drop in drops_of(found)] == [Reason.NOT_HTML]


@pytest.mark.parametrize("between", [b"", b"\r\n", b"\n\n"])
def test_line_ends_that_writers_leave_out_or_double(tmp_path: Path, between: bytes) -> None:
    records = [content[:-1] for content in arc_records(SITE)]
    assert pages_of(read_bytes(tmp_path, between.join(records) + between)) == SITE


@pytest.mark.parametrize("packed", [True, False], ids=["members", "plain"])
def test_100_cuts(tmp_path: Path, packed: bool) -> None:
    rng = random.Random(3)
    parts = [member(part) if packed else part for part in arc_records(SITE)]
    ends = [sum(map(len, parts[: number + 1])) for number in range(len(parts))]
    for _ in range(100):
        cut = rng.randrange(ends[0], ends[-1])
        found = read_bytes(tmp_path, b"".join(parts)[:cut])
        # The last byte of a plain record is its line end, without which it is whole all the same.
        whole = [url for url, end in zip(URLS, ends[1:], strict=True) if end <= cut + (not packed)]
        assert list(pages_of(found)) == whole
        assert all(pages_of(found)[url] == SITE[url] for url in whole)
        at_end = cut in ends or (not packed and cut + 1 in ends)
        assert len(drops_of(found)) == (0 if at_end else 1)


@pytest.mark.parametrize("packed", [True, False], ids=["members", "plain"])
def test_a_broken_record_costs_itself_alone(tmp_path: Path, packed: bool) -> None:
    parts = [member(part) if packed else part for part in arc_records(SITE)]
    parts[5] = parts[5].replace(b" 192.0.2.1 ", b" 192.0.2 x ") if not packed else parts[5][:-9] + b"123456789"
    found = read_bytes(tmp_path, b"".join(parts))
    assert list(pages_of(found)) == [*URLS[:4], *URLS[5:]]
    [drop] = drops_of(found)
    assert drop.reason == Reason.DAMAGED_RECORD
    assert drop.offset == sum(map(len, parts[:5]))


def test_a_damaged_start_is_passed_by_its_name(tmp_path: Path) -> None:
    parts = arc_records(SITE)
    found = read_bytes(tmp_path, b"\0" * 50 + b"".join(parts[:3])[50:] + b"".join(parts[3:]), name="made.arc")
    assert set(URLS[1:]) <= set(pages_of(found))
    assert drops_of(found)


def test_a_wrong_length_gives_no_partial_page(tmp_path: Path) -> None:
    parts = arc_records(SITE)
    line, _, rest = parts[3].partition(b"\n")
    for wrong in (-7, 5):
        length = int(line.rpartition(b" ")[2]) + wrong
        changed = b"%s %d\n%s" % (line.rpartition(b" ")[0], length, rest)
        found = read_bytes(tmp_path, b"".join([*parts[:3], changed, *parts[4:]]))
        assert pages_of(found) == {url: body for url, body in SITE.items() if url != URLS[2]}
        assert [drop.url for drop in drops_of(found)] == [URLS[2]]
