"""PDFs made against readers: each ends by a limit of the process that reads it, or gives a reason or its text."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from diglot.documents.pdf import read_pdf
from documents.pdf.written_pdf import content_of, file_of, lines, pdf_of_contents, stream

READ = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
from diglot.documents.pdf import read_pdf
from diglot.errors import UnreadableDocument
try:
    read_pdf(open(sys.argv[1], "rb").read())
except UnreadableDocument as error:
    print(error.reason)
"""
MEMORY = 700 << 20


def end_of(body: bytes, folder: Path) -> tuple[int, str]:
    """Exit code of a process with limits that reads the document, and the reason that it gave."""
    path = folder / "attack.pdf"
    path.write_bytes(body)
    done = subprocess.run(
        [sys.executable, "-c", READ.replace("MEMORY", str(MEMORY)), path], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout.strip()


def nested_forms(depth: int) -> bytes:
    """A page that shows a form ten times, which shows the next ten times, and so on."""
    content = stream(b"/X Do " * 10)
    form = "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources"
    forms = [stream(b"/X Do " * 10, f"{form} << /XObject << /X {6 + place} 0 R >> >>") for place in range(depth - 1)]
    forms.append(stream(content_of([(0, 0, 1, "x")]), f"{form} << /Font << /F1 3 0 R >> >>"))
    return pdf_of_contents([content], more=forms)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of processes as Linux has them")
@pytest.mark.parametrize("name", ["bomb", "forms"])
def test_what_never_ends_is_ended_by_the_limits_of_its_process(name: str, tmp_path: Path) -> None:
    if name == "bomb":
        body = pdf_of_contents([stream(bytes(1 << 28), deflate=2)])
        assert len(body) < 5_000
    else:
        body = nested_forms(30)
        assert len(body) < 10_000
    code, reason = end_of(body, tmp_path)
    assert code < 0 or reason, "neither ended by a signal nor a reason"


def rc4(key: bytes, body: bytes) -> bytes:
    """The cipher of old PDFs."""
    state, swapped = list(range(256)), 0
    for place in range(256):
        swapped = (swapped + state[place] + key[place % len(key)]) % 256
        state[place], state[swapped] = state[swapped], state[place]
    out, first, second = bytearray(), 0, 0
    for byte in body:
        first = (first + 1) % 256
        second = (second + state[first]) % 256
        state[first], state[second] = state[second], state[first]
        out.append(byte ^ state[(state[first] + state[second]) % 256])
    return bytes(out)


def test_a_document_that_anyone_may_open_is_read_though_it_is_protected() -> None:
    padding = bytes.fromhex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
    owner, identity = bytes(range(32)), bytes(16)
    key = hashlib.md5(padding + owner + (-44 & 0xFFFFFFFF).to_bytes(4, "little") + identity).digest()[:5]
    own = hashlib.md5(key + (6).to_bytes(3, "little") + bytes(2)).digest()[:10]
    content = rc4(own, content_of(lines(50, 700, ["The harbour is open."])))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
        f"<< /Filter /Standard /V 1 /R 2 /P -44 /O <{owner.hex()}> /U <{rc4(key, padding).hex()}> >>".encode(),
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        stream(content, deflate=0),
    ]
    trailer = f"/Root 1 0 R /Encrypt 4 0 R /ID [<{identity.hex()}> <{identity.hex()}>]"
    (block,) = read_pdf(file_of(objects, trailer)).blocks
    assert block.text == "The harbour is open."
