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

_MAYBE = re.compile(rb"\xc3[\x82-\xb4](?:\xc2[\x80-\xbf]|[\xc5\xc6\xcb].|\xe2[\x80\x82\x84])", re.DOTALL)
"""The first two characters of any run in UTF-8, for the one search that a page without runs costs. All runs begin with
one byte, which is searched for very fast."""
# Alone: the letters of Latin-1 and Latin Extended-A, punctuation and signs (U+2000 to U+2FFF), emoji. Letters of other
# scripts come in words, and a capital before a mark (*CAFÉ»*, *QUALITÉ²*) is no such letter.
_RUN = f"(?:(?:[Â-ß]{_C}|[à-ï]{_C}{{2}}|[ð-ô]{_C}{{3}}){{2,}}|[Â-Å]{_C}|â{_C}{{2}}|ð{_C}{{3}})"
_IN_WORD = re.compile(rf"(?<=[^\W_]){_RUN}|{_RUN}(?=[^\W_])")
"""A run that touches a letter or digit; texts about encodings name one between blanks or quotes."""
# The last byte became a common blank. Behind a capital it may be the last letter of a word (IRMÃ, MANHÃ).
_CUT_RUN = "(?<![^\\W\\d_a-zß-öø-ÿ])[ÂÃ] "
_TAG_OR_RUN = re.compile(f"<[!/?a-zA-Z][^<>]*>|{_RUN}|{_CUT_RUN}")


def reread(html: bytes) -> bytes:
    """A page, in UTF-8, with its misread runs as they were written; tags stay as they are, with their addresses.

    ``ftfy`` must judge once on the page that nobody writes such a run, and the run touch a letter or digit. Then all
    runs of the page are read once more, and those whose last byte became a blank (*15$ Ã la porte*).

    >>> reread("<p>Propositions dâ€™auteurÂ·eÂ·s, Ã la carte, été</p>".encode()).decode()
    '<p>Propositions d’auteur·e·s, à la carte, été</p>'
    >>> reread("<p>IRMÃ MARIA, «CAFÉ»</p>".encode()).decode()
    '<p>IRMÃ MARIA, «CAFÉ»</p>'
    """
    if not _MAYBE.search(html):
        return html
    from ftfy.badness import is_bad

    text = html.decode("utf-8", "replace")
    if not any(is_bad(run[0]) for run in _IN_WORD.finditer(text)):
        return html
    return _TAG_OR_RUN.sub(_as_written, text).encode("utf-8", "replace")


def _as_written(found: re.Match[str]) -> str:
    run = found[0]
    if run[0] == "<":
        return run
    if run[-1] == " ":
        return "à " if run[0] == "Ã" else " "
    try:
        once = run.translate(_BYTES).encode("latin-1").decode("utf-8")
    except UnicodeError:
        return run
    # Some texts were misread twice.
    return _TAG_OR_RUN.sub(_as_written, once)
