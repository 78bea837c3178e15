"""Search the segments of a finished run for a text, in either language, ignoring case and accents."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from diglot.arguments import Langs, PathLike
from diglot.checked_arguments import check_arguments
from diglot.corpus.characters import one_line
from diglot.corpus.formats.tables import rows_of
from diglot.corpus.shown_segments import shown_segments
from diglot.errors import UsageError
from diglot.results.run import Run, as_run
from diglot.results.user_choices import asked_pairs

Span = tuple[int, int]
"""Begin and end of a hit, in characters."""
HIT_COLUMNS = ("src", "tgt", "src_lang", "tgt_lang", "score", "flags", "src_url", "tgt_url")
_FIRST_ACCENT = 10
"""Least canonical combining class of an accent. Marks of lower classes make another letter, as in Japanese and in Indic
scripts."""
_QUOTES = str.maketrans("‘’", "''")


@dataclass(frozen=True, slots=True)
class Hit:
    """A segment with a hit; texts and addresses have no line breaks."""

    src: str
    tgt: str
    src_lang: str
    tgt_lang: str
    score: float
    """In [0, 1]."""
    flags: tuple[str, ...]
    src_url: str
    tgt_url: str
    src_spans: tuple[Span, ...]
    tgt_spans: tuple[Span, ...]

    def plain(self) -> dict[str, Any]:
        """As values that JSON can hold."""
        return {**asdict(self), "score": round(self.score, 4)}


@check_arguments
def search(
    run: PathLike,
    text: str,
    *,
    word: bool = False,
    regex: bool = False,
    langs: Langs = "",
    everything: bool = False,
) -> Iterator[Hit]:
    """Segments of a run that contain ``text``, in the order of the run; holds some sites in memory at a time.

    ``word``: whole words only; ``regex``: ``text`` is a regular expression of :mod:`re`; ``langs``: only pairs of these
    languages; ``everything``: also segments left out. Raises: UsageError for an empty text and an invalid regular
    expression, LanguageError for languages without a pair in the run.
    """
    pattern = _pattern(text, word=word, regex=regex)
    opened = as_run(run)
    return _hits(opened, asked_pairs(opened.settings, langs), pattern, everything)


def _hits(run: Run, pairs: Sequence[tuple[str, str]], pattern: re.Pattern[str], everything: bool) -> Iterator[Hit]:
    for part in run.each_part(*pairs):
        shown = shown_segments(part.table if everything else part.kept_rows())
        spans = [tuple(_spans(one_line(text), pattern) for text in texts) for texts in rows_of(shown, ("src", "tgt"))]
        places = [place for place, (src, tgt) in enumerate(spans) if src or tgt]
        # Few rows have a hit: the other columns of all others stay unread.
        for place, values in zip(places, rows_of(shown.take(pa.array(places, pa.int64())), HIT_COLUMNS), strict=True):
            row = dict(zip(HIT_COLUMNS, values, strict=True))
            row |= {name: one_line(row[name]) for name in ("src", "tgt", "src_url", "tgt_url")}
            src_spans, tgt_spans = spans[place]
            yield Hit(**{**row, "flags": tuple(row["flags"])}, src_spans=src_spans, tgt_spans=tgt_spans)


def _pattern(text: str, *, word: bool, regex: bool) -> re.Pattern[str]:
    if not text.strip():
        raise UsageError("no text to search for; write one, as in diglot search RUN 'opening hours'")
    # ASCII letters of a regular expression stay as they are: they may belong to an escape such as \W.
    sought = "".join(c if c.isascii() else _FOLDED[ord(c)] for c in text) if regex else re.escape(fold(text))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # "[[" may mean something else in a later Python
            # Segments are folded to lower case, ASCII letters of the pattern are not.
            return re.compile(rf"(?<!\w)(?:{sought})(?!\w)" if word else sought, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(
            f"{text}: no regular expression ({error}); leave out regex=True to search for the text itself"
        ) from error


def _spans(text: str, pattern: re.Pattern[str]) -> tuple[Span, ...]:
    """Spans, in ``text``, of the matches of a pattern in the folded text."""
    plain = fold(text)
    found = [match.span() for match in pattern.finditer(plain)]
    if not found or text.isascii():
        return tuple(found)
    # A folded character may be longer or shorter than the original: ß becomes ss.
    places = [place for place, char in enumerate(text) for _ in _FOLDED[ord(char)]] + [len(text)]
    return tuple((places[start], places[end - 1] + 1 if end > start else places[start]) for start, end in found)


def fold(text: str) -> str:
    """Fold a text for comparison: lower case, no accents, one form of compatible characters and apostrophes.

    >>> fold("L’Été à ＡＢＣ"), fold("が"), fold("각")
    ("l'ete a abc", 'が', '각')
    """
    return text.lower() if text.isascii() else text.translate(_FOLDED)


def _fold_char(char: str) -> str:
    bare = (part for part in unicodedata.normalize("NFKD", char) if unicodedata.combining(part) < _FIRST_ACCENT)
    return unicodedata.normalize("NFC", "".join(bare)).casefold().translate(_QUOTES)


class _FoldedChars(dict[int, str]):
    """Folded characters by code point; a character is folded when it is first asked for."""

    def __missing__(self, code: int) -> str:
        self[code] = _fold_char(chr(code))
        return self[code]


_FOLDED = _FoldedChars()
