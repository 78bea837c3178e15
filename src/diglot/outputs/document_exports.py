"""Exports of whole pages: page pairs with all their blocks, and the pages of a language, paired or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from diglot.corpus.flags.keeping import kept_mask
from diglot.corpus.flags.personal import text_mask
from diglot.corpus.formats import PAIR_DOCUMENTS, files_of
from diglot.corpus.formats.documents import Pages, page_documents, pair_documents
from diglot.corpus.formats.meanings import PAGE_MEANING
from diglot.corpus.formats.tables import rows_of, write_jsonl, write_parquet
from diglot.corpus.shown_segments import shown_segments
from diglot.outputs.exports import Export
from diglot.reasons import Reason
from diglot.records import of_languages
from diglot.run.bundles import Bundles
from diglot.run.settings import Settings
from diglot.site import sites_of


class DocumentWriter:
    """Writes pages of a run. ``documents``: its readable pages, also duplicates, with all their text in memory."""

    def __init__(self, settings: Settings, bundles: Bundles, documents: pa.Table) -> None:
        self._settings, self._bundles = settings, bundles
        self._written: set[Path] = set()
        self._pages = Pages(sites_of(documents), text_mask(settings.pii))

    def write(self, folder: Path, export: Export, lang_pair: tuple[str, str]) -> list[Path]:
        """Write the files of a language pair; returns their paths. The file of a language is written once."""
        is_json = export.form.endswith("-jsonl")
        write = write_jsonl if is_json else partial(write_parquet, meaning=PAGE_MEANING)
        paths = [folder / name for name in files_of(export.form, [lang_pair])]
        if export.form in PAIR_DOCUMENTS:
            write(paths[0], self._of_pair(export, lang_pair))
        else:
            for lang, path in zip(lang_pair, paths, strict=True):
                if path not in self._written:
                    self._written.add(path)
                    write(path, page_documents(self._pages, lang, self._fates, self._groups))
        return paths

    def _of_pair(self, export: Export, lang_pair: tuple[str, str]) -> Iterator[pa.Table]:
        # An empty table first, so that the file has its columns even without a row.
        yield from pair_documents((), {}, self._pages, {})
        for bundle in self._bundles:
            segments: dict[tuple[str, str], list[dict[str, Any]]] = {}
            own = of_languages(bundle.segments, *lang_pair)
            kept = pa.array(kept_mask(own, *export.limits(self._settings)))
            columns = ["src", "tgt", "score", "bead", "flags", "src_url", "tgt_url", "position", "kept", "tgt_start"]
            shown = shown_segments(own).append_column("kept", kept).append_column("tgt_start", own["tgt_start"])
            for row in shown.select(columns).sort_by("position").to_pylist():
                segments.setdefault((row["src_url"], row["tgt_url"]), []).append(row)
            pairs = of_languages(bundle.pairs, *lang_pair).select(
                ["site", "src_url", "tgt_url", "src_lang", "tgt_lang", "probability", "method"]
            )
            for table in pair_documents(pairs.to_pylist(), segments, self._pages, self._groups):
                if table.num_rows:
                    yield table

    @cached_property
    def _fates(self) -> dict[str, tuple[str, str]]:
        """Fate and reason of every page, by address."""
        found: dict[str, tuple[str, str]] = {}
        for url, lang, fate, reason in rows_of(
            (bundle.ledger for bundle in self._bundles), ("url", "lang", "fate", "reason")
        ):
            # An address may also have records that are no page, such as a redirect; they have no language.
            if reason != Reason.REPEATED_ADDRESS and (lang or url not in found):
                found[url] = fate, reason
        return found

    @cached_property
    def _groups(self) -> dict[str, str]:
        """For every paired page the first page of its group: the pages joined by accepted pairs of all languages."""
        langs = {lang: place for place, lang in enumerate(self._settings.langs)}
        pairs = rows_of((bundle.pairs for bundle in self._bundles), ("src_lang", "src_url", "tgt_lang", "tgt_url"))
        return first_of_groups(((langs[a], src), (langs[b], tgt)) for a, src, b, tgt in pairs)


Ranked = tuple[int, str]
"""Place of a page's language in the run, and its address."""


def first_of_groups(pairs: Iterable[tuple[Ranked, Ranked]]) -> dict[str, str]:
    """For each address the first address, by rank, of the pages that pairs join to it.

    >>> first_of_groups([((0, "/en"), (1, "/fr")), ((1, "/fr"), (2, "/de")), ((0, "/en2"), (2, "/de2"))])
    {'/en': '/en', '/fr': '/en', '/de': '/en', '/en2': '/en2', '/de2': '/en2'}
    """
    above: dict[Ranked, Ranked] = {}

    def first(page: Ranked) -> Ranked:
        above.setdefault(page, page)
        while above[page] != page:
            above[page] = above[above[page]]
            page = above[page]
        return page

    for src, tgt in pairs:
        ends = sorted((first(src), first(tgt)))
        above[ends[1]] = ends[0]
    return {page[1]: first(page)[1] for page in list(above)}
