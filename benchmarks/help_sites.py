"""LibreOffice's installed help as bilingual sites with gold by equal path: opaque addresses, links between pages gone.

    apt-get install libreoffice-help-en-us libreoffice-help-fr ...
    python benchmarks/help_sites.py OUT [--langs fr,de] [--variants complete,miss30,miss60,low17,disjoint,n1000,many]

Each site is OUT/help.LANG.VARIANT with pages.warc.gz, gold.tsv, ignore.tsv and groups.tsv, as the other evaluation
sites have them. ``nNUMBER`` has NUMBER pages in two languages; beyond what is installed they are put together from
paragraphs of three pages each, the same ones in both languages: for cost, not for quality. ``many`` has all
languages at once.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

HELP = Path("/usr/share/libreoffice/help")
ENGLISH = "en-US"
VARIANTS = ("complete", "miss30", "miss60", "low17", "disjoint")
DATE = "2024-06-01T12:00:00Z"
MIN_CHARS = 100
CJK = ("ja", "ko", "zh-CN", "zh-TW")
CJK_FACTOR = 0.4
PARTIAL, UNTRANSLATED = 0.3, 0.8
"""Share of a page's own text that is the English page's, from which it is no gold, and counts as left in English."""

_TELLTALE = re.compile(
    r"<script\b.*?</script>|<noscript\b.*?</noscript>|<footer\b.*?</footer>|<base\b[^>]*>|<link\b[^>]*>"
    r'|<meta itemprop[^>]*>|<a name="[^"]*"></a>',
    re.S,
)
_IDENTITY = re.compile(r'\s(?:id|onclick|for|itemscope|itemtype|itemprop|data-[\w-]+)="[^"]*"')
_LINK = re.compile(r'<a\b(?![^>]*href="https?:)[^>]*>(.*?)</a>', re.S)
_BLOCK = re.compile(r"</?(?:p|h\d|td|th|tr|li|div|table|ul|ol|br|title|head|body|pre|dt|dd)\b[^>]*>")
_TAG = re.compile(r"<[^>]+>")
_BODY = re.compile(r"^(.*?<h1\b.*?</h1>)(.*)(</div>\s*<div[^>]*>\s*</div>\s*<div[^>]*>\s*</div>.*)$", re.S)
_PARAGRAPH = re.compile(r'<(p|h\d)\b id="([^"]+)"[^>]*>.*?</\1>', re.S)


@dataclass(frozen=True)
class HelpPage:
    """A page: what it is about (its path), its language, markup without telltales, and what is wrong with it."""

    group: str
    lang: str
    markup: str
    status: str


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--langs", type=lambda text: text.split(","), default=["fr", "de", "it", "ja", "ko"])
    parser.add_argument("--variants", type=lambda text: text.split(","), default=list(VARIANTS))
    arguments = parser.parse_args()
    raw = {lang: read_help(lang) for lang in [ENGLISH, *arguments.langs]}
    editions = {lang: judged(lang, pages, raw[ENGLISH]) for lang, pages in raw.items()}
    for variant in arguments.variants:
        if variant == "many":
            write_site(arguments.out / "help.all.many", list(editions.values()))
            continue
        for lang in arguments.langs:
            if re.fullmatch(r"n\d+", variant):
                sides = sized(raw[ENGLISH], raw[lang], editions[ENGLISH], editions[lang], int(variant[1:]))
            else:
                sides = thinned(editions[ENGLISH], editions[lang], variant)
            write_site(arguments.out / f"help.{lang}.{variant}", sides)


def read_help(lang: str) -> dict[str, str]:
    """Markup of every help page by its path."""
    root = HELP / lang / "text"
    return {str(path.relative_to(root)): path.read_text("utf-8") for path in sorted(root.rglob("*.html"))}


def without_telltales(markup: str) -> str:
    """The page without what names it alike in all languages: identifiers, its path, links to other pages."""
    return _LINK.sub(r"\1", _IDENTITY.sub("", _TELLTALE.sub("", markup)))


def texts_of(markup: str) -> list[str]:
    """Text of each block."""
    blocks = (" ".join(_TAG.sub(" ", part).split()) for part in _BLOCK.split(markup))
    return [block for block in blocks if block]


def judged(lang: str, pages: dict[str, str], english: dict[str, str]) -> dict[str, HelpPage]:
    """Pages with their status: ok, thin, partial, untranslated, or twin (same text as another of its language)."""
    markups = {group: without_telltales(markup) for group, markup in pages.items()}
    texts = {group: texts_of(markup) for group, markup in markups.items()}
    originals = {group: set(texts_of(without_telltales(markup))) for group, markup in english.items()}
    usual = Counter(text for found in texts.values() for text in set(found))
    own = {group: [t for t in found if usual[t] <= 0.25 * len(texts)] for group, found in texts.items()}
    whole = Counter("\n".join(found) for found in own.values())
    judgements = {}
    for group, found in own.items():
        size = sum(map(len, found))
        letters = [text for text in found if re.search(r"[^\W\d_]{3}", text)]
        same = sum(len(t) for t in letters if t in originals.get(group, ())) / max(sum(map(len, letters)), 1)
        status = "ok"
        if size < MIN_CHARS * (CJK_FACTOR if lang in CJK else 1):
            status = "thin"
        elif lang != ENGLISH and same >= PARTIAL:
            status = "untranslated" if same > UNTRANSLATED else "partial"
        elif whole["\n".join(found)] > 1:
            status = "twin"
        judgements[group] = HelpPage(group, lang, markups[group], status)
    return judgements


def thinned(src: dict[str, HelpPage], tgt: dict[str, HelpPage], variant: str) -> list[dict[str, HelpPage]]:
    """The pages that each side keeps in a variant."""
    groups = sorted(src.keys() & tgt.keys())
    rng = random.Random(f"{variant} {tgt[groups[0]].lang}")
    rng.shuffle(groups)
    if variant == "complete":
        return [src, tgt]
    if variant.startswith("miss"):
        keep = 1 - int(variant[4:]) / 100
        return [{g: side[g] for g in groups if rng.random() < keep} for side in (src, tgt)]
    share = {"disjoint": 0.0, "low17": 0.17}[variant]
    size = int(len(groups) / (2 - share))  # of each side, a share of it on the other side too
    alone = int(size * (1 - share))
    return [{g: src[g] for g in groups[:size]}, {g: tgt[g] for g in groups[alone : alone + size]}]


def sized(
    raw_src: dict[str, str], raw_tgt: dict[str, str], src: dict[str, HelpPage], tgt: dict[str, HelpPage], size: int
) -> list[dict[str, HelpPage]]:
    """``size`` pages in two languages, the installed ones first, then ones put together from their paragraphs."""
    rng = random.Random(size)
    groups = sorted(src.keys() & tgt.keys())
    rng.shuffle(groups)
    sides: list[dict[str, HelpPage]] = [{}, {}]
    for group in groups[: size // 2]:
        sides[0][group], sides[1][group] = src[group], tgt[group]
    rich = [g for g in groups if src[g].status == tgt[g].status == "ok" and _BODY.match(src[g].markup)]
    for number in range(size // 2 - len(sides[0])):
        sources = rng.sample(rich, 3)
        kept = {(g, m[2]) for g in sources for m in _PARAGRAPH.finditer(raw_src[g]) if rng.random() < 0.5}
        for side, raw, judgements in zip(sides, (raw_src, raw_tgt), (src, tgt), strict=True):
            side[f"made/{number}"] = put_together(f"made/{number}", sources, kept, raw, judgements[sources[0]])
    return sides


def put_together(
    group: str, sources: list[str], kept: set[tuple[str, str]], raw: dict[str, str], like: HelpPage
) -> HelpPage:
    """A page of those paragraphs of several pages that are kept, inside the frame of the first."""
    parts = _BODY.match(like.markup)
    head, _, foot = parts.groups() if parts else ("<html><body>", "", "</body></html>")
    chosen = [m[0] for g in sources for m in _PARAGRAPH.finditer(raw[g]) if (g, m[2]) in kept]
    return HelpPage(group, like.lang, head + without_telltales("\n".join(chosen)) + foot, "made")


def write_site(folder: Path, editions: list[dict[str, HelpPage]]) -> None:
    """Pages in an order that says nothing; gold are pairs with English (and all pairs of two languages)."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [page for edition in editions for page in edition.values()]
    rng = random.Random(folder.name)
    numbers = rng.sample(range(100_000, 9_999_999), len(pages))
    host = f"http://{hashlib.sha256(folder.name.encode()).hexdigest()[:8]}.example"
    urls = {(p.lang, p.group): f"{host}/node/{number}" for p, number in zip(pages, numbers, strict=True)}
    rng.shuffle(pages)
    with (folder / "pages.warc.gz").open("wb") as warc:
        for page in pages:
            warc.write(gzip.compress(record(urls[page.lang, page.group], page.markup), 6, mtime=0))
    gold, ignored = [], []
    partners: defaultdict[str, list[HelpPage]] = defaultdict(list)
    for page in pages:
        partners[page.group].append(page)
    for group in sorted(partners):
        original = next((page for page in partners[group] if page.lang == ENGLISH), None)
        for page in sorted(partners[group], key=lambda page: page.lang):
            if original and page is not original and page.status != "untranslated":
                good = {page.status, original.status} in ({"ok"}, {"made"})
                (gold if good else ignored).append(("en", page.lang, urls[ENGLISH, group], urls[page.lang, group]))
    write_rows(folder / "gold.tsv", gold)
    write_rows(folder / "ignore.tsv", ignored)
    header = ("group", "lang", "url", "status", "same_as_en", "lid", "kind")
    rows = [
        (p.group, "en" if p.lang == ENGLISH else p.lang, urls[p.lang, p.group], p.status, 0, "", "page") for p in pages
    ]
    write_rows(folder / "groups.tsv", [header, *sorted(rows)])
    print(f"{folder.name}: {len(pages)} pages, {len(gold)} gold pairs, {len(ignored)} ignored")


def record(url: str, markup: str) -> bytes:
    """A WARC response record."""
    body = markup.encode()
    http = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {DATE}\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid5(NAMESPACE_URL, url)}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def write_rows(path: Path, rows: Iterable[tuple[object, ...]]) -> None:
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))


if __name__ == "__main__":
    main()
