"""Texts in one Unicode form: NFC, without invisible characters that have no meaning in their place."""

from __future__ import annotations

import re
import unicodedata

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.corpus.characters import clean_text
from diglot.words import SOUTH_EAST_ASIAN

_JOINERS = "\u200c\u200d"
_MARKS = "\u200e\u200f\u061c"
_OPENING, _CLOSING = "\u202a\u202b\u202d\u202e\u2066\u2067\u2068", "\u202c\u2069"
_ALWAYS_OUT = "\u00ad\ufeff\u2060-\u2064\u206a-\u206f\ufff9-\ufffb\U000e0001"
_TAGS = "\U000e0020-\U000e007f"

_UNSEEN = re.compile(f"[{_ALWAYS_OUT}\u200b{_JOINERS}{_MARKS}{_OPENING}{_CLOSING}{_TAGS}\x00-\x1f\x7f-\x9f]")
_OUT = re.compile(f"[{_ALWAYS_OUT}]")
_BIDI = re.compile(f"[{_MARKS}{_OPENING}{_CLOSING}]")
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")

# A joiner shapes letters of Arabic to Mandaic, N'Ko, the Indic scripts with Sinhala, Tibetan, Myanmar, Mongolian.
_SHAPED = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f"
_EMOJI = "\u2190-\u2bff\u3030\u303d\ufe0f\U0001f000-\U0001faff"
# The group is what stays: joiners that shape the last letter of an Indic word.
_STRAY_JOINER = re.compile(
    f"(?<=[\u0900-\u0dff])\u200c*(\u200d+)(?=[^\\w\u200d]|$)"
    f"|(?<![{_SHAPED}{_EMOJI}])[{_JOINERS}]+|[{_JOINERS}]+(?![{_SHAPED}{_EMOJI}{_JOINERS}])"
)
# Zero-width space is a word boundary in scripts written without spaces.
_STRAY_SPACE = re.compile(f"(?<![{SOUTH_EAST_ASIAN}])\u200b+|\u200b+(?![{SOUTH_EAST_ASIAN}\u200b])")
# Without marks that become one code with an alef before them.
_ARABIC = "\u0620-\u063f\u0641-\u0652\u0656-\u065f\u066e-\u06d3"
# Drawn out between letters to justify a line, also in text pasted from a PDF. At the end of a word it marks an
# abbreviation (1445\u0647\u0640), or leads to another script.
_DRAWN_OUT = re.compile(f"(?<=[{_ARABIC}])\u0640+(?=[{_ARABIC}])")
# Fonts of PDFs name the ligature of lam and alef backwards. No word begins with two alefs and a lam: this is the
# article, also behind a conjunction or preposition of one letter.
_TURNED_LAM = re.compile(
    f"(?<![{_ARABIC}])([\u0641\u0648\u0628\u0643]?\u0627)([\u0622\u0623\u0625\u0627])\u0644"
    f"(?=[{_ARABIC}])(?![\u0622\u0623\u0625\u0627])"  # an alef typed twice before an article
)
_SUSPECT = r"[\p{Cc}\p{Cf}\x{640}\x{FFFE}\x{FFFF}]|\x{627}[\x{622}\x{623}\x{625}\x{627}]\x{644}"
"""Characters and letters that :func:`normal_text` may change."""
_STRAY_TAGS = re.compile(f"(?<![\U0001f3f4{_TAGS}])[{_TAGS}]+")
# German, Danish and Slavic languages open quotations with these, Swedish and Finnish with the last. In wrongly decoded
# text they are later bytes of a letter, and no space comes before those.
_OPENING_QUOTE = re.compile(r"(?<![^ (\[])[»›”](?=\w)")
_ENTITY = re.compile(r"&(?!amp|apos|gt|lt|quot)(?:[a-zA-Z]{2,8}|#\d{2,5}|#x[0-9a-fA-F]{2,5});")


def normal_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts composed and cleaned by :func:`normal_text`; texts without invisible characters cost next to nothing."""
    composed = pc.utf8_normalize(column, form="NFC")
    suspect = pc.match_substring_regex(composed, _SUSPECT)
    rows = np.flatnonzero(suspect.to_numpy())
    if not len(rows):
        return composed
    cleaned = pa.array(list(map(normal_text, composed.filter(suspect).to_pylist())), pa.string())
    return pa.chunked_array([pc.replace_with_mask(composed.combine_chunks(), suspect.combine_chunks(), cleaned)])


def normal_text(text: str) -> str:
    """A composed text without control characters and without needless invisible characters.

    Joiners stay between letters that they shape (Arabic, Indic scripts) and in emoji; of zero-width spaces in a row one
    stays in scripts without spaces; marks and balanced embeddings of direction stay where there is text from right to
    left; soft hyphens, byte order marks and the like go. In Arabic, lines that draw out letters go, and the ligature of
    lam and alef is turned where a PDF had it backwards.

    >>> normal_text("co\\u00adop\\u200d"), normal_text("\\u0645\\u06cc\\u200c\\u0634") == "\\u0645\\u06cc\\u200c\\u0634"
    ('coop', True)
    """
    if _UNSEEN.search(text):
        text = _STRAY_JOINER.sub(lambda match: match[1] or "", _OUT.sub("", text))
        text = _STRAY_TAGS.sub("", _STRAY_SPACE.sub("", text))
        if _BIDI.search(text) and not (_RIGHT_TO_LEFT.search(text) and _is_balanced(text)):
            text = _BIDI.sub("", text)
        text = " ".join(filter(None, clean_text(text).split(" ")))  # no gap where something went
    # Letters and marks that stand together now may be one code, or in another order.
    composed = unicodedata.normalize("NFC", _DRAWN_OUT.sub("", clean_text(text)))
    return _TURNED_LAM.sub("\\1\u0644\\2", composed)


def are_damaged(src: str, tgt: str) -> bool:
    """Whether a text is damaged, or one of the two has an entity that was escaped twice.

    Entities of both texts, and those of ``<``, ``>``, ``&`` and quotes, stand in texts about markup.

    >>> are_damaged("a - b", "a &mdash; b"), are_damaged("a &mdash; b", "c &mdash; d"), are_damaged("a", "&lt;a&gt;")
    (True, False, False)
    """
    return is_damaged(src) or is_damaged(tgt) or bool(_ENTITY.search(src)) != bool(_ENTITY.search(tgt))


def is_damaged(text: str) -> bool:
    """Whether characters were lost (U+FFFD) or decoded from the wrong encoding ("Ã©" for "é").

    >>> is_damaged("dÃ©jÃ vu"), is_damaged("déjà vu"), is_damaged("»Über uns«")
    (True, False, False)
    """
    from ftfy.badness import is_bad

    if text.isascii():
        return False
    # ftfy takes such a mark before an accented capital for two bytes of one letter.
    return "\ufffd" in text or bool(is_bad(_OPENING_QUOTE.sub('"', text)))


def _is_balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth < 0:
            return False
    return depth == 0
