"""A memory that is dropped on the page to look at: read by the browser, shown as text, sent nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from diglot.workbench.uploads import MAX_UPLOAD_BYTES, too_large
from report.chromium import Browser
from workbench.test_workbench_accessible import address as address

HEAD = '<?xml version="1.0" encoding="{}"?><!DOCTYPE tmx [{}]><tmx version="1.4"><body>'
UNIT = '<tu><tuv xml:lang="en"><seg>{}</seg></tuv><tuv xml:lang="fr"><seg>{}</seg></tuv></tu>'
READ = """
const [content, done] = [Uint8Array.from(arguments[0]), arguments[1]];
memory.read(new File([content], 'town.tmx')).then(() => done(''), error => done(error.message));
"""
ROWS = (
    "return [...document.querySelectorAll('#memory-list li')].map(li => [...li.children].map(each => each.textContent))"
)


def memory(*units: tuple[str, str], encoding: str = "utf-8", entities: str = "") -> list[int]:
    """Bytes of a memory."""
    text = HEAD.format(encoding, entities) + "".join(UNIT.format(*unit) for unit in units) + "</body></tmx>"
    return list(text.encode(encoding))


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Browser]:
    browser.driver.get(address)
    # Before the script has run, the name is that of the element, and before that of nothing.
    browser.until("typeof memory !== 'undefined' && typeof memory.read === 'function'")
    yield browser
    browser.driver.get("about:blank")  # the page listens to the server, which waits for it at its end


def read(page: Browser, content: list[int]) -> str:
    """What the page says of a file; "" for one that it shows."""
    said: str = page.driver.execute_async_script(READ, content)
    return said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1"])
def test_a_memory_is_shown_and_searched(page: Browser, encoding: str) -> None:
    units = [("The harbour", '<bpt i="1">&lt;b></bpt>Le port<ept i="1">&lt;/b></ept>'), ("A pier", "Une jetée")]
    assert read(page, memory(*units, encoding=encoding)) == ""
    assert page.run(ROWS) == [["The harbour", "Le port"], ["A pier", "Une jetée"]]
    page.run("byId('memory-query').value = 'JETEE'; memory.show()")
    assert page.run(ROWS) == [["A pier", "Une jetée"]]
    page.run("byId('memory-close').click()")
    assert page.run("return [byId('memory').hidden, byId('start').hidden]") == [True, False]


def test_markup_in_a_memory_is_text(page: Browser) -> None:
    assert read(page, memory(("&lt;img src=x onerror=hit()>", "<script>hit()</script>"))) == ""
    assert page.run(ROWS) == [["<img src=x onerror=hit()>", "hit()"]]
    assert page.run("return document.querySelectorAll('#memory img, #memory script').length") == 0


def test_a_file_above_the_limit_is_refused_before_it_is_sent(page: Browser, tmp_path: Path) -> None:
    large = tmp_path / "large.warc"
    with large.open("wb") as file:
        file.truncate(MAX_UPLOAD_BYTES + 1)  # a hole: nothing is on the disk
    page.driver.find_element("id", "files").send_keys(str(large))
    page.until("!document.getElementById('said').hidden")
    assert page.run("return document.getElementById('said').textContent") == too_large(MAX_UPLOAD_BYTES)
    sent = "performance.getEntriesByType('resource').filter(each => each.name.includes('/drop'))"
    assert page.run(f"return {sent}.length") == 0


@pytest.mark.parametrize("content", [[], list(b"no memory"), list(b"<html/>"), list(b"<tmx><body><tu>")])
def test_another_file_is_a_sentence(page: Browser, content: list[int]) -> None:
    assert read(page, content) == "This file is no TMX memory, or it is damaged."


def test_entities_that_grow_are_no_bomb(page: Browser) -> None:
    entities = '<!ENTITY a "aaaaaaaaaa">' + "".join(
        f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert read(page, memory(("&i;", "x"), entities=entities)) != ""
