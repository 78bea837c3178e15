"""Variants of a language on a site, its scripts and regions: those named by addresses, and notes on several of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from itertools import chain

import pyarrow as pa

from diglot.documents.language import SAMPLE_CHARS
from diglot.documents.language_tags import language_of
from diglot.documents.text_scripts import with_script
from diglot.languages import declared_variant, region_of
from diglot.page_language.resolving import COMMON_PAGES
from diglot.page_language.versions import Part, address_parts, code_language
from diglot.scripts import with_scripts
from diglot.site import Site

UNKNOWN_REGION = "ZZ"
"""Code of an unknown region (CLDR)."""


def stated_tags(documents: pa.Table, resolved: Sequence[str], langs: Sequence[str]) -> list[str]:
    """The tag that each page states: the variant in its address, else the declared language. html lang is often ``pt``
    in both ``/pt/`` and ``/pt-BR/``.

    ``resolved``: language of each page. A page that declares no region of its language has the wanted region of a
    country in its address: pt-BR in ``/br/``. A page in ``/pt/`` is of an unknown region if it declares no region, and
    other pages of the site are in a wanted ``/pt-BR/`` or ``/br/``.
    """
    declared: list[str] = documents["declared_lang"].to_pylist()
    wanted = {tag.lower() for tag in langs if region_of(tag)}
    if not wanted:
        return declared
    codes = []
    for url, lang, says in zip(documents["url"].to_pylist(), map(language_of, resolved), declared, strict=True):
        countries = () if region_of(says) and language_of(says) == lang else wanted
        parts = (_country_code(_with_hyphens(part), lang, countries) for part in address_parts(url))
        codes.append([part for part in parts if code_language(part.value) == lang])
    # Codes without a region at the places where other pages have a wanted one.
    beside = {Part(place, language_of(value)) for place, value in chain.from_iterable(codes) if value in wanted}
    return [_stated_tag(parts, says, beside) for parts, says in zip(codes, declared, strict=True)]


def _stated_tag(parts: Sequence[Part], declared: str, beside: Set[Part]) -> str:
    if named := next((part.value for part in parts if region_of(part.value)), ""):
        return named
    plain = "" if region_of(declared) else next((part.value for part in parts if part in beside), "")
    return f"{plain}-{UNKNOWN_REGION}" if plain else declared


def _country_code(part: Part, lang: str, wanted: Collection[str]) -> Part:
    """The part with the tag of a wanted region if it names the country: ``br`` becomes ``pt-br``."""
    tag = f"{lang}-{part.value}"
    # ``/pt/`` is Portuguese, and ``about-us.html`` is no page of the United States.
    return part._replace(value=tag) if tag in wanted and part.value != lang and part.place != "suffix" else part


def _with_hyphens(part: Part) -> Part:
    return part._replace(value=part.value.replace("_", "-"))


def variants_notes(langs: Sequence[str], variants: Mapping[tuple[str, str, bool], int]) -> list[str]:
    """A note for each wanted language with pages in several variants, if most pages of one variant have no translation.

    A page has one translation in a language: pages in the other variants may be left over for that reason alone.

    ``variants``: number of pages by wanted language, variant, and whether they are paired.
    """
    notes = []
    for lang in langs:
        pages, unpaired = Counter[str](), Counter[str]()
        for (of, variant, is_paired), count in sorted(variants.items()):
            if of == lang:
                pages[variant] += count
                unpaired[variant] += 0 if is_paired else count
        common = {variant: count for variant, count in pages.items() if count >= COMMON_PAGES}
        if len(common) > 1 and any(2 * unpaired[variant] > count for variant, count in common.items()):
            named = " and ".join(f"{variant} ({count:,})" for variant, count in common.items())
            each = ",".join(",".join(common) if wanted == lang else wanted for wanted in langs)
            notes.append(
                f"the pages in {lang} are in {named}; most of one have no translation. A page has one "
                f"translation in {lang}; if the site has its pages in both, name each: -l {each}"
            )
    return notes


def script_notes(site: Site, langs: Sequence[str], paired: Set[str]) -> list[str]:
    """:func:`variants_notes` for a language that the site writes in two scripts, by the texts of the pages: the pages
    rarely declare their script.

    ``paired``: addresses of the pages in accepted pairs.
    """
    tags, declared, chunks = site.strings("lang"), site.strings("declared_lang"), site.documents["chunks"]

    def text_of(page: int) -> str:
        return " ".join(chunks[page].as_py())

    named = with_scripts(tags, text_of, ())
    for page, tag in enumerate(tags):
        # Both scripts of Chinese are made of Han: the ideographs of each tell them apart.
        if tag == "zh" and not declared_variant(tag, declared[page]):
            named[page] = with_script(tag, text_of(page)[:SAMPLE_CHARS])
    pages = zip(tags, named, (url in paired for url in site.urls), strict=True)
    return variants_notes(langs, Counter(page for page in pages if page[1] != page[0]))
