"""Code that a server would have run, in pages that nobody had a server run: ``<?php ... ?>`` and ``<% ... %>``.

Folders of a site's sources hold such pages. A browser shows what stands behind the first ``>`` of the code as text.
"""

from __future__ import annotations

_PHP, _SHORT_PHP, _END_OF_PHP = b"<?php", (b"<?=", b"<? ", b"<?\n", b"<?\r", b"<?\t"), b"?>"
_ASP, _END_OF_ASP = b"<%", b"%>"


def without_server_code(html: bytes) -> bytes:
    """Markup without the code of a server. Code that begins with ``<?php`` may go on to the end of the file."""
    for start in (_PHP, *_SHORT_PHP):
        if start in html:
            html = _cut(html, start, _END_OF_PHP, to_the_end=start == _PHP)
    return _cut(html, _ASP, _END_OF_ASP) if _ASP in html and _END_OF_ASP in html else html


def _cut(html: bytes, start: bytes, end: bytes, *, to_the_end: bool = False) -> bytes:
    """The markup without all from each ``start`` to the next ``end``; ``to_the_end``: an ``end`` may be missing."""
    kept, place = [], 0
    while (begin := html.find(start, place)) >= 0:
        stop = html.find(end, begin)
        if stop < 0 and not to_the_end:
            break
        kept.append(html[place:begin])
        place = stop + len(end) if stop >= 0 else len(html)
    return b"".join([*kept, html[place:]])
