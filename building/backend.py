"""setuptools' build backend, which asks for a C compiler from PyPI where the machine has none."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

ZIG = "ziglang>=0.13"
"""The Zig project's C compiler as a wheel, used for the build and then thrown away."""


def has_compiler() -> bool:
    """Whether the machine has a C compiler, or the environment names one; of Windows setuptools itself knows."""
    return sys.platform == "win32" or bool(os.environ.get("CC")) or any(map(shutil.which, ("cc", "gcc", "clang")))


def zig_command(python: str) -> str:
    """Command of Zig's C compiler as setuptools takes it in ``CC``; ``python``: the interpreter that has ziglang."""
    return f"{shlex.quote(python)} -m ziglang cc -mcpu=baseline"  # setuptools splits it at blanks


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_wheel(config_settings), *([] if has_compiler() else [ZIG])]


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return [*build_meta.get_requires_for_build_editable(config_settings), *([] if has_compiler() else [ZIG])]
