"""The sample's manual as documents of known text: printed by Chromium (tagged), WeasyPrint and TeX (untagged).

    python benchmarks/pdf_sources.py FOLDER [--weasyprint /path/to/weasyprint] [--first 26]

Writes FOLDER/LAYOUT.LANG.pdf and FOLDER/LANG.json, the paragraphs as (kind, text) in order. Chromium, pdflatex and
WeasyPrint are the machine's; layouts whose program is missing are left out.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType
from lxml import etree
from lxml import html as lxml_html

SAMPLE = Path("examples/sample/pages.warc.gz")
LANGUAGES = ("en", "de", "fr", "ja")
BLOCKS = {
    "p": "p",
    "li": "li",
    "dt": "p",
    "dd": "p",
    "h1": "h1",
    "h2": "h2",
    "h3": "h3",
    "h4": "h4",
    "td": "td",
    "pre": "pre",
}
SKIPPED = {"script", "style", "svg", "button", "form"}
SKIPPED_CLASSES = {"toplang", "bottomlang", "up", "menu", "apache", "top", "outofdate", "retired", "permalink"}
_WIDE = "[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
_BREAK_BETWEEN_WIDE = re.compile(rf"(?<={_WIDE})[ \t]*\n\s*(?={_WIDE})")
"""CSS takes line breaks of the source out between ideographs (CSS Text 3, 4.1.3); some browsers show a blank."""
Paragraph = tuple[str, str]

ARABIC = (
    "تعيش في هذه القرية الصغيرة ثلاث عائلات من الصيادين، وتخرج قواربهم كل صباح قبل شروق الشمس إلى البحر الهادئ.",
    "قالت المعلمة إن القراءة كل يوم نصف ساعة تكفي لكي يتعلم الطفل مئات الكلمات الجديدة في السنة الواحدة.",
    "وصل القطار إلى المحطة في الساعة 10:45 متأخرا عشرين دقيقة، فاعتذر السائق للمسافرين وفتح الأبواب.",
    "يحفظ البرنامج Diglot كل صفحة مع سبب واضح، ولا يحذف شيئا من دون أن يقول لماذا حذفه.",
    "في السوق القديم يبيع الرجل العجوز الخبز والتمر والعسل، ويعرف أسماء كل الناس الذين يمرون أمامه.",
)
"""Sentences of our own: the sample has no language that is written from the right."""

STYLE = """@page {{ size: A4; margin: 25mm 22mm;
 @top-center {{ content: "{title}"; font-size: 8pt }} @bottom-center {{ content: counter(page); font-size: 8pt }} }}
body {{ font-family: {font}; font-size: 10pt; line-height: 1.3; {more} }}
p, li, td {{ {align} }}
pre {{ font-family: 'DejaVu Sans Mono'; font-size: 8pt; white-space: pre-wrap; overflow-wrap: anywhere }}
table {{ border-collapse: collapse; width: 100% }}
td {{ padding: 2pt 8pt; vertical-align: top; font-size: 9pt; width: 50% }}"""


def paragraphs(lang: str) -> list[Paragraph]:
    """Paragraphs of the manual in a language, in the order of the archive."""
    if lang == "ar":
        return made_arabic()
    found: list[Paragraph] = []
    with SAMPLE.open("rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response):
            if f"/2.4/{lang}/" in record.headers["WARC-Target-URI"]:
                found += _page(record.reader.read())
    return found


def made_arabic() -> list[Paragraph]:
    """Our sentences in ever another order, two to five a paragraph."""
    made: list[Paragraph] = []
    for number in range(60):
        if number % 10 == 0:
            made.append(("h2", f"الفصل {number // 10 + 1}"))
        size = 2 + number * 7 % 4
        made.append(("p", " ".join(ARABIC[(number * 3 + place * 2) % len(ARABIC)] for place in range(size))))
    return made


def _page(body: bytes) -> Iterator[Paragraph]:
    charset = re.search(rb"charset=([-\w]+)", body)
    parser = lxml_html.HTMLParser(encoding=charset[1].decode() if charset else "utf-8")
    root = lxml_html.fromstring(body, parser=parser)
    start = root.find(".//*[@id='page-content']")
    if start is not None:
        yield from _blocks(start)


def _blocks(element: lxml_html.HtmlElement) -> Iterator[Paragraph]:
    for child in element:
        if (
            not isinstance(child.tag, str)
            or child.tag in SKIPPED
            or SKIPPED_CLASSES & set((child.get("class") or "").split())
        ):
            continue
        kind = BLOCKS.get(child.tag)
        if kind is None or any(each.tag in BLOCKS for each in child.iterdescendants(etree.Element)):
            yield from _blocks(child)
            continue
        text = "".join(_texts(child))
        text = text.strip("\n") if kind == "pre" else " ".join(_BREAK_BETWEEN_WIDE.sub("", text).split())
        if any(map(str.isalpha, text)):
            yield kind, text


def _texts(element: lxml_html.HtmlElement) -> Iterator[str]:
    if element.tag in SKIPPED or SKIPPED_CLASSES & set((element.get("class") or "").split()):
        return
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield "\n" if child.tag == "br" else ""
            yield from _texts(child)
        yield child.tail or ""


def as_html(lang: str, blocks: list[Paragraph], align: str, more: str = "") -> str:
    """The paragraphs as a page of HTML, rows of two cells each."""
    font = {"ja": "'IPAGothic'", "ar": "'DejaVu Sans'"}.get(lang, "'DejaVu Serif'")
    style = STYLE.format(title=f"Manual ({lang})", font=font, align=align, more=more)
    direction = ' dir="rtl"' if lang == "ar" else ""
    lines = [
        f'<!DOCTYPE html><html lang="{lang}"{direction}><meta charset="utf-8"><title>Manual</title>',
        f"<style>{style}</style>",
    ]
    place = 0
    while place < len(blocks):
        kind, text = blocks[place]
        run = [text]
        while kind in ("li", "td") and place + len(run) < len(blocks) and blocks[place + len(run)][0] == kind:
            run.append(blocks[place + len(run)][1])
        place += len(run)
        lines.append(_wrapped(kind, [html.escape(each) for each in run]))
    return "\n".join(lines)


def _wrapped(kind: str, texts: list[str]) -> str:
    if kind == "li":
        return "<ul>" + "".join(f"<li>{each}</li>" for each in texts) + "</ul>"
    if kind == "td":
        rows = ("".join(f"<td>{each}</td>" for each in texts[start : start + 2]) for start in range(0, len(texts), 2))
        return "<table>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"
    return f"<{kind}>{texts[0]}</{kind}>"


NOT_IN_FONT = '_<>{}|\\"'
"""Signs that TeX's old fonts do not have: paragraphs with them are left out."""
TEX_SIGNS = (
    {'"': "''"}
    | {sign: "\\" + sign for sign in "&%$#_{}"}
    | {"~": r"\~{}", "^": r"\^{}", "\\": r"$\backslash$", "<": "{<}", ">": "{>}"}
)


def as_tex(lang: str, blocks: list[Paragraph], columns: int) -> str:
    """The paragraphs as TeX in its old encoding, where accents are signs of their own."""
    options = "twocolumn" if columns == 2 else "onecolumn"
    babel = {"en": "english", "de": "ngerman", "fr": "french"}[lang]
    shorthands = {"de": '"', "fr": ":;!?"}.get(lang, "")
    head = rf"\documentclass[{options}]{{article}}\usepackage[utf8]{{inputenc}}\usepackage[{babel}]{{babel}}"
    off = rf"\shorthandoff{{{shorthands}}}" if shorthands else ""
    lines = [head, rf"\pagestyle{{headings}}\sloppy\begin{{document}}{off}"]
    listing = False
    for kind, text in blocks:
        if (kind == "li") != listing:
            lines.append(r"\begin{itemize}" if kind == "li" else r"\end{itemize}")
            listing = kind == "li"
        signs = "".join(TEX_SIGNS.get(sign, sign) for sign in text)
        if kind in ("h1", "h2", "h3", "h4"):
            lines.append(rf"\{'section' if kind == 'h1' else 'subsection'}*{{{signs}}}")
        elif kind == "pre":
            lines.append("\\begin{verbatim}\n" + text + "\n\\end{verbatim}")
        else:
            lines.append((r"\item " if kind == "li" else "") + signs + "\n")
    return "\n".join([*lines, r"\end{itemize}" if listing else "", r"\end{document}"])


def _tex(folder: Path, lang: str, blocks: list[Paragraph], columns: int) -> None:
    name = f"tex{columns}.{lang}"
    kept = [
        (kind, text) for kind, text in blocks if all(ord(sign) < 0x180 and sign not in NOT_IN_FONT for sign in text)
    ]
    (folder / f"{name}.tex").write_text(as_tex(lang, kept, columns), encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=batchmode", f"{name}.tex"], cwd=folder, stdout=subprocess.DEVNULL, check=False
    )


def _chromium(folder: Path, lang: str, blocks: list[Paragraph]) -> None:
    source = (folder / f"tagged.{lang}.html").resolve()
    source.write_text(as_html(lang, blocks, ""), encoding="utf-8")
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--print-to-pdf={folder / f'tagged.{lang}.pdf'}",
        f"file://{source}",
    ]
    subprocess.run(["chromium", *options], stderr=subprocess.DEVNULL, check=False)


def _weasyprint(folder: Path, lang: str, blocks: list[Paragraph], program: str) -> None:
    hyphens = "text-align: justify; hyphens: auto" if lang != "ar" else ""
    for name, more in (("one", ""), ("two", "columns: 2; column-gap: 8mm")):
        source = folder / f"{name}.{lang}.html"
        source.write_text(as_html(lang, blocks, hyphens, more), encoding="utf-8")
        subprocess.run([program, "-q", source, folder / f"{name}.{lang}.pdf"], check=False)


def make(folder: Path, weasyprint: str | None, first: int | None) -> None:
    """Write all layouts of all languages, of the first paragraphs or all."""
    folder.mkdir(parents=True, exist_ok=True)
    for lang in (*LANGUAGES, "ar"):
        blocks = paragraphs(lang)[:first]
        (folder / f"{lang}.json").write_text(json.dumps(blocks), encoding="utf-8")
        if shutil.which("chromium"):
            _chromium(folder, lang, blocks)
        if shutil.which("pdflatex") and lang in ("en", "de", "fr"):
            _tex(folder, lang, blocks, 1)
            _tex(folder, lang, blocks, 2)
        if weasyprint:
            _weasyprint(folder, lang, blocks, weasyprint)


if __name__ == "__main__":
    given = argparse.ArgumentParser()
    given.add_argument("folder", type=Path)
    given.add_argument("--weasyprint", default=shutil.which("weasyprint"))
    given.add_argument("--first", type=int, help="paragraphs; those of tests/documents/pdf are made with 26")
    options = given.parse_args()
    make(options.folder, options.weasyprint, options.first)
