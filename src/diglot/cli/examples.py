"""Examples of every command, as ``--help`` and the reference show them: the words, and what they do."""

from __future__ import annotations

import typer

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "harvest": (
        ("diglot harvest https://www.example.org -l en,fr -o run", "crawl a site and make a memory of it"),
        ("diglot harvest pages.warc.gz -l en,de,fr -o run", "from an archive; every pair of the languages"),
        ("diglot harvest mirror/ -l en,fr -o run --base-url https://example.org", "from a folder of HTML files"),
        ("diglot harvest --config run/diglot.toml -o again", "a run made once more"),
    ),
    "crawl": (
        ("diglot crawl https://www.example.org -l en,fr -o run --max-pages 500", "fetch, and do no more"),
        ("diglot crawl https://example.org -o run --include '/docs/*' --delay 2", "one part of a site, gently"),
    ),
    "plan": (
        ("diglot plan https://www.example.org -l en,fr", "how large a site is, before it is crawled"),
        ("diglot plan pages.warc.gz -l en,fr", "what is in an archive, and how long a harvest takes"),
    ),
    "languages": (("diglot languages site.wacz", "then `diglot harvest site.wacz -l 'en,*' -o run`"),),
    "read": (("diglot read pages.warc.gz -l en,fr -o run", "then `diglot pair run`"),),
    "pair": (
        ("diglot pair run", "by the recipe of the run"),
        ("diglot pair run --recipe bitextor2010 --set max_edits=5", "by another, with an option of it changed"),
    ),
    "align": (
        ("diglot align run", "the pages of a run that are paired"),
        ("diglot align book.en.txt book.fr.txt -l en,fr --split --to tmx -o book.tmx", "two texts"),
    ),
    "clean": (
        ("diglot clean run --min-score 0.9", "keep only what is surer"),
        ("diglot clean run --drop too_short --pii mask", "leave more out, and mask personal data"),
    ),
    "merge": (("diglot merge run1 run2 run3 -o all", "several sites in one memory"),),
    "update": (("diglot update run", "once a month, say; what is new is then in run/out/delta"),),
    "forget": (
        ("diglot forget run --url https://www.example.org/private.html", "take a page out of all there is"),
        ("diglot forget run --host old.example.org", "take a host out"),
    ),
    "export": (
        ("diglot export run --to xliff,xlsx", "other formats beside the TMX"),
        ("diglot export run --to sqlite", "a database to search with sqlite-utils or datasette"),
        ("diglot export run --to moses --min-score 0.9 -o corpus", "the surest, into another folder"),
    ),
    "stats": (("diglot stats run", "how much there is of what"),),
    "search": (
        ("diglot search run 'open source' -l en,fr", "segments that hold it, in either language"),
        ("diglot search run 'licen.e' --regex --json", "for another program"),
    ),
    "recipes": (("diglot recipes", "all of them"), ("diglot recipes bitextor2010", "the options of one")),
    "why": (
        ("diglot why run https://example.org/en/page.html", "what became of a page"),
        ("diglot why run https://example.org/en/page.html https://example.org/fr/page.html", "why two are a pair"),
    ),
    "check": (("diglot check run/out/en-fr.tmx", "whether other tools will read it"),),
    "compare": (
        ("diglot compare pages.warc.gz -l en,fr", "every recipe on one site"),
        ("diglot compare pages.warc.gz -l en,fr --recipes fused,ilsp --gold gold.tsv --html plot.html", "with scores"),
    ),
    "open": (("diglot open run", "in the browser"), ("diglot open run --terms", "with the terms of the site")),
    "sample": (("diglot sample run -n 100 -l en,fr -o sheet.tsv", "then `diglot judge run sheet.tsv`"),),
    "judge": (("diglot judge run sheet.tsv", "how many of the segments kept are wrong"),),
    "terms": (
        ("diglot terms run -l en,fr", "the terms of the site, the most telling first"),
        ("diglot terms run --inconsistent", "terms with several translations, and their pages"),
        ("diglot terms run --to tbx,omegat -o terms", "a termbase and a glossary"),
    ),
    "evaluate pairs": (("diglot evaluate pairs run gold.tsv --reliability", "with how well probabilities hold"),),
    "evaluate segments": (("diglot evaluate segments run/out/segments.en-fr.tsv gold.tsv", "against known pairs"),),
    "evaluate wmt16": (("diglot evaluate wmt16 wmt16-train --recipe bitextor2010", "the task of 2016"),),
    "tasks plan": (("diglot tasks plan a.warc.gz b.warc.gz -l en,fr -o run", "what to type next is printed"),),
    "tasks list": (("diglot tasks list run read", "a line a task"),),
    "tasks run": (
        ("diglot tasks run run read", "all tasks of a stage, here"),
        ("diglot tasks run run site --part 3/100", "every hundredth from the third on"),
    ),
    "tasks status": (("diglot tasks status run", "how far it is"),),
    "tasks finish": (("diglot tasks finish run", "outputs of what the tasks made"),),
}


def give_examples(app: typer.Typer, prefix: str = "") -> None:
    """Put its examples below the help of every command."""
    for command in app.registered_commands:
        command.epilog = epilog(EXAMPLES.get(f"{prefix}{command.name}", ()))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            give_examples(group.typer_instance, f"{prefix}{group.name} ")


def epilog(examples: tuple[tuple[str, str], ...]) -> str:
    """Each a paragraph, which terminals show as a line."""
    return "\n\n".join(["Examples:", *(f"$ {words}  # {what}" for words, what in examples)]) if examples else ""
