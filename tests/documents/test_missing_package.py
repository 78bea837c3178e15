"""A document whose package is not installed: the run says what to type, and the same command reads it afterwards."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from diglot.document_kinds import MEDIA, missing_packages
from diglot.documents.convert import read_document
from diglot.errors import UnreadableDocument
from diglot.reasons import REASON_TEXT, Reason
from diglot.run.read import source_key
from diglot.run.settings import Settings

PDF = Path(__file__).parent / "pdf" / "tagged.en.pdf"
EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


def test_the_same_command_reads_the_source_again_once_the_package_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def key() -> str:
        return source_key("site", "mark", Settings(langs=("en", "fr")))

    assert missing_packages() == ()
    whole = key()
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    assert missing_packages() == ("pypdfium2",)
    assert key() not in ("", whole)
    with pytest.raises(UnreadableDocument, match=r"pip install 'diglot\[documents\]'"):
        read_document(PDF.read_bytes(), MEDIA[0])


def test_the_reason_has_the_command() -> None:
    needed = [medium for medium in MEDIA if medium.extra or medium.package]
    assert needed
    for medium in needed:
        assert f"pip install 'diglot[{medium.extra}]'" in REASON_TEXT[Reason.NO_READER]
        assert any(each.startswith(medium.package) for each in EXTRAS[medium.extra])
