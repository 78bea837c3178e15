"""Notes on languages whose pages on a site are in several scripts or regions, where ``-l`` names one language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set

from diglot.documents.language import SAMPLE_CHARS, with_script
from diglot.languages import declared_variant
from diglot.page_language.resolving import COMMON_PAGES
from diglot.scripts import with_scripts
from diglot.site import Site


def variants_notes(langs: Sequence[str], variants: Mapping[tuple[str, str, bool], int]) -> list[str]:
    """A note for each wanted language with pages in two variants, most pages of one without a translation: a page has
    one translation in a language, so that pages in the other variants may be left over.

    ``variants``: number of pages by wanted language, variant, and whether they are paired.
    """
    notes = []
    for lang in langs:
        pages, alone = Counter[str](), Counter[str]()
        for (of, variant, is_paired), count in sorted(variants.items()):
            if of == lang:
                pages[variant] += count
                alone[variant] += 0 if is_paired else count
        common = {variant: count for variant, count in pages.items() if count >= COMMON_PAGES}
        if len(common) > 1 and any(2 * alone[variant] > count for variant, count in common.items()):
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
