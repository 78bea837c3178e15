"""A small bilingual website with menus, tables and cross links, and the forms a person may have it in."""

from __future__ import annotations

import random
from pathlib import Path

from made_sites import SENTENCES, lett_line

HOST = "http://docs.example.org"
TITLE = {"en": "Chapter", "fr": "Chapitre"}
MENU = {
    "en": ("Home page", "Next chapter", "Version française"),
    "fr": ("Accueil", "Chapitre suivant", "English version"),
}
HOURS = {"en": "Opening hours", "fr": "Horaires"}
DAYS = {"en": ("Monday", "Thursday", "Sunday"), "fr": ("Lundi", "Jeudi", "Dimanche")}
COUNT = 12


def website() -> dict[str, bytes]:
    """Pages by path: twelve chapters in two languages, one page only in English and one in German."""
    pages = {f"{lang}/chapter{n}.html": _chapter(lang, n) for n in range(1, COUNT + 1) for lang in SENTENCES}
    pages["en/credits.html"] = _chapter("en", 99)
    german = "Der Hafen öffnet jeden Morgen, bevor die Fischerboote die alte Stadt verlassen und aufs Meer fahren. " * 3
    pages["de/index.html"] = f"<html lang=de><title>Hafen</title><p>{german}</html>".encode()
    return pages


def _chapter(lang: str, number: int) -> bytes:
    rng = random.Random(number)
    title, other = TITLE[lang], "fr" if lang == "en" else "en"
    home, onward, switch = MENU[lang]
    sentences = [f"{sentence[:-1]} ({title.lower()} {number})." for sentence in SENTENCES[lang]]
    parts = []
    for _ in range(rng.randrange(3, 7)):
        parts.append("<p>" + " ".join(rng.sample(sentences, rng.randrange(2, 5))) + "</p>")
        if rng.random() < 0.4:
            parts.append("<ul>" + "".join(f"<li>{item}</li>" for item in rng.sample(sentences, 3)) + "</ul>")
    hours = "".join(f"<tr><th>{day}</th><td>{rng.randrange(8, 20)}:30</td></tr>" for day in DAYS[lang])
    return f"""<!DOCTYPE html>
<html lang="{lang}"><head><meta charset="utf-8"><title>{title} {number}</title>
<link rel="alternate" hreflang="{other}" href="../{other}/chapter{number}.html"></head>
<body><nav><ul><li><a href="chapter1.html">{home}</a></li>
<li><a href="chapter{number % COUNT + 1}.html">{onward}</a></li>
<li><a href="../{other}/chapter{number}.html" hreflang="{other}">{switch}</a></li></ul></nav>
<main><h1>{title} {number}</h1>
{"".join(parts)}
<h2>{HOURS[lang]}</h2><table>{hours}</table></main></body></html>
""".encode()


def as_folder(folder: Path) -> Path:
    """The site as files under ``folder``."""
    for path, body in website().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(body)
    return folder


def as_lett(path: Path) -> Path:
    """The site as a file of the WMT16 task."""
    path.write_bytes(b"".join(lett_line(name[:2], f"{HOST}/{name}", body) for name, body in website().items()))
    return path
