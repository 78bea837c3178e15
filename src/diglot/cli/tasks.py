"""``diglot tasks ...``: a run cut into tasks."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from diglot.arguments import path_list
from diglot.cli.console import tell_finished
from diglot.cli.lines import Lines
from diglot.cli.option_groups import takes
from diglot.cli.options import FILES, Asked, LanguagesOrAll, Overwrite, Quiet, json_console_options, run_options
from diglot.errors import UsageError
from diglot.layout import count_text
from diglot.tasks import Stage

tasks_app = typer.Typer(no_args_is_help=True, help="Run many sites as tasks, on a cluster or with GNU parallel.")
SHARED = "folder shared by all machines, or s3://BUCKET/PREFIX"
Place = Annotated[str, typer.Argument(metavar="RUN", help=SHARED, callback=os.path.expanduser)]
StageName = Annotated[Stage, typer.Argument(help="read or site")]


@tasks_app.command("plan")
@takes(asked=run_options)
def plan_command(
    source: Annotated[list[str], typer.Argument(help=FILES)],
    langs: LanguagesOrAll,
    out: Annotated[
        str,
        typer.Option(
            "-o", "--out", metavar="RUN", help="folder shared by all machines, or s3://...", callback=os.path.expanduser
        ),
    ],
    overwrite: Overwrite = False,
    quiet: Quiet = False,
    *,
    asked: Asked,
) -> None:
    """Write the tasks of a run, one for each source, and print the next commands."""
    from diglot.cli.console import console_for
    from diglot.tasks.commands import plan_by_options

    if config := asked.get("config"):
        raise UsageError(f"--config {config}: only harvest takes the file of a run; name sources and options here")
    plan = plan_by_options(path_list(source), langs, asked, out, console_for(quiet=quiet), overwrite=overwrite)
    if quiet:
        return
    count = len(plan.sources)
    typer.echo(f"planned   {count_text(count, 'task')} of reading; tasks of sites follow when they are done")
    parts = min(count, 100)
    run = shlex.quote(out)
    finish = f"diglot tasks finish {run}{' --overwrite' if overwrite else ''}"
    typer.echo(f"here      diglot tasks run {run} read; diglot tasks run {run} site; {finish}")
    typer.echo(f"parallel  seq 0 {parts - 1} | parallel diglot tasks run {run} read --part {{}}/{parts}")
    wrapped = f'"diglot tasks run {run} read --part \\$SLURM_ARRAY_TASK_ID/{parts}"'
    typer.echo(f"Slurm     sbatch --array=0-{parts - 1} --wrap {wrapped}")


@tasks_app.command("list")
def list_command(run: Place, stage: StageName) -> None:
    """Print the tasks of a stage, one JSON object a line."""
    from diglot.disk.store import Store
    from diglot.tasks.commands import stage_tasks

    for task in stage_tasks(Store.at(run), stage):
        typer.echo(task.to_line())


@tasks_app.command("run")
@takes(console=json_console_options)
def run_command(
    run: Place,
    stage: StageName,
    number: Annotated[int | None, typer.Argument(help="number of one task, from 0; default: all")] = None,
    part: Annotated[str, typer.Option("--part", metavar="I/N", help="part I, from 0, of N parts of the tasks")] = "",
    *,
    console: Lines,
) -> None:
    """Run tasks one by one; finished tasks are skipped."""
    from diglot.disk.store import Store
    from diglot.engines.server import serve_from_here
    from diglot.errors import DiglotError
    from diglot.run.work import PRELOAD
    from diglot.tasks.commands import run_tasks, select_tasks, stage_tasks
    from diglot.tasks.task import describe_failures

    if number is not None and part:
        raise UsageError("a number and --part both choose tasks; leave one out")
    serve_from_here(PRELOAD)  # before a remote store has threads
    store = Store.at(run)
    tasks = select_tasks(stage_tasks(store, stage), number=number, part=part)
    failed = run_tasks(store, tasks, console)
    if failed:
        raise DiglotError(
            f"{len(failed)} of {len(tasks)} tasks failed ({describe_failures(failed)}); the same command tries again"
        )


@tasks_app.command("status")
def status_command(run: Place) -> None:
    """Print how many tasks are done, and the next command."""
    from diglot.disk.store import Store
    from diglot.tasks.commands import stage_progress

    store = Store.at(run)
    found = stage_progress(store)
    following = ""
    for stage, each in found.items():
        if each.tasks is None:
            typer.echo(f"{stage:<9} planned when all sources are read")
        else:
            typer.echo(f"{stage:<9} {each.done} of {each.tasks} tasks done, {each.pages:,} records")
        if each.begun:
            named = ", ".join(map(str, each.begun[:20]))
            typer.echo(f"          started, and running or lost: {'task' if len(each.begun) == 1 else 'tasks'} {named}")
        if not following and each.done != each.tasks:
            following = f"diglot tasks run {shlex.quote(run)} {stage}"
    elsewhere = "" if store.folder else " -o FOLDER"
    typer.echo(f"next      {following or f'diglot tasks finish {shlex.quote(run)}{elsewhere}'}")


@tasks_app.command("finish")
@takes(console=json_console_options)
def finish_command(
    run: Place,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="the run folder; default: RUN")] = None,
    overwrite: Overwrite = False,
    *,
    console: Lines,
) -> None:
    """Write translation memories, summary and report from the results of the tasks."""
    from diglot.disk.store import Store
    from diglot.results.run import open_run
    from diglot.tasks.commands import finish_tasks

    tell_finished(open_run(finish_tasks(Store.at(run), out, console, overwrite=overwrite)), console)
