"""Commands of a run that is cut into tasks: plan, list, run, status, finish."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from diglot.cli.ending import tell_finished
from diglot.cli.lines import Lines
from diglot.cli.options import AS_USUAL, FILES, PLAIN, Asked, LanguagesOrAll, takes_json_options, takes_run_options
from diglot.errors import UsageError
from diglot.tasks import Stage

tasks_app = typer.Typer(no_args_is_help=True, help="A run of many sites as tasks, for a cluster or GNU parallel.")
Place = Annotated[str, typer.Argument(metavar="RUN", help="folder that all machines see, or s3://BUCKET/PREFIX")]
StageName = Annotated[Stage, typer.Argument(help="read or site")]


@tasks_app.command("plan")
@takes_run_options
def plan_command(
    source: Annotated[list[str], typer.Argument(help=FILES)],
    langs: LanguagesOrAll,
    out: Annotated[str, typer.Option("-o", "--out", metavar="RUN", help="folder that all machines see, or s3://...")],
    asked: Asked = AS_USUAL,
) -> None:
    """Write down what is to be done, a task a source; and print what to type next."""
    from diglot.cli.console import console_for
    from diglot.tasks.commands import plan_by_options

    if config := asked.get("config"):
        raise UsageError(f"--config {config}: the file of a run, which harvest takes; name sources and options here")
    count = len(plan_by_options(source, langs, asked, out, console_for()).sources)
    typer.echo(
        f"planned   {count} {'task' if count == 1 else 'tasks'} of reading; those of sites follow when they are done"
    )
    parts = min(count, 100)
    run = shlex.quote(out)
    typer.echo(f"here      diglot tasks run {run} read; diglot tasks run {run} site; diglot tasks finish {run}")
    typer.echo(f"parallel  seq 0 {parts - 1} | parallel diglot tasks run {run} read --part {{}}/{parts}")
    wrapped = f'"diglot tasks run {run} read --part \\$SLURM_ARRAY_TASK_ID/{parts}"'
    typer.echo(f"Slurm     sbatch --array=0-{parts - 1} --wrap {wrapped}")


@tasks_app.command("list")
def list_command(run: Place, stage: StageName) -> None:
    """The tasks of a stage, one JSON object a line."""
    from diglot.disk.store import Store
    from diglot.tasks.commands import stage_tasks

    for task in stage_tasks(Store.at(run), stage):
        typer.echo(task.to_line())


@tasks_app.command("run")
@takes_json_options
def run_command(
    run: Place,
    stage: StageName,
    number: Annotated[int | None, typer.Argument(help="one task, from 0; all without it")] = None,
    part: Annotated[str, typer.Option("--part", metavar="I/N", help="every N-th task from the I-th on, from 0")] = "",
    console: Lines = PLAIN,
) -> None:
    """Do tasks, one after the other; those that are done cost nothing."""
    from diglot.disk.store import Store
    from diglot.engines.server import serve_from_here
    from diglot.errors import DiglotError
    from diglot.run.work import PRELOAD
    from diglot.tasks.commands import run_tasks, select_tasks, stage_tasks
    from diglot.tasks.task import describe_failures

    if number is not None and part:
        raise UsageError("a number and --part both say which tasks to run; leave one out")
    serve_from_here(PRELOAD)  # before a remote store has threads
    store = Store.at(run)
    tasks = select_tasks(stage_tasks(store, stage), number=number, part=part)
    failed = run_tasks(store, tasks, console)
    if failed:
        raise DiglotError(
            f"{len(failed)} of {len(tasks)} tasks could not be done ({describe_failures(failed)}); "
            "the same command tries again"
        )


@tasks_app.command("status")
def status_command(run: Place) -> None:
    """How far a run is, and what to type next."""
    from diglot.disk.store import Store
    from diglot.tasks.commands import stage_progress

    store = Store.at(run)
    found = stage_progress(store)
    following = ""
    for stage, each in found.items():
        if each.tasks is None:
            typer.echo(f"{stage:<9} not planned before all sources are read")
        else:
            typer.echo(f"{stage:<9} {each.done} of {each.tasks} tasks done, {each.pages:,} records")
        if each.begun:
            typer.echo(f"          begun, at work or lost: {', '.join(map(str, each.begun[:20]))}")
        if not following and each.done != each.tasks:
            following = f"diglot tasks run {shlex.quote(run)} {stage}"
    elsewhere = "" if store.folder else " -o FOLDER"
    typer.echo(f"next      {following or f'diglot tasks finish {shlex.quote(run)}{elsewhere}'}")


@tasks_app.command("finish")
@takes_json_options
def finish_command(
    run: Place,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="the run folder; RUN itself without it")] = None,
    console: Lines = PLAIN,
) -> None:
    """Translation memories, summary and report of what the tasks made."""
    from diglot.disk.store import Store
    from diglot.results.run import open_run
    from diglot.tasks.commands import finish_tasks

    tell_finished(open_run(finish_tasks(Store.at(run), out, console)), console)
