"""Documents printed from the sample's manual by three programs: their paragraphs against the text they were made from.

``benchmarks/pdf_sources.py --first 26`` made the files; ``benchmarks/pdf_paragraphs.py`` has the figures of whole
manuals.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from diglot.documents.pdf import read_pdf

HERE = Path(__file__).parent
QUOTES = str.maketrans(dict.fromkeys("‘’´`", "'") | dict.fromkeys("“”„«»", '"') | {"–": "-", "—": "-"})


def fold(text: str) -> str:
    """Text without what typesetting changes."""
    return " ".join(text.translate(QUOTES).replace("''", '"').replace("--", "-").casefold().split())


@pytest.mark.parametrize(
    ("name", "least"),
    [("tagged.en", 1.0), ("one.ja", 0.95), ("one.ar", 1.0), ("two.de", 0.8), ("tex2.fr", 0.8)],
)
def test_paragraphs_of_a_known_source(name: str, least: float) -> None:
    source = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
    gold = {fold(text) for _, text in source if len(text) >= 40}
    document = read_pdf((HERE / f"{name}.pdf").read_bytes())
    blocks = {fold(block.text) for block in document.blocks}
    assert len(gold) >= 9
    assert len(gold & blocks) / len(gold) >= least
    assert not any(block.text.startswith("Manual (") for block in document.blocks)
    assert document.tagged == name.startswith("tagged")
    words = [word for _, text in source for word in fold(text).split() if word.isalpha()]
    read = set(" ".join(blocks).split())
    lost = [word for word in words if word not in read]
    assert name == "one.ja" or len(lost) <= 0.01 * len(words)
