"""``diglot crawl``, ``update`` and ``forget``: crawled sites."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from diglot.arguments import CrawlKeywords, path_list
from diglot.cli.lines import Lines
from diglot.cli.option_groups import part_of, takes
from diglot.cli.options import (
    CrawlLanguages,
    Jobs,
    OutOrHost,
    Overwrite,
    RunDir,
    console_options,
    crawl_options,
    crawling_option,
    json_console_options,
    out_or_host,
)
from diglot.layout import count_text

if TYPE_CHECKING:
    from diglot.forgetting import Forgotten
    from diglot.updating import Changes


@takes(crawl=crawl_options, console=console_options)
def crawl_command(
    address: Annotated[list[str], typer.Argument(metavar="URL...", help="addresses to start from")],
    out: OutOrHost = None,
    langs: CrawlLanguages = "",
    *,
    crawl: CrawlKeywords,
    overwrite: Overwrite = False,
    console: Lines,
) -> None:
    """Crawl a site into WARC files of a run folder. After a stop, the same command goes on."""
    from diglot.harvesting import crawl_run

    address = path_list(address)
    crawled = crawl_run(
        address, out_or_host(out, address), langs=langs, crawl=crawl, overwrite=overwrite, progress=console
    )
    lines = [f"note      {notice}" for notice in crawled.notices] + [f"wrote     {path}" for path in crawled.files]
    if crawled.files:
        wanted = langs if "," in langs else "all"
        folder = crawled.files[0].parent
        lines.append(f"next      {shlex.join(['diglot', 'harvest', str(folder), '-l', wanted, '-o'])} RUN")
    if not console.quiet:
        typer.echo("\n".join(lines))


@takes(crawl=part_of(crawl_options, "agent", "browser"), console=json_console_options)
def update_command(
    run: RunDir,
    *,
    crawl: CrawlKeywords,
    max_pages: Annotated[
        int | None,
        crawling_option("--max-pages", min=0, help="most pages that are new to the run; 0: none; default: as before"),
    ] = None,
    believe: Annotated[
        bool,
        typer.Option(
            "--believe", help="drop missing pages and take new texts at once, even if they are many (an outage)"
        ),
    ] = False,
    jobs: Jobs = 0,
    console: Lines,
) -> None:
    """Crawl a site again for changed pages and write the outputs again; new segments are in out/delta."""
    from diglot.updating import update_run

    if max_pages is not None:
        crawl["max_pages"] = max_pages
    changes, outcome = update_run(run, crawl, believe=believe, jobs=jobs, progress=console)
    found = {**asdict(changes), "files": list(map(str, changes.files))}
    console.result(found, _changes_text(changes))
    if outcome is not None:
        raise outcome


def _changes_text(changes: Changes) -> str:
    """Numbers of changed pages and of segments, notes, and files."""
    lines = ["pages     " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(changes.pages.items()))]
    for name, counts in (("new", changes.new), ("gone", changes.gone), ("now", changes.kept)):
        texts = [f"{count_text(count, 'segment')} {pair}" for pair, count in counts.items() if count]
        lines.append(f"{name:<9} {', '.join(texts) or 'nothing'}")
    lines += [f"note      {note}" for note in changes.notes] + [f"wrote     {path}" for path in changes.files]
    return "\n".join(lines)


@takes(console=console_options)
def forget_command(
    run: RunDir,
    url: Annotated[str, typer.Option("--url", help="address to delete")] = "",
    host: Annotated[str, typer.Option("--host", help="delete all pages of this host")] = "",
    same_text: Annotated[
        bool, typer.Option("--same-text", help="delete other pages with the same text as well")
    ] = False,
    jobs: Jobs = 0,
    *,
    console: Lines,
) -> None:
    """Delete an address or a host from a run and write the outputs again without it."""
    from diglot.forgetting import forget

    done = forget(run, url=url, host=host, same_text=same_text, jobs=jobs, progress=console)
    if not console.quiet:
        typer.echo("\n".join(_forgotten_lines(run, done)))
    for path in done.left:
        typer.echo(f"diglot: {path}: still holds it, and Diglot did not write the file; delete it yourself", err=True)
    # A script must not take a deletion for complete while a file still holds the address.
    if done.left:
        raise typer.Exit(1)


def _forgotten_lines(run: Path, done: Forgotten) -> list[str]:
    """What was deleted, and what still holds the address or has the same text."""
    forgotten = (
        count_text(done.addresses, "address", "addresses") if done.addresses else "nothing: it was forgotten before"
    )
    lines = [f"forgot    {forgotten}"]
    if done.verdicts:
        lines.append(
            f"deleted   {count_text(done.verdicts, 'verdict')} on it; other pages with the same segments "
            "are no longer judged by them"
        )
    lines += [f"deleted   {path}: the run no longer has these languages" for path in done.unmade]
    lines += [
        f"note      {path} names it: the run was started with it"
        if path.name == "diglot.toml"
        else f"note      other pages link to it or name it, in {path}"
        for path in done.mentions
    ]
    lines += [f"note      other pages have one of its texts, in {path}" for path in done.texts]
    lines += [
        f"note      {path} still holds it and is not changed; this run never reads it from there again"
        for path in done.sources
    ]
    lines += [
        f"note      {path} still holds it and is not changed; export it again, or delete it" for path in done.elsewhere
    ]
    shares = {each: f"the same text ({share:.0%} of it)" for each, share in done.same_text.items()}
    said = {each: f"has {share}" for each, share in shares.items()}
    for each in done.targets:
        said[each] = "is where the address led, and stays"
    # A translation has the same text where much of it was left untranslated.
    for each in done.translations:
        same = f", has {shares[each]}" if each in shares else ""
        said[each] = f"is a translation of it{same} and stays"
    return lines + [
        f"note      {each} {what}: {shlex.join(['diglot', 'forget', str(run), '--url', each])}"
        for each, what in said.items()
    ]
