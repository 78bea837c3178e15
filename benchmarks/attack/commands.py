"""Kills of every command that writes into a run folder; typed again, it ends as one that nobody disturbed.

A made-up bilingual site is served on loopback. A run of it, with every export, a sheet to judge and half a file that a
killed command left, is copied, and a command killed with all its processes: half of the time at a random moment, half
of the time right before one of its operations on the disk. It is then typed again until it is done, now and then killed
a second time. Outputs must be those of an undisturbed command, byte for byte (where it fetches: but for the time of its
requests), and nothing unfinished may be left. After `forget` the whole folder is read, whatever packs its files: a word
that only the page had must be nowhere, its address only among the links of others.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loopback import page_handler

from attack.tally import Tally
from attack.warm import type_line, warm_up
from diglot.corpus.formats import CESALIGN, FORMATS
from diglot.disk.folder import RunFolder
from diglot.outputs.corpus_files import OUT
from diglot.pages import open_sources, read
from diglot.records import Page
from diglot.results.delta import open_update
from diglot.results.run import open_run
from diglot.review.sheets import SHEET_COLUMNS, draw_sample, write_sheet
from diglot.run.log import LOG
from made_website import as_lett
from packed_files import contents

TEXT = {
    "en": "the harbour opens every morning before the boats leave for the open sea and the market wakes",
    "fr": "le port ouvre chaque matin avant que les bateaux partent vers la mer et que le marché se réveille",
}
PAGES = 11
"""In each language; fewer, and the two pages that go would be an outage."""
FORGOTTEN = 5
GONE = 9
WORD = "zibellinomark"
"""A word that only the page that is forgotten has, on every line."""
SECOND_KILL = 0.25
"""Share of the kills after which the command is killed again while it finishes."""
MAX_TRIES = 20
"""Attempts at one kill; where a command was done before its moment it is begun anew."""
TIME = re.compile(r"hash\W+[0-9a-f]{32}|\d{4}-?\d\d-?\d\dT\d\d:?\d\d:?\d\dZ|2\d{3}-\d\d-\d\d")
NOT_COMPARED = ("diglot.toml", "journal.db", "journal.db-wal", "journal.db-shm", "run.lock", LOG)
SAID = "said"
"""Beside the run: what the last command said."""
_WRITING = os.O_WRONLY | os.O_RDWR


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
    del pages[f"/en/{GONE}.html"], pages[f"/fr/{GONE}.html"]
    new = {"en": '<a href="/en/99.html">A new page of the harbour</a>', "fr": '<a href="/fr/99.html">Une page</a>'}
    for lang in TEXT:
        pages[f"/{lang}/2.html"] = made_page(lang, 2, f"Changed 77 {TEXT[lang]} {new[lang]}")
        pages[f"/{lang}/99.html"] = made_page(lang, 99)
    return pages


def serve(later: Any, port: Any) -> None:
    """Serve the first site, or the later one where ``later`` says so; 304 for what has not changed."""
    sites = (first_site(), later_site())

    server = ThreadingHTTPServer(("127.0.0.1", 0), page_handler(lambda path: sites[later.value].get(path)))
    server.handle_error = lambda *_: None  # a killed command leaves its requests
    port.value = server.server_port
    server.serve_forever()


@dataclass
class Command:
    """A command under attack. ``lines``: command lines typed one after the other, RUN in place of the run folder;
    ``base``: the run it begins with, None for no run; ``timeless``: whether times of requests and files are left out;
    ``gone``: the address that must be nowhere afterwards. The rest is of the undisturbed command."""

    lines: Sequence[str]
    base: Path | None
    timeless: bool = False
    gone: str = ""
    takes_s: float = 0.0
    operations: int = 0
    wanted: dict[str, bytes] = field(default_factory=dict)


def all_commands(folder: Path, host: str, later: Any) -> dict[str, Command]:
    """Every command with the run that it begins with; runs are made in ``folder``."""
    crawl = f"http://{host}/en/0.html -l en,fr -o RUN --allow-host {host} --delay 0"
    base, old = folder / "base", folder / "old"
    warm_up(lambda: type_lines([f"harvest {crawl} --jobs 1"], old))
    later.value = 1
    shutil.copytree(old, base)
    undisturbed(["update RUN --jobs 1"], base)
    other, lett = folder / "other", as_lett(folder / "site.lett")
    undisturbed([f"harvest {lett} -l en,fr -o RUN --jobs 1"], other)
    formats = ",".join([*(form.name for form in FORMATS if form.write), CESALIGN])
    full = Path(shutil.copytree(base, folder / "full"))
    undisturbed([f"export RUN --to {formats}"], full)
    for name in ("sample.html", "sheet.tsv"):
        write_sheet(draw_sample(open_run(full).segments("en", "fr").kept_rows(), 1_000), full / name, title="run")
    shutil.copy(full / OUT / "en-fr.jsonl", full / OUT / ".en-fr.jsonl.1.part")
    judged = folder / "judged.tsv"
    judged.write_text(_judged((full / "sheet.tsv").read_text(encoding="utf-8")), encoding="utf-8")
    address = f"http://{host}/en/{FORGOTTEN}.html"
    tasks = [f"tasks plan {lett} -l en,fr -o RUN", "tasks run RUN read", "tasks run RUN site", "tasks finish RUN"]
    return {
        "crawl": Command([f"crawl {crawl}"], None, timeless=True),
        "harvest": Command([f"harvest {crawl} --jobs 1"], None, timeless=True),
        "update": Command(["update RUN --jobs 1"], old, timeless=True),
        "forget": Command([f"forget RUN --url {address} --jobs 1"], full, timeless=True, gone=address),
        "export": Command([f"export RUN --to {formats}"], base),
        "merge": Command([f"merge {base} {other} -o RUN"], None),
        "tasks": Command(tasks, None),
        "clean": Command(["clean RUN --min-score 0.7"], full),
        "judge": Command([f"judge RUN {judged}"], full),
    }


def _judged(sheet: str) -> str:
    """A sheet with a verdict on each row, every third wrong."""
    place = SHEET_COLUMNS.index("verdict")
    head, *rows = sheet.splitlines()
    cells = [row.split("\t") for row in rows]
    for number, row in enumerate(cells):
        row[place] = "n" if number % 3 == 0 else "y"
    return "\n".join([head, *map("\t".join, cells)]) + "\n"


def type_lines(lines: Sequence[str], run: Path) -> None:
    """Type command lines; SystemExit where one fails."""
    for line in lines:
        code = type_line(line.replace("RUN", str(run)).split())
        if code:
            raise SystemExit(f"diglot {line}: exit code {code}")


def started(lines: Sequence[str], run: Path, before_operation: int = -1, tell: int = -1) -> int:
    """Command lines at work in a process group of its own; its id. It kills itself before this operation on the disk.

    It is forked from this process, which has all modules, and so are its workers and its crawl: kills fall on its work,
    not on its imports. ``tell``: where the number of operations is written at the end.
    """
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    os.setsid()
    code, operations = 1, [0]

    def noted(event: str, arguments: tuple[Any, ...]) -> None:
        if event in ("os.rename", "os.remove") or (event == "open" and arguments[2] & _WRITING):
            if operations[0] == before_operation:
                os.killpg(0, signal.SIGKILL)
            operations[0] += 1

    try:
        said = os.open(run.parent / SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.addaudithook(noted)
        type_lines(lines, run)
        if tell >= 0:
            os.write(tell, str(operations[0]).encode())
        code = 0
    finally:
        os._exit(code)


def undisturbed(lines: Sequence[str], run: Path) -> tuple[float, int]:
    """Seconds and operations on the disk of command lines to their end; SystemExit where one fails."""
    read_end, write_end = os.pipe()
    before = time.monotonic()
    _, status = os.waitpid(started(lines, run, tell=write_end), 0)
    os.close(write_end)
    with os.fdopen(read_end) as told:
        operations = told.read()
    if status:
        raise SystemExit(f"{lines[0]}: {status}: {(run.parent / SAID).read_text(encoding='utf-8')[-500:]}")
    return time.monotonic() - before, int(operations)


def killed(lines: Sequence[str], run: Path, after_s: float, before_operation: int) -> bool:
    """Begin and kill all of it, at a moment or by itself; False where it had ended before."""
    pid, until = started(lines, run, before_operation), time.monotonic() + after_s
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.WIFSIGNALED(status)
        if before_operation < 0 and time.monotonic() >= until:
            break
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
        if not path.is_file() or name in NOT_COMPARED or ("/" in name and not name.startswith(f"{OUT}/")):
            continue
        data = contents(path) if timeless else path.read_bytes()
        if path.name == "summary.json":
            data = json.dumps({k: v for k, v in json.loads(data).items() if k != "seconds"}).encode()
        found[name] = TIME.sub("", data.decode("utf-8", "replace")).encode() if timeless else data
    files = sorted(map(str, (run / "warc").glob("*.warc.gz")))
    pages = (page for source in open_sources(files) for page in read(source) if isinstance(page, Page)) if files else ()
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


ROUNDS, BLOCK = 1_000, 9
LIMITS = ""


def opened(seed: int, _corpus: Path | None) -> AbstractContextManager[Callable[[range], Tally]]:
    """Give the function that runs rounds, each a command and its kills."""
    return prepared(seed)


@contextmanager
def prepared(seed: int, names: Sequence[str] = ()) -> Iterator[Callable[[range], Tally]]:
    """As :func:`opened`, for some of the commands; without names for all."""
    later, port = multiprocessing.Value("i", 0), multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(later, port), daemon=True)
    server.start()
    try:
        while not port.value:
            time.sleep(0.01)
        with tempfile.TemporaryDirectory() as name:
            commands = all_commands(Path(name), f"127.0.0.1:{port.value}", later)
            commands = {name: command for name, command in commands.items() if not names or name in names}
            for command in commands.values():
                if not names:  # some commands are a test, whose kills may fall on imports, too
                    warm_up(partial(type_lines, command.lines, _begin(command, Path(name))))
                run = _begin(command, Path(name))
                command.takes_s, command.operations = undisturbed(command.lines, run)
                command.wanted = outputs(run, timeless=command.timeless)
            yield lambda rounds: _run(rounds, seed, commands, Path(name))
    finally:
        server.terminate()
        server.join()


def _begin(command: Command, place: Path) -> Path:
    """The run folder that a command begins with, always in the same place."""
    run = place / "work" / "run"
    shutil.rmtree(run.parent, ignore_errors=True)
    run.parent.mkdir()
    if command.base is not None:
        shutil.copytree(command.base, run)
    return run


def _run(rounds: range, seed: int, commands: dict[str, Command], place: Path) -> Tally:
    tally, before = Tally(rounds=len(rounds)), _children_cpu_s()
    for number in rounds:
        began, name = time.monotonic(), [*commands][number % len(commands)]
        told = _attack(name, commands[name], place, random.Random(f"{seed} {number}"), tally)
        if told:
            tally.fail("wrong", f"{number}: {name}: {told}")
        tally.slowest_s = max(tally.slowest_s, time.monotonic() - began)
    tally.cpu_s = _children_cpu_s() - before
    tally.peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return tally


def _attack(name: str, command: Command, place: Path, draw: random.Random, tally: Tally) -> str:
    """Kill a command, type it again to its end; what differs, "" where nothing does."""
    kills: list[str] = []
    for _ in range(MAX_TRIES):
        run = _begin(command, place)
        while not kills or (draw.random() < SECOND_KILL and not (name == "update" and is_done(run))):
            moment = draw.random() * command.takes_s
            operation = draw.randrange(command.operations) if draw.random() < 0.5 else -1
            if not killed(command.lines, run, moment, operation):
                break
            kills.append(f"operation {operation}" if operation >= 0 else f"{moment:.2f} s")
            tally.counts[name] += 1
        if kills:
            break
    else:
        return "no kill came in time"
    try:
        if not (name == "update" and is_done(run)):  # one more would find nothing new
            undisturbed(command.lines, run)
    except SystemExit as error:
        return f"after a kill at {' and '.join(kills)}: {error}"
    found = outputs(run, timeless=command.timeless)
    differing = sorted(key for key in {*command.wanted, *found} if command.wanted.get(key) != found.get(key))
    left = remains(run, command.gone) if command.gone else []
    parts = [path.name for path in run.rglob("*.part")]
    if not (differing or left or parts):
        return ""
    return f"after a kill at {' and '.join(kills)}: other outputs {differing[:5]}, remains {left}, unfinished {parts}"


def _children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
