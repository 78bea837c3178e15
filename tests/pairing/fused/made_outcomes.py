"""Small made sites, one a rule of the recipe, what it makes of them, and the figures of that which are pinned."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

from made_bilingual import LANGS, STORIES, bilingual_site, figures, story

from diglot.pairing.fused import fused_outcome, outcome_of_two
from diglot.pairing.fused.decision import Outcome
from diglot.pairing.fused.evidence import FEATURES
from diglot.site import Site
from made_documents import made_page, made_site

Page = dict[str, Any]
Gold = set[tuple[str, str]]
Probabilities = dict[tuple[str, str], float]


def stories() -> dict[str, Page]:
    """The stories in six languages, by language and number."""
    return {f"{lang}/{number}": story(lang, number) for lang in LANGS for number in range(STORIES)}


def retold(name: str, kept: list[str], words_of: int) -> Page:
    """A page under a new name, with words of another story and these figures."""
    lang = name.split("/")[0]
    first, second = story(lang, words_of)["chunks"]
    return made_page(f"http://x/{name}", lang, [first, " ".join([*kept, *second.split()[5:]])])


def all_languages(pages: dict[str, Page]) -> Site:
    """A site of which all pairs of six languages are wanted."""
    return Site("made", made_site(*pages.values()).documents, tuple(combinations(LANGS, 2)))


def probabilities(site: Site, outcome: Outcome, host: str = "http://x/") -> Probabilities:
    """Probability of each candidate by the ends of both addresses."""
    names = [url.removeprefix(host) for url in site.urls]
    return {
        (names[i], names[j]): p for (i, j), p in zip(outcome.pairs.tolist(), outcome.probability.tolist(), strict=True)
    }


@cache
def told_by_figures() -> Site:
    """Twelve stories in six languages."""
    return all_languages(stories())


@cache
def a_second_page_with_the_figures() -> Site:
    """A second French page has all the figures of story 3, and other words."""
    return all_languages(stories() | {"fr/99": retold("fr/99", figures(3), 99)})


@cache
def two_pages_that_share_a_story() -> Site:
    """The French story 3 has three of its figures, and another page all five."""
    return all_languages(
        stories() | {"fr/98": retold("fr/98", figures(3), 98), "fr/3": retold("fr/3", figures(3)[:3], 3)}
    )


@cache
def plain() -> tuple[Site, Gold]:
    """Forty pairs and twelve orphans a side."""
    return bilingual_site()


@cache
def with_a_copy() -> tuple[Site, tuple[str, str], str]:
    """All words and figures of a page stand on a second one: the site, the pair, and the address of the copy."""
    site, gold = plain()
    src, tgt = min(gold)
    copy = next(page for page in site.documents.to_pylist() if page["url"] == tgt) | {"url": f"{tgt}again"}
    return made_site(*site.documents.to_pylist(), copy), (src, tgt), f"{tgt}again"


@cache
def without_parallel_pages() -> Site:
    """Eighty orphans a side."""
    return bilingual_site(pages=0, orphans=80)[0]


@cache
def with_few_parallel_pages() -> tuple[Site, Gold]:
    """Of fifty pages a side twenty have a partner."""
    return bilingual_site(pages=20, orphans=30)


@cache
def with_names(*, same: bool) -> tuple[Site, Gold]:
    """Pages under /en/ and /fr/; those of the same name are translations, or have nothing to do with each other."""
    site, gold = plain()
    names = {}
    for number, (src, tgt) in enumerate(sorted(gold)):
        names[src] = f"http://a.example/en/{number:02}"
        names[tgt] = f"http://a.example/fr/{number if same else (7 * number + 3) % len(gold):02}"
    pages = [page | {"url": names.get(page["url"], page["url"])} for page in site.documents.to_pylist()]
    return made_site(*pages), {(names[src], names[tgt]) for src, tgt in gold}


def alone(site: Site) -> Outcome:
    """English and French by themselves."""
    return outcome_of_two(site, "en", "fr", seed=0)


def join_languages(site: Site) -> Outcome:
    """English and French among all languages."""
    return fused_outcome(site, "en", "fr", seed=0)


@cache
def figures_now() -> dict[str, float]:
    """Every figure that the shipped prior has a say in, by what it is of."""
    site, second, shared = told_by_figures(), a_second_page_with_the_figures(), two_pages_that_share_a_story()
    by_figures, in_groups = probabilities(site, alone(site)), probabilities(site, join_languages(site))
    found = {f"told by figures, {tgt}": by_figures["en/1", tgt] for tgt in ("fr/1", "fr/2")}
    found["told by figures, fr/0"] = by_figures["en/0", "fr/0"]
    found["told by figures, share"] = alone(site).share
    found |= {f"in groups, fr/{n}": in_groups[f"en/{n}", f"fr/{n}"] for n in (0, 1)}
    found["a second page, fr/3"] = probabilities(second, alone(second))["en/3", "fr/3"]
    found["two share a story, alone fr/3"] = probabilities(shared, alone(shared))["en/3", "fr/3"]
    found["two share a story, in groups fr/98"] = probabilities(shared, join_languages(shared))["en/3", "fr/98"]
    copied, pair, _ = with_a_copy()
    found["before its copy came"] = probabilities(plain()[0], alone(plain()[0]), "")[pair]
    found["beside a copy, share"] = alone(copied).share
    found["no parallel pages, share"] = alone(without_parallel_pages()).share
    few, gold = with_few_parallel_pages()
    of_few = probabilities(few, alone(few), "")
    found["few parallel pages, share"] = alone(few).share
    found["few parallel pages, least of the true"] = min(of_few[pair] for pair in gold)
    found["few parallel pages, most of the others"] = max(p for pair, p in of_few.items() if pair not in gold)
    for same, tgt in ((True, "fr/05"), (False, "fr/38")):
        named = with_names(same=same)[0]
        found[f"names that {'tell' if same else 'mislead'}, {tgt}"] = probabilities(
            named, alone(named), "http://a.example/"
        )["en/05", tgt]
    bits = alone(with_names(same=True)[0]).bits[:, FEATURES.index("address")]
    found["names that tell, bits of addresses"] = float(bits.max())
    return found
