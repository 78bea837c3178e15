"""Candidates by path, size and anchors, against the algorithm of PWCC's appendix written out."""

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq

from diglot.arrays import Column, Pairs
from diglot.features.surface import path_directories
from diglot.pairing.candidates import collect
from diglot.pairing.pwcc import most_common_path
from diglot.site import Site
from made_documents import made_page, made_site

Found = set[tuple[str, str]]


def candidates(site: Site, src: str = "zh", tgt: str = "en", mutual: bool = False, agreement: object = None) -> Found:
    rule = most_common_path(
        site,
        site.rows_of(src),
        site.rows_of(tgt),
        less_bytes=20 * 1024,
        mutual=mutual,
        agreement=agreement,  # type: ignore[arg-type]
    )
    return {(site.urls[i], site.urls[j]) for i, j in collect(rule).tolist()}


def test_most_common_path_first_then_depth() -> None:
    zh = "http://h/chn/wjdt/zyjh/1"
    best, deeper, less = "http://h/eng/wjdt/zyjh/2", "http://h/eng/wjdt/zyjh/x/3", "http://h/eng/wjdt/4"
    site = made_site(made_page(zh, "zh"), *(made_page(url, "en") for url in (best, deeper, less)))
    # The Chinese page names `best` alone; each English page names the Chinese one, for want of another.
    assert candidates(site) == {(zh, best), (zh, deeper), (zh, less)}
    assert candidates(site, mutual=True) == {(zh, best)}


def test_a_page_that_fails_a_filter_does_not_raise_the_maximum() -> None:
    zh, near, far = "http://h/chn/a/b/1", "http://h/eng/a/b/2", "http://h/eng/a/3"
    pages = [made_page(zh, "zh", size_bytes=1000), made_page(far, "en", size_bytes=1000)]
    assert candidates(made_site(*pages, made_page(near, "en", size_bytes=1000 + 20_480)), mutual=True) == {(zh, far)}
    assert candidates(made_site(*pages, made_page(near, "en", size_bytes=999 + 20_480)), mutual=True) == {(zh, near)}

    def disagree(site: Site, pairs: Pairs) -> Column:
        return np.array([0.0 if site.urls[j] == near else np.nan for j in pairs[:, 1]], np.float32)

    alike = made_site(*pages, made_page(near, "en", size_bytes=1000))
    assert candidates(alike, mutual=True, agreement=disagree) == {(zh, far)}


def test_one_side_alone_gives_nothing() -> None:
    site = made_site(made_page("http://h/a/1", "zh"))
    assert candidates(site) == set()
    assert candidates(site, "en", "zh", mutual=True) == set()


def appendix(site: Site, src: str, tgt: str, agrees: Callable[[int, int], bool]) -> set[tuple[int, int]]:
    """Appendix A, line by line; the name that it uses twice is two names here."""
    table = set()
    for c in site.rows_of(src).tolist():
        most_common, depth_difference, kept = -1.0, 100, set()
        for e in site.rows_of(tgt).tolist():
            common = float(LCSseq.similarity(path_directories(site.urls[c]), path_directories(site.urls[e])))
            difference = abs(int(site.depth[c]) - int(site.depth[e]))
            if common > most_common:
                if agrees(c, e):
                    most_common, depth_difference, kept = common, difference, {e}
            elif common == most_common:
                if difference < depth_difference:
                    if agrees(c, e):
                        depth_difference, kept = difference, {e}
                elif difference == depth_difference and agrees(c, e):
                    kept.add(e)
        table |= {(c, e) for e in kept}
    return table


PAGES = st.lists(
    st.tuples(
        st.sampled_from(["zh", "en"]), st.lists(st.sampled_from("abc"), max_size=3), st.sampled_from([0, 15, 30])
    ),
    max_size=9,
)


@settings(max_examples=60)
@given(PAGES)
def test_same_pairs_as_the_appendix_from_both_sides(pages: list[tuple[str, list[str], int]]) -> None:
    site = made_site(
        *(
            made_page("/".join(["http://h", *names, str(k)]), lang, size_bytes=1024 * kilobytes)
            for k, (lang, names, kilobytes) in enumerate(pages)
        )
    )

    def agrees(i: int, j: int) -> bool:
        sizes = site.numbers("size_bytes")
        return abs(int(sizes[i]) - int(sizes[j])) < 20 * 1024

    forward = appendix(site, "zh", "en", agrees)
    backward = {(c, e) for e, c in appendix(site, "en", "zh", agrees)}
    named = {(site.urls[i], site.urls[j]) for i, j in forward | backward}
    assert candidates(site) == named
    assert candidates(site, mutual=True) == {(site.urls[i], site.urls[j]) for i, j in forward & backward}
