"""Lexicon files of each format, whole and damaged, made here."""

import gzip
import os
from pathlib import Path

import pytest

from diglot.errors import SourceError
from diglot.lexicons import Lexicon, find_lexicon, read_lexicon, split_gloss

ARTICLES = {
    "00-database-info": "00-database-info\nGerman-English, a, made dictionary\n",
    "Haus": "Haus /haʊs/ <neut, n, sg>\n [constr.] house <n>, building <n>\n         Note: Beton, concrete\n",
    "Versuch": "Versuch /fɛɐ/\n1. attempt, try\n2. experiment (in a laboratory)\n   Synonyms: {Test}, {Probe}\n",
    "leer": "leer\n see: {hohl}, {frei}\n",
}
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def in_base64(number: int) -> str:
    high, low = divmod(number, 64)
    return (in_base64(high) if high else "") + BASE64[low]


def write_dictd(folder: Path, name: str = "freedict-deu-eng", more: str = "", ending: str = ".dict.dz") -> Path:
    text, lines = b"", []
    for headword, article in ARTICLES.items():
        lines.append(f"{headword}\t{in_base64(len(text))}\t{in_base64(len(article.encode()))}\n")
        text += article.encode()
    (folder / f"{name}{ending}").write_bytes(gzip.compress(text) if ending == ".dict.dz" else text)
    index = folder / f"{name}.index"
    index.write_text("".join(lines) + more)
    return index


DICTD_ENTRIES = (
    ("Haus", "house"),
    ("Haus", "building"),
    ("Versuch", "attempt"),
    ("Versuch", "try"),
    ("Versuch", "experiment"),
)


@pytest.mark.parametrize("ending", [".dict", ".dict.dz"])
def test_dictd_by_its_index_or_its_articles(tmp_path: Path, ending: str) -> None:
    index = write_dictd(tmp_path, ending=ending)
    for path in (index, index.with_name(f"freedict-deu-eng{ending}")):
        lexicon = read_lexicon(path, ("fr", "it"))
        assert (lexicon.src_lang, lexicon.tgt_lang, lexicon.skipped) == ("de", "en", 0)
        assert lexicon.entries == DICTD_ENTRIES


def test_headwords_in_a_fourth_field_win(tmp_path: Path) -> None:
    index = write_dictd(tmp_path)
    places = [line.split("\t") for line in index.read_text().splitlines()]
    index.write_text("".join(f"{head.lower()}\t{start}\t{length}\t{head}\n" for head, start, length in places))
    assert read_lexicon(index, ("de", "en")).entries == DICTD_ENTRIES


def test_index_lines_that_lead_nowhere_are_counted(tmp_path: Path) -> None:
    index = write_dictd(tmp_path, more="far\tzzzz\tB\nno numbers\nodd\t!\tB\n")
    lexicon = read_lexicon(index, ("de", "en"))
    assert lexicon.entries == DICTD_ENTRIES
    assert lexicon.skipped == 3


def test_cut_dictionary_names_the_file(tmp_path: Path) -> None:
    index = write_dictd(tmp_path)
    articles = index.with_name("freedict-deu-eng.dict.dz")
    articles.write_bytes(articles.read_bytes()[:-12])
    with pytest.raises(SourceError, match=r"deu-eng\.dict\.dz: the compressed file is damaged"):
        read_lexicon(index, ("de", "en"))


def test_index_alone_asks_for_its_dictionary(tmp_path: Path) -> None:
    index = write_dictd(tmp_path)
    index.with_name("freedict-deu-eng.dict.dz").unlink()
    with pytest.raises(SourceError, match=r"\.dict\.dz beside it"):
        read_lexicon(index, ("de", "en"))


def test_dictd_must_be_named_by_its_languages(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"mine\.index: its name does not say its languages"):
        read_lexicon(write_dictd(tmp_path, name="mine"), ("de", "en"))


CEDICT = """\
# CC-CEDICT
#! charset=UTF-8
漢字 汉字 [han4 zi4] /Chinese character/CL:個|个[ge4]/
將 将 [jiang1] /will (future); shall/
"""


@pytest.mark.parametrize("gzipped", [False, True])
def test_cedict_gives_both_spellings(tmp_path: Path, gzipped: bool) -> None:
    path = tmp_path / "anything.u8"
    path.write_bytes(gzip.compress(CEDICT.encode()) if gzipped else CEDICT.encode())
    lexicon = read_lexicon(path, ("fr", "it"))
    assert (lexicon.src_lang, lexicon.tgt_lang, lexicon.skipped) == ("zh", "en", 0)
    assert ("汉字", "Chinese character") in lexicon.entries
    assert ("漢字", "Chinese character") in lexicon.entries
    assert [tgt for src, tgt in lexicon.entries if src == "将"] == ["will", "shall"]


def test_cedict_lines_that_are_no_entries_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "cedict.txt"
    path.write_text(CEDICT + "\n漢 汉 /no pinyin/\n")
    assert read_lexicon(path, ("zh", "en")).skipped == 1


def test_tab_separated_with_and_without_a_header(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("Haus\thouse\tnoun\nno tab\nBaum\ttree\n\nleer\t\n")
    lexicon = read_lexicon(path, ("de", "en"))
    assert (lexicon.src_lang, lexicon.tgt_lang, lexicon.skipped) == ("de", "en", 2)
    assert lexicon.entries == (("Haus", "house"), ("Baum", "tree"))
    path.write_text("\ufeffeng\tpt_BR\nhouse\tcasa\n")
    lexicon = read_lexicon(path, ("de", "en"))
    assert (lexicon.src_lang, lexicon.tgt_lang) == ("en", "pt-BR")
    assert lexicon.entries == (("house", "casa"),)


@pytest.mark.parametrize(
    "content",
    [b"", b"just\nsome\nlines\n", "house\tcasa\n".encode("utf-16"), b"\x89PNG\r\n\x1a\n\x00\x00", b"<html></html>\n"],
    ids=["empty", "prose", "utf-16", "image", "html"],
)
def test_other_files_are_refused_with_what_to_give(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "wrong.txt"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"wrong\.txt: .*FreeDict.*CC-CEDICT"):
        read_lexicon(path, ("de", "en"))


@pytest.mark.parametrize(
    ("name", "content"),
    [("list.tsv", "house\tmaison\nsafety\tsécurité\n"), ("eng-fra.index", "Haus\tA\tH\nsécurité\tH\tH\n")],
)
def test_a_lexicon_in_another_encoding_is_refused_with_its_line(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(SourceError, match=rf"{name}: line 2 is not UTF-8; save the lexicon as UTF-8"):
        read_lexicon(path, ("en", "fr"))


def test_articles_in_another_encoding_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "eng-fra.index").write_text("safety\tA\tR\n")
    (tmp_path / "eng-fra.dict").write_bytes("safety\n  sécurité\n".encode("latin-1"))
    with pytest.raises(SourceError, match=r"eng-fra\.dict: line 2 is not UTF-8"):
        read_lexicon(tmp_path / "eng-fra.index", ("en", "fr"))


def test_gzip_magic_alone_is_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(CEDICT.encode())[:20])
    with pytest.raises(SourceError, match=r"cut\.gz: the compressed file is damaged"):
        read_lexicon(path, ("de", "en"))


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"nowhere\.tsv: No such file"):
        find_lexicon(str(tmp_path / "nowhere.tsv"), "de", "en")
    with pytest.raises(SourceError, match="Is a directory"):
        find_lexicon(str(tmp_path), "de", "en")


def test_find_turns_joins_and_passes_over(tmp_path: Path) -> None:
    index = write_dictd(tmp_path)
    more = tmp_path / "more.tsv"
    more.write_text("en\tde\ntree\tBaum\nhouse\tHaus\n")
    paths = f"{index}, {more}"
    lexicon = find_lexicon(paths, "en", "de-CH")
    assert lexicon is not None
    assert (lexicon.src_lang, lexicon.tgt_lang) == ("en", "de-CH")
    assert lexicon.entries == (*((tgt, src) for src, tgt in DICTD_ENTRIES), ("tree", "Baum"))
    assert find_lexicon(paths, "en", "fr") is None
    assert find_lexicon("", "en", "de") is None


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "list.tsv"
    path.write_text("en\tde\ntree\tBaum\n")
    first = find_lexicon(str(path), "en", "de")
    assert find_lexicon(str(path), "en", "de") is first
    path.write_text("en\tde\nhouse\tHaus\n")
    os.utime(path, ns=(1, 1))
    changed = find_lexicon(str(path), "en", "de")
    assert changed is not None
    assert changed.entries == (("house", "Haus"),)


def test_a_lexicon_is_not_read_as_another_pair() -> None:
    with pytest.raises(ValueError, match="de-en, not en-fr"):
        Lexicon("made", "de", "en", (("Haus", "house"),)).orient("en", "fr")


def test_glosses_lose_numbers_remarks_and_references() -> None:
    assert list(split_gloss("12. to hold (a party) <v>; [fig.] keep, see: {x}, ")) == ["to hold", "keep"]
    assert list(split_gloss("   ")) == []
