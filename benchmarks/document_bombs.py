"""Documents made against readers, each through the workers of a harvest: outcome, seconds and peak memory.

    PYTHONPATH=tests python benchmarks/document_bombs.py [NAME ...]

Every row must end in a document or a reason within 20 seconds, no worker over its memory limit and what it had loaded
before, and the document behind the attack must be read. Exit code 1 where one does not. The table of attacks is that of
docs/theory/documents.md.
"""

from __future__ import annotations

import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from diglot.engines.pool import WORKER_MEMORY_BYTES, LocalEngine
from diglot.pages.media import MAX_DOCUMENT_BYTES, require_page
from diglot.records import Page, Refused
from diglot.run.read import parse_records
from documents.made_office import docx_of, made_docx
from documents.pdf.test_pdf_attacks import nested_forms
from documents.pdf.written_pdf import content_of, file_of, lines, pdf_of, pdf_of_contents, stream
from documents.test_office import BLOCKS, LAUGHS, OUTSIDE, bomb, deep, document, encrypted, lying, many_members

MAX_S = 20.0
PIECE = bytes(1 << 20)
GOOD = made_docx(BLOCKS, "en")
READ = "read"


def inflating(gib: int, *, rounds: int) -> bytes:
    """A page whose content is a GiB of blanks, deflated so many times; never made whole."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(b" " * len(PIECE)) for _ in range(gib << 10)) + packer.flush()
    for _ in range(rounds - 1):
        packed = zlib.compress(packed, 9)
    filters = " /FlateDecode" * rounds
    return pdf_of_contents(
        [f"<< /Length {len(packed)} /Filter [{filters}] >>\nstream\n".encode() + packed + b"\nendstream"]
    )


def many_letters(count: int) -> bytes:
    """So many letters on a page."""
    # Each line at another height: letters printed over each other count once.
    line = b"0 0.03 Td (" + b"x" * 1000 + b") Tj\n"
    return pdf_of_contents([stream(b"BT /F1 1 Tf\n" + line * (count // 1000) + b"ET")])


def one_page_often(count: int) -> bytes:
    """A document whose pages are all the same object."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{'5 0 R ' * count}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>",
        b"<< >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 6 0 R"
        b" /Resources << /Font << /F1 3 0 R >> >> >>",
        stream(content_of(lines(50, 700, ["The harbour is open every morning."]))),
    ]
    return file_of(objects)


def with_password() -> bytes:
    """A PDF that opens with a password only: no owner and no user key fits."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [] /Count 0 >>",
        b"<< >>",
        f"<< /Filter /Standard /V 1 /R 2 /P -44 /O <{'11' * 32}> /U <{'22' * 32}> >>".encode(),
    ]
    return file_of(objects, f"/Root 1 0 R /Encrypt 4 0 R /ID [<{'00' * 16}> <{'00' * 16}>]")


def scan() -> bytes:
    """A page that is a picture."""
    image = stream(
        bytes(64 * 64),
        "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ColorSpace /DeviceGray /BitsPerComponent 8",
    )
    return pdf_of_contents([stream(b"q 600 0 0 800 0 0 cm /X Do Q")], more=[image])


HARBOUR = [lines(50, 700, ["The harbour is open every morning of the week."])]

ATTACKS: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "PDF: 1 MB that inflates to 1 GiB": (
        lambda: inflating(1, rounds=1),
        {"parser_memory", "parser_crash", "no_text_layer", "no_text"},
    ),
    "PDF: 1 GiB in two rounds": (
        lambda: inflating(1, rounds=2),
        {"parser_memory", "parser_crash", "no_text_layer", "no_text"},
    ),
    "PDF: nested forms, 10^30": (
        lambda: nested_forms(30),
        {"parser_timeout", "parser_memory", "parser_crash"},  # a quick machine comes to the limit of memory first
    ),
    "PDF: 24 million characters on a page": (lambda: many_letters(24_000_000), {READ, "too_large", "parser_timeout"}),
    "PDF: 100,000 pages that are one": (lambda: one_page_often(100_000), {READ}),
    "PDF: password": (with_password, {"encrypted"}),
    "PDF: cut": (lambda: pdf_of(HARBOUR)[:-300], {"truncated", READ}),
    "PDF: garbage behind the signature": (
        lambda: b"%PDF-1.7\n" + bytes(range(256)) * 400 + b"%%EOF",
        {"damaged_record"},
    ),
    "PDF: scan": (scan, {"no_text_layer"}),
    "DOCX: member of 600 MB": (lambda: bomb(600 << 20), {"too_large"}),
    "DOCX: ratio over 200": (lambda: bomb(8 << 20), {"too_large"}),
    "DOCX: declared size is a lie": (lambda: lying(600 << 20), {"damaged_record"}),
    "DOCX: billion laughs": (lambda: document(LAUGHS + "<d>&a8;</d>"), {"damaged_record"}),
    "DOCX: external entity": (lambda: document(OUTSIDE), {"damaged_record"}),
    "DOCX: 200,000 levels": (lambda: deep(200_000), {"damaged_record"}),
    "DOCX: 2,001 files": (many_members, {"too_large"}),
    "DOCX: encrypted": (encrypted, {"encrypted"}),
    "DOCX: 60 MB of one paragraph": (
        lambda: docx_of(f"<w:p><w:r><w:t>{'harbour ' * 7_500_000}</w:t></w:r></w:p>"),
        {"too_large"},
    ),
}
"""What an attack is, and the outcomes that are right."""

OF_WORKER_BYTES = 512 << 20
"""What a worker has loaded before: the limit is of what a stage adds to it."""


def main() -> None:
    failed = 0
    print(f"{'attack':40}{'bytes':>12}  {'outcome':16}{'s':>6}{'MiB':>7}  detail")
    with LocalEngine(jobs=1, preload=("diglot.run.preload",)) as engine:
        outcome_of(engine, GOOD)
        for name, (make, right) in ATTACKS.items():
            if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
                continue
            body = make()
            with watched() as peak:
                started = time.monotonic()
                outcome, detail = outcome_of(engine, body)
                spent = time.monotonic() - started
            behind, _ = outcome_of(engine, GOOD)
            held = (
                outcome in right
                and spent <= MAX_S + 5
                and peak[0] <= WORKER_MEMORY_BYTES + OF_WORKER_BYTES
                and behind == READ
            )
            failed += not held
            mib = peak[0] / (1 << 20)
            told = detail[:60] + ("" if held else "  FAILED")
            print(f"{name:40}{len(body):12,}  {outcome:16}{spent:6.1f}{mib:7.0f}  {told}", flush=True)
    sys.exit(failed > 0)


def outcome_of(engine: LocalEngine, body: bytes) -> tuple[str, str]:
    """Reason and detail of a document that a harvest drops, or :data:`READ`."""
    try:
        require_page(body, "", MAX_DOCUMENT_BYTES)
    except Refused as refused:
        return str(refused.reason), refused.detail
    tables = parse_records(engine, [Page("http://a.example/x", body)])
    row = pa.concat_tables(tables).slice(0, 1).to_pylist()[0]
    return (row["reason"], row["detail"]) if row["reason"] else (READ, f"{len(row['block_ends'])} blocks")


@contextmanager
def watched() -> Iterator[list[int]]:
    """The most memory, in bytes, that a process below this one holds while the block runs."""
    peak, done = [0], threading.Event()

    def watch() -> None:
        while not done.wait(0.02):
            peak[0] = max(peak[0], *map(resident, descendants()), 0)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def descendants() -> list[str]:
    """Processes below this one, by number."""
    found, waiting = [], [str(threading.main_thread().native_id)]
    while waiting:
        below = children(waiting.pop())
        found += below
        waiting += below
    return found


def children(process: str) -> list[str]:
    tasks = Path(f"/proc/{process}/task")
    try:
        return [child for task in tasks.iterdir() for child in (task / "children").read_text().split()]
    except OSError:
        return []


def resident(process: str) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


if __name__ == "__main__":
    main()
