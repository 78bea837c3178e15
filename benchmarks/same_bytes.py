"""Whether a run of many sites gives the same bytes however its tasks are done, and each site what it gives alone.

    python benchmarks/same_bytes.py SITES OUT [--langs en,fr,de --pivot en] [--ways jobs1,list,kills,spark2]

SITES: a folder of folders with pages.warc.gz. Their pages are dealt into 16 archives in an order drawn at random; a
site of a variant (NAME.VARIANT) gets a host of its own. Ways: ``diglot harvest`` with one process and with two; a task
list under ``xargs -P2``; the same with a kill every few seconds of a process drawn at random; Spark with one worker and
with two, where its environment is (``make spark-test`` makes it). Prints a line a way and one a site.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from measured import Measured, descendants, measure
from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord
from warcio.warcwriter import WARCWriter

from diglot.site import registered_domain

FILES, SEED = 16, 0
KILL_EVERY_S = 12.0
ROOT = Path(__file__).resolve().parents[1]
DIGLOT = (sys.executable, "-m", "diglot")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sites", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--langs", default="en,fr,de")
    parser.add_argument("--pivot", default="en")
    parser.add_argument("--ways", default="jobs1,jobs2,list,kills")
    parser.add_argument("--alone", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sites = sorted(path for path in options.sites.iterdir() if (path / "pages.warc.gz").is_file())
    archives = mixed(sites, options.out)
    asked = ["-l", options.langs, *(["--pivot", options.pivot] if options.pivot else [])]
    found: dict[str, dict[str, str]] = {}
    for way in options.ways.split(","):
        run = options.out / way
        shutil.rmtree(run, ignore_errors=True)
        cost = WAYS[way](archives, asked, run)
        found[way] = digests(run)
        first = next(iter(found.values()))
        differing = sorted(name for name in first.keys() | found[way].keys() if first.get(name) != found[way].get(name))
        print(f"{way:<8} {cost.cpu_s:>7} s CPU {cost.wall_s:>7} s wall {cost.all_mb:>6} MB all {cost.first_mb:>5} MB "
              f"main, exit {cost.exit_code}: {len(found[way])} files, differing: {', '.join(differing) or 'none'}",
              flush=True)  # fmt: skip
    if options.alone:
        compare_alone(sites, asked, options.out, options.out / next(iter(found)))


def mixed(sites: list[Path], out: Path) -> list[Path]:
    """The archives of all sites mixed, and for each site the one with its pages alone, OUT/alone/NAME.warc.gz."""
    archives = [out / "mixed" / f"part-{number:02d}.warc.gz" for number in range(FILES)]
    if archives[-1].is_file():
        return archives
    for folder in (out / "mixed", out / "alone"):
        folder.mkdir(exist_ok=True)
    handles = [path.open("wb") for path in archives]
    writers = [WARCWriter(handle, gzip=True) for handle in handles]
    rng = random.Random(SEED)
    for site in sites:
        with (site / "pages.warc.gz").open("rb") as archive, (out / "alone" / f"{site.name}.warc.gz").open("wb") as own:
            alone = WARCWriter(own, gzip=True)
            for record in ArchiveIterator(archive, no_record_parse=True):
                content = record.raw_stream.read()
                for writer in (rng.choice(writers), alone):
                    writer.write_record(moved(record, content, site.name, writer))
    for handle in handles:
        handle.close()
    return archives


def moved(record: ArcWarcRecord, content: bytes, name: str, writer: WARCWriter) -> ArcWarcRecord:
    """The record as it is, or of a variant on a host of its own, with its links."""
    from io import BytesIO

    url = record.rec_headers.get_header("WARC-Target-URI")
    if "." in name and url:
        host = url.split("/")[2].split(":")[0]
        new = f"{name.replace('.', '-')}.example"
        content = content.replace(host.encode(), new.encode())
        url = url.replace(host, new)
    return writer.create_warc_record(
        url,
        record.rec_type,
        payload=BytesIO(content),
        length=len(content),
        warc_content_type=record.rec_headers.get_header("Content-Type") or "",
        warc_headers_dict={"WARC-Date": record.rec_headers.get_header("WARC-Date") or ""},
    )


def harvested(jobs: int) -> Callable[[list[Path], list[str], Path], Measured]:
    def way(archives: list[Path], asked: list[str], run: Path) -> Measured:
        return measure(
            [*DIGLOT, "harvest", *map(str, archives), *asked, "-o", str(run), "--jobs", str(jobs), "--quiet"]
        )

    return way


def listed(archives: list[Path], asked: list[str], run: Path) -> Measured:
    return measure(["bash", "-c", script(archives, asked, run)])


def script(archives: list[Path], asked: list[str], run: Path) -> str:
    diglot = " ".join(DIGLOT)
    parts = f"seq 0 3 | xargs -P2 -I% {diglot} tasks run {run} STAGE --part %/4 --quiet"
    plan = f"{diglot} tasks plan {' '.join(map(str, archives))} {' '.join(asked)} -o {run} > {run}.log"
    steps = [
        plan,
        parts.replace("STAGE", "read"),
        parts.replace("STAGE", "site"),
        f"{diglot} tasks finish {run} --quiet",
    ]
    return " && ".join(steps)


def killed(archives: list[Path], asked: list[str], run: Path) -> Measured:
    """The list, a process drawn at random killed every few seconds, each step tried until it is done."""
    diglot = " ".join(DIGLOT)
    parts = f"seq 0 3 | xargs -P2 -I% {diglot} tasks run {run} STAGE --part %/4 --quiet"
    steps = script(archives, asked, run).split(" && ")
    again = [f"until {step} 2>> {run}.errors; do :; done" for step in steps[1:3]]
    assert parts.replace("STAGE", "read") == steps[1]
    command = ["bash", "-c", "; ".join([steps[0], *again, steps[3]])]
    pid = os.fork()
    if pid == 0:
        rng = random.Random(SEED)
        kills = 0
        while os.getppid() > 1 and kills < 4:
            time.sleep(KILL_EVERY_S * rng.uniform(0.5, 1.5))
            own = [each for each in descendants(os.getppid()) if each != os.getpid() and is_worker(each)]
            if own:
                with suppress(ProcessLookupError):
                    os.kill(rng.choice(own), signal.SIGKILL)
                    kills += 1
                    Path(f"{run}.kills").write_text(str(kills))
        os._exit(0)
    found = measure(command)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    print(f"         {Path(f'{run}.kills').read_text()} kills")
    return found


def is_worker(pid: int) -> bool:
    """Whether a process is at work on a task: neither the shell nor what finishes the run."""
    with suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return b"python" in command[0] and b"finish" not in command and b"plan" not in command
    return False


def on_spark(workers: int) -> Callable[[list[Path], list[str], Path], Measured]:
    def way(archives: list[Path], asked: list[str], run: Path) -> Measured:
        master = f"local-cluster[{workers},1,1024]"
        return measure(spark_command(archives, asked, run, master))

    return way


def spark_command(archives: list[Path], asked: list[str], run: Path, master: str) -> list[str]:
    sources = [*DIGLOT, "harvest", *map(str, archives), *asked, "-o", str(run), "--quiet"]
    return [*sources, "--engine", "spark", "--master", master]


def spark_killed(archives: list[Path], asked: list[str], run: Path) -> Measured:
    """A master and two workers of this machine, of which a process at work on a task, one that an executor has, an
    executor and a worker's daemon are killed."""
    sys.path[:0] = [str(ROOT / "tests" / "spark"), str(ROOT / "tests" / "engines"), str(ROOT / "tests")]
    from clusters import Standalone

    folder = run.with_name(f"{run.name}.cluster")
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "conf").mkdir(parents=True)
    cluster = Standalone(folder, "for this machine alone")
    settings = {**cluster.settings, "spark.executor.memory": "512m"}
    (folder / "conf" / "spark-defaults.conf").write_text("".join(f"{k} {v}\n" for k, v in settings.items()))
    patterns = ("engines import server", "pyspark.daemon", "CoarseGrainedExecutorBackend", "deploy.worker.Worker")
    pid = os.fork()
    if pid == 0:
        for pattern in patterns:
            time.sleep(4 * KILL_EVERY_S)
            found = subprocess.run(["pgrep", "-f", pattern], capture_output=True, text=True, check=False).stdout.split()
            workers = [int(each) for each in found if int(each) != os.getpid()]
            if workers:
                with suppress(ProcessLookupError):
                    os.kill(workers[-1], signal.SIGKILL)
            with run.with_name(f"{run.name}.kills").open("a") as log:
                log.write(f"{pattern}: {len(workers)} found\n")
        os._exit(0)
    try:
        environment = {**os.environ, "SPARK_CONF_DIR": str(folder / "conf")}
        # in a process of its own, which waits for all its children: the cluster is ours
        command = [sys.executable, str(ROOT / "benchmarks" / "measured.py")]
        command += spark_command(archives, asked, run, cluster.master)
        told = subprocess.run(command, env=environment, stderr=subprocess.PIPE, text=True, check=False).stderr
        return Measured(**json.loads(told.splitlines()[-1]))
    finally:
        cluster.end()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        print("         kills: " + run.with_name(f"{run.name}.kills").read_text().replace("\n", "; "))


WAYS = {
    "jobs1": harvested(1),
    "jobs2": harvested(2),
    "list": listed,
    "kills": killed,
    "spark1": on_spark(1),
    "spark2": on_spark(2),
    "sparkkills": spark_killed,
}


def digests(run: Path) -> dict[str, str]:
    """Of every output of a run a hash of its bytes; of the summary without seconds."""
    found = {}
    for path in sorted([*(run / "out").iterdir(), run / "report.html"]):
        content = path.read_bytes()
        if path.name == "summary.json":
            content = json.dumps({k: v for k, v in json.loads(content).items() if k != "seconds"}).encode()
        found[path.name] = hashlib.sha256(content).hexdigest()
    return found


def compare_alone(sites: list[Path], asked: list[str], out: Path, run: Path) -> None:
    """A line a site: whether its pages, pairs and flagged segments are those that it has alone."""
    groups: dict[str, list[Path]] = {}
    for site in sites:
        archive = out / "alone" / f"{site.name}.warc.gz"
        with archive.open("rb") as handle:
            urls = (record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(handle))
            groups.setdefault(registered_domain(next(url for url in urls if url)), []).append(archive)
    for domain, archives in groups.items():
        own = out / "alone" / f"{archives[0].name}.run"
        shutil.rmtree(own, ignore_errors=True)
        command = [*DIGLOT, "harvest", *map(str, archives), *asked, "-o", str(own), "--quiet"]
        subprocess.run(command, check=False)
        verdicts = {stage: same(stage, domain, run, own) for stage in ("resolved", "pairs", "segments", "flagged")}
        print(f"{domain}: " + ", ".join(f"{stage} {text}" for stage, text in verdicts.items()), flush=True)


def same(stage: str, domain: str, run: Path, own: Path) -> str:
    among, alone = (of_domain(stage_table(folder, stage), domain) for folder in (run, own))
    return f"{alone.num_rows} rows {'the same' if plain(among) == plain(alone) else 'DIFFERENT'}"


def stage_table(run: Path, stage: str) -> pa.Table:
    return pa.concat_tables([pq.read_table(path) for path in sorted((run / stage).glob("*.parquet"))])


def of_domain(table: pa.Table, domain: str) -> pa.Table:
    urls = table["url" if "url" in table.column_names else "src_url"].to_pylist()
    return table.filter(pa.array([registered_domain(url) == domain for url in urls], pa.bool_()))


def plain(table: pa.Table) -> Mapping[str, list[object]]:
    """Rows but for the names of the files that their pages come from."""
    return table.drop_columns([name for name in ("source", "offset") if name in table.column_names]).to_pydict()


if __name__ == "__main__":
    main()
