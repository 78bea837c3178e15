"""Chromium as a crawl runs it: one that is installed, cut off from every network, its memory limited.

The pages that it shows come through routes of ours (:mod:`diglot.crawl.browser`); by itself it reaches nothing. On
Linux it runs in a network namespace of its own, which has no device, where the system lets us make one. Everywhere it
is told to ask a proxy that does not exist for all names and addresses, loopback included, and WebRTC, which would send
past a proxy, is told to use nothing else.
"""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import subprocess
from pathlib import Path

from diglot.errors import UsageError

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
NAMESPACE = ("unshare", "--user", "--map-current-user", "--net", "--")
MAX_MEMORY_BYTES = 2 << 30
"""Of one process of the browser, counted as RLIMIT_DATA does; a tab that stays below is no burden to anybody."""
MAX_HEAP_MIB = 1024
"""Of one page's JavaScript."""

FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--disable-gpu",
    "--disable-3d-apis",
    "--disable-dev-shm-usage",
    f"--js-flags=--max-old-space-size={MAX_HEAP_MIB}",
)


def find_browser() -> str:
    """Path of the Chromium that is installed. Raises UsageError where it, or the package that drives it, is missing."""
    if importlib.util.find_spec("playwright") is None:
        raise UsageError("--browser: the package playwright is not installed; try pip install 'diglot[browser]'")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise UsageError("--browser: no Chromium on the path; install it, on Debian with apt install chromium")
    return found


def namespace_command() -> tuple[str, ...]:
    """What goes before a command to run it without any network device; () where the system has or allows no such."""
    if shutil.which(NAMESPACE[0]) is None:
        return ()
    tried = subprocess.run([*NAMESPACE, "true"], capture_output=True, check=False)
    return NAMESPACE if tried.returncode == 0 else ()


def write_launcher(folder: Path, browser: str, namespace: tuple[str, ...]) -> Path:
    """A script that runs the browser within its limits, and notes its process id in :func:`pid_file`."""
    limits = f"ulimit -c 0; ulimit -d {MAX_MEMORY_BYTES >> 10}"
    command = shlex.join([*namespace, browser])
    path = folder / "browser"
    path.write_text(f'#!/bin/sh\necho $$ >{shlex.quote(str(pid_file(folder)))}\n{limits}\nexec {command} "$@"\n')
    path.chmod(0o700)
    return path


def pid_file(folder: Path) -> Path:
    """Where the launcher notes its process id, which is also that of the browser's process group."""
    return folder / "pid"
