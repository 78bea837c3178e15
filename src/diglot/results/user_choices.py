"""What a user chooses of a run: language pairs, variants, the pivot, and exports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import langcodes

from diglot.arguments import ExportKeywords
from diglot.corpus.flags import check_flag
from diglot.corpus.formats import SPREADSHEET_FORMATS, VARIANT_FORMATS, check_formats
from diglot.corpus.formats.segments import DECLARED
from diglot.errors import LanguageError, UsageError, require_options
from diglot.languages import LangPair, parse_languages
from diglot.outputs.exports import Export, folder_in_run
from diglot.outputs.joint_exports import pivot_of
from diglot.run.settings import Settings


def asked_pairs(settings: Settings, langs: str | Sequence[str]) -> tuple[LangPair, ...]:
    """Language pairs of a run with both languages in ``langs``, typed in any order and case; all pairs for no language.

    Raises :class:`LanguageError` for a language without such a pair.
    """
    pairs = tuple(settings.language_pairs())
    if not langs:
        return pairs
    asked = parse_languages(langs)
    found = tuple(pair for pair in pairs if set(pair) <= set(asked))
    missing = [lang for lang in asked if not any(lang in pair for pair in found)]
    if missing:
        raise LanguageError(f"langs={','.join(asked)}: the run has no such pair; it has: {_names(pairs)}")
    return found


def asked_variants(settings: Settings, variants: str | Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Languages of a run with the tags typed for them (``en-US,fr-CA``), or each with :data:`DECLARED`.

    Raises :class:`LanguageError` for an invalid tag, and for a tag of none or several of the run's languages.
    """
    typed = variants.split(",") if isinstance(variants, str) else list(variants)
    if typed == [DECLARED]:
        return tuple((lang, DECLARED) for lang in settings.langs)
    found: dict[str, str] = {}
    for variant in filter(None, map(str.strip, typed)):
        if not langcodes.tag_is_valid(variant):
            raise LanguageError(f"variants={variant}: no BCP 47 tag; write one such as fr-CA or zh-Hant, or {DECLARED}")
        tag = langcodes.standardize_tag(variant)
        primary = langcodes.Language.get(tag).language
        fitting = [lang for lang in settings.langs if langcodes.Language.get(lang).language == primary]
        if len(fitting) != 1:
            problem = "several languages" if fitting else "no language"
            raise LanguageError(
                f"variants={variant}: a variant of {problem} of the run, which has {', '.join(settings.langs)}"
            )
        if fitting[0] in found:
            raise LanguageError(f"variants={variant}: {found[fitting[0]]} is given for {fitting[0]} already; give one")
        found[fitting[0]] = tag
    return tuple(found.items())


def asked_pivot(settings: Settings, pairs: Sequence[LangPair], pivot: str) -> str:
    """The typed pivot as spelt in these pairs, "" for none; :class:`LanguageError` for a language in none of them."""
    langs = [lang for lang in settings.langs if any(lang in pair for pair in pairs)]
    named = [lang for lang in langs if lang.casefold() == pivot.strip().casefold()]
    if pivot and not named:
        raise LanguageError(f"pivot={pivot}: none of the languages that are written: {', '.join(langs)}")
    return named[0] if named else ""


def asked_exports(
    run: Path, settings: Settings, names: Sequence[str], folder: Path, options: ExportKeywords
) -> list[Export]:
    """An export into ``folder`` for each format in ``names``; ``options``: of :meth:`diglot.Run.export`.

    Raises :class:`UsageError` for an unknown format, flag or option, :class:`LanguageError` for an unknown language.
    """
    require_options("option", options, ExportKeywords.__annotations__)
    check_formats(names)
    spreadsheet = options.get("spreadsheet", False)
    if spreadsheet and not {*names} & {*SPREADSHEET_FORMATS}:
        raise UsageError(f"spreadsheet=True: for {' and '.join(SPREADSHEET_FORMATS)}, not {', '.join(names)}")
    typed = options.get("variants", "")
    if typed and not {*names} & {*VARIANT_FORMATS}:
        shown = typed if isinstance(typed, str) else ",".join(typed)
        raise UsageError(f"variants={shown}: for {', '.join(VARIANT_FORMATS)}, not {', '.join(names)}")
    inside = folder_in_run(run, folder) or ""
    excluded = options.get("excluded")
    flags = None if excluded is None else tuple(sorted(map(check_flag, excluded)))
    pairs = asked_pairs(settings, options.get("langs", ""))
    variants = asked_variants(settings, typed)
    pivot = asked_pivot(settings, pairs, options.get("pivot", ""))
    limits = options.get("min_prob", 0.0), options.get("min_score")
    return [Export(inside, name, pairs, *limits, flags, variants, pivot, spreadsheet) for name in names]


def left_unjoined(settings: Settings, langs: str | Sequence[str], pivot: str) -> tuple[str, str]:
    """The pivot of a multilingual TMX, and the language pairs without the pivot, which the TMX leaves out."""
    pairs = asked_pairs(settings, langs)
    by = pivot_of(settings, pairs, asked_pivot(settings, pairs, pivot))
    return by, _names([pair for pair in pairs if by not in pair])


def _names(pairs: Sequence[LangPair]) -> str:
    return ", ".join(f"{src}-{tgt}" for src, tgt in pairs)
