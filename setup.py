"""Modules named ``*_kernels.py`` are compiled by Cython; all else about the package is in pyproject.toml."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

sys.path.insert(0, str(Path(__file__).parent / "building"))
from backend import has_compiler, zig_command
from index_readme import for_index

SOURCES = Path("src")
SHARED = "diglot._memoryviews"
"""What all kernels have in common, compiled once."""
STABLE = [("CYTHON_LIMITED_API", "1"), ("Py_LIMITED_API", "0x030B0000")]
"""One build serves all Pythons from 3.11 on."""
FLAGS = [
    "-g0",
    # Nobody asks whether a number overflowed or a root was of a negative one. Results stay the same, and loops that
    # choose the smaller of two numbers can be vectorised.
    *("-fno-trapping-math", "-fno-math-errno"),
    "-ffp-contract=off",  # each product and sum is rounded by itself, so that every machine finds the same bytes
    # gcc: in one large function it does not unroll loops of known length, which then take 1.6 times as long. clang
    # does, and does not know these two.
    *("-fno-inline-small-functions", "-fno-inline-functions-called-once", "-Wno-ignored-optimization-argument"),
]
MSVC_FLAGS = ["/O2", "/fp:precise"]
"""The same for Microsoft's compiler, which contracts nothing under ``precise``."""
DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
    # No kernel is pickled or inspected: without code for both, the C compiler works a quarter less.
    "auto_pickle": False,
    "binding": False,
}
JOBS = os.cpu_count() or 1


class BuildKernels(build_ext):
    """Translate the kernels to C and compile that, by the compiler of this machine or by that of ``ziglang``."""

    def finalize_options(self) -> None:
        from Cython.Build import cythonize

        self.distribution.ext_modules = cythonize(
            self.distribution.ext_modules,
            build_dir="build",
            compiler_directives=DIRECTIVES,
            nthreads=JOBS,
            shared_utility_qualified_name=SHARED,
            quiet=True,
        )
        super().finalize_options()
        self.parallel = self.parallel or JOBS
        if self.inplace or self.editable_mode:
            self.build_lib = f"build/kernels-{self.plat_name}"  # kept, so that only what has changed is compiled again

    def run(self) -> None:
        if not has_compiler():
            if importlib.util.find_spec("ziglang") is None:
                sys.exit("Diglot needs a C compiler to be built: install gcc or clang, or `pip install ziglang`")
            zig = zig_command(sys.executable)
            os.environ.update(CC=zig, LDSHARED=f"{zig} -shared")
        super().run()

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "msvc":
            for each in self.extensions:
                each.extra_compile_args, each.libraries = MSVC_FLAGS, []  # what is "m" elsewhere comes by itself
        super().build_extensions()


def extension(name: str, source: Path, optimize: str = "-O3") -> Extension:
    return Extension(
        name,
        [str(source)],
        define_macros=STABLE,
        extra_compile_args=[optimize, *FLAGS],
        libraries=["m"],
        depends=["setup.py", *map(str, SOURCES.rglob("*.pxd"))],
        py_limited_api=True,
    )


def kernels() -> list[Extension]:
    paths = sorted(SOURCES.rglob("*_kernels.py"))
    return [extension(".".join(path.relative_to(SOURCES).with_suffix("").parts), path) for path in paths]


setup(
    long_description=for_index(Path("README.md").read_text(encoding="utf-8")),
    long_description_content_type="text/markdown",
    cmdclass={"build_ext": BuildKernels},
    # What kernels share runs once in a call, and no loop is in it: without -O3 it compiles in half the time.
    ext_modules=[extension(SHARED, Path("build/_memoryviews.c"), "-O1"), *kernels()],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
