"""Every option of a run, as stored in ``diglot.toml``."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diglot.alignment.beads import LENGTH_ALIGNERS
from diglot.arguments import MANY_PAIRS
from diglot.corpus.flags import MIN_SCORE, excluded_flags
from diglot.corpus.flags.personal import as_mode
from diglot.disk.safe_read import read_text
from diglot.errors import RecipeError, RunFolderError, UsageError, describe_error, require_options
from diglot.languages import WEIGHED, check_page_languages, language_pairs, parse_languages
from diglot.lexicons import absolute_file, file_name, place_files
from diglot.pages import MAX_PAGE_BYTES
from diglot.recipes import DEFAULT_RECIPE, get_recipe
from diglot.recipes.recipe import Recipe
from diglot.version import __version__

if TYPE_CHECKING:
    from diglot.alignment.evidence.sources import SourcesByPair

_PATHS = ("offensive", "warc_prefix")
"""Options that are a path; a prefix may also be a place in an object store."""
# A whole number is written without a point, and TOML reads it as such.
_KINDS: dict[str, Any] = {"str": str, "bool": bool, "int": int, "float": int | float, "float | None": int | float}
_KINDS["tuple[str, ...]"] = list
"""Type of a value in TOML by the annotation of its field."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Options of a run.

    ``options``: changes to the recipe, as text. ``warc_prefix``, ``hosts``, ``skip_unreadable``: see
    :func:`diglot.pages.open_sources`.
    ``split_pages``: whether an HTML page with its text in several languages becomes one page for each language.
    ``lang_from``, ``lang_rules``: how the language of a page is found, see
    :func:`diglot.page_language.resolving.resolve_languages`. ``keep``, ``drop``: see :mod:`diglot.corpus.flags`.
    ``min_score``: None for the default, see :meth:`least_score`. ``folders``: whether the outputs of language pairs are
    in a folder for each kind of file.
    """

    langs: tuple[str, ...]
    pivot: str = ""
    recipe: str = DEFAULT_RECIPE
    options: tuple[tuple[str, str], ...] = ()
    base_url: str = ""
    warc_prefix: str = ""
    hosts: tuple[str, ...] = ()
    skip_unreadable: bool = False
    one_site: bool = False
    split_pages: bool = False
    lang_from: str = WEIGHED
    lang_rules: tuple[str, ...] = ()
    min_prob: float = 0.0
    min_score: float | None = None
    max_page_bytes: int = MAX_PAGE_BYTES
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    pii: str = "flag"
    offensive: str = ""
    folders: bool = False

    def source_options(self) -> dict[str, Any]:
        """Keyword arguments of :func:`diglot.pages.open_source`."""
        return {"base_url": self.base_url, "warc_prefix": self.warc_prefix, "hosts": self.hosts}

    def opening_options(self) -> dict[str, Any]:
        """Keyword arguments of :func:`diglot.pages.open_sources`."""
        return {**self.source_options(), "skip_unreadable": self.skip_unreadable}

    def resolved_recipe(self) -> Recipe:
        """The recipe with these options; raises :class:`diglot.errors.RecipeError`."""
        recipe = get_recipe(self.recipe).with_options(dict(self.options))
        if recipe.aligner == "lexical":
            return recipe
        # Loaded here, because the module loads the lexical aligner with it.
        from diglot.alignment.evidence.sources import split_evidence

        if split_evidence(recipe.aligner_evidence):
            raise RecipeError(
                f"aligner {recipe.aligner} takes no evidence; set the option aligner to lexical, or leave it out"
            )
        return recipe

    def check_recipe(self) -> None:
        """Raise :class:`diglot.errors.RecipeError` for an option refused by the steps of the recipe, and for a recipe
        that lacks a resource for every language pair."""
        recipe = self.resolved_recipe()
        for langs in self.language_pairs():
            if not recipe.lack(*langs):
                recipe.make_steps(*langs)
                recipe.remark_lines(*langs)
        self.lacks()

    def lacks(self) -> list[str]:
        """Why the recipe abstains, a line for every language pair that it leaves out.

        Raises :class:`diglot.errors.RecipeError` if it leaves out all pairs.
        """
        recipe, pairs = self.resolved_recipe(), self.language_pairs()
        found = [why for langs in pairs if (why := recipe.lack(*langs))]
        if len(found) == len(pairs):
            more = f" (and so for {len(found) - 1} more language pairs)" if len(found) > 1 else ""
            raise RecipeError(found[0] + more)
        return found

    def evidence(self) -> SourcesByPair:
        """Sources of evidence for the aligner by language pair; raises :class:`UsageError` for a missing source."""
        from diglot.alignment.evidence.sources import sources_by_pair, split_evidence

        return sources_by_pair(split_evidence(self.resolved_recipe().aligner_evidence), self.language_pairs())

    def excluding_flags(self) -> frozenset[str]:
        """Flags excluding a segment from the corpus; :class:`UsageError` for an unknown flag."""
        return excluded_flags(self.keep, self.drop)

    def least_score(self) -> float:
        """Least score of a kept segment. Default: :data:`diglot.corpus.flags.MIN_SCORE` where scores are probabilities,
        else 0: how well lengths fit is too weak a reason to leave a segment out."""
        if self.min_score is not None:
            return self.min_score
        return MIN_SCORE if self.scores_are_probabilities() else 0.0

    def scores_are_probabilities(self) -> bool:
        """Whether the score of a segment is the probability of a correct translation, and not the fit of lengths."""
        return self.resolved_recipe().aligner not in LENGTH_ALIGNERS

    def language_pairs(self) -> list[tuple[str, str]]:
        """Source and target languages of the run."""
        return language_pairs(self.langs, self.pivot)

    def with_recipe(self, recipe: str, options: Mapping[str, Any]) -> Settings:
        """A copy with another recipe and options, checked except for :meth:`check_recipe`."""
        changed = dataclasses.replace(self, recipe=recipe, options=_as_texts(recipe, options))
        changed.resolved_recipe()
        return changed

    def with_evidence(self, names: str | Sequence[str]) -> Settings:
        """A copy with these sources of evidence for the aligner, checked."""
        from diglot.alignment.evidence.sources import SEPARATOR, place_evidence

        # diglot.toml can state a name, and no function.
        if callable(names) or not all(isinstance(name, str) for name in names):
            raise UsageError("a run names its evidence, as in 'embed'; a function works in diglot.align alone")
        text = names if isinstance(names, str) else SEPARATOR.join(names)
        options = {**dict(self.options), "aligner_evidence": place_evidence(text, absolute_file)}
        changed = dataclasses.replace(self, options=tuple(sorted(options.items())))
        changed.evidence()
        return changed

    def without_folders(self) -> Settings:
        """A copy that names files without their folders, which say something about this machine only."""
        options = get_recipe(self.recipe).place_files(dict(self.options), file_name)
        files = _place_paths({name: getattr(self, name) for name in _PATHS}, file_name)
        return dataclasses.replace(self, options=tuple(options.items()), **files)

    def to_table(self) -> dict[str, Any]:
        """Plain values for TOML; None is left out."""
        lists = {name: list(getattr(self, name)) for name in ("langs", "hosts", "lang_rules", "keep", "drop")}
        values = {**dataclasses.asdict(self), **lists, "options": dict(self.options)}
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Settings:
        """Inverse of :meth:`to_table`. Raises :class:`LanguageError` for languages that are none, and
        :class:`RunFolderError` for a table without languages or options, and for a value that is no text, number, truth
        value or list where the option is one."""
        known = {f.name: _KINDS.get(str(f.type), object) for f in dataclasses.fields(cls)}
        try:
            # Keys of other versions are ignored.
            values = {key: value for key, value in table.items() if key in known}
            langs = parse_languages(values.pop("langs"))
            wrong = [name for name, value in values.items() if not _is_of(value, known[name])]
            if wrong:
                raise TypeError(f"{wrong[0]} = {values[wrong[0]]!r}")
            values |= {"langs": langs, "options": tuple(dict(table["options"]).items())}
            values |= {name: tuple(values.get(name, ())) for name in ("hosts", "lang_rules", "keep", "drop")}
            return cls(**values)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise RunFolderError(
                f"diglot.toml does not hold the options of a run ({error!r}); run harvest again"
            ) from error


def _is_of(value: Any, kind: Any) -> bool:
    """Whether a value of a table is of a kind. Python counts truth values as whole numbers; all lists are of texts."""
    if isinstance(value, list):
        return kind in (list, object) and all(isinstance(each, str) for each in value)
    return isinstance(value, kind) and (kind in (bool, object) or not isinstance(value, bool))


def _as_texts(recipe: str, options: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Options of a recipe as ``--set`` takes them, sorted, with paths from the root; numbers and truth values may be
    given as such."""
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    return tuple(sorted(get_recipe(recipe).place_files(texts, absolute_file).items()))


def as_fields(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Keywords of a call as fields of :class:`Settings`: lists become tuples, and a path a text, from the root."""
    texts = {name: os.fspath(value) for name, value in keywords.items() if isinstance(value, os.PathLike)}
    lists = {name: tuple(value) for name, value in keywords.items() if isinstance(value, list)}
    return _place_paths({**keywords, **texts, **lists}, absolute_file)


def _place_paths(fields: Mapping[str, Any], place: Callable[[str], str]) -> dict[str, Any]:
    """Fields of :class:`Settings`, with each path on this machine as ``place`` gives it."""
    # An address of any kind is no path: what is no file of an object store is refused as typed.
    paths = {name: fields[name] for name in _PATHS if fields.get(name) and "://" not in fields[name]}
    return {**fields, **{name: place_files(path, place, parted=False) for name, path in paths.items()}}


def make_settings(langs: str | Sequence[str], *, options: Mapping[str, Any] | None = None, **others: Any) -> Settings:
    """Settings from typed options, checked as a whole: languages, pivot, recipe and recipe options."""
    require_options("option", others, [each.name for each in dataclasses.fields(Settings)])
    given = as_fields(others)
    texts = _as_texts(given.get("recipe", DEFAULT_RECIPE), options or {})
    settings = Settings(langs=parse_languages(langs), options=texts, **given)
    settings.check_recipe()
    settings.evidence()
    check_without_languages(settings)
    return settings


def settings_of_found(langs: Sequence[str], pivot: str, options: Mapping[str, Any]) -> Settings:
    """Settings for languages that Diglot chose: with folders for more than :data:`MANY_PAIRS` language pairs."""
    return with_folders(make_settings(langs, **{**options, "pivot": pivot}))


def with_folders(settings: Settings) -> Settings:
    """The settings, with outputs in folders by kind for more than :data:`MANY_PAIRS` language pairs."""
    return dataclasses.replace(settings, folders=settings.folders or len(settings.language_pairs()) > MANY_PAIRS)


def settings_without_languages(*, options: Mapping[str, Any] | None = None, **others: Any) -> Settings:
    """Settings of a run with languages to be detected, checked as far as possible without languages."""
    require_options("option", others, [each.name for each in dataclasses.fields(Settings)])
    texts = _as_texts(others.get("recipe", DEFAULT_RECIPE), options or {})
    settings = Settings(langs=(), options=texts, **as_fields(others))
    check_without_languages(settings)
    return settings


def check_without_languages(settings: Settings) -> None:
    """Check everything independent of the languages; raises like :func:`make_settings`."""
    settings.resolved_recipe()
    settings.excluding_flags()
    check_page_languages(settings.lang_from, settings.lang_rules)
    as_mode(settings.pii)
    check_min_prob(settings.min_prob)
    check_min_score(settings.min_score)


def with_flag_lists(before: Mapping[str, Sequence[str]], typed: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The lists ``keep`` and ``drop`` of the options ``typed``.

    The latest word on a flag counts: if only one list is typed, the other is the list of ``before`` without the typed
    flags.
    """
    lists = {name: tuple(typed[name]) for name in ("keep", "drop") if name in typed}
    for name, other in (("keep", "drop"), ("drop", "keep")):
        if name not in typed and other in typed:
            gone = {flag.strip() for flag in typed[other]}
            lists[name] = tuple(flag for flag in before.get(name, ()) if flag.strip() not in gone)
    return lists


def check_min_prob(least: float) -> None:
    """Raise :class:`UsageError` for a least probability outside [0, 1]."""
    if not 0 <= least <= 1:
        raise UsageError(f"min_prob={least}: give a probability between 0 and 1")


def check_min_score(least: float | None) -> None:
    """Raise :class:`UsageError` for a least score outside [0, 1]."""
    # NaN fails this comparison, too.
    if least is not None and not 0 <= least <= 1:
        raise UsageError(f"min_score={least}: give a score between 0 and 1")


def settings_file(
    settings: Settings,
    sources: Sequence[Mapping[str, Any]],
    *,
    crawl: Any = None,
    languages: Any = None,
) -> dict[str, Any]:
    """Content of ``diglot.toml``: options, recipe signature, version, sources (name, kind, hash); ``crawl`` and
    ``languages`` only if they are not empty."""
    return {
        **({"crawl": crawl} if crawl else {}),
        "diglot": __version__,
        "signature": settings.resolved_recipe().signature(__version__),
        "settings": settings.to_table(),
        **({"languages": languages} if languages else {}),
        "sources": sources,
    }


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file named by a person; :class:`UsageError` for an unreadable one."""
    try:
        return tomllib.loads(read_text(path))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read as TOML ({describe_error(error)})") from error


def read_options(path: Path) -> dict[str, str]:
    """Recipe options from a TOML file of ``key = value`` lines; :class:`UsageError` for any other content."""
    table = read_toml(path)
    if "settings" in table and "signature" in table:
        raise UsageError(f"{path}: holds the options of a run, for `harvest --config`; give a file of recipe options")
    nested = [key for key, value in table.items() if isinstance(value, dict | list)]
    if nested:
        raise UsageError(f"{path}: {nested[0]} is a table or list; write one `key = value` a line")
    return {key: str(value) for key, value in table.items()}
