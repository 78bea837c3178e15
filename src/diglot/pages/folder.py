"""Folders of HTML files, HTTrack mirrors among them: files -> pages, addressed by comment or by path."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_from_bytes

from diglot.pages.address import is_web_address, tidy_address
from diglot.pages.html_sniff import SNIFFED_BYTES, is_html
from diglot.pages.refusal import Refused
from diglot.records import Drop, Page, Reason

HTML_EXTENSIONS = frozenset({".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp"})
OTHER_EXTENSIONS = frozenset(
    {".css", ".js", ".mjs", ".json", ".xml", ".rss", ".svg", ".txt", ".csv", ".pdf", ".png", ".jpg", ".jpeg"}
    | {".gif", ".webp", ".ico", ".woff", ".woff2", ".ttf", ".zip", ".gz", ".mp3", ".mp4", ".webm"}
)
"""Taken at their word; files of any other extension are looked into."""

MIRROR_COMMENT = re.compile(rb"<!--\s*Mirrored from\s+(\S[^<>]{0,4000}?)\sby HTTrack Website Copier", re.IGNORECASE)
MIRROR_COMMENT_WITHIN_BYTES = 1 << 16
"""HTTrack writes its comment behind the opening html tag."""

SAFE_IN_PATH = "/!$&'()*+,;=:@~"
"""What RFC 3986, 3.3, lets stand in a path, beside letters, digits and ``-._``."""


def read_folder(path: Path, *, name: str, base_url: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Read the HTML files under ``path``, in the order of :func:`sorted_files`.

    A page's address is that of its HTTrack comment, ``base_url`` and the percent-encoded relative path where
    it has none, and without either it is a ``Drop``. Symbolic links to folders, links that lead out of
    ``path`` and whatever is no regular file are not opened.
    """
    root = path.resolve()
    for relative in sorted_files(root):
        label = f"{name}/{os.fsencode(relative).decode('utf-8', 'replace')}"
        try:
            body = _read_file(root, relative, max_page_bytes)
            url = mirrored_from(body) or file_address(base_url, relative)
            if not url:
                detail = "no HTTrack comment; --base-url would say what the folder stands for"
                raise Refused(Reason.NO_ADDRESS, detail)
            yield Page(url, body, source=label)
        except Refused as refusal:
            url = file_address(base_url, relative) or f"{label}@0"
            yield Drop(url, refusal.reason, refusal.detail, label)


def sorted_files(root: Path) -> Iterator[str]:
    """Give the paths, relative to ``root`` and with "/", of everything in it that is no folder.

    A folder's files come first, then its folders, each in the order of their names' bytes. Links to
    folders are given, not entered, and so are folders that may not be listed.
    """
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(root / folder) as entries:
                below = {f"{folder}{entry.name}": entry.is_dir(follow_symlinks=False) for entry in entries}
        except OSError:
            yield folder.rstrip("/")
            continue
        names = sorted(below, key=os.fsencode)
        yield from (name for name in names if not below[name])
        pending += [f"{name}/" for name in reversed(names) if below[name]]


def mirrored_from(body: bytes) -> str:
    """The address in a page's HTTrack comment, "" if there is no such comment or no address in it."""
    comment = MIRROR_COMMENT.search(body, 0, MIRROR_COMMENT_WITHIN_BYTES)
    if comment is None:
        return ""
    try:
        stated = comment[1].decode("utf-8")
    except UnicodeDecodeError:
        stated = comment[1].decode("latin-1")
    address = tidy_address(stated if "://" in stated.partition("?")[0] else f"http://{stated}")
    return quote(address, safe=SAFE_IN_PATH + "%?[]") if is_web_address(address) else ""


def file_address(base_url: str, relative: str) -> str:
    """The address of a file in a folder that stands for ``base_url``; "" without one."""
    if not base_url:
        return ""
    return f"{base_url.rstrip('/')}/{quote_from_bytes(os.fsencode(relative), safe=SAFE_IN_PATH)}"


def leads_inside(root: Path, path: Path) -> bool:
    """Whether a file, symbolic links followed, lies in ``root`` (itself resolved)."""
    return Path(os.path.realpath(path)).is_relative_to(root)


def is_mirror(root: Path) -> bool:
    """Whether some HTML file of the folder carries an HTTrack comment."""
    return any(mirrored_from(_start_of(root, file)) for file in sorted_files(root) if _extension_allows(file))


def has_html(root: Path) -> bool:
    """Whether the folder holds any file that looks like HTML."""
    return any(
        is_html(_start_of(root, file), _type_by_name(file)) for file in sorted_files(root) if _extension_allows(file)
    )


def _read_file(root: Path, relative: str, max_page_bytes: int) -> bytes:
    path = root / relative
    if not _extension_allows(relative):
        raise Refused(Reason.NOT_HTML, f"a {Path(relative).suffix.lower()} file")
    if not leads_inside(root, path):
        raise Refused(Reason.UNREADABLE_FILE, "a symbolic link that leads out of the folder")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            folder = "a link to a folder, or one that may not be listed"
            other = "not a regular file"
            raise Refused(Reason.UNREADABLE_FILE, folder if stat.S_ISDIR(status.st_mode) else other)
        with path.open("rb") as file:
            body = file.read(SNIFFED_BYTES)
            if body and not is_html(body, _type_by_name(relative)):
                raise Refused(Reason.NOT_HTML, "no markup at its beginning")
            body += file.read(max_page_bytes + 1 - len(body))
    except OSError as error:
        raise Refused(Reason.UNREADABLE_FILE, error.strerror or str(error)) from error
    if not body:
        raise Refused(Reason.NO_TEXT, "the file is empty")
    if len(body) > max_page_bytes:
        raise Refused(Reason.TOO_LARGE, f"{status.st_size} bytes, more than {max_page_bytes}")
    return body


def _extension_allows(relative: str) -> bool:
    return Path(relative).suffix.lower() not in OTHER_EXTENSIONS


def _type_by_name(relative: str) -> str:
    return "text/html" if Path(relative).suffix.lower() in HTML_EXTENSIONS else ""


def _start_of(root: Path, relative: str) -> bytes:
    path = root / relative
    try:
        if not leads_inside(root, path) or not stat.S_ISREG(path.stat().st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(MIRROR_COMMENT_WITHIN_BYTES)
    except OSError:  # it will be named when the folder is read
        return b""
