"""A look at a site or at files before a harvest, by ``diglot plan``: languages, pages, time and more."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from diglot.crawl.installed_browser import find_browser
from diglot.errors import UsageError
from diglot.language_names import language_name
from diglot.layout import count_text, duration_text, largest_first
from diglot.workbench.commands import full_address, host_of, other_scheme, plain_message
from diglot.workbench.processes import run_command

PLANS_KEPT = 50
UNTOLD = "und"
"""Tag of pages whose language cannot be told; a plan does not list it."""
FILES_LEAST_S, FILES_S_PER_MCHAR = 10.0, 20.0
"""Seconds shown for a harvest of files: at least, and for a million characters of all pages."""
LEAST_SHARE = 0.05
"""Least share of the pages looked at for a language that is ticked from the start."""
_IS_FINAL = re.compile("robots.txt does not allow|asks for a login|asks not to be used|not crawled|not connected to")
"""Errors of a site that answers, or that may not be asked: without encryption the error would be the same."""
_KEPT_FROM_US = re.compile(r"keeps ([\d,]+) known addresses from us")


class Plans:
    """Plans by request; a page that is loaded again gets the same plan at once."""

    def __init__(self, allow_hosts: Sequence[str] = ()) -> None:
        self._allowed = [f"--allow-host={host}" for host in allow_hosts]
        self._tasks: dict[tuple[str, ...], asyncio.Task[dict[str, Any]]] = {}

    async def of_address(self, typed: str, *, browser: bool = False, split: bool = False) -> dict[str, Any]:
        """The plan of a site. ``browser``: with the scripts of its pages run; ``split``: with each language of a page
        as a page.

        Raises: UsageError with one sentence where nothing can be fetched.
        """
        options = [*(["--browser=*"] if browser else []), *_split_words(split)]
        return await self._share_work(("address", typed, *options), self._look_at_site(typed, options))

    async def of_files(self, paths: Sequence[str], base_url: str = "", *, split: bool = False) -> dict[str, Any]:
        """The plan of files on this machine; ``split``: as for an address."""
        options = [*([f"--base-url={base_url}"] if base_url else []), *_split_words(split)]
        # Files dropped anew may have the names of files that were discarded.
        stamps = [f"{path} {os.stat(path).st_mtime_ns}" for path in paths]
        return await self._share_work(("files", *stamps, *options), self._look_at_files(paths, options))

    async def _share_work(self, key: tuple[str, ...], work: Any) -> dict[str, Any]:
        """The plan known by ``key``, else the result of the coroutine ``work``; a failed plan is forgotten."""
        if key in self._tasks:
            work.close()
        else:
            while len(self._tasks) >= PLANS_KEPT:
                self._tasks.pop(next(iter(self._tasks)))
            self._tasks[key] = asyncio.create_task(work)
        try:
            # The browser may leave; the next page that asks gets the plan.
            return await asyncio.shield(self._tasks[key])
        except UsageError:
            self._tasks.pop(key, None)
            raise

    async def close(self) -> None:
        """End looks that are under way, and their processes."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _look_at_site(self, typed: str, options: Sequence[str]) -> dict[str, Any]:
        address = full_address(typed)
        words = ["plan", "--json", *self._allowed, *options, "--"]
        try:
            found = await run_command([*words, address])
        except UsageError as error:
            if not other_scheme(typed) or _IS_FINAL.search(str(error)):
                raise
            address = other_scheme(typed)
            try:
                found = await run_command([*words, address])
            except UsageError as second:
                # A site that answers says more than one that does not.
                raise (second if _IS_FINAL.search(str(second)) else error) from error
        return site_plan(address, json.loads(found), can_render=can_render())

    async def _look_at_files(self, paths: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
        return files_plan(json.loads(await run_command(["plan", "--json", *options, "--", *paths])))


def _split_words(split: bool) -> list[str]:
    return ["--split-pages"] if split else []


def can_render() -> bool:
    """Whether the browser that runs the scripts of pages is on this machine."""
    try:
        return bool(find_browser())
    except UsageError:
        return False


def site_plan(address: str, found: dict[str, Any], *, can_render: bool) -> dict[str, Any]:
    """A plan of a site as its page shows it; ``scripts``: whether pages are empty until their scripts run."""
    known, looked_at = found["addresses"], found["pages"]
    notes = []
    if kept := _KEPT_FROM_US.search(found["robots"]):
        notes.append(f"The site keeps {kept[1]} addresses from programs (robots.txt). They are left out.")
    if found["version_share"] < 0.5:
        notes.append("Few pages link to their translations. Diglot finds the pairs by their texts.")
    if found["other_hosts"]:
        notes.append(_elsewhere_text(host_of(address), found["other_hosts"]))
    scripts = 2 * found["script_pages"] > looked_at
    if scripts and not can_render:
        notes.append("The pages are empty until their scripts run. Install Chromium, and Diglot can run them.")
    notes += [plain_message(notice) for notice in found["notices"]]
    return {
        "sources": [address],
        "is_site": True,
        "languages": _languages(found["languages"]),
        "looked_at": looked_at,
        "size": count_text(known, "page")
        if found["complete"]
        else f"{count_text(known, 'address', 'addresses')} known so far",
        "time": f"about {duration_text(max(60.0, found['seconds']))}" + ("" if found["complete"] else ", or longer"),
        "robots": _robots_text(found["robots"]),
        "notes": notes,
        "scripts": scripts and can_render,
        "can_render": can_render,
    }


def _elsewhere_text(host: str, others: dict[str, int]) -> str:
    first, *rest = others
    more = f" and {len(rest)} other site{'s' if len(rest) > 1 else ''}" if rest else ""
    return f"Some links lead to {first}{more}. Diglot stays on {host}; paste their address for a memory of their own."


def _robots_text(said: str) -> str:
    return "no rules for programs" if said.startswith("none") else "programs may read it"


def files_plan(found: dict[str, Any]) -> dict[str, Any]:
    """A plan of files as its page shows it."""
    counts = {each["tag"]: each["pages"] for each in found["languages"]}
    few = {tag: count for tag, count in found["left_out"].items() if tag not in found["taken_for"]}
    # Characters are those of the pages looked at: of split pages, these are more than there are pages.
    grown = max(1.0, found["pages"] / max(1, found["looked_at"]))
    chars = sum(each["chars"] for each in found["languages"]) * grown
    # One reason may drop records before their pages are parsed, and others after.
    lost = Counter(found["dropped"]) + Counter(found["unreadable"])
    notes = [f"{count:,} left out: {found['reason_texts'][reason]}." for reason, count in lost.most_common()]
    if found["unknown"] and not (counts or few):
        notes.append(f"{count_text(found['unknown'], 'page')} with too little text to tell a language.")
    if few:
        notes.append(
            "Languages of very few pages are not ticked: they may be stray texts. Tick those that you know of."
        )
    if sorted(counts.values()) == [1, 1]:
        # Two pages are too few for a site to show how its translations are marked.
        notes.append("To align two documents that translate each other, drop both at once, without a zip.")
    return {
        "sources": [each["name"] for each in found["sources"]],
        "is_site": False,
        "languages": _languages(counts, few),
        "looked_at": found["looked_at"],
        "size": count_text(found["pages"], "page"),
        "time": f"about {duration_text(max(FILES_LEAST_S, FILES_S_PER_MCHAR * chars / 1e6))}",
        "robots": "",
        "notes": notes,
        "scripts": False,
        "can_render": False,
    }


def _languages(counts: dict[str, int], few: dict[str, int] | None = None) -> list[dict[str, Any]]:
    """Languages, most pages first, with names; ``ticked``: whether a harvest takes them unless the user says no.
    ``few``: languages that a harvest of all leaves out."""
    few = few or {}
    pages_of = {tag: count for tag, count in {**counts, **few}.items() if tag != UNTOLD}
    pages = sum(pages_of.values())
    return [
        {
            "tag": tag,
            "name": language_name(tag),
            "pages": count,
            "ticked": tag not in few and count >= LEAST_SHARE * pages,
        }
        for tag, count in largest_first(pages_of)
    ]


def in_usual_order(languages: Sequence[dict[str, Any]], usual: Sequence[str]) -> list[dict[str, Any]]:
    """Languages of a plan, those ticked from the start in the ``usual`` order among themselves.

    Sites can be merged only if what is source in one is source in all.
    """
    known = [each for each in languages if each["ticked"] and each["tag"] in usual]
    ordered = iter(sorted(known, key=lambda each: usual.index(each["tag"])))
    return [next(ordered) if each in known else each for each in languages]
