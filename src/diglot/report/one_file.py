"""One HTML file that opens from disk and asks no network: template, style, scripts and data put together.

What comes from outside is data only: JSON in script blocks that no browser runs, escaped so that no text in it ends
the block. The policy in the head allows the style and the script of the file by their hashes, and nothing else: no
address is fetched, no other script or style works, whatever a text of the crawl may hold.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

_LEVEL = 6
"""Of zlib: the level above costs three times as much for a file that is 1% smaller."""
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Signs that could end a script block or begin markup, as JSON may write them."""


def one_file(template: str, *, style: str, scripts: Sequence[str], title: str, **blocks: str) -> str:
    """The text of the file. ``template``, ``style`` and ``scripts`` name files of ``diglot/report/page``.

    ``title`` is plain text. ``blocks`` are put in as they are: results of :func:`json_block` or :func:`packed`.
    """
    css = part(style)
    script = '"use strict";\n' + "\n".join(part(name) for name in scripts)
    return Template(part(template)).substitute(
        blocks, title=escape(title), policy=escape(content_policy(css, script)), style=css, script=script
    )


@cache
def part(name: str) -> str:
    """A file of ``diglot/report/page``."""
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def content_policy(style: str, script: str = "") -> str:
    """A Content-Security-Policy under which the style and the script given work, and nothing else does."""
    parts = ["default-src 'none'", f"style-src {_hash(style)}", "base-uri 'none'", "form-action 'none'"]
    if script:
        parts.insert(1, f"script-src {_hash(script)}")
    return "; ".join(parts)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def json_block(value: Any) -> str:
    """JSON that can stand in a script element: it holds no ``<``, ``>``, ``&`` and no Unicode line end."""
    return _json(value).translate(_UNSAFE)


def packed(value: Any) -> str:
    """JSON, deflated (zlib) and in base 64; the script unpacks it with ``DecompressionStream``."""
    return base64.b64encode(zlib.compress(_json(value).encode(), _LEVEL)).decode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
