"""Arguments of the functions for Python, checked before anything is done: a value of another kind is a UsageError.

Numbers and texts of numpy, and columns of data frames, become values of Python: a run keeps options as TOML and JSON.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection, KeysView, Mapping, ValuesView
from io import TextIOBase
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar

from diglot.errors import UsageError
from diglot.progress import Progress

_MAX_NAME_BYTES = 255
"""Most bytes of the name of a file or folder, on all common systems."""
_MAX_BYTES = (1 << 31) - 1
"""Most bytes of a page: on some systems Python reads no more at once."""

P = ParamSpec("P")
R = TypeVar("R")


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function: before it does anything, its arguments are checked by name against the kinds below.

    The function gets values of Python for those of numpy, pandas, polars and Arrow, and the home folder for ``~`` in a
    path. It raises :class:`UsageError` for a value of another kind; None passes where it is the default.
    """
    parameters = inspect.signature(function).parameters
    optional = {name for name, each in parameters.items() if each.default is None}

    def check(name: str, value: Any) -> Any:
        if name not in _KINDS or (value is None and name in optional):
            return value
        value = _plain(value)
        _check_value(name, value)
        return _expand_home(value) if name in _PATH_NAMES else value

    @functools.wraps(function)
    def check_and_call(*args: P.args, **keywords: P.kwargs) -> R:
        # Of a parameter such as *names, each value is checked.
        names = [*parameters][: len(args)]
        names += names[-1:] * (len(args) - len(names))
        given: Any = map(check, names, args)
        by_name: Any = {name: check(name, value) for name, value in keywords.items()}
        return function(*given, **by_name)

    return check_and_call


def check_values(values: Mapping[str, Any], *, shares: Collection[str] = ()) -> None:
    """Check values by name, as :func:`check_arguments` does; ``shares``: names of the values that must be in [0, 1]."""
    for name, value in values.items():
        if name in shares:
            _refuse_other(name, value, *_SHARE)
        _check_value(name, value)


def _plain(value: Any) -> Any:
    """A value of numpy, pandas, polars or Arrow as one of Python; of a mapping, the values; of a view, its list.

    >>> import numpy as np
    >>> _plain(np.float64(0.5)), _plain(np.array(["en", "fr"])), _plain({"max_pages": np.int64(5)})
    (0.5, ['en', 'fr'], {'max_pages': 5})
    """
    if isinstance(value, str | bytes | os.PathLike) or type(value) in (bool, int, float):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(value, method):
            return getattr(value, method)()
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    # A view of the keys of a mapping cannot be pickled.
    return list(value) if isinstance(value, KeysView | ValuesView) else value


def _expand_home(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """A path with the home folder for ``~``: a shell does not replace it in quotes and behind ``--out=``."""
    text = os.fspath(path)
    return type(path)(os.path.expanduser(text)) if text.startswith("~") else path  # type: ignore[call-arg]


def _check_value(name: str, value: Any) -> None:
    if name in _KINDS:
        _refuse_other(name, value, *_KINDS[name])
    if name == "crawl":
        for option, each in value.items():
            _check_value(option, each)


def _refuse_other(name: str, value: Any, fits: Callable[[Any], bool], wanted: str) -> None:
    """Raise :class:`UsageError` for a value of another kind."""
    if not fits(value):
        raise UsageError(f"{name}={repr(value)[:60]}: give {wanted}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_path(value: Any) -> bool:
    """Whether a value is a valid path, as text or object. The system's own error for an invalid path is unclear."""
    name = os.fspath(value) if isinstance(value, str | os.PathLike) else b""
    if not isinstance(name, str) or not name or "\0" in name:
        return False
    try:
        return max(map(len, name.encode().split(os.fsencode(os.sep)))) <= _MAX_NAME_BYTES
    except UnicodeEncodeError:  # Outputs, the log and diglot.toml are in UTF-8, and state paths.
        return False


def _is_number(value: Any) -> bool:
    # A truth value is a number to Python.
    return not isinstance(value, bool) and isinstance(value, Real)


def _is_share(value: Any) -> bool:
    # NaN fails this comparison, too.
    return _is_number(value) and 0 <= value <= 1


def _is_count(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, Integral) and int(value) >= 0


def _are(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """A check of collections; a text is refused, though to Python a text is a collection of letters."""
    return lambda values: (
        isinstance(values, Collection) and not isinstance(values, str | bytes) and all(map(fits, values))
    )


def _is_text_or_texts(value: Any) -> bool:
    return _is_text(value) or _are(_is_text)(value)


def _are_options(values: Any) -> bool:
    return isinstance(values, Mapping) and all(
        isinstance(name, str) and isinstance(value, str | Real) for name, value in values.items()
    )


def _is_source(value: Any) -> bool:
    """Whether a value is a source of evidence: a name, or a function."""
    return _is_text(value) or callable(value)


_PATH = (_is_path, "a path in UTF-8, with names of at most 255 bytes and no null character")
_PATHS = (_are(_is_path), "a list of paths, as in ['one', 'two']")
_TEXT = (_is_text, "a text")
_TEXTS = (_are(_is_text), "a list of texts, as in ['one', 'two']")
_SHARE = (_is_share, "a number between 0 and 1")
_COUNT = (_is_count, "a whole number, 0 or more")
_NUMBER = (_is_number, "a number")
_SWITCH = (lambda value: isinstance(value, bool), "True or False")
_PATH_NAMES = ("out", "run", "path", "gold", "ignore", "html", "offensive")
"""Arguments with the path of a local file or folder."""
_KINDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "source": (
        lambda value: _is_text(value) or _is_path(value) or _are(lambda each: _is_text(each) or _is_path(each))(value),
        "an address or a path, or a list of them",
    ),
    "langs": (_is_text_or_texts, "languages, as in 'en,fr' or ['en', 'fr']"),
    "jobs": (_is_count, "a number of processes, or 0 for one a core"),
    "options": (_are_options, "options by name, as in {'min_probability': 0.9}"),
    "crawl": (lambda value: isinstance(value, Mapping), "options by name, as in {'max_pages': 500}"),
    "progress": (lambda value: isinstance(value, Progress), "an object with the methods of diglot.progress.Progress"),
    "min_score": (lambda value: value is None or _is_share(value), _SHARE[1]),
    **dict.fromkeys(("min_prob", "least", "termhood", "max_score"), _SHARE),
    **dict.fromkeys(("flag", "without"), (_is_text_or_texts, "a flag or flags")),
    "size": (lambda value: _is_count(value) and value >= 1, "a whole number, at least 1"),
    "max_page_bytes": (
        lambda value: _is_count(value) and 1 <= value <= _MAX_BYTES,
        f"a whole number, at least 1 and at most {_MAX_BYTES:,}",
    ),
    "handle": (lambda value: hasattr(value, "write") and not isinstance(value, TextIOBase), "a binary stream"),
    "evidence": (
        lambda value: _is_source(value) or _are(_is_source)(value),
        "sources of evidence, as in 'embed' or ['embed', 'dictionary:words.tsv']",
    ),
    "variants": (_is_text_or_texts, "language tags, as in 'fr-CA' or ['fr-CA']"),
    "warc_prefix": (lambda value: _is_text(value) or _is_path(value), "a text or a path"),
    **dict.fromkeys(_PATH_NAMES, _PATH),
    "offensive": (lambda value: value == "" or _is_path(value), _PATH[1]),
    **dict.fromkeys(("runs", "files"), _PATHS),
    **dict.fromkeys(("recipe", "pivot", "url", "other", "host", "text", "start"), _TEXT),
    **dict.fromkeys(("src_lang", "tgt_lang", "lang_from", "base_url"), _TEXT),
    "excluded": (lambda value: value is None or _TEXTS[0](value), "a set of flags, or None for those of the run"),
    "recipes": (_is_text_or_texts, "recipes, as in 'fused,ilsp' or ['fused', 'ilsp']"),
    **dict.fromkeys(("names", "keep", "drop", "hosts", "lang_rules"), _TEXTS),
    **dict.fromkeys(("include", "exclude", "allow_hosts", "browser"), _TEXTS),
    **dict.fromkeys(("count", "max_pages", "max_documents", "max_requests", "seed", "explained"), _COUNT),
    **dict.fromkeys(("max_time_s", "delay_s"), _NUMBER),
    **dict.fromkeys(
        ("skip_unreadable", "split_pages", "one_site", "folders", "overwrite", "no_documents", "spreadsheet"), _SWITCH
    ),
    **dict.fromkeys(("believe", "same_text", "inconsistent", "word", "regex", "everything", "terms"), _SWITCH),
    **dict.fromkeys(("as_random", "recalibrate", "clear", "descending"), _SWITCH),
}
"""What the value of an argument must be, by the name of the argument: the check, and its words for a user."""
