"""Styles and scripts of the pages: those of the report, and the workbench's own."""

from __future__ import annotations

import hashlib
from functools import cache
from html import escape
from importlib.resources import files
from string import Template

from starlette.requests import Request
from starlette.responses import Response

from diglot.report.one_file import REPORT_SCRIPTS, content_policy, part
from diglot.workbench.shelf import NotHere

_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


@cache
def own_part(name: str) -> str:
    """Text of a file in ``diglot/workbench/pages``."""
    return files(__package__).joinpath("pages", name).read_text(encoding="utf-8")


def own(*names: str) -> str:
    """Texts of these files, one after the other."""
    return "".join(map(own_part, names))


@cache
def static_files() -> dict[str, str]:
    """Text of every file that pages load, by name."""
    style = part("report.css") + own_part("workbench.css")
    lists = "\n".join(map(part, ("dom.js", "folding.js", "finding.js", "marking.js")))
    strict = '"use strict";\n'
    return {
        "workbench.css": style,
        "sites.js": strict + lists + part("rows.js") + own("asking.js", "dropping.js", "memory.js", "sites.js"),
        "new.js": strict + part("dom.js") + own("asking.js", "new.js"),
        "documents.js": strict + part("dom.js") + own("asking.js", "documents.js"),
        "at_work.js": strict + part("dom.js") + own("asking.js", "at_work.js"),
        "search.js": strict + lists + own("asking.js", "search.js"),
        "icon.svg": own_part("icon.svg"),
    }


def static_address(name: str) -> str:
    """Address of a file with a hash of its text: browsers may cache it, and never show an old file."""
    return f"/static/{hashlib.sha256(static_files()[name].encode()).hexdigest()[:12]}/{name}"


async def static_file(request: Request) -> Response:
    """A file that pages load."""
    name = request.path_params["name"]
    if name not in static_files():
        raise NotHere(f"There is no file {name[:40]}.")
    text = static_files()[name]
    caching = {"cache-control": "private, max-age=31536000, immutable"}
    return Response(text, media_type=_TYPES[name.rpartition(".")[2]], headers=caching)


async def icon(_request: Request) -> Response:
    """The icon, where browsers look for one."""
    return Response(own_part("icon.svg"), media_type=_TYPES["svg"])


RUN_STYLE = part("report.css") + own_part("workbench.css")
RUN_SCRIPT = '"use strict";\n' + "\n".join(
    [*map(part, REPORT_SCRIPTS[:-1]), own_part("asking.js"), own_part("run.js"), part(REPORT_SCRIPTS[-1])]
)
"""The report's scripts. The workbench's own come before the last, which starts the page."""
RUN_POLICY = f"{content_policy(RUN_STYLE, RUN_SCRIPT)}; connect-src 'self'; img-src 'self'"


def run_html(title: str, **blocks: str) -> str:
    """The report as a page of the workbench. ``blocks``: ``name`` (the bar's first part), ``above`` (what stands before
    the report), ``headline`` and ``segments`` (its data)."""
    return Template(part("report.html")).substitute(
        blocks, title=escape(title), policy=escape(RUN_POLICY), style=RUN_STYLE, script=RUN_SCRIPT
    )
