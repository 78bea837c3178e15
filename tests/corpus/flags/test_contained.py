"""The flag ``contained``: one side is all of the other side, and goes on."""

from __future__ import annotations

import pyarrow as pa
import pytest

from diglot.corpus.flags.contained import are_contained, is_contained
from diglot.corpus.flags.flagging import flag_segments
from diglot.records import SEGMENT_SCHEMA
from made_segments import made_segment


@pytest.mark.parametrize(
    ("src", "tgt", "expected"),
    [
        ("rakonti – to tell", "rakonti –", True),
        ("“Vendor”", "„Vendor“ („Verkäufer“)", True),
        ("Censorship envy", "Censorship Envy (Tentation de censure)", True),  # case
        ("preview bool", "preview", True),
        ("Sockets", "Les sockets", False),  # an article in front
        ("Sockets", "Sockets", False),  # the same words
        ("Sockets!", "Sockets?", False),
        ("Google", "Google'da", False),  # an ending
        ("Google", "Google da", True),
        ("GNU", "GNU-ren", False),
        ("Sock", "Socket two", False),  # a part of a word
        ("...", "– to tell", False),  # no word
        ("Для прессы", "(Русский) Для прессы", True),
        ("DEIM2012に参加しました", "（日本語）DEIM2012に参加しました．", True),
        ("Для прессы", "(Русский) Для всех", False),
        ("關於我們 About us", "About us!", True),
        ("尹 聖雄 (Yoon)", "Yoon", True),
        ("The About us", "About us", False),  # one script
        ("2020 About us", "About us", False),
        ("Google 검색", "검색", True),
        ("Home Hafan", "Hafan Home", False),  # too few words to tell
        ("Window poster / Poster ffenestr", "Poster ffenestr / Window poster", True),
        ("Window poster Poster", "Poster Window poster", False),  # no halves
        ("bye bye", "bye bye", False),
        ("Window poster | Poster ffenestr", "Poster ffenestr, Window poster", True),
        ("A – to tell", "A", True),
        ("關於我們 A", "A", True),
        ("3 4 1 2", "1 2 3 4", False),
        ("(a) Yes", "(b) Yes", False),  # both in a list
        ("Yes", "(see the list of all the questions below) Yes", False),  # more than a name
    ],
)
def test_one_side_goes_on(src: str, tgt: str, expected: bool) -> None:
    assert is_contained(src, tgt) == is_contained(tgt, src) == expected
    pairs = pa.table({"src": [src, tgt], "tgt": [tgt, src]})
    assert are_contained(pairs).tolist() == [expected, expected]


def test_the_flag() -> None:
    texts = [("rakonti – to tell", "rakonti –"), ("rakonti – to tell", "rakonti – conter")]
    rows = [made_segment(src, tgt, langs="en-fr", page=page) for page, (src, tgt) in enumerate(texts)]
    flags = flag_segments(pa.Table.from_pylist(rows, schema=SEGMENT_SCHEMA))["flags"].to_pylist()
    assert ["contained" in found for found in flags] == [True, False]
