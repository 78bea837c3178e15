"""Small bilingual sites for tests, as .lett lines: English and French pages of the same page number."""

from __future__ import annotations

import base64
import random

SENTENCES = {
    "en": (
        "The harbour opens every morning before the fishing boats leave the old town.",
        "Our museum keeps more than two hundred paintings of the river and its bridges.",
        "Tickets can be bought at the entrance or from the machine beside the station.",
        "In winter the path through the forest is closed because of falling branches.",
        "The council decided last year that the market would move to the northern square.",
        "Visitors who arrive late should ring the bell and wait for the caretaker.",
        "A small library next to the church lends books in seven different languages.",
        "The bakery sells bread made with flour from the mill at the end of the valley.",
        "Children under twelve travel free when they are accompanied by an adult.",
        "Please remember that dogs are not allowed on the beach between May and September.",
    ),
    "fr": (
        "Le port ouvre chaque matin avant que les bateaux de pêche ne quittent la vieille ville.",
        "Notre musée conserve plus de deux cents tableaux de la rivière et de ses ponts.",
        "Les billets s'achètent à l'entrée ou au distributeur situé à côté de la gare.",
        "En hiver, le sentier qui traverse la forêt est fermé à cause des chutes de branches.",
        "Le conseil a décidé l'année dernière que le marché serait déplacé sur la place du nord.",
        "Les visiteurs qui arrivent en retard doivent sonner et attendre le gardien.",
        "Une petite bibliothèque près de l'église prête des livres en sept langues différentes.",
        "La boulangerie vend du pain fait avec la farine du moulin au bout de la vallée.",
        "Les enfants de moins de douze ans voyagent gratuitement avec un adulte.",
        "Rappelez-vous que les chiens sont interdits sur la plage de mai à septembre.",
    ),
}


def page_html(lang: str, number: int) -> bytes:
    """Page ``number``: a choice of sentences that is its own, the same in both languages."""
    rng = random.Random(number)
    chosen = rng.sample(range(10), rng.randrange(4, 9))
    text = "".join(f"<p>{SENTENCES[lang][k]}</p>" for k in chosen)
    return f"<html lang={lang}><head><title>{number}</title></head><body><h1>{number}</h1>{text}</body></html>".encode()


def lett_line(lang: str, url: str, html: bytes) -> bytes:
    """A line of the WMT16 task: language, mime type, charset, address, HTML and text in base64."""
    fields = [lang.encode(), b"text/html", b"charset=utf-8", url.encode(), base64.b64encode(html), b""]
    return b"\t".join(fields) + b"\n"


def address(host: str, lang: str, number: int) -> str:
    """Where page ``number`` stands."""
    return f"http://{host}/{lang}/page{number}.html"


def lett_site(host: str, numbers: range) -> bytes:
    """A site with pages of these numbers in both languages."""
    return b"".join(lett_line(lang, address(host, lang, n), page_html(lang, n)) for n in numbers for lang in SENTENCES)
