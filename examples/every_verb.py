"""Every verb of Diglot in Python: `python examples/every_verb.py https://www.example.org en,fr FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

import diglot


def main(start: str, langs: str, folder: Path, limits: diglot.CrawlKeywords) -> None:
    """Crawl a site of two languages into ``folder``, and ask the run everything."""
    # Before a run.
    preview = diglot.plan_crawl(start, langs, crawl=limits)
    print(preview.languages, round(preview.seconds), "seconds")
    run = diglot.harvest(start, langs, folder / "run", crawl=limits, jobs=1, min_prob=0.5)
    archive = sorted((run.path / "warc").glob("*.warc.gz"))
    found = diglot.find_languages(archive, jobs=1)
    print([language.tag for language in found.languages], diglot.plan_files(archive, langs, jobs=1).pages)

    # A finished run: numbers, pairs, segments, texts, terms.
    for name, numbers in diglot.stats(run)["pairs"].items():
        print(name, numbers["kept"], "of", numbers["segments"], "segments,", numbers["words"])
    pair = run.pairs(min_prob=0.9)[0]
    print(pair.src.url, pair.tgt.url, pair.probability, pair.why())
    segments = run.segments().clean().filter(min_score=0.8, without="too_short").sort("length", descending=True)
    for hit in diglot.search(run, segments[0].src, langs=langs):
        print(hit.src, hit.tgt, hit.score, hit.flags)
    terms = run.terms(least=0.8).choose(termhood=0.2)
    print([(term.src, term.tgt, term.pages) for term in terms][:5], terms.write(folder / "terms", "tbx"))

    # Files.
    print(run.export(["tmx", "parquet"], folder / "memory", min_score=0.8))
    src, tgt = run.segments().src_lang, run.segments().tgt_lang
    print(diglot.check_tmx(folder / "memory" / f"{src}-{tgt}.tmx").ok, diglot.report_run(run))

    # By hand.
    sheet = diglot.sample(run, 20, out=folder / "sheet.tsv", seed=1)
    lines = sheet.path.read_text(encoding="utf-8").splitlines()
    judged = [lines[0], *(line.replace("\t\t", "\tright\t", 1) for line in lines[1:])]
    sheet.path.write_text("\n".join(judged), encoding="utf-8")
    verdicts = diglot.take_verdicts(run, [sheet.path])
    print(verdicts.taken, "verdicts;", verdicts.kept, "segments kept")

    # Check it, and change it.
    print(diglot.verify_run(run).faults)
    run = diglot.clean_run(run, min_score=0.6, drop=["too_short"], pii="mask")
    run = diglot.align_run(diglot.pair_run(run, recipe="fused"), jobs=1)
    print(diglot.update(run, jobs=1).pages)
    print(diglot.forget(run, url=pair.src_url, jobs=1).addresses, "address forgotten")

    # Several runs, several recipes.
    other = diglot.crawl_run(start, folder / "other", langs=langs, crawl={**limits, "max_pages": 10})
    same: diglot.RunKeywords = {"min_prob": 0.5, "min_score": 0.6, "drop": ["too_short"], "pii": "mask"}
    diglot.harvest(other.files, langs, folder / "few", jobs=1, **same)
    print(diglot.merge([run, folder / "few"], folder / "all").summary()["kept"])
    for contender in diglot.compare(other.files, langs, recipes="fused,url_baseline", jobs=1).contenders:
        print(contender.recipe, len(contender.pairs))
    print([bead.kind for bead in diglot.align(["One.", "Two."], ["Un.", "Deux."], "en", "fr")])


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: python every_verb.py ADDRESS LANGS FOLDER")
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]), {"max_pages": 50, "delay_s": 1.0})
