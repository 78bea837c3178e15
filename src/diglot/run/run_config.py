"""``diglot.toml`` of a run as a request: sources, languages and options for repeating the run."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from diglot.errors import UsageError, no_such
from diglot.run.settings import Settings, read_toml, with_flag_lists
from diglot.run.work import WARC

TABLES = ("diglot", "signature", "sources", "settings", "languages", "crawl")
"""Keys of the file; ``signature`` and ``languages`` follow from the rest."""
_DEFAULTS = {field.name: field.default for field in dataclasses.fields(Settings)} | {"langs": (), "min_score": 0.0}
_NOT_ASKED = ("langs", "starts")


class RunConfig(NamedTuple):
    """Request read from a file."""

    sources: tuple[str, ...]
    """Paths and addresses; for a crawl the start addresses."""
    langs: tuple[str, ...]
    asked: dict[str, Any]
    """Arguments of :func:`diglot.harvesting.harvest`."""
    crawl: dict[str, Any]


def is_run_config(path: Path) -> bool:
    """Whether a TOML file belongs to a run, and does not hold recipe options; raises :class:`UsageError` for an
    unreadable file."""
    table = read_toml(path)
    return "settings" in table or "signature" in table


def read_run_config(path: Path, *, sources: bool = False, langs: bool = False) -> RunConfig:
    """Read the ``diglot.toml`` of a run, or a file written like it.

    ``sources``, ``langs``: whether the command names these, so that the file need not. Raises :class:`UsageError` for
    missing or unknown content.
    """
    table = read_toml(path)
    if "merged" in table:
        raise UsageError(f"{path}: of a merge of runs; make it again with `diglot merge RUN... -o RUN`")
    for name in table:
        if name not in TABLES:
            raise UsageError(f"{path}: {no_such('part', name, TABLES)}")
    asked = {name: _value(path, name, value) for name, value in _part(path, table, "settings").items()}
    own_langs = asked.pop("langs", ())
    if not own_langs and not langs:
        raise UsageError(f"{path}: lacks the languages (`langs` under [settings]); write them, or give -l en,fr")
    if sources:
        return RunConfig((), own_langs, asked, {})
    crawl = _part(path, table, "crawl")
    starts = tuple(crawl.get("starts", ()))
    options = {name: value for name, value in crawl.items() if name not in _NOT_ASKED}
    return RunConfig((*starts, *_files(path, table, has_crawl=bool(starts))), own_langs, asked, options)


def with_typed(
    config: RunConfig, asked: Mapping[str, Any], typed: Sequence[str], crawl: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Options of a run and of the crawl: from the file, overridden by typed options.

    ``asked``, ``crawl``: options of the command; ``typed``: names of typed options in ``asked``. Recipe options in the
    file count only for the same recipe.
    """
    given = {name: value for name, value in asked.items() if name in typed}
    found = {**config.asked, **given, **with_flag_lists(config.asked, given)}
    if given.get("recipe", config.asked.get("recipe")) == config.asked.get("recipe"):
        found["options"] = {**config.asked.get("options", {}), **given.get("options", {})}
    return found, {**config.crawl, **crawl}


def _part(path: Path, table: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = table.get(name, {})
    if not isinstance(found, dict):
        raise UsageError(f"{path}: {name} is no table; write [{name}] and its options below")
    return found


def _files(path: Path, table: Mapping[str, Any], *, has_crawl: bool) -> list[str]:
    """File sources. The archive of a crawl is left out where the crawl is repeated."""
    sources = table.get("sources", [])
    if not isinstance(sources, list) or not all(isinstance(source, dict) for source in sources):
        raise UsageError(f'{path}: sources is no list of tables; write [[sources]] and path = "FILE"')
    paths = [source.get("path", "") for source in sources]
    own = (path.resolve().parent / WARC).as_posix()
    # A repeated crawl writes its own archive.
    files = [spec for spec in paths if not (has_crawl and Path(spec).parent.as_posix() == own)]
    if not all(isinstance(spec, str) and spec for spec in files):
        missing = next(source.get("name", "") for source, spec in zip(sources, paths, strict=True) if not spec)
        raise UsageError(f"{path}: does not say where its source {missing!r} lies (`path`); name the sources")
    if not files and not has_crawl:
        raise UsageError(f"{path}: names no source; name them, or write [[sources]] and path")
    return files


def _value(path: Path, name: str, value: Any) -> Any:
    """Value of a :class:`Settings` field, checked by type."""
    if name not in _DEFAULTS:
        raise UsageError(f"{path}: {no_such('option', name, _DEFAULTS)}")
    default = _DEFAULTS[name]
    if name == "options":
        if isinstance(value, dict):
            return {key: str(each) for key, each in value.items()}
        raise UsageError(f"{path}: options is no table; write [settings.options] and KEY = VALUE below")
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        raise UsageError(f"{path}: {name} = {value!r}: write a list of words")
    kind = (int, float) if isinstance(default, float) else type(default)
    # In Python true is an int, and must not pass for a number.
    if not isinstance(value, kind) or isinstance(value, bool) != isinstance(default, bool):
        raise UsageError(f"{path}: {name} = {value!r} is of the wrong type; write a value such as {default!r}")
    return value
