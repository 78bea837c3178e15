"""A browser for the tests of pages; they are skipped where there is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from report.chromium import Browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    pytest.importorskip("selenium.webdriver")
    from report.chromium import NO_CHROMIUM, Browser

    if NO_CHROMIUM:
        pytest.skip(NO_CHROMIUM)
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.driver.quit()
