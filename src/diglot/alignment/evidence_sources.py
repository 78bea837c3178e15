"""What a source of evidence, named or a function that encodes sentences, says of the beads of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from diglot.alignment.dictionary_evidence import dictionary_similarity
from diglot.alignment.embedding_evidence import embedding_similarity
from diglot.alignment.encoders import Encoder, encoder_for
from diglot.alignment.evidence_kinds import Langs, Sides, lexicon_of, parse_source, side_translated
from diglot.alignment.lexical_evidence import Similarity
from diglot.alignment.lexical_pool import Bitext
from diglot.alignment.made_translations import apertium_translations, known_side, read_translations
from diglot.alignment.translation_evidence import translation_similarity


def similarities(source: str | Encoder, texts: Sequence[Sides], langs: Langs) -> list[Similarity]:
    """What a source says of each of several texts; of the sentences that a file of translations lacks, nothing.

    Raises: UsageError for a source that is none of :data:`diglot.alignment.evidence_kinds.KINDS`, a missing package,
    program or file, or one that does not hold the two languages.
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


def with_evidence(bitexts: Sequence[Bitext], sources: Sequence[str | Encoder], langs: Langs) -> list[Bitext]:
    """Texts of one language pair, each with what these sources say of it; raises as :func:`similarities`."""
    sides = [(bitext.src, bitext.tgt) for bitext in bitexts]
    kinds = [similarities(source, sides, langs) for source in sources]
    return [replace(bitext, evidence=[kind[n] for kind in kinds]) for n, bitext in enumerate(bitexts)]


def _by_translations(text: Sides, langs: Langs, known: Mapping[str, str], *, from_side: int) -> Similarity:
    if from_side == 0:
        return translation_similarity(*text, langs[1], known)
    back = translation_similarity(text[1], text[0], langs[0], known)
    return lambda beads: back(beads[:, [2, 3, 0, 1]])
