"""One HTML file, without network access: template, style, scripts and data put together.

Texts of crawled pages are data: JSON in script blocks that no browser runs, escaped so that no text ends its block. The
content security policy allows only the style and the script of the file, by hash: the page fetches no address and runs
no other script or style, whatever a crawled text holds.
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

REPORT_SCRIPTS = (
    "dom.js",
    "tabs.js",
    "lang_menus.js",
    "unpack.js",
    "folding.js",
    "finding.js",
    "segments.js",
    "searching.js",
    "marking.js",
    "saving.js",
    "browser_store.js",
    "judgements.js",
    "judge_bar.js",
    "rows.js",
    "picking.js",
    "search.js",
    "waterfall.js",
    "pair_view.js",
    "thresholds.js",
    "calibration.js",
    "judging.js",
    "page_pairs.js",
    "samples.js",
    "term_decisions.js",
    "terms.js",
    "overview.js",
    "report.js",
)
"""Scripts of the report of a run, in order."""
DATA_VERSION = 4
"""Version of the data in the report of a run; the workbench writes a report of another version again."""
_LEVEL = 6
"""Level of zlib; the next level takes three times as long for a file 1% smaller."""
_UNSAFE = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""JSON escapes of characters that could end a script block or begin markup."""


def one_file(template: str, *, style: str, scripts: Sequence[str], title: str, **blocks: str) -> str:
    """The text of the file. ``template``, ``style`` and ``scripts``: names of files in ``diglot/report/page``;
    ``title``: plain text; ``blocks``: results of :func:`json_block` or :func:`pack`, inserted unchanged.
    """
    css = part(style)
    script = '"use strict";\n' + "\n".join(part(name) for name in scripts)
    return Template(part(template)).substitute(
        blocks, title=escape(title), policy=escape(content_policy(css, script)), style=css, script=script
    )


@cache
def part(name: str) -> str:
    """Text of a file in ``diglot/report/page``."""
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


def content_policy(style: str, script: str = "") -> str:
    """Content-Security-Policy that allows this style and this script, and nothing else."""
    parts = ["default-src 'none'", f"style-src {_hash(style)}", "base-uri 'none'", "form-action 'none'"]
    if script:
        parts.insert(1, f"script-src {_hash(script)}")
    return "; ".join(parts)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def json_block(value: Any) -> str:
    """JSON for a script element, without ``<``, ``>``, ``&`` and Unicode line ends."""
    return _json(value).translate(_UNSAFE)


def pack(value: Any) -> str:
    """JSON, deflated (zlib) and in base 64, for ``DecompressionStream`` in the script."""
    return base64.b64encode(zlib.compress(_json(value).encode(), _LEVEL)).decode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
