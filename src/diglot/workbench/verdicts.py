"""Verdicts and corrections of the run page: stored at once in a file, and taken into the run a little later.

Taking them writes all outputs again, which lasts seconds; storing lasts milliseconds. A download takes them first.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from diglot.disk.safe_read import read_text
from diglot.errors import DiglotError, UsageError, describe_error
from diglot.no_breaks import plain_blanks
from diglot.run import JUDGED_FILE
from diglot.workbench.processes import work_on_run
from diglot.workbench.sent_entries import check_entries
from diglot.workbench.shelf import Shelf, write_json

KEY = ("src_url", "tgt_url", "src", "tgt")
FIELDS = (*KEY, "src_lang", "tgt_lang", "verdict", "corrected_src", "corrected_tgt")
WAS_CORRECTED = "was_corrected"
"""Field of an entry that the page gets: whether the run has a correction of its texts already."""
VERDICTS = ("", "right", "partly", "wrong", "unsure")
"""The first withdraws a verdict."""
QUIET_S = 15.0
"""Seconds after the last verdict until verdicts are taken into the run."""
MAX_TEXT_CHARS = 100_000
"""Most characters of each field of an entry."""


class Verdicts:
    """Verdicts on the runs of a folder that wait to be taken."""

    def __init__(self, shelf: Shelf, quiet_s: float = QUIET_S) -> None:
        self.shelf = shelf
        self.quiet_s = quiet_s
        self._locks: dict[str, asyncio.Lock] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        for path in shelf.own("verdicts").glob("*.taking.json"):
            # A take was killed.
            self._return_to_waiting(path.name.removesuffix(".taking.json"))

    def store(self, name: str, entries: Any) -> dict[int, str]:
        """Store entries of the run page; returns why others are refused, by place. Raises: UsageError for no list."""
        checked, refused = check_entries(entries, _entry)
        if checked:
            _append(self._file(name), {_key(entry): entry for entry in checked})
            self._take_when_quiet(name)
        return refused

    def entries(self, name: str) -> list[dict[str, str]]:
        """Verdicts for the page of a run: verdicts of the run first, then waiting ones."""
        rows, aligned = {}, {}
        for key, entry in _verdict_rows(self.shelf.run(name) / JUDGED_FILE):
            rows[_key(entry)] = aligned[key] = entry
        for key, entry in {
            **waiting_entries(self._file(name, "taking.json")),
            **waiting_entries(self._file(name)),
        }.items():
            # A page that was opened before a correction was taken names the text before it.
            entry = entry if key in rows else _on_output_texts(entry, aligned.get(key, {}))
            key = _key(entry)
            rows[key] = {**entry, WAS_CORRECTED: rows.get(key, {}).get(WAS_CORRECTED, "")}
        return [entry for entry in rows.values() if entry["verdict"]]

    async def take(self, name: str) -> None:
        """Take the waiting verdicts of a run. Raises: UsageError where the run cannot be written; they still wait."""
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()
        async with self._locks.setdefault(name, asyncio.Lock()):
            taking = self._file(name, "taking.json")
            if taking.is_file():  # of a take that failed on a full disk
                self._return_to_waiting(name)
            if not self._file(name).is_file():
                return
            os.replace(self._file(name), taking)
            try:
                await work_on_run("verdicts", self.shelf.run(name), [str(taking)])
            except BaseException:
                self._return_to_waiting(name)
                raise
            taking.unlink(missing_ok=True)

    def take_waiting(self) -> None:
        """Take the verdicts that waited when an earlier server ended."""
        for path in self.shelf.own("verdicts").glob("*.waiting.json"):
            self._take_when_quiet(path.name.removesuffix(".waiting.json"))

    def _take_when_quiet(self, name: str) -> None:
        if name in self._timers:
            self._timers[name].cancel()
        self._timers[name] = asyncio.get_running_loop().call_later(self.quiet_s, self._take_soon, name)

    def _take_soon(self, name: str) -> None:
        task = asyncio.create_task(self._take_quietly(name))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _take_quietly(self, name: str) -> None:
        try:
            await self.take(name)
        except DiglotError:  # of a run at work; the next verdict or download tries again
            self._timers.pop(name, None)

    def _return_to_waiting(self, name: str) -> None:
        """Put the verdicts of a failed take back into the waiting file; of two on a segment, the newer one counts.

        Raises: UsageError if the disk is full; both files stay.
        """
        taking, waiting = self._file(name, "taking.json"), self._file(name)
        if waiting.is_file():
            write_json(waiting, {**waiting_entries(taking), **waiting_entries(waiting)})
            taking.unlink(missing_ok=True)
        elif taking.is_file():
            os.replace(taking, waiting)  # also where the disk is full

    def _file(self, name: str, end: str = "waiting.json") -> Path:
        return self.shelf.own("verdicts", f"{name}.{end}")


def waiting_entries(path: Path) -> dict[str, dict[str, str]]:
    """Entries in a file of verdicts that wait, by key, the latest last; empty without the file."""
    rows: dict[str, dict[str, str]] = {}
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError):
        return rows
    for line in lines:
        # A line that was being written at a kill is no JSON, and its page sends it again.
        with suppress(ValueError, AttributeError):
            for key, entry in json.loads(line).items():
                rows.pop(key, None)
                rows[key] = entry
    return rows


def _append(path: Path, rows: dict[str, dict[str, str]]) -> None:
    """Add entries to a file of verdicts that wait, as a line: to write all again for each message would take minutes
    for a hundred thousand verdicts. Raises: UsageError where the disk is full."""
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("ab") as handle:
            # The line before may have been cut by a kill.
            handle.write(b"\n" + json.dumps(rows, ensure_ascii=False).encode("utf-8", "replace"))
            handle.flush()
            os.fsync(handle.fileno())
    except OSError as error:
        raise UsageError(f"Verdicts cannot be saved: {describe_error(error)}.") from error


def _entry(value: Any) -> dict[str, str]:
    """An entry of the run page with its fields alone."""
    if not isinstance(value, dict):
        raise UsageError("This is no verdict on a segment.")
    entry = {name: value.get(name) for name in FIELDS}
    texts = {name: text for name, text in entry.items() if isinstance(text, str)}
    if len(texts) < len(FIELDS) or texts["verdict"] not in VERDICTS:
        raise UsageError("This is no verdict on a segment.")
    if any(len(text) > MAX_TEXT_CHARS for text in texts.values()):
        raise UsageError(f"A text of more than {MAX_TEXT_CHARS:,} characters cannot be saved.")
    return texts


def _key(entry: dict[str, str]) -> str:
    # The run stores plain blanks, and the page shows those of the website.
    return plain_blanks("\x1f".join(entry[name] for name in KEY))


def _on_output_texts(entry: dict[str, str], taken: dict[str, str]) -> dict[str, str]:
    """An entry on the texts as aligned, rewritten as an entry on the corrected texts of the outputs.

    ``taken``: the entry of the run with these corrections; empty where nothing was corrected.
    """
    texts = {side: taken.get(side, entry[side]) for side in ("src", "tgt")}
    news = {
        f"corrected_{side}": entry[f"corrected_{side}"] for side in texts if entry[f"corrected_{side}"] != texts[side]
    }
    return {**entry, "corrected_src": "", "corrected_tgt": "", **texts, **news}


def _verdict_rows(path: Path) -> Iterable[tuple[str, dict[str, str]]]:
    """Judgements of a run as entries, by the key of the texts as aligned. The texts of an entry are those of the
    outputs, after correction."""
    try:
        lines = read_text(path).split("\n") if path.is_file() else []
        found = [json.loads(line) for line in lines if line]
        for each in found:
            entry = {name: str(each.get(name, "")) for name in FIELDS}
            texts = {side: entry[f"corrected_{side}"] or entry[side] for side in ("src", "tgt")}
            was = "yes" if entry["corrected_src"] or entry["corrected_tgt"] else ""
            yield _key(entry), {**entry, **texts, "corrected_src": "", "corrected_tgt": "", WAS_CORRECTED: was}
    except (OSError, ValueError, AttributeError, DiglotError):  # damaged by hand; commands say so
        return
