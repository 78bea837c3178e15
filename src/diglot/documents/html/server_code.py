"""Code that a server would have run, in pages that nobody had a server run: ``<?php ... ?>`` and ``<% ... %>``.

Folders of a site's sources hold such pages. A browser shows what stands behind the first ``>`` of the code as text, and
all of the settings at the head of a page (Jekyll, Hugo): lines of ``title: ...`` between two lines of ``---``.
"""

from __future__ import annotations

import re

_HINT = re.compile(rb"<[?%]")
_START = re.compile(rb"<!--|<script\b|<\?(?:php\b|[=\s])|<%", re.IGNORECASE)
_ENDS = {
    b"<!--": re.compile(b"-->"),
    b"<scr": re.compile(rb"</script\b", re.IGNORECASE),
    b"<?": re.compile(rb"\?>"),
    # A width of 100% may end a tag.
    b"<%": re.compile(rb"(?<!\d)%>"),
}
"""End of what begins with some bytes. Comments and scripts quote code of a server, and stay."""
_SETTINGS = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n\w[\w-]*:.{0,20000}?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
"""Settings begin with the file, as in no page that a server sent. They hold a title, a description, rarely a list."""
_END_OF_PAGE = re.compile(rb"</(?:body|html)\b", re.IGNORECASE)


def without_server_code(html: bytes) -> bytes:
    """Markup without the code of a server. Code in PHP may go on to the end of the file, if no page ends there."""
    if settings := _SETTINGS.match(html):
        html = html[settings.end() :]
    if not _HINT.search(html):
        return html
    kept, place, search = [], 0, 0
    never_ending: set[bytes] = set()
    while found := _START.search(html, search):
        kind = next(start for start in _ENDS if found[0].lower().startswith(start))
        end = None if kind in never_ending else _ENDS[kind].search(html, found.end())
        search = end.end() if end else found.end()
        if end is None:
            never_ending.add(kind)
        if kind in (b"<!--", b"<scr"):
            continue
        goes_on = end is None and found[0].lower() == b"<?php" and not _END_OF_PAGE.search(html, search)
        if end or goes_on:
            kept.append(html[place : found.start()])
            place = search if end else len(html)
        if goes_on:
            break
    return b"".join([*kept, html[place:]])
