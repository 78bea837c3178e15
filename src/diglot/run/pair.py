"""The pair stage: a recipe scores and assigns the pages of every language pair."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isnan, nan
from typing import NamedTuple

import pyarrow as pa

from diglot.disk.atomic import replacing
from diglot.disk.folder import content_key
from diglot.documents.language import readable
from diglot.layout import count_text, estimate_text
from diglot.page_language.lost_pages import lost_to_language, with_lost
from diglot.page_language.variants import script_notes
from diglot.pairing.cascade import Scored, run_cascade
from diglot.pairing.missed import hidden_pairs, implied_pairs
from diglot.pairing.table import pair_table
from diglot.reasons import Reason
from diglot.recipes.recipe import Recipe
from diglot.records import PAIR_SCHEMA
from diglot.run.settings import Settings
from diglot.run.shards import map_sites
from diglot.run.stored_pages import OVERSIZED_SITES
from diglot.run.stored_pairs import EXPECTED, FAILED, estimates, expected_pairs, load_pairs, pair_mass
from diglot.run.work import PAIRS, Work, note_version, release_memory, report_stage, time_stage
from diglot.site import MAX_DOMAINS, Site, grouped_by_site
from diglot.version import __version__

_LOST_COLUMNS = ["site", "url", "reason", "lang", "edition", "block_kinds"]
PAIR_ROW = pa.struct(list(PAIR_SCHEMA))
PAIRED_SCHEMA = pa.schema(
    [
        pa.field("pairs", pa.list_(PAIR_ROW), nullable=False),
        pa.field("answer", pa.string(), nullable=False),  # SiteAnswer, as JSON
    ]
)


class SiteAnswer(NamedTuple):
    """Result of pairing a site, beside the pairs."""

    candidates: int
    expected: Mapping[str, float | None]
    """Expected number of pairs by language pair (``en-fr``); None for recipes without probabilities."""
    notes: Sequence[str]
    figures: Mapping[str, str]
    """SVG drawings of the decision, by file name."""
    failed: str = ""
    """Why the site was lost; "" where the pages were paired."""


def pair_stage(work: Work, documents: pa.Table, documents_key: str) -> str:
    """Score and assign page pairs of every language pair, site by site; returns the key of the pairs."""
    recipe = work.settings.resolved_recipe()
    made_of = (__version__, *recipe.pairing_parts(), *recipe.file_hashes())
    pages = (work.settings.one_site, work.settings.lang_from, *work.settings.lang_rules)
    key = content_key("pairs", documents_key, *made_of, work.settings.language_pairs(), *pages)
    with time_stage(work, "pair"):
        is_kept = work.folder.shards(PAIRS, key) is not None
        if not is_kept:
            _pair_sites(work, recipe, documents, documents_key, key)
        work.folder.discard_others(PAIRS, {key})
        work.folder.remember("run", PAIRS, key)
        accepted = load_pairs(work.folder, key)
        expected = expected_pairs(work.folder, key, work.settings.language_pairs())
        shares = estimate_text(estimates(pair_mass(accepted), expected)["all"])
        found = (
            f"{count_text(accepted.num_rows, 'page pair')} by {recipe.name}{f': estimated {shares}' if shares else ''}"
        )
        report_stage(work, "pair", found, is_kept=is_kept)
    return key


def _pair_sites(work: Work, recipe: Recipe, documents: pa.Table, documents_key: str, key: str) -> None:
    """Write the pairs of all sites, and note everything else the recipe found."""
    lang_pairs = tuple(work.settings.language_pairs())
    usable = readable(documents)
    sites = grouped_by_site(usable)
    # Memory of the ungrouped tables goes back before workers need it.
    release_memory()
    work.progress.start("pair", None, "sites")
    work.progress.step(f"pairing {usable.num_rows:,} pages", len(sites), "sites")
    stage = partial(pair_site, recipe=recipe, lang_pairs=lang_pairs)
    tables, answers = [PAIR_SCHEMA.empty_table()], []
    for row in map_sites(work.engine, stage, sites, failed=_lost_site):
        tables.append(pa.Table.from_struct_array(row["pairs"].combine_chunks().flatten()).cast(PAIR_SCHEMA))
        answers.append(SiteAnswer(**json.loads(row["answer"][0].as_py())))
        work.progress.advance(1)
    for name, figure in (item for each in answers for item in each.figures.items()):
        with replacing(work.folder.path / "report" / name) as handle:
            handle.write(figure.encode())
    work.folder.write_shard(PAIRS, key, 0, pa.concat_tables(tables).combine_chunks())
    names = [site["site"][0].as_py() for site in sites]
    work.folder.remember("candidates", key, sum(each.candidates for each in answers))
    failed = {name: each.failed for name, each in zip(names, answers, strict=True) if each.failed}
    work.folder.remember(FAILED, key, failed)
    crowds = _crowd_notes(work.folder.recall(OVERSIZED_SITES, documents_key) or ())
    work.folder.remember("notes", key, [*crowds, *(note for each in answers for note in each.notes)])
    expected = dict(zip(names, _expected_by_site(answers, sites, documents, work.settings), strict=True))
    work.folder.remember(EXPECTED, key, {site: found for site, found in expected.items() if found is not None})
    note_version(work.folder, PAIRS, key)
    work.folder.finish(PAIRS, key, 1)


def _expected_by_site(
    answers: Sequence[SiteAnswer], sites: Sequence[pa.Table], documents: pa.Table, settings: Settings
) -> Iterator[dict[str, float | None] | None]:
    """Value of :data:`EXPECTED` for every site; None for lost ones."""
    lang_pairs = settings.language_pairs()
    pages_of = {table["site"][0].as_py(): table for table in grouped_by_site(documents.select(_LOST_COLUMNS))}
    for each, site in zip(answers, sites, strict=True):
        if each.failed:
            yield None
            continue
        # JSON has no NaN, so notes hold None.
        seen = {name: nan if n is None else n for name, n in each.expected.items()}
        lost = lost_to_language(pages_of[site["site"][0].as_py()], settings.langs)
        found = with_lost(seen, lang_pairs, Counter(site["lang"].to_pylist()), lost)
        known = {name: n for name, n in found.items() if not isnan(n)}
        yield {name: known.get(name) for name, n in seen.items() if isnan(n) or name in known}


def _crowd_notes(crowds: Sequence[Sequence[str]]) -> list[str]:
    """A note on every group of domains too large for a single site."""
    return [
        f"{', '.join(crowd[:3])} and {len(crowd) - 3} more domains name each other as versions in other languages; "
        f"more than {MAX_DOMAINS} are not taken for one site, --one-site pairs across all"
        for crowd in crowds
    ]


def pair_site(documents: pa.Table, *, recipe: Recipe, lang_pairs: Sequence[tuple[str, str]]) -> pa.Table:
    """Pairs of the readable documents of a site with everything else found, a row of :data:`PAIRED_SCHEMA`."""
    site = Site(documents["site"][0].as_py(), documents, tuple(lang_pairs))
    tables, candidates, notes = [PAIR_SCHEMA.empty_table()], 0, []
    expected: dict[str, float | None] = {}
    figures: dict[str, str] = {}
    for src_lang, tgt_lang in lang_pairs:
        table, scored = _pair_languages(recipe, site, src_lang, tgt_lang)
        tables.append(table)
        candidates += scored.candidates
        expected[f"{src_lang}-{tgt_lang}"] = None if isnan(scored.expected_pairs) else scored.expected_pairs
        notes += [f"{site.name} {src_lang}-{tgt_lang}: {note}" for note in scored.notes]
        figures |= {f"{site.name}.{src_lang}-{tgt_lang}.{name}": text for name, text in scored.figures.items()}
    pairs = pa.concat_tables(tables)
    accepted = pairs.filter(pairs["accepted"])
    paired = {url for name in ("src_url", "tgt_url") for url in accepted[name].to_pylist()}
    langs = [*dict.fromkeys(lang for lang_pair in lang_pairs for lang in lang_pair)]
    notes += [f"{site.name}: {note}" for note in script_notes(site, langs, paired)]
    implied = implied_pairs(pairs, lang_pairs)
    hidden = hidden_pairs(pairs, Counter(site.strings("lang")), lang_pairs)
    missed = {name: implied[name] + hidden[name] for name in implied}
    total = {name: None if found is None else found + missed[name] for name, found in expected.items()}
    return _answer(pairs, SiteAnswer(candidates, total, notes, figures))


def _lost_site(_site: pa.Table, _reason: Reason, detail: str) -> pa.Table:
    """Result for a site that the workers lost: no pairs. The ledger drops its pages."""
    return _answer(PAIR_SCHEMA.empty_table(), SiteAnswer(0, {}, (), {}, failed=f"pairing: {detail}"))


def _answer(pairs: pa.Table, answer: SiteAnswer) -> pa.Table:
    rows = pa.concat_arrays(chunks) if (chunks := pairs.to_struct_array().chunks) else pa.array([], PAIR_ROW)
    lists = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), rows)
    return pa.table([lists, [json.dumps(answer._asdict())]], schema=PAIRED_SCHEMA)


def _pair_languages(recipe: Recipe, site: Site, src_lang: str, tgt_lang: str) -> tuple[pa.Table, Scored]:
    src, tgt = site.rows_of(src_lang), site.rows_of(tgt_lang)
    missing = recipe.lack(src_lang, tgt_lang)
    # Without its requirements a recipe takes no step, and a note tells why.
    steps = recipe.make_steps(src_lang, tgt_lang) if len(src) and len(tgt) and not missing else ()
    with recipe.named_in_errors():
        scored = run_cascade(site, src, tgt, steps)
    remarks = (missing,) if missing else recipe.remark_lines(src_lang, tgt_lang)
    scored = replace(scored, notes=(*remarks, *scored.notes))
    return pair_table(site, scored, steps, src_lang, tgt_lang), scored
