"""Gold pairs of sites missed before pairing (by the language of a page, or as a duplicate) and by pairing itself.

    python benchmarks/early.py SITE... [--langs en,fr] [--cache FOLDER] [--missed]

SITE is a folder with pages.warc.gz, gold.tsv and ignore.tsv. Each site is resolved and paired by `fused`, in shuffled
order of pages. A row a site: gold pairs; missed because a page got another language, because a page was called a
duplicate, otherwise before pairing, and by pairing; strict precision, recall and F1; the share that the run says it
found, NaN where it says nothing, and the share that it found. A gold pair counts as found, too, by pages whose text is
equal to that of its pages: where nothing but the address tells two equal pages apart, either is right.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.feather as feather
from dev_sites import shuffle_warc

from diglot.disk.folder import RunFolder
from diglot.documents.language import readable
from diglot.documents.language_tags import language_of
from diglot.duplicates.equal import page_texts
from diglot.evaluation.gold import GoldSet, read_gold_set
from diglot.harvesting import read_sources
from diglot.languages import language_pairs
from diglot.page_language.lost_pages import lost_to_language, with_lost
from diglot.reasons import Reason
from diglot.recipes import RECIPES
from diglot.run.ledger import mark_repeated_addresses
from diglot.run.pair import SiteAnswer, pair_site
from diglot.run.read import load_records
from diglot.run.resolve import resolve_table
from diglot.run.settings import Settings, make_settings
from diglot.run.work import DOCUMENTS, stage_key
from diglot.site import split_sites

COLUMNS = ["site", "gold", "language", "duplicate", "other", "pairing", "strictP", "recall", "strictF1", "said", "true"]


class Paired(NamedTuple):
    """A site after both stages."""

    resolved: pa.Table
    pairs: pa.Table
    """Accepted pairs only."""
    expected: float


def main() -> None:
    arguments = parse_arguments()
    print("\t".join(COLUMNS))
    total: Counter[str] = Counter()
    for folder in arguments.sites:
        row = score(folder, arguments)
        total.update({name: row[name] for name in COLUMNS[1:6]})
        print("\t".join(f"{row[name]:.4f}" if name in COLUMNS[6:] else str(row[name]) for name in COLUMNS), flush=True)
    print("\t".join(["all", *(str(total[name]) for name in COLUMNS[1:6])]))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path, nargs="+")
    parser.add_argument("--langs", default="", help="only these languages of the gold, such as en,de,fr")
    parser.add_argument("--cache", type=Path, help="folder in which parsed pages are kept between runs")
    parser.add_argument("--missed", action="store_true", help="name every pair that was missed or is wrong")
    return parser.parse_args()


def score(folder: Path, arguments: argparse.Namespace) -> dict[str, object]:
    """The row of a site, by name of the column."""
    gold = read_gold_set(folder / "gold.tsv", folder / "ignore.tsv")
    tags = sorted({tag for pair in gold.pairs for tag in pair[:2]}, key=lambda tag: (language_of(tag) != "en", tag))
    settings = make_settings([tag for tag in tags if not arguments.langs or tag in arguments.langs.split(",")])
    lang_pairs = language_pairs(settings.langs)
    records = read_records(folder, arguments.cache, settings.langs)
    found = paired(records, settings)
    return {"site": folder.name, **compared(gold.of_languages(lang_pairs), found, arguments.missed)}


def paired(records: pa.Table, settings: Settings) -> Paired:
    """The pages of a site, resolved and paired."""
    usable = readable(records)
    (site,) = split_sites(usable, together=True)
    documents = site.documents
    resolved = resolve_table(documents, settings=settings)
    for name in resolved.column_names:
        documents = documents.set_column(documents.column_names.index(name), name, resolved[name])
    lang_pairs = tuple(settings.language_pairs())
    answer = pair_site(readable(documents), recipe=RECIPES["fused"], lang_pairs=lang_pairs)
    pairs = pa.Table.from_struct_array(answer["pairs"].combine_chunks().flatten())
    site_answer = SiteAnswer(**json.loads(answer["answer"][0].as_py()))
    seen = {name: float("nan") if n is None else n for name, n in site_answer.expected.items()}
    pages = Counter(readable(documents)["lang"].to_pylist())
    expected = with_lost(seen, lang_pairs, pages, lost_to_language(documents, settings.langs))
    return Paired(documents, pairs.filter(pairs["accepted"]), sum(expected.values()))


def compared(gold: GoldSet, found: Paired, named: bool) -> dict[str, object]:
    """What became of the gold pairs; ``named``: print every pair that was missed or is wrong."""
    texts = dict(zip(found.resolved["url"].to_pylist(), page_texts(found.resolved), strict=True))
    pages = {
        row["url"]: (row["reason"], row["lang"]) for row in found.resolved.select(["url", "reason", "lang"]).to_pylist()
    }
    rows = found.pairs.to_pylist()
    proposed = {frozenset((row["src_url"], row["tgt_url"])): row["probability"] for row in rows}
    by_text = {frozenset(texts[url] for url in pair) for pair in proposed}
    wanted, ignored = ({frozenset(pair[2:]) for pair in pairs} for pairs in (gold.pairs, gold.ignored))
    missed: Counter[str] = Counter()
    for lang1, lang2, url1, url2 in gold.pairs:
        if frozenset((url1, url2)) in proposed:
            continue
        if frozenset(texts.get(url, url) for url in (url1, url2)) in by_text:
            missed["by text"] += 1
            continue
        why = reason_missed([(pages.get(url1), lang1), (pages.get(url2), lang2)])
        missed[why] += 1
        if named:
            print(f"# {why}: {url1} {pages.get(url1)} {url2} {pages.get(url2)}")
    langs = {frozenset(pair[:2]) for pair in gold.pairs}
    of_gold = [row for row in rows if frozenset((row["src_lang"], row["tgt_lang"])) in langs]
    judged = [pair for row in of_gold if (pair := frozenset((row["src_url"], row["tgt_url"]))) not in ignored]
    if named:
        wrong = [pair for pair in judged if pair not in wanted]
        print("\n".join(f"# wrong at {proposed[pair]:.2f}: {' '.join(sorted(pair))}" for pair in wrong))
    right = sum(pair in wanted for pair in judged) + missed["by text"]
    precision, recall = min(1.0, right / max(len(judged), 1)), right / len(wanted)
    return {
        "gold": len(wanted),
        **{name: missed[name] for name in COLUMNS[2:6]},
        "strictP": precision,
        "recall": recall,
        "strictF1": 2 * precision * recall / max(precision + recall, 1e-9),
        # NaN comes first, so that it stays: of what cannot be compared, Python's smallest is the first.
        "said": min(sum(proposed.values()) / max(found.expected, 1e-9), 1.0),
        "true": recall,
    }


def reason_missed(pages: Iterable[tuple[tuple[str, str] | None, str]]) -> str:
    """Why a gold pair was missed; ``pages``: reason and language of both, None if unread, and gold's language."""
    reasons = []
    for page, lang in pages:
        if page is None:
            reasons.append("other")
        elif page[0] == Reason.DUPLICATE:
            reasons.append("duplicate")
        elif page[1] != lang:
            reasons.append("language")
        elif page[0]:
            reasons.append("other")
    return min(reasons, key=COLUMNS.index, default="pairing")


def read_records(folder: Path, cache: Path | None, tags: Iterable[str]) -> pa.Table:
    """The records of a site's pages, in shuffled order, none resolved."""
    kept = cache and cache / f"{folder.name}.arrow"
    if kept and kept.exists():
        return feather.read_table(kept)
    with tempfile.TemporaryDirectory() as temporary:
        shuffled = shuffle_warc(folder / "pages.warc.gz", Path(temporary) / "pages.warc.gz")
        read_sources(shuffled, list(tags), Path(temporary) / "run")
        with RunFolder(Path(temporary) / "run") as opened:
            records = mark_repeated_addresses(load_records(opened, stage_key(opened, DOCUMENTS, "diglot read")))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        feather.write_feather(records, kept)
    return records


if __name__ == "__main__":
    main()
