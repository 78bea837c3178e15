"""Examples of commands for ``--help`` and the reference: command line and comment."""

from __future__ import annotations

import typer

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "harvest": (
        ("diglot harvest https://www.example.org -l en,fr -o run", "crawl a site and make a translation memory"),
        ("diglot harvest pages.warc.gz -l en,de,fr -o run", "from an archive; all pairs of three languages"),
        ("diglot harvest mirror/ -l en,fr -o run --base-url https://example.org", "from a folder of HTML files"),
        ("diglot harvest --config run/diglot.toml -o again", "make a run again"),
    ),
    "crawl": (
        ("diglot crawl https://www.example.org -l en,fr -o run --max-pages 500", "only fetch pages"),
        ("diglot crawl https://example.org -o run --include '/docs/*' --delay 2", "one part of a site, slowly"),
    ),
    "plan": (
        ("diglot plan https://www.example.org -l en,fr", "size of a site, before a crawl"),
        ("diglot plan pages.warc.gz -l en,fr", "content of an archive, and time of a harvest"),
    ),
    "languages": (("diglot languages site.wacz", "then `diglot harvest site.wacz -l 'en,*' -o run`"),),
    "read": (("diglot read pages.warc.gz -l en,fr -o run", "then `diglot pair run`"),),
    "pair": (
        ("diglot pair run", "by the recipe of the run"),
        ("diglot pair run --recipe bitextor2010 --set max_edits=5", "by another recipe, with one option changed"),
    ),
    "align": (
        ("diglot align run", "the page pairs of a run"),
        ("diglot align book.en.txt book.fr.txt -l en,fr --split --to tmx -o book.tmx", "two texts"),
        ("diglot align contract.en.docx contract.fr.odt -l en,fr -o memory", "two documents: TMX, and a page to read"),
    ),
    "clean": (
        ("diglot clean run --min-score 0.8", "keep only surer segments"),
        ("diglot clean run --drop too_short --pii mask", "leave out more segments, mask personal data"),
    ),
    "merge": (("diglot merge run1 run2 run3 -o all", "several sites in one memory"),),
    "update": (("diglot update run", "fetch changed pages; new segments are in run/out/delta"),),
    "forget": (
        ("diglot forget run --url https://www.example.org/private.html", "delete a page from all files"),
        ("diglot forget run --host old.example.org", "delete all pages of a host"),
    ),
    "export": (
        ("diglot export run --to xliff,xlsx", "other formats beside the TMX"),
        ("diglot export run --to sqlite", "a database to search with sqlite-utils or datasette"),
        ("diglot export run --to moses --min-score 0.8 -o corpus", "the surest segments, into another folder"),
    ),
    "stats": (("diglot stats run", "numbers of pages, segments and words"),),
    "search": (
        ("diglot search run 'open source' -l en,fr", "segments with this text, in either language"),
        ("diglot search run 'licen.e' --regex --json", "a regular expression; output for another program"),
    ),
    "recipes": (("diglot recipes", "all recipes"), ("diglot recipes bitextor2010", "the options of one")),
    "why": (
        ("diglot why run https://example.org/en/page.html", "what became of a page"),
        (
            "diglot why run https://example.org/en/page.html https://example.org/fr/page.html",
            "why two pages are a pair",
        ),
    ),
    "check": (("diglot check run/out/en-fr.tmx", "whether other tools can read it"),),
    "verify": (("diglot verify run", "after a copy, or when a disk is in doubt"),),
    "compare": (
        ("diglot compare pages.warc.gz -l en,fr", "all recipes on one site"),
        ("diglot compare pages.warc.gz -l en,fr --recipes fused,ilsp --gold gold.tsv --html plot.html", "with scores"),
    ),
    "open": (("diglot open run", "in the browser"), ("diglot open run --terms", "with the terms of the site")),
    "sample": (("diglot sample run -n 100 -l en,fr -o sheet.tsv", "then `diglot judge run sheet.tsv`"),),
    "judge": (("diglot judge run sheet.tsv", "share of wrong segments among those kept"),),
    "terms": (
        ("diglot terms run -l en,fr", "the terms of the site, the most telling first"),
        ("diglot terms run --inconsistent", "terms with several translations, and their pages"),
        ("diglot terms run --to tbx,omegat -o terms", "a termbase and a glossary"),
    ),
    "ui": (
        ("diglot ui", "the sites in ~/diglot"),
        ("diglot ui sites --no-browser", "another folder; open the printed address yourself"),
    ),
    "evaluate pairs": (
        ("diglot evaluate pairs run gold.tsv --reliability", "with the share right at each probability"),
    ),
    "evaluate segments": (("diglot evaluate segments run/out/segments.en-fr.tsv gold.tsv", "against gold segments"),),
    "evaluate wmt16": (("diglot evaluate wmt16 wmt16-train --recipe bitextor2010", "the shared task of 2016"),),
    "tasks plan": (("diglot tasks plan a.warc.gz b.warc.gz -l en,fr -o run", "prints the next commands"),),
    "tasks list": (("diglot tasks list run read", "one line per task"),),
    "tasks run": (
        ("diglot tasks run run read", "all tasks of a stage, here"),
        ("diglot tasks run run site --part 3/100", "every hundredth task, from number 3"),
    ),
    "tasks status": (("diglot tasks status run", "number of tasks done"),),
    "tasks finish": (("diglot tasks finish run", "write the outputs"),),
}


def give_examples(app: typer.Typer, prefix: str = "") -> None:
    """Add the examples of each command to its help."""
    for command in app.registered_commands:
        command.epilog = epilog(EXAMPLES.get(f"{prefix}{command.name}", ()))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            give_examples(group.typer_instance, f"{prefix}{group.name} ")


def epilog(examples: tuple[tuple[str, str], ...]) -> str:
    """Examples as paragraphs: help shows a paragraph as a line."""
    return "\n\n".join(["Examples:", *(f"$ {words}  # {what}" for words, what in examples)]) if examples else ""
