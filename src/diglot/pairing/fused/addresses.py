"""Evidence of addresses and links, learnt on the site itself: no list of languages, no hand-written pattern."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Set

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot.arrays import Column, Floats, Ints, Mask, Pairs, Rows, distinct, distinct_counts
from diglot.documents.language_tags import language_of
from diglot.features.links import find_pages, spell_alike
from diglot.features.url_difference import UrlParts, UrlRule, apply_rule, url_parts, url_rule
from diglot.languages import commonest_language
from diglot.page_language.versions import SUFFIX, code_language
from diglot.site import Site

MIN_SUPPORT = 3
"""Least count of an address difference for a rule (Bitextor's code of January 2010), and of pages for a switch."""
MIN_RELIABILITY = 0.3
"""Least share of pairs confirmed by content, for a rule or a switch."""
NEARLY = 0.7
"""Least similarity of a confirmed pair, as a share of the similarity of the best candidate of its pages."""
MAX_RULES = 30
"""Most differences of addresses that are tried as rules."""
MIN_DISTINCT_TARGETS = 0.7
"""Least number of distinct targets over the number of linking pages, for a language switch."""
MAX_TARGETS_A_PAGE = 1.2
"""Most links of a page, on average, under the anchor of a language switch."""
MIN_AGREEING = 2
"""A switch names partners elsewhere if at least so many of its links lead to pages matched by content."""
_SPELLING = r"/?(?:index)?(?:\.\w+)?/?(?:\?.*)?$"
"""Differences between addresses of one page: the last slash, the name of an index, an ending, a query."""


class LearntRules:
    """Rules that turn source into target addresses, and how far content confirms them."""

    def __init__(self, site: Site, matched: Pairs, known: Pairs, similarity: Floats) -> None:
        """Learn rules from the pages ``matched`` by content, rows (n, 2).

        A rule is the difference of two addresses, whole or in one part: where siblings are confused, the part with the
        language still recurs. One rule is learnt on all languages at once, because a language of few pages cannot show
        it: translations have the same address but for the codes of their languages. Content confirms a pair of a rule
        if the pair is about as similar as the best candidates of its pages. ``known``: the candidates, with their
        ``similarity``.
        """
        self._strength: dict[tuple[int, int], float] = {}
        self._best: defaultdict[int, float] = defaultdict(float)
        parts = {row: url_parts(site.urls[row]) for row in distinct(known.ravel()).tolist()}
        sources, targets = (distinct(known[:, side]).tolist() for side in (0, 1))
        row_of = {parts[row]: row for row in targets}
        scores = dict(zip(map(tuple, known.tolist()), similarity.tolist(), strict=True))
        best = _best_of_pages(known, similarity)
        made_by = [
            (support, {(i, row_of[new]) for i in sources for new in apply_rule(rule, parts[i]) if new in row_of})
            for rule, support in _rule_counts(parts, matched)
        ]
        found = [(support, made) for support, made in made_by if len(made) >= MIN_SUPPORT]
        if coded := _differing_by_codes(site, sources, targets):
            found.append((len(coded), coded))
        for support, made in found:
            # A pair that is no candidate counts as wrong.
            near = [scores.get((i, j), 0.0) >= NEARLY * max(best[i], best[-1 - j]) for i, j in made]
            # Shrunk towards one half, because few pairs prove little.
            borne_out = (sum(near) + 0.5) / (len(near) + 1)
            if borne_out >= MIN_RELIABILITY:
                for i, j in made:
                    self._note(i, j, support * borne_out)

    def _note(self, i: int, j: int, strength: float) -> None:
        self._strength[i, j] = max(self._strength.get((i, j), 0.0), strength)
        self._best[i] = max(self._best[i], strength)
        self._best[-1 - j] = max(self._best[-1 - j], strength)

    def candidates(self) -> Pairs:
        """Pairs of all rules, sorted."""
        return np.array(sorted(self._strength), np.int32).reshape(-1, 2)

    def evidence(self, pairs: Pairs) -> Column:
        """Evidence of pairs: 1 for the best confirmed rule of both pages, less for a weaker rule, 0 without a rule."""
        values = []
        for i, j in pairs.tolist():
            strength = self._strength.get((i, j), 0.0)
            values.append(strength / max(self._best[i], self._best[-1 - j], 1.0) if strength else 0.0)
        return np.array(values, np.float32)


def _rule_counts(parts: dict[int, UrlParts], matched: Pairs) -> list[tuple[UrlRule, int]]:
    """The commonest differences of matched pairs, whole and in single parts, with their number of pairs."""
    counts: Counter[UrlRule] = Counter()
    for i, j in matched.tolist():
        rule = url_rule(parts[i], parts[j])
        counts.update({rule, *((part,) for part in rule)})
    return [(rule, count) for rule, count in counts.most_common(MAX_RULES) if rule and count >= MIN_SUPPORT]


def _differing_by_codes(site: Site, sources: list[int], targets: list[int]) -> set[tuple[int, int]]:
    """Pairs whose addresses are the same without the codes of the pages' languages, as the site writes its addresses;
    an address that several pages of a language have without codes tells nothing, nor do fewer than :data:`MIN_SUPPORT`
    addresses shared by languages."""
    plain, shared = _plain_addresses(site)
    return _sharing(plain, shared, sources, targets) if len(shared) >= MIN_SUPPORT else set()


def few_differing_by_codes(site: Site, src: Rows, tgt: Rows, pairs: Pairs) -> Mask:
    """Mask of pairs whose addresses are the same without the codes of the pages' languages, (n,), on a site with too
    few of these (:data:`MIN_SUPPORT`) to learn from.

    Each page with a code in its address must have its counterpart: a site of one page in each language has
    ``index.html`` and ``de/index.html``, and nothing else.
    """
    plain, shared = _plain_addresses(site)
    found: set[tuple[int, int]] = set()
    if 0 < len(shared) < MIN_SUPPORT:
        coded = {address for address, url in zip(plain, site.urls, strict=True) if address != url_parts(url)}
        found = _sharing(plain, shared, src.tolist(), tgt.tolist()) if coded <= shared else found
    return np.array([tuple(pair) in found for pair in pairs.tolist()], bool)


def _sharing(
    plain: list[UrlParts], shared: Set[UrlParts], sources: list[int], targets: list[int]
) -> set[tuple[int, int]]:
    """Pairs of pages that alone in their languages have an address, without codes, among ``shared``."""
    here, there = Counter(plain[i] for i in sources), Counter(plain[j] for j in targets)
    row_of = {plain[j]: j for j in targets if there[plain[j]] == 1}
    alone = [i for i in sources if plain[i] in shared and here[plain[i]] == 1]
    return {(i, row_of[plain[i]]) for i in alone if plain[i] in row_of}


def _plain_addresses(site: Site) -> tuple[list[UrlParts], Set[UrlParts]]:
    """Address of every page without the codes of its language, and the addresses that two languages share. Cached."""
    return site.keep("addresses without codes", lambda: _without_codes(site))


def _without_codes(site: Site) -> tuple[list[UrlParts], Set[UrlParts]]:
    langs = site.strings("lang")
    plain = [_strip_codes(url_parts(url), language_of(lang)) for url, lang in zip(site.urls, langs, strict=True)]
    spoken = defaultdict(set)
    for address, lang in zip(plain, langs, strict=True):
        spoken[address].add(lang)
    return plain, {address for address, several in spoken.items() if len(several) > 1}


def _strip_codes(parts: UrlParts, lang: str) -> UrlParts:
    """An address without codes of a language: first label of the host, folders, end of the name, and values."""
    host, *folders = parts.directories
    # The last label is a country, and an address of two labels has no other.
    label, _, rest = host.partition(".")
    host = rest if "." in rest and _is_code(label, lang) else host
    folders = [folder for folder in folders if not _is_code(folder.lower(), lang)]
    # A page about-us.html is none of the United States.
    name = SUFFIX.sub(
        lambda found: "" if found[1] != "us" and _is_code(found[1].lower(), lang) else found[0], parts.filename
    )
    variables = [pair for pair in parts.variables if not _is_code(pair.partition("=")[2].lower(), lang)]
    return UrlParts((host, *folders), name, tuple(variables))


def _is_code(value: str, lang: str) -> bool:
    """Whether a value is the code of a language, or of a country where most speak the language: ``jp`` for Japanese."""
    country = commonest_language(value)
    return lang in (code_language(value), country.language if country else "")


def _best_of_pages(pairs: Pairs, similarity: Floats) -> defaultdict[int, float]:
    """Best similarity by page: source pages under their row, target pages under -1 - row."""
    best: defaultdict[int, float] = defaultdict(float)
    for (i, j), value in zip(pairs.tolist(), similarity.tolist(), strict=True):
        best[i], best[-1 - j] = max(best[i], value), max(best[-1 - j], value)
    return best


def switch_links(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    """Pairs of pages linked by a language switch, and their strength: up to 1 both ways, up to .6 one way.

    A switch is an anchor text (or hreflang) under which pages of one language link to pages of the other language, all
    to different pages. Its name does not matter; its reliability is the agreement with pages ``matched`` by content. A
    pair is weaker under a less reliable switch, and if many pages share the target.
    """
    forward, back = _switch_strengths(site, src, tgt, matched), _switch_strengths(site, tgt, src, matched[:, ::-1])
    back = {(i, j): value for (j, i), value in back.items()}
    both = forward.keys() | back.keys()
    return {
        pair: (max(forward.get(pair, 0.0), back.get(pair, 0.0)) * (1.0 if pair in forward and pair in back else 0.6))
        for pair in both
    }


def _switch_strengths(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> dict[tuple[int, int], float]:
    """Strength of the links from ``src`` to ``tgt`` under a switch, by pair of rows, in (0, 1]."""
    links = _named_links(site)
    is_src, is_tgt = np.zeros((2, len(site) + 1), bool)
    is_src[src], is_tgt[tgt] = True, True
    links = links[:, is_src[links[1]] & is_tgt[links[2]]]
    name, here, there, _, _ = links[:, ~_are_fallbacks(links)]
    pairs = np.bincount(name)
    pages, targets = (distinct_counts(name, end) for end in (here, there))
    _, reliability = _agreement(site, matched, (name, here, there), len(pairs))
    is_switch = (targets >= MIN_DISTINCT_TARGETS * pages) & (pairs <= MAX_TARGETS_A_PAGE * pages)
    kept = (is_switch & (pages >= MIN_SUPPORT) & (reliability >= MIN_RELIABILITY))[name]
    name, here, there = name[kept], here[kept], there[kept]
    # A target that many pages share is worth less for each of them.
    _, place, times = np.unique(name * len(site) + there, return_inverse=True, return_counts=True)
    found: dict[tuple[int, int], float] = {}
    values = np.minimum(1.0, 2 * reliability[name]) / times[place]
    for i, j, value in zip(here.tolist(), there.tolist(), values.tolist(), strict=True):
        found[i, j] = max(found.get((i, j), 0.0), value)
    return found


def partners_elsewhere(site: Site, src: Rows, tgt: Rows, matched: Pairs) -> Floats:
    """Chance that the translation of each page of ``src`` is at an address that the site lacks, shape (pages,).

    Such a page has a link there under a language switch: the archive holds a part of the site, or the translation is
    gone. The chance is the agreement of the switch with the pages ``matched`` by content, where it leads to a page. The
    same holds for a page whose switch falls back to a page for all, such as the home page: it has no translation. The
    chance is 0 for pages without such a link, and for pages with another link to a page of ``tgt`` under a switch.
    """
    links = _named_links(site)
    is_src, is_tgt = np.zeros((2, len(site) + 1), bool)
    is_src[src], is_tgt[tgt] = True, True
    links = links[:, is_src[links[1]]]
    name, here, there, address, _ = links
    names = int(name.max(initial=-1)) + 1
    own = ~_are_fallbacks(links)
    pages, targets = (distinct_counts(name[own], end[own], names) for end in (here, address))
    leads = is_tgt[there]
    sure = leads & own
    agreeing, reliability = _agreement(site, matched, (name[sure], here[sure], there[sure]), names)
    links_of_pages = np.bincount(name[own], minlength=names)
    is_switch = (targets >= MIN_DISTINCT_TARGETS * pages) & (links_of_pages <= MAX_TARGETS_A_PAGE * pages)
    is_switch &= (pages >= MIN_SUPPORT) & (agreeing >= MIN_AGREEING) & (reliability >= MIN_RELIABILITY)
    # Under a switch to tgt no page links to a third language, or to its own.
    is_switch &= np.bincount(name[(there < len(site)) & ~leads], minlength=names) == 0
    found = np.zeros(len(site))
    gone = is_switch[name] & ~sure
    np.maximum.at(found, here[gone], reliability[name[gone]])
    found[here[is_switch[name] & sure]] = 0.0
    return found


def _are_fallbacks(links: Ints) -> Mask:
    """Mask of the links to an address that many pages share under one name, and that does not link back: a switch leads
    to the home page, say, where a page has no translation. ``links``: those of :func:`_named_links`."""
    name, _, _, address, is_answered = links
    key = name * (int(address.max(initial=0)) + 1) + address
    _, place, times = np.unique(key, return_inverse=True, return_counts=True)
    return np.asarray((times[place] >= MIN_SUPPORT) & (is_answered == 0))


def _agreement(site: Site, matched: Pairs, links: tuple[Ints, Ints, Ints], names: int) -> tuple[Ints, Floats]:
    """Number of links of each name between pages ``matched`` by content, and share of its links that may be so.

    ``links``: number of the name, page and linked page.
    """
    name, here, there = links
    partner = np.full(len(site), -1)
    partner[matched[:, 0]] = matched[:, 1]
    agreeing, known = (
        np.bincount(name[mask], minlength=names) for mask in (partner[here] == there, partner[here] >= 0)
    )
    return agreeing, (agreeing + 0.5) / (known + 1)


def _named_links(site: Site) -> Ints:
    """Links under a name that leads to pages of the site, each once, sorted: int64 (5, n).

    The rows are the number of the name (hreflang, else anchor), the page, the linked page, the number of the address,
    and 1 where the linked page links back. For an address without a page here, the linked page is the number of pages.
    """
    return site.keep("links by what names them", lambda: _name_links(site))


def _name_links(site: Site) -> Ints:
    urls = site.flat_strings("link_urls").dictionary_encode()
    pages = spell_alike(site.documents["url"]).combine_chunks()
    # A site repeats its links on every page: each address is spelt once.
    spelt = spell_alike(urls.dictionary).dictionary_encode()
    known, number = spelt.dictionary, spelt.indices.take(urls.indices).to_numpy().astype(np.int64)
    page_of = pc.fill_null(find_pages(site, known), len(site)).to_numpy()
    there = page_of[number].astype(np.int64)
    # A page has one number, however links to it are spelt.
    address = np.where(there < len(site), len(known) + there, number)
    hreflang, anchor = (site.flat_strings(column) for column in ("link_hreflangs", "link_anchors"))
    by_hreflang = pc.binary_join_element_wise("hreflang", pc.utf8_lower(hreflang), " ")
    by_anchor = pc.binary_join_element_wise("anchor", anchor, " ")
    encoded = pc.if_else(pc.equal(hreflang, ""), by_anchor, by_hreflang).dictionary_encode()
    name, here = encoded.indices.to_numpy().astype(np.int64), site.row_of_each("link_urls")
    leads = np.zeros(len(encoded.dictionary), bool)
    leads[name[there < len(site)]] = True
    kept = np.flatnonzero(leads[name] & (_at_home(pages, known)[number] | (there < len(site))))
    kept = kept[np.lexsort((address[kept], here[kept], name[kept]))]
    links = np.stack([name[kept], here[kept], there[kept], address[kept]])
    links = links[:, np.r_[True, (np.diff(links) != 0).any(axis=0)][: links.shape[1]]]
    _, here, there, _ = links
    size = len(site) + 1
    return np.vstack([links, np.isin(here * size + there, there * size + here)])


def _at_home(pages: pa.Array, urls: pa.Array) -> Mask:
    """Mask of the addresses that are on a host of the pages, and no other spelling of a page's address.

    All addresses are given without protocol.
    """
    both = (urls, pages)
    host, hosts = (pc.replace_substring_regex(each, r"[/?#].*", "") for each in both)
    spelling, own = (pc.replace_substring_regex(each, _SPELLING, "") for each in both)
    found = pc.and_(pc.is_in(host, value_set=hosts), pc.invert(pc.is_in(spelling, value_set=own)))
    return np.asarray(found.to_numpy(zero_copy_only=False), bool)
