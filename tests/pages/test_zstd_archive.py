"""WARC files in zstd frames, with the dictionary that they may begin with, give the pages that they do unpacked."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from made_containers import frame, passed_over, trained, zstd
from made_warcs import drops_of, http, made_site, pages_of, read_bytes, record, sha1

from diglot.errors import SourceError
from diglot.pages import byte_feed, packing
from diglot.reasons import Reason

SITE = made_site()
URLS = list(SITE)
RECORDS = [record(http(body), url=url, fields={"WARC-Block-Digest": sha1(http(body))}) for url, body in SITE.items()]
DICTIONARY = trained(RECORDS)
WITH_IT = [frame(content, DICTIONARY) for content in RECORDS]
FRAMES = [frame(content) for content in RECORDS]

LAYOUTS = {
    "a frame a record": b"".join(FRAMES),
    "one frame": frame(b"".join(RECORDS)),
    "no checksum, no length": b"".join(
        zstd.ZstdCompressor().compress(content, zstd.ZstdCompressor.FLUSH_FRAME) for content in RECORDS
    ),
    "dictionary": passed_over(DICTIONARY.dict_content) + b"".join(WITH_IT),
    "packed dictionary": passed_over(frame(DICTIONARY.dict_content)) + b"".join(WITH_IT),
    "frames of others between": b"".join(one + passed_over(b"x" * 40, nibble=3) for one in FRAMES),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_same_pages_as_unpacked(tmp_path: Path, layout: str) -> None:
    found = read_bytes(tmp_path, LAYOUTS[layout], name="a.warc.zst")
    assert pages_of(found) == SITE
    assert not drops_of(found)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs zstd's own program")
def test_what_its_own_program_writes(tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(b"".join(RECORDS))
    subprocess.run(["zstd", "-q", "-19", "--long=27", tmp_path / "a.warc"], check=True)
    assert pages_of(read_bytes(tmp_path, (tmp_path / "a.warc.zst").read_bytes())) == SITE


@pytest.mark.parametrize("parts", [FRAMES, WITH_IT], ids=["plain", "dictionary"])
def test_100_cuts_and_100_flips(tmp_path: Path, parts: list[bytes]) -> None:
    rng = random.Random(5)
    first = passed_over(DICTIONARY.dict_content) if parts is WITH_IT else b""
    whole = first + b"".join(parts)
    ends = [len(first) + sum(map(len, parts[: number + 1])) for number in range(len(parts))]
    for _ in range(100):
        cut = rng.randrange(ends[0], ends[-1])
        found = read_bytes(tmp_path, whole[:cut])
        assert list(pages_of(found)) == [url for url, end in zip(URLS, ends, strict=True) if end <= cut]
        assert len(drops_of(found)) == (cut not in ends)
    lost = 0
    for _ in range(100):
        at = rng.randrange(len(first) + 4, len(whole))
        damaged = bytearray(whole)
        damaged[at] ^= 1 << rng.randrange(8)
        hit = next(number for number, end in enumerate(ends) if at < end)
        found = read_bytes(tmp_path, bytes(damaged))
        pages = pages_of(found)
        assert set(pages.values()) <= set(SITE.values())
        assert len(SITE) - len(pages) <= 1
        if URLS[hit] not in pages:
            lost += 1
            assert len(drops_of(found)) == 1
    assert lost > 90


@pytest.mark.parametrize(
    ("first", "message"),
    [
        (passed_over(b"no dictionary"), "the dictionary is none"),
        (passed_over(b"\x37\xa4\x30\xec" + bytes(range(256)) * 9), "the dictionary is none"),
        (passed_over(frame(DICTIONARY.dict_content)[:-1]), "dictionary cannot be unpacked: the zstd frame ends early"),
        (passed_over(DICTIONARY.dict_content)[:-10], "no SOURCE"),
        (b"\x5d\x2a\x4d\x18\xff\xff\xff\xff", "more than 16777216"),
    ],
)
def test_a_damaged_dictionary_is_said(tmp_path: Path, first: bytes, message: str) -> None:
    whole = first if message == "no SOURCE" else first + b"".join(WITH_IT)
    with pytest.raises(SourceError, match="cut" if message == "no SOURCE" else message) as refused:
        read_bytes(tmp_path, whole, name="a.warc.zst")
    assert "\n" not in str(refused.value)


def test_a_dictionary_that_is_a_bomb_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "MAX_DICTIONARY_BYTES", 1 << 20)
    with pytest.raises(SourceError, match="more than 1048576 bytes once unpacked"):
        read_bytes(tmp_path, passed_over(frame(bytes(8 << 20))) + b"".join(WITH_IT))


def test_frames_that_lack_their_dictionary_are_said_to(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="zstd with a dictionary that is not in the file"):
        read_bytes(tmp_path, b"".join(WITH_IT), name="a.warc.zst")


@pytest.mark.parametrize("content", [frame(b"no archive"), b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd\xff" * 9])
def test_other_frames_are_of_no_known_kind(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(SourceError, match="neither WARC nor"):
        read_bytes(tmp_path, content, name="a.warc.zst")


def test_a_bomb_is_given_up_and_the_next_frame_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_feed, "BOMB_MIN_BYTES", 1 << 20)
    bomb = record(bytes(64 << 20), url="http://a.example/bomb").replace(b"Length: 67108864", b"Length: 99999999999")
    found = read_bytes(tmp_path, frame(bomb) + FRAMES[0], max_page_bytes=1 << 20)
    assert [(drop.url, drop.reason) for drop in drops_of(found)] == [("http://a.example/bomb", Reason.TOO_LARGE)]
    assert list(pages_of(found)) == URLS[:1]


def test_a_window_larger_than_may_be_held_is_refused(tmp_path: Path) -> None:
    options = {zstd.CompressionParameter.window_log: 30, zstd.CompressionParameter.enable_long_distance_matching: 1}
    compressor = zstd.ZstdCompressor(options=options)
    large = compressor.compress(RECORDS[1]) + compressor.flush()
    found = read_bytes(tmp_path, FRAMES[0] + large + FRAMES[2])
    assert list(pages_of(found)) == [URLS[0], URLS[2]]
    assert [drop.reason for drop in drops_of(found)] == [Reason.DAMAGED_RECORD]


def test_an_archive_within_a_page_is_not_taken_for_the_file(tmp_path: Path) -> None:
    inner = b"".join(FRAMES[:3])
    image = record(http(inner, fields={"Content-Type": "application/zstd"}), url="http://a.example/inner")
    assert list(pages_of(read_bytes(tmp_path, image + RECORDS[5]))) == [URLS[5]]
    stored = zstd.compress(image, level=-7)
    assert list(pages_of(read_bytes(tmp_path, stored + FRAMES[5]))) == [URLS[5]]
