"""The way of a first user, in Chromium: paste, tick, harvest, correct, download. Nothing is typed but the address."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from made_sites import SENTENCES, page_html
from report import chromium
from report.chromium import READY, Browser, saved_file

NUMBERS = range(4)
CORRECTED = "Une phrase <corrigée> à la main."


def pages() -> dict[str, bytes]:
    """Pages of a site in two languages, and a start page that links to all."""
    made = {f"/{lang}/page{n}.html": page_html(lang, n) for lang in SENTENCES for n in NUMBERS}
    links = "".join(f"<a href={path}>{path}</a> " for path in made)
    return {**made, "/": f"<html lang=en><title>Town</title><p>{SENTENCES['en'][0]}</p>{links}</html>".encode()}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = pages().get(self.path)
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served_site() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@contextmanager
def opened_workbench(home: Path, site: str) -> Iterator[str]:
    """The first address of a workbench that may crawl a site on loopback."""
    command = [sys.executable, "-m", "diglot", "ui", str(home), "--no-browser", "--allow-host", site]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[1]
        finally:
            server.terminate()


def click(browser: Browser, selector: str) -> None:
    browser.until("document.querySelector(arguments[0])?.checkVisibility()", selector)
    browser.run("document.querySelector(arguments[0]).click()", selector)


def test_from_an_address_to_a_memory_with_a_correction(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The site is asked once a second, twenty times for a look and again for the harvest.
    monkeypatch.setattr(chromium, "WAIT_S", 600.0)
    browser.save_to(tmp_path)
    with served_site() as site, opened_workbench(tmp_path / "home", site) as address:
        browser.driver.get(address)
        browser.until("document.querySelector('#address')")
        browser.driver.find_element("id", "address").send_keys(site)
        click(browser, "#address-form button")
        click(browser, "#begin")
        browser.until(READY)
        click(browser, "#segments .verdict.edit")
        browser.run("document.querySelectorAll('.editor textarea')[1].value = arguments[0]", CORRECTED)
        click(browser, ".editor .keep")
        browser.until("document.getElementById('saving').textContent === 'Saved.'")
        click(browser, "[data-kind=tmx]")
        memory = saved_file(tmp_path / "127.0.0.1.en-fr.tmx").read_text(encoding="utf-8")
        assert "Une phrase &lt;corrigée&gt; à la main." in memory
        assert browser.complaints() == []
        browser.driver.get("about:blank")
