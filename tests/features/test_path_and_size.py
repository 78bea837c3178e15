"""Common directories, depth and size, by hand; SPEC's pair of fmprc.gov.cn has CP 2, DD 0 and depth 4."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.arrays import Pairs
from diglot.features.surface import common_directories, depth_difference, path_directories, size_difference_bytes
from diglot.site import url_depth
from made_documents import made_page, made_site

CHINESE = "http://www.fmprc.gov.cn/chn/wjdt/zyjh/t263606.htm"
ENGLISH = "http://www.fmprc.gov.cn/eng/wjdt/zyjh/t264261.htm"
BOTH: Pairs = np.array([[0, 1], [1, 0]], np.int32)


def test_pair_of_the_paper() -> None:
    site = made_site(made_page(CHINESE, "zh"), made_page(ENGLISH, "en"))
    assert common_directories(site, BOTH).tolist() == [2, 2]
    assert depth_difference(site, BOTH).tolist() == [0, 0]
    assert site.depth.tolist() == [4, 4]
    assert url_depth("http://domain/d1/d2/d3/page") == 4


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("http://a/x/y/f", "http://b/x/y/f", 2),  # the host does not count
        ("http://a/x/y/f", "http://a/en/x/z/y/g", 2),  # others between them
        ("http://a/x/y/f", "http://a/y/x/f", 1),  # their order is kept
        ("http://a/x/x/f", "http://a/x/f", 1),  # each name once
        ("http://a/f", "http://a/f", 0),  # the file name does not count
        ("http://a//x/f?y/z", "http://a/x/y/g", 1),  # nor the query
    ],
)
def test_common_directories_by_hand(first: str, second: str, shared: int) -> None:
    documents = made_site(made_page(first, "en"), made_page(second, "fr"))
    assert common_directories(documents, BOTH).tolist() == [shared, shared]


@given(st.lists(st.sampled_from("abc"), max_size=5), st.lists(st.sampled_from("abc"), max_size=5))
def test_common_directories_lie_between_none_and_all(first: list[str], second: list[str]) -> None:
    urls = ["/".join(["http://h", *names, "f"]) for names in (first, second)]
    site = made_site(*(made_page(url, "en") for url in urls))
    (shared,) = common_directories(site, BOTH[:1]).tolist()
    assert 0 <= shared <= min(len(first), len(second))
    assert (shared == len(first)) or path_directories(urls[0]) != path_directories(urls[1])


def test_sizes_differ_in_bytes() -> None:
    site = made_site(made_page("http://a/1", "en", size_bytes=21_480), made_page("http://a/2", "fr", size_bytes=1_000))
    assert size_difference_bytes(site, BOTH).tolist() == [20_480, 20_480]
