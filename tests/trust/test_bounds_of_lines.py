"""Lines are cut before the patterns that read them: the bounds that the attack on patterns relies on."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from base64 import b64encode
from pathlib import Path
from unittest.mock import patch
from urllib.parse import quote

import pytest

from diglot.alignment.segmenting import MAX_SENTENCE_CHARS, split_blocks, split_sentences
from diglot.corpus.characters import MAX_TAG_CHARS, is_valid_tag
from diglot.crawl.queue.traps import MAX_TEXT_CHARS, text_hashes
from diglot.disk.leak_check import PIECE_BYTES, Texts, address_pattern, file_leaks
from diglot.documents.blocks import ReadDocument
from diglot.documents.convert import MAX_TITLE_CHARS, document_title
from diglot.documents.pdf import pdfium
from diglot.documents.pdf.leaders import MAX_LEADER_CHARS, without_leader
from diglot.documents.pdf.reading import read_pdf
from diglot.errors import UnreadableDocument
from diglot.pages import address
from diglot.pages.address import MAX_ADDRESS_CHARS, normalise_address
from diglot.words import MAX_TEXT_CHARS as MAX_WORDS_CHARS
from diglot.words import terms_of, words_of
from diglot.workbench.shelf import MAX_WISHED_CHARS, Shelf
from diglot.workbench.uploads import MAX_SENT_CHARS, file_name
from documents.pdf.written_pdf import pdf_of
from linearised import linearise


@pytest.mark.parametrize("text", ["word " * 10_000, "x" * 50_000, "ไทย" * 20_000])
@pytest.mark.parametrize("whole", [True, False])
def test_no_sentence_is_longer_than_the_rules_allow(text: str, whole: bool) -> None:
    [sentences] = split_blocks([text], "en", [whole])
    assert max(map(len, sentences)) <= MAX_SENTENCE_CHARS
    assert "".join(sentences).replace(" ", "") == text.replace(" ", "")
    # Words stay whole where there are blanks.
    assert " " not in text or set(" ".join(sentences).split()) == {"word"}


@pytest.mark.parametrize(("length", "count"), [(MAX_SENTENCE_CHARS, 1), (MAX_SENTENCE_CHARS + 1, 2)])
def test_a_sentence_is_cut_from_its_bound_on(length: int, count: int) -> None:
    assert len(split_sentences("x" * length, "en")) == count


def test_an_address_is_read_as_far_as_its_bound() -> None:
    begin = "http://a.example/"
    for rest in ("%75" * 100_000, "\x00" * 300_000, "é" * 300_000):
        assert len(normalise_address(begin + rest)) <= 6 * MAX_ADDRESS_CHARS
    [url] = linearise(f'<a href="/{"x" * MAX_ADDRESS_CHARS}">x</a>', begin).links.urls
    assert url == ""


@pytest.mark.parametrize(
    "text", ["http://" + "é." * 9_000, "http://a.example/" + "éx" * 9_000, "http://a.example/?" + "\u2028é" * 9_000]
)
def test_an_address_is_escaped_in_one_pass(text: str) -> None:
    with patch.object(address, "quote", wraps=quote) as quotes:
        assert normalise_address(text).isascii()
    assert quotes.call_count <= 2


def test_texts_of_a_page_are_compared_by_their_beginnings() -> None:
    first, second = ("a " * (MAX_TEXT_CHARS // 2) + end for end in ("one", "two"))
    long = " ".join(f"word{chr(97 + n % 26)}{n}x" for n in range(10))
    assert text_hashes("http://a/", [f"{long} {first}"]) == text_hashes("http://a/", [f"{long} {second}"])


def test_words_behind_the_bound_do_not_count() -> None:
    text = "a " * (MAX_WORDS_CHARS // 2) + "behind"
    assert "behind" not in words_of(text, "en")
    assert "behind" not in terms_of(text)
    assert "behind" in words_of(text[2:][-100:], "en")


@pytest.mark.parametrize(("tag", "valid"), [("en", True), ("en-" + "-".join(["x"] * MAX_TAG_CHARS), False)])
def test_tags_are_short(tag: str, valid: bool) -> None:
    assert is_valid_tag(tag) is valid


def test_a_stated_title_is_cut() -> None:
    def title(stated: str) -> str:
        return document_title(ReadDocument((), stated, "", 1, tagged=False))

    assert title("x" * MAX_TITLE_CHARS + "yz.doc") == "x" * MAX_TITLE_CHARS
    assert title("x" * (MAX_TITLE_CHARS - 4) + ".doc") == ""


def test_leaders_are_looked_for_at_the_end() -> None:
    for dots, is_found in ((MAX_LEADER_CHARS // 2, True), (2 * MAX_LEADER_CHARS, False)):
        text = f"Hyphens{'.' * dots} 12"
        assert without_leader(text) == ("Hyphens" if is_found else text)
    assert without_leader("x" * 100_000 + " . . . . . . 12") == "x" * 100_000


def test_no_line_of_a_pdf_is_longer_than_a_page_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    body = pdf_of([[(50, 700, 10, "one line")], [(50, 700, 5, "x" * 60)]])
    monkeypatch.setattr(pdfium, "MAX_CHARACTERS_ON_PAGE", 50)
    with pytest.raises(UnreadableDocument, match="page 2 has"):
        read_pdf(body)


def test_names_that_are_sent_are_cut(tmp_path: Path) -> None:
    assert file_name(f"before{'*' * 10}a.warc") == "before-a.warc"
    assert file_name(f"before{'*' * MAX_SENT_CHARS}a.warc") == "a.warc"
    assert Shelf(tmp_path).new_name(f"{'*' * MAX_WISHED_CHARS}behind") == "site"


def test_packed_files_of_strangers_are_searched_in_pieces(tmp_path: Path) -> None:
    bomb = b"\0" * (16 << 20)  # more than memory may hold below
    (tmp_path / "a.gz").write_bytes(gzip.compress(bomb + b"http://a.example/b"))
    (tmp_path / "a.html").write_bytes(b64encode(zlib.compress(bomb + b"http://a.example/b")))
    pattern = address_pattern(["http://a.example/b"])
    for name in ("a.gz", "a.html"):
        tracemalloc.start()
        assert file_leaks(tmp_path / name, pattern, Texts([]))
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 40 * PIECE_BYTES < len(bomb)
