"""The language of every page, settled by weighing its own text, all its text, and the edition it stands in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from diglot.documents.language import (
    MIN_LETTERS,
    SURE,
    UNDETERMINED,
    identify,
    identify_among,
    language_of,
    no_identifier_tells,
    probabilities,
    with_script,
)
from diglot.languages import WEIGHED
from diglot.page_language.editions import Edition, Editions, page_marks
from diglot.page_language.forced import forced_language
from diglot.page_language.own_text import ENOUGH_LETTERS, OwnText, weight
from diglot.page_language.unlisted import declared_unknown
from diglot.site import Site

COMMON_PAGES = 3
"""Pages from which a language is one of the site's."""
MUCH_TEXT = 200
"""Letters of own text that are believed whatever else is said; less may be a title, names, a list of languages."""
TRANSLATED_SHARE = 0.2
"""Of a page that has less text of its own the rest was left untranslated, or is shown again: it is in the language of
the rest. The translations of a text that stands beside them in two standards of a language are a third."""
LITTLE_TEXT_CHARS = 2_000
"""Length of all text of a page, menus included, up to which an unlikely language is doubted."""
OWN, WHOLE, EDITION, DECLARED = "its own text", "all its text", "its edition", "what it declares"


class Settled(NamedTuple):
    """The language of a page and what it was taken for so by."""

    tag: str
    """BCP 47; "und" where nothing tells."""
    by: str
    edition: str = ""
    """Primary subtag of the language of the edition in which the page stands; "" where no mark tells."""


def settle(site: Site, langs: tuple[str, ...], *, source: str = WEIGHED, rules: Sequence[str] = ()) -> list[Settled]:
    """The language of every page of a site.

    ``langs``: the wanted ones, as BCP 47 tags; ``source``: one of :data:`diglot.languages.LANG_FROM`, what
    alone is to count; ``rules``: ``TEXT=TAG``, the language of pages with a text in their address.
    """
    wanted = frozenset(map(language_of, langs))
    own, marks = OwnText(site), page_marks(site)
    texts = own.samples()
    sizes = list(map(weight, texts))
    found = [
        identify(text) if size >= ENOUGH_LETTERS else (UNDETERMINED, 0.0)
        for text, size in zip(texts, sizes, strict=True)
    ]
    sure = [language_of(tag) if confidence >= SURE else "" for tag, confidence in found]
    likely = _likely(site, Counter(filter(None, sure))) | wanted
    # What a page that is shown in several editions is in does not depend on them, and teaches nothing of any.
    editions = Editions(site, marks, [lang if alone else "" for lang, alone in zip(sure, own.alone, strict=True)])
    claims = editions.claims(wanted)
    settled, learnt, shares = [], [editions.of(page) for page in range(len(site))], own.shares(len(likely))
    for page, text in enumerate(texts):
        by_marks = own.alone[page] and source != "text"
        names = claims[page].languages() if by_marks else ()
        known = _Page(text, sizes[page], *found[page], _by_all_text(site, page, likely, names), names, shares[page])
        settled.append(known.settled(learnt[page] if by_marks else None, likely))
    if source != "text":
        unknown = declared_unknown(texts, [each.tag for each in settled], [each.languages() for each in claims])
        for page, lang in unknown.items():
            settled[page] = Settled(lang, DECLARED)
    for page, url in enumerate(site.urls):
        tag, by = forced_language(url, claims[page], source, rules)
        if tag:
            settled[page] = Settled(with_script(tag, texts[page]), by)
        mark = learnt[page]
        edition = claims[page].edition(language_of(settled[page].tag), mark.lang if mark else "")
        settled[page] = settled[page]._replace(edition=edition)
    return settled


def _likely(site: Site, sure: Counter[str]) -> frozenset[str]:
    """Languages of three pages by their own text, or by all text that is long or sure."""
    rows = zip(*(site.strings(name) for name in ("lang", "lang_confidence", "text_length_chars")), strict=True)
    pages = Counter(
        language_of(lang) for lang, sureness, chars in rows if sureness >= SURE or chars >= LITTLE_TEXT_CHARS
    )
    return frozenset(lang for lang, count in (pages | sure).items() if count >= COMMON_PAGES)


def _by_all_text(site: Site, page: int, likely: frozenset[str], claims: tuple[str, ...]) -> str:
    """Tag of the language of all text of a page.

    Asked again among the likely languages, where it is not sure, or there is little text and its language is none of
    these: on few words the identifier is sure of the oddest tongues.
    """
    lang = str(site.strings("lang")[page])
    sure = site.numbers("lang_confidence")[page] >= SURE
    much = site.numbers("text_length_chars")[page] >= LITTLE_TEXT_CHARS
    if lang == UNDETERMINED or (sure and (much or language_of(lang) in likely)):
        return lang
    text = " ".join(site.documents["chunks"][page].as_py())
    return identify_among(text, likely | set(claims), *claims[:1]) or lang


class _Page(NamedTuple):
    """What is known of a page before its language is settled."""

    own: str
    """Sample of its own text."""
    size: int
    """Letters of that (:func:`diglot.page_language.own_text.weight`)."""
    found: str
    """Tag of the language of that, "und" for too little."""
    confidence: float
    whole: str
    """Tag of the language of all its text."""
    claims: tuple[str, ...]
    """Languages that its marks name by code."""
    share: float
    """Share of its own text in its prose, in [0, 1]."""

    def settled(self, edition: Edition | None, likely: frozenset[str]) -> Settled:
        """The language: by its own text if there is enough; the edition has a say where that is not sure."""
        size = self.size
        if self.share < TRANSLATED_SHARE and self.whole != UNDETERMINED:
            return Settled(self._close("", self.whole), WHOLE)
        if size >= MUCH_TEXT or (size >= ENOUGH_LETTERS and self._is_borne_out(edition)):
            if self.confidence >= SURE:
                return Settled(self._close(self.own, self.found), OWN)
            return self._weighed(likely | set(self.claims), edition)
        if self.whole == UNDETERMINED:
            tag = next(iter(self.claims), "")
            return Settled(tag, DECLARED) if tag else Settled(edition.lang if edition else UNDETERMINED, EDITION)
        whole = Settled(self._close("", self.whole), WHOLE)
        if edition is None or size < MIN_LETTERS or edition.lang == language_of(self.whole):
            return whole
        return self._weighed(frozenset({language_of(self.whole)}), edition)

    def _is_borne_out(self, edition: Edition | None) -> bool:
        """Whether anything else says what the page's own text does."""
        return language_of(self.found) in {language_of(self.whole), edition.lang if edition else "", *self.claims}

    def _weighed(self, langs: frozenset[str], edition: Edition | None) -> Settled:
        """The likeliest of some languages by the page's own text, and its edition's where that is likelier still."""
        chances = probabilities(self.own, langs | ({edition.lang} if edition else set()))
        best = max(chances, key=lambda lang: (chances[lang], lang), default="")
        if not best:
            return Settled(self.whole, WHOLE)
        if edition and edition.lang != best and chances.get(edition.lang, 0.0) * edition.odds > chances[best]:
            return Settled(with_script(edition.lang, self.own), EDITION)
        return Settled(self._close(self.own, with_script(best, self.own)), OWN)

    def _close(self, text: str, tag: str) -> str:
        """The language that a mark names instead, if no identifier tells the two apart."""
        return next((with_script(lang, text) for lang in self.claims if no_identifier_tells(lang, tag, text)), tag)
