"""Mutated PDF, DOCX, ODT and EPUB through the workers that read pages, as a harvest reads them."""

from __future__ import annotations

import io
import random
import re
import time
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache, partial
from pathlib import Path

import pyarrow as pa

from attack.pages import RESULT, Limits, peak_mib, reading
from attack.tally import Tally
from diglot.documents.parse import pages_table, parse_table
from diglot.pages.media import MAX_DOCUMENT_BYTES, require_page
from diglot.records import Page, Refused
from documents.made_office import epub_of, made_docx, made_odt, xhtml

ROUNDS, BLOCK = 100_000, 800
MAX_S, MAX_WORKER_MIB = 20.0, 1024
LIMITS = f"{MAX_S:g} s or {MAX_WORKER_MIB} MiB"
KINDS = (".pdf", ".docx", ".odt", ".epub")
PDFS = Path(__file__).resolve().parents[2] / "tests" / "documents" / "pdf"
PARTS = (b"/Kids", b"/Count", b"/Length", b"/MCID", b"/K", b"/Contents", b"/Filter", b"endobj", b"stream", b"<<", b"]")
NUMBERS = (b"0", b"1", b"-1", b"7", b"43", b"2147483648", b"99999999999")
MARKUP = (
    b"<", b">", b"</w:p>", b"<w:p>", b"<table:table-cell>", b"&a;", b"<![CDATA[", b"\xff\xfe", b"\0", b"<p><p><p>",
    b"]]>",
)  # fmt: skip
SIGNS = b"0123456789 .-[]()<>/TjBETQqDoMC"
BLOCKS = [
    ("h1", "The harbour"), ("p", "The harbour opens every morning before the boats leave for the open sea."),
    ("li", "Bring the net."), ("td", "7:30"), ("h2", "The market"), ("p", "The market wakes with the first boats."),
    ("pre", "a = 1"), ("caption", "A boat"),
]  # fmt: skip


@cache
def documents(corpus: Path | None) -> tuple[bytes, ...]:
    """Documents to mutate: those of a folder or, without one, the PDFs of the tests and files made here."""
    if corpus is not None:
        return tuple(path.read_bytes() for path in sorted(corpus.iterdir()) if path.suffix in KINDS)
    chapters = {f"{number}.xhtml": xhtml(f"<h1>{number}</h1><p>{BLOCKS[1][1]}</p>") for number in range(3)}
    made = made_docx(BLOCKS, "en"), made_odt(BLOCKS, "en"), epub_of(chapters)
    return (*(path.read_bytes() for path in sorted(PDFS.glob("*.pdf"))), *made)


def mutated_document(number: int, seed: int, corpus: Path | None) -> bytes:
    """The document of a round."""
    draw = random.Random(f"{seed} {number}")
    return mutate(draw.choice(documents(corpus)), draw)


def mutate(body: bytes, draw: random.Random) -> bytes:
    """The document with some bytes, numbers, names or streams changed, or cut; of a ZIP mostly those of a member."""
    if body.startswith(b"PK") and draw.random() < 0.8:
        return _change_member(body, draw)
    out = bytearray(body)
    for _ in range(draw.randint(1, 12)):
        kind = draw.randrange(7)
        place = draw.randrange(max(len(out), 1))
        if kind == 0 and out:
            out[place] = draw.randrange(256)
        elif kind == 1:
            del out[place : place + draw.randint(1, 400)]
        elif kind == 2:
            start = draw.randrange(max(len(out), 1))
            out[place:place] = out[start : start + draw.randint(1, 400)]
        elif kind == 3:
            _change_number(out, draw)
        elif kind == 4:
            out[place:place] = draw.choice(PARTS)
        elif kind == 5:
            _change_stream(out, draw)
        elif draw.random() < 0.15:
            del out[place:]
    return bytes(out)


def _change_member(body: bytes, draw: random.Random) -> bytes:
    """The ZIP with a member mutated, mostly one with text, so that readers see its markup and not only its damage."""
    with zipfile.ZipFile(io.BytesIO(body)) as package:
        members = {name: package.read(name) for name in package.namelist()}
    texts = [name for name in members if name.endswith((".xml", ".xhtml", ".html", ".rels", ".opf"))] or [*members]
    chosen = draw.choice(texts)
    content = bytearray(members[chosen])
    for _ in range(draw.randint(1, 8)):
        place = draw.randrange(max(len(content), 1))
        end = place + draw.randint(0, 60)
        start = draw.randrange(max(len(content), 1))
        content[place:end] = draw.choice((*MARKUP, bytes(content[start : start + 200]), b""))
    members[chosen] = bytes(content)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in members.items():
            package.writestr(name, data)
    return out.getvalue()


def _change_number(out: bytearray, draw: random.Random) -> None:
    numbers = [*re.finditer(rb"\d+", out[: 1 << 20])]
    if numbers:
        found = draw.choice(numbers)
        out[found.start() : found.end()] = draw.choice(NUMBERS)


def _change_stream(out: bytearray, draw: random.Random) -> None:
    """Mutate what a stream inflates to, so that PDFium reads its content and not only its damage."""
    streams = [*re.finditer(rb"stream\r?\n", out)]
    if not streams:
        return
    start = draw.choice(streams).end()
    end = out.find(b"endstream", start)
    try:
        content = bytearray(zlib.decompress(bytes(out[start:end])))
    except zlib.error:
        return
    for _ in range(draw.randint(1, 20)):
        if content:
            place = draw.randrange(len(content))
            content[place : place + draw.randint(0, 3)] = bytes(draw.choices(SIGNS, k=draw.randint(0, 4)))
    out[start:end] = zlib.compress(bytes(content), 1) + b"\n"


def read_rounds(rounds: pa.Table, *, seed: int, corpus: Path | None) -> pa.Table:
    """What workers run: the documents of these rounds made and read, one by one."""
    return pa.Table.from_pylist([_read_round(n, seed, corpus) for n in rounds["round"].to_pylist()], schema=RESULT)


def _read_round(number: int, seed: int, corpus: Path | None) -> dict[str, object]:
    began = time.process_time()
    body = mutated_document(number, seed, corpus)
    started = time.process_time()
    outcome = _read(body)
    ended = time.process_time()
    spent = {"parse_s": ended - started, "cpu_s": ended - began, "mib": peak_mib()}
    return {"round": number, "outcome": outcome, **spent}


def _read(body: bytes) -> str:
    """The reason of its drop, or its kind where it was read; several parts for its languages count as one."""
    try:
        require_page(body, "", MAX_DOCUMENT_BYTES)
    except Refused as refused:
        return str(refused.reason)
    row = parse_table(pages_table([Page("http://a.example/x", body)])).slice(0, 1).to_pylist()[0]
    return str(row["reason"] or f"read {row['media']}")


def opened(seed: int, corpus: Path | None) -> AbstractContextManager[Callable[[range], Tally]]:
    """Give the function that runs rounds; ``corpus``: a folder of documents to mutate."""
    stage = partial(read_rounds, seed=seed, corpus=corpus)
    return reading(stage, lambda _number: "", Limits(MAX_S, MAX_WORKER_MIB))
