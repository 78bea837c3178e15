"""A finished run in Python: its page pairs, segments, terms, exports and explanations."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, Unpack, cast

import pyarrow as pa

from diglot import svg
from diglot.arguments import ChoiceKeywords, ExportKeywords, PathLike
from diglot.checked_arguments import check_arguments
from diglot.corpus.flags import reaches
from diglot.corpus.flags.personal import masking
from diglot.corpus.formats import (
    CESALIGN,
    DOCUMENT_FORMATS,
    JOINT,
    TEXT_FILES,
    WITH_CARD,
    Segments,
    check_formats,
    files_of,
    write_parts,
)
from diglot.corpus.formats.tables import BEST_PAIRS_FIRST
from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.errors import LanguageError, UsageError, require_options
from diglot.outputs.corpus_files import OUT, read_summary, require_finished, segment_parts
from diglot.outputs.exports import Export, folder_in_run, note_export
from diglot.outputs.run_text import funnel_picture
from diglot.pages.forgotten import forgotten_of
from diglot.records import of_languages
from diglot.results.user_choices import asked_exports, asked_pairs
from diglot.run.bundles import Bundles
from diglot.run.settings import Settings
from diglot.run.stored_pages import parsed_mask
from diglot.run.stored_pairs import load_pairs
from diglot.run.work import DOCUMENTS, PAIRS, SEGMENTS, require_pages, stage_key
from diglot.site import Site

if TYPE_CHECKING:
    from diglot.results.explain import Explainer, Explanation
    from diglot.terms.rows import Terms


_PIECE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class PageSide:
    """One page of a pair."""

    url: str
    lang: str


@dataclass(frozen=True, slots=True)
class PagePair:
    """Two pages that translate each other."""

    src_url: str
    tgt_url: str
    src_lang: str
    tgt_lang: str
    probability: float
    method: str
    evidence: dict[str, float] = field(hash=False)
    _run: Path | None = field(default=None, repr=False, compare=False)

    @property
    def src(self) -> PageSide:
        """The source page."""
        return PageSide(self.src_url, self.src_lang)

    @property
    def tgt(self) -> PageSide:
        """The target page."""
        return PageSide(self.tgt_url, self.tgt_lang)

    def why(self) -> Explanation:
        """Explain the pair, as ``diglot why`` does; reads the run again."""
        if self._run is None:
            raise UsageError("this pair was not read from a run: take it from Run.pairs()")
        return open_run(self._run).why(self.src_url, self.tgt_url)

    def _repr_html_(self) -> str:
        rows = [(self.src_lang, self.src_url), (self.tgt_lang, self.tgt_url)]
        measured = [(name, f"{value:.4g}") for name, value in self.evidence.items()]
        below = f"probability {self.probability:.3f}, by {self.method}"
        return svg.table(("", ""), [*rows, *measured], below=below)


class Run:
    """A run folder opened for reading, in any thread; raises :class:`diglot.errors.RunFolderError` for another folder.

    Every call reads the run as it is now, also after another command has changed it. A pickle of a run holds
    the path alone. A run holds two files open until it is closed, at the end of a ``with`` block, or no longer used.
    """

    def __init__(self, path: str | os.PathLike[str] | RunFolder) -> None:
        self.folder = path if isinstance(path, RunFolder) else RunFolder(path, create=False)
        self._explainer: tuple[object, Explainer] | None = None
        self._settings: tuple[object, Settings] | None = None
        # A folder that holds no run is refused here, not at the first question.
        _ = self.settings

    def close(self) -> None:
        """Close the files of the run; after that it can no longer be read."""
        self.folder.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[Run], tuple[str]]:
        # The other process may work in another folder.
        return Run, (os.path.abspath(self.path),)

    @property
    def path(self) -> Path:
        """Path of the run folder."""
        return self.folder.path

    @property
    def settings(self) -> Settings:
        """Settings of the run, as ``diglot.toml`` states them now."""
        stamp = self.folder.settings_stamp()
        # The file names every source, and its content is asked for at every part of a table.
        known = self._settings
        if known is None or known[0] != stamp:
            known = self._settings = stamp, Settings.from_table(self.folder.settings().get("settings", {}))
        return known[1]

    @property
    def explainer(self) -> Explainer:
        """Explains pages and pairs; reads the run's tables at the first question, and again when they have changed."""
        from diglot.results.explain import Explainer

        settings = self.settings
        tables = self.folder.recall_all("run"), forgotten_of(self.folder), settings
        # Another thread may ask as well.
        known = self._explainer
        if known is None or known[0] != tables:
            known = self._explainer = tables, Explainer(self.folder, settings)
        return known[1]

    @check_arguments
    def why(self, url: str, other: str | None = None) -> Explanation:
        """Explain what became of a page, or of two pages; ``str()`` gives the text of ``diglot why``."""
        return self.explainer.page(url) if other is None else self.explainer.pair(url, other)

    def summary(self) -> dict[str, Any]:
        """Content of ``out/summary.json``."""
        return read_summary(self.folder)

    def __fspath__(self) -> str:
        """The path of the folder: functions that take the path of a run take a run as well."""
        return str(self.path)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    def _repr_html_(self) -> str:
        if not (self.path / OUT / "summary.json").is_file():
            return svg.table((), [], below=f"{self.path}: not finished")
        return funnel_picture(self.summary(), str(self.path))

    @check_arguments
    def pairs(self, *, min_prob: float = 0.0) -> list[PagePair]:
        """Accepted page pairs, most probable first, with at least the run's least probability and ``min_prob``."""
        table = self._pair_table(min_prob)
        names = [name for name in table.column_names if name not in ("site", "accepted", "refused_by")]
        rows = table.sort_by(BEST_PAIRS_FIRST).select(names).to_pylist()
        return [PagePair(**{**row, "evidence": dict(row["evidence"])}, _run=self.path.absolute()) for row in rows]

    @check_arguments
    def segments(
        self, src_lang: str = "", tgt_lang: str = "", *, min_prob: float = 0.0, min_score: float | None = None
    ) -> Segments:
        """Segments of a language pair, flagged ones included.

        Languages may be left out for a run of one language pair. ``min_prob``: least probability of a segment's page
        pair; ``min_score``: least score of a segment, None for all segments and the least score of the run for
        :meth:`Segments.clean`. Raises :class:`LanguageError` for a language pair that the run does not have.
        """
        pairs = self.settings.language_pairs()
        if not (src_lang or tgt_lang) and len(pairs) == 1:
            ((src_lang, tgt_lang),) = pairs
        # As for `export -l`, in any case; the order says which side is the source.
        src_lang, tgt_lang = (
            {lang.casefold(): lang for pair in pairs for lang in pair}.get(each.casefold(), each)
            for each in (src_lang, tgt_lang)
        )
        if (src_lang, tgt_lang) not in pairs:
            raise LanguageError(f"{self.path}: {_no_pair(src_lang, tgt_lang, pairs)}")
        parts = list(self._parts((src_lang, tgt_lang), self._bundles(min_prob), min_score))
        table, pages = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("table", "pages"))
        return replace(parts[0], table=table, pages=pages)

    def each_part(self, *lang_pairs: tuple[str, str]) -> Iterator[Segments]:
        """:meth:`segments` of language pairs, by default of all, in parts of some sites, at least one part a pair.

        The files of a small run are read once for all pairs.

        Raises :class:`LanguageError` for a language pair that the run does not have.
        """
        known = self.settings.language_pairs()
        for lang_pair in lang_pairs:
            if not isinstance(lang_pair, tuple | list) or len(lang_pair) != 2:
                raise UsageError(f"{lang_pair!r:.60} is no pair of languages; give pairs, as in ('en', 'fr')")
            if tuple(lang_pair) not in known:
                raise LanguageError(f"{self.path}: {_no_pair(*lang_pair, known)}")
        bundles = self._bundles(0.0)
        return (part for each in lang_pairs or known for part in self._parts(each, bundles, None))

    @check_arguments
    def terms(self, src_lang: str = "", tgt_lang: str = "", *, least: float = 0.5) -> Terms:
        """Terms of a language pair, from its segments kept, the most telling first.

        Languages may be left out for a run of one language pair. ``least``: least probability that a pair of terms is
        right. Raises :class:`LanguageError` for a language pair that the run does not have.
        """
        from diglot.terms import find_terms
        from diglot.terms.rows import Terms

        with self.folder.read_lock():
            segments = self.segments(src_lang, tgt_lang)
            kept = segments.kept_rows()
        langs = segments.src_lang, segments.tgt_lang
        return Terms(find_terms(kept, *langs, min_probability=least), *langs)

    def _bundles(self, min_prob: float) -> Bundles:
        """The sites of the run, with segments of page pairs of at least this probability."""
        settings = replace(self.settings, min_prob=max(min_prob, self.settings.min_prob))
        keys = stage_key(self.folder, PAIRS, "diglot pair"), stage_key(self.folder, SEGMENTS, "diglot align")
        # While a run is written, the segments of some sites are there, or none.
        require_finished(self.folder)
        return Bundles(self.folder, settings, *keys)

    def _parts(self, lang_pair: tuple[str, str], bundles: Bundles, min_score: float | None) -> Iterator[Segments]:
        """:meth:`segments` some sites at a time, after an empty part."""
        least = self.settings.least_score() if min_score is None else min_score
        read = partial(bundles.of_languages, lang_pair)
        for part in segment_parts(self.settings, lang_pair, read, signature=bundles.signature):
            table = part.table if min_score is None else part.table.filter(pa.array(reaches(part.table, least)))
            yield replace(part, table=table, min_score=least)

    @check_arguments
    def export(
        self, names: Sequence[str], out: PathLike | None = None, **options: Unpack[ExportKeywords]
    ) -> list[Path]:
        """Write language pairs in the formats ``names`` into a folder (by default ``out`` of the run); returns paths.

        Options: ``min_prob``: least probability of a page pair and of its segments. ``min_score``: least score of a
        segment; ``excluded``: flags that leave a segment out, in place of the run's
        (``run.settings.excluding_flags()``); None for the run's settings. ``langs``: only pairs of these languages, in
        any order. ``variants``: language tags for TMX and XLIFF, such as ``fr-CA``. ``pivot``: language by which
        ``tmx-multi`` joins segments. ``spreadsheet``: an apostrophe before texts in TSV and CSV that a spreadsheet
        would take for a formula. Raises :class:`UsageError` for an unknown format, flag or option, and
        :class:`LanguageError` for a language that the run does not have.
        """
        folder = self.path / OUT if out is None else Path(out)
        exports = asked_exports(self.path, self.settings, names, folder, options)
        with self.folder.writing_to(folder, shared=True):
            # Noted before writing: `diglot forget` then knows of files that a stop leaves behind.
            if folder_in_run(self.path, folder) is not None:
                for export in exports:
                    note_export(self.folder, export)
            return self.write_exports(exports, folder)

    @check_arguments
    def export_text(self, names: Sequence[str], handle: BinaryIO, **options: Unpack[ExportKeywords]) -> None:
        """Write a format of one text file to a binary stream; ``options``: those of :meth:`export`.

        Raises: :class:`UsageError` for a format that is no text, or several files.
        """
        check_formats(names)
        if len(names) > 1 or names[0] not in TEXT_FILES:
            known = ", ".join(TEXT_FILES)
            raise UsageError(f"a stream takes one format that is one file of text ({known}); for others, name a folder")
        pairs = asked_pairs(self.settings, options.get("langs", ""))
        if len(pairs) > 1 and names[0] not in JOINT:
            known = ", ".join(f"{src},{tgt}" for src, tgt in pairs)
            raise UsageError(f"a stream takes one pair of languages; choose one of: {known}")
        # Writers take folders; files are also complete before the first byte is sent.
        with tempfile.TemporaryDirectory() as folder:
            exports = asked_exports(self.path, self.settings, names, Path(folder), options)
            with self.folder.read_lock():
                paths = self.write_exports(exports, Path(folder))
            if len(paths) > 1:
                raise UsageError("a memory of this size is several TMX files, and no stream; name a folder")
            for path in paths:
                with path.open("rb") as file:
                    while piece := file.read(_PIECE_BYTES):
                        _write_all(handle, piece)
        if hasattr(handle, "flush"):
            handle.flush()

    def write_exports(self, exports: Sequence[Export], folder: Path) -> list[Path]:
        """Write exports into a folder, without language pairs that the run does not have; returns the paths."""
        # Loaded here: most commands on a run write no file.
        from diglot.corpus.formats.ces import write_ces_pairs
        from diglot.outputs.document_exports import DocumentWriter
        from diglot.outputs.joint_exports import write_card_of, write_joint

        paths: list[Path] = []
        bundles = cache(self._bundles)  # formats with the same options share what is read
        writers = cache(lambda min_prob: DocumentWriter(self.settings, bundles(min_prob), self._documents()))
        for lang_pair in self.settings.language_pairs():
            for export in exports:
                if lang_pair not in export.pairs or export.form in JOINT:
                    continue
                if export.form == CESALIGN:
                    pairs = of_languages(self._pair_table(export.min_prob), *lang_pair)
                    own = folder / files_of(CESALIGN, [lang_pair])[0]
                    paths += write_ces_pairs(own, self._pages(), pairs, masking(self.settings.pii))
                elif export.form in DOCUMENT_FORMATS:
                    paths += writers(export.min_prob).write(folder, export, lang_pair)
                else:
                    parts = partial(self._export_parts, lang_pair, bundles(export.min_prob), export)
                    # A pair named alone has its file, even if it is empty.
                    if len(export.pairs) == 1 or self.summary()["segments"]["-".join(lang_pair)]:
                        paths += write_parts(folder, parts, export.form)
        for export in exports:
            if export.form in JOINT:
                paths += write_joint(folder, self._of_this_run(export), self.settings, bundles(export.min_prob))
        if any(export.form in WITH_CARD for export in exports):
            name = self.path.resolve().name
            paths.append(write_card_of(folder, name, self.settings, self.folder.settings()))
        return list(dict.fromkeys(paths))  # a file of a language is of several pairs

    @check_arguments
    def count_kept(self, **options: Unpack[ChoiceKeywords]) -> dict[str, int]:
        """Number of segments that :meth:`export` with these options writes, by language pair (``en-fr``)."""
        require_options("option", options, ChoiceKeywords.__annotations__)
        (export,) = asked_exports(self.path, self.settings, ["tmx"], self.path / OUT, cast(ExportKeywords, options))
        bundles = self._bundles(export.min_prob)
        return {
            "-".join(pair): sum(len(part.kept_rows()) for part in self._export_parts(pair, bundles, export))
            for pair in export.pairs
        }

    def _of_this_run(self, export: Export) -> Export:
        """The export without language pairs that the run does not have."""
        return replace(export, pairs=tuple(pair for pair in self.settings.language_pairs() if pair in export.pairs))

    def _export_parts(self, lang_pair: tuple[str, str], bundles: Bundles, export: Export) -> Iterator[Segments]:
        excluded, _ = export.limits(self.settings)
        for part in self._parts(lang_pair, bundles, export.min_score):
            signature = "|".join([part.signature, *export.option_texts()])
            yield replace(
                part,
                excluded=excluded,
                signature=signature,
                variants=dict(export.variants),
                spreadsheet=export.spreadsheet,
            )

    def _pair_table(self, min_prob: float) -> pa.Table:
        key = stage_key(self.folder, PAIRS, "diglot pair")
        return load_pairs(self.folder, key, min_prob=max(min_prob, self.settings.min_prob))

    def _pages(self) -> Site:
        """All readable pages of the run, as one site."""
        return Site(self.path.name, readable(self._documents()).sort_by("url"))

    def _documents(self) -> pa.Table:
        """All pages of the run with their text, duplicates too."""
        # Loaded here: few commands need the text of pages.
        from diglot.run.resolve import load_documents

        require_pages(self.folder)
        key = stage_key(self.folder, DOCUMENTS, "diglot read")
        documents = load_documents(self.folder, self.settings, key)
        return documents.filter(parsed_mask(documents))


def _write_all(handle: BinaryIO, piece: bytes) -> None:
    """Write all of a piece to a stream; one without a buffer, as of a socket, may take a part only."""
    left = memoryview(piece)
    while left:
        taken: int | None = handle.write(left)
        if taken is None and isinstance(handle, RawIOBase):
            raise UsageError("handle: the stream does not wait for its reader; give one that blocks")
        # Streams of web frameworks take all and return nothing.
        left = left[len(left) if taken is None else taken :]


def _no_pair(src_lang: str, tgt_lang: str, known: Sequence[tuple[str, str]]) -> str:
    """Message for languages that are no pair of a run."""
    if (tgt_lang, src_lang) in known:
        return f"the pair is {tgt_lang}-{src_lang} here: name {tgt_lang} first"
    names = ", ".join(f"{src}-{tgt}" for src, tgt in known)
    if not (src_lang and tgt_lang):
        return f"name two languages, a pair of the run: {names}"
    return f"has no pair {src_lang}-{tgt_lang}; it has: {names}"


@check_arguments
def open_run(path: PathLike) -> Run:
    """Open a run folder for reading."""
    return Run(path)


def as_run(run: PathLike) -> Run:
    """The run itself, or the run in the folder of a path."""
    return run if isinstance(run, Run) else Run(run)
