"""Folders of HTML files and documents -> pages with addresses from a comment, the path or the folder's name."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath
from urllib.parse import quote, quote_from_bytes, urlsplit

from diglot.document_kinds import DOCUMENT_EXTENSIONS, drop_detail, may_start_document
from diglot.file_extensions import HTML_EXTENSIONS, OTHER_EXTENSIONS
from diglot.html_sniff import SNIFFED_BYTES, is_html
from diglot.pages.address import is_web_address, normalise_address, tidy_address, with_scheme
from diglot.pages.media import MAX_DOCUMENT_BYTES, require_page
from diglot.pages.mhtml import html_of, is_mhtml
from diglot.pages.mirror_links import MirrorLinks
from diglot.public_suffixes import are_host_folders, is_host
from diglot.reasons import Reason
from diglot.records import Drop, Page, Refused

NOT_LISTED = "a folder that may not be listed"
"""Detail of a record that stands for all files of a folder."""
RUN_FILES = frozenset(("journal.db", "run.lock"))
"""Files of a run folder, written at its start."""
_BASE_PAGES = 20
"""Pages searched for the address of their folder."""

MIRROR_COMMENT = re.compile(rb"<!--\s*Mirrored from\s+(\S[^<>]{0,4000}?)\sby HTTrack Website Copier", re.IGNORECASE)
SAVED_COMMENT = re.compile(
    rb"<!--\s*(?:saved from url=\(\d+\)|(?:Page saved with|Archive processed by) SingleFile\s+url:\s*)"
    rb"(https?://[^\s<>]{1,4000}?)(?:-->|[\s>])",
    re.IGNORECASE,
)
"""The comment of Chrome, Edge, Internet Explorer or SingleFile in a page that a person saved from the web.

Firefox writes none. Other addresses, such as ``file:///`` and ``about:internet``, do not tell where a page is from."""
COMMENT_WITHIN_BYTES = 1 << 16
"""First bytes of a file that are searched for its comment: HTTrack and SingleFile write it behind the opening html tag,
browsers before the tag."""
_FRAMES_END = "_files"
"""End of the name of the folder that a browser makes beside a saved page for its images and frames; Chrome and Edge
use it in all languages."""

SAFE_IN_PATH = "/!$&'()*+,;=:@~"
"""Characters allowed in a path by RFC 3986, 3.3, beside letters, digits and ``-._``."""

_CANONICAL_TAG = re.compile(
    rb"<(?=[^<>]*>)(?:link\s[^<>]*rel=[\"']?canonical[\"']?|meta\s[^<>]*property=[\"']og:url[\"'])[^<>]*>",
    re.IGNORECASE,
)
"""A tag with the canonical address of its page."""
_ENCODED_TWICE = re.compile("%25(?=[0-9A-Fa-f]{2})")
_OPTIONAL_END = re.compile(r"(?:(?<=/)index)?\.html?$", re.IGNORECASE)
"""What servers let an address leave out: the name of a folder's first page, the extension of other pages."""
_VALUE = re.compile(rb"(?:href|content)=[\"']?([^\"'\s<>]+)", re.IGNORECASE)
_ABSOLUTE_LINK = re.compile(rb"\shref=[\"']?(https?://[^\"'\s<>#?]{1,2000})", re.IGNORECASE)
_ENOUGH_LINKED = 2
"""Least number of files of a folder that links reach under one base address. A single file may fit by chance: any site
has an index.html."""


def read_folder(path: Path, *, name: str, base_url: str, max_page_bytes: int) -> Iterator[Page | Drop]:
    """Pages of the HTML files and documents under ``path``, in the order of :func:`sorted_files`.

    The address of a page comes from its HTTrack comment; else from ``base_url`` and the percent-encoded relative path;
    else from a first folder named like a host; else from the comment of the browser that saved it; else the file is a
    ``Drop``. A document in an HTTrack mirror has no comment: the base of the pages gives its address. Links between
    pages of a mirror lead to addresses again, not to files. Symbolic links to folders, links out of ``path`` and
    irregular files are not opened.
    """
    root = path.resolve()
    mirrored = cache(lambda: mirrored_pages(root))
    base_of_mirror = cache(lambda: mirror_base(mirrored()))
    links: MirrorLinks | None = None
    for relative in sorted_files(root):
        label = f"{name}/{os.fsencode(relative).decode('utf-8', 'replace')}"
        try:
            body = _read_file(root, relative, max_page_bytes)
            url = mirrored_from(body)
            if url:
                url = mirrored().get(relative, url)
                links = links or MirrorLinks(mirrored())
                body = links.lead_back(body, relative)
            url = url or file_address(base_url, relative)
            if not url and may_start_document(body):
                url = file_address(base_of_mirror(), relative)
            if not url and _is_frame(root, relative):
                raise Refused(Reason.NO_ADDRESS, "a frame of a saved page, no page of its own")
            url = url or saved_from(body)
            if not url:
                detail = (
                    "no folder named as a host, no comment of HTTrack or of a browser; --base-url would say what the "
                    "folder stands for"
                )
                raise Refused(Reason.NO_ADDRESS, detail)
            yield Page(url, body, source=label)
        except Refused as refusal:
            url = file_address(base_url, relative) or f"{label}@0"
            yield Drop(url, refusal.reason, refusal.detail, label)


def sorted_files(root: Path) -> Iterator[str]:
    """Paths of all files under ``root``, relative to it, with "/".

    Files of a folder come before its folders, both in byte order of names. Links to folders and unlistable folders are
    listed like files, and not entered. Run folders are left out: a run may lie in the folder that it reads, and the
    report of the run is no page of the site.
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
        if folder and RUN_FILES.issubset(name[len(folder) :] for name in below):
            continue
        names = sorted(below, key=os.fsencode)
        yield from (name for name in names if not below[name])
        pending += [f"{name}/" for name in reversed(names) if below[name]]


def mirrored_from(body: bytes) -> str:
    """The address in a page's HTTrack comment, "" for none."""
    comment = MIRROR_COMMENT.search(body, 0, COMMENT_WITHIN_BYTES)
    return _stated_address(comment[1]) if comment else ""


def mirrored_pages(root: Path) -> dict[str, str]:
    """The addresses of the pages in a folder by their HTTrack comments (:func:`own_addresses`), by the path of the
    file."""
    stated = ((file, mirrored_from(_start_of(root, file))) for file in possible_pages(root))
    return own_addresses({file: address for file, address in stated if address})


def own_addresses(stated: Mapping[str, str]) -> dict[str, str]:
    """The addresses of the pages of a mirror that somebody may have worked on, by the path of the file.

    Who publishes a mirror anew copies a page to translate it, and the comment with it. So of several files with one
    comment it holds for the file at that path; the others have the address of their path below the base of the mirror.
    Where a comment names another host for the same folder, the base of the mirror takes its place. ``stated``: the
    addresses in the comments.

    >>> own_addresses({"en/a.html": "https://example.org/en/a.html", "ar/a.html": "https://example.org/en/a.html"})
    {'en/a.html': 'https://example.org/en/a.html', 'ar/a.html': 'https://example.org/ar/a.html'}
    """
    base, bases = mirror_base(stated), {file: _base_below(address, file) for file, address in stated.items()}
    at_home = {address for file, address in stated.items() if bases[file]}
    own = dict(stated)
    for file, address in stated.items():
        if bases[file] and urlsplit(bases[file]).netloc != urlsplit(base).netloc:
            own[file] = base + address.removeprefix(bases[file])
        elif not bases[file] and address in at_home:
            own[file] = file_address(base, file)
    return own


def mirror_base(pages: Mapping[str, str]) -> str:
    """The base address of an HTTrack mirror, by most of its pages, "" for none; ``pages``: addresses by file.

    >>> mirror_base({"index.html": "https://example.org/", "fr/a.html": "https://example.org/fr/a"})
    'https://example.org'
    """
    bases = Counter(base for file, address in pages.items() if (base := _base_below(address, file)))
    return bases.most_common(1)[0][0] if bases else ""


def saved_from(body: bytes) -> str:
    """The web address in the comment of the browser that saved a page, "" for none.

    >>> saved_from(b"<!doctype html><!-- saved from url=(0025)https://example.org/a-%2Db --><html>")
    'https://example.org/a--b'
    """
    comment = SAVED_COMMENT.search(body, 0, COMMENT_WITHIN_BYTES)
    # Two hyphens may not stand in a comment: Chrome escapes the second, in names of hosts (xn--), too.
    return _stated_address(comment[1].replace(b"-%2D", b"--")) if comment else ""


def _stated_address(stated: bytes) -> str:
    try:
        text = stated.decode("utf-8")
    except UnicodeDecodeError:
        text = stated.decode("latin-1")
    address = tidy_address(with_scheme(text))
    return normalise_address(quote(address, safe=SAFE_IN_PATH + "%?[]")) if is_web_address(address) else ""


def file_address(base_url: str, relative: str) -> str:
    """The address of a file below ``base_url``; without base, by a folder named like a host, or ""."""
    return f"{base_url.rstrip('/')}/{quote_path(relative)}" if base_url else host_address(relative)


def leads_inside(root: Path, path: Path) -> bool:
    """Whether a file, symbolic links resolved, lies in the resolved folder ``root``."""
    return Path(os.path.realpath(path)).is_relative_to(root)


def is_mirror(root: Path) -> bool:
    """Whether the files of a folder tell their addresses.

    All pages lie in folders named like hosts, an HTML file has an HTTrack comment, or :func:`are_saved_pages`.
    """
    return (
        are_host_folders(_page_files(root))
        or any(mirrored_from(_start_of(root, file)) for file in possible_pages(root))
        or are_saved_pages(root)
    )


def are_saved_pages(root: Path) -> bool:
    """Whether a browser's comment gives most pages and documents, without frames, an address of their own.

    Authors save a page of another site as a template, and publish many pages with its comment. So equal addresses count
    once.
    """
    root = root.resolve()
    pages = [file for file in _page_files(root) if not _is_frame(root, file)]
    addresses = {saved_from(_start_of(root, file)) for file in pages} - {""}
    return 2 * len(addresses) > len(pages)


def _is_frame(root: Path, relative: str) -> bool:
    """Whether a file lies in the folder that a browser made beside a saved page."""
    folders = [str(folder) for folder in PurePosixPath(relative).parents if folder.name.endswith(_FRAMES_END)]
    pages = (f"{folder.removesuffix(_FRAMES_END)}{end}" for folder in folders for end in HTML_EXTENSIONS)
    return any((root / page).is_file() for page in pages)


def has_pages(root: Path) -> bool:
    """Whether the folder holds a file with the looks of HTML or of a document."""
    return any(True for _ in _page_files(root))


def has_html(root: Path) -> bool:
    """Whether the folder holds a file with the looks of HTML."""
    return any(not may_start_document(_start_of(root, file)) for file in _page_files(root))


def suggested_base(root: Path) -> str:
    """Suggested base address, by the first pages or the folder's own name, "" for none.

    Pages tell it by their canonical addresses, or by links with whole addresses that end in the paths of files.
    """
    starts = {file: _start_of(root, file) for file in islice(_page_files(root), _BASE_PAGES)}
    bases = (base_of(start, file) for file, start in starts.items())
    if stated := Counter(filter(None, bases)).most_common(1):
        return stated[0][0]
    paths = {_OPTIONAL_END.sub("", f"/{quote_path(file)}").rstrip("/") for file in possible_pages(root)}
    pairs = {pair for start in starts.values() for pair in _linked_bases(start, paths)}
    linked = Counter(base for base, _ in sorted(pairs))
    if linked and (best := linked.most_common(1)[0])[1] >= _ENOUGH_LINKED:
        return best[0]
    return f"https://{root.name.lower()}" if is_host(root.name) else ""


def _linked_bases(body: bytes, paths: Container[str]) -> Iterator[tuple[str, str]]:
    """Base addresses under which links of a page would lead to files of the folder, each with the path of the file.

    ``paths``: paths of the files, with a leading "/", without :data:`_OPTIONAL_END`.
    """
    for link in _ABSOLUTE_LINK.finditer(body):
        address = _OPTIONAL_END.sub("", tidy_address(link[1].decode("utf-8", "replace"))).rstrip("/")
        parts = address.split("/")
        # The longest end first; the first three parts are the scheme and the host.
        ends = ("/" + "/".join(parts[start:]) for start in range(3, len(parts)))
        if end := next((end for end in ends if end in paths), ""):
            yield address.removesuffix(end), end


def possible_pages(root: Path) -> Iterator[str]:
    """Files that may be pages by their extension."""
    return filter(_extension_allows, sorted_files(root))


def _page_files(root: Path) -> Iterator[str]:
    """Files that look like HTML or like documents, by extension and first bytes."""
    for file in possible_pages(root):
        start = _start_of(root, file)
        if may_start_document(start) or is_html(start, _type_by_name(file)):
            yield file


def _read_file(root: Path, relative: str, max_page_bytes: int) -> bytes:
    path = root / relative
    if not _extension_allows(relative):
        raise Refused(Reason.NOT_HTML, f"a {Path(relative).suffix.lower()} file")
    if not leads_inside(root, path):
        raise Refused(Reason.UNREADABLE_FILE, "a symbolic link that leads out of the folder")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            folder = "a link to a folder" if path.is_symlink() else NOT_LISTED
            other = "not a regular file"
            raise Refused(Reason.UNREADABLE_FILE, folder if stat.S_ISDIR(status.st_mode) else other)
        with open(path, "rb", opener=_open_without_waiting) as file:
            body = file.read(SNIFFED_BYTES) or b""
            is_document, is_saved = may_start_document(body), is_mhtml(body)
            if body and not (is_document or is_saved) and not is_html(body, _type_by_name(relative)):
                raise Refused(Reason.NOT_HTML, drop_detail(body) or "no markup at its beginning")
            # A page saved with its images may be as large as a document.
            limit = MAX_DOCUMENT_BYTES if is_document or is_saved else max_page_bytes
            body += file.read(max(0, limit + 1 - len(body))) or b""
    except OSError as error:
        raise Refused(Reason.UNREADABLE_FILE, error.strerror or str(error)) from error
    if not body:
        raise Refused(Reason.NO_TEXT, "the file is empty")
    if len(body) > limit:
        raise Refused(Reason.TOO_LARGE, f"{status.st_size} bytes, more than {limit}")
    if is_document:
        require_page(body, _type_by_name(relative), max_page_bytes)
    return _page_of_mhtml(body, max_page_bytes) if is_saved else body


def _page_of_mhtml(message: bytes, max_page_bytes: int) -> bytes:
    body = html_of(message)
    if not body:
        raise Refused(Reason.NOT_HTML, "a file of MHTML without a page")
    if len(body) > max_page_bytes:
        raise Refused(Reason.TOO_LARGE, f"{len(body)} bytes, more than {max_page_bytes}")
    return body


def _open_without_waiting(path: str, flags: int) -> int:
    """Opener of a file that does not wait for data."""
    # Some files of the operating system look regular and have nothing to read for hours.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _extension_allows(relative: str) -> bool:
    return Path(relative).suffix.lower() not in OTHER_EXTENSIONS - DOCUMENT_EXTENSIONS


def _type_by_name(relative: str) -> str:
    return "text/html" if Path(relative).suffix.lower() in HTML_EXTENSIONS else ""


def _start_of(root: Path, relative: str) -> bytes:
    path = root / relative
    try:
        if not leads_inside(root, path) or not stat.S_ISREG(path.stat().st_mode):
            return b""
        with open(path, "rb", opener=_open_without_waiting) as file:
            start = file.read(COMMENT_WITHIN_BYTES) or b""
            return html_of(start) if is_mhtml(start) else start
    except OSError:  # becomes a drop when the folder is read
        return b""


def host_address(relative: str) -> str:
    """The address of a file in a folder named like a host, "" for other files.

    wget keeps ``?`` and percent-encoded bytes in file names.

    >>> host_address("www.example.org/fr/page.php?id=3"), host_address("fr/page.html")
    ('https://www.example.org/fr/page.php?id=3', '')
    """
    host, slash, path = relative.partition("/")
    if not slash or not is_host(host):
        return ""
    path, mark, query = path.partition("?")
    address = f"https://{host.lower()}/{quote_path(path)}{mark}{quote_path(query).replace('%3F', '?')}"
    return normalise_address(_ENCODED_TWICE.sub("%", address))


def quote_path(path: str) -> str:
    """A path, percent-encoded for an address."""
    return quote_from_bytes(os.fsencode(path), safe=SAFE_IN_PATH)


def base_of(body: bytes, relative: str) -> str:
    """The base address of a folder, from the canonical address of a page in it, "" for none.

    >>> base_of(b'<link rel="canonical" href="https://www.example.org/docs/fr/a.html">', "fr/a.html")
    'https://www.example.org/docs'
    >>> base_of(b'<link rel="canonical" href="https://www.example.org/docs/fr/">', "fr/index.html")
    'https://www.example.org/docs'
    """
    own = _CANONICAL_TAG.search(body)
    value = _VALUE.search(own[0]) if own else None
    return _base_below(tidy_address(value[1].decode("utf-8", "replace")), relative) if value else ""


def _base_below(address: str, relative: str) -> str:
    """The address of a page without the path of its file at the end, "" for an address with another end."""
    path = f"/{quote_path(relative)}"
    short = _OPTIONAL_END.sub("", path)
    bases = (address.removesuffix(end) for end in (path, short, short.rstrip("/")) if address.endswith(end))
    # A template may write its scheme twice, as in https://https://example.org.
    return next((base for base in bases if is_web_address(base) and "//" not in base.partition("//")[2]), "")
