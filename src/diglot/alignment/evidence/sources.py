"""Evidence for beads from outside the pages: names of sources, their languages and files, and similarities of beads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple, cast

from diglot.alignment.beads import Similarity
from diglot.alignment.evidence.embedding import Encoder, embedding_similarity, encoder_for, encoder_package
from diglot.alignment.evidence.translations import (
    apertium_translations,
    dictionary_similarity,
    known_side,
    mode_languages,
    read_translations,
    translation_similarity,
)
from diglot.alignment.lexical.units import ParallelText
from diglot.errors import LanguageError, SourceError, UsageError
from diglot.lexicons import Lexicon, file_hashes, file_name, find_lexicon, language, place_files, split_paths

EVIDENCE_KINDS = "embed, dictionary:PATH, translations:PATH, apertium:MODE"
SEPARATOR = ";"
"""Separator of the names of sources; a comma separates the files of a dictionary."""

EvidenceKind = Literal["embed", "dictionary", "translations", "apertium"]
LanguageTags = tuple[str, str]
"""BCP 47 tags of source and target."""

Sides = tuple[Sequence[str], Sequence[str]]
"""Sentences of both sides of a text."""


class EvidenceSource(NamedTuple):
    """A source of evidence; ``value`` is its path or mode, "" for ``embed``."""

    kind: EvidenceKind
    value: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind


@dataclass(frozen=True, slots=True)
class SourcesByPair:
    """Names of the sources for every language pair, and notes on sources without the languages of a pair."""

    sources: dict[LanguageTags, tuple[str, ...]]
    notes: tuple[str, ...] = ()


def split_evidence(text: str) -> tuple[str, ...]:
    """Names of sources, separated by :data:`SEPARATOR`; their spelling is checked.

    Raises: UsageError for an unknown kind (:data:`EVIDENCE_KINDS`).
    """
    names = tuple(name.strip() for name in text.split(SEPARATOR) if name.strip())
    for name in names:
        parse_source(name)
    return names


def parse_source(name: str) -> EvidenceSource:
    """The source of a name; UsageError for an unknown kind (:data:`EVIDENCE_KINDS`)."""
    kind, _, value = name.partition(":")
    if kind not in ("embed", "dictionary", "translations", "apertium") or bool(value) == (kind == "embed"):
        raise UsageError(f"evidence {name}: give one of {EVIDENCE_KINDS}")
    return EvidenceSource(cast(EvidenceKind, kind), value)


def source_files(name: str) -> list[str]:
    """The files of a source, as written in its name; [] for a source without files."""
    kind, value = parse_source(name)
    if kind == "dictionary":
        return split_paths(value)
    return [value] if kind == "translations" else []


def place_evidence(text: str, place: Callable[[str], str]) -> str:
    """Names of sources, with each file as ``place`` gives it; UsageError for an unknown kind."""
    sources = [parse_source(name) for name in split_evidence(text)]
    placed = [
        EvidenceSource(kind, place_files(value, place, parted=kind == "dictionary", reserved=SEPARATOR))
        if kind in ("dictionary", "translations")
        else EvidenceSource(kind, value)
        for kind, value in sources
    ]
    return SEPARATOR.join(map(str, placed))


def sources_by_pair(names: Sequence[str], lang_pairs: Sequence[LanguageTags]) -> SourcesByPair:
    """Sources for every language pair, checked without any text.

    Raises: UsageError for a missing package, program or file, or a damaged file; LanguageError for a source without any
    of the language pairs.
    """
    sources: dict[LanguageTags, tuple[str, ...]] = dict.fromkeys(lang_pairs, ())
    notes: list[str] = []
    for name in names:
        refused: list[LanguageError] = []
        for pair in lang_pairs:
            try:
                _check(parse_source(name), pair)
                sources[pair] += (name,)
            except LanguageError as error:
                refused.append(error)
        # A source for some of the pairs is useful; a source for none is a mistake.
        if refused and len(refused) == len(lang_pairs):
            raise refused[0]
        notes += map(str, refused)
    return SourcesByPair(sources, tuple(notes))


def evidence_inputs(evidence: SourcesByPair) -> list[str]:
    """All inputs of the sources: their names without folders, hashes of their files, versions of their packages.

    For Apertium only the mode, not the installed version. Raises: SourceError for an unreadable file.
    """
    found: list[str] = []
    for name in dict.fromkeys(name for names in evidence.sources.values() for name in names):
        kind, value = parse_source(name)
        found.append(place_evidence(name, file_name))
        if kind in ("dictionary", "translations"):
            found += file_hashes(value) if kind == "dictionary" else file_hashes(value, parted=False)
        elif kind == "embed":
            packages = {encoder_package(pair) for pair, names in evidence.sources.items() if name in names}
            found += [f"{package} {version(package)}" for package in sorted(packages)]
    return found


def knows_some_only(name: str) -> bool:
    """Whether a source knows certain sentences only, perhaps none of a text."""
    return parse_source(name).kind == "translations"


def require_known(name: str, texts: Sequence[Sides]) -> None:
    """Raise SourceError for a file of translations without any of the sentences: a file of a different text."""
    if not knows_some_only(name):
        return
    path = Path(parse_source(name).value).expanduser()
    if known_side(read_translations(path), texts) is None:
        raise SourceError(f"{path}: none of the sentences is in its first column; give source<TAB>translation of them")


def lexicon_of(paths: str, langs: LanguageTags) -> Lexicon:
    """The dictionary in the files; LanguageError if no file holds the two languages."""
    lexicon = find_lexicon(paths, *langs)
    if lexicon is None:
        raise LanguageError(f"evidence dictionary:{paths}: not a dictionary of {langs[0]} and {langs[1]}")
    return lexicon


def side_translated(mode: str, langs: LanguageTags) -> int:
    """The side, 0 or 1, translated by a mode of Apertium; LanguageError for a mode of other languages."""
    own = (language(langs[0]), language(langs[1]))
    from_to = mode_languages(mode)
    if from_to not in (own, own[::-1]):
        raise LanguageError(f"evidence apertium:{mode}: the texts are in {langs[0]} and {langs[1]}")
    return 0 if from_to == own else 1


def _check(source: EvidenceSource, langs: LanguageTags) -> None:
    if source.kind == "embed":
        encoder_package(langs)
    elif source.kind == "dictionary":
        lexicon_of(source.value, langs)
    elif source.kind == "translations":
        read_translations(Path(source.value).expanduser())
    else:
        side_translated(source.value, langs)
        apertium_translations(source.value, [])


def similarities(source: str | Encoder, texts: Sequence[Sides], langs: LanguageTags) -> list[Similarity]:
    """Similarities of the beads of several texts by a source; NaN for sentences without a translation in a file.

    Raises: UsageError for an unknown kind of source, a missing package, program or file; LanguageError for a source of
    different languages.
    """
    if not isinstance(source, str):
        return [embedding_similarity(*text, source) for text in texts]
    kind, value = parse_source(source)
    if kind == "embed":
        encode = encoder_for(langs)
        return [embedding_similarity(*text, encode) for text in texts]
    if kind == "dictionary":
        lexicon = lexicon_of(value, langs)
        return [dictionary_similarity(*text, lexicon) for text in texts]
    if kind == "translations":
        known = read_translations(Path(value).expanduser())
        side = known_side(known, texts) or 0
    else:
        side = side_translated(value, langs)
        known = apertium_translations(value, [sentence for text in texts for sentence in text[side]])
    return [_by_translations(text, langs, known, from_side=side) for text in texts]


def with_evidence(
    pairs: Sequence[ParallelText], sources: Sequence[str | Encoder], langs: LanguageTags
) -> list[ParallelText]:
    """Texts of a language pair with evidence from the sources; raises as :func:`similarities`."""
    sides = [(pair.src, pair.tgt) for pair in pairs]
    kinds = [similarities(source, sides, langs) for source in sources]
    return [replace(pair, evidence=[kind[n] for kind in kinds]) for n, pair in enumerate(pairs)]


def _by_translations(text: Sides, langs: LanguageTags, known: Mapping[str, str], *, from_side: int) -> Similarity:
    if from_side == 0:
        return translation_similarity(*text, langs[1], known)
    back = translation_similarity(text[1], text[0], langs[0], known)
    return lambda beads: back(beads[:, [2, 3, 0, 1]])
