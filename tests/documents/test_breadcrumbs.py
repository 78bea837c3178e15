"""Each step of a trail of breadcrumbs is a block; other texts stay whole."""

import pytest

from linearised import block_texts, linearise

STEPS = ["Home", "Practice areas", "Company registration"]
LINKED = "<a href=/>Home</a> / <a href=/p>Practice areas</a> / <span>Company registration</span>"


@pytest.mark.parametrize(
    "trail",
    [
        f'<nav class="top breadcrumbs">{LINKED}</nav>',
        f'<div class="site-breadcrumb">{LINKED}</div>',
        f'<p aria-label="Breadcrumb">{LINKED}</p>',
        f'<div itemtype="https://schema.org/BreadcrumbList">{LINKED}</div>',
        f'<div class="BREADCRUMBS">{LINKED}</div>',
        f'<span class="breadcrumb">{LINKED}</span>',
        f'<div class="breadcrumb"><div>{LINKED}</div></div>',
        '<div class="breadcrumb"><b><a href=/>Home</a></b>Practice areas<i>::</i>Company registration</div>',
        '<ol class="breadcrumb"><li>Home<li>Practice areas<li>Company registration</ol>',
    ],
)
def test_each_step_is_a_block(trail: str) -> None:
    assert block_texts(f"<p>Some text.</p>{trail}<p>End") == ["Some text.", *STEPS, "End"]


@pytest.mark.parametrize(
    "whole",
    [
        '<p>Text on a <a href="/breadcrumb">breadcrumb</a> of <b>rye</b>.',
        '<p class="crumbs">Text on a <b>breadcrumb</b> of rye.',
        '<p data-x="breadcrumb">Text on a <b>crumb</b> of rye.',
        f'<div class="breadcrumb"><p>{"x" * 189} and <b>two words</b></div>',
    ],
)
def test_other_texts_stay_whole(whole: str) -> None:
    assert len(block_texts(whole)) == 1


def test_a_trail_has_200_characters_at_most() -> None:
    assert len(block_texts(f'<div class="breadcrumb"><p>{"x" * 186} and <b>two words</b></div>')) == 2


def test_a_page_named_after_its_trail_is_none() -> None:
    assert block_texts('<body class="has-breadcrumb"><p>One <b>word</b></p>') == ["One word"]


def test_the_text_around_a_trail_keeps_its_blocks_and_all_characters_are_counted() -> None:
    linear = linearise(f'<div>Before <span class="breadcrumb">{LINKED}</span> behind</div>')
    assert linear.blocks.chars.tolist() == [6, 4, 14, 20, 6]
    assert linear.blocks.link_chars.tolist() == [0, 4, 14, 0, 0]


def test_elements_that_do_not_end_go_to_the_end_of_the_page() -> None:
    assert block_texts('<div class="breadcrumb"><a href=/>Home</a> / <span>Step') == ["Home", "Step"]
