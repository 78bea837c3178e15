"""Exports of a run: which files, with which options, for writing them again or deleting them."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Set
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from diglot.corpus.flags import EXCLUDED
from diglot.corpus.formats import (
    ALL_FORMATS,
    CARD,
    JOINT,
    OTHER_CARD,
    SPREADSHEET_FORMATS,
    VARIANT_FORMATS,
    WITH_CARD,
    files_of,
    tmx_parts,
)
from diglot.disk.folder import RunFolder
from diglot.disk.stated_paths import require_folder_inside
from diglot.errors import LanguageError, RunFolderError
from diglot.languages import parse_languages
from diglot.outputs.corpus_files import OUT
from diglot.run.settings import Settings

EXPORT = "export"
OWN = ("tmx", "tsv")
"""Formats written into ``out`` by every run."""
_PART_OF_TMX = re.compile(r"\.[0-9]{5}(?=\.tmx\Z)")
"""Number in the name of a part of a memory (:func:`diglot.corpus.formats.tmx_parts`)."""


@dataclass(frozen=True, slots=True)
class Export:
    """Export of language pairs (``SRC``, ``TGT``) in one format, into a folder relative to the run's, with all options.

    ``excluded``: flags of the segments to leave out, None for the run's own. ``variants``: languages, each with the
    requested tag; ``pivot``: requested language to join by, "" for none; ``spreadsheet``: whether cells are kept from
    being formulas.
    """

    folder: str
    form: str
    pairs: tuple[tuple[str, str], ...]
    min_prob: float = 0.0
    min_score: float | None = None
    excluded: tuple[str, ...] | None = None
    variants: tuple[tuple[str, str], ...] = ()
    pivot: str = ""
    spreadsheet: bool = False

    def own_options(self) -> dict[str, object]:
        """Values of the options that differ from the run's."""
        options: dict[str, object] = {"min_prob": self.min_prob or None, "min_score": self.min_score}
        options["without"] = None if self.excluded is None else ",".join(self.excluded)
        options["variant"] = ",".join(dict.fromkeys(tag for _, tag in self.variants)) or None
        options["pivot"] = self.pivot or None
        return {name: value for name, value in options.items() if value is not None}

    def option_texts(self) -> list[str]:
        """The own options as ``name=value``, for the signature in the files."""
        return [f"{name}={value}" for name, value in self.own_options().items()]

    def limits(self, settings: Settings) -> tuple[frozenset[str], float]:
        """Excluding flags, and least score."""
        excluded = settings.excluding_flags() if self.excluded is None else frozenset(self.excluded)
        return excluded, settings.least_score() if self.min_score is None else self.min_score

    def paths(self, run: Path, pairs: Iterable[tuple[str, str]]) -> list[Path]:
        """Files of these language pairs, folders for cesalign; and the dataset card, if Diglot wrote it."""
        from diglot.corpus.formats.card import is_card

        paths = [run / self.folder / name for name in files_of(self.form, list(pairs))]
        if self.form == "tmx":
            paths += [part for path in paths for part in tmx_parts(path)]
        if self.form in WITH_CARD and paths:
            paths += [card for name in (CARD, OTHER_CARD) if is_card(card := run / self.folder / name)]
        return paths

    def holds(self, name: str) -> bool:
        """Whether a file of the run, present or not, is of this export; ``name``: its path relative to the run."""
        # A part belongs to the whole memory.
        path = PurePosixPath(_PART_OF_TMX.sub("", name) if self.form == "tmx" else name)
        own = [PurePosixPath(self.folder, each) for each in files_of(self.form, list(self.pairs))]
        # A format with a file for each page has a folder for each language pair.
        if any(each == path or each in path.parents for each in own):
            return True
        return self.form in WITH_CARD and path in (PurePosixPath(self.folder, card) for card in (CARD, OTHER_CARD))


def note_export(folder: RunFolder, export: Export) -> None:
    """Note an export before its files are written: a killed export may leave some of them."""
    key = _key(export.folder, export.form)
    known = folder.recall(EXPORT, key)
    # Files of earlier language pairs stay; a file of all pairs is replaced.
    before = read_export(folder, known).pairs if known and export.form not in JOINT else ()
    pairs = sorted({*export.pairs, *before})
    folder.remember(EXPORT, key, asdict(export) | {"pairs": pairs})


def drop_exports(folder: RunFolder, forms: Iterable[str]) -> None:
    """Delete the notes on exports in these formats into ``out``, when the run writes the files itself."""
    for form in forms:
        folder.forget_note(EXPORT, _key(OUT, form))


def exports_of(folder: RunFolder) -> list[Export]:
    """Every export into the run folder."""
    return [read_export(folder, value) for value in folder.recall_all(EXPORT).values()]


def export_commands(run: Path, settings: Settings, exports: Iterable[Export]) -> list[str]:
    """Commands that write these exports of a run again; formats with equal options share a command."""
    forms: dict[tuple[str, ...], list[str]] = {}
    for export in exports:
        for langs in _asked_languages(settings, export):
            forms.setdefault((*langs, *_typed_options(run, settings, export)), []).append(export.form)
    return [
        shlex.join(["diglot", "export", str(run), "--to", ",".join(dict.fromkeys(names)), *options])
        for options, names in forms.items()
    ]


def _asked_languages(settings: Settings, export: Export) -> Iterator[tuple[str, ...]]:
    """For each command that the language pairs of an export need: ``-l`` with its languages, () for all pairs. Nothing
    for pairs that the run no longer has."""
    known = settings.language_pairs()
    pairs = [pair for pair in known if pair in export.pairs]
    langs = [lang for lang in settings.langs if any(lang in pair for pair in pairs)]
    if pairs == known:
        yield ()
    # An option with three languages would also write the pair that no export asked for.
    elif pairs and pairs == [pair for pair in known if {*pair} <= {*langs}]:
        yield ("-l", ",".join(langs))
    else:
        yield from (("-l", ",".join(pair)) for pair in pairs)


def _typed_options(run: Path, settings: Settings, export: Export) -> Iterator[str]:
    """Options of ``diglot export`` that differ from the default, as they are typed."""
    if export.folder != OUT:
        yield from ("-o", str(run / export.folder))
    for name, value in export.own_options().items():
        if name == "without":
            yield from _typed_flags(settings.excluding_flags(), export.limits(settings)[0])
        # The command refuses options that a format has no use for.
        elif name != "variant" or export.form in VARIANT_FORMATS:
            yield from (f"--{name.replace('_', '-')}", str(value))
    if export.spreadsheet and export.form in SPREADSHEET_FORMATS:
        yield "--spreadsheet"


def _typed_flags(of_run: Set[str], excluded: Set[str]) -> Iterator[str]:
    """The options ``--keep`` and ``--drop`` that exclude these flags, and not those of the run."""
    kept, dropped = (EXCLUDED | of_run) - excluded, excluded - (EXCLUDED & of_run)
    if kept:
        yield from ("--keep", ",".join(sorted(kept)))
    # Without either option the command takes the flags of the run; any excluding flag stands for the usual ones.
    if dropped or not kept:
        yield from ("--drop", ",".join(sorted(dropped)) or min(excluded))


def folder_in_run(run: Path, folder: str | os.PathLike[str]) -> str | None:
    """Path of a folder relative to the run; None for a folder outside of the run."""
    try:
        return Path(folder).resolve().relative_to(run.resolve()).as_posix()
    except ValueError:
        return None


def _key(folder: str, form: str) -> str:
    return f"{form} {folder}"


def read_export(folder: RunFolder, value: object) -> Export:
    """The export whose fields are ``value``, from JSON; RunFolderError for a note that is no export into the run."""
    journal = folder.journal
    try:
        table: dict[str, Any] = dict(value)  # type: ignore[call-overload]
        excluded, variants = table["excluded"], table.get("variants", ())
        # Files are named by languages.
        pairs = tuple((src, tgt) for src, tgt in map(parse_languages, table["pairs"]))
        export = Export(
            **{
                **table,
                "folder": require_folder_inside(journal, table["folder"]),
                "pairs": pairs,
                "excluded": None if excluded is None else tuple(excluded),
                "variants": tuple((lang, tag) for lang, tag in variants),
            }
        )
        if export.form not in ALL_FORMATS:
            raise ValueError(f"no format {export.form!r}")
    except (AttributeError, KeyError, TypeError, ValueError, LanguageError) as error:
        raise RunFolderError(
            f"{journal}: holds a note that is no export ({error}); use a copy of the run that you trust, or make the "
            "run again"
        ) from error
    return export
