"""The pair stage: pages of every language pair scored and assigned by a recipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isnan

import pyarrow as pa
import pyarrow.compute as pc

from diglot.disk.atomic import replacing
from diglot.disk.folder import RunFolder, content_key
from diglot.documents.language import readable
from diglot.page_language.reckoning import lost_to_language, with_lost
from diglot.pairing.cascade import Scored, run_cascade
from diglot.pairing.table import pair_table
from diglot.recipes.recipe import Recipe
from diglot.records import PAIR_SCHEMA
from diglot.run.funnel import estimate_text, estimates
from diglot.run.work import PAIRS, Work, timed
from diglot.site import MAX_DOMAINS, Site, name_sites, split_sites
from diglot.version import __version__


def pair_stage(work: Work, documents: pa.Table, documents_key: str) -> str:
    """Score and assign page pairs for every language pair; returns the key of the pairs."""
    recipe = work.settings.resolved_recipe()
    made_of = (__version__, *recipe.pairing_parts(), *recipe.file_hashes())
    pages = (work.settings.one_site, work.settings.lang_from, *work.settings.lang_rules)
    key = content_key("pairs", documents_key, *made_of, work.settings.language_pairs(), *pages)
    with timed(work, "pair"):
        if work.folder.shards(PAIRS, key) is None:
            lang_pairs, together = work.settings.language_pairs(), work.settings.one_site
            usable = readable(documents)
            sites = split_sites(usable, lang_pairs=lang_pairs, together=together)
            expected = _pair_sites(work, recipe, sites, key, [] if together else _crowd_notes(usable))
            compared = Counter(usable["lang"].to_pylist())
            expected = with_lost(expected, lang_pairs, compared, lost_to_language(documents, work.settings.langs))
            work.folder.remember("expected", key, {pair: None if isnan(n) else n for pair, n in expected.items()})
            work.folder.finish(PAIRS, key, 1)
        else:
            work.progress.start("pair", 0, "language pairs")
        work.folder.discard_others(PAIRS, {key})
        work.folder.remember("run", PAIRS, key)
        accepted = load_pairs(work.folder, key)
        estimate = estimates(accepted, work.folder.recall("expected", key) or {})["all"]
        work.progress.finish(f"{accepted.num_rows} page pairs by {recipe.name}{estimate_text(estimate)}")
    return key


def _pair_sites(work: Work, recipe: Recipe, sites: Sequence[Site], key: str, notes: list[str]) -> dict[str, float]:
    """Write the pairs of all sites, and remember what is told of them: candidates, and warnings after ``notes``.

    Returns how many pairs are to be expected of the pages of each language pair.
    """
    lang_pairs = work.settings.language_pairs()
    work.progress.start("pair", len(sites) * len(lang_pairs), "language pairs")
    tables, candidates = [PAIR_SCHEMA.empty_table()], 0
    expected = dict.fromkeys([f"{src}-{tgt}" for src, tgt in lang_pairs], 0.0)
    for site in sites:
        for src_lang, tgt_lang in lang_pairs:
            table, scored = _pair_site(recipe, site, src_lang, tgt_lang)
            tables.append(table)
            candidates += scored.candidates
            expected[f"{src_lang}-{tgt_lang}"] += scored.expected_pairs
            notes += [f"{site.name} {src_lang}-{tgt_lang}: {note}" for note in scored.notes]
            _write_figures(work.folder, f"{site.name}.{src_lang}-{tgt_lang}", scored.figures)
            work.progress.advance(1)
    work.folder.write_shard(PAIRS, key, 0, pa.concat_tables(tables).combine_chunks())
    work.folder.remember("candidates", key, candidates)
    work.folder.remember("notes", key, notes)
    return expected


def _crowd_notes(documents: pa.Table) -> list[str]:
    """A line for each crowd of domains that is not taken for one site."""
    return [
        f"{', '.join(crowd[:3])} and {len(crowd) - 3} more domains name each other as versions in other languages; "
        f"more than {MAX_DOMAINS} are not taken for one site, --one-site pairs across all"
        for crowd in name_sites(documents).crowds
    ]


def _pair_site(recipe: Recipe, site: Site, src_lang: str, tgt_lang: str) -> tuple[pa.Table, Scored]:
    src, tgt = site.rows_of(src_lang), site.rows_of(tgt_lang)
    missing = recipe.requires(recipe.options, src_lang, tgt_lang)
    steps = recipe.steps(recipe.options, src_lang, tgt_lang) if len(src) and len(tgt) and not missing else ()
    scored = run_cascade(site, src, tgt, steps)
    remarks = (missing,) if missing else recipe.remarks(recipe.options, src_lang, tgt_lang)
    scored = replace(scored, notes=(*remarks, *scored.notes))
    return pair_table(site, scored, steps, src_lang, tgt_lang), scored


def _write_figures(folder: RunFolder, name: str, figures: Mapping[str, str]) -> None:
    """Drawings of a decision, as SVG in the run's report folder."""
    for figure, text in figures.items():
        with replacing(folder.path / "report" / f"{name}.{figure}") as handle:
            handle.write(text.encode())


def load_pairs(folder: RunFolder, key: str, *, min_prob: float = 0.0) -> pa.Table:
    """Accepted pairs of a run whose probability is at least ``min_prob``, :data:`diglot.records.PAIR_SCHEMA`."""
    pairs = _all_pairs(folder, key)
    return pairs.filter(pc.and_(pairs["accepted"], pc.greater_equal(pairs["probability"], min_prob)))


def load_refused(folder: RunFolder, key: str) -> pa.Table:
    """Refused pairs of a run: for each unpaired page its best candidate."""
    pairs = _all_pairs(folder, key)
    return pairs.filter(pc.invert(pairs["accepted"]))


def _all_pairs(folder: RunFolder, key: str) -> pa.Table:
    pairs = folder.read(PAIRS, key, PAIR_SCHEMA)
    return PAIR_SCHEMA.empty_table() if pairs is None else pairs
