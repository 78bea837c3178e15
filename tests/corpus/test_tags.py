"""Language tags that may and may not stand in a TMX file."""

import pytest

from diglot.corpus.characters import is_valid_tag


@pytest.mark.parametrize("tag", ["en", "pt-BR", "zh-Hant-TW", "sr-Latn", "es-419", "ca-valencia", "de-1996", "und"])
def test_valid(tag: str) -> None:
    assert is_valid_tag(tag)


@pytest.mark.parametrize("tag", ["", "zh_CN", "hbs_cyrillic", "english", "xx", "en-", "-en", "e n", "en-YY", "*all*"])
def test_not_valid(tag: str) -> None:
    assert not is_valid_tag(tag)
