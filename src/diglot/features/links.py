"""Links from a page to its translation: hreflang, and anchors with a language's name or code in CLDR."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Column, Ints, Mask, Pairs, distinct
from diglot.language_names import language_names, names_language
from diglot.languages import wanted_language
from diglot.site import Site

NAMED, HREFLANG = 1, 2
"""Kinds of link between two pages; 0 is none."""
_STRENGTHS = np.array([[0.0, 0.70, 0.90], [0.70, 0.80, 0.92], [0.90, 0.92, 1.00]], np.float32)
"""Strength of a pair by the kinds of its links there (row) and back (column). Ours: a ranking, no probability."""

_PROTOCOL = "^[a-zA-Z][a-zA-Z0-9+.-]*://"
_FIRST_PAGE = r"/(?:index\.(?:html?|php))?(\?|$)"
"""Name of the first page of a folder, at the end of a path."""
_ENDING = r"\.html?(\?|$)"
"""Ending of the file of a page, at the end of a path."""
_ANY_PROTOCOL, _ANY_FIRST_PAGE = re.compile(_PROTOCOL), re.compile(_FIRST_PAGE)
KNOWN_KEYS = 1 << 16
"""Addresses whose keys are remembered: a menu recurs on all pages of a site."""


def code_means_language(code: str, lang: str) -> bool:
    """Whether a hreflang code, or a site's substitute for a code (``fr_CA``, ``french``), means ``lang``."""
    try:
        if wanted_language(code.replace("_", "-"), "", (lang,)):
            return True
    except ValueError:  # no language tag: authors write whatever they like
        pass
    return code.casefold() in language_names(lang)


def page_links(site: Site) -> pa.Table:
    """All links within the site, as rows: from, to, anchor, hreflang; ``to`` by :func:`find_pages`."""
    return site.keep("page_links", lambda: _page_links(site))


def _page_links(site: Site) -> pa.Table:
    documents = site.documents
    links = documents["link_urls"].combine_chunks()
    urls = links.flatten().dictionary_encode()
    targets = find_pages(site, urls.dictionary).take(urls.indices)
    return pa.table(
        {
            "from": pc.cast(pc.list_parent_indices(links), pa.int64()),
            "to": pc.cast(targets, pa.int64()),
            "anchor": documents["link_anchors"].combine_chunks().flatten(),
            "hreflang": documents["link_hreflangs"].combine_chunks().flatten(),
        }
    ).filter(pc.is_valid(targets))


def linked_pages(site: Site) -> Ints:
    """Distinct ordered pairs of different pages with a link from the first to the second; shape (n, 2)."""
    links = page_links(site)
    return _distinct(site, np.stack([links["from"].to_numpy(), links["to"].to_numpy()], axis=1))


def neighbouring_pages(site: Site) -> Ints:
    """Distinct ordered pairs of different pages with a link in either direction; shape (n, 2)."""
    linked = linked_pages(site)
    return _distinct(site, np.concatenate([linked, linked[:, ::-1]]))


def _distinct(site: Site, pairs: Ints) -> Ints:
    here, there = np.divmod(distinct(site.pair_keys(pairs)), max(len(site), 1))
    return np.stack([here, there], axis=1)[here != there]


def find_pages(site: Site, urls: pa.Array) -> pa.Array:
    """Row of the page at each address (:func:`find_addresses`), null for none; a page has the addresses of its equal
    pages, too."""
    pages, rows = _addresses(site)
    return rows.take(find_addresses(urls, pages))


def find_addresses(urls: pa.Array, pages: pa.Array) -> pa.Array:
    """Place among the addresses ``pages`` of each address in ``urls``, int32, null for none.

    Addresses are compared as :func:`spell_alike` spells them. Where no page has the address, the name of a folder's
    first page and the last slash do not count: a server gives ``/fr/index.html`` for ``/fr/``, which is ``/fr`` in some
    copies of a site. Where no page has that address either, the ending does not count: a server gives
    ``/fr/contact.html`` for ``/fr/contact``.

    >>> pages = pa.array(["https://a.org/fr/index.html", "https://a.org/fr/b.html"])
    >>> find_addresses(pa.array(["http://a.org/fr/", "https://a.org/fr/b", "https://a.org/c"]), pages).to_pylist()
    [0, 1, None]
    """
    spelt, pages = spell_alike(urls), spell_alike(pages)
    in_folder, pages_in_folder = _in_folder(spelt), _in_folder(pages)
    return pc.coalesce(
        pc.index_in(spelt, value_set=pages),
        pc.index_in(in_folder, value_set=pages_in_folder),
        pc.index_in(_without_ending(in_folder), value_set=_without_ending(pages_in_folder)),
    )


def _addresses(site: Site) -> tuple[pa.Array, pa.Array]:
    """All addresses, the pages' own before those of equal pages and reprints; the row of each."""
    own, equal = (site.documents[name].combine_chunks() for name in ("url", "equal_urls"))
    rows = pa.concat_arrays([pa.array(np.arange(len(site))), pc.list_parent_indices(equal).cast(pa.int64())])
    return pa.concat_arrays([own, equal.flatten()]), rows


def _in_folder(urls: pa.Array) -> pa.Array:
    """Addresses without the name of the first page of a folder, and without the last slash."""
    return pc.replace_substring_regex(urls, _FIRST_PAGE, r"\1")


def _without_ending(urls: pa.Array) -> pa.Array:
    """Addresses without the ending of a file."""
    return pc.replace_substring_regex(urls, _ENDING, r"\1")


def spell_alike(urls: pa.Array) -> pa.Array:
    """Addresses of links or pages as they are compared: without protocol, and with ``?`` for ``%3F``.

    ``wget -k`` writes ``page.php%3Fid=3`` in links to the file ``page.php?id=3``.
    """
    return pc.replace_substring(pc.replace_substring_regex(urls, _PROTOCOL, ""), "%3F", "?")


@lru_cache(KNOWN_KEYS)
def page_key(url: str) -> str:
    """An address as :func:`find_pages` compares it, without the name of a folder's first page and the last slash.

    The ending stays: ``/fr/news.html`` may be another page than ``/fr/news/``, and a key knows no other pages.

    >>> page_key("https://a.org/fr/index.html"), page_key("http://a.org/fr.html"), page_key("http://a.org/fr/?p=1")
    ('a.org/fr', 'a.org/fr.html', 'a.org/fr?p=1')
    """
    return _ANY_FIRST_PAGE.sub(r"\1", _ANY_PROTOCOL.sub("", url).replace("%3F", "?"))


def language_links(site: Site) -> Ints:
    """Links stated to lead to another language, rows (from, to, kind), shape (n, 3), each (from, to) once.

    Left out are links to the page itself, to pages in its own language, and to a page in a language other than stated.
    """
    return site.keep("language_links", lambda: _language_links(site))


def _language_links(site: Site) -> Ints:
    table = _links_between_languages(site)
    langs = np.array(site.strings("lang"), dtype=object)
    there, here = langs[table["to"].to_numpy()], langs[table["from"].to_numpy()]
    kinds = np.zeros(table.num_rows, np.int64)
    for column, kind in (("anchor", NAMED), ("hreflang", HREFLANG)):
        said = table[column].combine_chunks().dictionary_encode()
        texts, codes = said.dictionary.to_pylist(), said.indices.to_numpy()
        # Anchors recur all over a site, and names of languages take long to look up.
        known: dict[tuple[int, str, str], bool] = {}
        for k, key in enumerate(zip(codes.tolist(), there, here, strict=True)):
            if key not in known:
                code, to, shown_in = key
                text = texts[code]
                known[key] = (
                    code_means_language(text, to) if kind == HREFLANG else names_language(text, to, (shown_in,))
                )
            if known[key]:
                kinds[k] = kind
    edges = np.stack([table["from"].to_numpy(), table["to"].to_numpy(), kinds], axis=1)[kinds > 0]
    return _strongest(edges, len(site))


def _links_between_languages(site: Site) -> pa.Table:
    """All links between pages in different languages: from, to, anchor, hreflang."""
    table = page_links(site)
    langs = site.lang_numbers
    return table.filter(pa.array(langs[table["from"].to_numpy()] != langs[table["to"].to_numpy()]))


def _strongest(edges: Ints, page_count: int) -> Ints:
    """Linked pairs (from, to) with their strongest kind, sorted."""
    keys = edges[:, 0] * page_count + edges[:, 1]
    # The strongest first, because np.unique finds the first of equal pairs.
    order = np.lexsort((-edges[:, 2], keys))
    first = np.unique(keys[order], return_index=True)[1]
    return np.asarray(edges[order][first])


def link_strength(site: Site, pairs: Pairs) -> Column:
    """Strength of the links between two pages as translations, in [0, 1]; 0 without any.

    1 for hreflang both ways, .92 with a name for the way back, .9 one way; names .8 and .7.
    """
    return _strengths(site, language_links(site), pairs)


def mutually_named_mask(site: Site, pairs: Pairs) -> Mask:
    """Mask of pairs whose pages name each other as language versions, or one the other by hreflang, (n,).

    Several French pages may name one English page by hreflang: a home page, or legal notes that stand in English alone.
    Such a page is the version of a French page only if it names the French page as well.
    """
    edges = language_links(site).copy()
    langs = site.lang_numbers
    coded = np.flatnonzero(edges[:, 2] == HREFLANG)
    targets = edges[coded, 1] * len(site) + langs[edges[coded, 0]]
    _, place, times = np.unique(targets, return_inverse=True, return_counts=True)
    edges[coded[times[place] > 1], 2] = NAMED
    named: Mask = _strengths(site, edges, pairs) >= _STRENGTHS[NAMED, NAMED]
    return named


def _strengths(site: Site, edges: Ints, pairs: Pairs) -> Column:
    keys = edges[:, 0] * len(site) + edges[:, 1]
    wanted = pairs.astype(np.int64)
    there = _lookup(keys, edges[:, 2], wanted[:, 0] * len(site) + wanted[:, 1])
    back = _lookup(keys, edges[:, 2], wanted[:, 1] * len(site) + wanted[:, 0])
    return np.asarray(_STRENGTHS[there, back])


def _lookup(keys: Ints, values: Ints, wanted: Ints) -> Ints:
    """Values of the ``wanted`` keys, 0 for keys outside of the sorted ``keys``."""
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], 0)
