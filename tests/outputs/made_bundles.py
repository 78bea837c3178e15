"""Bundles of made sites: a page pair a site, with so many segments."""

from __future__ import annotations

from collections.abc import Iterator

from diglot.records import FLAGGED_SCHEMA, PAIR_SCHEMA, of_languages
from diglot.run.bundles import Bundle, PairPart
from diglot.run.settings import make_settings
from diglot.run.stored_pages import RESOLVED_SCHEMA
from made_segments import filled

SETTINGS = make_settings("en,fr", recipe="url_baseline")


class MadeBundles(list[Bundle]):
    """Bundles in memory, read as those of a run are."""

    signature = "made"

    def of_languages(self, lang_pair: tuple[str, str]) -> Iterator[PairPart]:
        return (PairPart(of_languages(each.segments, *lang_pair), each.resolved) for each in self)


def bundle_of(**segments: int) -> Bundle:
    """Sites with so many segments each, of one page pair a site."""

    def sides(site: str) -> dict[str, str]:
        return {"src_url": f"http://{site}/en", "tgt_url": f"http://{site}/fr", "src_lang": "en", "tgt_lang": "fr"}

    pages = [{"site": site, "url": f"http://{site}/{lang}", "lang": lang} for site in segments for lang in ("en", "fr")]
    return Bundle(
        SETTINGS,
        filled(RESOLVED_SCHEMA, *pages),
        filled(PAIR_SCHEMA, *({"site": site, **sides(site)} for site in segments)),
        filled(FLAGGED_SCHEMA, *(sides(site) for site, count in segments.items() for _ in range(count))),
        {},
    )
