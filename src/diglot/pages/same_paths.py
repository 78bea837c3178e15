"""Files with the same path in several folders: they have one address, and one file counts as the page."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Sequence

from diglot.disk.atomic import file_hash
from diglot.layout import count_text, names_text
from diglot.pages.containers import Kind
from diglot.pages.folder import mirrored_pages, possible_pages
from diglot.pages.source import Source

_NAMED_AT_MOST = 3
"""Most folders that the line names."""


def same_path_lines(sources: Sequence[Source]) -> list[str]:
    """A line on files with the same path and other bytes in folders with one base address; no line if there are none.

    Copies of a file are no loss. A page of HTTrack has the address in its comment, whatever its path.
    """
    folders: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        if source.kind is Kind.FOLDER and source.base_url:
            folders[source.base_url].append(source)
    same: list[str] = []
    names: set[str] = set()
    for alike in folders.values():
        holders: dict[str, list[Source]] = defaultdict(list)
        for source in alike if len(alike) > 1 else ():
            for file in set(possible_pages(source.path)) - mirrored_pages(source.path).keys():
                holders[file].append(source)
        for file, those in holders.items():
            sizes = {each: _size_of(each, file) for each in those if len(those) > 1}
            readable = [each for each, size in sizes.items() if size is not None]
            # Files of several sizes differ, and are not read.
            are_alike = len({sizes[each] for each in readable}) < 2
            if not are_alike or len({_hash_of(each, file) for each in readable} - {""}) > 1:
                same.append(file)
                names |= {each.name for each in readable}
    if not same:
        return []
    example = os.fsencode(min(same)).decode("utf-8", "replace")
    return [
        f"{count_text(len(same), 'path')}, such as {example}, {'is' if len(same) == 1 else 'are'} in the folders "
        f"{names_text(sorted(names), _NAMED_AT_MOST)}, with different files. Files of one path have one address, and "
        "only one of them counts. If they are different pages, give as SOURCE the folder that holds these folders, and "
        "as --base-url its address"
    ]


def _size_of(source: Source, file: str) -> int | None:
    """Size of a file in bytes; None for a pipe, whose reader waits for a writer, and for an unreadable file."""
    try:
        status = (source.path / file).stat()
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _hash_of(source: Source, file: str) -> str:
    """Hash of a file; "" for an unreadable file: the read stage names the file as dropped."""
    try:
        return file_hash(source.path / file)
    except OSError:
        return ""
