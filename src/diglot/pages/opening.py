"""The kind of each SOURCE, detected from its bytes or from the name of a remote file, and checked before any work."""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote
from typing import TypeVar
from urllib.parse import urlsplit

import idna

from diglot.arguments import as_options, is_mail_address
from diglot.disk.safe_read import read_text
from diglot.disk.store import REMOTE
from diglot.document_kinds import may_start_document, medium_of
from diglot.errors import SourceError, describe_error
from diglot.pages.address import NOT_IN_ADDRESS, is_web_address, normalise_address
from diglot.pages.byte_feed import Mapped, inflate, is_gzip, map_file, member_start
from diglot.pages.containers import FOLDER_ENDS, KIND_BY_END, TITLES, Kind, containers_in_turn
from diglot.pages.folder import has_html, has_pages, is_mirror, suggested_base
from diglot.pages.media import MAX_DOCUMENT_BYTES
from diglot.pages.packing import ZSTD_HEAD_BYTES, lacks_dictionary
from diglot.pages.place import is_list, is_remote, name_of, read_list, remote_stamp
from diglot.pages.source import PARALLEL_REQUESTS, Source
from diglot.progress import Progress
from diglot.public_suffixes import invented_base
from diglot.records import Damaged, Refused

CDX_START = b" CDX "
"""Beginning of the first line of an index in the older format; the blank is the separator of its fields."""
EMPTY = "the file is empty; fetch or copy it again"
NAMED_AT_MOST = 20
"""Most unreadable sources named at once."""
_HOST_WITHOUT_SCHEME = re.compile(r"(?:(?:[\w-]+\.)*[\w-]+:\d+|\d{1,3}(?:\.\d{1,3}){3}|www\.[^/]+|localhost)(?:/.*)?")
"""A host with a port, a number of a machine, or a name that only hosts have: seldom the name of a missing file."""
_T = TypeVar("_T")
_U = TypeVar("_U")


def open_sources(
    specs: Sequence[str],
    *,
    base_url: str = "",
    warc_prefix: str = "",
    hosts: Sequence[str] = (),
    skip_unreadable: bool = False,
    skipped: list[str] | None = None,
) -> list[Source]:
    """Detect the kind of each SOURCE, before any pages are read.

    ``specs``: paths of WARC, ARC, WACZ or ``.lett`` files, CDXJ indexes, folders of pages or of archives, ``s3://``,
    ``gs://`` or ``hdfs://`` addresses of such files, lists of sources (``@FILE``, ``.paths``, ``.paths.gz``);
    ``base_url``: http(s) address of a folder of HTML, if neither its pages (of HTTrack, or saved by a browser) nor
    folders named like hosts give it; ``warc_prefix``: folder or remote place of the files in a list or index, if not
    beside it; ``hosts``: hosts to read from an index; ``skip_unreadable``: leave unreadable sources out, and append the
    reason of each to ``skipped``.
    Raises SourceError: a line with the source and advice, for several unreadable sources a line each. With
    ``skip_unreadable`` only if no source can be read.
    """
    failed: list[SourceError] = []
    sources = _open_listed(specs, base_url, warc_prefix, hosts, failed)
    if failed and not (skip_unreadable and sources):
        raise _unreadable(failed, len(sources) + len(failed), is_skipping=skip_unreadable)
    if skipped is not None:
        # The command line prints these texts among notes.
        skipped += [as_options(str(error)) for error in failed]
    kinds = {source.kind for source in sources}
    if base_url and Kind.FOLDER not in kinds:
        raise SourceError("base_url= says what a folder stands for, but no source is a folder: leave it out")
    if hosts and Kind.CDXJ not in kinds:
        raise SourceError("hosts= chooses from a CDXJ index, but no source is one: leave it out")
    if warc_prefix and Kind.CDXJ not in kinds and not any(map(is_list, specs)):
        raise SourceError(
            "warc_prefix= says where the files of a list or index lie, but no source is one: leave it out"
        )
    return sources


def _open_listed(
    specs: Sequence[str], base_url: str, warc_prefix: str, hosts: Sequence[str], failed: list[SourceError]
) -> list[Source]:
    """The sources of ``specs``, of lists, and of folders of archives; appends errors of unreadable sources to
    ``failed``. Raises SourceError for a source that is given twice."""
    if not specs:
        raise SourceError("no SOURCE given: name a WARC file, a .lett file or a folder of HTML files or documents")
    _check_base_url(base_url)
    _check_warc_prefix(warc_prefix)
    given = [read_list(spec, warc_prefix=warc_prefix) if is_list(spec) else [spec] for spec in specs]
    listed = [spec for each in given for spec in each]
    asked = [each for spec in listed for each in (_archives_in(spec) or [spec])]
    found = _without_errors(_try_all(lambda spec: (spec, _resolve(spec)), asked), failed)
    names = Counter(name_of(each) for _, each in found)
    once: set[str] = set()
    for spec, each in found:
        if each in once:
            raise SourceError(f"{spec} is given twice: name each SOURCE once")
        once.add(each)
    calls = [
        partial(
            open_source,
            each,
            name=name_of(each) if names[name_of(each)] == 1 else spec.partition("?")[0],
            base_url=base_url,
            warc_prefix=warc_prefix,
            hosts=hosts,
        )
        for spec, each in found
    ]
    with ThreadPoolExecutor(PARALLEL_REQUESTS if any(is_remote(each) for _, each in found) else 1) as threads:
        return _without_errors(_try_all(lambda call: call(), calls, threads), failed)


def _archives_in(spec: str) -> list[str]:
    """Paths of the archives in a folder without pages, each once, sorted; none for another source.

    Links are followed. A link that leads nowhere and a folder that may not be read are also given, so that an error
    names them.
    """
    given = os.path.expanduser(spec)
    if (
        is_remote(spec)
        or looks_like_address(spec)
        or not os.path.isdir(given)
        or not os.access(given, os.R_OK | os.X_OK)
    ):
        return []
    folder = os.path.realpath(given)
    if has_pages(Path(folder)):
        return []
    found: list[str] = []
    walked: set[str] = set()
    unreadable: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=unreadable.append, followlinks=True):
        if (real := os.path.realpath(place)) in walked:  # by a second link, or a link to a folder around it
            folders.clear()
            continue
        walked.add(real)
        found += [os.path.join(place, name) for name in names if name.lower().endswith(FOLDER_ENDS)]
    found += [error.filename for error in unreadable]
    # Of several paths to a file the first by name counts.
    return sorted({os.path.realpath(path): path for path in sorted(found, reverse=True)}.values())


def _without_errors(results: Iterable[_U | SourceError], failed: list[SourceError]) -> list[_U]:
    """The results that are no errors; appends the errors to ``failed``."""
    kept: list[_U] = []
    for result in results:
        if isinstance(result, SourceError):
            failed.append(result)
        else:
            kept.append(result)
    return kept


def _unreadable(failed: Sequence[SourceError], asked: int, *, is_skipping: bool) -> SourceError:
    """One error for all unreadable sources, with a line for each of the first :data:`NAMED_AT_MOST`.

    ``asked``: number of all sources.
    """
    if asked == 1:
        return failed[0]
    skip = "" if is_skipping else "skip_unreadable=True goes on without "
    if len(failed) == 1:
        return SourceError(f"{failed[0]}; {skip}it" if skip else str(failed[0]))
    lines = [f"  {error}" for error in failed[:NAMED_AT_MOST]]
    if len(failed) > NAMED_AT_MOST:
        lines.append(f"  and {len(failed) - NAMED_AT_MOST:,} more")
    if skip and len(failed) < asked:
        lines.append(f"{skip}them")
    return SourceError("\n".join([f"{len(failed):,} of {asked:,} sources cannot be read:", *lines]))


def skipped_lines(skipped: Sequence[str], sources: Sequence[Source]) -> list[str]:
    """Lines with the number of skipped sources, and up to :data:`NAMED_AT_MOST` of their errors; none without any.

    >>> skipped_lines(["a.warc: the file is empty"], [])
    ['1 of 1 sources cannot be read and are left out', 'a.warc: the file is empty']
    """
    if not skipped:
        return []
    lines = [f"{len(skipped):,} of {len(skipped) + len(sources):,} sources cannot be read and are left out"]
    lines += skipped[:NAMED_AT_MOST]
    return [*lines, f"and {len(skipped) - NAMED_AT_MOST:,} more"] if len(skipped) > NAMED_AT_MOST else lines


def report_on_sources(lines: Sequence[str], progress: Progress | None) -> None:
    """Report lines about sources, such as skipped files, to a listener."""
    if lines and progress is not None:
        progress.start("sources", None, "")
        progress.finish("\n          ".join(lines))


def _try_all(
    work: Callable[[_T], _U], items: Sequence[_T], threads: Executor | None = None
) -> Iterable[_U | SourceError]:
    """The result of each item, or its error."""

    def try_one(item: _T) -> _U | SourceError:
        try:
            return work(item)
        except SourceError as error:
            return error

    return list(threads.map(try_one, items) if threads else map(try_one, items))


def open_source(
    spec: str, *, name: str = "", base_url: str = "", warc_prefix: str = "", hosts: Sequence[str] = ()
) -> Source:
    """Open a single source that is no list, with the options of :func:`open_sources`.

    ``name``: name of the source in its pages, by default the file name.
    """
    resolved = _resolve(spec)
    name = os.fsencode(name or name_of(resolved) or resolved).decode("utf-8", "replace").replace("\n", "\ufffd")
    if is_remote(resolved):
        kind, stamp = _remote_kind(resolved), remote_stamp(resolved)
    else:
        kind, stamp = _kind(spec, Path(resolved)), None
    source = Source(name, kind, resolved, stamp=stamp)
    if kind is Kind.FOLDER:
        return replace(source, base_url=normalise_address(_base_of_folder(spec, Path(resolved), base_url)))
    if kind is Kind.CDXJ:
        place = warc_prefix if is_remote(warc_prefix) or not warc_prefix else os.path.abspath(warc_prefix)
        return replace(source, warc_prefix=place, hosts=tuple(sorted(map(_plain_host, hosts))))
    return source


def looks_like_address(spec: str) -> bool:
    """Whether a SOURCE is a web address, to be crawled."""
    return spec.lower().startswith(("http://", "https://"))


def _check_base_url(base_url: str) -> None:
    parts = urlsplit(base_url) if not base_url or is_web_address(base_url) else None
    if parts is None or parts.query or parts.fragment:
        raise SourceError(f"base_url={base_url}: not a plain web address; try https://www.example.org/docs/")


def _check_warc_prefix(warc_prefix: str) -> None:
    if "://" in warc_prefix and not is_remote(warc_prefix):
        raise SourceError(
            f"warc_prefix={warc_prefix}: give a folder, or s3://, gs:// or hdfs://; fetch files of other addresses"
        )


def _resolve(spec: str) -> str:
    """The real path of an existing file or folder, or the unchanged address of a remote file."""
    if looks_like_address(spec):
        raise SourceError(
            f"{spec}: an address is no file; `diglot crawl` and `diglot harvest` fetch from it, "
            f"and files are read from {', '.join(REMOTE)}"
        )
    if is_remote(spec):
        return spec
    path = Path(os.path.expanduser(spec))
    try:
        path.stat()
    except (OSError, ValueError) as error:
        if is_mail_address(spec):
            raise SourceError(
                f"{spec}: a mail address; give that of a website, such as https://www.example.org/"
            ) from error
        if _HOST_WITHOUT_SCHEME.fullmatch(spec):
            raise SourceError(
                f"{spec}: an address begins with https:// or http://, as in http://{spec}; there is no such file"
            ) from error
        detail = "no such file or folder" if isinstance(error, FileNotFoundError) else describe_error(error)
        raise SourceError(f"{spec}: {detail}; check the path; an address begins with https:// or http://") from error
    return _in_utf8(str(path.resolve()))


def _in_utf8(path: str) -> str:
    """``path``; raises SourceError for a path that is not UTF-8: no output, log or ``diglot.toml`` could state it."""
    try:
        path.encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"{str(os.fsencode(path))[1:]}: not UTF-8; rename the file or its folder") from error
    return path


def _plain_host(text: str) -> str:
    """The name of a host in its form in addresses: lower case, IDNA."""
    host = text.strip().strip(".").lower()
    try:
        host = host if host.isascii() else idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        host = ""
    if not host or urlsplit(f"//{host}").hostname != host or NOT_IN_ADDRESS.search(host):
        raise SourceError(f"hosts={text!r}: no name of a host; write it alone, as in www.example.org")
    return host


def _remote_kind(spec: str) -> Kind:
    name = name_of(spec).lower()
    for end, kind in KIND_BY_END.items():
        if name.endswith(end):
            return kind
    raise SourceError(f"{spec}: a remote file is known by its name, which should end in {', '.join(KIND_BY_END)}")


def _kind(spec: str, path: Path) -> Kind:
    if path.is_dir():
        return Kind.FOLDER
    if not path.is_file():
        raise SourceError(f"{spec}: neither a file nor a folder; name a WARC file, a .lett file or a folder")
    return _file_kind(spec, path)


def _base_of_folder(spec: str, path: Path, base_url: str) -> str:
    """The address of a folder: ``base_url``, else "" for a mirror, and an invented address for a folder of documents.

    Documents seldom link each other. Pages of HTML do, and their links need the real address.
    """
    if not os.access(path, os.R_OK | os.X_OK):
        raise SourceError(f"{spec}: the folder may not be read; check its permissions")
    if (path / "journal.db").is_file() and (path / "diglot.toml").is_file():
        exports = f"`diglot export {quote(spec)}` writes its segments"
        if _is_merge(path / "diglot.toml"):
            raise SourceError(f"{spec}: a merge of runs and no source; name what its runs were made of; {exports}")
        again = f"diglot harvest --config {quote(str(path / 'diglot.toml'))} -o {quote(spec)}"
        raise SourceError(f"{spec}: a run folder and no source; `{again}` goes on with the run, and {exports}")
    if not has_pages(path):
        raise SourceError(f"{spec}: no HTML file and no document in this folder, and no archive; name another")
    if base_url or is_mirror(path):
        return base_url
    if not has_html(path):
        return invented_base(path.name)
    raise SourceError(
        f"{spec}: its pages do not say where they come from (no folder named as a host, no HTTrack comment, "
        "no comment of a browser in most); "
        f"give base_url={suggested_base(path) or 'https://HOST/PATH'}, the address the folder stands for"
    )


def _is_merge(config: Path) -> bool:
    """Whether the options of a run are those of a merge; False for damaged ones."""
    try:
        return "merged" in tomllib.loads(read_text(config))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False


_UNPACKERS = {
    (0, b"\xfd7zXZ\0"): "xz -dk",
    (0, b"BZh"): "bzip2 -dk",
    (0, b"\x04\x22\x4d\x18"): "lz4 -dk",
    (0, b"7z\xbc\xaf"): "7z x",
    (257, b"ustar"): "tar -xf",
}
"""Commands that unpack files of other formats, by place and bytes of their signature."""


def _file_kind(spec: str, path: Path) -> Kind:
    try:
        if path.stat().st_size == 0:
            raise SourceError(f"{spec}: {EMPTY}")
        with map_file(path) as data:
            kind = _kind_of_bytes(data, path.name.lower())
    except OSError as error:
        raise SourceError(f"{spec}: {error.strerror}; check the file and its permissions") from error
    except Refused as damage:
        raise SourceError(f"{spec}: {damage.detail}") from damage
    if kind is None:
        first, *others, last = TITLES
        raise SourceError(
            f"{spec}: neither {first} nor {', '.join(others)} or {last}; for a single page name the folder it is in"
        )
    return kind


def _first_bytes(data: Mapped) -> bytes:
    """The first bytes of a file, unpacked if it is a readable gzip file."""
    try:
        return next(inflate(data), b"")
    except Refused:
        return data[: len(CDX_START)]


def _refuse_document(data: Mapped) -> None:
    """Raise Damaged, with advice, for a document: single pages are no sources."""
    medium = medium_of(data[:MAX_DOCUMENT_BYTES])
    if medium is not None:
        raise Damaged(f"one {medium.name.upper()}; name the folder it is in, or two documents to `diglot align`")


def _kind_of_bytes(data: Mapped, name: str) -> Kind | None:
    """Kind of a file by its bytes, and by its name where formats look alike; None for unknown formats.

    Raises Refused for a known, unreadable format.
    """
    start = _first_bytes(data)
    if not start:
        raise Damaged(EMPTY)
    if start.startswith(CDX_START):
        raise Damaged("an index in the format CDX, which is not read; give the WARC files it names, or a CDXJ index")
    if is_gzip(member_start(data, 0, len(start))):
        raise Damaged("packed by gzip twice; unpack it once by `gunzip -c FILE > NEW` and name the new file")
    for container in containers_in_turn(name):
        if container.fits(data, name):
            if problem := container.problem(data):
                _refuse_document(data)
                raise Damaged(problem)
            return container.kind
    _refuse_known(data, start)
    return None


def _refuse_known(data: Mapped, start: bytes) -> None:
    """Raise Damaged, with advice, for a file that is no container but known; ``start``: its first bytes, unpacked."""
    if may_start_document(start):
        _refuse_document(data)
    if lacks_dictionary(data[:ZSTD_HEAD_BYTES]):
        raise Damaged(
            "compressed by zstd with a dictionary that is not in the file; fetch it again, whole, or unpack it by "
            "`zstd -d -D DICTIONARY` and give the WARC file"
        )
    for (at, magic), command in _UNPACKERS.items():
        if start.startswith(magic, at):
            raise Damaged(f"a packed file; unpack it by `{command} FILE` and name what comes out")
