"""Text that was stored after its UTF-8 was read as Windows-1252 (*cafÃ©*) -> as it was written (*café*).

A site that moved its database has both kinds on one page: old texts are misread, new ones and the theme are not. No
encoding of the whole page is right then, so each run of misread characters is read once more.
"""

from __future__ import annotations

import re

_READ_AS = {byte: bytes([byte]).decode("cp1252", "replace") for byte in range(0x80, 0xC0)}
"""The bytes of a character of UTF-8 behind the first one."""
# Windows-1252 leaves five of these bytes undefined, and some programs read all of them as ISO 8859-1 does.
_BYTES = {ord(char): byte for byte, char in _READ_AS.items() if char != "\ufffd"}
_C = f"[\x80-\xbf{''.join(map(chr, _BYTES))}]"

_LATER = rb"(?:\xc2[\x80-\xbf]|[\xc5\xc6\xcb].|\xe2[\x80\x82\x84].)"
_LETTER = rb"(?:[\x82-\x9f]%b|[\xa0-\xaf]%b{2}|[\xb0-\xb4]%b{3})" % ((_LATER,) * 3)
_ALONE = rb"(?:[\x82-\x85]%b|\xa2%b{2}|\xb0%b{3})" % ((_LATER,) * 3)
_MAYBE = re.compile(rb"\xc3(?:%b\xc3%b|%b)" % (_LETTER, _LETTER, _ALONE), re.DOTALL)
"""Any run in UTF-8, for the one search that a page without runs costs. All runs begin with one byte, which is searched
for very fast."""
# Alone: the letters of Latin-1 and Latin Extended-A, punctuation and signs (U+2000 to U+2FFF), emoji. Letters of other
# scripts come in words, and a capital before a mark (*CAFÉ»*, *QUALITÉ²*) is no such letter.
_RUN = f"(?:(?:[Â-ß]{_C}|[à-ï]{_C}{{2}}|[ð-ô]{_C}{{3}}){{2,}}|[Â-Å]{_C}|â{_C}{{2}}|ð{_C}{{3}})"
# The last byte became a common blank. Behind a capital it may be the last letter of a word (IRMÃ, MANHÃ).
_CUT_RUN = "(?<![^\\W\\d_a-zß-öø-ÿ])[ÂÃ] "
_TAG = "<[!/?a-zA-Z][^<>]*>"
_ONE_RUN = re.compile(_RUN)
_TAG_OR_RUN = re.compile(f"{_TAG}|{_RUN}")
_TAG_OR_ANY_RUN = re.compile(f"{_TAG}|{_RUN}|{_CUT_RUN}")

_LIKE_WRITTEN = re.compile("[Â-Å][²³¹“”–—‘’]")
"""A run that people do write: *5 Å²*, *“BOM DIA, IRMÃ”*, *ALEMÃ–BRASIL*."""
_LETTERS = re.compile(r"[^\W\d_]+")
_QUOTES_DASHES_BLANKS = re.compile(r"[\s\xa0«»‘’‚“”„‹›‐-―-]*")
_LEAST_BYTES = 3
"""Least bytes of a run that needs no second one: nobody writes *dâ€™un*. A shorter one looks like a capital and a
mark."""
_LEAST_KINDS = 2
"""Least different short runs on a misread page: a single one may be an example, or a slip of the finger."""
_VIETNAMESE = re.compile("[\u1ea0-\u1ef9]")
"""Letters of Vietnamese, in which *Â* is a word, too."""
_ENCODINGS = re.compile(r"(?i)\b(?:utf-?8|iso[- ]?8859|windows-125\d|cp125\d|latin-?1|mojibake)\b")
# An element that is not closed goes on to the end, in a browser, too.
_CODE_OR_TAG = re.compile(f"(?is)<(script|style)\\b(?:.*?</\\1|.*)|{_TAG}")
_LETTER_TO_CUT = re.compile("[ÂÃ]" + _C)


def reread(html: bytes) -> bytes:
    """A page, in UTF-8, with its misread runs as they were written; tags stay as they are, with their addresses.

    The page must hold strong evidence: ``ftfy`` judges of a run that nobody writes it, and what it reads suits the
    letters beside it, which are small ones, as all these runs begin with a capital. One run of three characters or two
    different ones of two are enough, but in a text that names an encoding. Then all runs of the page are read once
    more, and those whose last byte became a blank (*15$ Ã la porte*).

    >>> reread("<p>Propositions dâ€™auteurÂ·eÂ·s, voilÃ la carte, été</p>".encode()).decode()
    '<p>Propositions d’auteur·e·s, voilà la carte, été</p>'
    >>> reread("<p>IRMÃ MARIA, «CAFÉ», 512.3Å³</p>".encode()).decode()
    '<p>IRMÃ MARIA, «CAFÉ», 512.3Å³</p>'
    """
    if not _MAYBE.search(html):
        return html
    text = html.decode("utf-8", "replace")
    if not _is_misread(text) or _ENCODINGS.search(_CODE_OR_TAG.sub(" ", text)):
        return html
    # Where text in other scripts was misread, Ã and Â may be words.
    has_cut = _LETTER_TO_CUT.search(text) and not _VIETNAMESE.search(text)
    return (_TAG_OR_ANY_RUN if has_cut else _TAG_OR_RUN).sub(_replacement, text).encode("utf-8", "replace")


def _is_misread(text: str) -> bool:
    """Whether a page holds strong evidence: a long misread run, or different short runs."""
    short = set()
    for found in _TAG_OR_RUN.finditer(text):
        run = found[0]
        if run[0] != "<" and run not in short and _is_evidence(run, *_sides_of(found)):
            if len(run) >= _LEAST_BYTES:
                return True
            short.add(run)
    return len(short) >= _LEAST_KINDS


def _is_evidence(run: str, before: str, after: str) -> bool:
    """Whether nobody writes a run between these texts, and it was a letter, quotation mark, dash or blank."""
    from ftfy.badness import is_bad

    if _LIKE_WRITTEN.fullmatch(run) or not is_bad(run):
        return False
    written = _as_written(run, before, after)
    if written == run or not _QUOTES_DASHES_BLANKS.fullmatch(_LETTERS.sub("", written)):
        return False
    if len(run) >= _LEAST_BYTES:
        return _suits(written, before, after) or (not _LETTERS.search(written) and _touches_a_word(before, after))
    return _suits(written, before, after) and (before[-1:].islower() or after.islower())


def _touches_a_word(before: str, after: str) -> bool:
    return before[-1:].isalnum() or after.isalnum()


def _sides_of(found: re.Match[str]) -> tuple[str, str]:
    """The two characters before a run, which tell a first capital from a word in capitals, and the one behind it."""
    return found.string[max(found.start() - 2, 0) : found.start()], found.string[found.end() : found.end() + 1]


def _suits(written: str, before: str, after: str) -> bool:
    """Whether letters are in the case of those beside them, as the letters of a word are; a mark stands behind a small
    letter, where nobody writes the capital with which its run begins."""
    if not _LETTERS.search(written):
        return before[-1:].islower()
    is_single = len(written) == 1 and not _LETTERS.search(before[-1:] + after)
    words = _LETTERS.findall(before + written + after)
    return not is_single and all(word in (word.lower(), word.upper(), word.title()) for word in words)


def _replacement(found: re.Match[str]) -> str:
    run = found[0]
    if run[0] == "<":
        return run
    if run[-1] == " ":
        return "à " if run[0] == "Ã" else " "
    return _as_written(run, *_sides_of(found))


def _as_written(run: str, before: str, after: str) -> str:
    """The text that was misread as a run; the run itself where its bytes are no UTF-8."""
    try:
        once = run.translate(_BYTES).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return run
    if _LIKE_WRITTEN.fullmatch(run) and not _suits(once, before, after):
        return run
    # Some texts were misread twice.
    around = f"{before}{once}{after}"
    return _ONE_RUN.sub(lambda found: _as_written(found[0], *_sides_around(found, around, len(before))), once)


def _sides_around(found: re.Match[str], around: str, shift: int) -> tuple[str, str]:
    start, end = found.start() + shift, found.end() + shift
    return around[max(start - 2, 0) : start], around[end : end + 1]
