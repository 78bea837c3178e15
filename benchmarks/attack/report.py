"""Payloads in titles, texts, addresses and languages of pages, harvested; the report and sample.html in Chromium."""

from __future__ import annotations

import contextlib
import html
import io
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

from made_warcs import http, member, record

from attack.tally import Tally
from diglot.cli import main
from diglot.harvesting import harvest
from made_website import website
from report.chromium import HARMLESS, Browser
from report.made_run import HOSTILE

ROUNDS, BLOCK = 320, 40
LIMITS = ""
READY = "document.documentElement.dataset.ready"
MORE = (
    "\u202e<script>window.hit=1</script>\u202c", "\u2066<img src=x onerror=window.hit=1>\u2069", "${window.hit=1}",
    "`${window.hit=1}`", "\u2028window.hit=1\u2029", "</style><style>@import 'http://127.0.0.1:9/'</style>",
    "}*{background:url(http://127.0.0.1:9/c)}", "<!--<script>--><script>window.hit=1</script>", "{{window.hit=1}}",
    '</script><script type="module">window.hit=1</script>', "\ud800</script>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=window.hit=1>",
    "<svg></p><style><a id=\"</style><img src=1 onerror=window.hit=1>\">",
    '"],"x":["</script><script>window.hit=1</script>', "\\\";window.hit=1;//", "\0</script\0>", "=cmd|' /C calc'!A0",
    "<a href=\"java\tscript:window.hit=1\">x</a>", "<a href=' &#1; javascript:window.hit=1'>x</a>", "]]></script>",
    "<link rel=prefetch href=http://127.0.0.1:9/>", "<link rel=dns-prefetch href=//127.0.0.1.example.com>",
    "<img srcset='http://127.0.0.1:9/ 1x'>", "<portal src=http://127.0.0.1:9/>",
    "<script src=http://127.0.0.1:9/></script>",
    "<script type=speculationrules>{\"prefetch\":[{\"urls\":[\"http://127.0.0.1:9/\"]}]}</script>",
)  # fmt: skip
PAYLOADS = (*MORE, *HOSTILE)
ODD_LANGUAGES = ("en", "en", "en-GB", 'en"><script>window.hit=1</script>', "en-x-</script>", "en\u202e")


def payload_site(numbers: range, seed: int) -> bytes:
    """An archive with a page in two languages for each payload, in its title, heading, text and address."""
    chapters = [(path[3:], body) for path, body in website().items() if path.startswith("en/chapter")]
    french = {path[3:]: body for path, body in website().items() if path.startswith("fr/")}
    records = []
    for number in numbers:
        draw = random.Random(f"{seed} {number}")
        payload = PAYLOADS[number % len(PAYLOADS)].encode("utf-8", "replace").decode()
        text = html.escape(payload)
        name, body = chapters[number % len(chapters)]
        for lang, page in (("en", body), ("fr", french[name])):
            shown = page.decode().replace("<h1>", f"<h1>{text} {number} ").replace("<p>", f"<p>{text} {number}. ")
            shown = shown.replace("<title>", f"<title>{text} {number} ").replace(
                f'lang="{lang}"', f'lang="{html.escape(draw.choice(ODD_LANGUAGES).replace("en", lang, 1))}"', 1
            )
            shown = shown.replace(name, f"{number}.html").replace("chapter", f"{number}-")
            query = quote(payload) if draw.random() < 0.5 else _on_one_line(payload)
            records.append(member(record(http(shown.encode()), url=f"http://a.example/{lang}/{number}.html?{query}")))
    return b"".join(records)


def _on_one_line(text: str) -> str:
    return "".join(char for char in text if char > " " and char not in "\x7f\u2028\u2029#")


@contextlib.contextmanager
def opened(seed: int, _corpus: Path | None) -> Iterator[Callable[[range], Tally]]:
    """Give the function that harvests the payloads of rounds and opens what comes of them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        browser = Browser(folder)

        def run(rounds: range) -> Tally:
            tally = Tally(rounds=len(rounds))
            started = time.process_time()
            with tempfile.TemporaryDirectory() as runs:
                _open_all(tally, browser, rounds, seed, Path(runs))
            tally.cpu_s = time.process_time() - started
            return tally

        try:
            yield run
        finally:
            browser.driver.quit()


def _open_all(tally: Tally, browser: Browser, rounds: range, seed: int, folder: Path) -> None:
    (folder / "site.warc.gz").write_bytes(payload_site(rounds, seed))
    run, what = folder / "run", f"{rounds.start} to {rounds.stop - 1}"
    harvest(folder / "site.warc.gz", "en,fr", run, jobs=1)
    with contextlib.redirect_stdout(io.StringIO()):
        main(["sample", str(run), "-n", "500"])
    shown = _open_report(browser, run / "report.html", tally, what)
    shown += _open_sheet(browser, run / "sample.html", tally, what)
    wanted = [PAYLOADS[number % len(PAYLOADS)] for number in rounds]
    tally.counts["payloads seen"] += sum(_core(payload) in shown for payload in wanted)


def _core(payload: str) -> str:
    """What is left of a payload when blanks are folded, as far as characters that texts do not keep."""
    for char in "\ud800\0\u2028\u202e\u202c\u2066\u2069\u00a0\t":
        payload = max(payload.split(char), key=len)
    return " ".join(payload.split())


def _open_report(browser: Browser, path: Path, tally: Tally, what: str) -> str:
    """Open every page pair and every part of the report; all its text."""
    browser.open(path)
    browser.until(READY)
    texts = []
    for pair in range(browser.run("return report.segments.pairs.ends.length")):
        browser.run("report.openPair(arguments[0])", pair)
        texts.append(browser.run("return document.querySelector('dialog').textContent"))
        tally.counts["pairs opened"] += 1
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true })")
    browser.run("document.querySelectorAll('dialog').forEach(d => d.close())")
    texts.append(browser.run("return document.body.textContent"))
    _judge(browser, path, tally, f"{what} report")
    return " ".join(" ".join(texts).split())


def _open_sheet(browser: Browser, path: Path, tally: Tally, what: str) -> str:
    """Go through the sheet by its keys; all that it showed."""
    browser.open(path)
    texts = []
    for _row in range(60):
        texts.append(browser.run("return document.body.textContent"))
        browser.run("document.dispatchEvent(new KeyboardEvent('keydown', { key: 'y' }))")
    _judge(browser, path, tally, f"{what} sample")
    return " ".join(" ".join(texts).split())


def _judge(browser: Browser, path: Path, tally: Tally, what: str) -> None:
    wrong = browser.run(HARMLESS)
    asked = [url for url in browser.requests() if url != path.as_uri() and not url.startswith("blob:")]
    said = browser.complaints()
    tally.counts.update(requests=len(asked), scripts=sum("script ran" in each for each in wrong))
    for each in (*wrong, *asked, *said):
        tally.fail("wrong", f"{what}: {each}"[:500])
