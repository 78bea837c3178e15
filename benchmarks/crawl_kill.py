"""Kill a crawl at random moments, run it again until it is done, and count what the server and the archive say.

    python benchmarks/crawl_kill.py [--pages 500] [--documents 0] [--kills 40] [--seed 1] [--folder DIR]

The site is made up, bilingual, served on loopback by a process of its own that counts requests. A crawl is
killed with all its processes after a random while, again and again, into the same run folder; when the kills
are spent it is let finish. Exit code 1 if a page was lost, is stored twice or with other bytes, if more pages were
fetched again than were in flight, or if the archive is not valid. ``--documents``: so many pages link a DOCX, too.
"""

from __future__ import annotations

import argparse
import io
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from diglot.pages import open_sources, read
from diglot.records import Page

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT = {
    "en": "the harbour opens every morning before the boats leave for the open sea and the market wakes",
    "fr": "le port ouvre chaque matin avant que les bateaux partent vers la mer et que le marché se réveille",
}


def made_document(text: str) -> bytes:
    """A DOCX of one paragraph."""
    made = io.BytesIO()
    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{space}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>'
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("_rels/.rels"), "<Relationships/>")
        archive.writestr(zipfile.ZipInfo("word/document.xml"), body)
    return made.getvalue()


def made_pages(count: int, documents: int = 0) -> dict[str, bytes]:
    """Pages by path: ``count`` of them in two languages, each linking to its version and to a few others, and the first
    to a document."""
    pages = {}
    for number in range(count // 2):
        for lang, other in (("en", "fr"), ("fr", "en")):
            rng = random.Random(f"{number} {lang}")
            text = " ".join(rng.choice(TEXT[lang].split()) for _ in range(120)) + f" {number}"
            links = {2 * number + 1, 2 * number + 2, rng.randrange(count // 2)}
            anchors = "".join(f'<li><a href="/{lang}/{n}.html">{n}</a>' for n in sorted(links) if n < count // 2)
            if number < documents // 2:
                anchors += f'<li><a href="/{lang}/{number}.docx">document</a>'
                pages[f"/{lang}/{number}.docx"] = made_document(text)
            version = f'<link rel="alternate" hreflang="{other}" href="/{other}/{number}.html">'
            html = f'<html lang="{lang}"><meta charset="utf-8">{version}<p>{text}</p><ul>{anchors}</ul></html>'
            pages[f"/{lang}/{number}.html"] = html.encode()
    return pages


def serve(pages: dict[str, bytes], asked: Counter[str]) -> ThreadingHTTPServer:
    """Serve the pages on a free port of loopback; ``asked`` counts requests by path."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            asked[self.path] += 1
            body = pages.get(self.path)
            self.send_response(404 if body is None else 200)
            self.send_header("Content-Type", DOCX if self.path.endswith(".docx") else "text/html")
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return server


def crawl(port: int, run: Path) -> subprocess.Popen[bytes]:
    """Start the command in a process group of its own."""
    where = [f"http://127.0.0.1:{port}/en/0.html", "--allow-host", f"127.0.0.1:{port}"]
    command = [
        sys.executable,
        "-m",
        "diglot",
        "crawl",
        *where,
        "-o",
        str(run),
        "-l",
        "en,fr",
        "--delay",
        "0",
        "--quiet",
    ]
    return subprocess.Popen(command, start_new_session=True)


def killed_crawl(port: int, run: Path, asked: Counter[str], rng: random.Random, most_requests: int) -> str:
    """Start, kill once a random number of requests has come in, or a little before or after that; in words."""
    before, limit = asked.total(), rng.randrange(most_requests)
    process = crawl(port, run)
    while process.poll() is None and asked.total() - before < limit:
        time.sleep(0.002)
    time.sleep(rng.random() * (0.05 if limit else 5.0))
    finished = process.poll() is not None
    if not finished:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return f"after {asked.total() - before} requests" + (", finished before" if finished else "")


def stored(run: Path, made: dict[str, bytes]) -> Counter[str]:
    """How often each page is in the archive, by path; pages with other bytes than ``made`` are not counted."""
    files = sorted(map(str, (run / "warc").glob("*.warc.gz")))
    pages = (page for source in open_sources(files) for page in read(source) if isinstance(page, Page))
    found = (("/" + page.url.split("/", 3)[3], page.body) for page in pages)
    return Counter(path for path, body in found if made.get(path) == body)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=500)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the run folders go; a temporary folder without it")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    pages = made_pages(options.pages, options.documents)
    bad = kills = rounds = again = 0
    while kills < options.kills:
        asked: Counter[str] = Counter()
        server = serve(pages, asked)
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            run, here = Path(name) / "run", 0
            while kills < options.kills and here < KILLS_A_CRAWL:
                print(
                    f"kill {kills + 1}: {killed_crawl(server.server_port, run, asked, rng, options.pages // 8)}",
                    flush=True,
                )
                kills, here = kills + 1, here + 1
            code = crawl(server.server_port, run).wait()
            found = stored(run, pages)
            lost, twice = len(pages.keys() - found.keys()), sum(n > 1 for n in found.values())
            refetched = sum(asked[path] - 1 for path in pages if asked[path] > 1)
            valid = subprocess.run(
                [sys.executable, "-m", "warcio.cli", "check", *map(str, (run / "warc").glob("*.gz"))]
            )
            print(f"exit code {code}; {lost} lost, {twice} stored twice, {refetched} fetched again by {here} kills")
            print(f"archive {'valid' if valid.returncode == 0 else 'NOT VALID'}", flush=True)
            bad += lost + twice + (refetched > here) + (valid.returncode != 0) + (code != 0)
            rounds, again = rounds + 1, again + refetched
        server.shutdown()
    verdict = "BAD" if bad else "good"
    print(f"{kills} kills of {rounds} crawls of {options.pages} pages, {again} pages fetched again: {verdict}")
    return 1 if bad else 0


KILLS_A_CRAWL = 20

if __name__ == "__main__":
    sys.exit(main())
