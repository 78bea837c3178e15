"""Evidence from outside the pages in a run: what it changes, what it makes anew, and mistakes found before any work."""

from __future__ import annotations

import random
import shutil
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from diglot.alignment.evidence import sources as evidence_kinds
from diglot.alignment.evidence.sources import SourcesByPair, evidence_inputs, sources_by_pair
from diglot.alignment.site_model import ModelKey, StoredModel, align_sentences, learn_table
from diglot.disk.folder import RunFolder
from diglot.disk.stage_files import read_stage_file, write_stage_file
from diglot.errors import DiglotError, LanguageError, RecipeError, SourceError, UsageError
from diglot.harvesting import align_run, harvest
from diglot.results.run import Run, open_run
from diglot.run.align import sample_row, unmatched_notes, without_folders
from diglot.run.settings import make_settings
from diglot.run.work import DOCUMENTS, PAIRS, SEGMENTS
from made_sites import SENTENCES
from made_website import HOST, as_folder

ENTRIES = (
    """harbour port, boats bateaux, museum musée, river rivière, tickets billets, winter hiver, forest forêt,
council conseil, market marché, visitors visiteurs, library bibliothèque, church église, bread pain, dogs chiens,
children enfants, beach plage, morning matin, station gare""".replace(" ", "\t")
    .replace("\n", "\t")
    .split(",\t")
)
EN_FR = [("en", "fr")]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evidence")
    settings = {"recipe": "url_baseline", "options": {"aligner": "lexical"}}
    harvest(as_folder(folder / "site"), "en,fr", folder / "run", jobs=1, base_url=HOST, **settings)
    return folder / "run"


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "run"))


def words(path: Path, *entries: str) -> str:
    path.write_text("".join(f"{entry}\n" for entry in entries), encoding="utf-8")
    return f"dictionary:{path}"


def keys(run: Path) -> dict[str, str]:
    with RunFolder(run, create=False) as folder:
        return {stage: folder.recall("run", stage) for stage in (DOCUMENTS, PAIRS, SEGMENTS)}


def scores(run: Run) -> list[float]:
    """Scores of the aligner: those of the cleaned segments are limited by lengths, with whatever evidence."""
    files = sorted((run.path / SEGMENTS).glob("*.parquet"))
    return [score for file in files for score in read_stage_file(file, ["score"])["score"].to_pylist()]


def segment_files(run: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in (run / SEGMENTS).iterdir()}


@pytest.mark.slow
def test_a_dictionary_makes_the_segments_anew_and_nothing_before_them(run: Path, tmp_path: Path) -> None:
    before, without = keys(run), scores(open_run(run))
    name = words(tmp_path / "en-fr.tsv", *ENTRIES)
    with_dictionary = scores(align_run(run, evidence=[name], jobs=1))
    after = keys(run)
    assert with_dictionary != without
    assert (after[DOCUMENTS], after[PAIRS]) == (before[DOCUMENTS], before[PAIRS])
    assert "aligner_evidence=dictionary:en-fr.tsv" in open_run(run).summary()["recipe"]
    assert dict(open_run(run).settings.options)["aligner_evidence"] == name

    first = segment_files(run)
    assert scores(align_run(run, jobs=1)) == with_dictionary
    assert segment_files(run) == first, "the same evidence was not asked again"

    assert open_run(run).summary()["notes"] == []
    words(tmp_path / "en-fr.tsv", "bread\tpain")
    align_run(run, jobs=1)
    assert not segment_files(run).keys() & first.keys(), "another content of the file is other evidence"
    (note,) = open_run(run).summary()["notes"]
    assert note.startswith("example.org en-fr: evidence dictionary:en-fr.tsv does not tell")

    assert scores(align_run(run, evidence=[], jobs=1)) == without
    assert keys(run) == before


def test_two_runs_with_evidence_give_the_same_bytes(finished: Path, tmp_path: Path) -> None:
    name = words(tmp_path / "en-fr.tsv", *ENTRIES)
    made = []
    for copy in ("one", "two"):
        align_run(shutil.copytree(finished, tmp_path / copy), evidence=[name], jobs=1)
        made.append({name: content for name, (content, _) in segment_files(tmp_path / copy).items()})
    assert made[0] == made[1]


def test_harvest_takes_evidence_as_an_option(finished: Path, tmp_path: Path) -> None:
    """The run without it, harvested again with it, reads and pairs nothing anew."""
    run = Path(shutil.copytree(finished, tmp_path / "run"))
    options = {"aligner": "lexical", "aligner_evidence": words(tmp_path / "en-fr.tsv", "harbour\tport")}
    site = finished.parent / "site"
    harvest(site, "en,fr", run, recipe="url_baseline", options=options, jobs=1, base_url=HOST)
    assert keys(run)[PAIRS] == keys(finished)[PAIRS]
    assert keys(run)[SEGMENTS] != keys(finished)[SEGMENTS]


def test_translations_of_other_texts_are_refused(run: Path, tmp_path: Path) -> None:
    path = tmp_path / "made.tsv"
    path.write_text("Not on any page.\tSur aucune page.\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"made\.tsv: none of the sentences is in its first column"):
        align_run(run, evidence=[f"translations:{path}"], jobs=1)
    pairs = zip(SENTENCES["fr"], SENTENCES["en"], strict=True)
    path.write_text("".join(f"{french[:-1]} (chapitre 3).\t{english}\n" for french, english in pairs), encoding="utf-8")
    assert len(scores(align_run(run, evidence=[f"translations:{path}"], jobs=1))) > 100


# -- what it is worth, on pages where words tell nothing ---------------------------------------


def hard_pages(count: int) -> tuple[pa.Table, str]:
    """Page pairs of invented sentences, no word of which comes twice; the target lacks every fifth.

    Returns them with their sentences beside them, and the lines of a dictionary of all their words."""
    draw = random.Random(5)
    rows, entries = [], []
    for page in range(count):
        sides: tuple[list[str], list[str]] = ([], [])
        for _ in range(20):
            pairs = [tuple("".join(draw.choices(letters, k=7)) for letters in ("abdeg", "cfhjk")) for _ in range(6)]
            entries += ["\t".join(pair) for pair in pairs]
            for side, sentence in zip(sides, zip(*pairs, strict=True), strict=True):
                side.append(" ".join(sentence))
        del sides[1][::5]
        row = {"site": "h", "src_url": f"http://h/en/{page}", "tgt_url": f"http://h/fr/{page}"}
        row |= {"src_lang": "en", "tgt_lang": "fr", "src_pages": [], "tgt_pages": []}
        row |= {"src_no_breaks": None, "tgt_no_breaks": None}
        for prefix, side in zip(("src", "tgt"), sides, strict=True):
            row |= {f"{prefix}_sentences": side, f"{prefix}_opens": [1] * len(side), f"{prefix}_kinds": [0] * len(side)}
            row |= {f"{prefix}_links": [""] * len(side), f"{prefix}_whole_links": [0] * len(side)}
            row[f"{prefix}_fetched"] = ""
        rows.append(row)
    return pa.Table.from_pylist(rows), "\n".join(entries)


def aligned(pairs: pa.Table, evidence: list[str], folder: Path) -> pa.Table:
    """Segments of the pages by a model learnt from them, as the stage makes them."""
    path = folder / f"{zlib.crc32(repr(evidence).encode())}.parquet"
    write_stage_file(path, learn_table(sample_row(pairs, evidence)))
    return align_sentences(pairs, models=(StoredModel(ModelKey("h", "en", "fr"), str(path), tuple(evidence)),))


def test_a_dictionary_finds_what_lengths_cannot(tmp_path: Path) -> None:
    pairs, entries = hard_pages(6)
    translated = dict(line.split("\t") for line in entries.splitlines())

    def right(segments: pa.Table) -> list[float]:
        """Probabilities of the segments whose first words translate each other and which are 1-1."""
        rows = segments.select(["src", "tgt", "bead", "score"]).to_pylist()
        return [
            row["score"]
            for row in rows
            if row["bead"] == "1-1" and translated[row["src"].split()[0]] == row["tgt"].split()[0]
        ]

    without = right(aligned(pairs, [], tmp_path))
    given = right(aligned(pairs, [words(tmp_path / "en-fr.tsv", entries)], tmp_path))
    assert len(without) < 50
    assert len(given) >= 90, "of 96"
    assert sum(given) / len(given) > sum(without) / len(without) + 0.1


# -- mistakes, before anything is read ----------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"aligner_evidence": "magic"}, UsageError, "evidence magic: give one of embed, dictionary:PATH"),
        ({"aligner_evidence": "embed;dictionary"}, UsageError, "evidence dictionary: give one of"),
        ({"aligner_evidence": "dictionary:none.tsv"}, SourceError, r"none\.tsv: No such file.*give the path"),
        ({"aligner_evidence": "translations:none.tsv"}, SourceError, r"none\.tsv: cannot be read"),
        ({"aligner_evidence": "apertium:deu-spa"}, LanguageError, "apertium:deu-spa: the texts are in en and fr"),
        ({"aligner_evidence": "embed", "aligner": "tags"}, RecipeError, "tags takes no evidence.*aligner to lexical"),
    ],
)
def test_mistakes_are_found_before_anything_is_read(
    options: dict[str, str], error: type[DiglotError], said: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=said):
        harvest(tmp_path / "no site", "en,fr", tmp_path / "run", options=options)
    assert not (tmp_path / "run").exists()


def test_a_file_of_another_format_and_a_missing_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("no tab in it\n", encoding="utf-8")
    for kind, said in (("dictionary", "not a lexicon; give"), ("translations", "no line of source<TAB>translation")):
        with pytest.raises(SourceError, match=said):
            make_settings("en,fr", options={"aligner_evidence": f"{kind}:{path}"})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"is not installed; pip install 'diglot\[embed\]'"):
        make_settings("en,fr", options={"aligner_evidence": "embed"})


def test_a_source_may_serve_some_languages_of_a_site_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = words(tmp_path / "mine.tsv", "en\tfr", "harbour\tport")
    lang_pairs = [("en", "fr"), ("en", "mi"), ("fr", "mi")]
    monkeypatch.setattr(evidence_kinds, "encoder_package", _no_maori)
    served = sources_by_pair([name, "embed"], lang_pairs)
    assert served.sources[("en", "fr")] == (name, "embed")
    assert served.sources[("en", "mi")] == ()
    assert len(served.notes) == 4
    with pytest.raises(LanguageError):
        sources_by_pair(["embed"], lang_pairs[1:])


def _no_maori(langs: tuple[str, str]) -> str:
    if "mi" in langs:
        raise LanguageError("no encoder")
    return "numpy"


def test_what_the_evidence_is_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_kinds, "encoder_package", _no_maori)
    name = words(tmp_path / "a, b.tsv", "harbour\tport").replace("dictionary", "translations")
    first = evidence_inputs(sources_by_pair([name, "embed"], EN_FR))
    assert first[0] == "translations:a, b.tsv"
    assert first[2:] == ["embed", f"numpy {evidence_kinds.version('numpy')}"]
    words(tmp_path / "a, b.tsv", "harbour\thavre")
    second = evidence_inputs(sources_by_pair([name, "embed"], EN_FR))
    assert [one == other for one, other in zip(first, second, strict=True)] == [True, False, True, True]
    (tmp_path / "c").mkdir()
    moved = words(tmp_path / "c" / "a, b.tsv", "harbour\thavre").replace("dictionary", "translations")
    assert evidence_inputs(sources_by_pair([moved, "embed"], EN_FR)) == second


def test_no_language_pair_is_served_by_nothing() -> None:
    assert sources_by_pair(["dictionary:none.tsv"], []).sources == {}


def test_a_file_of_translations_may_have_one_language_pair_only(tmp_path: Path) -> None:
    made = tmp_path / "made.tsv"
    made.write_text("Bonjour.\tHello.\n", encoding="utf-8")
    pages = pa.table({"url": ["e", "f", "d"], "sentences": [["Hi."], ["Bonjour."], ["Guten Tag."]]})
    langs = {"src_lang": ["en", "en"], "tgt_lang": ["fr", "de"]}
    pairs = pa.table({"src_url": ["e", "e"], "tgt_url": ["f", "d"], **langs})
    evidence = sources_by_pair([f"translations:{made}"], [("en", "fr"), ("en", "de")])
    (line,) = unmatched_notes(pairs, pages, evidence)
    assert line.startswith(f"en-de: {made}: none of the sentences is in its first column")
    assert without_folders(line, evidence).startswith("en-de: made.tsv: none of the sentences is in its first column")
    with pytest.raises(SourceError, match="none of the sentences"):
        unmatched_notes(pairs.slice(1), pages, evidence)


def in_notes(note: str, *names: str) -> str:
    return without_folders(note, SourcesByPair({("en", "fr"): names[:1], ("en", "de"): names[1:]}))


@pytest.mark.parametrize(
    ("names", "note", "said"),
    [
        # The path of one file is the end of the path of the other.
        (
            ("translations:/data/made.tsv", "translations:/home/me/data/made.tsv"),
            "en-fr: /home/me/data/made.tsv: none; en-de: /data/made.tsv: none",
            "en-fr: made.tsv: none; en-de: made.tsv: none",
        ),
        # The path of one file is the beginning of the path of the other.
        (("translations:/data/a", "translations:/data/a/b.tsv"), "/data/a/b.tsv, /data/a: none", "b.tsv, a: none"),
        # A note names one of the files of a dictionary, or all.
        (("dictionary:/h/u/a.tsv, /h/u/b.tsv",), "/h/u/b.tsv: no en", "b.tsv: no en"),
        (("dictionary:/h/u/a.tsv,/h/u/b.tsv",), "dictionary:/h/u/a.tsv,/h/u/b.tsv: no", "dictionary:a.tsv,b.tsv: no"),
        # A comma is part of a name of translations; the full stop is no pattern.
        (("translations:/h/a,b.tsv",), "/h/a,b.tsv: none of /h/a,bxtsv", "a,b.tsv: none of /h/a,bxtsv"),
        (("embed", "apertium:en-de"), "en-de: evidence embed, apertium:en-de", "en-de: evidence embed, apertium:en-de"),
    ],
)
def test_a_note_names_each_file_without_its_folders(names: tuple[str, ...], note: str, said: str) -> None:
    assert in_notes(note, *names) == said
    assert in_notes(note, *names[::-1]) == said
