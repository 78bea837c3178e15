"""A made site of three languages: a page for each way to find its language, and for each kind of duplicate."""

from __future__ import annotations

from diglot.records import Page
from sentences import SENTENCES

HOST = "https://www.example.org"
MADE_LANGS = ("en", "fr", "hu")
NUMBERS = range(14)

MENUS = {
    "en": ["Back to the table of contents of this manual", "Search all of the documentation pages here"],
    "fr": ["Retour à la table des matières de ce manuel", "Chercher dans toutes les pages de la documentation"],
    "hu": [
        "Vissza a kézikönyv tartalomjegyzékéhez és a tárgymutatóhoz",
        "Keresés az összes oldal között",
    ],
}
OPENINGS = {
    "en": "Chapter {n} describes in {n} plain English words how the music of {topic} is written down on paper",
    "fr": "Le chapitre {n} décrit en {n} mots simples comment la musique de {topic} est écrite sur du papier",
    "hu": "A {n}. fejezet {n} egyszerű szóval írja le, hogyan kerül papírra a zene, és mi köze ehhez: {topic}",
}
TOPICS = (
    *("flutes and whistles", "shepherds", "mountain villages", "brass kettles", "winter weddings", "harbour drums"),
    *("old organs", "violins", "marching soldiers", "harvest dances", "church bells", "lullabies", "steam trains"),
    "street corners",
)


def made_pages() -> list[Page]:
    """All pages of the site, as bytes."""
    pages = [_page(f"{lang}/{n}.html", lang, n) for lang in MADE_LANGS for n in NUMBERS if n not in LEFT_OUT[lang]]
    return [*pages, *_duplicates(), *_of_little_text(), *_with_odd_markup()]


LEFT_OUT: dict[str, tuple[int, ...]] = {"en": (), "fr": (11,), "hu": (8, 9, 10, 12)}
"""Chapters without a translation."""


def chapter(lang: str, number: int, parts: int = 6) -> list[str]:
    """Paragraphs that stand on no other page of the language."""
    return [
        OPENINGS[lang].format(n=number, topic=TOPICS[number % len(TOPICS)]) + f" ({number}.{part})."
        for part in range(parts)
    ]


def _page(path: str, frame: str, number: int, text: list[str] | None = None, *, head: str = "") -> Page:
    """A page in the menus of one language, with links to its versions and to the next chapters."""
    menu = "".join(f"<li><a href='/{frame}/'>{entry}</a></li>" for entry in MENUS[frame])
    versions = "".join(
        f"<a hreflang={lang} rel=alternate href='/{lang}/{number}.html'>{lang}</a> " for lang in MADE_LANGS
    )
    onward = "".join(f"<p><a href='../{frame}/{number + step}.html'>{number + step}</a></p>" for step in (1, 2))
    body = "".join(f"<p>{paragraph}</p>" for paragraph in (chapter(frame, number) if text is None else text))
    html = (
        f"<html lang={frame}><head><title>{number} – {frame}</title>{head}</head><body><ul>{menu}</ul>"
        f"<nav>{versions}</nav><h1 id=top>{number} <a href='#top'>¶</a></h1>{body}{onward}"
        "<footer><a href='https://creativecommons.org/licenses/by/4.0/deed.fr'>CC BY</a></footer></body></html>"
    )
    return Page(f"{HOST}/{path}", html.encode(), "text/html; charset=utf-8", source="made")


def _duplicates() -> list[Page]:
    """The same text under another address, in the menus of another language, nearly the same, and reprinted."""
    english = {number: chapter("en", number) for number in NUMBERS}
    near = [*chapter("en", 10, 30), "Ez itt magyar."]
    return [
        _page("print/3.html", "en", 3),
        _page("hu/8.html", "hu", 8, english[8]),
        _page("hu/9.html", "hu", 9, [*english[9], "Egy sor."]),
        _page("long/10.html", "en", 10, chapter("en", 10, 30)),
        _page("hu/10.html", "hu", 10, near),
        _page("old/5.html", "en", 5, [*english[5], "Old."]),
        _page("hu/12.html", "hu", 12, [*english[12][:5], *chapter("hu", 12, 1)]),
        _page("fr/11.html", "fr", 11, english[11][:4]),
    ]


def _of_little_text() -> list[Page]:
    """Pages whose own text says too little: the rest of the page, their folder or what they declare does."""
    return [
        _page("fr/90.html", "fr", 90, ["Mardi"]),
        _page("hu/91.html", "hu", 91, ["12 + 30"]),
        Page(f"{HOST}/hu/92.html", b"<html lang=hu><p>1 2 3", "text/html", source="made"),
        Page(f"{HOST}/93.html", b"<html><p>1 2 3", "text/html", source="made"),
        Page(f"{HOST}/fr/94.html", f"<p>{SENTENCES['es']}<p>{SENTENCES['it']}".encode(), "text/html", source="made"),
        Page(f"{HOST}/95.html", f"<html lang=ca><p>{SENTENCES['es'][:45]}".encode(), "text/html", source="made"),
        Page(
            f"{HOST}/96.html",
            f"<p>{SENTENCES['ja']}".encode("shift_jis"),
            "text/html; charset=shift_jis",
            source="made",
        ),
        Page(f"{HOST}/97.html", b"<p hidden>nothing is seen</p>", "text/html", source="made"),
        Page(f"{HOST}/98.html", bytes(range(128, 256)) * 4, "text/html; charset=utf-8", source="made"),
    ]


def _with_odd_markup() -> list[Page]:
    """Markup of which every part is read: tables, code, forms, images, hidden text, a base, marks of a machine."""
    table = "<table><tr><th>Word<th>Mot<tr><td>bread<td>pain<p>again</table><pre>x &lt;= 3;\n  y</pre>"
    images = (
        "<img src=a.png alt='A baker'><a href=b.html><img src='data:,' alt='The shop'></a><iframe src=c.html></iframe>"
    )
    form = "<form><label>Name<input></label><select><option>One<option>Two</select><button>Go</button></form>"
    gaps = "<span class=d-flex><b>One</b><b>Two</b></span>"
    gaps += "<span>un<b>believ</b>able</span><a href=x>Left</a><a href=y>Right</a>"
    hidden = "<div style='display:none'>not seen</div><div aria-hidden=true>nor this</div>"
    anchors = "<h2 id=s>Section<a class=headerlink href='#s'>#</a></h2>"
    anchors += "<a href='mailto:a@b'>mail</a><a href='z#frag%20x'>z</a>"
    head = "<base href='/deep/er/'><link rel=license href='/terms'><link rel=alternate hreflang=fr href=fr>"
    body = f"{table}{images}{form}{gaps}{hidden}{anchors}"
    marked = f"<html class=translated-ltr lang=en><body>{SENTENCES['en']}{form}"
    commons = "<link rel=license href='//creativecommons.org/licenses/by-sa/3.0/'>"
    return [
        _page("markup/1.html", "en", 70, [body], head=head),
        _page("markup/2.html", "en", 71, [*chapter("en", 71), table], head=commons),
        Page(f"{HOST}/markup/3.html", marked.encode(), "text/html; charset=iso-8859-1", source="made"),
        Page(f"{HOST}/markup/4.html", b"<p>" + b"<b>" * 10_001 + b"deep", "text/html", source="made"),
        Page(f"{HOST}/markup/5.html", "\ufeff<p>größer als ein Haus".encode("utf-16"), "text/html", source="made"),
    ]
