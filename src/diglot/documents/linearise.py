"""HTML text -> token stream, chunks, blocks, links and images, in one walk.

*Linearise* is STRAND's word (Resnik & Smith 2003): a page becomes a line of tags and text chunks.
selectolax repairs the markup as a browser would; its own serialisation, regular by construction, is
then cut into tokens by one regular expression, several times faster than visiting nodes from Python.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from diglot.documents.tags import TAGS, end_code, start_code
from diglot.documents.visible import take_out_unseen, without_noscript
from diglot.pages.address import is_web_address, tidy_address
from diglot.records import BlockKind

_TOKEN = re.compile(
    r"<!--.*?-->|<\?[^>]*>"
    r'|<(/?)([a-z][^ />]*)((?: =?[^ =>]*(?:="[^"]*")?)*)>'
    r"|([^<]+)",
    re.IGNORECASE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r' ([^ =>]+)="([^"]*)"')
_EMBEDS = ("<iframe", "<IFRAME", "<object", "<OBJECT")
_VERBATIM = ("<xmp", "<plaintext")
"""Elements whose text is serialised as it is, markup and all."""

_VOID = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "frame",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    ]
)
_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "br",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frame",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "label",
        "legend",
        "li",
        "main",
        "menu",
        "nav",
        "ol",
        "optgroup",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "select",
        "summary",
        "table",
        "tbody",
        "td",
        "textarea",
        "tfoot",
        "th",
        "thead",
        "title",
        "tr",
        "ul",
    ]
)
"""Tags that end a block of text: the block-level elements of the HTML standard's rendering section."""

_KINDS = {
    "title": BlockKind.TITLE,
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), BlockKind.HEADING),
    **dict.fromkeys(("li", "dt", "dd"), BlockKind.LIST_ITEM),
    **dict.fromkeys(("td", "th"), BlockKind.TABLE_CELL),
    **dict.fromkeys(("caption", "figcaption", "legend"), BlockKind.CAPTION),
    **dict.fromkeys(("option", "button", "label", "textarea", "select"), BlockKind.CONTROL),
    "pre": BlockKind.PREFORMATTED,
    "blockquote": BlockKind.PARAGRAPH,
    "body": BlockKind.PARAGRAPH,
}
_ASIDE = frozenset(("nav", "footer", "aside", "menu", "select", "button"))
"""Containers whose text is navigation or furniture, never main text."""

_WITH_ATTRIBUTES = frozenset(("a", "area", "base", "frame", "html", "img", "link", "meta"))
_TAG_TABLE = {
    name: (start_code(name), end_code(name), name in _BLOCKS, name in _VOID, name in _WITH_ATTRIBUTES) for name in TAGS
}
_UNKNOWN = (start_code("unknown"), end_code("unknown"), False, False, False)
_BLANK = r"\x00-\x20\x7f-\xa0\u2028\u2029\\"
_PLAIN_HREF = re.compile(rf"(/?)[\w%~][^:?;/{_BLANK}]*(?:/[\w%~][^:?;/{_BLANK}]*)*/?")
_WHOLE_HREF = re.compile(rf"https?://[a-z0-9.-]+(?:/[^{_BLANK}]*)?")
"""Relative and absolute addresses, by far the most frequent, in which nothing needs resolving."""


@dataclass(slots=True)
class Linear:
    """What the walk gathers; the columns of :data:`diglot.records.DOCUMENT_SCHEMA` of the same names.

    ``chunks`` keep one space at an end where the page has white space there, so that chunks joined
    over an irrelevant tag read as the page does; token lengths are those of the stripped text.
    """

    tokens: list[int] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    block_ends: list[int] = field(default_factory=list)
    block_kinds: list[int] = field(default_factory=list)
    block_aside: list[bool] = field(default_factory=list)
    block_chars: list[int] = field(default_factory=list)
    block_link_chars: list[int] = field(default_factory=list)
    link_urls: list[str] = field(default_factory=list)
    link_anchors: list[str] = field(default_factory=list)
    link_hreflangs: list[str] = field(default_factory=list)
    link_alternate: list[bool] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    declared_lang: str = ""
    hidden_chars: int = 0


def linearise(html: str, url: str) -> Linear:
    """Walk one decoded page; ``url`` is its address, against which links are resolved."""
    html = without_noscript(html)
    tree = LexborHTMLParser(html)
    walk = _Walk(url)
    embedded = _embedded(tree) if any(hint in html for hint in _EMBEDS) else []
    walk.out.hidden_chars = take_out_unseen(tree, html)
    walk.markup(_markup(tree))
    for address in embedded:
        walk.image(address)
    return walk.out


def _embedded(tree: LexborHTMLParser) -> list[str]:
    """What iframes and objects show, as the page writes the addresses."""
    found = tree.css("iframe[src], object[data]")
    return [node.attributes.get("src") or node.attributes.get("data") or "" for node in found]


def _markup(tree: LexborHTMLParser) -> str:
    """The tree's serialisation, in which ``<`` begins a tag or a comment and nothing else."""
    markup = (tree.root and tree.root.html) or ""
    if any(name in markup for name in _VERBATIM):
        for node in tree.css("xmp, plaintext"):
            escaped = tree.create_node("pre")
            escaped.insert_child(node.text())
            node.replace_with(escaped)
        markup = (tree.root and tree.root.html) or ""
    return markup


class _Walk:
    """The state of one walk: open blocks, the open link, how much of a block is link text."""

    def __init__(self, url: str) -> None:
        self.out = Linear()
        self._set_address(url)
        self._kinds = [int(BlockKind.PARAGRAPH)]
        self._aside = 0
        self._chars = 0
        self._link_chars = 0
        self._anchor: list[str] | None = None
        self._anchor_alt = ""

    def markup(self, markup: str) -> None:
        """The hot loop: some 2 million tokens a second must pass here."""
        out, kinds, table = self.out, self._kinds, _TAG_TABLE
        tokens, chunks = out.tokens, out.chunks
        for closing, name, attributes, text in _TOKEN.findall(markup):
            if text:
                if not text.isspace():
                    self._text(text)
                elif chunks and chunks[-1][-1] != " ":
                    chunks[-1] += " "
                continue
            start, end, is_block, is_void, has_attributes = table.get(name, _UNKNOWN)
            if is_block:
                if len(chunks) != (out.block_ends[-1] if out.block_ends else 0):
                    self._end_block()
                if not is_void:
                    if closing:
                        kinds.pop()
                        self._aside -= name in _ASIDE
                    else:
                        kinds.append(_kind(name, kinds[-1]))
                        self._aside += name in _ASIDE
            if closing:
                tokens.append(end)
                if name == "a":
                    self._end_link()
            elif name:
                tokens.append(start)
                if has_attributes and attributes:
                    self._attributes(name, attributes)
        self._end_block()

    def _text(self, text: str) -> None:
        if "&" in text:
            text = _unescape(text)
        body = " ".join(text.split())
        if not body:  # no-break spaces alone
            if self.out.chunks and self.out.chunks[-1][-1] != " ":
                self.out.chunks[-1] += " "
            return
        self.out.tokens.append(len(body))
        self._chars += len(body)
        if self._anchor is not None:
            self._anchor.append(body)
            self._link_chars += len(body)
        if len(body) != len(text):
            lead, trail = text[0].isspace(), text[-1].isspace()
            body = f"{' ' if lead else ''}{body}{' ' if trail else ''}"
        self.out.chunks.append(body)

    def _end_block(self) -> None:
        out = self.out
        if len(out.chunks) == (out.block_ends[-1] if out.block_ends else 0):
            return
        out.block_ends.append(len(out.chunks))
        out.block_kinds.append(self._kinds[-1])
        out.block_aside.append(self._aside > 0)
        out.block_chars.append(self._chars)
        out.block_link_chars.append(self._link_chars)
        self._chars = self._link_chars = 0

    def _attributes(self, name: str, raw: str) -> None:
        values = dict(_ATTRIBUTE.findall(raw))
        if name == "a":
            self._start_link(values)
        elif name == "area" and "href" in values:
            self._add_link(values["href"], _unescape(values.get("alt", "")), "", alternate=False)
        elif name == "img":
            self.image(values.get("src", ""))
            if self._anchor is not None and "alt" in values:
                self._anchor_alt = values["alt"]
        elif name == "link":
            self._link_element(values)
        elif name == "frame":
            self._add_link(values.get("src", ""), "", "", alternate=False)
        elif name == "base" and values.get("href"):
            self._set_address(self._join(_unescape(values["href"])) or self._url)
        elif name == "html":
            self._declare(values.get("lang") or values.get("xml:lang") or "")
        elif name == "meta" and values.get("http-equiv", "").lower() == "content-language":
            self._declare(values.get("content", ""))

    def _declare(self, lang: str) -> None:
        self.out.declared_lang = self.out.declared_lang or lang.strip()

    def _start_link(self, values: dict[str, str]) -> None:
        if "href" not in values:
            return
        self._add_link(values["href"], "", values.get("hreflang", ""), alternate=False)
        self._anchor, self._anchor_alt = [], ""

    def _end_link(self) -> None:
        if self._anchor is None:
            return
        anchor = " ".join(self._anchor) or _unescape(self._anchor_alt)
        if self.out.link_anchors and not self.out.link_anchors[-1]:
            self.out.link_anchors[-1] = anchor
        self._anchor = None

    def _link_element(self, values: dict[str, str]) -> None:
        if "alternate" in values.get("rel", "").lower().split() and values.get("hreflang"):
            self._add_link(values.get("href", ""), "", values["hreflang"], alternate=True)

    def _add_link(self, href: str, anchor: str, hreflang: str, *, alternate: bool) -> None:
        out = self.out
        out.link_urls.append(self._resolve(href))
        out.link_anchors.append(anchor)
        out.link_hreflangs.append(hreflang.strip())
        out.link_alternate.append(alternate)

    def image(self, src: str) -> None:
        """Record the address of an image (or of what an iframe shows)."""
        if src and not src.startswith("data:"):
            self.out.images.append(self._resolve(src))

    def _set_address(self, url: str) -> None:
        self._url = url
        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        self._origin = f"{parts.scheme}://{parts.netloc}"
        self._folder = self._origin + (parts.path.rpartition("/")[0] or "") + "/"

    def _resolve(self, href: str) -> str:
        """Absolute address without its fragment; "" for what is not a page (mailto:, javascript: ...)."""
        href = _unescape(href).strip().partition("#")[0]
        plain = _PLAIN_HREF.fullmatch(href)
        if plain:
            return (self._origin if plain[1] else self._folder) + href
        if _WHOLE_HREF.fullmatch(href):
            return href
        return self._join(href) if href else ""

    def _join(self, href: str) -> str:
        try:
            joined = tidy_address(urljoin(self._url, href))
        except ValueError:
            return ""
        return joined if is_web_address(joined) else ""


def _kind(name: str, parent: int) -> int:
    """Kind of a block from its innermost telling tag; a paragraph in a table cell is a paragraph."""
    if name == "p" and parent == BlockKind.TABLE_CELL:
        return BlockKind.PARAGRAPH
    return int(_KINDS.get(name, parent))


def _unescape(text: str) -> str:
    """The four entities that the serialiser writes."""
    if "&" not in text:
        return text
    return (
        text.replace("&nbsp;", "\u00a0")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&amp;", "&")
    )
