"""A crawl that is led to hostile addresses by eight ways opens no connection but to its own site."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_addresses import hostile_urls
from hostile_entries import NUMBERED, crawl_hostile_entries


@pytest.mark.slow
def test_no_way_in(tmp_path: Path) -> None:
    urls = hostile_urls()[::25]
    entered = crawl_hostile_entries(urls, tmp_path)
    assert entered.starts_refused == len(urls)
    assert entered.requests["links"] == entered.requests["hreflang"] == entered.requests["sitemap.xml"] == 1
    assert all(entered.requests[name] >= len(urls) for name in NUMBERED)
    assert entered.unlogged == 0
    assert entered.logged > len(urls), "what links and sitemaps name, and where redirects lead"
    assert [
        line for line in entered.connects if line.startswith("socket.connect") and "127.0.0.1', PORT" not in line
    ] == []
