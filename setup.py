"""Modules named ``*_kernels.py`` are compiled by Cython; all else about the package is in pyproject.toml."""

from __future__ import annotations

import os
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

SOURCES = Path("src")
SHARED = "diglot._memoryviews"
"""What all kernels have in common, compiled once."""
STABLE = [("CYTHON_LIMITED_API", "1"), ("Py_LIMITED_API", "0x030B0000")]
"""One build serves all Pythons from 3.11 on."""
FLAGS = ["-O3", "-ffp-contract=off", "-g0"]
"""Products and sums are rounded each by itself, so that every machine finds the same bytes."""
DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}


def extension(name: str, source: Path) -> Extension:
    return Extension(
        name, [str(source)], define_macros=STABLE, extra_compile_args=FLAGS, libraries=["m"], py_limited_api=True
    )


kernels = sorted(SOURCES.rglob("*_kernels.py"))
names = [".".join(path.relative_to(SOURCES).with_suffix("").parts) for path in kernels]
setup(
    ext_modules=cythonize(
        [extension(SHARED, Path("build/_memoryviews.c")), *map(extension, names, kernels)],
        build_dir="build",
        compiler_directives=DIRECTIVES,
        nthreads=len(os.sched_getaffinity(0)),
        shared_utility_qualified_name=SHARED,
        quiet=True,
    ),
    options={"bdist_wheel": {"py_limited_api": "cp311"}, "build_ext": {"parallel": len(os.sched_getaffinity(0))}},
)
