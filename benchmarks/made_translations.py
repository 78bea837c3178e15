"""Made websites in two languages, with gold known by construction: what stands in for sites that do not ship.

The words are invented, the pages are HTML as a manual has it: addresses, menus, language switches, headings, tags,
numbers, images, files to download, e-mail addresses, links to other sites. A translation keeps most of each and not
all; some stories are nearly the same but for a few words and numbers, and some have no translation. The same seed gives
the same bytes.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

VOCABULARY, TOPIC_WORDS = 900, 30
SYLLABLES = {
    "en": "ble ster ing wor tha den low mer cro fil pon ret",
    "de": "ung schi ver kel auf gen zei bau rand stim heit wal",
    "fr": "eau tion ré mou leu sans bri quo tre del vi gne",
    "es": "ción ado lla mi tor que ri cal bue ña per so",
    "pl": "owa szcz nie dro kł prze mię sta cja gó wy dze",
}
COGNATES, SYNONYMS = 0.1, 0.4
"""Share of words spelt alike in all languages, and of occurrences that a translator puts another word for."""
KEPT_NUMBERS, KEPT_PARTS, KEPT_TAGS = 0.7, 0.75, 0.85
"""Share of numbers, of whole parts of a page, and of parts under the same tag, that a translation keeps."""
KEPT_FILES = {"image": 0.8, "file": 0.7, "outside": 0.8, "mail": 0.85}
SIBLINGS, SIBLING_WORDS = 0.6, 0.05
"""Share of stories that are another one with a few words changed, and the share of words changed."""
FOOTER = (
    '<footer><img src="/images/logo.png" alt=""> 2024 <a href="/files/terms.pdf">PDF</a> '
    '<a href="mailto:info@example.org">info@example.org</a></footer>'
)
"""What every page has."""
KINDS = ("h2", "p", "p", "p", "ul", "table", "pre", "blockquote")


@dataclass(frozen=True, kw_only=True)
class Made:
    """A site to be made: so many ``stories`` in both languages, and ``orphans`` more in each of them alone.

    ``address``: how a page's address is made of ``{lang}``, ``{slug}``, the story's name in all languages, and
    ``{number}``, which no other page has. ``switch``: pages link to their translation.
    """

    name: str
    langs: tuple[str, str]
    address: str
    switch: bool
    stories: int = 44
    orphans: int = 12


SITES = (
    Made(name="made.folders", langs=("en", "de"), address="{lang}/{slug}.html", switch=True),
    Made(name="made.numbers", langs=("en", "fr"), address="node/{number}", switch=False),
    Made(name="made.linked", langs=("en", "es"), address="{lang}/page-{number}.html", switch=True),
    Made(name="made.orphans", langs=("en", "pl"), address="?lang={lang}&id={number}", switch=False, orphans=18),
)


class Part(NamedTuple):
    """A part of a story: its tag, its words as numbers in the vocabulary, and numbers that stand among them."""

    tag: str
    words: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Story:
    """What a page tells, in no language yet; ``files``: (kind, name) of what it shows, offers and links to."""

    slug: str
    title: tuple[int, ...]
    parts: tuple[Part, ...]
    files: tuple[tuple[str, str], ...]


class MadePage(NamedTuple):
    """A page of a made site; pages of one story translate each other."""

    url: str
    lang: str
    html: bytes
    story: int


def made_pages(made: Made) -> list[MadePage]:
    """The pages of a site, the same whenever it is made."""
    rng = random.Random(f"{made.name} 1")
    stories = _stories(rng, made.stories + 2 * made.orphans)
    langs = [_langs_of(made, number) for number in range(len(stories))]
    numbers = rng.sample(range(100, 10_000), 2 * len(stories))
    urls = [
        {
            lang: f"http://{made.name}.example/{made.address}".format(lang=lang, slug=story.slug, number=numbers.pop())
            for lang in each
        }
        for story, each in zip(stories, langs, strict=True)
    ]
    return [
        MadePage(
            url, lang, _html(rng, _told(rng, story, lang != made.langs[0]), lang, urls, number, made).encode(), number
        )
        for number, story in enumerate(stories)
        for lang, url in urls[number].items()
    ]


def _langs_of(made: Made, number: int) -> tuple[str, ...]:
    """Both languages of the first stories, then one of the others by turns."""
    return made.langs if number < made.stories else (made.langs[number % 2],)


def _stories(rng: random.Random, count: int) -> list[Story]:
    stories: list[Story] = []
    for number in range(count):
        if stories and rng.random() < SIBLINGS:
            stories.append(_sibling(rng, rng.choice(stories), number))
            continue
        topic = rng.sample(range(VOCABULARY), TOPIC_WORDS)
        parts = tuple(_part(rng, topic) for _ in range(rng.randrange(4, 13)))
        files = tuple(_files(rng, number))
        stories.append(Story(f"story{number}", tuple(rng.sample(topic, 3)), parts, files))
    rng.shuffle(stories)
    return stories


def _part(rng: random.Random, topic: list[int]) -> Part:
    tag = rng.choice(KINDS)
    size = rng.randrange(3, 7) if tag == "h2" else rng.randrange(10, 40)
    # Every third word is one of the sixty that all pages use.
    words = tuple(rng.choice(topic) if rng.random() < 0.67 else rng.randrange(60) for _ in range(size))
    numbers = [rng.choice((rng.randrange(2, 40), rng.randrange(1900, 2030), rng.randrange(10_000)))]
    return Part(tag, words, tuple(numbers if tag != "h2" and rng.random() < 0.5 else ()))


def _files(rng: random.Random, number: int) -> Iterator[tuple[str, str]]:
    """Some of a story's own, and some that several stories have."""
    for kind, most in (("image", 3), ("file", 2), ("outside", 3), ("mail", 1)):
        for _ in range(rng.randrange(most + 1)):
            common = rng.random() < 0.4 or kind == "mail"
            yield kind, f"{kind}{rng.randrange(12)}" if common else f"{kind}-{number}-{rng.randrange(100)}"


def _sibling(rng: random.Random, story: Story, number: int) -> Story:
    """The story with a few words changed, and every number."""

    def changed(words: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(rng.randrange(VOCABULARY) if rng.random() < SIBLING_WORDS else word for word in words)

    parts = tuple(Part(p.tag, changed(p.words), tuple(rng.randrange(10_000) for _ in p.numbers)) for p in story.parts)
    files = tuple(file for file in story.files if rng.random() < 0.6) + tuple(_files(rng, number))[:2]
    return Story(f"story{number}", (*story.title[:-1], rng.randrange(VOCABULARY)), parts, files)


def _told(rng: random.Random, story: Story, translated: bool) -> Story:
    """The story as a translator leaves it; as it is where it is the original."""
    if not translated:
        return story
    parts = [
        Part(
            part.tag if rng.random() < KEPT_TAGS else rng.choice(KINDS),
            part.words,
            tuple(number for number in part.numbers if rng.random() < KEPT_NUMBERS),
        )
        for part in story.parts
        if rng.random() < KEPT_PARTS
    ]
    files = tuple((kind, name) for kind, name in story.files if rng.random() < KEPT_FILES[kind])
    return replace(story, parts=tuple(parts) or story.parts, files=files)


def _word(rng: random.Random, lang: str, word: int) -> str:
    """A word of the vocabulary in a language, or one of its synonyms."""
    own = random.Random(f"word {word}")
    if own.random() < COGNATES:
        lang = "en"
    elif rng.random() < SYNONYMS:
        word += VOCABULARY
    return "".join(random.Random(f"{lang} {word}").choices(SYLLABLES[lang].split(), k=2 + word % 2))


def _text(rng: random.Random, lang: str, part: Part) -> str:
    """Words in the language's order, of which neighbours change places at times, with the numbers among them."""
    words = [_word(rng, lang, word) for word in part.words]
    for place in range(len(words) - 1):
        if rng.random() < 0.2:
            words[place : place + 2] = words[place + 1], words[place]
    for number in part.numbers:
        words.insert(rng.randrange(len(words) + 1), str(number))
    return " ".join(words)


def _html(rng: random.Random, story: Story, lang: str, urls: list[dict[str, str]], number: int, made: Made) -> str:
    menu = [f'<a href="http://{made.name}.example/{lang}/">{_word(rng, lang, 1)}</a>']
    if made.switch:
        menu += [f'<a href="{url}" hreflang="{other}">{other}</a>' for other, url in urls[number].items()]
    others = [urls[other].get(lang) for other in rng.sample(range(len(urls)), 3)]
    menu += [f'<a href="{url}">{_word(rng, lang, 2)}</a>' for url in others if url]
    title = _text(rng, lang, Part("h1", story.title, ()))
    body = "\n".join([f"<h1>{title}</h1>", *(_element(rng, lang, part) for part in story.parts), *_parts_of(story)])
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head><body>'
        f"<nav>{' '.join(menu)}</nav>\n{body}\n{FOOTER}</body></html>"
    )


def _element(rng: random.Random, lang: str, part: Part) -> str:
    text = _text(rng, lang, part)
    if part.tag not in ("ul", "table"):
        return f"<{part.tag}>{text}</{part.tag}>"
    inner = "li" if part.tag == "ul" else "td"
    words = text.split()
    items = [f"<{inner}>{' '.join(words[start : start + 8])}</{inner}>" for start in range(0, len(words), 8)]
    rows = "".join(items if inner == "li" else (f"<tr>{item}</tr>" for item in items))
    return f"<{part.tag}>{rows}</{part.tag}>"


def _parts_of(story: Story) -> Iterator[str]:
    """Images, files, links to other sites, and e-mail addresses, as HTML."""
    form = {
        "image": '<img src="/images/{}.png" alt="">',
        "file": '<p><a href="/files/{}.pdf">PDF</a></p>',
        "outside": '<p><a href="https://www.{}.example.org/">www</a></p>',
        "mail": '<p><a href="mailto:{0}@example.org">{0}@example.org</a></p>',
    }
    return (form[kind].format(name) for kind, name in story.files)
