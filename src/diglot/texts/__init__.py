"""Align two texts or documents, translations of each other, and write beads, TSV, TMX or a memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from diglot.alignment.beads import Bead, bead_sizes, format_bead
from diglot.alignment.evidence.embedding import Encoder
from diglot.alignment.evidence.sources import require_known, sources_by_pair, with_evidence
from diglot.alignment.gale_church import align_lengths, text_length
from diglot.alignment.lexical import align_texts
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segmenting import join_sentences, split_sentences
from diglot.checked_arguments import check_arguments
from diglot.corpus.characters import one_line
from diglot.corpus.formats.tmx import SegmentUnit, units_of, write_tmx
from diglot.corpus.shown_segments import shown_segments
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import read_named_text
from diglot.errors import LanguageError, SourceError, UsageError
from diglot.languages import parse_languages, standard_tag
from diglot.texts.document_pair import (
    align_documents,
    media_of_file,
    require_memory_place,
    write_memory,
)
from diglot.texts.named_languages import require_order, require_translations, sure_language

BEADS, TSV, TMX, MEMORY = "beads", "tsv", "tmx", "memory"
TEXT_FORMATS = (BEADS, TSV, TMX, MEMORY)
ENDINGS = {".tsv": TSV, ".tmx": TMX, ".align": BEADS, ".txt": BEADS}
"""Formats by the ending of the file to write, where no format is named."""

TSV_HEAD = "src\ttgt\tscore\tbead"

TextAligner = Literal["lexical", "gale_church"]
EvidenceSources = str | Encoder | Sequence[str | Encoder] | None
"""A source of evidence, or several, or none; see :func:`align`."""


@check_arguments
def align(
    src: Iterable[str],
    tgt: Iterable[str],
    src_lang: str,
    tgt_lang: str,
    *,
    aligner: TextAligner = "lexical",
    evidence: EvidenceSources = None,
) -> list[Bead]:
    """Beads of two lists of sentences (or paragraphs), covering both, in order. A column of a table is a list as well.

    ``lexical`` learns lengths and words from the two texts; ``score`` is the estimated probability of a correct bead.
    ``gale_church`` uses length; ``score`` is the fit of the lengths. Neither needs to know the languages.

    ``evidence`` adds outside knowledge to ``lexical``: ``embed``, ``dictionary:PATH``, ``translations:PATH``,
    ``apertium:MODE``, or a function from a list of sentences to a row of numbers each, such as the ``encode`` of your
    own model. Raises kinds of :class:`UsageError`.
    """
    return align_several([(src, tgt)], src_lang, tgt_lang, aligner=aligner, evidence=evidence)[0]


def align_several(
    texts: Sequence[tuple[Iterable[str], Iterable[str]]],
    src_lang: str,
    tgt_lang: str,
    *,
    aligner: TextAligner = "lexical",
    evidence: EvidenceSources = None,
) -> list[list[Bead]]:
    """Like :func:`align`, for several texts of one language pair: ``lexical`` learns from all of them."""
    langs = standard_tag(src_lang), standard_tag(tgt_lang)
    pairs = [ParallelText(_text_list(src), _text_list(tgt), fold=number) for number, (src, tgt) in enumerate(texts)]
    return _align(pairs, langs, aligner, evidence)


def _text_list(texts: Iterable[str]) -> list[str]:
    """The texts of a side, which may also come from an array, a column or a generator."""
    if isinstance(texts, str):
        raise UsageError(f"{texts[:30]!r} is one text; give a list of its sentences or paragraphs")
    # Data frames and dicts give their names, one by one, and a set has no order.
    if isinstance(texts, Mapping | Set) or hasattr(texts, "columns"):
        raise UsageError(f"a {type(texts).__name__} is no list of sentences; give a list, or one column of a table")
    if hasattr(texts, "to_pylist"):  # of Arrow
        texts = texts.to_pylist()
    found = list(texts) if isinstance(texts, Iterable) else [texts]
    for each in found:
        if not isinstance(each, str):
            raise UsageError(f"{each!r:.60} is no text; give a list of sentences or paragraphs")
    return found


def _align(
    texts: Sequence[ParallelText], langs: tuple[str, str], aligner: str, evidence: EvidenceSources
) -> list[list[Bead]]:
    if aligner == "lexical":
        sources = [evidence] if isinstance(evidence, str) or callable(evidence) else evidence or ()
        for name in sources:
            if isinstance(name, str):
                require_known(name, [(text.src, text.tgt) for text in texts])
        return align_texts(with_evidence(texts, sources, langs))
    if evidence:
        raise UsageError(f"aligner {aligner} takes no evidence; leave it out, or use lexical")
    if aligner == "gale_church":
        return [align_lengths(*(list(map(text_length, side)) for side in (text.src, text.tgt))) for text in texts]
    raise UsageError(f"aligner {aligner}: two texts are aligned by one of {', '.join(get_args(TextAligner))}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextOptions:
    """How two files are aligned.

    ``langs``: two BCP 47 tags, comma between. ``split``: lines are paragraphs, split into sentences first. ``to``:
    ``beads`` ("[0, 1]:[2]" a line), ``tsv`` (source, target, score, bead), ``tmx``, or ``memory``, a folder with TMX
    and a page to read; "": as the ending of the file to write says (:data:`ENDINGS`), else memory where a file is HTML
    or a document, else beads. ``aligner``, ``evidence``: see :func:`align`.
    """

    langs: str
    split: bool = False
    to: str = ""
    aligner: str = "lexical"
    evidence: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Units:
    """Segments of a text, and for every segment of a split text whether a line of the file begins there."""

    texts: list[str]
    opens: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class WrittenMemory:
    """Files of a memory, number of segments in it, and of all segments."""

    paths: list[Path]
    kept: int
    found: int


UNSURE_SHARE = 0.25
"""Least share of sentences without a likely translation for a warning. Texts that follow each other leave a tenth; a
third is left where a third of one text stands elsewhere, or half of it is missing."""
_LIKELY = 0.5


def note_on_order(joined: Iterable[tuple[float, int, int]]) -> str:
    """A note for a person where many sentences have no likely translation, "" for none. Beads are in order on both
    sides, so what stands elsewhere in the other text is left over, or joined to what it does not translate.

    ``joined``: score and number of sentences a side of each bead.
    """
    counts = list(joined)
    likely = sum(src + tgt for score, src, tgt in counts if src and tgt and score >= _LIKELY)
    sentences = sum(src + tgt for _, src, tgt in counts)
    unsure = 1 - likely / sentences if sentences else 0.0
    if unsure < UNSURE_SHARE:
        return ""
    return (
        f"{unsure:.0%} of the sentences have no likely translation: one text has another order than the other, or "
        "lacks parts, or is no translation of it"
    )


def align_files(
    src: Path, tgt: Path, options: TextOptions, *, out: Path | None = None, tell: Callable[[str], None] | None = None
) -> WrittenMemory | None:
    """Align two files and write the result to a file or standard output; tells of a memory, else None.

    ``tell``: takes the note on two texts of which many sentences have no likely translation.

    A UTF-8 text has one segment a line, or a paragraph a line where it is split; HTML pages and documents are split
    into sentences. Raises: kinds of :class:`UsageError`, also for a folder with a memory of other files.
    """
    options = _with_format(options, out)
    langs = _two_languages(options.langs)
    # Missing evidence is reported before the texts are read.
    sources_by_pair(options.evidence, [langs])
    # A document may hold both languages, each in paragraphs of its own.
    if src.resolve() == tgt.resolve() and not media_of_file(src):
        raise UsageError(f"{src}: named twice; name a text and its translation")
    if options.to == MEMORY or any(map(media_of_file, (src, tgt))):
        return _align_documents((src, tgt), langs, options, out, tell)
    _align_lines((src, tgt), langs, options, out, tell)
    return None


def _with_format(options: TextOptions, out: Path | None) -> TextOptions:
    """The options, with the format that the ending of the file to write names, if no format is named."""
    if options.to not in ("", *TEXT_FORMATS):
        raise UsageError(f"--to {options.to}: give one of {', '.join(TEXT_FORMATS)}")
    if options.to or out is None or out.is_dir():
        return options
    return replace(options, to=ENDINGS.get(out.suffix.lower(), ""))


def _two_languages(langs: str) -> tuple[str, str]:
    if not langs:
        raise LanguageError("name the languages of the two files: -l en,fr")
    tags = parse_languages(langs)
    if len(tags) != 2:
        raise LanguageError(f"-l {langs}: two texts have two languages")
    return tags[0], tags[1]


def _align_lines(
    paths: tuple[Path, Path],
    langs: tuple[str, str],
    options: TextOptions,
    out: Path | None,
    tell: Callable[[str], None] | None,
) -> None:
    """Align two plain texts."""
    if not options.to and out is not None and out.suffix:
        raise UsageError(f"{out}: its ending names no format; name it {', '.join(ENDINGS)}, or say --to FORMAT")
    read = [_units(path, lang, split=options.split) for path, lang in zip(paths, langs, strict=True)]
    units = [each.texts for each in read]
    require_order(paths, (sure_language(units[0], langs), sure_language(units[1], langs)), langs)
    require_translations(paths, (units[0], units[1]), langs)
    opens = read[0].opens, read[1].opens
    (beads,) = _align([ParallelText(units[0], units[1], opens)], langs, options.aligner, options.evidence)
    # The scores of gale_church are no probabilities.
    if tell and options.aligner == "lexical" and (note := note_on_order((bead.score, *bead.sizes) for bead in beads)):
        tell(note)
    if options.to == TMX:
        _write_tmx(beads, units, langs, out)
    elif options.to == TSV:
        _write_lines([TSV_HEAD, *(_tsv_line(bead, units) for bead in beads)], out)
    else:
        _write_lines(list(map(format_bead, beads)), out)


def _align_documents(
    paths: tuple[Path, Path],
    langs: tuple[str, str],
    options: TextOptions,
    out: Path | None,
    tell: Callable[[str], None] | None,
) -> WrittenMemory | None:
    to = options.to or MEMORY
    if to == BEADS:
        raise UsageError("--to beads counts lines, and documents have none; give --to tsv, tmx or memory")
    if options.aligner != "lexical":
        raise UsageError(f"--aligner {options.aligner}: documents are aligned by lexical; leave it out")
    if to == MEMORY and out is None:
        raise UsageError("two documents make a translation memory and a page to read; name a folder for them")
    if to == MEMORY and out is not None:
        require_memory_place(paths, langs, out)
    segments = align_documents(paths, langs, evidence=options.evidence)
    if tell and (note := note_on_order((row.score, *bead_sizes(row.bead)) for row in segments)):
        tell(note)
    if to == MEMORY and out is not None:
        return WrittenMemory(write_memory(segments, paths, out), len(segments.kept_rows()), len(segments))
    if to == TMX:
        units = units_of(shown_segments(segments.kept_rows()).to_batches())
        write_tmx(out or sys.stdout.buffer, units, src_lang=langs[0], tgt_lang=langs[1])
    else:
        rows = ((row.src, row.tgt, f"{row.score:.4f}", row.bead) for row in segments)
        _write_lines([TSV_HEAD, *("\t".join(map(one_line, row)) for row in rows)], out)
    return None


def _write_lines(lines: Sequence[str], out: Path | None) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if out is None:
        sys.stdout.write(text)
        return
    with replacing(out) as handle:
        handle.write(text.encode())


def _units(path: Path, lang: str, *, split: bool) -> _Units:
    lines = read_named_text(path).split("\n")
    # A final newline ends the last line and begins none.
    if lines and not lines[-1]:
        lines.pop()
    if not any(line.strip() for line in lines):
        raise SourceError(f"{path}: holds no text")
    if not split:
        return _Units(lines)
    sentences = [split_sentences(line, lang) for line in lines]
    opens = [int(place == 0) for line in sentences for place in range(len(line))]
    return _Units([sentence for line in sentences for sentence in line], opens)


def _sides(bead: Bead, units: list[list[str]]) -> tuple[str, str]:
    return join_sentences(units[0][slice(*bead.src)]), join_sentences(units[1][slice(*bead.tgt)])


def _tsv_line(bead: Bead, units: list[list[str]]) -> str:
    src, tgt = _sides(bead, units)
    return f"{one_line(src)}\t{one_line(tgt)}\t{bead.score:.4f}\t{bead.kind}"


def _write_tmx(beads: list[Bead], units: list[list[str]], tags: tuple[str, ...], out: Path | None) -> None:
    rows = [SegmentUnit(*_sides(bead, units), bead.score, bead.kind, "", "") for bead in beads]
    both = [row for row in rows if row.src and row.tgt]
    write_tmx(out or sys.stdout.buffer, both, src_lang=tags[0], tgt_lang=tags[1])
