"""Evidence for beads as users name it: spelling, languages served, files it rests on, and what it says of the beads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Literal, NamedTuple, cast

from diglot.alignment.beads import Similarity
from diglot.alignment.evidence.dictionary import dictionary_similarity
from diglot.alignment.evidence.embedding import Encoder, embedding_similarity, encoder_for, encoder_package
from diglot.alignment.evidence.translations import (
    apertium_translations,
    known_side,
    mode_languages,
    read_translations,
    translation_similarity,
)
from diglot.alignment.lexical.units import ParallelText
from diglot.errors import LanguageError, SourceError, UsageError
from diglot.lexicons import Lexicon, file_hashes, find_lexicon
from diglot.lexicons.lexicon import language

EVIDENCE_KINDS = "embed, dictionary:PATH, translations:PATH, apertium:MODE"
SEPARATOR = ";"
"""Between several sources in one text; a comma parts the files of a dictionary."""

EvidenceKind = Literal["embed", "dictionary", "translations", "apertium"]
LanguageTags = tuple[str, str]
"""BCP 47 tags of source and target."""


Sides = tuple[Sequence[str], Sequence[str]]
"""Sentences of both sides of a text."""


class EvidenceSource(NamedTuple):
    """A source of evidence: ``value`` is its path or mode, "" for ``embed``."""

    kind: EvidenceKind
    value: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}" if self.value else self.kind


@dataclass(frozen=True, slots=True)
class Serving:
    """Names of the sources that serve each language pair, and a line for each that one does not serve."""

    sources: dict[LanguageTags, tuple[str, ...]]
    notes: tuple[str, ...] = ()


def split_evidence(text: str) -> tuple[str, ...]:
    """Names of sources out of one text, parted by :data:`SEPARATOR`; their spelling is checked.

    Raises: UsageError for one that is none of :data:`EVIDENCE_KINDS`.
    """
    names = tuple(name.strip() for name in text.split(SEPARATOR) if name.strip())
    for name in names:
        parse_source(name)
    return names


def parse_source(name: str) -> EvidenceSource:
    """A source by its name; UsageError for one that is none of :data:`EVIDENCE_KINDS`."""
    kind, _, value = name.partition(":")
    if kind not in ("embed", "dictionary", "translations", "apertium") or bool(value) == (kind == "embed"):
        raise UsageError(f"evidence {name}: give one of {EVIDENCE_KINDS}")
    return EvidenceSource(cast(EvidenceKind, kind), value)


def serving(names: Sequence[str], lang_pairs: Sequence[LanguageTags]) -> Serving:
    """Which sources serve which language pairs, found out without any text.

    Raises: UsageError for a missing package, program or file or one that is not what it should be; LanguageError
    where a source serves none of the language pairs.
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
        if refused and len(refused) == len(lang_pairs):
            raise refused[0]
        notes += map(str, refused)
    return Serving(sources, tuple(notes))


def made_of(served: Serving) -> list[str]:
    """All that decides what the sources say: their names, hashes of their files, versions of their packages.

    Of Apertium the mode only, not what is installed for it. Raises: SourceError for a file that cannot be read.
    """
    found: list[str] = []
    for name in dict.fromkeys(name for names in served.sources.values() for name in names):
        kind, value = parse_source(name)
        found.append(name)
        if kind in ("dictionary", "translations"):
            found += file_hashes(value) if kind == "dictionary" else file_hashes(value, parted=False)
        elif kind == "embed":
            packages = {encoder_package(pair) for pair, names in served.sources.items() if name in names}
            found += [f"{package} {version(package)}" for package in sorted(packages)]
    return found


def knows_some_only(name: str) -> bool:
    """Whether a source is of certain sentences, so that it may have none of a text."""
    return parse_source(name).kind == "translations"


def require_known(name: str, texts: Sequence[Sides]) -> None:
    """Raise SourceError for a file of translations that has none of the sentences: it was made of another text."""
    if not knows_some_only(name):
        return
    path = Path(parse_source(name).value).expanduser()
    if known_side(read_translations(path), texts) is None:
        raise SourceError(f"{path}: none of the sentences is in its first column; give source<TAB>translation of them")


def lexicon_of(paths: str, langs: LanguageTags) -> Lexicon:
    """The dictionary of these files; LanguageError where none holds the two languages."""
    lexicon = find_lexicon(paths, *langs)
    if lexicon is None:
        raise LanguageError(f"evidence dictionary:{paths}: not a dictionary of {langs[0]} and {langs[1]}")
    return lexicon


def side_translated(mode: str, langs: LanguageTags) -> int:
    """The side, 0 or 1, that a mode of Apertium translates; LanguageError where it is of other languages."""
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
    """What a source says of each of several texts; of the sentences that a file of translations lacks, nothing.

    Raises: UsageError for a source that is none of :data:`EVIDENCE_KINDS`, a missing package, program or file, or one
    that does not hold the two languages.
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
    """Texts of one language pair, each with what these sources say of it; raises as :func:`similarities`."""
    sides = [(pair.src, pair.tgt) for pair in pairs]
    kinds = [similarities(source, sides, langs) for source in sources]
    return [replace(pair, evidence=[kind[n] for kind in kinds]) for n, pair in enumerate(pairs)]


def _by_translations(text: Sides, langs: LanguageTags, known: Mapping[str, str], *, from_side: int) -> Similarity:
    if from_side == 0:
        return translation_similarity(*text, langs[1], known)
    back = translation_similarity(text[1], text[0], langs[0], known)
    return lambda beads: back(beads[:, [2, 3, 0, 1]])
