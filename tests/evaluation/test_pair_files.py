"""Gold and proposed pairs from files, and files that are none."""

import gzip
import math
import re
from pathlib import Path

import pytest

from diglot.errors import SourceError
from diglot.evaluation.gold import GoldPair, ProposedPair, read_gold, read_pairs, tab_fields

GOLD = "en\tfr\thttp://a/1\thttp://a/2\nen\tde\thttp://a/1\thttp://a/3\tnote\n\n"


def test_gold_plain_and_packed(tmp_path: Path) -> None:
    expected = [GoldPair("en", "fr", "http://a/1", "http://a/2"), GoldPair("en", "de", "http://a/1", "http://a/3")]
    (tmp_path / "gold.tsv").write_text(GOLD)
    (tmp_path / "gold.tsv.gz").write_bytes(gzip.compress(GOLD.encode(), mtime=0))
    (tmp_path / "headed.tsv").write_text(f"\ufefflang1\tlang2\turl1\turl2\r\n{GOLD}", encoding="utf-8", newline="")
    for name in ("gold.tsv", "gold.tsv.gz", "headed.tsv"):
        assert read_gold(tmp_path / name) == expected


@pytest.mark.parametrize(
    "content",
    [
        'lang1\tlang2\turl1\turl2\n"en"\t"fr"\t"http://a/1"\t"http://a/2"\n',
        " en \tfr\t http://a/1\thttp://a/2 \n",
        "en\tfr\thttp://a/1\thttp://a/2\r",
    ],
    ids=["quotes", "blanks", "carriage return"],
)
def test_gold_that_a_spreadsheet_or_a_person_wrote(tmp_path: Path, content: str) -> None:
    path = tmp_path / "gold.tsv"
    # Both lines twice: with carriage returns alone, all the file is one line to a program that knows only line feeds.
    path.write_text(content * 2 if "url1" not in content else content, newline="")
    pairs = read_gold(path)
    assert set(pairs) == {GoldPair("en", "fr", "http://a/1", "http://a/2")}
    assert len(pairs) == (1 if "url1" in content else 2)


@pytest.mark.parametrize("lang", ["ja-basic", "zh_CN", "sr-Latn", "und", "mul", "be-tarask"])
def test_gold_may_have_variants_of_languages_of_its_own(tmp_path: Path, lang: str) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(f"en\t{lang}\thttp://a/1\thttp://a/2\n")
    assert read_gold(path) == [GoldPair("en", lang, "http://a/1", "http://a/2")]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"Good morning\r\tBonjour\r\n", [(1, ["Good morning", "Bonjour"])]),
        (b"Good morning\r\tBonjour\r\nYes\r\tOui\r", [(1, ["Good morning", "Bonjour"]), (2, ["Yes", "Oui"])]),
        (b"Good morning\tBonjour\rYes\tOui\r", [(1, ["Good morning", "Bonjour"]), (2, ["Yes", "Oui"])]),
    ],
    ids=["paste", "paste, last line", "carriage returns alone"],
)
def test_a_carriage_return_ends_a_line_only_in_a_file_without_line_feeds(
    content: bytes, rows: list[tuple[int, list[str]]], tmp_path: Path
) -> None:
    (tmp_path / "gold.tsv").write_bytes(content)
    assert list(tab_fields(tmp_path / "gold.tsv")) == rows


def test_a_very_long_field_is_refused_at_once_and_cut_in_the_message(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text(f"en\t{'Very long ' * 100_000}\thttp://a/1\thttp://a/2\n")
    with pytest.raises(SourceError, match="is not a language code; use BCP 47 tags") as error:
        read_gold(tmp_path / "gold.tsv")
    assert len(str(error.value)) < len(str(tmp_path)) + 200


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("English\tfr", "'English' is not a language code; English is en"),
        ("en\tFrench", "'French' is not a language code; French is fr"),
        ("jp\ten", "'jp' is not a language code; it is that of Japan; Japanese is ja"),
        ('"\tfr', "'\"' is not a language code"),
    ],
)
def test_a_field_that_is_no_language_code_is_named_with_its_line(tmp_path: Path, row: str, told: str) -> None:
    path = tmp_path / "gold.tsv"
    path.write_text(f"en\tzh_CN\thttp://a/1\thttp://a/2\n{row}\thttp://a/1\thttp://a/2\n")
    with pytest.raises(SourceError, match=rf"gold\.tsv line 2: {re.escape(told)}"):
        read_gold(path)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"en\tfr\thttp://a/1\thttp://a/2\nen\tfr\thttp://a/1\n", "line 2"),
        (b"en\tfr\thttp://a/1\t\n", "line 1"),
        (b"\n\nen fr http://a/1 http://a/2\n", "line 3"),
        (b"en\tfr\thttp://a/1\thttp://a/2\nen\tfr\thttp://a/\xff\thttp://a/2\n", "line 2: not UTF-8"),
        (b"\xff", "line 1: not UTF-8"),
    ],
)
def test_a_malformed_gold_line_is_named(tmp_path: Path, content: bytes, where: str) -> None:
    path = tmp_path / "gold.tsv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=rf"gold\.tsv {where}"):
        read_gold(path)


@pytest.mark.parametrize(
    "content", [b"not gzip", gzip.compress(GOLD.encode(), mtime=0)[:-9], b"\x1f\x8b\x08\x00" + bytes(20)]
)
def test_damaged_gzip_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "gold.tsv.gz"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"gold\.tsv\.gz"):
        read_gold(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    for read in (read_gold, read_pairs):
        with pytest.raises(SourceError, match=r"none\.tsv"):
            read(tmp_path / "none.tsv")
    with pytest.raises(SourceError, match="cannot read"):
        read_gold(tmp_path)


def test_pairs_with_and_without_header_or_probability(tmp_path: Path) -> None:
    path = tmp_path / "pred.tsv"
    rows = "http://a/1\thttp://a/2\t0.9000\tem\nhttp://a/3\thttp://a/4\t0.5\n"
    expected = [ProposedPair("http://a/1", "http://a/2", 0.9), ProposedPair("http://a/3", "http://a/4", 0.5)]
    for header in ("", "src_url\ttgt_url\tprobability\tmethod\n"):
        path.write_text(header + rows)
        assert read_pairs(path) == expected
    path.write_text("http://a/1\thttp://a/2\n")
    (only,) = read_pairs(path)
    assert math.isnan(only.probability)


@pytest.mark.parametrize(
    ("content", "where"),
    [
        ("http://a/1\n", "line 1"),
        ("http://a/1\thttp://a/2\t.5\nhttp://a/3\thttp://a/4\thigh\n", "line 2: 'high'"),
        ("src_url\ttgt_url\nsrc_url\t\n", "line 2"),
    ],
)
def test_a_malformed_pair_line_is_named(tmp_path: Path, content: str, where: str) -> None:
    path = tmp_path / "pred.tsv"
    path.write_text(content)
    with pytest.raises(SourceError, match=rf"pred\.tsv {where}"):
        read_pairs(path)


@pytest.mark.parametrize(
    ("name", "langs"),
    [
        ("pairs.en-fr.tsv", ("en", "fr")),
        ("pairs.pt-BR-zh-Hant-TW.tsv", ("pt-BR", "zh-Hant-TW")),
        ("pairs.es-419-sr-Latn.tsv", ("es-419", "sr-Latn")),
        ("pairs.en-fr-CA.tsv", ("en", "fr-CA")),
        ("other.en-fr.tsv", ("", "")),
        ("pairs.tsv", ("", "")),
    ],
)
def test_languages_of_a_file_name(tmp_path: Path, name: str, langs: tuple[str, str]) -> None:
    (tmp_path / name).write_text("http://a/1\thttp://a/2\t1\tem\n")
    (pair,) = read_pairs(tmp_path / name)
    assert (pair.src_lang, pair.tgt_lang) == langs


def test_a_run_folder_is_all_of_its_pairs(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no out/pairs"):
        read_pairs(tmp_path)
    (tmp_path / "out").mkdir()
    for lang in ("fr", "de"):
        lines = f"src_url\ttgt_url\tprobability\tmethod\nhttp://a/en\thttp://a/{lang}\t0.75\tem\n"
        (tmp_path / "out" / f"pairs.en-{lang}.tsv").write_text(lines)
    assert read_pairs(tmp_path) == [
        ProposedPair("http://a/en", "http://a/de", 0.75, "en", "de"),
        ProposedPair("http://a/en", "http://a/fr", 0.75, "en", "fr"),
    ]


def test_page_pairs_of_a_run_in_place_of_gold_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "pairs.en-fr.tsv"
    path.write_text("src_url\ttgt_url\tprobability\tmethod\nhttp://a.example/en\thttp://a.example/fr\t0.9\tfused\n")
    with pytest.raises(
        SourceError, match=r"'fused' is no address; these are page pairs of a run, and no gold: two lang"
    ):
        read_gold(path)
    path.write_text("en\tfr\thttp://a.example/en\thttp://a.example/fr\nen\tfr\tx\thttp://a.example/fr\n")
    with pytest.raises(SourceError, match=r"'x' is no address$"):
        read_gold(path)
