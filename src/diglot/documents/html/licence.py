"""Elements of a page with their attributes -> the address of the page's licence.

Evidence, strongest first: a licence named in the head, a link marked as a licence, a licence or rights in Dublin Core,
a link to Creative Commons at the foot. The strongest kind decides if all its statements agree. Two licences mean a
picture with its own licence, or a page about licences: then the page has none. Microdata and JSON-LD are not read: they
mostly describe pictures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from diglot.documents.html.links import Addresses, unescape, value_of
from diglot.documents.html.pieces import Chunks, Elements
from diglot.documents.html.tags import start_code
from diglot.pages.address import is_web_address

_A, _META = map(start_code, ("a", "meta"))
_ADDRESS, _REL, _NAME, _PROPERTY = 0, 2, 2, 3
"""Slots of attribute values of links and of ``meta``, with the content in the slot of the address."""
_LICENCE = frozenset(("license", "cc:license", "dct:license", "xhv:license"))
_DUBLIN_CORE = re.compile(r"(?:dc|dct|dcterms)[.:](?:license|rights(?:\.license)?)")
_COMMONS = re.compile(
    r"(?:https?:)?//(?:www\.)?creativecommons\.org/(licenses|publicdomain)/([a-z+-]+)(?:/(\d\.\d))?"
    r"(?:/(?!deed|legalcode|rdf)([a-z]{2,8})(?![a-z.]))?",
    re.IGNORECASE,
)
"""A licence, mark or dedication of Creative Commons: kind, name, version and jurisdiction."""
_FOOT_SHARE = 0.1
"""Largest share of a page's text behind a link at its foot, outside a ``footer`` element."""


class _Statement(NamedTuple):
    """An address stated as licence or rights."""

    strength: int
    """0 in the head, 1 a link in the text, 2 Dublin Core."""
    address: str


def read_licence(markup: bytes, elements: Elements, chunks: Chunks, url: str, links: Sequence[str]) -> str:
    """Address of a page's licence, "" for none or several; ``links``: addresses linked on the page.

    A licence of Creative Commons has its own address here, not that of its summary in some language. A page with the
    text of a licence links to the summary, but that does not put the page under the licence.
    """
    stated = list(_statements(markup, elements, url))
    if stated:
        strongest = min(statement.strength for statement in stated)
        addresses = {address for strength, address in stated if strength == strongest}
    else:
        found = {_commons(link) for link in links if "creativecommons.org/" in link} - {"", _commons(url)}
        addresses = found if len(found) == 1 and _is_at_foot(markup, elements, chunks) else set()
    return addresses.pop() if len(addresses) == 1 else ""


def _commons(text: str) -> str:
    """Address of the first Creative Commons licence in a text, "" for none."""
    match = _COMMONS.search(text)
    return "/".join(["https://creativecommons.org", *filter(None, match.groups()), ""]).lower() if match else ""


def _statements(markup: bytes, elements: Elements, url: str) -> Iterator[_Statement]:
    """Statements of the page's marked elements, in order; an element without a web address states nothing."""
    is_named = ((elements.values[:, _REL, 0] >= 0) | (elements.values[:, _PROPERTY, 0] >= 0)).nonzero()[0]
    addresses = Addresses(url)
    for row in is_named.tolist():
        code = elements.codes[row]
        names = f"{value_of(markup, elements, row, _NAME)} {value_of(markup, elements, row, _PROPERTY)}".lower().split()
        is_licence = code != _META and not _LICENCE.isdisjoint(names)
        if not is_licence and not any(map(_DUBLIN_CORE.fullmatch, names)):
            continue
        given = unescape(value_of(markup, elements, row, _ADDRESS)).strip()
        address = given if code == _META else addresses.resolve(given.encode())
        licence = _commons(given) or (address if is_web_address(address) and not any(map(str.isspace, address)) else "")
        if licence and (is_licence or _is_of_licence(names, licence)):
            yield _Statement(2 if not is_licence else int(code == _A), licence)


def _is_of_licence(names: list[str], address: str) -> bool:
    """Whether a Dublin Core statement is a licence: "rights" may link to a page about rights."""
    return any("license" in name for name in names) or "licen" in address.lower() or bool(_commons(address))


def _is_at_foot(markup: bytes, elements: Elements, chunks: Chunks) -> bool:
    """Whether the last link to Creative Commons stands at the foot of the page."""
    starts, ends = elements.values[:, _ADDRESS].T
    for row in np.flatnonzero((elements.codes == _A) & (starts >= 0))[::-1].tolist():
        if _commons(markup[starts[row] : ends[row]].decode()):
            in_footer = markup.rfind(b"<footer", 0, starts[row]) > markup.rfind(b"</footer", 0, starts[row])
            behind = chunks.offsets[-1] - chunks.offsets[chunks.before[elements.pieces[row]]]
            return bool(in_footer or behind <= _FOOT_SHARE * chunks.offsets[-1])
    return False
