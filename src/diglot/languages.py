"""Wanted languages of a run: parsing of tags, language pairs, and matching of documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import TypeAlias

import langcodes

from diglot.errors import LanguageError
from diglot.layout import count_text

LangPair: TypeAlias = tuple[str, str]
"""Source and target language of a run, by BCP 47 tag."""
SAME_FOR_A_DETECTOR = 10
"""Largest CLDR matching distance of languages that identifiers confuse: Croatian, Bosnian and Serbian in Latin script
have 8 to 9."""

_BETWEEN_LISTED = re.compile("[;/+-]+")
"""Marks that people put between languages, where commas are meant."""
MAX_CODE_CHARS = 60
"""Characters of a wrong code that a message shows; what is longer is no name of a language."""
MAX_LISTED_CHARS = 300
"""Characters of a list of languages without commas that a message shows with commas; 60 languages need 200."""
WEIGHED = "weighed"
LANG_FROM = {
    WEIGHED: "all evidence of a site weighed together, the page's own text first",
    "text": "the text of the page alone",
    "declared": "what the page declares (html lang, hreflang, Content-Language), the rest where it declares nothing",
    "path": "the code in the page's address, the rest where there is none",
}
"""Values of ``--lang-from``: sources of the language of a page."""
OPEN = ("*", "all")
"""Wildcards in a list of languages: every other language of the sources."""

_NUMBER_WORDS = {1: "one", 2: "two"}


def parse_languages(text: str | Sequence[str], least: int = 2) -> tuple[str, ...]:
    """Parse ``en,fr,pt-BR`` into standard BCP 47 tags, in that order.

    Raises :class:`LanguageError` for an unregistered code, or fewer than ``least`` languages.
    """
    codes = text.split(",") if isinstance(text, str) else list(text)
    tags = tuple(dict.fromkeys(standard_tag(code.strip()) for code in codes if code.strip()))
    if len(tags) < least:
        named, given, listed = count_text(len(tags), "language"), ",".join(codes), _with_commas(",".join(codes))
        # pt-BR is a language, and en-de is most often meant as a pair.
        pair = f"; the pair {given} is written {listed}" if listed and given.islower() else ""
        raise LanguageError(f"{given!r} names {named}; give at least {_NUMBER_WORDS[least]}, as in en,fr{pair}")
    return tags


def open_languages(text: str | Sequence[str]) -> tuple[str, ...] | None:
    """Languages named beside a wildcard (:data:`OPEN`); None for a list without a wildcard.

    Raises :class:`LanguageError` for an unregistered code.

    >>> open_languages("en,*"), open_languages("all"), open_languages("en,fr")
    (('en',), (), None)
    """
    codes = [code.strip() for code in (text.split(",") if isinstance(text, str) else text)]
    if not any(code.lower() in OPEN for code in codes):
        return None
    return tuple(dict.fromkeys(standard_tag(code) for code in codes if code and code.lower() not in OPEN))


def standard_tag(code: str) -> str:
    """The standard BCP 47 tag of a language; :class:`LanguageError` for an unregistered code."""
    try:
        tag: str = langcodes.standardize_tag(code)
        language = langcodes.Language.get(tag)
        known = language.is_valid() and language.language not in (None, "und", "mul", "zxx")
    except ValueError:
        known = False
    if not known:
        listed = _with_commas(code)
        several = f"write commas between languages, as in {listed}" if listed else ""
        meant = several or _suggest_tag(code) or "use BCP 47 tags such as en, pt-BR, zh-Hant"
        shown = code if len(code) <= MAX_CODE_CHARS else f"{code[:MAX_CODE_CHARS]}..."
        raise LanguageError(f"{shown!r} is not a language code; {meant}")
    return tag


def _with_commas(text: str) -> str:
    """``en,fr`` for ``en fr``, ``en;fr`` or ``en-fr``; "" unless the text consists of several language codes."""
    # A cell of a table may be of any length.
    codes = _BETWEEN_LISTED.sub(" ", text[:MAX_LISTED_CHARS]).split()
    return ",".join(codes) if len(codes) > 1 and all(map(langcodes.tag_is_valid, codes)) else ""


# Bounded: any folder of a site may be asked for.
@lru_cache(maxsize=1 << 10)
def commonest_language(code: str) -> langcodes.Language | None:
    """The commonest language of the country with a code (CLDR), as it is written there; None for no country.

    >>> str(commonest_language("jp")), commonest_language("xx"), commonest_language("shop")
    ('ja-Jpan-JP', None, None)
    """
    place = langcodes.Language.make(territory=code.upper()) if len(code) == 2 and code.isalpha() else None
    is_known = place and place.is_valid() and not place.territory_name().startswith("Unknown")
    return place.maximize() if place and is_known else None


def _suggest_tag(code: str) -> str:
    """Suggestion such as ``Japanese is ja`` for a country code or the name of a language (CLDR), else ""."""
    # The search for a name takes the square of its length.
    if len(code) > MAX_CODE_CHARS:
        return ""
    if likely := commonest_language(code):
        return f"it is that of {likely.territory_name()}; {likely.language_name()} is {likely.language}"
    try:
        found = langcodes.find(code) if len(code) > 1 and code.isprintable() else None
    except LookupError:
        found = None
    if found is None:
        return ""
    return f"{found.display_name()} is {found.to_tag()}"


def check_page_languages(source: str, rules: Sequence[str]) -> None:
    """Check the options on page languages.

    Raises :class:`LanguageError` for an unknown source, or a rule other than ``TEXT=LANGUAGE``.
    """
    if source not in LANG_FROM:
        raise LanguageError(f"lang_from={source}: give one of {', '.join(LANG_FROM)}")
    for rule in rules:
        part, _, lang = rule.rpartition("=")
        if not part or not langcodes.tag_is_valid(lang):
            raise LanguageError(f"lang_rules={rule}: give a part of addresses and a language, such as '/nb/=nb'")


def language_pairs(langs: Sequence[str], pivot: str = "") -> list[tuple[str, str]]:
    """All pairs in the order of ``langs``; with a pivot, only pairs with the pivot."""
    pairs = list(combinations(langs, 2))
    if not pivot:
        return pairs
    tag = standard_tag(pivot)
    if tag not in langs:
        raise LanguageError(f"the pivot {tag} is not among the languages {','.join(langs)}")
    return [pair for pair in pairs if tag in pair]


def wanted_language(lang: str, declared: str, langs: tuple[str, ...]) -> str:
    """The wanted language of a document in ``lang``, "" for none.

    Scripts must agree (zh-Hans is not zh-Hant), and a tag that names the script goes before a tag without a script: of
    zh and zh-TW a page in zh-Hant is zh-TW. The region is that of ``lang``, else of ``declared``, the language that the
    page declares, since no text tells pt-BR from pt-PT for certain. A page without a region is of the tag without a
    region, else of the first tag.
    """
    fitting = [tag for tag in langs if _fits(tag, lang)]
    if not fitting and lang != "und":
        fitting = [tag for tag in langs if _confusable(tag, lang)]
    if _parts(lang)[1]:
        fitting = [tag for tag in fitting if _parts(tag)[1]] or fitting
    # The region of another language says nothing: templates declare en-US on pages of every language.
    meant = {_parts(tag)[0] for tag in (lang, *fitting)}
    region = next((found[2] for found in map(_parts, (lang, declared)) if found[2] and found[0] in meant), "")
    agreeing = [tag for tag in fitting if _parts(tag)[2] == region]
    open_regions = [tag for tag in fitting if not _parts(tag)[2] or not region]
    return next(iter(agreeing + open_regions), "")


def region_of(tag: str) -> str:
    """Region named by a tag, "" for none; Chinese and Serbian tags name a script by their region.

    >>> region_of("pt_br"), region_of("pt"), region_of("zh-TW"), region_of("my-ui")
    ('BR', '', '', '')
    """
    return _parts(tag)[2] if langcodes.tag_is_valid(tag.replace("_", "-")) else ""


def declared_variant(tag: str, declared: str) -> str:
    """The variant of the wanted language ``tag`` that a page declares, as a BCP 47 tag; "" for none.

    A tag with a script or region of its own has no variant, nor has a declaration without both, or of another language.

    >>> declared_variant("zh", "zh-TW"), declared_variant("pt", "pt-BR"), declared_variant("pt-PT", "pt-BR")
    ('zh-Hant', 'pt-BR', '')
    """
    wanted, found = _parts(tag), _parts(declared)
    is_named = wanted[0] == found[0] and not any(wanted[1:]) and any(found[1:])
    return "-".join(filter(None, found)) if is_named else ""


def _fits(tag: str, lang: str) -> bool:
    """Whether both tags name the same language, and no different scripts."""
    wanted, found = _parts(tag), _parts(lang)
    return wanted[0] == found[0] and (not wanted[1] or not found[1] or wanted[1] == found[1])


@cache
def _confusable(tag: str, lang: str) -> bool:
    """Whether identifiers confuse the languages of two tags, in the same script if ``tag`` names one."""
    script = langcodes.Language.get(tag).script
    if script and script != langcodes.Language.get(lang).maximize().script:
        return False
    distance = max(langcodes.tag_distance(tag, lang), langcodes.tag_distance(lang, tag))
    return bool(distance <= SAME_FOR_A_DETECTOR)


@cache
def _parts(tag: str) -> tuple[str, str, str]:
    """Language, script and region of a tag; the region of a Chinese or Serbian tag implies the script."""
    try:
        language = langcodes.Language.get(tag.strip().replace("_", "-"))
    except ValueError:
        return "", "", ""
    if language.language in ("zh", "sr"):
        script = language.script or (language.maximize().script if language.territory else "")
        return language.language, script or "", ""
    return language.language or "", language.script or "", language.territory or ""
