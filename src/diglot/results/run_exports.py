"""Exports of a finished run: files of its language pairs in a folder, one text format in a stream, and their counts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from io import RawIOBase
from pathlib import Path
from typing import BinaryIO

from diglot.arguments import ExportKeywords
from diglot.corpus.flags.personal import text_mask
from diglot.corpus.formats import (
    CESALIGN,
    DOCUMENT_FORMATS,
    JOINT,
    PAIR_DOCUMENTS,
    TEXT_FILES,
    WITH_CARD,
    Segments,
    check_formats,
    files_of,
    write_parts,
)
from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.errors import UsageError
from diglot.outputs.corpus_files import OUT, read_summary
from diglot.outputs.exports import OWN, Export, folder_in_run, note_export
from diglot.records import of_languages
from diglot.results.run_tables import load_pair_table, load_readable_pages, open_bundles, read_parts
from diglot.results.user_choices import asked_exports, asked_pairs
from diglot.run.bundles import Bundles
from diglot.run.settings import Settings
from diglot.run.work import require_pages
from diglot.site import Site

_SENT_AT_ONCE_BYTES = 1 << 20


def write_exports(run: RunFolder, settings: Settings, exports: Sequence[Export], folder: Path) -> list[Path]:
    """Write exports into a folder, without language pairs that the run does not have; returns the paths."""
    # Loaded here: most commands on a run write no file.
    from diglot.corpus.formats.ces import write_ces_pairs
    from diglot.outputs.document_exports import DocumentWriter
    from diglot.outputs.joint_exports import write_card_of, write_joint

    paths: list[Path] = []
    # What several formats or language pairs need is read once.
    summary = cache(partial(read_summary, run))
    bundles = cache(partial(open_bundles, run, settings))
    documents = cache(lambda: load_readable_pages(run, settings))
    site = cache(lambda: Site(run.path.name, readable(documents()).sort_by("url")))
    writers = cache(lambda min_prob: DocumentWriter(settings, bundles(min_prob), documents()))
    for lang_pair in settings.language_pairs():
        for export in exports:
            if lang_pair not in export.pairs or export.form in JOINT:
                continue
            # A pair named alone has its file, even if it is empty.
            is_alone = len(export.pairs) == 1
            if export.form == CESALIGN:
                pairs = of_languages(load_pair_table(run, settings, export.min_prob), *lang_pair)
                own = folder / files_of(CESALIGN, [lang_pair])[0]
                paths += write_ces_pairs(own, site(), pairs, text_mask(settings.pii))
            elif export.form in DOCUMENT_FORMATS:
                # A file of pages may have rows without any page pair.
                if is_alone or export.form not in PAIR_DOCUMENTS or summary()["pairs"]["-".join(lang_pair)]:
                    paths += writers(export.min_prob).write(folder, export, lang_pair)
            else:
                parts = partial(_export_parts, settings, lang_pair, bundles(export.min_prob), export)
                if is_alone or summary()["segments"]["-".join(lang_pair)]:
                    paths += write_parts(folder, parts, export.form)
    for export in exports:
        if export.form in JOINT:
            pairs_of_run = tuple(pair for pair in settings.language_pairs() if pair in export.pairs)
            paths += write_joint(folder, replace(export, pairs=pairs_of_run), settings, bundles(export.min_prob))
    if any(export.form in WITH_CARD for export in exports):
        paths.append(write_card_of(folder, run.path.resolve().name, settings, run.settings(), summary()))
    return list(dict.fromkeys(paths))  # a file of a language is of several pairs


def export_to_folder(
    run: RunFolder, settings: Settings, names: Sequence[str], folder: Path, options: ExportKeywords
) -> list[Path]:
    """Write language pairs in the formats ``names`` into a folder, as :meth:`diglot.Run.export` does."""
    exports = asked_exports(run.path, settings, names, folder, options)
    for export in exports:
        _refuse_other_limits(export, settings, folder)
        # Refused before it is noted: `diglot forget` writes noted exports again.
        if export.form == CESALIGN or export.form in DOCUMENT_FORMATS:
            require_pages(run)
    with run.writing_to(folder, shared=True):
        # Noted before writing: `diglot forget` then knows of files that a stop leaves behind.
        if folder_in_run(run.path, folder) is not None:
            for export in exports:
                note_export(run, export)
        return write_exports(run, settings, exports, folder)


def _refuse_other_limits(export: Export, settings: Settings, folder: Path) -> None:
    """Raise :class:`UsageError` for an export that would put other segments in place of the run's own memory."""
    usual = settings.excluding_flags(), settings.least_score()
    if export.folder == OUT and export.form in OWN and (export.min_prob > 0 or export.limits(settings) != usual):
        raise UsageError(
            f"{folder}: holds the {export.form} of the run, with all its segments; name another folder for a choice of "
            "them: diglot export RUN -o FOLDER; `diglot clean RUN` changes the choice of the run itself"
        )


def export_to_stream(
    run: RunFolder, settings: Settings, names: Sequence[str], handle: BinaryIO, options: ExportKeywords
) -> None:
    """Write a format of one text file to a binary stream, as :meth:`diglot.Run.export_text` does."""
    check_formats(names)
    if len(names) > 1 or names[0] not in TEXT_FILES:
        known = ", ".join(TEXT_FILES)
        raise UsageError(f"a stream takes one format that is one file of text ({known}); for others, name a folder")
    pairs = asked_pairs(settings, options.get("langs", ""))
    if len(pairs) > 1 and names[0] not in JOINT:
        known = ", ".join(f"{src},{tgt}" for src, tgt in pairs)
        raise UsageError(f"a stream takes one pair of languages; choose one of: {known}")
    # Writers take folders; files are also complete before the first byte is sent.
    with tempfile.TemporaryDirectory() as folder:
        exports = asked_exports(run.path, settings, names, Path(folder), options)
        with run.read_lock():
            paths = write_exports(run, settings, exports, Path(folder))
        if len(paths) > 1:
            raise UsageError("a memory of this size is several TMX files, and no stream; name a folder")
        for path in paths:
            with path.open("rb") as file:
                while piece := file.read(_SENT_AT_ONCE_BYTES):
                    _write_all(handle, piece)
    if hasattr(handle, "flush"):
        handle.flush()


def count_exported(run: RunFolder, settings: Settings, options: ExportKeywords) -> dict[str, int]:
    """Number of segments that an export with these options writes, by language pair (``en-fr``)."""
    (export,) = asked_exports(run.path, settings, ["tmx"], run.path / OUT, options)
    bundles = open_bundles(run, settings, export.min_prob)
    return {
        "-".join(pair): sum(len(part.kept_rows()) for part in _export_parts(settings, pair, bundles, export))
        for pair in export.pairs
    }


def _export_parts(
    settings: Settings, lang_pair: tuple[str, str], bundles: Bundles, export: Export
) -> Iterator[Segments]:
    """Segments of a language pair some sites at a time, with the limits and the signature of the export."""
    excluded, _ = export.limits(settings)
    for part in read_parts(settings, lang_pair, bundles, export.min_score):
        yield replace(
            part,
            excluded=excluded,
            signature="|".join([part.signature, *export.option_texts()]),
            variants=dict(export.variants),
            spreadsheet=export.spreadsheet,
        )


def _write_all(handle: BinaryIO, piece: bytes) -> None:
    """Write all of a piece to a stream; one without a buffer, as of a socket, may take a part only."""
    left = memoryview(piece)
    while left:
        taken: int | None = handle.write(left)
        if taken is None and isinstance(handle, RawIOBase):
            raise UsageError("handle: the stream does not wait for its reader; give one that blocks")
        # Streams of web frameworks take all and return nothing.
        left = left[len(left) if taken is None else taken :]
