"""``import diglot``: what it offers, and that it costs nothing until used."""

import subprocess
import sys

import pytest

import diglot
from diglot.cli import main


def test_every_public_name_is_there() -> None:
    assert all(getattr(diglot, name) is not None for name in diglot.__all__)
    assert callable(diglot.harvest)
    assert issubclass(diglot.errors.UsageError, diglot.errors.DiglotError)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        diglot.nothing  # noqa: B018


def test_harvest_stays_the_function_whatever_is_imported_first() -> None:
    code = "import diglot.harvesting\nfrom diglot import harvest\nassert harvest is diglot.harvesting.harvest"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_import_loads_nothing_else() -> None:
    code = "import sys, diglot\nassert not {'pyarrow', 'numpy', 'diglot.harvesting'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"diglot {diglot.version.__version__}\n"
