"""Settings of a merge: what the runs must share, and what may differ between them."""

from __future__ import annotations

import heapq
import shlex
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from diglot.corpus.flags import EXCLUDED
from diglot.errors import UsageError
from diglot.results.run import Run
from diglot.run.clean import cleaning_options, flagged_key
from diglot.run.settings import Settings, with_folders
from diglot.run.striking import is_merge
from diglot.run.work import FLAGGED, SEGMENTS
from diglot.version import __version__

_LANGUAGES = ("langs", "pivot")
_OF_PAGES = ("base_url", "warc_prefix", "hosts", "skip_unreadable", "split_pages", "lang_from", "lang_rules", "folders")
"""Settings that may differ: of sources, of pages (each run resolved its own), and of places of files."""
_OF_CLEANING = ("min_score", "keep", "drop", "pii", "offensive")
"""Settings that ``diglot clean`` changes by options of their names."""


def merged_settings(runs: Mapping[str, Run]) -> Settings:
    """Settings that the runs share, with the languages of all; ``runs``: by name, in order.

    Scores of different recipes cannot be compared, and with different cleaning the merge would contradict its own
    settings.

    Raises: UsageError for runs that differ in their recipe, options or cleaning, or in the order of their languages.
    """
    for (name, run), (other_name, other) in pairwise(runs.items()):
        if found := _differences(_shared_settings(run), _shared_settings(other)):
            raise UsageError(_difference_text(found, name, other_name, other))
    all_settings = [run.settings for run in runs.values()]
    langs = joined_languages([each.langs for each in all_settings])
    pivots = {each.pivot for each in all_settings}
    blank = Settings(langs=langs)
    merged = replace(
        all_settings[0],
        langs=langs,
        pivot=pivots.pop() if len(pivots) == 1 else "",
        **{name: getattr(blank, name) for name in _OF_PAGES},
    )
    return with_folders(replace(merged, folders=any(each.folders for each in all_settings)))


def _differences(mine: dict[str, Any], theirs: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Both values of each setting that differs, by name, sorted.

    Signatures: only the parts that differ, and none if the recipe or its options differ. Lists of words: their paths,
    if their words differ.
    """
    found = {name: (mine[name], theirs[name]) for name in sorted(mine) if mine[name] != theirs[name]}
    found.pop("offensive", None)
    if found.pop("words", None):
        found["offensive"] = mine["offensive"], theirs["offensive"]
    if "signature" in found:
        if {"recipe", "options"} & set(found):
            del found["signature"]
        else:
            own, other = (str(signature).split("|") for signature in found["signature"])
            found["signature"] = (
                [part for part in own if part not in other],
                [part for part in other if part not in own],
            )
    return found


def _difference_text(found: Mapping[str, tuple[Any, Any]], name: str, other_name: str, other: Run) -> str:
    """Message for two runs with different settings, with a command that gives the second the cleaning of the first."""
    named = []
    for setting, values in found.items():
        own, theirs = (_value_text(value) or "''" for value in values)
        named.append(f"{setting} ({own} and {theirs})")
    advice = "make one of them again as the other was"
    if set(found) <= set(_OF_CLEANING):
        words = [word for each, (own, _) in found.items() for word in (f"--{each.replace('_', '-')}", _value_text(own))]
        advice = f"run `{shlex.join(['diglot', 'clean', str(other.path), *words])}`"
    return f"{name} and {other_name} differ in {', '.join(named)}; both need the same; {advice}"


def _shared_settings(run: Run) -> dict[str, Any]:
    """Settings required to be equal in all runs, with the signature of the recipe."""
    settings = run.settings
    own = {name: value for name, value in settings.to_table().items() if name not in (*_LANGUAGES, *_OF_PAGES)}
    # The values in force, because a default that was typed is the default.
    excluded = settings.excluding_flags()
    flags = {"keep": sorted(EXCLUDED - excluded), "drop": sorted(excluded - EXCLUDED)}
    signature = run.folder.settings().get("signature")
    words = _words_to_flag(run)
    return {**own, **flags, "min_score": settings.least_score(), "signature": signature, "words": words}


def _words_to_flag(run: Run) -> Set[str] | str:
    """Words of the list of a run, wherever it lies; its path where the list is gone.

    Raises: UsageError for a list that is no longer the one that the segments were flagged by.
    """
    settings, folder = run.settings, run.folder
    try:
        words = cleaning_options(settings).offensive
    except UsageError:
        return settings.offensive
    segments_key = folder.recall("run", SEGMENTS) or ""
    # The key of a merge, or of another version, does not follow from the list.
    is_own = not is_merge(folder) and folder.settings().get("diglot") == __version__
    if settings.offensive and is_own and folder.recall(FLAGGED, segments_key) != flagged_key(settings, segments_key):
        command = shlex.join(["diglot", "clean", str(run.path)])
        raise UsageError(f"{run.path}: {settings.offensive} has changed since; run `{command}` first")
    return words


def _value_text(value: Any) -> str:
    """A setting as it is typed."""
    return ",".join(value) if isinstance(value, list) else f"{value:g}" if isinstance(value, float) else str(value)


def joined_languages(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Languages of all lists, in an order that agrees with every list; UsageError where two lists disagree."""
    graph: dict[str, set[str]] = {}
    for langs in lists:
        for lang in langs:
            graph.setdefault(lang, set())
        for before, after in pairwise(langs):
            graph[after].add(before)
    sorter = TopologicalSorter(graph)
    try:
        sorter.prepare()
    except CycleError as error:
        raise UsageError(
            f"the runs have the languages {', '.join(sorted(set(error.args[1])))} in different orders, so what is "
            "source in one is target in another; harvest with the languages in the same order"
        ) from error
    found, ready = [], list(sorter.get_ready())
    # Names decide among languages that no run puts in order.
    heapq.heapify(ready)
    while ready:
        found.append(heapq.heappop(ready))
        sorter.done(found[-1])
        for lang in sorter.get_ready():
            heapq.heappush(ready, lang)
    return tuple(found)
