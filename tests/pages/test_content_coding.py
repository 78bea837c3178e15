"""Chunks and content codings: undone in full, refused in part."""

from __future__ import annotations

import gzip
import zlib
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.pages.http_response import decode_body, decode_content, join_chunks, parse_response
from diglot.reasons import Reason
from diglot.records import Refused

TEXT = b"<html>" + bytes(range(256)) * 20
LIMIT = 1 << 20


def arrow(codec: str) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(TEXT)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


PACKED = {
    "gzip": gzip.compress(TEXT),
    "deflate": zlib.compress(TEXT),
    "br": arrow("brotli"),
    "zstd": arrow("zstd"),
}


def chunked(body: bytes, cuts: list[int]) -> bytes:
    edges = sorted({0, len(body), *(cut % (len(body) + 1) for cut in cuts)})
    parts = [b"%x;ext=1\r\n%s\r\n" % (end - start, body[start:end]) for start, end in pairwise(edges)]
    return b"".join(parts) + b"0\r\nTrailer: x\r\n\r\n"


def test_chunks_by_hand() -> None:
    # RFC 9112, 7.1: sizes in hex, an extension, the empty chunk at the end.
    assert join_chunks(b"4\r\nWiki\r\n6;x=y\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\n\r\n") == (
        b"Wikipedia in \r\n\r\nchunks."
    )


@given(body=st.binary(min_size=1, max_size=300), cuts=st.lists(st.integers(0, 400), max_size=8))
def test_chunks_join_to_the_body(body: bytes, cuts: list[int]) -> None:
    assert join_chunks(chunked(body, cuts)) == body


@given(
    body=st.binary(min_size=1, max_size=300),
    cuts=st.lists(st.integers(0, 400), max_size=8),
    kept=st.floats(0, 1, exclude_max=True),
)
def test_a_cut_chunked_body_never_passes(body: bytes, cuts: list[int], kept: float) -> None:
    whole = b"<" + body
    sent = chunked(whole, cuts)
    last_chunk = sent.rindex(b"0\r\nTrailer")
    first_line = sent.index(b"\n") + 1
    cut = first_line + int(kept * (last_chunk - first_line))
    with pytest.raises(Refused) as refused:
        join_chunks(sent[:cut])
    assert refused.value.reason == Reason.TRUNCATED


def test_a_body_joined_already_is_left_alone() -> None:
    assert join_chunks(b"<html>joined</html>") == b"<html>joined</html>"


def test_rubbish_between_chunks_is_damage() -> None:
    with pytest.raises(Refused) as refused:
        join_chunks(b"4\r\nWikiXX\r\n0\r\n\r\n")
    assert refused.value.reason == Reason.DAMAGED_RECORD


@pytest.mark.parametrize("coding", PACKED)
def test_codings(coding: str) -> None:
    packed = PACKED[coding]
    assert decode_content(packed, coding.upper(), max_bytes=LIMIT) == TEXT
    assert decode_content(packed, f"identity, {coding}", max_bytes=len(TEXT)) == TEXT
    with pytest.raises(Refused) as refused:
        decode_content(packed, coding, max_bytes=len(TEXT) - 1)
    assert refused.value.reason == Reason.TOO_LARGE


@pytest.mark.parametrize("coding", PACKED)
def test_a_page_stored_decoded_is_left_alone(coding: str) -> None:
    for body in (TEXT, b"\xef\xbb\xbf\n <!-- made by hand -->" + TEXT, b"%PDF-1.7\n"):
        assert decode_content(body, coding, max_bytes=LIMIT) == body


@pytest.mark.parametrize("coding", PACKED)
def test_a_cut_coded_body_never_passes(coding: str) -> None:
    packed = PACKED[coding]
    for cut in range(20, len(packed)):
        with pytest.raises(Refused) as refused:
            decode_content(packed[:cut], coding, max_bytes=LIMIT)
        assert refused.value.reason == Reason.TRUNCATED


def test_deflate_without_its_header_and_several_gzip_members() -> None:
    packer = zlib.compressobj(wbits=-15)
    assert decode_content(packer.compress(TEXT) + packer.flush(), "deflate", max_bytes=LIMIT) == TEXT
    assert decode_content(PACKED["gzip"] * 2, "x-gzip", max_bytes=LIMIT) == TEXT * 2


def test_codings_on_one_another() -> None:
    assert decode_content(gzip.compress(PACKED["br"]), "br, gzip", max_bytes=LIMIT) == TEXT
    with pytest.raises(Refused, match="3 content codings"):
        decode_content(TEXT, "gzip, gzip, br", max_bytes=LIMIT)


@pytest.mark.parametrize("codec", ["brotli", "zstd"])
def test_zeros_stay_small(codec: str) -> None:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        for _ in range(64):
            stream.write(bytes(1 << 20))
    bomb = sink.getvalue().to_pybytes()
    before = pa.total_allocated_bytes()
    with pytest.raises(Refused) as refused:
        decode_content(bomb, "br" if codec == "brotli" else codec, max_bytes=LIMIT)
    assert refused.value.reason == Reason.TOO_LARGE
    assert pa.total_allocated_bytes() - before < 4 * LIMIT


def test_a_response_without_fields_and_with_bare_line_ends() -> None:
    assert parse_response(b"HTTP/1.1 200 OK\r\n\r\n<p>").body == b"<p>"
    response = parse_response(b"HTTP/1.0 200 OK\nContent-Type: text/html\n folded\nno colon\n\n<p>")
    assert (response.status, response.fields) == (200, {"content-type": "text/html folded"})
    assert decode_body(response, max_bytes=LIMIT) == b"<p>"


def test_interim_responses_are_passed_over() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
    response = parse_response(interim + b"HTTP/1.1 200 OK\r\nServer: a\r\n\r\n<p>")
    assert (response.status, response.fields, response.body) == (200, {"server": "a"}, b"<p>")
    assert parse_response(interim).status == 103


@pytest.mark.parametrize("codings", ["UTF-8", "none", "binary, text/html"])
def test_a_coding_that_does_not_exist_is_none(codings: str) -> None:
    assert decode_content(TEXT, codings, max_bytes=LIMIT) == TEXT
    assert decode_content(PACKED["gzip"], f"{codings}, gzip", max_bytes=LIMIT) == TEXT


@pytest.mark.parametrize("coding", ["compress", "x-compress", "exi", "dcb"])
def test_a_coding_that_cannot_be_undone_is_named(coding: str) -> None:
    with pytest.raises(Refused, match=f"content coding '{coding.removeprefix('x-')}' cannot be undone here"):
        decode_content(PACKED["gzip"], coding, max_bytes=LIMIT)
