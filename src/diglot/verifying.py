"""``diglot verify``: every file of a run against the hash that was noted when it was written."""

from __future__ import annotations

import contextlib
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from diglot.checked_arguments import check_arguments
from diglot.disk.atomic import file_hash
from diglot.disk.folder import RunFolder
from diglot.disk.journal_file import NAME
from diglot.errors import RunFolderError, UsageError, describe_error
from diglot.outputs.corpus_files import command_again, is_finished
from diglot.outputs.exports import export_commands, exports_of
from diglot.outputs.made_files import STAGES, made_files
from diglot.run.settings import Settings
from diglot.run.work import DOCUMENTS, WARC

DAMAGED, MISSING, CHANGED = "damaged", "missing", "changed"
"""What is wrong with a file. A changed output is "changed", not "damaged": the user may have edited it."""
_UNPACKED_AT_ONCE_BYTES = 1 << 20
_TEMPORARY = re.compile(r"tasks/.*|.*-(partitioned|candidates|decided)\.p\w+")
"""Paths of files that are deleted at the end of their stage."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A file that is not as it was written. ``why``: reason. ``stage``: stage that makes the file, "outputs" for an
    output of every run, "exports" for a file of an export, "" for a file of the crawl's archive."""

    path: str
    kind: str
    stage: str
    why: str


@dataclass(slots=True)
class Verified:
    """Result of the check of a run. ``checked``: files with a hash; ``yours``: files that Diglot did not write;
    ``unchecked``: files of the run without a hash; ``is_finished``: whether the outputs are there and were made
    with the options in force; ``remedy``: the command for making deleted files again, or advice in words if no
    file of the run states the command; ``exports``: commands for writing exports with a fault again."""

    run: Path
    checked: int = 0
    faults: list[Fault] = field(default_factory=list)
    yours: list[str] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    is_finished: bool = True
    remedy: str = ""
    exports: list[str] = field(default_factory=list)


@check_arguments
def verify_run(run: str | os.PathLike[str]) -> Verified:
    """Check the journal, the stages, the archive and the outputs of a run. Changes nothing, and reads every byte.

    Raises: RunFolderError where the journal is damaged, or another command is at work.
    """
    with RunFolder(run, create=False, finishing=True) as folder, folder.read_lock():
        # A crawl alone has an archive, and no pages or settings yet.
        has_more = any((folder.path / name).exists() for name in (DOCUMENTS, "diglot.toml"))
        is_crawl = (folder.path / WARC).is_dir() and not has_more
        finished = is_finished(folder) or is_crawl
        found = Verified(folder.path, is_finished=finished, remedy=command_again(folder))
        if folder.require_intact_journal():
            found.checked += 1
        else:
            found.unchecked.append(f"{NAME}: the last command was killed, and the next one notes its hash")
        _check_listed(folder, found)
        _find_exports(folder, found)
        _check_archive(folder, found)
        _sort_others(folder, found)
        return found


def _check_listed(folder: RunFolder, found: Verified) -> None:
    """Compare the hash of each written file with the journal."""
    for name in folder.written.names():
        path = folder.path / name
        # Archives grow after they are noted, and are checked record by record.
        if name.startswith(f"{WARC}/crawl-") or (_TEMPORARY.fullmatch(name) and not path.is_file()):
            continue
        found.checked += 1
        stage = name.partition("/")[0] if name.partition("/")[0] in STAGES else ""
        made_by = stage or "outputs"
        try:
            if file_hash(path) not in folder.written.hashes(path):
                why = "other content than was written"
                found.faults.append(Fault(name, DAMAGED if stage else CHANGED, made_by, why))
        except FileNotFoundError:
            found.faults.append(Fault(name, MISSING, made_by, "no such file"))
        except OSError as error:
            found.faults.append(Fault(name, DAMAGED, made_by, describe_error(error)))


def _find_exports(folder: RunFolder, found: Verified) -> None:
    """Set apart the faults of exports, and note the commands that write these again: a harvest writes no export."""
    outputs = [fault for fault in found.faults if fault.stage == "outputs"]
    if not outputs:
        return
    exports = exports_of(folder)
    exported = {fault.path for fault in outputs if any(export.holds(fault.path) for export in exports)}
    found.faults = [replace(each, stage="exports") if each.path in exported else each for each in found.faults]
    broken = [export for export in exports if any(map(export.holds, exported))]
    # Without its settings, or with flags of another version, a run is harvested first.
    with contextlib.suppress(RunFolderError, UsageError):
        settings = Settings.from_table(folder.settings().get("settings", {}))
        found.exports = export_commands(folder.path, settings, broken)


def _check_archive(folder: RunFolder, found: Verified) -> None:
    """Unpack each record of the crawl's archive: every gzip member ends with a checksum."""
    for name, length, starts in folder.archive_files():
        found.checked += 1
        path = folder.path / WARC / name
        try:
            wrong = list(_damaged_members(path, length, [start for start, _ in starts]))
        except FileNotFoundError:
            found.faults.append(Fault(f"{WARC}/{name}", MISSING, "", "no such file"))
            continue
        except OSError as error:
            found.faults.append(Fault(f"{WARC}/{name}", DAMAGED, "", describe_error(error)))
            continue
        for offset in wrong:
            url = next((url for start, url in reversed(starts) if start <= offset), "its first record")
            found.faults.append(Fault(f"{WARC}/{name}", DAMAGED, "", f"at byte {offset:,}: {url}"))


def _damaged_members(path: Path, length: int, starts: Sequence[int]) -> Iterator[int]:
    """Offsets of damaged gzip members in the first ``length`` bytes; ``starts``: offsets of the records, in order.

    After a damaged member the check goes on at the next record. Bytes after ``length`` were left by a killed crawl.
    """
    with path.open("rb") as file:
        at = 0
        while at < length:
            size = _member_length(file, at, length)
            if not size:
                yield at
            at = at + size if size else next((start for start in starts if start > at), length)


def _member_length(file: BinaryIO, at: int, end: int) -> int:
    """Bytes of the gzip member at an offset; 0 for a damaged one."""
    file.seek(at)
    member, read = zlib.decompressobj(wbits=31), 0
    try:
        while not member.eof:
            piece = file.read(min(_UNPACKED_AT_ONCE_BYTES, end - at - read))
            if not piece:
                return 0
            read += len(piece)
            # In pieces, because a decompression bomb would fill the memory.
            rest = piece
            while rest and not member.eof:
                member.decompress(rest, _UNPACKED_AT_ONCE_BYTES)
                rest = member.unconsumed_tail
    except zlib.error:
        return 0
    return read - len(member.unused_data)


def _sort_others(folder: RunFolder, found: Verified) -> None:
    """Note the files without a hash: files of the user, and files of unfinished stages or tasks."""
    listed = {folder.path / name for name in folder.written.names()}
    archive = {folder.path / WARC / name for name, *_ in folder.archive_files()}
    ours = made_files(folder)
    for path in sorted(folder.path.rglob("*")):
        if path.is_file() and path not in listed | archive and not folder.is_journal(path):
            name = path.relative_to(folder.path).as_posix()
            if path not in ours:
                found.yours.append(name)
            elif name.partition("/")[0] in STAGES:
                found.unchecked.append(f"{name}: of a stage or a task that is not finished")
