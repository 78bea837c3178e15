"""Code points of a PDF as letters of text: accents put on, ligatures and Arabic forms undone, surrogates joined."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import numpy as np

from diglot.documents.pdf.pages import UNKNOWN_CODE, Characters

HYPHENS = (0x02, 0xAD, 0xFFFE)
"""What PDFium gives for a hyphen at the end of a line, and the soft hyphen."""
RIGHT_TO_LEFT = (0x05, 0x06, 0x07, 0x08, 0xFB, 0xFD, 0xFE)
"""Upper bytes of Hebrew, Arabic, Syriac and their forms; FB has Latin ligatures too, which are undone before."""
ACCENTS = {
    0x60: 0x300,
    0x2CB: 0x300,
    0xB4: 0x301,
    0x2CA: 0x301,
    0x5E: 0x302,
    0x2C6: 0x302,
    0x7E: 0x303,
    0x2DC: 0x303,
    0xAF: 0x304,
    0x2C9: 0x304,
    0x2D8: 0x306,
    0x2D9: 0x307,
    0xA8: 0x308,
    0x2DA: 0x30A,
    0x2DD: 0x30B,
    0x2C7: 0x30C,
    0xB8: 0x327,
    0x2DB: 0x328,
}
"""Spacing accents and their combining marks: TeX's old fonts print a spacing accent over a letter."""
WITHOUT_DOT = {0x131: 0x69, 0x237: 0x6A}
"""Letters i and j that TeX prints below an accent."""
BLANK_BESIDE_IDEOGRAPH = 0.2
"""Least width of a blank beside an ideograph, of the font size: gaps of stretched lines are narrower."""
BLANK_BESIDE_ACCENT = 0.12
ACCENT_GONE = 0x1
TOUCHES = 0.125
"""Widest gap between the letters of a word, in font sizes: half a usual blank."""
GUILLEMETS = str.maketrans("≪≫", "«»")
PLAIN_HYPHENS = str.maketrans("\u2011", "-")
ENOUGH_HYPHENS = 3
"""Least lines with a no-break hyphen at the end for a font that names all its hyphens so. Writers put a no-break hyphen
where no line may end."""
LAM, ALEFS = 0x644, (0x622, 0x623, 0x625, 0x627)
_LATIN, _DIGITS, _ARABIC_DIGITS = r"A-Za-z\u00c0-\u024f", r"0-9\u06f0-\u06f9", r"\u0660-\u0669\u066b\u066c"
_BESIDE_NUMBER = r"#$%\u00a2-\u00a5\u00b0\u00b1\u2030\u20a0-\u20cf\u2116"
"""Signs that are read together with the number beside them: class ET of UAX 9."""
_NOT_FROM_RIGHT = r"[^\u0590-\u065f\u066a\u066d-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]"
_FROM_LEFT = re.compile(
    rf"([()]?)((?:[{_BESIDE_NUMBER}]{{1,2}}(?=[{_DIGITS}]))?"
    rf"[{_LATIN}{_DIGITS}{_ARABIC_DIGITS}](?:{_NOT_FROM_RIGHT}*[{_LATIN}{_DIGITS}{_ARABIC_DIGITS}])?"
    rf"(?:(?<=[{_DIGITS}])[{_BESIDE_NUMBER}]{{1,2}})?)"
)
"""A run of text read from the left, from its first to its last letter or number, and a bracket to the right of it."""
_HAS_LATIN = re.compile(f"[{_LATIN}]")
_NUMBER = re.compile(
    rf"[{_BESIDE_NUMBER}]{{0,2}}[{_DIGITS}]+(?:[.,:/+-][{_DIGITS}]+)*[{_BESIDE_NUMBER}]{{0,2}}"
    rf"|[{_ARABIC_DIGITS}]+(?:[.,:/][{_ARABIC_DIGITS}]+)*"
)
"""A number among letters from the right. Source: UAX 9, rules W4 and W5."""
_NUMBER_IN_ARABIC = re.compile(rf"[{_DIGITS}{_ARABIC_DIGITS}]+(?:[.,:/][{_DIGITS}{_ARABIC_DIGITS}]+)*")
"""A number after an Arabic letter: hyphens and signs of percent part numbers there, by rule W2."""
_THOUSANDS = re.compile("[1-9][0-9]{0,2}(?: [0-9]{3})+")
_BRACKETS = tuple(
    (
        *pair,
        re.compile(rf"(?<![^\s])[{re.escape(pair)}](?=\w)"),
        re.compile(rf"(?<=\w)[{re.escape(pair)}](?![^\s.,:;!?،؛؟])"),
    )
    for pair in ("()", "[]", "«»")
)
"""Opening and closing sign, either of both between a blank and a word, and between a word and a blank."""
NEAR = 300
"""Characters before and after an accent in which its letter is searched: two lines."""
RAISED = 0.6
"""Highest place of an accent over its letter, a capital, of the font size; the line above is a whole size away."""
_SPACING = np.array(sorted(ACCENTS), np.int32)
_FORMS = [*range(0xFB00, 0xFE00), *range(0xFE70, 0xFF00), *range(0x2E80, 0x2FE0)]
FORMS = {code: form for code in _FORMS if (form := unicodedata.normalize("NFKC", chr(code))) != chr(code)}
"""Ligatures, forms of Arabic letters, and radicals that stand for ideographs, by NFKC of these characters alone."""
_UNDONE = FORMS | {0xFFFE: "-", 0xAD: "-", 0x200B: None, 0xFEFF: None, 0x2DC: "~", 0x2C6: "^"}
"""The last two: accents that stand over no letter; TeX prints the signs of addresses so."""
_HALF_OF_PAIR = re.compile("[\ud800-\udfff]")
NOTHING = 0x3
_CONTROLS = {0x0: None, ACCENT_GONE: None, 0x2: "-", NOTHING: None}


def _wide() -> np.ndarray:
    """Which code points below 65,536 need no blank beside them: ideographs, kana and full-width punctuation."""
    wide = np.zeros(0x10000, np.bool_)
    for first, last in ((0x2E80, 0x3130), (0x3190, 0xA4D0), (0xF900, 0xFB00), (0xFE30, 0xFE50), (0xFF00, 0xFFA0)):
        wide[first:last] = True
    wide[0x3000] = False
    return wide


IDEOGRAPHS = _wide()
NOT_FIRST = frozenset("、。，．：；？！・」』）】》〉〕ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%％,.)")
"""Signs that never begin a line of ideographs; the line goes on to them."""


def is_ideograph(letter: str) -> bool:
    """Whether a letter is an ideograph, kana or full-width sign: PDFium invents blanks beside these.

    >>> is_ideograph("字"), is_ideograph("。"), is_ideograph("한"), is_ideograph("a")
    (True, True, False, False)
    """
    code = ord(letter)
    return bool(IDEOGRAPHS[code]) if code < 0x10000 else 0x20000 <= code < 0x40000


def as_letters(codes: np.ndarray) -> str:
    """Code points as text, a letter each; halves of surrogate pairs stand alone."""
    return codes.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def as_text(letters: str) -> str:
    r"""Letters as words with one blank between: surrogates joined, ligatures undone, invisible characters left out.

    >>> as_text("\ufb01ne  \ud835\udc00")
    'fine 𝐀'
    """
    if not letters.isascii():
        if _HALF_OF_PAIR.search(letters):
            letters = letters.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        letters = letters.translate(_UNDONE)
    return " ".join((letters if letters.isprintable() else letters.translate(_CONTROLS)).split())


def has_tex_quotes(texts: Iterable[str]) -> bool:
    """Whether signs of "much less" and "much greater" come in pairs: TeX's old fonts print guillemets so."""
    text = "".join(texts)
    return 0 < text.count("≪") == text.count("≫")


def has_misnamed_hyphens(texts: Iterable[str]) -> bool:
    """Whether the hyphens that end lines are no-break hyphens: some fonts name every hyphen so (XeTeX)."""
    return sum(text.endswith("\u2011") for text in texts) >= ENOUGH_HYPHENS


def kept_blanks(codes: np.ndarray, blank: np.ndarray, characters: Characters, boxes: np.ndarray) -> np.ndarray:
    """Mask of the blanks to keep: not those that PDFium made up beside an ideograph, or between letter and accent."""
    made_up = blank & characters.made_up
    count = codes.size
    places = np.arange(count)
    before = np.maximum.accumulate(np.where(blank, -1, places))
    after = np.minimum.accumulate(np.where(blank, count, places)[::-1])[::-1]
    before, after = before[made_up], np.minimum(after[made_up], count - 1)
    wide = IDEOGRAPHS[np.minimum(codes, 0xFFFF)] | (codes >= 0x20000)
    beside = wide[before] | wide[after]
    is_accent = np.pad(codes == ACCENT_GONE, 1)
    beside_accent = (is_accent[:-2] | is_accent[2:])[made_up]
    least = np.select([beside, beside_accent], [BLANK_BESIDE_IDEOGRAPH, BLANK_BESIDE_ACCENT])
    dropped = np.zeros(count, np.bool_)
    dropped[made_up] = boxes[after, 0] - boxes[before, 2] < least * characters.sizes[after]
    dropped[made_up] &= least > 0
    return blank & ~dropped & (codes != ACCENT_GONE)


def from_right(codes: np.ndarray, left: np.ndarray, right: np.ndarray, blank: np.ndarray) -> str:
    """Text of a line whose characters come by their place, from the right: code points, left and right edges, and
    whether a blank stands before a character.

    Numbers and words in other scripts are read from the left, and so are the two letters of the ligature of lam and
    alef, which have one box. Source: Unicode Standard Annex 9, the Bidirectional Algorithm.
    """
    signs = list(map(chr, codes.tolist()))
    for place in np.flatnonzero(blank).tolist():
        signs[place] = f" {signs[place]}"
    together = (codes[1:] == LAM) & (left[1:] == left[:-1]) & (right[1:] == right[:-1])
    for place in np.flatnonzero(together).tolist():
        alef = signs[place]
        if ord(alef[-1]) in ALEFS:
            signs[place], signs[place + 1] = alef[:-1] + chr(LAM), alef[-1]
    return as_text(mended_brackets(_FROM_LEFT.sub(_read_from_left, "".join(signs))))


def _read_from_left(found: re.Match[str]) -> str:
    bracket, run = found[1], found[2][::-1]
    if not _HAS_LATIN.search(run):
        return bracket + _read_numbers(found[2], found.string[: found.start()])
    # The last bracket of "a (b)" stands beside text from the right, and PDFium takes it for a part of that.
    return f"{run})" if bracket and run.count("(") > run.count(")") else bracket + run


def _read_numbers(run: str, before: str) -> str:
    """Numbers among letters from the right: each is read from the left, and they follow each other from the right.

    ``before``: the text of the line before them, from the right.

    >>> _read_numbers("14 44 321", "\u05d0"), _read_numbers("%5102-0102", "\u05d0")
    ('41 44 123', '2010-2015%')
    >>> _read_numbers("5102-0102", "\u0627")
    '2015-2010'
    >>> _read_numbers("000 01", "\u05d0"), _read_numbers("01 000", "\u05d0")  # with a no-break space, and with a blank
    ('10 000', '10 000')
    """
    whole = run[::-1]
    if _THOUSANDS.fullmatch(whole) and not _THOUSANDS.fullmatch(" ".join(whole.split(" ")[::-1])):
        return whole
    letter = next(filter(str.isalpha, reversed(before)), "")
    number = _NUMBER_IN_ARABIC if letter and unicodedata.bidirectional(letter) == "AL" else _NUMBER
    return number.sub(lambda each: each[0][::-1], run)


def mended_brackets(line: str) -> str:
    """A line read from the right whose brackets open before a word and close behind one.

    PDFium turns the brackets around that stand beside letters from the right, and no others: "(ACME Bank(". Some files
    have them turned around already. Where blanks do not tell, brackets open and close in turn.

    >>> mended_brackets("א (ACME Bank( ב"), mended_brackets("א )יא) ב"), mended_brackets("(א) (ב")
    ('א (ACME Bank) ב', 'א (יא) ב', '(א) (ב')
    >>> mended_brackets("א )יא( ב"), mended_brackets("יא) א (ב")
    ('א (יא) ב', 'יא) א (ב')
    """
    for opening, closing, before_word, behind_word in _BRACKETS:
        line = behind_word.sub(closing, before_word.sub(opening, line))
        if line.count(opening) == line.count(closing):
            continue
        places = [place for place, sign in enumerate(line) if sign in (opening, closing)]
        signs, is_open = list(line), False
        for number, place in enumerate(places):
            last = number + 1 == len(places)
            if is_open:
                signs[place] = closing
            elif signs[place] == closing and not last and signs[places[number + 1]] == closing:
                signs[place] = opening
            is_open = signs[place] == opening
        line = "".join(signs)
    return line


def put_accents(codes: np.ndarray, boxes: np.ndarray, baselines: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Codes with accents joined to the letters below them; the code of a joined accent becomes ACCENT_GONE.

    PDFium moves some accents to the end of their line, so the letter is sought by its place on the page.
    """
    places = np.flatnonzero(np.isin(codes, _SPACING))
    if not places.size:
        return codes
    codes = codes.copy()
    for place in places.tolist():
        first = max(place - NEAR, 0)
        near = slice(first, place + NEAR)
        middle = (boxes[place, 0] + boxes[place, 2]) / 2
        over = (boxes[near, 0] <= middle) & (middle <= boxes[near, 2])
        over &= np.abs(baselines[near] - baselines[place]) < RAISED * sizes[place]
        for other in (np.flatnonzero(over) + first).tolist():
            joined = _with_accent(int(codes[other]), int(codes[place])) if other != place else 0
            if joined:
                codes[other], codes[place] = joined, ACCENT_GONE
                break
    return codes


def mark_unmapped(codes: np.ndarray, boxes: np.ndarray, baselines: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The codes, with UNKNOWN_CODE for every unmapped glyph (code 0) that touches a letter of its line, such as the
    ligatures of "office" and "software" in PDFs of browsers.

    An unmapped glyph that stands alone is a picture, and stays 0.
    """
    places = np.flatnonzero((codes == 0) & (boxes[:, 2] > boxes[:, 0]))
    if not places.size:
        return codes
    codes = codes.copy()
    for place in places.tolist():
        slack = TOUCHES * sizes[place]
        for before, after in ((place - 1, place), (place, place + 1)):
            other = before + after - place
            if (
                0 <= other < codes.size
                and chr(codes[other]).isalpha()
                and abs(baselines[other] - baselines[place]) < slack
                and abs(boxes[after, 0] - boxes[before, 2]) < slack
            ):
                codes[place] = UNKNOWN_CODE
    return codes


def _with_accent(letter: int, accent: int) -> int:
    """The letter with the accent as one code, 0 if there is none."""
    joined = unicodedata.normalize("NFC", chr(WITHOUT_DOT.get(letter, letter)) + chr(ACCENTS[accent]))
    return ord(joined) if len(joined) == 1 and joined.isalpha() else 0
