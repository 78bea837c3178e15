"""Pages by an index: those of the archive, from its ranges alone, and every line and range that is wrong counted."""

from __future__ import annotations

import gzip
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_archive import Kept, files_of, line_of, made_records, write_archive
from made_containers import arc_record, frame, passed_over, trained
from made_warcs import drops_of, http, made_site, member, pages_of, record
from warcio.archiveiterator import ArchiveIterator

from diglot.disk.store import Store
from diglot.errors import SourceError
from diglot.pages import Kind, open_source, open_sources, read
from diglot.pages.byte_feed import READ_BYTES
from diglot.pages.cdxj import LONGEST_LINE_BYTES
from diglot.reasons import Reason
from diglot.records import Drop, Page

SAMPLE = Path(__file__).parents[2] / "examples" / "sample" / "pages.warc.gz"
BODY = b"<html><body><p>text</p></body></html>"
PAGE = record(http(BODY))


def read_all(*specs: str | Path, **options: object) -> list[Page | Drop]:
    return [found for source in open_sources(list(map(str, specs)), **options) for found in read(source)]  # type: ignore[arg-type]


@pytest.mark.parametrize("packed", [True, False])
def test_an_index_gives_what_the_files_give(tmp_path: Path, packed: bool) -> None:
    index = write_archive(tmp_path, made_records(packed=packed))
    whole = read_all(*sorted(tmp_path.glob("*.warc*")))
    by_index = read_all(index)
    assert [found for found in by_index if isinstance(found, Page)] == [
        found for found in whole if isinstance(found, Page)
    ]
    assert Counter(drop.reason for drop in drops_of(by_index)) == Counter(drop.reason for drop in drops_of(whole))
    assert {drop.url for drop in drops_of(by_index)} == {drop.url for drop in drops_of(whole)}


def test_the_sample_by_an_index_that_another_reader_made(tmp_path: Path) -> None:
    lines = []
    with SAMPLE.open("rb") as file:
        archive = ArchiveIterator(file)
        for each in archive:
            if each.rec_type == "response":
                told = {"url": each.rec_headers["WARC-Target-URI"], "status": each.http_headers.get_statuscode()}
                archive.read_to_end()
                offset, length = archive.get_record_offset(), archive.get_record_length()
                told |= {"offset": str(offset), "length": str(length), "filename": SAMPLE.name}
                lines.append(line_of(told))
    (tmp_path / "sample.cdxj.gz").write_bytes(gzip.compress(b"".join(sorted(lines))))
    by_index = read_all(tmp_path / "sample.cdxj.gz", warc_prefix=str(SAMPLE.parent))
    pages = [found for found in read_all(SAMPLE) if isinstance(found, Page)]
    assert len(pages) == 97
    assert [found for found in by_index if isinstance(found, Page)] == pages


@pytest.mark.parametrize("host", ["a.example", "B.example", "www.b.example"])
def test_nothing_is_read_but_the_ranges_of_the_host(tmp_path: Path, host: str) -> None:
    kept = made_records()
    index = write_archive(tmp_path, kept)
    chosen = [each for each in kept if each.told and f"{host.lower()}/" in each.told["url"]]
    wanted = [found for found in read_all(index) if f"{host.lower()}/" in found.url]
    spoilt = [each if each in chosen else each._replace(content=b"\0" * len(each.content)) for each in kept]
    for name, content in files_of(spoilt)[0].items():
        (tmp_path / name).write_bytes(content)
    found = read_all(index, hosts=[host])
    assert found == wanted
    assert len(pages_of(found)) == 8


def test_a_host_is_no_part_of_a_name(tmp_path: Path) -> None:
    index = write_archive(tmp_path, made_records())
    assert read_all(index, hosts=["example.a", "xample"]) == []
    assert len(pages_of(read_all(index, hosts=["example"]))) == 24


def test_a_host_of_other_letters(tmp_path: Path) -> None:
    content = member(record(http(BODY), url="http://www.bücher.example/"))
    kept = [*made_records(3), Kept("a.warc.gz", content, {"url": "http://www.XN--BCHER-KVA.example/"})]
    (page,) = read_all(write_archive(tmp_path, kept), hosts=["Bücher.example."])
    assert isinstance(page, Page)


TOLD = {"url": "http://a.example/", "filename": "a.warc.gz", "offset": "0", "length": str(len(member(PAGE)))}


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        (b"no line of an index at all\n", Reason.MALFORMED_LINE, "line 1"),
        (b"example,a)/ 2024 {\n", Reason.MALFORMED_LINE, "line 1"),
        (b"example,a)/ 2024 []\n", Reason.MALFORMED_LINE, "not KEY TIME"),
        (b"example,a)/ 2024 " + b'{"a":' * 100_000 + b"\n", Reason.MALFORMED_LINE, "line 1"),
        (b"example,a)/ 2024 \xff{}\n", Reason.MALFORMED_LINE, "line 1"),
        (line_of({**TOLD, "offset": "-1"}), Reason.MALFORMED_LINE, "offset"),
        (line_of({**TOLD, "length": "9" * 30}), Reason.MALFORMED_LINE, "length"),
        (line_of({**TOLD, "filename": ""}), Reason.MALFORMED_LINE, "filename"),
        (line_of({**TOLD, "filename": "none.warc.gz"}), Reason.UNREADABLE_FILE, "none.warc.gz: not there"),
        (line_of({**TOLD, "filename": "../a.warc.gz"}), Reason.UNREADABLE_FILE, "no name of a file"),
        (line_of({**TOLD, "filename": "/etc/hostname"}), Reason.UNREADABLE_FILE, "no name of a file"),
        (line_of({**TOLD, "filename": "folder"}), Reason.UNREADABLE_FILE, "folder"),
        (line_of({**TOLD, "filename": "pipe"}), Reason.UNREADABLE_FILE, "pipe"),
        (line_of({**TOLD, "offset": "999999"}), Reason.DAMAGED_RECORD, "the file ends"),
        (line_of({**TOLD, "offset": "7"}), Reason.DAMAGED_RECORD, "the file ends"),
        (line_of({**TOLD, "offset": "7", "length": "20"}), Reason.DAMAGED_RECORD, "no WARC record"),
        (line_of({**TOLD, "length": "150"}), Reason.CUT_RECORD, "cut"),
        (line_of({**TOLD, "length": "0"}), Reason.DAMAGED_RECORD, "no record"),
        (line_of({**TOLD, "length": "99999999999"}), Reason.TOO_LARGE, "99999999999"),
        (line_of({**TOLD, "filename": "asked.warc.gz"}), Reason.NOT_HTML, "request record, no page"),
        (line_of({**TOLD, "filename": "other.warc.gz"}), Reason.DAMAGED_RECORD, "is of http://b.example/: the index"),
        (line_of({**TOLD, "status": "404"}), Reason.HTTP_STATUS, "404"),
        (line_of({**TOLD, "mime": "application/rtf"}), Reason.NOT_HTML, "rtf"),
    ],
)
def test_what_is_wrong_is_counted(tmp_path: Path, line: bytes, reason: Reason, detail: str) -> None:
    folder = tmp_path / "archive"
    (folder / "folder").mkdir(parents=True)
    (folder / "a.warc.gz").write_bytes(member(PAGE))
    asked = member(record(b"GET /" + b" " * 20 + b"HTTP/1.1\r\n\r\n", kind="request"))
    (folder / "asked.warc.gz").write_bytes(asked.ljust(len(member(PAGE)), b"\0"))
    (folder / "other.warc.gz").write_bytes(member(record(http(BODY), url="http://b.example/")))
    (tmp_path / "a.warc.gz").write_bytes(member(PAGE))
    os.mkfifo(folder / "pipe")
    (folder / "index.cdxj").write_bytes(line + line_of(TOLD))
    source = open_source(str(folder / "index.cdxj"))
    source.fingerprint()
    found = list(read(source))
    assert len(pages_of(found)) == 1
    (drop,) = drops_of(found)
    assert drop.reason is reason
    assert detail in drop.detail
    if b'"url"' in line:
        assert drop.url == TOLD["url"]


@pytest.mark.parametrize("more", [1, 10 * READ_BYTES + 999])
def test_a_line_that_is_too_long_is_one_malformed_line(tmp_path: Path, more: int) -> None:
    (tmp_path / "a.warc.gz").write_bytes(member(PAGE))
    room = LONGEST_LINE_BYTES - len(line_of({"pad": "", **TOLD}).rstrip(b"\n"))
    longest, too_long = (line_of({"pad": "x" * size, **TOLD}) for size in (room, room + more))
    (tmp_path / "index.cdxj").write_bytes(too_long + longest)
    drop, page = sorted(read_all(tmp_path / "index.cdxj"), key=lambda found: isinstance(found, Page))
    assert isinstance(page, Page)
    assert isinstance(drop, Drop)
    assert (drop.reason, drop.offset) == (Reason.MALFORMED_LINE, 1)
    assert drop.detail == f"line 1: more than {LONGEST_LINE_BYTES} bytes"


def test_marks_and_types_that_are_not_known_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(member(PAGE))
    for told in ({}, {"status": "-", "mime": "-"}, {"status": "", "mime": "unk"}):
        (tmp_path / "index.cdxj").write_bytes(b"!OpenWayback-CDXJ 1.0\n\n" + line_of({**TOLD, **told}) * 2)
        (page,) = read_all(tmp_path / "index.cdxj")
        assert isinstance(page, Page)


@pytest.mark.parametrize("form", ["arc", "zst"])
def test_records_of_arc_files_and_of_zstd_with_a_dictionary(tmp_path: Path, form: str) -> None:
    site = made_site()
    dictionary = trained([record(http(body)) for body in site.values()])
    first = passed_over(dictionary.dict_content) if form == "zst" else b""
    records = [
        arc_record(url, http(body)) if form == "arc" else frame(record(http(body), url=url), dictionary)
        for url, body in site.items()
    ]
    (tmp_path / f"a.warc.{form}").write_bytes(first + b"".join(records))
    starts = [len(first) + sum(map(len, records[:number])) for number in range(len(records))]
    lines = [
        line_of({"url": url, "filename": f"a.warc.{form}", "offset": str(start), "length": str(len(content))})
        for url, start, content in zip(site, starts, records, strict=True)
    ]
    (tmp_path / "index.cdxj").write_bytes(b"".join(lines))
    found = read_all(tmp_path / "index.cdxj")
    assert pages_of(found) == site
    assert [page.offset for page in found] == starts


def test_numbers_may_be_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(member(PAGE))
    told = {**TOLD, "offset": 0, "length": len(member(PAGE)), "status": 200}
    (tmp_path / "index").write_text(f"example,a)/ 20240601120000 {json.dumps(told)}\n")
    source = open_source(str(tmp_path / "index"))
    assert source.kind is Kind.CDXJ
    assert isinstance(next(read(source)), Page)


def test_an_index_that_is_cut_gives_what_is_there(tmp_path: Path) -> None:
    kept = made_records()
    write_archive(tmp_path, kept)
    half = [files_of(kept)[1][:4000], files_of(kept)[1][4000:]]
    packed = gzip.compress(half[0]) + gzip.compress(half[1])
    (tmp_path / "cut.cdxj.gz").write_bytes(packed[:-40])
    (tmp_path / "whole.cdxj.gz").write_bytes(packed)
    assert read_all(tmp_path / "whole.cdxj.gz") == read_all(tmp_path / "index.cdxj")
    found = read_all(tmp_path / "cut.cdxj.gz")
    assert {drop.url for drop in drops_of(found)} - {drop.url for drop in drops_of(read_all(tmp_path / "index.cdxj"))}
    assert 4 < len(pages_of(found)) < 24


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"\n", line_of(TOLD), line_of(TOLD)[:90], b" 2024 {"])))
def test_no_index_makes_an_error(tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]) -> None:
    folder = tmp_path_factory.mktemp("odd")
    (folder / "a.warc.gz").write_bytes(member(PAGE))
    (folder / "index.cdxj").write_bytes(b"\n" + b"".join(pieces))
    for found in read_all(folder / "index.cdxj"):
        assert isinstance(found, Drop) or found.body == BODY


def test_fingerprints_follow_the_files_of_the_hosts(tmp_path: Path) -> None:
    def fingerprint(*hosts: str) -> str:
        return open_source(str(index), hosts=hosts).fingerprint()

    kept = [each._replace(file=f"{each.told.get('url', '')[7:8]}.warc.gz") for each in made_records() if each.told]
    index = write_archive(tmp_path, kept)
    before, of_a, of_c = fingerprint(), fingerprint("a.example"), fingerprint("c.example")
    assert len({before, of_a, of_c}) == 3
    assert fingerprint() == before
    (tmp_path / "c.warc.gz").unlink()
    assert fingerprint() != before
    assert fingerprint("a.example") == of_a
    assert fingerprint("c.example") != of_c


@pytest.mark.parametrize("host", ["", "http://a.example/", "a.example:80", "a b", "\u0301\u0301"])
def test_hosts_that_are_none(tmp_path: Path, host: str) -> None:
    index = write_archive(tmp_path, made_records(2))
    with pytest.raises(SourceError, match="hosts="):
        open_source(str(index), hosts=[host])


@pytest.mark.parametrize("option", [{"hosts": ["a.example"]}, {"warc_prefix": "elsewhere"}])
def test_options_of_an_index_without_one(tmp_path: Path, option: dict[str, object]) -> None:
    write_archive(tmp_path, made_records(2))
    with pytest.raises(SourceError, match="no source is one: leave it out"):
        open_sources([str(tmp_path / "0.warc.gz")], **option)  # type: ignore[arg-type]


def test_ranges_of_an_object_store(s3_shelf: str, tmp_path: Path) -> None:
    kept: list[Kept] = made_records(90)
    index = write_archive(tmp_path, kept)
    shelf, _, options = s3_shelf.partition("?")
    store = Store.at(f"{shelf}/crawl%20data?{options}")
    for path in tmp_path.iterdir():
        store.put_file(path, path.name)
    wanted = read_all(index)
    assert read_all(index, warc_prefix=store.uri) == wanted
    assert read_all(f"{shelf}/crawl%20data/index.cdxj?{options}") == wanted
    before = open_source(str(index), warc_prefix=store.uri).fingerprint()
    store.delete("1.warc.gz")
    assert open_source(str(index), warc_prefix=store.uri).fingerprint() != before
    lost = drops_of(read_all(index, warc_prefix=store.uri))
    assert sum(drop.reason is Reason.UNREADABLE_FILE for drop in lost) == 45


def test_a_store_that_cannot_be_reached_stops_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diglot.disk.store.TRIES", 1)
    index = write_archive(tmp_path, made_records(2))
    nowhere = "s3://shelf/p?region=us-east-1&scheme=http&anonymous=true&endpoint_override=127.0.0.1:9"
    source = open_source(str(index), warc_prefix=nowhere)
    with pytest.raises(SourceError, match="cannot be reached"):
        source.fingerprint()
    with pytest.raises(SourceError, match="cannot be reached"):
        list(read(source))
