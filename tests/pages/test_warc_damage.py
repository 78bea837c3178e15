"""Damage: 300 cuts, 300 flips and edited headers. No partial page, what is intact is kept, all is named."""

from __future__ import annotations

import random
import time
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from made_warcs import drops_of, http, made_site, member, pages_of, read_bytes, record, sha1

from diglot.errors import SourceError
from diglot.pages import byte_feed
from diglot.pages.archive_records import DamagedRecord, read_records
from diglot.pages.record_forms import WARC
from diglot.reasons import Reason

SITE = made_site()
URLS = list(SITE)
RECORDS = [record(http(body), url=url, fields={"WARC-Block-Digest": sha1(http(body))}) for url, body in SITE.items()]
MEMBERS = [member(content) for content in RECORDS]


def offsets(parts: list[bytes]) -> list[int]:
    """Where each part starts, and the end."""
    starts = [0]
    for part in parts:
        starts.append(starts[-1] + len(part))
    return starts


@pytest.mark.parametrize("parts", [MEMBERS, RECORDS], ids=["members", "plain"])
def test_150_cuts(tmp_path: Path, parts: list[bytes]) -> None:
    rng = random.Random(20261121)
    whole, starts = b"".join(parts), offsets(parts)
    for _ in range(150):
        cut = rng.randrange(len(parts[0]), len(whole))
        found = read_bytes(tmp_path, whole[:cut])
        intact = [url for url, end in zip(URLS, starts[1:], strict=True) if end <= cut]
        pages = pages_of(found)
        assert list(pages) == intact
        assert all(pages[url] == SITE[url] for url in pages)
        drops = drops_of(found)
        assert len(drops) == (0 if cut in starts else 1)
        assert all(drop.reason is Reason.CUT_RECORD for drop in drops)


@pytest.mark.parametrize("parts", [MEMBERS, RECORDS], ids=["members", "plain"])
def test_150_flips(tmp_path: Path, parts: list[bytes]) -> None:
    rng = random.Random(20261122)
    whole, starts = b"".join(parts), offsets(parts)
    intact = kept = named = lost = 0
    for _ in range(150):
        at = rng.randrange(len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        hit = max(number for number, start in enumerate(starts[:-1]) if start <= at)
        found = read_bytes(tmp_path, bytes(damaged))
        pages = pages_of(found)
        assert set(pages.values()) <= set(SITE.values())
        others = [url for number, url in enumerate(URLS) if number != hit]
        intact += len(others)
        kept += sum(pages.get(url) == SITE[url] for url in others)
        if SITE[URLS[hit]] not in pages.values():
            lost += 1
            named += bool(drops_of(found))
    assert kept >= 0.99 * intact
    assert named == lost
    assert lost > 100


def test_a_damaged_page_is_named_by_its_address(tmp_path: Path) -> None:
    broken = bytearray(MEMBERS[5])
    broken[-20] ^= 0xFF
    whole = b"".join([*MEMBERS[:5], bytes(broken), *MEMBERS[6:]])
    [drop] = drops_of(read_bytes(tmp_path, whole))
    assert (drop.url, drop.reason) == (URLS[5], Reason.DAMAGED_RECORD)
    assert drop.offset == offsets(MEMBERS)[5]


def test_a_damage_without_address_is_named_by_file_and_offset(tmp_path: Path) -> None:
    whole = b"".join([*MEMBERS[:5], b"rubbish", *MEMBERS[5:]])
    found = read_bytes(tmp_path, whole)
    assert [drop.url for drop in drops_of(found)] == [f"made.warc@{offsets(MEMBERS)[5]}"]
    assert pages_of(found) == SITE


def test_the_first_byte_lost_costs_one_record(tmp_path: Path) -> None:
    for parts in (MEMBERS, RECORDS):
        whole = b"".join(parts)
        found = read_bytes(tmp_path, b"\0" + whole[1:], name="x.warc.gz")
        assert list(pages_of(found)) == URLS[1:]
        assert len(drops_of(found)) == 1


def test_nul_padding_behind_the_last_member_is_no_damage(tmp_path: Path) -> None:
    found = read_bytes(tmp_path, b"".join(MEMBERS) + bytes(512))
    assert pages_of(found) == SITE
    assert drops_of(found) == []


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("ends", [b"", b"\n\n", b"\r\n", b"\r\n" * 4])
def test_line_ends_that_writers_leave_out_or_double(tmp_path: Path, ends: bytes, packed: bool) -> None:
    records = [content.removesuffix(b"\r\n\r\n") + ends for content in RECORDS]
    found = read_bytes(tmp_path, b"".join(map(member, records) if packed else records))
    assert pages_of(found) == SITE
    assert drops_of(found) == []


EDITS = [
    ("Content-Length: {n}", "Content-Length: {less}"),
    ("Content-Length: {n}", "Content-Length: {more}"),
    ("Content-Length: {n}", "Content-Length: {four_more}"),
    ("Content-Length: {n}", "Content-Length: 99999999999"),
    ("Content-Length: {n}", "Content-Length: -5"),
    ("Content-Length: {n}", "Content-Length: many"),
    ("Content-Length: {n}\r\n", ""),
    ("Content-Length: {n}", "Content-Length: {n}\r\nContent-Length: 7"),
    ("WARC-Type: response\r\n", ""),
    ("WARC/1.0\r\n", "WARX/1.0\r\n"),
    ("WARC/1.0\r\n", ""),
    ("WARC-Block-Digest: sha1:", "WARC-Block-Digest: md5:"),
]


@pytest.mark.parametrize("layout", ["members", "one member", "plain"])
@pytest.mark.parametrize("edit", EDITS, ids=[f"{old[:14]}-{new[-12:]}".strip() for old, new in EDITS])
def test_header_edits(tmp_path: Path, layout: str, edit: tuple[str, str]) -> None:
    size = len(http(SITE[URLS[9]]))
    numbers = {"n": size, "less": size - 3, "more": size + 3, "four_more": size + 4}
    old, new = (text.format(**numbers).encode() for text in edit)
    assert old in RECORDS[9]
    edited = [*RECORDS[:9], RECORDS[9].replace(old, new, 1), *RECORDS[10:]]
    whole = b"".join(edited)
    content = {"members": b"".join(map(member, edited)), "one member": member(whole), "plain": whole}[layout]
    found = read_bytes(tmp_path, content)
    pages = pages_of(found)
    others = [url for url in URLS if url != URLS[9]]
    # A record's border is shared: a plain reader may lose the neighbour whose end it cannot see any more.
    neighbour = {URLS[8]} if edit[0].startswith("WARC/") and layout != "members" else set()
    # Nothing can be taken back from one gzip member once a false length has been passed over.
    if "99999999999" in edit[1] and layout == "one member":
        others = URLS[:9]
    assert set(others) - neighbour <= set(pages)
    assert all(SITE[url] == body for url, body in pages.items())
    if URLS[9] not in pages:
        assert drops_of(found)


def test_a_cut_file_of_one_member_keeps_what_came_before(tmp_path: Path) -> None:
    packed = member(b"".join(RECORDS))
    found = read_bytes(tmp_path, packed[: len(packed) // 2])
    pages = pages_of(found)
    assert list(pages) == URLS[: len(pages)]
    assert 8 <= len(pages) <= 16
    assert all(SITE[url] == body for url, body in pages.items())
    assert [drop.reason for drop in drops_of(found)] == [Reason.CUT_RECORD]


def test_a_wrong_checksum_of_one_member_is_told(tmp_path: Path) -> None:
    packed = bytearray(member(b"".join(RECORDS)))
    packed[-6] ^= 1
    found = read_bytes(tmp_path, bytes(packed))
    assert len(pages_of(found)) == len(SITE) - 1
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [(URLS[-1], Reason.DAMAGED_RECORD)]


def test_nothing_but_rubbish_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="neither WARC nor"):
        read_bytes(tmp_path, bytes(range(256)) * 10)


def test_false_beginnings_by_the_thousand_are_passed_in_time(tmp_path: Path) -> None:
    # A gzip header whose file name never ends, and record headers that never do: quadratic if searched to the end.
    for rubbish, end in ((b"\x1f\x8b\x08\x08ab", MEMBERS[0]), (b"\nWARC/1.0\nx", b"\n" + RECORDS[0])):
        content = rubbish * 20_000 + end
        start = time.process_time()
        assert list(pages_of(read_bytes(tmp_path, content))) == URLS[:1]
        assert time.process_time() - start < 5


def test_an_endless_member_is_given_up_and_the_next_one_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_feed, "BOMB_MIN_BYTES", 1 << 20)
    bomb = record(bytes(8 << 20), url="http://a.example/bomb").replace(b"Length: 8388608", b"Length: 99999999999")
    found = read_bytes(tmp_path, member(bomb) + MEMBERS[0], max_page_bytes=1 << 20)
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [("http://a.example/bomb", Reason.TOO_LARGE)]
    assert list(pages_of(found)) == URLS[:1]


GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def stored_block(content: bytes, *, says: int = 0, last: bool = False) -> bytes:
    """A block of deflate that is not packed; ``says`` more bytes than it has to swallow what follows it."""
    length = says or len(content)
    return bytes([last]) + length.to_bytes(2, "little") + (length ^ 0xFFFF).to_bytes(2, "little") + content


def overlapping_members(size: int) -> bytes:
    """Gzip members that each open a record and go on through all the members behind them."""
    one = GZIP_HEADER + stored_block(b"WARC/1.0\r\n") + stored_block(b"", says=0xFFFF)
    return one * (size // len(one))


def members_before_filling(count: int) -> bytes:
    """Members that share one tail of 64 MB of filling, packed into 64 kB."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    filling = packer.compress(bytes(64 << 20)) + packer.flush()
    opening = stored_block(b"WARC/1.0\r\n")
    starts = b"".join(GZIP_HEADER + opening + stored_block(b"", says=(count - n) * 30 - 30) for n in range(count))
    return starts + filling


@pytest.mark.parametrize(
    ("make", "size"), [(overlapping_members, 300_000), (members_before_filling, 500)], ids=["swallowed", "filled"]
)
def test_members_that_overlap_cost_no_more_than_the_size_of_the_file(make: Callable[[int], bytes], size: int) -> None:
    made = make(size)
    started = time.process_time()
    found = list(read_records(made, WARC, max_block_bytes=10 << 20))
    assert time.process_time() - started < 3
    assert len(found) < 100
    assert all(isinstance(record, DamagedRecord) for record in found)
    assert any("overlap" in record.detail for record in found if isinstance(record, DamagedRecord))


def test_pages_before_and_behind_overlapping_members_are_read(tmp_path: Path) -> None:
    content = b"".join(MEMBERS[:5]) + overlapping_members(300_000) + bytes(0xFFFF) + b"".join(MEMBERS[5:])
    found = read_bytes(tmp_path, content)
    assert pages_of(found) == SITE
    assert len(drops_of(found)) < 100


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "one member"])
def test_records_that_claim_all_that_follows_cost_no_more_than_the_file(packed: bool) -> None:
    claims = b"WARC/1.0\r\nContent-Length: 4000000\r\n\r\n"
    content = claims * 80_000  # 125 GB, were each block read as it is claimed
    started = time.process_time()
    found = list(read_records(member(content) if packed else content, WARC, max_block_bytes=10 << 20))
    assert len(found) == 80_000
    assert time.process_time() - started < 8
