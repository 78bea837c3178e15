"""Figures of the corpus stage as tables: flags of segments and terms of the sample, flags of made sites."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa
import xxhash

from diglot.corpus.flags.context import Cleaning, PageFacts
from diglot.corpus.flags.flagging import flag_segments
from diglot.corpus.verdicts import segment_id
from diglot.harvesting import harvest
from diglot.records import SEGMENT_SCHEMA
from diglot.results.run import open_run

PINS = Path(__file__).with_name("pins")
SAMPLE = Path(__file__).parents[2] / "examples" / "sample" / "pages.warc.gz"
LANGS = ("en", "fr", "ja")
ENGLISH = "the old mill stands near a quiet river and turns all day long in the wind"
FRENCH = "le vieux moulin se dresse près d'une rivière calme et tourne toute la journée au vent"
RARE = 6
"""Segments of a flag up to which each is pinned by its text; of more a hash of all."""
TERMS_SHOWN = 40

Rows = list[list[str]]


@cache
def sample_tables() -> dict[str, tuple[pa.Table, pa.Table]]:
    """Flagged segments and terms of each language pair of the sample."""
    found = {}
    with tempfile.TemporaryDirectory() as temporary:
        harvest(SAMPLE, ",".join(LANGS), Path(temporary) / "run", jobs=1)
        run = open_run(Path(temporary) / "run")
        for src, tgt in combinations(LANGS, 2):
            found[f"{src}-{tgt}"] = run.segments(src, tgt).table, run.terms(src, tgt).table
    return found


def flag_rows() -> Rows:
    """For each language pair and flag of the sample: how many segments, and which."""
    rows = []
    for pair, (segments, _) in sample_tables().items():
        of_flag: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for segment in segments.to_pylist():
            for flag in segment["flags"] or ["none"]:
                of_flag[flag].append(segment)
        for flag, found in sorted(of_flag.items()):
            rows.append([pair, flag, str(len(found)), _digest(map(segment_id, found))])
            if len(found) <= RARE:
                rows += [[pair, flag, segment_id(each), _shown(each)] for each in found]
        for name in ("other_src_urls", "other_tgt_urls", "src_variant", "tgt_variant"):
            rows.append([pair, name, str(segments.num_rows), _digest(map(str, segments[name].to_pylist()))])
    return rows


def term_rows() -> Rows:
    """For each language pair of the sample: how many terms, a hash of their counts, and the most telling."""
    rows = []
    for pair, (_, terms) in sample_tables().items():
        told = [_told(term) for term in terms.to_pylist()]
        rows.append([pair, str(len(told)), _digest("\t".join(cells) for cells in told)])
        rows += [[pair, *cells] for cells in told[:TERMS_SHOWN]]
    return rows


def _told(term: Mapping[str, Any]) -> list[str]:
    counts = ("source", "linked", "src_count", "tgt_count", "both_count", "pages", "units")
    lists = ("rivals", "src_forms", "tgt_forms", "example_src_urls")
    return [
        *(term["src"], term["tgt"]),
        *(f"{term[name]:.2f}" for name in ("probability", "termhood")),
        *(str(term[name]) for name in counts),
        *(" | ".join(term[name]) for name in lists),
    ]


def made_site_rows() -> Rows:
    """Every segment of the made sites with its flags, its copies and its variants."""
    return [
        [
            each["src"],
            each["tgt"],
            each["src_url"],
            ",".join(each["flags"]),
            " ".join(each["other_src_urls"]),
            "/".join((each["src_variant"], each["tgt_variant"])),
        ]
        for each in made_flagged().to_pylist()
    ]


def made_flagged() -> pa.Table:
    """Four sites made by hand, two of them joined by a pair of pages, flagged together."""
    facts = PageFacts(
        machine_translated=frozenset({"https://b.org/fr/machine"}), declared_lang={"https://b.org/fr/0": "fr-CA"}
    )
    rows = [*_menu_site(), *_letter_site(), *_chinese_site(), *_pdf_site()]
    options = Cleaning(offensive=frozenset({"damn"}), min_score=0.5)
    return flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA), options, facts)


def _row(src: str, tgt: str, page: str, site: str, position: int, **other: Any) -> dict[str, Any]:
    langs = {"src_lang": "en", "tgt_lang": other.pop("tgt_lang", "fr")}
    urls = {
        "src_url": f"https://{site}/{langs['src_lang']}/{page}",
        "tgt_url": f"https://{other.pop('tgt_site', site)}/{langs['tgt_lang']}/{page}",
    }
    fixed = {"score": 0.9, "bead": "1-1", "kind": 0, "flags": [], "position": position, "fetched": ""}
    fixed |= {"src_page": 0, "tgt_page": 0}
    return {"src": src, "tgt": tgt, **langs, **urls, **fixed, **other}


def _menu_site() -> list[dict[str, Any]]:
    """A menu on eight pages, an entry of it on six, copies, near copies, conflicts, labels that count."""
    rows = []
    for page in range(8):
        rows.append(_row("Home", "Accueil", str(page), "a.org", 0, score=0.5 + page / 20))
        rows.append(_row("Contact us", "Contactez-nous", str(page), "a.org", 1, score=1.0 if page < 6 else 0.2))
        rows.append(_row(f"Table {page}.1", f"Tableau {page}.1", str(page), "a.org", 2, score=0.6 + page % 3 / 10))
    rows += [
        _row("Open the file", "Ouvrir le fichier", "0", "a.org", 3, score=0.6),
        _row("Open the file", "Ouvrir le fichier", "1", "a.org", 3, score=0.6),
        _row("Open the file", "Ouvrez le document", "2", "a.org", 3, score=0.95),
        _row("open the FILE!", "Ouvrez ce dossier", "3", "a.org", 3, score=0.4),
        _row("Save it now.", "Enregistrez-le.", "0", "a.org", 4),
        _row("Save it now", "Enregistrez le", "1", "a.org", 4, score=0.8),
        _row("save it  now.", "enregistrez-le.", "2", "a.org", 4, score=0.7),
        _row("GNU", "gnu!", "4", "a.org", 5),
        _row("In 1998", "En 1999", "4", "a.org", 6),
        _row("", "Rien ici", "4", "a.org", 7),
        _row("No partner here", " ", "4", "a.org", 8),
        _row("*** 3", "*** trois", "4", "a.org", 9),
        _row("Oh damn, the tea is cold", "Oh zut, le thé est froid", "4", "a.org", 10),
        _row("Write to jo@example.org at once", "Écrivez tout de suite à jo@example.org", "4", "a.org", 11),
        _row("It is kept in memory", "Il est gardÃ© en mÃ©moire", "4", "a.org", 12),
        _row("Home", "Heimat", "4", "a.org", 13, tgt_lang="de"),
    ]
    return rows


def _letter_site() -> list[dict[str, Any]]:
    """Twelve sentences of a usual length, two of odd ones, and a page that a machine translated."""
    words = [
        "the",
        "old",
        "mill",
        "stands",
        "near",
        "a",
        "quiet",
        "river",
        "and",
        "turns",
        "all",
        "day",
        "long",
        "in",
        "the",
        "wind",
    ]
    french = [
        "le",
        "vieux",
        "moulin",
        "se",
        "dresse",
        "près",
        "d'une",
        "rivière",
        "calme",
        "et",
        "tourne",
        "toute",
        "la",
        "journée",
        "au",
        "vent",
    ]
    rows = [
        _row(" ".join(words[n:] + words[:n]), " ".join(french[n:] + french[:n]), "0", "b.org", n) for n in range(12)
    ]
    rows += [
        _row("The old mill stands near a quiet river.", " ".join(french * 3), "0", "b.org", 12),
        _row(" ".join(words * 3), "Le vieux moulin", "0", "b.org", 13),
        _row("The mill is old", "Le moulin est vieux", "machine", "b.org", 14),
        _row("The mill is old", "Le moulin est vieux", "1", "b.org", 0, score=0.3),
        _row("The wheel turns", "La roue tourne", "2", "b.org", 0, tgt_site="b.net"),
        _row("Home", "Accueil", "2", "b.org", 1, tgt_site="b.net"),
    ]
    return rows


def _chinese_site() -> list[dict[str, Any]]:
    texts = [("The language", "這國家的語言很難學會"), ("Of this land", "这国家的语言很难学会"), ("Hello", "你好")]
    rows = [_row(src, tgt, "0", "c.org", n, tgt_lang="zh") for n, (src, tgt) in enumerate(texts)]
    return [*rows, _row("Good day", "Bonjour à tous", "0", "c.org", 9, tgt_lang="zh")]


def _pdf_site() -> list[dict[str, Any]]:
    """A PDF whose font names a ligature wrongly, in three of its texts."""
    wrong = [("He uses an old mill", "Il u=lise un vieux moulin"), ("One special stone", "Une pierre par=culière")]
    texts = [*wrong, ("It is still active", "Il est encore ac=f"), ("The wind blows", "Le vent souffle")]
    return [_row(src, tgt, "mill.pdf", "d.org", n, src_page=1, tgt_page=1) for n, (src, tgt) in enumerate(texts)]


def _shown(segment: Mapping[str, Any]) -> str:
    return " / ".join(" ".join(segment[side].split())[:50].strip() for side in ("src", "tgt"))


def _digest(texts: Iterable[str]) -> str:
    return xxhash.xxh3_64_hexdigest("\n".join(sorted(texts)).encode())


TABLES = {"flags.tsv": flag_rows, "made_sites.tsv": made_site_rows, "terms.tsv": term_rows}


def read_pins(name: str) -> Rows:
    """The rows of a table as it was pinned."""
    return [line.split("\t") for line in (PINS / name).read_text(encoding="utf-8").split("\n")[:-1]]


def write_pins() -> None:
    """Write all tables anew."""
    for name, rows in TABLES.items():
        text = "".join("\t".join(cells) + "\n" for cells in rows())
        (PINS / name).write_text(text, encoding="utf-8")
