"""A finished run in Python: its page pairs, segments, terms, exports and explanations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import InitVar, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, Unpack, cast

import pyarrow as pa

from diglot import svg
from diglot.arguments import ChoiceKeywords, ExportKeywords, PathLike, as_arguments
from diglot.checked_arguments import check_arguments
from diglot.corpus.formats import Segments
from diglot.corpus.formats.tables import BEST_PAIRS_FIRST
from diglot.disk.folder import RunFolder
from diglot.errors import LanguageError, UsageError, require_options
from diglot.languages import standard_tag
from diglot.outputs.corpus_files import OUT, read_summary
from diglot.outputs.exports import Export
from diglot.outputs.run_text import funnel_picture
from diglot.pages.forgotten import forgotten_of
from diglot.results.run_exports import count_exported, export_to_folder, export_to_stream, write_exports
from diglot.results.run_tables import load_pair_table, open_bundles, read_parts
from diglot.run.settings import Settings

if TYPE_CHECKING:
    from diglot.results.explain import Explainer, Explanation
    from diglot.terms.rows import Terms


@dataclass(frozen=True, slots=True)
class PageSide:
    """One page of a pair."""

    url: str
    lang: str


@dataclass(frozen=True)
class PagePair:
    """A page and its translation. ``run``: folder of the run with the pair."""

    src_url: str
    tgt_url: str
    src_lang: str
    tgt_lang: str
    probability: float
    method: str
    evidence: dict[str, float] = field(hash=False)
    # No field: a data frame of pairs would have it as a column.
    run: InitVar[Path | None] = None

    def __post_init__(self, run: Path | None) -> None:
        object.__setattr__(self, "_run", run)

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
        run: Path | None = self.__dict__["_run"]
        if run is None:
            raise UsageError("this pair was not read from a run: take it from Run.pairs()")
        return open_run(run).why(self.src_url, self.tgt_url)

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
        """Close the files of the run. A closed run cannot be read."""
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
        # Parsed once: every part of a table asks for the settings, and the file may list many sources.
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
        # Read once, since another thread may replace the attribute.
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

    @property
    def notes(self) -> list[str]:
        """What to know of the result: why a crawl stopped, files cut short, languages without a page.

        The notes of :meth:`summary`, with arguments of Python in place of options of the command line.
        """
        return [as_arguments(note) for note in self.summary()["notes"]]

    def __fspath__(self) -> str:
        """The path of the folder: functions that take the path of a run take a run as well."""
        return str(self.path)

    def __repr__(self) -> str:
        return f"Run({str(self.path)!r})"

    def _repr_html_(self) -> str:
        if not (self.path / OUT / "summary.json").is_file():
            return svg.table((), [], below=f"{self.path}: not finished")
        return funnel_picture(self.summary(), str(self.path), self.notes)

    @check_arguments
    def pairs(self, *, min_prob: float = 0.0) -> list[PagePair]:
        """Accepted page pairs, most probable first, with at least the run's least probability and ``min_prob``."""
        table = load_pair_table(self.folder, self.settings, min_prob)
        names = [name for name in table.column_names if name not in ("site", "accepted", "refused_by")]
        rows = table.sort_by(BEST_PAIRS_FIRST).select(names).to_pylist()
        return [PagePair(**{**row, "evidence": dict(row["evidence"])}, run=self.path.absolute()) for row in rows]

    @check_arguments
    def segments(
        self, src_lang: str = "", tgt_lang: str = "", *, min_prob: float = 0.0, min_score: float | None = None
    ) -> Segments:
        """Segments of a language pair, flagged ones included.

        Languages may be left out for a run of one language pair. ``min_prob``: least probability of a segment's page
        pair; ``min_score``: least score of a segment, None for all segments and the least score of the run for
        :meth:`Segments.clean`. Raises :class:`LanguageError` for a language pair that the run does not have.
        """
        settings = self.settings
        pairs = settings.language_pairs()
        if not (src_lang or tgt_lang) and len(pairs) == 1:
            ((src_lang, tgt_lang),) = pairs
        # As for `export -l`, in any case; the order says which side is the source.
        src_lang, tgt_lang = (
            {lang.casefold(): lang for pair in pairs for lang in pair}.get(each.casefold(), each)
            for each in (src_lang, tgt_lang)
        )
        if (src_lang, tgt_lang) not in pairs:
            raise LanguageError(f"{self.path}: {_no_pair(src_lang, tgt_lang, pairs)}")
        bundles = open_bundles(self.folder, settings, min_prob)
        parts = list(read_parts(settings, (src_lang, tgt_lang), bundles, min_score))
        table, pages = (pa.concat_tables([getattr(part, name) for part in parts]) for name in ("table", "pages"))
        return replace(parts[0], table=table, pages=pages)

    def each_part(self, *lang_pairs: tuple[str, str]) -> Iterator[Segments]:
        """:meth:`segments` of language pairs, by default of all, in parts of some sites, at least one part a pair.

        The files of a small run are read once for all pairs.

        Raises :class:`LanguageError` for a language pair that the run does not have.
        """
        settings = self.settings
        known = settings.language_pairs()
        for lang_pair in lang_pairs:
            if not isinstance(lang_pair, tuple | list) or len(lang_pair) != 2:
                raise UsageError(f"{lang_pair!r:.60} is no pair of languages; give pairs, as in ('en', 'fr')")
            if tuple(lang_pair) not in known:
                raise LanguageError(f"{self.path}: {_no_pair(*lang_pair, known)}")
        bundles = open_bundles(self.folder, settings, 0.0)
        return (part for each in lang_pairs or known for part in read_parts(settings, each, bundles, None))

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
        if out is None and self.folder.is_read_only:
            raise UsageError(f"{self.path}: is read-only; name another folder to write to: diglot export RUN -o FOLDER")
        folder = self.path / OUT if out is None else Path(out)
        return export_to_folder(self.folder, self.settings, names, folder, options)

    @check_arguments
    def export_text(self, names: Sequence[str], handle: BinaryIO, **options: Unpack[ExportKeywords]) -> None:
        """Write a format of one text file to a binary stream; ``options``: those of :meth:`export`.

        Raises: :class:`UsageError` for a format that is no text, or several files.
        """
        export_to_stream(self.folder, self.settings, names, handle, options)

    def write_exports(self, exports: Sequence[Export], folder: Path) -> list[Path]:
        """Write exports into a folder, without language pairs that the run does not have; returns the paths."""
        return write_exports(self.folder, self.settings, exports, folder)

    @check_arguments
    def count_kept(self, **options: Unpack[ChoiceKeywords]) -> dict[str, int]:
        """Number of segments that :meth:`export` with these options writes, by language pair (``en-fr``).

        TMX and XLIFF never hold a segment with an empty side, which only ``excluded`` without ``unaligned`` lets in.
        """
        require_options("option", options, ChoiceKeywords.__annotations__)
        return count_exported(self.folder, self.settings, cast(ExportKeywords, options))


def _no_pair(src_lang: str, tgt_lang: str, known: Sequence[tuple[str, str]]) -> str:
    """Message for languages that are no pair of a run."""
    if (tgt_lang, src_lang) in known:
        return f"the pair is {tgt_lang}-{src_lang} here: name {tgt_lang} first"
    names = ", ".join(f"{src}-{tgt}" for src, tgt in known)
    if not (src_lang and tgt_lang):
        return f"name two languages, a pair of the run: {names}"
    for lang in (src_lang, tgt_lang):
        standard_tag(str(lang))  # raises for the name of a language, and says its code
    return f"has no pair {src_lang}-{tgt_lang}; it has: {names}"


@check_arguments
def open_run(path: PathLike) -> Run:
    """Open a run folder for reading."""
    return Run(path)


def as_run(run: PathLike) -> Run:
    """The run itself, or the run in the folder of a path."""
    return run if isinstance(run, Run) else Run(run)
