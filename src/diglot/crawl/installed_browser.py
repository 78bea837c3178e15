"""Path of Chromium on this machine; apart from :mod:`diglot.crawl.chromium`, which loads much more."""

from __future__ import annotations

import importlib.util
import shutil

from diglot.errors import UsageError

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")


def find_browser() -> str:
    """Path of the installed Chromium. Raises UsageError if Chromium or Playwright is missing."""
    if importlib.util.find_spec("playwright") is None:
        raise UsageError("browser=: the package playwright is not installed; try pip install 'diglot[browser]'")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        raise UsageError("browser=: no Chromium on the path; install it, on Debian with apt install chromium")
    return found
