"""An error that nothing foresaw ends the command line with a line, and with a traceback only where one is asked for."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = "import diglot.cli as cli; cli._run = lambda: {}['levels']; cli.entry()"


def test_an_unforeseen_error_is_a_line_with_its_place() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("diglot: KeyError: 'levels' (<string>, line 1); mend it there if the file is yours")
    assert len(done.stderr.splitlines()) == 1


def test_with_json_it_is_an_object() -> None:
    words = [sys.executable, "-c", PROGRAM, "stats", "--json"]
    told = json.loads(subprocess.run(words, capture_output=True, text=True, check=False).stderr)
    assert (told["code"], told["kind"]) == (1, "KeyError")
    assert told["message"].startswith("KeyError: 'levels' (<string>, line 1); mend it")


def test_too_little_memory_is_no_error_of_the_program() -> None:
    program = "import diglot.cli as cli; cli._run = lambda: bytes(1 << 62); cli.entry()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("; free memory, or raise the limit of this shell (ulimit -v)\n")


def test_the_development_mode_of_python_shows_the_traceback() -> None:
    words = [sys.executable, "-X", "dev", "-c", PROGRAM]
    assert "Traceback" in subprocess.run(words, capture_output=True, text=True, check=False).stderr


def test_a_file_that_a_command_did_not_foresee_is_named_with_what_to_try() -> None:
    program = (
        "import diglot.cli.commands as commands; commands._run = lambda _: open('gone.tsv');"
        " raise SystemExit(commands.main(['stats']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "diglot: gone.tsv: not there; check the name\n")
