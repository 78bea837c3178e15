"""Images: names, SPEC's bandwidth 1.1901, the lobe of rare images, and overlap by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from diglot.features.images import bandwidth, density, image_name, image_overlap, lobe_end, most_pages
from diglot.site import Site
from ilsp_pages import body, rows, site_of

LANGS = ("en", "fr")


def show(*names: str) -> str:
    return body("<p>text</p>", *(f'<img src="/pictures/{name}">' for name in names))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("http://a/x/cat%20one.png", "cat one.png"),
        ("http://a/x/cat.png?v=3", "cat.png"),
        ("http://a/show.php?id=4", "show.php?id=4"),
        ("http://a/", ""),
        ("http://[bad/x.png", ""),
    ],
)
def test_names(url: str, name: str) -> None:
    assert image_name(url) == name


def test_bandwidth_by_hand() -> None:
    assert bandwidth(np.array([1, 3, 2, 5])) == pytest.approx(1.1901, abs=5e-5)
    assert bandwidth(np.array([2, 2, 2, 6])) == pytest.approx(4 * (4 / 12) ** 0.2)  # deviation 0: the range
    assert bandwidth(np.array([2, 2])) == pytest.approx((4 / 6) ** 0.2)  # range 0: one


@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_density_has_area_one(values: list[int]) -> None:
    positions = np.arange(-300, 350, 0.05)
    if bandwidth(np.array(values)) > 0.1:
        assert density(np.array(values), positions).sum() * 0.05 == pytest.approx(1, abs=1e-3)


def test_the_lobe_of_rare_images_ends_before_that_of_logos() -> None:
    rare, logos = [1] * 30 + [2] * 30 + [3] * 30 + [4] * 20, [30, 31, 30, 29]
    values = np.array(rare + logos)
    end = lobe_end(values, 40)
    assert end is not None
    assert 4 < end < 29
    assert most_pages(values, 400) == end
    assert most_pages(values, 20) == 5  # 10% of 20 pages is 2, the floor 5


def test_one_lobe_leaves_the_tenth_part_rule_alone() -> None:
    values = np.array([1, 2, 2, 2, 3])
    assert lobe_end(values, 4) is None
    assert most_pages(values, 40) == 5
    assert most_pages(np.zeros(0, np.int64), 400) == 40


def site_with_logo() -> Site:
    pages = [("http://a/en/0", "en", show("cat.png", "dog.png", "logo.png"))]
    pages += [("http://a/fr/0", "fr", show("cat.png", "fish.png", "logo.png")), ("http://a/fr/1", "fr", show())]
    pages += [(f"http://a/en/{k}", "en", show("logo.png")) for k in range(1, 8)]
    return site_of(*pages)


def test_overlap_without_the_logo_that_stands_everywhere() -> None:
    overlap = image_overlap(site_with_logo(), rows((0, 1), (0, 2), (3, 2)), langs=LANGS)
    np.testing.assert_allclose(overlap, [1 / 3, 0, np.nan], rtol=1e-6)


def test_only_pages_of_the_two_languages_are_counted() -> None:
    others = [(f"http://a/{k}", "de", show("cat.png")) for k in range(9)]
    site = site_of(("http://a/en", "en", show("cat.png")), ("http://a/fr", "fr", show("cat.png")), *others)
    assert image_overlap(site, rows((0, 1)), langs=LANGS).tolist() == [1]
    assert np.isnan(image_overlap(site, rows((0, 1)), langs=("en", "de")))[0]
