"""A feature of one's own enters `fused` by one line, has no say until it is trained, and is trained by itself."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import diglot
from diglot.errors import RecipeError
from diglot.pairing.fused.evidence import FEATURES
from diglot.pairing.fused.prior import SHIPPED, UNTRAINED, read_prior
from made_sites import address, lett_site

PACKAGE = Path(diglot.__file__).parent
EVIDENCE = "pairing/fused/evidence.py"
IMPORT = "from diglot.features.surface import size_difference\n"
LINE = (
    '    EvidenceColumn(name="size", of=size_difference, group="weights", meaning="bytes", content=True, level=True),\n'
)
PROGRAM = """
import sys
from diglot.cli import main
site, run, page = sys.argv[1:]
assert main(["read", site, "-l", "en,fr", "-o", run]) == main(["pair", run]) == 0
assert main(["why", run, page]) == 0
from diglot.pairing.fused.sanity_checks import CONTENT, trained_content
from diglot.pairing.fused.prior import FEATURES, read_prior
prior, at = read_prior(), FEATURES.index("size")
print("numbers", prior.weights[at], prior.orphan[at], prior.pair[at], prior.level(prior.pair, at))
print(at in CONTENT, at in trained_content(prior))
"""
PLACE = FEATURES.index("order")
"""A column in whose place others are planted."""


def with_line(folder: Path) -> Path:
    """A folder with the package in it, one line more in COLUMNS; all other files are links to the package's."""
    text = (PACKAGE / EVIDENCE).read_text(encoding="utf-8")
    margins = text.index('    EvidenceColumn(\n        name="margin",')
    text = text[:margins] + LINE + text[margins:]
    text = text.replace("from diglot.features.sparse_rows", IMPORT + "from diglot.features.sparse_rows", 1)
    real, made = PACKAGE, folder / "diglot"
    for part in EVIDENCE.split("/"):
        made.mkdir(parents=True)
        for file in real.iterdir():
            if file.name not in (part, "__pycache__"):
                (made / file.name).symlink_to(file)
        real, made = real / part, made / part
    made.write_text(text, encoding="utf-8")
    return folder


def test_one_line_is_evidence_told_in_bits_and_weighs_nothing_before_training(tmp_path: Path) -> None:
    site = tmp_path / "site.lett"
    site.write_bytes(lett_site("a.example", range(20)))
    command = [sys.executable, "-c", PROGRAM, str(site), str(tmp_path / "run"), address("a.example", "en", 3)]
    package = with_line(tmp_path / "package")
    environment = os.environ | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=300)
    why, _, numbers = done.stdout.rpartition("numbers ")
    assert re.search(r"^  bits .*, weights [+-]\d+\.\d, ", why, re.MULTILINE)
    assert re.search(r"^  fused +size +-?\d\S* +bits$", why, re.MULTILINE)
    assert numbers.split() == ["0.0", "0.0", "1.0", "None", "True", "False"]


@pytest.fixture(scope="module")
def training(request: pytest.FixtureRequest):
    """The module that trains a column, and two small made sites."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(Path(__file__).parents[3] / "benchmarks")
        module = importlib.import_module("train_column")
        made, shipped = importlib.import_module("made_translations"), importlib.import_module("shipped_sites")
        small = [replace(site, stories=24, orphans=8) for site in made.SITES[:2]]
        yield module, {site.name: shipped.made_cases(site) for site in small}


def planted(training, values):
    """Sites and draws with ``values(case)`` in the place of a column that then is untrained, and the prior for it."""
    module, sites = training
    changed = {}
    for name, cases in sites.items():
        changed[name] = []
        for case in cases:
            columns = case.evidence.columns.copy()
            columns[:, PLACE] = values(case)
            changed[name].append(replace(case, evidence=replace(case.evidence, columns=columns)))
    draws = {name: [module.draw(case) for case in cases] for name, cases in changed.items()}
    return changed, draws, module.with_numbers(read_prior(), PLACE, module.UNKNOWN), PLACE


@pytest.mark.slow
def test_made_sites_are_the_same_each_time_and_have_pairs_siblings_and_orphans(training) -> None:
    made = importlib.import_module("made_translations")
    assert all(made.made_pages(site) == made.made_pages(site) for site in made.SITES[:1])
    for site in made.SITES:
        pages = made.made_pages(site)
        assert len({page.url for page in pages}) == len(pages) == 2 * (site.stories + site.orphans)
        stories = [page.story for page in pages]
        assert sum(stories.count(story) == 2 for story in set(stories)) == site.stories
    html = b"".join(page.html for page in pages)
    for seen in (b"<h2>", b"<table>", b"<img src", b"mailto:", b".pdf", b"https://www."):
        assert html.count(seen) > 10


def test_what_tells_pairs_gets_a_weight_and_what_is_drawn_by_lot_none(training) -> None:
    module, _ = training
    rng = np.random.default_rng(3)
    perfect = module.train_column(*planted(training, lambda case: case.gold.astype(float)))
    assert (perfect.orphan, perfect.pair) == (0, 1)
    assert perfect.weight > 1
    reverse = module.train_column(*planted(training, lambda case: 5.0 - 3 * case.gold))
    assert (reverse.orphan, reverse.pair) == (5, 2)
    assert reverse.weight == pytest.approx(perfect.weight, rel=0.2)
    drawn = []
    for _ in range(9):
        try:
            drawn.append(module.train_column(*planted(training, lambda case: rng.random(len(case.gold)))).weight)
        except RecipeError:  # the medians may meet by chance
            drawn.append(0.0)
    # With so few pairs a column may tell a little by chance.
    assert np.median(drawn) < perfect.weight / 5


@pytest.mark.parametrize(("value", "said"), [(1.0, "same median, 1"), (np.nan, "0 sure pairs and 0 orphans' pairs")])
def test_a_column_that_tells_nothing_is_refused_with_what_to_try(training, value: float, said: str) -> None:
    with pytest.raises(RecipeError, match=said) as refusal:
        training[0].train_column(*planted(training, lambda case: value))
    assert re.search("NaN|leave the column untrained", str(refusal.value))


def test_the_weight_of_a_site_left_out_comes_from_the_others(training, capsys) -> None:
    module, _ = training
    sites, draws, prior, place = planted(training, lambda case: case.gold.astype(float))
    module.print_table(sites, draws, prior, place)
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()[2:]]
    assert [row[0] for row in rows] == [*sites, "mean"]
    for name, weight, *_ in rows[:-1]:
        others = {other: each for other, each in sites.items() if other != name}
        own = module.train_column(others, {other: draws[other] for other in others}, prior, place)
        assert weight == f"{own.weight:.3f}"
    assert all(float(having) >= float(without) for _, _, without, having, *_ in rows)


def test_without_the_column_is_as_if_there_were_none(training) -> None:
    module, _ = training
    sites, _, prior, place = planted(training, lambda case: case.gold.astype(float))
    case = next(iter(sites.values()))[0]
    bits = module.decided(module.without_column(case, place), prior).bits
    assert not bits[:, place].any()


def test_the_command_writes_one_line_and_leaves_the_others(training, tmp_path, monkeypatch, capsys) -> None:
    module, sites = training
    file = tmp_path / "prior.json"
    before = json.loads(SHIPPED.read_text(encoding="utf-8"))
    shutil.copy(SHIPPED, file)
    for name, value in {"SHIPPED": file, "shipped_cases": lambda: sites}.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(sys, "argv", ["train_column.py", "order", "--write"])
    module.main()
    after = json.loads(file.read_text(encoding="utf-8"))
    changed = [new["name"] for new, old in zip(after["columns"], before["columns"], strict=True) if new != old]
    assert changed == ["order"]
    assert {key for key in before if before[key] != after[key]} == {"about", "columns"}
    assert module.as_text(before) == SHIPPED.read_text(encoding="utf-8")
    assert read_prior(file).untrained == frozenset()
    assert f"weight {after['columns'][0]['weight']:.4f}" in capsys.readouterr().out
    without = before | {"columns": [line for line in before["columns"] if line["name"] != "order"]}
    trained = module.with_column(without, "order", module.Trained(**UNTRAINED))
    assert [line["name"] for line in trained["columns"]] == list(FEATURES)


@pytest.mark.parametrize("name", ["margin", "references"])
def test_a_name_that_is_no_column_is_refused(training, name: str) -> None:
    with pytest.raises(RecipeError, match="add its line to COLUMNS"):
        training[0].place_of(name)
