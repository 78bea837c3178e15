"""Notes in the summary on what a user should know of the result.

Among them: too few pages to learn from, pages in several languages, cut files, closed folders, machine translation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from diglot.document_kinds import KINDS_READ
from diglot.documents.language_parts import LEAST_SHARE, languages_of_text
from diglot.language_names import language_name
from diglot.languages import wanted_language
from diglot.layout import count_text, largest_first, names_text
from diglot.outputs.sampled_pages import SampledPage
from diglot.site import MAX_DOMAINS

FEW_PAGES = 3
"""Most pages of each language for a note: words, numbers and forms of translations are learnt from a site's pages."""
LEAST_IN_SEVERAL = 1 / 3
"""Least share of pages that hold, or may hold, long texts in several languages for a note: pages of few words do not
show their languages."""
LEAST_BARE, LEAST_CHARS = 1 / 3, 200
"""Least share of bare pages for a note. A bare page has no link and fewer characters of text: a request to turn on
scripts is a sentence or two."""
LEAST_BY_MACHINE = 0.5
"""Least share of segments of pages with a mark of machine translation for a note."""
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?")
"""Name or number of a host, with or without port."""
NAMED_AT_MOST = 3
"""Most sites, files, folders, languages or causes that a note names."""
LOST, CRASHED = "lost with their sites", "on which the parser failed"
"""Fates of pages that have a cause."""
FAILED_FLAGS = ("gibberish", "nonsense")
LEAST_FAILED, LEAST_FAILED_SEGMENTS = 0.01, 5
"""Least share and number of segments with these flags for a note. Of sites translated by people, the largest share was
three in a thousand, on a site of stories for children."""


def missing_languages_notes(
    langs: Sequence[str],
    documents: Mapping[str, int],
    has_sites_left: Callable[[], bool],
    why_missing: Callable[[str], str] = lambda _lang: "",
) -> list[str]:
    """A note for wanted languages without a page.

    ``documents``: number of pages by language; ``has_sites_left``: whether sites were read no further, since they have
    no pages in two of the languages; ``why_missing``: why a language may have no page, "" if unknown. Both functions
    are called only for a note.
    """
    counts = _wanted_counts(documents, langs)
    missing = [lang for lang in langs if not counts[lang]]
    if not any(documents.values()) or not missing:
        return []
    left = (
        "Sites without pages in two of the languages were read no further: there, languages are those of whole texts, "
        "menus included, and copies are not counted. "
        if has_sites_left()
        else ""
    )
    said = f"no page is in {' or '.join(f'{language_name(lang)} ({lang})' for lang in missing)}. "
    if why := next(filter(None, map(why_missing, missing)), ""):
        return [said + why]
    return [
        f"{said}{left}`diglot languages SOURCE` shows what is there. If pages in {language_name(missing[0])} were "
        f"taken for another language, --lang 'TEXT={missing[0]}' sets it for pages with TEXT in their address"
    ]


def few_pages_notes(documents: Mapping[str, int], pairs: Mapping[tuple[str, str], int]) -> list[str]:
    """A note for the first language pair without page pairs and with few pages on both sides.

    ``documents``: number of pages by language; ``pairs``: number of page pairs by source and target language.
    """
    pages = _wanted_counts(documents, [*chain(*pairs)])
    for (src, tgt), count in pairs.items():
        numbers = [pages[src], pages[tgt]]
        if not count and all(0 < number <= FEW_PAGES for number in numbers):
            return [
                f"too few pages to learn which of them translate each other ({src} {numbers[0]}, {tgt} {numbers[1]}). "
                f"If you know two that do, save them as files: diglot align FILE FILE -l {src},{tgt} -o memory"
            ]
    return []


def _wanted_counts(documents: Mapping[str, int], langs: Sequence[str]) -> Counter[str]:
    """Number of pages by wanted language. Of sites read no further, tags name no script or another one."""
    counts: Counter[str] = Counter()
    for lang, count in documents.items():
        counts[wanted_language(lang, "", tuple(langs))] += count
    return counts


def several_sites_notes(
    sites: Sequence[Mapping[str, Any]], documents: Mapping[str, int], *, has_pairs: bool
) -> list[str]:
    """A note for a run of a few sites in several languages without a page pair: the sites may be one.

    ``sites``: :func:`diglot.outputs.funnel.count_by_site`; ``documents``: number of pages by language.
    """
    if has_pairs or len(documents) < 2 or not 1 < len(sites) <= MAX_DOMAINS:
        return []
    named = sorted(str(each["site"]) for each in sites[:NAMED_AT_MOST])
    more = ", ..." if len(sites) > NAMED_AT_MOST else ""
    return [
        f"the pages are of {len(sites)} sites ({', '.join(named)}{more}), which do not name each other by hreflang and "
        "were paired each by itself; where one translates the other, give --one-site"
    ]


def several_languages_notes(pages: Sequence[SampledPage], *, has_pairs: bool) -> list[str]:
    """A note if a third of these pages hold texts in several languages, or hide much text.

    ``has_pairs``: whether the run has page pairs. Then languages have pages of their own, and hidden text is dialogs.
    """
    several = [langs for page in pages if len(langs := languages_of_text(page.texts)) > 1]
    if not several or len(several) < LEAST_IN_SEVERAL * len(pages):
        return [] if has_pairs else _hidden_text_notes(pages)
    langs = sorted(lang for lang, _ in Counter(lang for each in several for lang in each).most_common(NAMED_AT_MOST))
    return [
        f"{len(several):,} of {len(pages):,} pages looked at hold texts in several languages ({', '.join(langs)}). "
        "With --split-pages each language of such a page is a page of its own, if its texts correspond"
    ]


def other_host_notes(pages: Sequence[SampledPage], base_url: str) -> list[str]:
    """A note if half of the pages that name their language versions in their heads do so on a host other than that of
    ``base_url``, the address that the user gave to a folder of files; "" for none."""
    if not base_url:
        return []
    host = urlsplit(base_url).netloc
    # A link in the text has an anchor. In a mirror it leads to a file, also where the head of the page names the host.
    places = [
        {_scheme_and_host(url) for anchor, code, url in page.links if code and not anchor} - {("", "")}
        for page in pages
    ]
    elsewhere = Counter(place for found in places if host not in {netloc for _, netloc in found} for place in found)
    if not elsewhere:
        return []
    # Of equally frequent hosts the first by name is given, for the same note in every run.
    (scheme, other), count = min(elsewhere.items(), key=lambda item: (-item[1], item[0]))
    if 2 * count < sum(map(bool, places)):
        return []
    return [
        f"{count:,} of {len(pages):,} pages looked at name their language versions on {other}, and --base-url names "
        f"{host}: such links lead to no page. With --base-url {scheme}://{other}/ they count"
    ]


def _scheme_and_host(url: str) -> tuple[str, str]:
    """Both are "" for an address that is none, or whose host no host can have, as from a template not filled in."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", ""
    return (parts.scheme, parts.netloc) if _HOST.fullmatch(parts.netloc) else ("", "")


def scripted_pages_notes(pages: Sequence[SampledPage]) -> list[str]:
    """A note if a third of these pages have no link and hardly any text, like pages whose scripts have not run."""
    bare = sum(not page.links and sum(map(len, page.texts)) < LEAST_CHARS for page in pages)
    if not bare or bare < LEAST_BARE * len(pages):
        return []
    return [
        f"{bare:,} of {len(pages):,} pages looked at have no links and hardly any text. If scripts make them, a crawl "
        "with --browser '*' runs the scripts"
    ]


def _hidden_text_notes(pages: Sequence[SampledPage]) -> list[str]:
    """A note if a third of the pages hide as much text as a language of a split page must have."""
    hiding = sum(page.hidden_ratio >= LEAST_SHARE for page in pages)
    if not hiding or hiding < LEAST_IN_SEVERAL * len(pages):
        return []
    return [
        f"{hiding:,} of {len(pages):,} pages looked at hide much text until a script shows it. If it is in other "
        "languages, --split-pages reads it, and makes each language of such a page a page of its own"
    ]


def cut_notes(sources: Sequence[str]) -> list[str]:
    """A note on the cut files, if there are any."""
    if not sources:
        return []
    return [
        f"cut before the end: {names_text(sources, NAMED_AT_MOST)}. The pages that followed are missing: fetch "
        "or copy such a file again, and harvest again"
    ]


def closed_notes(folders: Iterable[str]) -> list[str]:
    """A note on closed folders, whose files may not be listed; empty without closed folders."""
    if not (closed := sorted(folders)):
        return []
    return [
        f"not allowed to list {names_text(closed, NAMED_AT_MOST)}. "
        "The pages in such a folder are missing: allow it (chmod -R u+rX), and "
        "harvest again"
    ]


def unread_notes(counts: Mapping[str, int]) -> list[str]:
    """A note on office files that Diglot does not read; empty without any. ``counts``: their number by extension."""
    if not counts:
        return []
    named = [f"{count:,} {extension}" for extension, count in largest_first(counts)]
    files = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    told = "file was not read: save it" if sum(counts.values()) == 1 else "files were not read: save them"
    return [f"{files} {told} as {KINDS_READ}, and harvest again; out/pages.tsv has the addresses"]


def cause_notes(counts: Mapping[str, int], fate: str) -> list[str]:
    """Notes on pages with one fate, such as :data:`LOST`, the most frequent causes first.

    ``counts``: number of pages by cause.
    """
    ordered = largest_first(counts)
    notes = [f"{count_text(count, 'page')} {fate}: {cause}" for cause, count in ordered[:NAMED_AT_MOST]]
    if more := sum(count for _, count in ordered[NAMED_AT_MOST:]):
        notes.append(f"{count_text(more, 'page')} {fate} by other causes, see out/pages.tsv")
    return notes


def machine_notes(flags: Mapping[str, int], *, aligned: int) -> list[str]:
    """Notes on marks and on failures of machine translation; empty for few of either.

    ``flags``: number of segments with each flag; ``aligned``: of segments with two sides.
    A segment with an empty side is never ``machine_translated``.
    """
    notes = []
    marked, failed = flags.get("machine_translated", 0), sum(flags.get(flag, 0) for flag in FAILED_FLAGS)
    if marked >= LEAST_BY_MACHINE * max(aligned, 1):
        share = f"{marked / aligned:.0%}"
        notes.append(f"mostly translated by a machine: {share} of the segments are of pages with a mark that says so")
    if failed >= max(LEAST_FAILED_SEGMENTS, LEAST_FAILED * aligned):
        names = " and ".join(flag for flag in FAILED_FLAGS if flags.get(flag))
        notes.append(
            f"{failed:,} of {aligned:,} segments with two sides are garbled or repeat their text ({names}): a machine "
            "may have translated and failed, or pages show a text twice. Read a sample of the others before you use "
            "them"
        )
    return notes
