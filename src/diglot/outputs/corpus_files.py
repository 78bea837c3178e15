"""The files in the ``out`` folder of a run."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, starmap
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.corpus.characters import one_line
from diglot.corpus.formats import JOINT, Segments, write_parts
from diglot.corpus.formats.conflicts import write_conflicts
from diglot.corpus.formats.tables import PAIR_COLUMNS, rows_of, write_pairs_tsv
from diglot.disk.atomic import file_hash, replacing
from diglot.disk.folder import RunFolder
from diglot.disk.safe_read import read_text
from diglot.errors import RunFolderError, describe_error
from diglot.progress import Progress
from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, of_languages
from diglot.run.bundles import Bundles, PairPart, with_site
from diglot.run.ledger import PAGE_COLUMNS
from diglot.run.settings import Settings
from diglot.run.stored_pages import facts_of_pages
from diglot.run.striking import is_merge
from diglot.run.work import DOCUMENTS, MERGED, OUTDATED, PAIRS, result_keys

OUT = "out"
KINDS = {"pairs": "pairs.*.tsv", "segments": "segments.*.tsv", "tmx": "*.tmx", "conflicts": "conflicts.*.tsv"}
"""Kinds of files, with their patterns. With ``--folders`` each kind has a folder of its name in ``out``."""


def write_outputs(
    folder: RunFolder, settings: Settings, bundles: Bundles, found: Container[str], progress: Progress
) -> set[Path]:
    """Write by language pair pairs, segments and conflicts as TSV and kept segments as TMX; and the fate of every page.

    ``bundles``: the sites of the run; ``found``: language pairs (``en-fr``) with segments.
    Returns the written files.
    """
    out = folder.path / OUT
    least = settings.least_score()
    written: set[Path] = set()
    pairs = pa.concat_tables(
        [_pair_columns(PAIR_SCHEMA.empty_table()), *(_pair_columns(bundle.pairs) for bundle in bundles)]
    )
    lang_pairs = settings.language_pairs()
    places = {kind: out / kind if settings.folders else out for kind in KINDS}
    progress.step("writing", len(KINDS) * len(lang_pairs) + 1, "files")
    for lang_pair in lang_pairs:
        name = "-".join(lang_pair)
        mine = partial(bundles.of_languages, lang_pair) if name in found else tuple
        files = [places["pairs"] / f"pairs.{name}.tsv", places["conflicts"] / f"conflicts.{name}.tsv"]
        write_pairs_tsv(files[0], of_languages(pairs, *lang_pair))
        parts = partial(segment_parts, settings, lang_pair, mine, signature=bundles.signature)
        progress.advance(1)
        for form, kind in (("tsv", "segments"), ("tmx", "tmx")):
            files += write_parts(places[kind], parts, form)
            progress.advance(1)
        write_conflicts(files[1], starmap(with_site, mine()), least)
        progress.advance(1)
        written.update(files)
    pages = out / "pages.tsv"
    _write_pages(pages, (bundle.ledger for bundle in bundles))
    progress.advance(1)
    # Files of language pairs that the run no longer has, or has in another place.
    known = {*written, *(out / name for name in JOINT.values())}
    for kind, pattern in KINDS.items():
        for path in (*out.glob(pattern), *out.glob(f"{kind}/{pattern}")):
            if path not in known:
                folder.written.remove(path)
    return {*written, pages}


def _pair_columns(pairs: pa.Table) -> pa.Table:
    """Columns of pairs to write."""
    return pairs.select(["src_lang", "tgt_lang", "accepted", *PAIR_COLUMNS])


def segment_parts(
    settings: Settings, langs: tuple[str, str], read: Callable[[], Iterable[PairPart]], *, signature: str
) -> Iterator[Segments]:
    """Segments of a language pair in parts, the first part empty; ``read``: reads the parts."""
    excluded = settings.excluding_flags()
    none = Segments(FLAGGED_SCHEMA.empty_table(), *langs, signature, excluded, settings.least_score())
    yield none
    for part in read():
        yield replace(none, table=part.segments, pages=facts_of_pages(part.resolved))


def _write_pages(path: Path, ledgers: Iterable[pa.Table]) -> None:
    """Write a header line, then a line for every record in the ledgers."""
    with replacing(path) as handle:
        for row in chain([PAGE_COLUMNS], rows_of(ledgers, PAGE_COLUMNS)):
            handle.write(("\t".join(map(one_line, row)) + "\n").encode())


def write_summary(folder: RunFolder, summary: dict[str, Any]) -> None:
    """Write ``out/summary.json``."""
    text = json.dumps(summary, indent=2, ensure_ascii=False) + "\n"
    with replacing(folder.path / OUT / "summary.json") as handle:
        handle.write(text.encode())


def read_summary(folder: RunFolder) -> dict[str, Any]:
    """Content of ``out/summary.json``; while a command is at work, the summary of the outputs before it.

    Raises: :class:`RunFolderError` for an unfinished run.
    """
    path = folder.path / OUT / "summary.json"
    # Asked twice, since the command at work may have ended meanwhile.
    if not is_finished(folder) and not (path.is_file() and folder.is_at_work()) and not is_finished(folder):
        raise _unfinished_error(folder)
    try:
        summary: dict[str, Any] = json.loads(read_text(path))
        if not isinstance(summary, dict):
            raise ValueError("no table")
    except FileNotFoundError as error:
        raise _unfinished_error(folder) from error
    except (OSError, ValueError) as error:
        raise RunFolderError(
            f"{path}: damaged ({describe_error(error)}); `diglot verify` names the command that writes it anew"
        ) from error
    return summary


def is_finished(folder: RunFolder) -> bool:
    """Whether the run has outputs, and they match its options and verdicts."""
    return folder.recall(*OUTDATED) is None and (folder.path / OUT / "summary.json").is_file()


def require_finished(folder: RunFolder) -> None:
    """Raise :class:`RunFolderError` for an unfinished run."""
    if not is_finished(folder):
        raise _unfinished_error(folder)


def command_again(folder: RunFolder) -> str:
    """The command for making the deleted files of a run again; advice in words if no file states the command."""
    run = os.fspath(folder.path)
    if merged := folder.recall(MERGED, MERGED):
        return shlex.join(["diglot", "merge", *(path for _, path in merged), "-o", run])
    options = folder.path / "diglot.toml"
    noted = folder.written.hashes(options)
    if not noted:
        return "type the command that began this run again: it was stopped before it noted its options"
    if not options.is_file() or file_hash(options) not in noted:
        return "type the command that began this run again: diglot.toml, which holds its options, is missing or changed"
    return shlex.join(["diglot", "harvest", "--config", f"{run}/diglot.toml", "-o", run])


def _unfinished_error(folder: RunFolder) -> RunFolderError:
    if folder.is_at_work():
        return RunFolderError(f"{folder.path}: another command is at work on this run; wait for it")
    cause = folder.recall(*OUTDATED)
    if cause is not None:
        said = f"the last command was not finished, and {OUT} is of {cause}; run it again"
        return RunFolderError(f"{folder.path}: {said}")
    remedy = f"`diglot {'merge' if is_merge(folder) else 'harvest'}` again"
    # A harvest would pair a run that has pages by its own recipe, and not by that of the last `diglot pair`.
    if folder.recall("run", DOCUMENTS):
        try:
            result_keys(folder)
        except RunFolderError as error:
            # With pairs, the next step is theirs; without, a harvest takes all steps to the outputs.
            pairs_key = folder.recall("run", PAIRS)
            if pairs_key and folder.shards(PAIRS, pairs_key) is not None:
                return error
            again = command_again(folder)
            advice = f"run `{again}`" if again.startswith("diglot ") else again
            return RunFolderError(f"{folder.path}: holds no pairs yet; {advice}")
        remedy = f"`diglot clean {shlex.quote(str(folder.path))}`"
    path = folder.path / OUT / "summary.json"
    return RunFolderError(f"{path}: no summary; the run is not finished, run {remedy}")
