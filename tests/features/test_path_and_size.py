"""Directories, depth and size, by hand; the pair of fmprc.gov.cn in PWCC has DD 0 and depth 4."""

import numpy as np
import pytest

from diglot.arrays import Pairs
from diglot.features.surface import depth_difference, path_directories, size_difference_bytes
from diglot.site import url_depth
from made_documents import made_page, made_site

CHINESE = "http://www.fmprc.gov.cn/chn/wjdt/zyjh/t263606.htm"
ENGLISH = "http://www.fmprc.gov.cn/eng/wjdt/zyjh/t264261.htm"
BOTH: Pairs = np.array([[0, 1], [1, 0]], np.int32)


def test_pair_of_the_paper() -> None:
    site = made_site(made_page(CHINESE, "zh"), made_page(ENGLISH, "en"))
    assert depth_difference(site, BOTH).tolist() == [0, 0]
    assert site.depth.tolist() == [4, 4]
    assert url_depth("http://domain/d1/d2/d3/page") == 4


@pytest.mark.parametrize(
    ("url", "directories"),
    [
        ("http://a/x/y/f", ("x", "y")),  # neither the host nor the file name counts
        ("http://a/x/y/", ("x", "y")),
        ("http://a//x/f?y/z", ("x",)),  # nor the query, nor an empty name
        ("http://a/x/x/f", ("x", "x")),
        ("http://a", ()),
    ],
)
def test_directories_by_hand(url: str, directories: tuple[str, ...]) -> None:
    assert path_directories(url) == directories


def test_sizes_differ_in_bytes() -> None:
    site = made_site(made_page("http://a/1", "en", size_bytes=21_480), made_page("http://a/2", "fr", size_bytes=1_000))
    assert size_difference_bytes(site, BOTH).tolist() == [20_480, 20_480]
