"""A site of 300 real pages in three languages with traps beside them, and a crawl of it without a network.

A trap is a function from the path below its own folder to the texts and links of a page; every page has a next one.
"""

from __future__ import annotations

import datetime
import hashlib
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from diglot.crawl.queue.traps import TrapGuard, TrapStop, text_hashes

SITE = "https://site.example"
LANGS = ("en", "fr", "de")
REAL_PAGES = 300

SYLLABLES = [consonant + vowel for consonant in "bdklmnr" for vowel in "aeiou"]
FACETS = ["red", "blue", "green", "small", "large", "cheap", "dear", "new", "old", "wood", "steel", "glass", "round"]
MENU = ["Home", "All pages", "Calendar of events", "Contact us and where to find the house"]

Texts = list[str]
Links = list[str]
Trap = Callable[[str], tuple[Texts, Links]]


def drawn(seed: str, size: int) -> list[str]:
    """Words made up from a seed, the same each time."""
    digits = "".join(hashlib.sha256(f"{seed}:{n}".encode()).hexdigest() for n in range(1 + size // 10))
    numbers = [int(digits[6 * n : 6 * n + 6], 16) for n in range(size)]
    return ["".join(SYLLABLES[number // 35**k % 35] for k in range(3)) for number in numbers]


def token(seed: str, size: int = 32) -> str:
    """A hexadecimal token, as servers give to visitors."""
    return hashlib.sha256(seed.encode()).hexdigest()[:size]


def _number(text: str) -> int:
    digits = "".join(filter(str.isdigit, text))
    return int(digits[:9]) if digits else 0


def month_name(month: int) -> str:
    """January to December."""
    return datetime.date(2024, month, 1).strftime("%B")


def calendar(rest: str) -> tuple[Texts, Links]:
    if rest.startswith("day"):
        return ["No events on this day", "Back to the month"], ["month?m=1"]
    n = _number(rest)
    days = [f"day?d={2024 + n // 12}-{n % 12 + 1:02d}-{day:02d}" for day in range(1, 31)]
    return [f"{month_name(n % 12 + 1)} {2024 + n // 12}", "No events", *map(str, range(1, 31))], [
        f"month?m={n + 1}",
        *days,
    ]


def dated_folders(rest: str) -> tuple[Texts, Links]:
    n = _number(rest)
    year, month, day = 2000 + n // 372 % 8000, n // 31 % 12 + 1, n % 31 + 1
    links = [f"{SITE}/archive/{2000 + m // 372 % 8000}/{m // 31 % 12 + 1}/{m % 31 + 1}/?n={m}" for m in (n + 1, n + 31)]
    return [f"Archive of {day}. {month}. {year}", "Nothing was posted here."], links


def session(rest: str) -> tuple[Texts, Links]:
    links = [f"shop?visit={token(rest + str(k))}" for k in range(8)]
    return ["Welcome to our shop, dear guest", "See our offers"], links


def path_session(rest: str) -> tuple[Texts, Links]:
    links = [f"basket;jsessionid={token(rest + str(k)).upper()}" for k in range(8)]
    return ["Your basket is empty at the moment"], links


def facets(rest: str) -> tuple[Texts, Links]:
    pairs = [pair for pair in rest.partition("?")[2].split("&") if pair]
    links = ["list?" + "&".join([*pairs, f"f{FACETS.index(n)}={n}"]) for n in FACETS if not any(n in p for p in pairs)]
    return [f"Products that are {' and '.join(p.partition('=')[2] for p in pairs)}", "Chair", "Table", "Lamp"], links


def path_facets(rest: str) -> tuple[Texts, Links]:
    words = [word for word in rest.split("/") if word]
    links = [f"{SITE}/shop-by/{'/'.join([*words, name])}/" for name in FACETS if name not in words]
    return [f"You chose {' '.join(words)}", "Chair", "Table", "Lamp"], links


def repeated_parts(rest: str) -> tuple[Texts, Links]:
    links = [f"{SITE}/photos/{rest}{part}/" for part in ("big", "small/big", "x")]
    return ["Photographs of the house and the garden"], links


def doubling(rest: str) -> tuple[Texts, Links]:
    links = ["docs/manual/index.html", "docs/index.html", "docs/faq/a.html"]
    return ["The manual, part one, with all its parts"], links


def soft_404(rest: str) -> tuple[Texts, Links]:
    links = [f"{'-'.join(drawn(rest + str(k), 2))}.html" for k in range(9)]
    return ["Sorry, this page is gone. Perhaps you like these?"], links


def pages_on_end(rest: str) -> tuple[Texts, Links]:
    return ["Results", f"Page {_number(rest)}", "Nothing was found", "Next"], [f"?page={_number(rest) + 1}&q=all"]


def languages_of_languages(rest: str) -> tuple[Texts, Links]:
    langs = ["en", "fr", "de", "it", "es"]
    links = [f"{SITE}/choose/{rest.strip('/')}/{lang}/{n}/" for lang in langs for n in (1, 2)]
    return ["Choose your language, please, for this page"], links


def wiki_wishes(rest: str) -> tuple[Texts, Links]:
    links = ["".join(drawn(rest + str(k), 2)).title() for k in range(6)]
    return ["This page does not exist yet. You can write it."], links


def story(rest: str) -> tuple[Texts, Links]:
    n = _number(rest)
    return [" ".join(drawn(f"story{n}", 60))], [f"part-{n + 1}", f"part-{max(0, n - 1)}"]


def tree(rest: str) -> tuple[Texts, Links]:
    return [" ".join(drawn(f"tree{rest}", 60))], [f"node-{_number(token(rest + str(k)))}" for k in range(5)]


def way_back(rest: str) -> tuple[Texts, Links]:
    links = [f"login?{k}&back={quote(SITE + '/account/' + rest, safe='')}" for k in "ab"]
    return ["Please log in to see more of this"], links


TRAPS: dict[str, Trap] = {
    "calendar": calendar,
    "archive": dated_folders,
    "guest": session,
    "basket": path_session,
    "filter": facets,
    "shop-by": path_facets,
    "photos": repeated_parts,
    "help": doubling,
    "gone": soft_404,
    "search": pages_on_end,
    "choose": languages_of_languages,
    "wiki": wiki_wishes,
    "story": story,
    "tree": tree,
    "account": way_back,
}


def real_page(number: int, lang: str) -> tuple[Texts, Links]:
    """A page of text with a menu, its versions, its neighbours, and one link into each trap."""
    others = [number + 1, number + 7, number * 3 + 1]
    links = [f"/{other}/page-{number}.html" for other in LANGS if other != lang]
    links += [f"/{lang}/page-{n % (REAL_PAGES // len(LANGS))}.html" for n in others]
    links += [f"/{name}/" for name in TRAPS]
    return [*MENU, *(" ".join(drawn(f"{lang}{number}{k}", 30)) for k in range(4))], links


def page(url: str) -> tuple[Texts, Links]:
    """Texts and absolute links of any page of the site."""
    path = url.removeprefix(SITE)
    if path == "/":
        texts, links = [*MENU, "Welcome to the site of three languages"], [f"/{lang}/page-0.html" for lang in LANGS]
    elif path[1:3] in LANGS and path[3:9] == "/page-":
        texts, links = real_page(_number(path), path[1:3])
    else:
        name, _, rest = path[1:].partition("/")
        texts, links = TRAPS[name](rest)
        texts = [*MENU, *texts]
    return texts, [urljoin(url, link) for link in links]


@dataclass(frozen=True)
class Walked:
    """Requests by first folder of the path, and the stops that were made."""

    requests: Counter[str]
    stops: list[TrapStop]
    urls: set[str]


def walk(pages: Callable[[str], tuple[Texts, Links]], starts: list[str], *, limit: int = 20_000) -> Walked:
    """Fetch breadth first as a spider would, asking the guard before each request."""
    guard, requests, stops = TrapGuard(), Counter[str](), []
    queue = deque(starts)
    guard.note_links(queue)
    seen = set(queue)
    fetched = set()
    while queue and sum(requests.values()) < limit:
        url = queue.popleft()
        stop = guard.judge(url)
        if stop is not None:
            stops.append(stop)
            continue
        requests[url.split("/")[3].partition("?")[0]] += 1
        fetched.add(url)
        texts, links = pages(url)
        guard.note_page(url, text_hashes(url, texts))
        guard.note_links(links, url)
        queue += (new := [link for link in dict.fromkeys(links) if link not in seen])
        seen.update(new)
    return Walked(requests, stops, fetched)
