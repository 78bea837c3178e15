"""``diglot crawl``, ``update`` and ``forget``: crawled sites."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from diglot.arguments import path_list
from diglot.cli.lines import Lines
from diglot.cli.options import (
    NO_CRAWL,
    PLAIN,
    Agent,
    BrowserGlobs,
    Crawl,
    CrawlLanguages,
    Jobs,
    MaxPages,
    OutOrHost,
    Overwrite,
    RunDir,
    crawl_options,
    out_or_host,
    takes_console_options,
    takes_crawl_options,
)
from diglot.layout import count_text


@takes_crawl_options()
@takes_console_options
def crawl_command(
    address: Annotated[list[str], typer.Argument(metavar="URL...", help="addresses to start from")],
    out: OutOrHost = None,
    langs: CrawlLanguages = "",
    crawl: Crawl = NO_CRAWL,
    overwrite: Overwrite = False,
    console: Lines = PLAIN,
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


@takes_console_options
def update_command(
    run: RunDir,
    max_pages: MaxPages = 0,
    agent: Agent = "",
    browser: BrowserGlobs = [],  # noqa: B006
    believe: Annotated[
        bool,
        typer.Option(
            "--believe", help="drop missing pages and take new texts at once, even if they are many (an outage)"
        ),
    ] = False,
    jobs: Jobs = 0,
    console: Lines = PLAIN,
) -> None:
    """Crawl a site again for changed pages and write the outputs again; new segments are in out/delta."""
    from diglot.updating import update_run

    crawl = crawl_options(max_pages=max_pages, agent=agent, browser=browser)
    changes, outcome = update_run(run, crawl, believe=believe, jobs=jobs, progress=console)
    if not console.quiet:
        typer.echo("pages     " + ", ".join(f"{count:,} {kind}" for kind, count in sorted(changes.pages.items())))
        for name, counts in (("new", changes.new), ("gone", changes.gone), ("now", changes.kept)):
            told = [f"{count_text(count, 'segment')} {pair}" for pair, count in counts.items() if count]
            typer.echo(f"{name:<9} {', '.join(told) or 'nothing'}")
        lines = [f"note      {note}" for note in changes.notes] + [f"wrote     {path}" for path in changes.files]
        typer.echo("\n".join(lines))
    if outcome is not None:
        raise outcome


@takes_console_options
def forget_command(
    run: RunDir,
    url: Annotated[str, typer.Option("--url", help="address to delete")] = "",
    host: Annotated[str, typer.Option("--host", help="delete all pages of this host")] = "",
    same_text: Annotated[
        bool, typer.Option("--same-text", help="delete other pages with the same text as well")
    ] = False,
    jobs: Jobs = 0,
    console: Lines = PLAIN,
) -> None:
    """Delete an address or a host from a run and write the outputs again without it."""
    from diglot.forgetting import forget

    done = forget(run, url=url, host=host, same_text=same_text, jobs=jobs, progress=console)
    forgotten = (
        count_text(done.addresses, "address", "addresses") if done.addresses else "nothing: it was forgotten before"
    )
    lines = [f"forgot    {forgotten}"]
    lines += [f"deleted   {path}: the run no longer has these languages" for path in done.unmade]
    lines += [
        f"note      {path} names it: the run was started with it"
        if path.name == "diglot.toml"
        else f"note      texts of other pages name it in {path}"
        for path in done.mentions
    ]
    lines += [
        f"note      {path} still holds it and is not changed; this run never reads it from there again"
        for path in done.sources
    ]
    lines += [
        f"note      {path} still holds it and is not changed; export it again, or delete it" for path in done.elsewhere
    ]
    lines += [
        f"note      {each} is a translation of it and stays: diglot forget {run} --url {shlex.quote(each)}"
        for each in done.translations
    ]
    lines += [
        f"note      {each} has the same text ({share:.0%} of it): diglot forget {run} --url {shlex.quote(each)}"
        for each, share in done.same_text.items()
    ]
    if not console.quiet:
        typer.echo("\n".join(lines))
    for path in done.left:
        typer.echo(f"diglot: {path}: still holds it, and Diglot did not write the file; delete it yourself", err=True)
    # A script must not take a deletion for complete while a file still holds the address.
    if done.left:
        raise typer.Exit(1)
