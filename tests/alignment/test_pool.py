"""Pools of words: kept in a file as learnt, refused where damaged, and of use to texts that teach little."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_lexical import made, spans

from diglot.alignment.lexical.units import ParallelText
from diglot.alignment.pool import LEXICON_SCHEMA, POOL_SCHEMA, read_pool, write_pool
from diglot.alignment.site_model import (
    align_with,
    learn_by_lexicon,
    learn_model,
    lexicon_columns,
    lexicon_of,
    model_columns,
    model_of,
)
from diglot.errors import SourceError

LANGS = ("en", "xx")


def lexicon(sentences: int = 300, seed: int = 3) -> pa.Table:
    """What texts of invented words teach."""
    src, tgt = made(sentences, seed)
    return pa.table(lexicon_columns(learn_model([ParallelText(src, tgt)])))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pool") / "en-xx.pool"
    write_pool(path, {LANGS: lexicon()})
    return path


def test_a_pool_is_read_as_it_was_learnt(written: Path) -> None:
    pool = read_pool(str(written))
    assert list(pool.lexicons) == [LANGS]
    assert pool.lexicons[LANGS].equals(lexicon().cast(LEXICON_SCHEMA))
    assert len(pool.digest) == 32


def test_the_words_of_others_find_what_a_short_text_cannot(written: Path) -> None:
    """Eight sentences, of which the translation lacks the third, and of much the same lengths."""
    known = lexicon_of(read_pool(str(written)).lexicons[LANGS])
    src, tgt = made(40, 9)
    src, tgt = [sentence[:24] for sentence in src[:8]], [sentence[:24] for sentence in tgt[:8]]
    del tgt[2]
    text = ParallelText(src, tgt)
    wanted = {((n, n + 1), (n, n + 1)) for n in range(2)} | {((n, n + 1), (n - 1, n)) for n in range(3, 8)}
    alone = spans(align_with(learn_model([text]), text))
    pooled = spans(align_with(learn_by_lexicon([text], known), text))
    assert len(wanted & pooled) > len(wanted & alone)
    assert wanted <= pooled


def test_rates_are_learnt_from_the_texts_themselves(written: Path) -> None:
    """Translations three times as long as those that taught the words."""
    src, tgt = made(60, 5)
    long = [" ".join([sentence, "nnnn" * (len(sentence) // 2)]) for sentence in tgt]
    known = lexicon_of(read_pool(str(written)).lexicons[LANGS])
    model = learn_by_lexicon([ParallelText(src, long)], known)
    assert model.rates.ratio > 2.5
    again = model_of(pa.table(model_columns(model)))
    assert align_with(again, ParallelText(src, long)) == align_with(model, ParallelText(src, long))


def test_texts_without_a_translation_teach_nothing(written: Path) -> None:
    known = lexicon_of(read_pool(str(written)).lexicons[LANGS])
    assert learn_by_lexicon([ParallelText(["A sentence."], [])], known) == known


# -- files that are no pools --------------------------------------------------------------------


def damaged(row: pa.Table, column: str, change: object) -> pa.Table:
    """The row with another list in a column: what ``change`` makes of its items."""
    items = row[column][0].as_py()
    changed = pa.array([change(items)], POOL_SCHEMA.field(column).type)  # type: ignore[operator]
    return row.set_column(row.schema.get_field_index(column), POOL_SCHEMA.field(column), changed)


FAULTS = [
    ("src_units", lambda items: items[:-1], "src_classes does not fit"),
    ("src_units", lambda items: [items[0], *items[:-1]], "src_units does not fit"),
    ("tgt_classes", lambda items: [99, *items[1:]], "tgt_classes does not fit"),
    ("src_share", lambda items: [float("nan"), *items[1:]], "src_share does not fit"),
    ("forward_offsets", lambda items: [*items[:-1], items[-1] + 1_000_000], "forward_offsets does not fit"),
    ("forward_offsets", lambda items: [0, items[-1], *items[2:]], "forward_offsets does not fit"),
    ("backward_ids", lambda items: [2**32 - 1, *items[1:]], "backward_ids does not fit"),
    ("forward_values", lambda items: items[:-1], "forward_values does not fit"),
    ("backward_values", lambda items: [-1.0, *items[1:]], "backward_values does not fit"),
    ("fold_sentences", lambda items: [0], "fold_sentences does not fit"),
    ("fold_sentences", lambda items: [], "fold_sentences does not fit"),
    ("src_classes", lambda items: [None, *items[1:]], "a value is missing"),
    ("src_share", lambda items: None, "a value is missing"),
]


@pytest.mark.parametrize(("column", "change", "said"), FAULTS)
def test_a_lexicon_that_would_lead_astray_is_refused(
    column: str, change: object, said: str, written: Path, tmp_path: Path
) -> None:
    path = tmp_path / "bad.pool"
    pq.write_table(damaged(pq.read_table(written), column, change), path)
    with pytest.raises(SourceError, match=rf"bad\.pool: no pool of words \({said}.*diglot pool"):
        read_pool(str(path))


def test_other_files_are_no_pools(written: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none\.pool: No such file.*name a file that `diglot pool` wrote"):
        read_pool(str(tmp_path / "none.pool"))
    (tmp_path / "text.pool").write_text("en\tfr\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"text\.pool: no pool of words"):
        read_pool(str(tmp_path / "text.pool"))
    pq.write_table(pq.read_table(written).drop_columns(["src_share"]), tmp_path / "other.pool")
    with pytest.raises(SourceError, match="its columns are others"):
        read_pool(str(tmp_path / "other.pool"))


@given(st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), min_size=1, max_size=4))
def test_a_damaged_file_is_a_pool_or_refused(written: Path, flips: list[tuple[int, int]]) -> None:
    content = bytearray(written.read_bytes())
    for place, byte in flips:
        content[place % len(content)] = byte
    path = written.with_name("flipped.pool")
    path.write_bytes(content)
    with contextlib.suppress(SourceError):
        read_pool(str(path))
