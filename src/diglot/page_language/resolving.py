"""The language of every page, resolved from its own text, its whole text and its language version."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import langcodes
import numpy as np

from diglot.documents.language import (
    LEAST_PROBABILITY,
    SURE,
    UNDETERMINED,
    identify,
    identify_among,
    is_indistinguishable,
    meant_language,
    probabilities,
)
from diglot.documents.language_tags import are_close, is_near, language_of
from diglot.documents.text_scripts import is_in_unread_script, with_script
from diglot.languages import WEIGHED
from diglot.page_language.own_text import (
    ENOUGH_LETTERS,
    OwnText,
    declared_unknown,
    is_in_script_of,
    possible_unknown,
    weight,
)
from diglot.page_language.version_text import VersionText
from diglot.page_language.versions import MIN_SHARE, Claims, LanguageVersions, Part, code_language, page_marks
from diglot.scripts import with_scripts
from diglot.site import Site

COMMON_PAGES = 3
"""Least number of pages in a language of the site."""
TRANSLATED_SHARE = 0.2
"""Least share of own text of a translated page. A page with less was left untranslated, or is shown twice, and has the
language of the rest. Texts beside their translation in two standards of a language have a third of own text."""
LITTLE_TEXT_CHARS = 2_000
"""Characters of a page's rarest text that are read; an unlikely language of a shorter text is doubted."""
CLEAR = 0.5
"""Least confidence of the language of menus that outweighs marks: the language is likelier than all others together."""
OWN, WHOLE, VERSION, DECLARED = "its own text", "all its text", "its language version", "what it declares"
"""Kinds of evidence, as users read them: values of :attr:`PageLanguage.by`."""


class PageLanguage(NamedTuple):
    """The language of a page, and the evidence."""

    tag: str
    """BCP 47; "und" where unknown."""
    by: str
    version: str = ""
    """Primary subtag of the page's language version; "" without mark."""


def resolve_languages(
    site: Site, langs: tuple[str, ...], *, source: str = WEIGHED, rules: Sequence[str] = ()
) -> list[PageLanguage]:
    """The language of every page of a site.

    ``langs``: wanted languages, BCP 47 tags; ``source``: the only evidence to use, one of
    :data:`diglot.languages.LANG_FROM`; ``rules``: ``TEXT=TAG``, the language of pages with a text in their address.
    """
    pages = _read_pages(site, langs)
    read, claims = pages.read, pages.claims
    evidence, resolved = _resolve_by_evidence(pages, source)
    if source != "text":
        resolved = _resolve_by_marks(pages, evidence, resolved)
    tags = [each.tag for each in resolved]
    # The identifier's answer for a script that it does not read is wrong: only marks name the language.
    resolved = [
        PageLanguage(UNDETERMINED, OWN) if sample.unread else each for each, sample in zip(resolved, read, strict=True)
    ]
    learnt = pages.learnt.copy()
    unknown = _unknown_languages(pages.own, read, tags, claims, langs) if source != "text" else {}
    for page, lang in unknown.items():
        resolved[page] = PageLanguage(lang, DECLARED if lang in claims[page].languages() else OWN)
        # The mark was learnt from pages of unknown languages, too.
        learnt[page] = ""
    for page, url in enumerate(site.urls):
        tag, by = forced_language(url, claims[page], source, rules)
        if tag:
            resolved[page] = PageLanguage(with_script(tag, read[page].text), by)
    resolved = _with_versions(resolved, pages.marked, learnt)
    tags = with_scripts([each.tag for each in resolved], pages.text_of, langs)
    return [each._replace(tag=tag) for each, tag in zip(resolved, tags, strict=True)]


@dataclass(frozen=True, slots=True)
class _Pages:
    """The pages of a site, and the evidence read before anything is decided; lists have a value for each page."""

    site: Site
    own: OwnText
    read: list[_OwnLanguage]
    likely: frozenset[str]
    """Languages of the site, and wanted languages."""
    wanted: frozenset[str]
    claims: list[Claims]
    """Languages named by the marks of the pages."""
    marked: list[Claims]
    """The claims without declarations of a template."""
    learnt: list[str]
    """Language version of a page, learnt from pages with the same mark; "" for none."""
    whole: list[tuple[str, float]]
    """Tag and confidence of the language of all text but placeholders."""

    def text_of(self, page: int) -> str:
        """The sample of a page's own text, else all its text."""
        return self.read[page].text or self.all_text_of(page)

    def all_text_of(self, page: int) -> str:
        """All text of the page, menus too, but for placeholders."""
        left = self.own.all_but_placeholders(page)
        return " ".join(self.site.documents["chunks"][page].as_py()) if left is None else left


def _read_pages(site: Site, langs: Sequence[str]) -> _Pages:
    own, wanted = OwnText(site), frozenset(map(language_of, langs))
    read = list(map(_identify_own, own.samples()))
    as_read = zip(site.strings("lang"), site.documents["lang_confidence"].to_pylist(), strict=True)
    left = map(own.all_but_placeholders, range(len(site)))
    whole = [each if text is None else identify(text) for each, text in zip(as_read, left, strict=True)]
    likely = _likely_languages(whole, Counter(each.sure for each in read if each.sure)) | wanted
    marks = page_marks(site)
    versions = LanguageVersions(site, marks, _taught_languages(read, own, marks, wanted))
    claims, learnt = versions.claims(wanted), [versions.of(page) for page in range(len(site))]
    marked = _without_template(claims, [each.sure for each in read])
    return _Pages(site, own, read, likely, wanted, claims, marked, learnt, whole)


def _taught_languages(
    read: Sequence[_OwnLanguage], own: OwnText, marks: Sequence[tuple[Part, ...]], wanted: frozenset[str]
) -> list[str]:
    """Sure language of every page that teaches what the marks mean; "" for others.

    A page shown in several language versions has one language in every version, and teaches nothing. It teaches if all
    codes name its own language: the default version may stand without a code, and again with its code.
    """
    named: defaultdict[int, set[str]] = defaultdict(set)
    pages = list(zip(read, own.alone.tolist(), own.classes.tolist(), marks, strict=True))
    spoken = {each.sure for each in read} - {""}
    for _, alone, group, parts in pages:
        if not alone:
            named[group] |= {code_language(part.value, wanted) for part in parts} & spoken
    return [each.sure if alone or named[group] == {each.sure} else "" for each, alone, group, _ in pages]


def _resolve_by_evidence(pages: _Pages, source: str) -> tuple[list[_Evidence], list[PageLanguage]]:
    """The evidence of every page, and the language that it gives the page by itself."""
    has_marks = [source != "text" and shown for shown in _shown_in_one_version(pages)]
    names = [claim.languages() if has else () for claim, has in zip(pages.claims, has_marks, strict=True)]
    shares = pages.own.shares(len(pages.likely))
    may_agree = (np.array(has_marks, bool) & pages.own.has_unshared()).tolist()
    agreed = [claim.agreed_language() if may else "" for claim, may in zip(pages.marked, may_agree, strict=True)]
    evidence = list(map(_Evidence, pages.read, [tag for tag, _ in pages.whole], names, shares, agreed))
    resolved = []
    for page, each in enumerate(evidence):
        version = pages.learnt[page] if has_marks[page] else ""
        rare = partial(_language_of_rare_text, pages, page, version, frozenset(each.claims))
        resolved.append(each.resolve(version, pages.likely, rare))
    return evidence, resolved


def _shown_in_one_version(pages: _Pages) -> list[bool]:
    """Whether a single language version shows the text of each page: then the marks of the page tell its language.

    A text that several versions show has the same language in all of them.
    """
    groups, languages = pages.own.classes.tolist(), [claim.languages() for claim in pages.claims]
    versions: defaultdict[int, set[tuple[str, ...]]] = defaultdict(set)
    for group, named in zip(groups, languages, strict=True):
        versions[group].add(named)
    alone = zip(pages.own.alone.tolist(), groups, languages, strict=True)
    return [is_alone or (bool(named) and len(versions[group]) == 1) for is_alone, group, named in alone]


def _resolve_by_marks(pages: _Pages, evidence: Sequence[_Evidence], resolved: list[PageLanguage]) -> list[PageLanguage]:
    """The pages, with another language where their language version or the marks of the site say so."""
    rows = zip(resolved, pages.marked, pages.learnt, strict=True)
    versions = [claim.version(language_of(page.tag), mark) for page, claim, mark in rows]
    doubtful = (page for page, each in enumerate(evidence) if not each.is_sure())
    resolved = _decide_by_versions(pages.site, pages.own, resolved, versions, doubtful)
    resolved = _decide_near_languages(resolved, versions, pages.read)
    named = Counter([*pages.wanted, *(lang for claim in pages.claims for lang in claim.languages())])
    found = Counter(language_of(each.tag) for each in resolved)
    tags = [meant_language(each.tag, partial(pages.text_of, page), named, found) for page, each in enumerate(resolved)]
    return [each._replace(tag=tag) for each, tag in zip(resolved, tags, strict=True)]


def _with_versions(
    resolved: Sequence[PageLanguage], marked: Sequence[Claims], learnt: Sequence[str]
) -> list[PageLanguage]:
    """The pages with their language versions, named by the marks of a page or learnt for them."""
    declared_langs = {each.html for each in marked}
    found = []
    for each, claim, version in zip(resolved, marked, learnt, strict=True):
        lang = language_of(each.tag)
        # From a version that nobody translated yet the language of its originals is learnt: its declaration says more.
        is_left = version == lang in declared_langs and claim.html not in ("", lang)
        found.append(each._replace(version=claim.version(lang, "" if is_left else version)))
    return found


class _OwnLanguage(NamedTuple):
    """A sample of a page's own text, and the language of the sample by the identifier."""

    text: str
    size: int
    """Letters of the sample (:func:`diglot.page_language.own_text.weight`)."""
    tag: str
    """"und" for too little text."""
    confidence: float
    unread: bool = False
    """Whether the sample is in a script that the identifier does not read."""

    @property
    def sure(self) -> str:
        """Primary subtag of a sure language, else ""."""
        return language_of(self.tag) if self.confidence >= SURE else ""


def _identify_own(text: str) -> _OwnLanguage:
    """A sample of own text with its language, which is "und" for too little text."""
    size = weight(text)
    tag, confidence = identify(text) if size >= ENOUGH_LETTERS else (UNDETERMINED, 0.0)
    return _OwnLanguage(text, size, tag, confidence, is_in_unread_script(text))


def _unknown_languages(
    own: OwnText, read: Sequence[_OwnLanguage], tags: Sequence[str], claims: Sequence[Claims], langs: Sequence[str]
) -> dict[int, str]:
    """Languages that the identifier does not know, by the row of the page: named by marks, or by the pages."""
    possible = possible_unknown(own, tags, langs, _odd_pages(read, frozenset(map(language_of, langs))))
    named = [(*claim.languages(), *each) for claim, each in zip(claims, possible, strict=True)]
    return declared_unknown([each.text for each in read], tags, named)


def _odd_pages(read: Sequence[_OwnLanguage], wanted: frozenset[str]) -> list[int]:
    """Pages whose own text is, likely but not surely, in a language that is neither of the site nor near one of the
    site; and pages in a script that the identifier does not read."""
    sure = Counter(each.sure for each in read)
    of_site = wanted | {lang for lang, count in sure.items() if lang and count >= COMMON_PAGES}
    foreign = {
        tag
        for tag in {each.tag for each in read} - {UNDETERMINED}
        if not any(are_close(language_of(tag), lang) or is_near(language_of(tag), lang) for lang in of_site)
    }
    return [page for page, each in enumerate(read) if each.unread or (each.tag in foreign and not each.sure)]


def _without_template(claims: list[Claims], sure: Sequence[str]) -> list[Claims]:
    """The claims of all pages, without the declaration of a template that nobody translated.

    A template declares one language on all pages, or on nearly all, among them most pages in some other language.
    ``sure``: language of each page of sure text, "" elsewhere.
    """
    declared = Counter(each.html for each in claims if each.html)
    if not declared:
        return claims
    lang, pages = declared.most_common(1)[0]
    if len(declared) > 1 and (pages < MIN_SHARE * declared.total() or not _is_declared_abroad(lang, claims, sure)):
        return claims
    return [each._replace(html="") if each.html == lang else each for each in claims]


def _is_declared_abroad(lang: str, claims: Sequence[Claims], sure: Sequence[str]) -> bool:
    """Whether most pages of sure text in another language of the site declare ``lang``."""
    pages = Counter(filter(None, sure))
    declaring = Counter(own for own, claim in zip(sure, claims, strict=True) if claim.html == lang)
    return any(
        count >= COMMON_PAGES and 2 * declaring[own] > count and not are_close(own, lang)
        for own, count in pages.items()
    )


def _decide_by_versions(
    site: Site, own: OwnText, resolved: list[PageLanguage], versions: Sequence[str], doubtful: Iterable[int]
) -> list[PageLanguage]:
    """The pages, where doubtful pages that hold some text in the language of their version get this language.

    ``doubtful``: pages of unsure language. Equal pages have one language in all versions: in other versions they are
    only copies.
    """
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for page in doubtful:
        groups[int(own.classes[page])].append(page)
    # A text in the version of its own language needs no further version.
    asked = [
        [page for page in pages if versions[page]]
        for pages in groups.values()
        if language_of(resolved[pages[0]].tag) not in {versions[page] for page in pages}
    ]
    if not any(asked):
        return resolved
    held, decided = VersionText(site, own, versions), resolved.copy()
    for pages in asked:
        texts = ((versions[page], held.sample(page, versions[page], resolved[page].tag)) for page in pages)
        version, text = next((each for each in texts if each[1]), ("", ""))
        for page in groups[int(own.classes[pages[0]])] if text else ():
            decided[page] = PageLanguage(with_script(version, text), VERSION)
    return decided


def _decide_near_languages(
    resolved: list[PageLanguage], versions: Sequence[str], read: Sequence[_OwnLanguage]
) -> list[PageLanguage]:
    """The pages, with the language of their version where their own text was taken for a near language.

    Most own texts of the version must be in its language. Single pages in Malay are taken for Indonesian, but a version
    of short texts, half of them taken for another language, proves nothing.
    """
    by_own = [
        (version, language_of(page.tag)) for page, version in zip(resolved, versions, strict=True) if page.by == OWN
    ]
    own, total = Counter(by_own), Counter(version for version, _ in by_own)
    decided = resolved.copy()
    for row, (page, version) in enumerate(zip(resolved, versions, strict=True)):
        if page.by == OWN and 2 * own[version, version] > total[version] and is_near(version, language_of(page.tag)):
            decided[row] = PageLanguage(with_script(version, read[row].text), VERSION)
    return decided


def forced_language(url: str, claims: Claims, source: str, rules: Sequence[str]) -> tuple[str, str]:
    """Tag of a page's language by the user's choice, and the option that gives it; "" and "" where none does.

    >>> forced_language("https://example.org/nb/a", Claims(), "weighed", ("/nn/=nn", "/nb/=nb"))
    ('nb', '--lang /nb/=nb')
    """
    for rule in rules:
        part, _, lang = rule.rpartition("=")
        if part in url:
            return langcodes.standardize_tag(lang), f"--lang {rule}"
    lang = {"declared": claims.hreflang or claims.html, "path": next(iter(claims.address), "")}.get(source, "")
    return lang, f"--lang-from {source}" if lang else ""


def _likely_languages(whole: Iterable[tuple[str, float]], sure: Counter[str]) -> frozenset[str]:
    """Languages of three pages by sure own text, or by all text if that is sure; ``whole``: as in :class:`_Pages`;
    ``sure``: pages by own text."""
    pages = Counter(language_of(tag) for tag, confidence in whole if confidence >= SURE)
    return frozenset(lang for lang, count in (pages | sure).items() if count >= COMMON_PAGES)


def _language_of_rare_text(pages: _Pages, page: int, version: str, claims: frozenset[str]) -> str:
    """Tag of the language of a page's rarest text, menus left out; of all text if too little is left.

    ``version``: the page's language version, "" where unknown; ``claims``: languages that its marks name. The likeliest
    of the likely languages is taken if the identifier is unsure, or if the text is short and its language unlikely.
    """
    likely, (whole, confidence_of_all) = pages.likely | claims, pages.whole[page]
    if whole == UNDETERMINED:
        return whole
    # A code in an address may be a word: that of a page do-it.html ends in the code of Italian.
    marks = {version, pages.marked[page].hreflang, pages.marked[page].html} - {""}
    text = pages.own.rarest(page, len(likely), LITTLE_TEXT_CHARS)
    if weight(text) < ENOUGH_LETTERS:
        # Only menus are left, and a menu of all languages is in none: unless its language is clear, marks tell more.
        is_clear = confidence_of_all >= CLEAR and language_of(whole) in likely
        # The reading took the prose, where there is enough; beside names of languages in a menu any may look likely.
        if is_clear and language_of(whole) in marks:
            return whole
        return identify_among(pages.all_text_of(page), likely if is_clear or not marks else marks) or whole
    lang, confidence = identify(text)
    # On few words the identifier is sure of the oddest languages: confidence alone is no proof.
    if confidence >= SURE and (len(text) >= LITTLE_TEXT_CHARS or language_of(lang) in likely):
        return lang
    lang = identify_among(text, likely) or lang
    return next((mark for mark in sorted(marks) if is_near(mark, language_of(lang))), lang)


class _Evidence(NamedTuple):
    """Evidence of a page's language, without the language version."""

    own: _OwnLanguage
    whole: str
    """Tag of the language of all text of the page but placeholders."""
    claims: tuple[str, ...]
    """Languages named by code in the page's marks."""
    share: float
    """Share of own text in the page's prose, in [0, 1]."""
    agreed_language: str
    """Language of all marks (:meth:`Claims.agreed_language`) of a page that has text of its own alone; "" for none."""

    def has_enough(self) -> bool:
        """Whether own text may decide: a page with a small share was left untranslated, or is shown twice."""
        return self.own.size >= ENOUGH_LETTERS and self.share >= TRANSLATED_SHARE

    def is_sure(self) -> bool:
        """Whether own text alone decides, against all other evidence."""
        return self.has_enough() and bool(self.own.sure)

    def resolve(self, version: str, likely: frozenset[str], rare: Callable[[], str]) -> PageLanguage:
        """The language by sure own text, else by all evidence; ``rare``: tag of the language of the rarest text."""
        if self.is_sure():
            return PageLanguage(self._declared_if_close(self.own.text, self.own.tag), OWN)
        # All text, menus too, is in the language of the version: text in another was not translated yet.
        if version and version == language_of(self.whole):
            return PageLanguage(self._declared_if_close("", self.whole), WHOLE)
        if self.has_enough():
            weighed = self._weigh(likely | set(self.claims))
            agreed = self.agreed_language
            # English under ``/ru/`` was left untranslated, whatever the marks say.
            if agreed in ("", language_of(weighed.tag)) or not is_in_script_of(agreed, self.own.text):
                return weighed
            # A short page may hold a verse or a motto in a third language: where all marks agree, they tell more.
            return PageLanguage(with_script(agreed, self.own.text), DECLARED)
        if (tag := rare()) != UNDETERMINED:
            return PageLanguage(self._declared_if_close("", tag), WHOLE)
        if self.claims:
            return PageLanguage(self.claims[0], DECLARED)
        return PageLanguage(version or UNDETERMINED, VERSION)

    def _weigh(self, langs: frozenset[str]) -> PageLanguage:
        """The likeliest of ``langs`` by own text."""
        chances = probabilities(self.own.text, langs)
        # Ties are broken by name, so that the answer never depends on the order of a set.
        best = max(chances, key=lambda lang: (chances[lang], lang), default="")
        if not best:
            return PageLanguage(self.whole, WHOLE)
        # Text in none of ``langs``: a lone document of a language that the site has nowhere else.
        if chances[best] <= LEAST_PROBABILITY and self.own.tag != UNDETERMINED:
            return PageLanguage(self.own.tag, OWN)
        return PageLanguage(self._declared_if_close(self.own.text, with_script(best, self.own.text)), OWN)

    def _declared_if_close(self, text: str, tag: str) -> str:
        """The language named by a mark instead of ``tag``, if no identifier tells the two apart."""
        return next((with_script(lang, text) for lang in self.claims if is_indistinguishable(lang, tag, text)), tag)
