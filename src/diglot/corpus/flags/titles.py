"""Titles without the name of the site that both sides end with, where it is in a language foreign to a side.

A site sets its own name behind a bar in the title of every page, and most sites leave it untranslated in all language
versions: *Hair - Barnebøker for Norge*, *Волосся - Barnebøker for Norge*. A name of capitalised words in Latin letters
(*TVK Group*) is the same in all languages, and stays.
"""

from __future__ import annotations

import re
from functools import lru_cache

import pyarrow as pa

from diglot.corpus.flags.foreign_part import is_foreign
from diglot.scripts import own_script_share
from diglot.words import LETTER_RUNS

_BAR = re.compile(r"\s(?:[|｜·•‹›«»–—-]|::)\s")
"""Marks between the parts of a title, with blanks around: a hyphen without them joins words."""
_NOT_LATIN = re.compile("[^\\W\\d_A-Za-z\u00aa-\u024f\u1e00-\u1eff]")
_KNOWN_NAMES = 1 << 12
"""Names kept with the answer: the same name ends the title of every page of a site."""


def without_foreign_end(src: str, tgt: str, langs: tuple[str, str]) -> tuple[str, str]:
    """Two titles without the parts behind a bar that are the same on both sides, if foreign to a language (BCP 47).

    >>> without_foreign_end("Hair - Barnebøker for Norge", "Волосся - Barnebøker for Norge", ("en", "uk"))
    ('Hair', 'Волосся')
    """
    begins, name = split_shared_end(src, tgt)
    return begins if name and _is_foreign_name(name, langs) else (src, tgt)


def split_shared_end(src: str, tgt: str) -> tuple[tuple[str, str], str]:
    """Both titles without the parts behind a bar that are the same on both sides, and these parts; one part stays.

    >>> split_shared_end("Hair | Home | ABC", "Haar | Start | ABC"), split_shared_end("Hair", "Hair")
    ((('Hair | Home', 'Haar | Start'), 'ABC'), (('Hair', 'Hair'), ''))
    """
    bars, others = (list(_BAR.finditer(title)) for title in (src, tgt))
    shared, ends = 0, (len(src), len(tgt))
    # Each part is compared with the bar behind it: no text is read twice.
    for mine, its in zip(reversed(bars), reversed(others), strict=False):
        if src[mine.end() : ends[0]].split() != tgt[its.end() : ends[1]].split():
            break
        shared, ends = shared + 1, (mine.end(), its.end())
    if not shared:
        return (src, tgt), ""
    begins = src[: bars[-shared].start()].rstrip(), tgt[: others[-shared].start()].rstrip()
    return (begins, src[bars[-shared].end() :]) if all(begins) else ((src, tgt), "")


@lru_cache(_KNOWN_NAMES)
def _is_foreign_name(name: str, langs: tuple[str, str]) -> bool:
    # Latin letters stand in texts of all scripts, other letters in their own alone.
    others = pa.array(["".join(_NOT_LATIN.findall(name))])
    if any(own_script_share(others, lang)[0] < 1 for lang in langs):
        return True
    return is_foreign(" ".join(LETTER_RUNS.findall(name)), *langs)
