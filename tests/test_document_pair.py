"""Two documents aligned: a memory, a page to read, and what is refused."""

from __future__ import annotations

import re
import sys
from contextlib import nullcontext
from itertools import permutations
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "documents"))

from made_office import made_docx, made_epub, made_odt, zipped

from diglot.alignment.lexical.support import MAX_UNSUPPORTED
from diglot.corpus.formats.check import check_tmx
from diglot.corpus.formats.tmx import read_tmx
from diglot.errors import SourceError, UsageError
from diglot.texts import TextOptions, align_files
from diglot.texts.document_pair import document_languages, media_of_file
from diglot.texts.named_languages import other_language, require_order, sure_language
from made_sites import SENTENCES
from sentences import CROATIAN, NORWEGIAN
from sentences import SENTENCES as ONE_SENTENCE

MAKERS = {".docx": made_docx, ".odt": made_odt, ".epub": made_epub}


def write(path: Path, lang: str) -> Path:
    sentences = SENTENCES[lang]
    blocks = [("h1", sentences[0]), *(("p", " ".join(sentences[n : n + 3])) for n in (1, 4, 7))]
    if path.suffix in MAKERS:
        path.write_bytes(MAKERS[path.suffix](blocks, lang))
    elif path.suffix == ".html":
        menu = "<nav><a href='/'>menu</a></nav>"
        body = "".join(f"<{kind}>{text}</{kind}>" for kind, text in blocks)
        path.write_text(f"<html lang={lang}><title>t</title>{menu}{body}</html>", encoding="utf-8")
    else:
        path.write_text("\n\n".join(text for _, text in blocks), encoding="utf-8")
    return path


@pytest.mark.parametrize(("src", "tgt"), [("a.docx", "b.odt"), ("a.epub", "b.html"), ("a.txt", "b.docx")])
def test_any_two_files_make_a_memory_and_a_page(tmp_path: Path, src: str, tgt: str) -> None:
    files = write(tmp_path / src, "en"), write(tmp_path / tgt, "fr")
    written = align_files(*files, TextOptions(langs="en,fr"), out=tmp_path / "memory")
    assert written
    memory, page = written.paths
    assert [memory.name, page.name] == ["en-fr.tmx", "en-fr.html"]
    assert check_tmx(memory).ok
    units = list(read_tmx(memory))
    expected = list(zip(SENTENCES["en"], SENTENCES["fr"], strict=True))
    assert [tuple(side.text for side in unit.variants) for unit in units] == expected
    assert (written.kept, written.found) == (len(units), len(units))
    assert units[0].props["x-src-url"] == src
    shown = page.read_text(encoding="utf-8")
    assert f"{len(units)} of {len(units)} segments are in the memory" in shown
    assert "menu" not in shown


def test_a_memory_of_other_files_is_not_replaced(tmp_path: Path) -> None:
    files = write(tmp_path / "a.docx", "en"), write(tmp_path / "b & c.odt", "fr")
    options, memory = TextOptions(langs="en,fr"), tmp_path / "memory"
    for _ in range(2):
        assert align_files(*files, options, out=memory)
    before = (memory / "en-fr.tmx").read_bytes()
    with pytest.raises(UsageError, match=r"memory: holds a memory of a\.docx / b & c\.odt; choose another folder"):
        align_files(files[0], write(tmp_path / "d.odt", "fr"), options, out=memory)
    (tmp_path / "other").mkdir()
    others = write(tmp_path / "other" / "a.docx", "en"), write(tmp_path / "other" / "b & c.odt", "en")
    with pytest.raises(
        UsageError, match=r"a memory of a\.docx / b & c\.odt with another content; choose another folder"
    ):
        align_files(*others, options, out=memory)
    assert (memory / "en-fr.tmx").read_bytes() == before
    (memory / "en-fr.html").unlink()
    with pytest.raises(UsageError, match=r"en-fr\.tmx: is there and no memory of these files; choose another folder"):
        align_files(*files, options, out=memory)


@pytest.mark.parametrize(
    ("name", "is_refused"),
    [
        *[(name, True) for name in ("x.docx", "x.PDF", "x.xlsx", "x.html", "x.xliff", "x.warc", "x.zip", "x.csv")],
        *[(name, False) for name in ("v1.2", "x", "x.memory", ".docx")],
    ],
)
def test_the_folder_of_a_memory_has_no_name_of_a_file(tmp_path: Path, name: str, is_refused: bool) -> None:
    files = write(tmp_path / "a.html", "en"), write(tmp_path / "b.html", "fr")
    out = tmp_path / "out" / name
    if not is_refused:
        assert align_files(*files, TextOptions(langs="en,fr"), out=out)
        return
    message = re.escape(
        f"{out}: -o names the folder of a memory, and this is the name of a file; "
        f"name a folder, as in {tmp_path / 'out' / 'x'}"
    )
    for to in ("", "memory"):
        with pytest.raises(UsageError, match=f"^{message}$"):
            align_files(*files, TextOptions(langs="en,fr", to=to), out=out)
    assert not out.exists()
    out.mkdir(parents=True)
    assert align_files(*files, TextOptions(langs="en,fr"), out=out)


def test_one_file_or_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = write(tmp_path / "a.docx", "en"), write(tmp_path / "b.docx", "fr")
    assert align_files(*files, TextOptions(langs="en,fr", to="tsv")) is None
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head == "src\ttgt\tscore\tbead"
    assert first.split("\t")[:2] == [SENTENCES["en"][0], SENTENCES["fr"][0]]
    align_files(*files, TextOptions(langs="en,fr"), out=tmp_path / "x.tmx")
    assert check_tmx(tmp_path / "x.tmx").units == len(SENTENCES["en"])


def test_documents_of_another_order_are_told(tmp_path: Path) -> None:
    notes: list[str] = []
    for order in (slice(None), slice(None, None, -1)):
        src, tgt = (
            [("p", text) for each in SENTENCES[lang] for text in (each, f"{each[:-1]} {len(each)}.")]
            for lang in ("en", "fr")
        )
        (tmp_path / "a.docx").write_bytes(made_docx(src, "en"))
        (tmp_path / "b.docx").write_bytes(made_docx(tgt[order], "fr"))
        files = tmp_path / "a.docx", tmp_path / "b.docx"
        align_files(*files, TextOptions(langs="en,fr"), out=tmp_path / "x.tsv", tell=notes.append)
    assert ["no likely translation" in note for note in notes] == [True]


def test_plain_texts_make_a_memory_where_asked(tmp_path: Path) -> None:
    files = write(tmp_path / "a.txt", "en"), write(tmp_path / "b.txt", "fr")
    written = align_files(*files, TextOptions(langs="en,fr", to="memory"), out=tmp_path / "memory")
    assert written
    memory, _ = written.paths
    assert check_tmx(memory).units == len(SENTENCES["en"])


def swapped(found: tuple[str, str], langs: tuple[str, str]) -> str:
    """What is said of two files with these languages found."""
    try:
        require_order((Path("a"), Path("b")), found, langs)
    except UsageError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("src", ["a.txt", "a.docx"])
def test_a_plain_text_in_the_wrong_order_is_refused(tmp_path: Path, src: str) -> None:
    french, english = write(tmp_path / src, "fr"), write(tmp_path / "b.txt", "en")
    message = f"{re.escape(src)} is in fr and b.txt in en; name them in the order of -l"
    for langs in ("en,fr", "en-GB,fr"):
        with pytest.raises(UsageError, match=message):
            align_files(french, english, TextOptions(langs=langs, to="memory"), out=tmp_path / "memory")
    assert not (tmp_path / "memory").exists()
    align_files(french, english, TextOptions(langs="fr,en", to="memory"), out=tmp_path / "memory")


@pytest.mark.parametrize(
    ("found", "langs", "is_refused"),
    [
        (("fr", "en"), ("en", "fr"), True),
        (("fr", "en"), ("en-GB", "fr"), True),
        (("zh-Hant", "zh-Hans"), ("zh-Hans", "zh-Hant"), True),
        (("en", "fr"), ("en", "fr"), False),
        (("fr", ""), ("en", "fr"), False),
        (("", "en"), ("en", "fr"), False),
        (("fr", "fr"), ("en", "fr"), False),
        (("fr", "de"), ("en", "fr"), False),
        (("en", "en"), ("en-GB", "en-US"), False),
        (("", ""), ("en", "fr"), False),
    ],
)
def test_texts_are_refused_only_where_each_is_in_the_language_of_the_other(
    found: tuple[str, str], langs: tuple[str, str], is_refused: bool
) -> None:
    assert ("name them in the order of -l" in swapped(found, langs)) is is_refused


def test_no_two_sentences_in_the_right_order_are_refused() -> None:
    for (src, first), (tgt, second) in permutations(ONE_SENTENCE.items(), 2):
        langs = src, tgt
        assert swapped((sure_language([first], langs), sure_language([second], langs)), langs) == ""


@pytest.mark.parametrize(
    ("lines", "langs", "found"),
    [
        (SENTENCES["fr"], ("en", "fr"), "fr"),
        (SENTENCES["fr"], ("en", "sc"), "fr"),  # Sardinian is unknown to the identifier
        (["Accueil", "Oui, merci bien"], ("en", "fr"), ""),
        (["General information on site"], ("en", "fr"), ""),
        ([CROATIAN] * 5, ("hr", "bs"), ""),
        ([CROATIAN] * 5, ("hr", "sr"), ""),
        ([NORWEGIAN] * 5, ("nb", "da"), ""),
        ([NORWEGIAN] * 5, ("nn", "nb"), ""),
        ([*SENTENCES["en"], *list(SENTENCES["fr"]) * 9], ("en", "fr"), "fr"),  # not by its first lines alone
        ([], ("en", "fr"), ""),
    ],
)
def test_a_language_is_sure_where_text_is_enough_and_no_close_language_is_named(
    lines: list[str], langs: tuple[str, str], found: str
) -> None:
    assert sure_language(lines, langs) == found


LETTERS = {
    "ca": "La biblioteca obre cada dia de les nou del matí a les vuit del vespre, i els diumenges només al matí.",
    "de": "Die Bibliothek ist jeden Tag von neun Uhr bis zwanzig Uhr geöffnet, am Sonntag nur am Vormittag.",
    "en": "The library is open every day from nine in the morning to eight in the evening, on Sunday mornings only.",
    "gl": "A biblioteca abre todos os días das nove da mañá ás oito da tarde, e os domingos só pola mañá.",
    "hr": CROATIAN,
    "nb": NORWEGIAN,
}


@pytest.mark.parametrize(
    ("src", "tgt", "langs", "said"),
    [
        ("de", "en", "fr,en", "a.txt is in German (de), and -l names French (fr); give -l de,en"),
        ("de", "en", "de,es", "b.txt is in English (en), and -l names Spanish (es); give -l de,en"),
        ("de", "en", "fr,es-MX", "a.txt is in German (de), and -l names French (fr); give -l de,en"),
        ("de", "gl", "en,es", "a.txt is in German (de), and -l names English (en); give -l de,es"),
        ("de", "de", "de-AT,fr-CA", "and -l names French (Canada) (fr-CA); name a text in French (Canada) (fr-CA)"),
        ("en", "nb", "en,da", ""),  # Danish, Bokmål and Nynorsk
        ("en", "nb", "en,nn", ""),
        ("en", "hr", "en,sr", ""),
        ("en", "hr", "en,bs", ""),
        ("en", "gl", "en,es", ""),  # readers of Galician and Catalan read Spanish
        ("en", "ca", "en,es", ""),
        ("en", "de", "en,sc", ""),  # Sardinian is unknown to the identifier
    ],
)
@pytest.mark.parametrize("ending", ["txt", "html"])
def test_a_text_surely_in_another_language_than_is_named_for_it_is_refused(
    tmp_path: Path, src: str, tgt: str, langs: str, said: str, ending: str
) -> None:
    paths = []
    for name, lang in (("a", src), ("b", tgt)):
        lines = [f"{LETTERS[lang]} {name} {number}." for number in range(8)]
        paths.append(tmp_path / f"{name}.{ending}")
        text = "\n".join(lines) if ending == "txt" else "<html><p>" + "<p>".join(lines)
        paths[-1].write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=re.escape(said.replace(".txt", f".{ending}"))) if said else nullcontext():
        align_files(paths[0], paths[1], TextOptions(langs=langs), out=tmp_path / "x.tmx")
    assert (tmp_path / "x.tmx").exists() == (not said)


@pytest.mark.parametrize(
    ("lines", "named", "found"),
    [
        ([LETTERS["de"][:75]] * 8, "fr", "de"),  # 600 characters and the line ends are a sample
        ([LETTERS["de"][:75]] * 7, "fr", ""),
        ([LETTERS["de"]] * 40, "fr", "de"),
        ([*[LETTERS["de"]] * 35, *[LETTERS["en"]] * 5], "en", ""),  # an eighth is in English
        (["1234567890 " * 8] * 20, "fr", ""),
    ],
)
def test_a_text_is_in_another_language_where_enough_of_it_is_and_none_in_the_named_one(
    lines: list[str], named: str, found: str
) -> None:
    assert other_language(lines, named) == found


def test_a_plain_text_named_twice_is_refused(tmp_path: Path) -> None:
    english = write(tmp_path / "a.txt", "en")
    (tmp_path / "copy.txt").write_bytes(english.read_bytes())
    for to in ("tsv", "tmx", "beads", "memory"):
        with pytest.raises(UsageError, match=r"a\.txt: named twice; name a text and its translation"):
            align_files(english, english, TextOptions(langs="de,en", to=to), out=tmp_path / "x")
        with pytest.raises(UsageError, match=r"a\.txt and copy\.txt hold the same text; name a document and its"):
            align_files(english, tmp_path / "copy.txt", TextOptions(langs="sc,en", to=to), out=tmp_path / "x")


def test_a_line_may_be_its_own_translation(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("Diglot", encoding="utf-8")
    align_files(tmp_path / "a.txt", tmp_path / "b.txt", TextOptions(langs="de,en"), out=tmp_path / "x.tmx")


def test_a_text_in_utf16_is_read(tmp_path: Path) -> None:
    english, french = write(tmp_path / "a.docx", "en"), write(tmp_path / "b.txt", "fr")
    french.write_text(french.read_text(encoding="utf-8"), encoding="utf-16")
    align_files(english, french, TextOptions(langs="en,fr", to="tmx"), out=tmp_path / "x.tmx")
    assert check_tmx(tmp_path / "x.tmx").units == len(SENTENCES["en"])


def test_what_cannot_be_aligned_says_why(tmp_path: Path) -> None:
    english, french = write(tmp_path / "a.docx", "en"), write(tmp_path / "b.docx", "fr")
    cut = tmp_path / "cut.docx"
    cut.write_bytes(french.read_bytes()[:-60])
    photo, latin, damaged = tmp_path / "photo.jpg", tmp_path / "latin.txt", tmp_path / "damaged.docx"
    locked, no_start = tmp_path / "locked.docx", tmp_path / "start.docx"
    locked.write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    no_start.write_bytes(zipped({"word/document.xml": "<x/>"}))
    plain, zeros = write(tmp_path / "a.txt", "en"), tmp_path / "zeros.pdf"
    zeros.write_bytes(bytes(20_000))
    damaged.write_bytes(b"PK\x03\x04junk")
    photo.write_bytes(b"\xff\xd8\xff\xe0\x00\x10JFIF")
    latin.write_bytes("café".encode("latin-1"))
    for tgt, options, message in (
        (photo, TextOptions(langs="en,fr", to="tsv"), "photo.jpg: a picture, a packed file or another that is no text"),
        (zeros, TextOptions(langs="en,fr", to="tsv"), "zeros.pdf: is no PDF; save it again"),
        (latin, TextOptions(langs="en,fr", to="tsv"), r"not UTF-8 at byte 3; save it in UTF-8$"),
        (french, TextOptions(langs="en,fr"), "name a folder for them"),
        (french, TextOptions(langs="en,fr", to="beads"), "--to beads counts lines"),
        (french, TextOptions(langs="en,fr", to="tsv", aligner="gale_church"), "aligned by lexical"),
        (french, TextOptions(langs="fr,en", to="tsv"), "name them in the order of -l"),
        (cut, TextOptions(langs="en,fr", to="tsv"), r"cut short: .*; fetch or copy it again$"),
        (locked, TextOptions(langs="en,fr", to="tsv"), r"opens with a password only \(DOCX\); save it without a pass"),
        (no_start, TextOptions(langs="en,fr", to="tsv"), r"the document is damaged \(DOCX: .*; open it and save it"),
        (tmp_path / "none.docx", TextOptions(langs="en,fr", to="tsv"), "cannot be read"),
    ):
        with pytest.raises((SourceError, UsageError), match=message):
            align_files(english, tgt, options)
    for src in (english, plain):
        with pytest.raises(SourceError, match=r"damaged\.docx: a packed file or a damaged document; save it again"):
            align_files(src, damaged, TextOptions(langs="en,fr", to="tsv"))


@pytest.mark.parametrize(
    ("name", "body", "message"),
    [
        ("a.rtf", b"{\\rtf1\\ansi Hello.}", "a.rtf: an RTF file, which Diglot does not read; save it as DOCX"),
        ("a.txt", b"{\\rtf1\\ansi Hello.}", "a.txt: an RTF file"),
        ("a.pptx", zipped({"ppt/presentation.xml": "<p/>"}), "a.pptx: a PowerPoint file"),
        ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "Word file of 1997"),
    ],
)
def test_a_kind_of_office_file_that_is_not_read_is_named(tmp_path: Path, name: str, body: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(body)
    with pytest.raises(SourceError, match=message):
        align_files(write(tmp_path / "b.docx", "en"), tmp_path / name, TextOptions(langs="en,fr", to="tsv"))


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            '<?xml version="1.0"?><!DOCTYPE tmx SYSTEM "tmx14.dtd"><tmx version="1.4"><body>',
            "a translation memory, no text",
        ),
        ("\ufeff<!-- made -->\n<TMX>\n", "a translation memory, no text"),
        ('<xliff version="1.2"><file><body>', "an XLIFF file, no text; name the text that it was made of"),
        ('<?xml version="1.0"?>\n<martif type="TBX">', "a termbase, no text"),
        ('<tbx type="TBX-Basic">', "a termbase, no text"),
        ('<?xml version="1.0" encoding="utf-16"?>\r\n<tmx version="1.4"><body>', "a translation memory, no text"),
        ("1\n00:00:01,000 --> 00:00:02,500\nHello.\n", "subtitles, which Diglot does not read; save their text alone"),
        ("\ufeff\r\n1 \r\n00:01.5 --> 00:02.5\r\nHello.", "subtitles, which"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n", "subtitles, which"),
        ("<tmxes> are memories\n", ""),
        ("A <tmx> file begins so: <tmx>\n", ""),
        ("WEBVTTS begin so\n", ""),
        ("1\n10:30 to 11:00 --> the opening\n", ""),
        ("1\nOne line --> another\n", ""),
    ],
)
def test_memories_termbases_and_subtitles_are_no_texts(tmp_path: Path, body: str, said: str) -> None:
    """A memory has a <body> and would be read as HTML; numbers and times of subtitles as sentences."""
    path = tmp_path / "a.txt"
    path.write_bytes(body.encode("utf-16" if "utf-16" in body else "utf-8"))
    with pytest.raises(SourceError, match=re.escape(f"{path}: {said}")) if said else nullcontext():
        assert media_of_file(path) == ""


@pytest.mark.parametrize("end", ["docx", "odt", "epub", "pdf", "rtf", "doc", "DOCX"])
def test_a_plain_text_with_the_name_of_a_document_is_no_text(tmp_path: Path, end: str) -> None:
    """Most often a file that was fetched or saved wrong, and not the text of its name."""
    path = tmp_path / f"a.{end}"
    path.write_text("A plain text.\n")
    with pytest.raises(SourceError, match=rf"a\.{end}: is no {end.upper()}; save it again, or give a plain text"):
        media_of_file(path)
    path.write_text("<!DOCTYPE html><html><body><p>Word saves pages under such names.</p></body></html>")
    assert media_of_file(path) == "html"


def test_the_same_text_twice_is_no_translation(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.docx", "en"), write(tmp_path / "b.odt", "en")
    for tgt, message in (
        (first, "a.docx: en and fr cannot be told apart in it; put each language into paragraphs of its own"),
        (second, "a.docx and b.odt hold the same text; name a document and its translation"),
    ):
        with pytest.raises(UsageError, match=message):
            align_files(first, tgt, TextOptions(langs="en,fr", to="tsv"))


def test_the_language_of_a_plain_text_is_found(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.txt", "en"), write(tmp_path / "b.txt", "fr"), tmp_path / "c.txt"]
    files[2].write_text("12", encoding="utf-8")
    assert document_languages(files) == ["en", "fr", "und"]


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.docx", b"", "holds no text"),
        ("a.docx", made_docx([("p", " ")], "en"), "no visible text"),
        ("a.txt", b" \n", "holds no text"),
        # A title and a menu are no text of a page.
        ("a.html", b"<title>Report of the year</title><nav><a href=/>menu</a></nav>", "no visible text"),
    ],
)
def test_a_document_without_text_has_no_language(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=f"{name}: {told}"):
        document_languages([write(tmp_path / "b.docx", "en"), tmp_path / name])


def test_a_segment_without_a_known_word_is_scored_as_on_a_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = []
    for lang, odd in (("en", "Zeppelins"), ("fr", "Marguerite")):
        blocks = [("p", text) for text in (*SENTENCES[lang][:5], odd, *SENTENCES[lang][5:])]
        paths.append(tmp_path / f"{lang}.docx")
        paths[-1].write_bytes(made_docx(blocks, lang))
    align_files(*paths, TextOptions(langs="en,fr", to="tsv"))
    rows = [line.split("\t") for line in capsys.readouterr().out.splitlines()[1:]]
    scores = {src: float(score) for src, _, score, _ in rows}
    assert 0 < scores.pop("Zeppelins", 0.5) <= MAX_UNSUPPORTED
    assert len(scores) >= len(SENTENCES["en"]) - 1
