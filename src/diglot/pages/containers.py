"""The table of containers, the formats of single files with many pages: what the other modules of sources read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from functools import partial
from pathlib import Path
from typing import Protocol

from diglot.pages.archive_records import opens_record
from diglot.pages.byte_feed import Mapped
from diglot.pages.cdxj import opens_cdxj
from diglot.pages.lett import opens_lett, read_lett
from diglot.pages.record_forms import ARC, WARC
from diglot.pages.wacz import is_zip, read_wacz, wacz_problem
from diglot.pages.warc import read_arc, read_warc
from diglot.records import Drop, Page


class Kind(StrEnum):
    """Kinds of SOURCE."""

    WARC = "warc"
    ARC = "arc"
    WACZ = "wacz"
    FOLDER = "folder"
    LETT = "lett"
    CDXJ = "cdxj"


class RecognisedBy(IntEnum):
    """How the format of a file is recognised, in the order of the attempts."""

    FIRST_BYTES = 0
    NAME_OR_LINE = 1
    """The end of its name alone, since text has no signature, or else its first line."""
    SEARCH = 2
    """A record, even one behind damage. The formats look alike: the one that the name fits comes first."""


class Reader(Protocol):
    """All pages of a file."""

    def __call__(self, path: Path, *, name: str, max_page_bytes: int) -> Iterator[Page | Drop]: ...


@dataclass(frozen=True, kw_only=True)
class Container:
    """A container format. Remote files of it are known by their names, and are copied to this machine when read."""

    kind: Kind
    title: str
    """Name in messages."""
    ends: tuple[str, ...]
    """Ends of file names, in lower case."""
    recognised_by: RecognisedBy
    opens: Callable[[Mapped], bool]
    """Whether the bytes of a file, mapped into memory, are of this format; raises Refused for a damaged file."""
    problem: Callable[[Mapped], str] = lambda data: ""
    """Why a file that ``opens`` accepts cannot be read, with advice; "" for a readable one."""
    read: Reader | None
    """None for an index, which names files to read."""
    in_folders: bool = False
    """Whether a folder without pages may hold such files: a folder of archives is all of them."""

    def fits(self, data: Mapped, name: str) -> bool:
        """Whether a file is of this format, by its bytes or its name, in lower case."""
        return (self.recognised_by is RecognisedBy.NAME_OR_LINE and name.endswith(self.ends)) or self.opens(data)


CONTAINERS = (
    Container(
        kind=Kind.WARC,
        title="WARC",
        ends=(".warc", ".warc.gz", ".warc.zst"),
        recognised_by=RecognisedBy.SEARCH,
        opens=partial(opens_record, form=WARC),
        read=read_warc,
        in_folders=True,
    ),
    Container(
        kind=Kind.LETT,
        title=".lett",
        ends=(".lett", ".lett.gz"),
        recognised_by=RecognisedBy.NAME_OR_LINE,
        opens=opens_lett,
        read=read_lett,
    ),
    Container(
        kind=Kind.ARC,
        title="ARC",
        ends=(".arc", ".arc.gz"),
        recognised_by=RecognisedBy.SEARCH,
        opens=partial(opens_record, form=ARC),
        read=read_arc,
        in_folders=True,
    ),
    Container(
        kind=Kind.WACZ,
        title="WACZ",
        ends=(".wacz",),
        recognised_by=RecognisedBy.FIRST_BYTES,
        opens=is_zip,
        problem=wacz_problem,
        read=read_wacz,
        in_folders=True,
    ),
    Container(
        kind=Kind.CDXJ,
        title="a CDXJ index",
        ends=(".cdxj", ".cdxj.gz"),
        recognised_by=RecognisedBy.NAME_OR_LINE,
        opens=opens_cdxj,
        read=None,
    ),
)
"""All containers. ``docs/how-to/add-a-source-format.md`` says how to add one."""

READERS = {each.kind: each.read for each in CONTAINERS if each.read is not None}
"""Readers of sources that are a single file."""
KIND_BY_END = {end: each.kind for each in CONTAINERS for end in each.ends}
"""Kind of a remote file, by the end of its name: it is fetched only when read."""
FOLDER_ENDS = tuple(end for each in CONTAINERS if each.in_folders for end in each.ends)
"""Ends of the names of archives that are read from a folder."""
TITLES = tuple(each.title for each in CONTAINERS)
"""Names in messages."""


def containers_in_turn(name: str) -> list[Container]:
    """Containers in the order in which a file is tried as each of them; ``name``: its name, in lower case."""

    def turn(container: Container) -> tuple[RecognisedBy, bool]:
        by = container.recognised_by
        return by, by is RecognisedBy.SEARCH and not name.endswith(container.ends)

    return sorted(CONTAINERS, key=turn)
