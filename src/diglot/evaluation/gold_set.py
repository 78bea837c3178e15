"""The gold a run is judged by: read from files, and kept to the language pairs the run was asked for."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from diglot.errors import UsageError
from diglot.evaluation.pair_files import GoldPair, read_gold
from diglot.languages import wanted_language

LangPair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Gold pairs, pairs that are neither right nor wrong, and where the former are from."""

    pairs: tuple[GoldPair, ...]
    ignored: tuple[GoldPair, ...] = ()
    name: str = "the gold"

    def of_languages(self, lang_pairs: Collection[LangPair]) -> GoldSet:
        """The gold of these language pairs, in either order, its languages called as they are in ``lang_pairs``.

        A gold language belongs to a wanted one as a page's language does: ``zh-cn`` to ``zh`` or ``zh-Hans``,
        not to ``zh-Hant``. Pages of other language pairs are unknown to the result.

        Raises: UsageError where nothing is left; it names the language pairs there are.
        """
        wanted = {frozenset(pair) for pair in lang_pairs}
        langs = tuple(dict.fromkeys(lang for pair in lang_pairs for lang in pair))
        kept = _kept(self.pairs, langs, wanted)
        if not kept:
            asked = ", ".join(f"{src}-{tgt}" for src, tgt in lang_pairs)
            there = ", ".join(sorted({"-".join(sorted(pair[:2])) for pair in self.pairs})) or "no pair at all"
            raise UsageError(f"{self.name} has no pair in {asked}; it has: {there}")
        return GoldSet(tuple(kept), tuple(_kept(self.ignored, langs, wanted)), self.name)


def read_gold_set(
    gold: str | os.PathLike[str],
    ignore: str | os.PathLike[str] | None = None,
) -> GoldSet:
    """Gold and, if given, the pairs to ignore; raises :class:`diglot.errors.SourceError` naming file and line."""
    ignored = tuple(read_gold(ignore)) if ignore else ()
    return GoldSet(tuple(read_gold(gold)), ignored, os.fspath(gold))


def _kept(pairs: Sequence[GoldPair], langs: tuple[str, ...], wanted: set[frozenset[str]]) -> list[GoldPair]:
    named: dict[str, str] = {}
    for lang in {lang for pair in pairs for lang in pair[:2]}:
        named[lang] = wanted_language(lang, lang, langs)
    relabelled = (pair._replace(lang1=named[pair.lang1], lang2=named[pair.lang2]) for pair in pairs)
    return [pair for pair in relabelled if frozenset((pair.lang1, pair.lang2)) in wanted]
