"""One page -> one document, or the reason why not: decode, linearise, mark the main text, identify the language."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from diglot.documents.encoding import decode
from diglot.documents.language import SAMPLE_CHARS, UNDETERMINED, identify
from diglot.documents.linearise import Linear, linearise
from diglot.documents.machine import machine_mark
from diglot.records import BlockKind, Drop, Page, Reason

MAX_LINK_DENSITY = 0.5
"""Share of link characters from which a block is navigation rather than text (Kohlschütter et al.
2010 find the cut between .3 and .6 on news and web pages)."""
MAX_ATTRIBUTES_PER_TAG = 2_000
"""No real page comes near; parsers need time quadratic in this number."""
_LONG_TAG_CHARS = 20_000
_TAG_START = re.compile(r"<[a-zA-Z]")
_WORD = re.compile(r"[^\s=\"'<>]+")
_MANY_VALUES = re.compile(
    rf"""<[a-zA-Z](?:[^<>=]*+=\s*+(?:"[^"]*+"|'[^']*+'|[^"'\s>][^\s>]*+)){{{MAX_ATTRIBUTES_PER_TAG + 1}}}"""
)


def parse_page(page: Page) -> dict[str, Any] | Drop:
    """Row of :data:`diglot.records.DOCUMENT_SCHEMA` for a page, or a drop with its reason."""
    decoded = decode(page.body, page.content_type)
    if decoded is None:
        return _drop(page, Reason.UNDECODABLE, page.content_type)
    html, charset, charset_by = decoded
    if _is_hostile(html):
        return _drop(page, Reason.HOSTILE_MARKUP, f"a tag with more than {MAX_ATTRIBUTES_PER_TAG} attributes")
    linear = linearise(html, page.url)
    if not len(linear.chunks):
        detail = f"{linear.hidden_chars} characters hidden" if linear.hidden_chars else ""
        return _drop(page, Reason.NO_TEXT, detail)
    main = mark_main(linear)
    declared = linear.declared_lang or page.declared_lang
    lang, confidence = _identify(linear, main, declared)
    return {
        "url": page.url,
        "source": page.source,
        "offset": page.offset,
        "fetched": page.fetched,
        "size_bytes": len(page.body),
        "charset": charset,
        "charset_by": charset_by,
        "declared_lang": declared,
        "lang": lang,
        "lang_confidence": confidence,
        "tokens": linear.tokens,
        "chunks": linear.chunks,
        "block_ends": linear.block_ends,
        "block_kinds": linear.block_kinds,
        "block_main": main,
        "link_urls": linear.link_urls,
        "link_anchors": linear.link_anchors,
        "link_hreflangs": linear.link_hreflangs,
        "link_alternate": linear.link_alternate,
        "images": linear.images,
        "text_length_chars": int(linear.block_chars.sum()),
        "hidden_chars": linear.hidden_chars,
        "machine_mark": machine_mark(html),
    }


def _drop(page: Page, reason: Reason, detail: str) -> Drop:
    return Drop(page.url, reason, detail, page.source, page.offset)


def mark_main(linear: Linear) -> npt.NDArray[np.bool_]:
    """Which blocks are main text, as far as one page tells: outside navigation and not mostly links."""
    is_text = ~linear.block_aside & (linear.block_kinds != BlockKind.CONTROL)
    is_main: npt.NDArray[np.bool_] = is_text & (linear.block_link_chars <= MAX_LINK_DENSITY * linear.block_chars)
    return is_main


def _identify(linear: Linear, main: npt.NDArray[np.bool_], declared: str) -> tuple[str, float]:
    """Language of the page's prose; of all its text where there is too little prose to tell."""
    lang, confidence = identify(_prose_sample(linear, main), declared)
    if lang == UNDETERMINED:
        return identify(" ".join(linear.chunks[:SAMPLE_CHARS].to_pylist())[:SAMPLE_CHARS], declared)
    return lang, confidence


def _prose_sample(linear: Linear, main: npt.NDArray[np.bool_]) -> str:
    """Beginnings of the longest main blocks: code, names and menus, often English, are short."""
    prose = np.flatnonzero(main & (linear.block_kinds != BlockKind.PREFORMATTED))
    sample: list[str] = []
    left = SAMPLE_CHARS
    for block in prose[np.argsort(-linear.block_chars[prose], kind="stable")].tolist():
        if left <= 0:
            break
        first = int(linear.block_ends[block - 1]) if block else 0
        text = "".join(linear.chunks[first : int(linear.block_ends[block])].to_pylist())
        sample.append(text[: min(left, SAMPLE_CHARS // 4)])
        left -= len(sample[-1])
    return " ".join(sample)


def _is_hostile(html: str) -> bool:
    """Whether some tag has more attributes than any real page's, with values (which may hold ">") or without."""
    tags: list[str] = []
    if html.count("=") > MAX_ATTRIBUTES_PER_TAG:
        tags += [match[0] for match in _MANY_VALUES.finditer(html)]
    if _has_long_tag(html):
        for piece in html.split(">"):
            start = _TAG_START.search(piece) if len(piece) > _LONG_TAG_CHARS else None
            if start:
                tags.append(piece[start.start() :])
    # Code with a "<" in it looks like a tag, but repeats its words.
    return any(len(set(_WORD.findall(tag))) > MAX_ATTRIBUTES_PER_TAG for tag in tags)


def _has_long_tag(html: str) -> bool:
    """Whether somewhere no tag ends for long; looks at few places."""
    place = 0
    while place + _LONG_TAG_CHARS < len(html):
        end = html.rfind(">", place, place + _LONG_TAG_CHARS)
        if end < 0:
            return True
        place = end + 1
    return False
