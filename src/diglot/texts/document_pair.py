"""A translation memory of two documents that translate each other, and a page to read them side by side."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from html import escape, unescape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from diglot.alignment.evidence.sources import with_evidence
from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.segmenting import split_sentences
from diglot.alignment.segments import (
    bead_segment,
    block_sentences,
    document_view,
    page_sentences,
    segments_table,
    sentence_pages,
)
from diglot.alignment.site_model import align_with, learn_model
from diglot.arrays import Ints, Mask
from diglot.corpus.flags import FLAGS, MIN_SCORE
from diglot.corpus.flags.context import Cleaning
from diglot.corpus.flags.flagging import clean_segments
from diglot.corpus.flags.keeping import kept_mask
from diglot.corpus.formats import Segments, write_parts
from diglot.corpus.shown_segments import shown_segments
from diglot.disk.atomic import replacing
from diglot.disk.safe_read import decode_text, name_errors, read_whole
from diglot.document_kinds import (
    DOCUMENT_EXTENSIONS,
    OTHER_KINDS,
    SAVE_AS,
    may_start_document,
    other_kind_by_name,
    other_kind_of,
)
from diglot.documents.language import SAMPLE_CHARS, identify
from diglot.documents.language_tags import language_of
from diglot.engines.pool import LocalEngine
from diglot.errors import SourceError, UsageError
from diglot.file_extensions import HTML_EXTENSIONS, OTHER_EXTENSIONS
from diglot.html_sniff import aligned_kind
from diglot.outputs.same_run import FILE_ENDS
from diglot.pages.media import HTML, MAX_DOCUMENT_BYTES, media_of
from diglot.reasons import REASON_TEXT, Reason
from diglot.records import BlockKind, Page
from diglot.report.one_file import one_file
from diglot.run.read import parse_records
from diglot.scripts import is_right_to_left
from diglot.texts.named_languages import require_order, require_translations, sure_language

_FILE_ENDS = frozenset().union(
    *(FILE_ENDS, HTML_EXTENSIONS, OTHER_EXTENSIONS, DOCUMENT_EXTENSIONS), *(kind.extensions for kind in OTHER_KINDS)
)
"""Ends of the names of memories, documents and archives, which nobody gives to a folder."""
_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)
_FILES = re.compile('<meta name="diglot-files" content="([^"]*)">')

_SUBTITLES = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:WEBVTT\s|\d+[ \t]*\r?\n[\d:]+[,.]\d+ *--> *\d)")
"""Start of WebVTT, and of SubRip: number and times of the first cue."""


class _Text(NamedTuple):
    """Sentences of a file. ``opens``: 1 where a sentence opens a block; ``kinds``: of their blocks; ``pages``: in a
    PDF, else []; ``lang``: as found in the text, "" for a plain text whose language is not sure; ``no_breaks``: see
    :mod:`diglot.no_breaks`."""

    name: str
    sentences: list[str]
    opens: list[int]
    kinds: list[int]
    pages: list[int]
    lang: str = ""
    no_breaks: Sequence[int] = ()


def media_of_file(path: Path) -> str:
    """Kind of a file, ``html`` or a document; "" for a plain text.

    Raises: SourceError for an unreadable file, for one that begins as a document or has the name of one and is none,
    and for memories and subtitles.
    """
    body = _read(path)
    if kind := aligned_kind(body):
        raise SourceError(f"{path}: {kind}, no text; name the text that it was made of, and its translation")
    if _SUBTITLES.match(body):
        raise SourceError(f"{path}: subtitles, which Diglot does not read; save their text alone, a cue a line")
    media = media_of(body, "text/html" if path.suffix.lower() in (".html", ".htm", ".xhtml") else "")
    if not media and (kind := other_kind_of(body)):
        raise SourceError(f"{path}: {kind}, which Diglot does not read; {SAVE_AS}")
    if not media and may_start_document(body):
        raise SourceError(f"{path}: a packed file or a damaged document; save it again, or name a text in UTF-8")
    if body.strip() and not media and (path.suffix.lower() in DOCUMENT_EXTENSIONS or other_kind_by_name(path.name)):
        kind = path.suffix[1:].upper()
        raise SourceError(f"{path}: is no {kind}; save it again, or give a plain text a name that ends in .txt")
    return media


def align_documents(paths: tuple[Path, Path], langs: tuple[str, str], *, evidence: Sequence[str] = ()) -> Segments:
    """Segments of two files, each a text, an HTML page or a document, with flags; the addresses are the file names.

    Raises: kinds of :class:`UsageError`.
    """
    src, tgt = _read_texts(paths, langs)
    _require_translations(src, tgt, paths, langs)
    kinds = (src.kinds, tgt.kinds)
    text = ParallelText(src.sentences, tgt.sentences, (src.opens, tgt.opens), kinds)
    (text,) = with_evidence([text], evidence, langs)
    # Scored as the page pairs of a site: order and length alone make no segment where one document has a part more.
    beads = align_with(learn_model([text]), text)
    found = [bead_segment(src.sentences, tgt.sentences, kinds, bead) for bead in beads]
    pair: dict[str, Any] = {"src_lang": langs[0], "tgt_lang": langs[1], "src_fetched": "", "tgt_fetched": ""}
    pair |= {"src_url": src.name, "tgt_url": tgt.name}
    pair |= {"src_pages": src.pages, "tgt_pages": tgt.pages}
    pair |= {"src_no_breaks": src.no_breaks, "tgt_no_breaks": tgt.no_breaks}
    table = segments_table([(pair, found)])
    flagged = clean_segments(table, Cleaning(min_score=MIN_SCORE))
    return Segments(flagged, *langs, min_score=MIN_SCORE)


def _require_translations(src: _Text, tgt: _Text, paths: tuple[Path, Path], langs: tuple[str, str]) -> None:
    """Raise :class:`UsageError` if the texts are in other languages, in the other order of them, or are the same."""
    require_order(paths, (src.lang, tgt.lang), langs)
    if src.sentences == tgt.sentences and paths[0].resolve() == paths[1].resolve():
        raise UsageError(
            f"{src.name}: {' and '.join(langs)} cannot be told apart in it; "
            "put each language into paragraphs of its own, or make a document of each"
        )
    require_translations(paths, (src.sentences, tgt.sentences), langs)


def document_languages(paths: Sequence[Path]) -> list[str]:
    """Language of each file, identified by text. Raises SourceError for a file without text, or unreadable."""
    found = []
    with LocalEngine(1) as engine:
        for path in paths:
            media = media_of_file(path)
            found.append(_read_document(engine, path, "", media).lang if media else _plain_language(path))
    return found


def require_memory_place(paths: tuple[Path, Path], langs: tuple[str, str], out: Path) -> None:
    """Raise :class:`UsageError` for a new folder with the name of a file, and for one with a memory of other files,
    or foreign files of the same names.

    Files are compared by content, not by name.
    """
    if out.suffix.lower() in _FILE_ENDS and not out.is_dir():
        raise UsageError(
            f"{out}: -o names the folder of a memory, and this is the name of a file; name a folder, as in "
            f"{out.with_suffix('')}"
        )
    page, memory = (out / f"{'-'.join(langs)}.{end}" for end in ("html", "tmx"))
    if page.is_file():
        text = page.read_bytes().decode("utf-8", "replace")
        files, title = _FILES.search(text), _TITLE.search(text)
        before = unescape(title[1]) if title else "another page"
        if before != _title(*(path.name for path in paths)):
            raise UsageError(f"{out}: holds a memory of {before}; choose another folder")
        if files is None or files[1] != _hashes(paths):
            raise UsageError(f"{out}: holds a memory of {before} with another content; choose another folder")
    elif memory.exists():
        raise UsageError(f"{memory}: is there and no memory of these files; choose another folder")


def write_memory(segments: Segments, paths: tuple[Path, Path], out: Path) -> list[Path]:
    """Write ``SRC-TGT.tmx`` with the kept segments, and ``SRC-TGT.html`` with all, into a folder; returns the paths.

    ``paths``: the files that were aligned.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{out}: cannot be made ({error.strerror}); name another folder") from error
    written = write_parts(out, lambda: iter([segments]), "tmx")
    page = out / f"{segments.name}.html"
    with replacing(page) as handle:
        handle.write(_page(segments, paths).encode())
    return [*written, page]


_MENDED = {
    Reason.DAMAGED_RECORD: "open it and save it again",
    Reason.TRUNCATED: "fetch or copy it again",
    Reason.ENCRYPTED: "save it without a password",
}
"""What to do with a document that gives no text, by reason."""


def _read(path: Path) -> bytes:
    try:
        return read_whole(path, max_bytes=MAX_DOCUMENT_BYTES)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror}); check the name") from error


def _read_texts(paths: tuple[Path, Path], langs: tuple[str, str]) -> list[_Text]:
    texts = []
    # In workers, as in a run: a reader that hangs or dies on a file takes nothing else with it.
    with LocalEngine(1) as engine:
        for path, lang in zip(paths, langs, strict=True):
            media = media_of_file(path)
            texts.append(_read_document(engine, path, lang, media) if media else _read_plain(path, lang, langs))
    return texts


def _document_row(engine: LocalEngine, path: Path, lang: str, media: str) -> dict[str, Any]:
    """Row of the part of a file in ``lang``, else of its first part; SourceError for a file without text."""
    page = Page(f"https://localhost/{path.name}", _read(path), "text/html" if media == HTML else "")
    rows: list[dict[str, Any]] = pa.concat_tables(list(parse_records(engine, [page]))).to_pylist()
    # A document that holds both languages may be named twice.
    row = next((row for row in rows if language_of(row["lang"]) == language_of(lang)), rows[0])
    if row["reason"]:
        raise SourceError(f"{path}: {_why_unread(Reason(row['reason']), row['detail'])}")
    return row


def _why_unread(reason: Reason, detail: str) -> str:
    """Why a document gives no text, and what to do where its owner can mend it.

    >>> _why_unread(Reason.DAMAGED_RECORD, "DOCX: _rels/.rels is missing")
    'the document is damaged (DOCX: _rels/.rels is missing); open it and save it again'
    >>> _why_unread(Reason.TOO_LARGE, "")
    'larger than the page limit'
    """
    # The text for a run speaks of records of an archive.
    text = "the document is damaged" if reason is Reason.DAMAGED_RECORD else REASON_TEXT[reason]
    return "; ".join(filter(None, [text + f" ({detail})" * bool(detail), _MENDED.get(reason, "")]))


def _read_document(engine: LocalEngine, path: Path, lang: str, media: str) -> _Text:
    row = _document_row(engine, path, lang, media)
    # Menus of an HTML page and the title, which repeats the first heading of a document, are no text of it.
    shown = [
        is_main and kind != BlockKind.TITLE for kind, is_main in zip(row["block_kinds"], row["block_main"], strict=True)
    ]
    view = document_view(row, "")
    split = block_sentences(view, lang)
    sentences, opens, kinds = page_sentences(view, lang)
    counts = list(map(len, split))
    pages = sentence_pages(row["block_pages"], counts)
    is_kept = np.repeat(shown, counts)
    kept = np.flatnonzero(is_kept).tolist()
    if not kept:
        raise SourceError(f"{path}: {REASON_TEXT[Reason.NO_TEXT]}")
    return _Text(
        path.name,
        [sentences[place] for place in kept],
        [opens[place] for place in kept],
        [kinds[place] for place in kept],
        [pages[place] for place in kept] if pages else [],
        row["lang"],
        _places_among(sentences, is_kept, np.array(row["no_breaks"], np.int64)),
    )


def _plain_language(path: Path) -> str:
    """Language of a plain text."""
    with name_errors(path):
        text = decode_text(_read(path))
    if not text.strip():
        raise SourceError(f"{path}: holds no text")
    return identify(text[:SAMPLE_CHARS])[0]


def _places_among(sentences: Sequence[str], is_kept: Mask, places: Ints) -> list[int]:
    """Places of no-break blanks in the kept sentences alone."""
    sizes = np.array([len(sentence) - sentence.count(" ") for sentence in sentences])
    holder = np.searchsorted(sizes.cumsum(), np.abs(places))
    gone = np.where(is_kept, 0, sizes).cumsum()[holder]
    moved: list[int] = (places - np.sign(places) * gone)[is_kept[holder]].tolist()
    return moved


def _read_plain(path: Path, lang: str, langs: tuple[str, str]) -> _Text:
    """A text whose lines are paragraphs."""
    with name_errors(path):
        lines = decode_text(_read(path)).split("\n")
    split = [split_sentences(line.strip(), lang) for line in lines if line.strip()]
    if not split:
        raise SourceError(f"{path}: holds no text")
    sentences = [sentence for line in split for sentence in line]
    opens = [int(place == 0) for line in split for place in range(len(line))]
    kinds = [int(BlockKind.PARAGRAPH)] * len(sentences)
    return _Text(path.name, sentences, opens, kinds, [], sure_language(lines, langs))


def _hashes(paths: tuple[Path, Path]) -> str:
    """SHA-256 of both files: a later memory in the folder knows by names and hashes whether it is of the same files."""
    return " ".join(sha256(_read(path)).hexdigest() for path in paths)


def _page(segments: Segments, paths: tuple[Path, Path]) -> str:
    """Both texts side by side; rows that the memory leaves out are marked, with their reasons."""
    kept = kept_mask(segments.table, segments.excluded, segments.min_score)
    meanings = {flag.name: flag.meaning for flag in FLAGS}
    shown = shown_segments(segments.table).to_pylist()
    rows = [_row(row, bool(is_kept), meanings) for row, is_kept in zip(shown, kept, strict=True)]
    names = [path.name for path in paths]
    return one_file(
        "side_by_side.html",
        style="side_by_side.css",
        scripts=(),
        title=_title(*names),
        files=_hashes(paths),
        src=escape(names[0]),
        tgt=escape(names[1]),
        kept=f"{int(kept.sum()):,} of {len(segments):,}",
        rows="\n".join(rows),
    )


def _title(src: str, tgt: str) -> str:
    """Title of the page of two files."""
    return f"{src} / {tgt}"


def _row(row: dict[str, Any], is_kept: bool, meanings: dict[str, str]) -> str:
    why = "; ".join(meanings.get(flag, flag) for flag in row["flags"])
    if not why and not is_kept:
        why = f"score {row['score']:.2f}, below {MIN_SCORE}"
    note = f'<p class="why">{escape(why)}</p>' if why else ""
    sides = "".join(_cell(row, side) for side in ("src", "tgt"))
    return f"<tr{'' if is_kept else ' class=out'}>{sides}<td>{row['score']:.2f}{note}</td></tr>"


def _cell(row: dict[str, Any], side: str) -> str:
    lang, page = row[f"{side}_lang"], row[f"{side}_page"]
    direction = ' dir="rtl"' if is_right_to_left(lang) else ""
    where = f" <small>p. {page}</small>" if page else ""
    return f'<td lang="{escape(lang)}"{direction}>{escape(row[side])}{where}</td>'
