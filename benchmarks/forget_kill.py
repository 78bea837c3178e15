"""Kill `diglot update` and `diglot forget` at random moments, run them again, and compare with what nobody disturbed.

    python benchmarks/forget_kill.py [--kills 60] [--seed 1] [--only update|forget]

A made-up bilingual site is served on loopback. A run of it, with every export, a sheet to judge and half a file that a
killed command left, is copied, and the command killed with all its processes after a random share of the time that it
takes; it is then run again until it is done, now and then killed a second time. Outputs must be those of an undisturbed
command, byte for byte (of an update: but for the time of its requests). After `forget` the whole folder is read,
whatever packs its files: a word that only the page had must be nowhere, its address only among the links of others.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import time
import traceback
import zlib
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from diglot.corpus.formats import CESALIGN, OF_PAIRS
from diglot.disk.folder import RunFolder
from diglot.forgetting import forget
from diglot.harvesting import harvest
from diglot.outputs.made_files import STAGES
from diglot.pages import open_sources, read
from diglot.records import Page
from diglot.results.delta import open_update
from diglot.review.sheets import draw_sample, write_sheet
from diglot.run.log import LOG
from diglot.updating import update
from packed_files import contents

TEXT = {
    "en": "the harbour opens every morning before the boats leave for the open sea and the market wakes",
    "fr": "le port ouvre chaque matin avant que les bateaux partent vers la mer et que le marché se réveille",
}
PAGES = 16
FORGOTTEN = 5
WORD = "zibellinomark"
"""A word that only the page that is forgotten has, on every line."""
SECOND_KILL = 0.25
"""Share of the kills after which the command is killed again while it finishes."""
TIME = re.compile(r"hash\W+[0-9a-f]{32}|\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\dZ|2\d{3}-\d\d-\d\d")


def made_page(lang: str, number: int, more: str = "") -> bytes:
    """A page that links to its version and to the two pages behind it in a tree."""
    rng = random.Random(number)
    other = "fr" if lang == "en" else "en"
    words = TEXT[lang].split()
    lines = []
    for line in range(4):
        cut, count = rng.randrange(len(words) // 2), 10 * number + line
        lines.append(
            " ".join([*words[cut:], f"{count}", *([WORD] if (lang, number) == ("en", FORGOTTEN) else [])]).capitalize()
        )
    children = [n for n in (2 * number + 1, 2 * number + 2) if n < PAGES]
    links = "".join(f'<li><a href="/{lang}/{n}.html">{n}</a></li>' for n in children)
    body = "".join(f"<p>{line}.</p>" for line in [*lines, *filter(None, [more])])
    head = f'<meta charset="utf-8"><link rel="alternate" hreflang="{other}" href="/{other}/{number}.html">'
    return f'<html lang="{lang}"><head>{head}</head><body>{body}<ul>{links}</ul></body></html>'.encode()


def first_site() -> dict[str, bytes]:
    """Pages by path."""
    return {f"/{lang}/{number}.html": made_page(lang, number) for number in range(PAGES) for lang in TEXT}


def later_site() -> dict[str, bytes]:
    """The same with a page changed, two gone, and two that are new."""
    pages = first_site()
    del pages["/en/14.html"], pages["/fr/14.html"]
    new = {"en": '<a href="/en/99.html">A new page of the harbour</a>', "fr": '<a href="/fr/99.html">Une page</a>'}
    for lang in TEXT:
        pages[f"/{lang}/2.html"] = made_page(lang, 2, f"Changed 77 {TEXT[lang]} {new[lang]}")
        pages[f"/{lang}/99.html"] = made_page(lang, 99)
    return pages


def serve(later: Any, port: Any) -> None:
    """Serve the first site, or the later one where ``later`` says so; 304 for what has not changed."""
    sites = (first_site(), later_site())

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = sites[later.value].get(self.path)
            tag = f'"{zlib.crc32(body or b"")}"'
            status = 404 if body is None else 304 if self.headers["If-None-Match"] == tag else 200
            sent = body if body is not None and status == 200 else b""
            self.send_response(status)
            for name, value in (("Content-Type", "text/html"), ("ETag", tag), ("Content-Length", str(len(sent)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    port.value = server.server_port
    server.serve_forever()


Command = Callable[[Path], object]


def started(command: Command, run: Path) -> int:
    """A command at work on a run, in a process group of its own; its id.

    It is forked from this process, which has all modules: kills fall on its work, not on its imports.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    code = 1
    try:
        command(run)
        code = 0
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def finished(command: Command, run: Path) -> float:
    """Seconds that a command takes to its end; SystemExit where it fails."""
    before = time.monotonic()
    _, status = os.waitpid(started(command, run), 0)
    if status:
        sys.exit(f"a command ended with {status}")
    return time.monotonic() - before


def killed(after_s: float, command: Command, run: Path) -> bool:
    """Start a command and kill all of it after a while; False where it had ended before."""
    pid, until = started(command, run), time.monotonic() + after_s
    while time.monotonic() < until:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return False
        time.sleep(0.002)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


def is_done(run: Path) -> bool:
    """Whether an update has noted its end, and was killed only as it closed its files: what follows is another one."""
    with RunFolder(run, create=False, finishing=True) as folder:
        return (run / "out" / "changes.tsv").exists() and folder.task() is None and open_update(folder) is None


def outputs(run: Path, *, timeless: bool) -> dict[str, bytes]:
    """What a person takes from a run, by path; ``timeless``: with the times of requests taken out."""
    found = {}
    for path in sorted(run.rglob("*")):
        name = path.relative_to(run).as_posix()
        if not path.is_file() or name.split("/")[0] in ("warc", "run.lock", LOG) or name.startswith("journal.db"):
            continue
        data = contents(path) if timeless else path.read_bytes()
        if path.name == "summary.json":
            data = json.dumps({k: v for k, v in json.loads(data).items() if k != "seconds"}).encode()
        if path.name == "diglot.toml" or ("/" in name and name.split("/")[0] in STAGES):
            continue
        found[name] = TIME.sub("", data.decode("utf-8", "replace")).encode() if timeless else data
    files = sorted(map(str, (run / "warc").glob("*.warc.gz")))
    pages = (page for source in open_sources(files) for page in read(source) if isinstance(page, Page))
    latest = {page.url: page.body for page in pages}
    return found | {f"warc {url}": body for url, body in latest.items()}


def remains(run: Path, address: str) -> list[str]:
    """Files that hold a word of the forgotten page, or its address, which tables of documents may have as a link."""
    named = re.compile(re.escape(address.partition("://")[2]).encode())
    found = []
    for path in filter(Path.is_file, run.rglob("*")):
        data = path.read_bytes() + contents(path)
        if WORD.encode() in data or (named.search(data) and path.parent.name != "documents"):
            found.append(path.relative_to(run).as_posix())
    return found


def trials(name: str, command: Command, base: Path, kills: int, rng: random.Random, address: str = "") -> int:
    """Kill a command over copies of a run; returns how many outputs were not those of the undisturbed command."""
    work, timeless = base.parent / f"{name}-work", name == "update"
    run = work / "run"

    def copy() -> None:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(base, run)

    copy()
    finished(command, run)  # this time something is compiled or read into memory
    copy()
    takes_s = finished(command, run)
    wanted = outputs(run, timeless=timeless)
    done = bad = late = 0
    while done < kills:
        copy()
        chain: list[str] = []
        ended = False
        while done < kills and (not chain or rng.random() < SECOND_KILL):
            after_s = rng.random() * takes_s
            if not killed(after_s, command, run):
                late, ended = late + 1, True
                break
            if name == "update" and is_done(run):
                late, ended = late + 1, True
                break
            chain.append(f"{after_s:.2f}")
            done += 1
        if not ended:  # an update after one that was done would find nothing new
            finished(command, run)
        found = outputs(run, timeless=timeless)
        differ = sorted(key for key in wanted.keys() | found.keys() if wanted.get(key) != found.get(key))
        left = remains(run, address) if address else []
        part = [path.name for path in run.rglob("*.part")]
        bad += bool(differ or left or part)
        told = f"; other outputs: {differ[:5]}; remains: {left}; unfinished: {part}" if differ or left or part else ""
        print(f"{name}: kill {done} after {' and '.join(chain) or 'none'} of {takes_s:.2f} s{told}", flush=True)
    verdict = "BAD" if bad else "good"
    print(f"{name}: {done} kills ({late} times it was done before), {bad} ended otherwise than undisturbed: {verdict}")
    return bad


def made_run(out: Path, host: str) -> None:
    """A run with every export and two sheets to judge."""
    crawl = {"allow_hosts": (host,), "delay_s": 0.0}
    run = harvest(f"http://{host}/en/0.html", "en,fr", out, crawl=crawl, jobs=1)
    run.export([*OF_PAIRS, CESALIGN])
    for sheet in ("sample.html", "sheet.tsv"):
        write_sheet(draw_sample(run.segments("en", "fr").kept_rows(), 1_000), out / sheet, title="run")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=60, help="of each command")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("update", "forget"), help="only this command")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    later, port = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(later, port), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    host, bad = f"127.0.0.1:{port.value}", 0
    address = f"http://{host}/en/{FORGOTTEN}.html"
    with tempfile.TemporaryDirectory() as name:
        run = Path(name) / "base"
        finished(lambda run: made_run(run, host), run)
        later.value = 1
        if options.only != "forget":
            bad += trials("update", lambda run: update(run, jobs=1), run, options.kills, rng)
        if options.only != "update":
            finished(lambda run: update(run, jobs=1), run)
            shutil.copy(run / "out" / "en-fr.jsonl", run / "out" / ".en-fr.jsonl.1.part")
            bad += trials("forget", lambda run: forget(run, url=address, jobs=1), run, options.kills, rng, address)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
