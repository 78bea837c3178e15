"""``diglot terms``: print or write the bilingual terminology of a run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from diglot.cli.option_groups import takes
from diglot.cli.options import Json, OnePair, RunDir, screen_option, split_names
from diglot.errors import NothingFound, UsageError
from diglot.layout import count_text, names_text
from diglot.words import missing_segmenter

if TYPE_CHECKING:
    import pyarrow as pa

    from diglot.results.run import Run
    from diglot.terms.rows import Terms

_SHOWN = 40
_EXAMPLES = 3


class Choice(NamedTuple):
    """Terms to print or write, as typed."""

    langs: str
    least: float
    termhood: float
    inconsistent: bool
    decisions: Sequence[Path]


def choice_options(
    *,
    langs: OnePair = "",
    least: Annotated[
        float,
        typer.Option("--least", metavar="P", min=0.0, max=1.0, help="least probability that a pair of terms is right"),
    ] = 0.5,
    termhood: Annotated[
        float,
        typer.Option("--termhood", metavar="T", min=0.0, max=1.0, help="least termhood; .2 leaves out general words"),
    ] = 0.0,
    inconsistent: Annotated[
        bool, typer.Option("--inconsistent", help="only terms with several translations, and their pages")
    ] = False,
    decisions: Annotated[
        list[Path],
        typer.Option(
            "--decisions",
            metavar="FILE",
            help="file with your decisions on terms: a sheet (.xlsx, .tsv, .csv) or the workbench's decided.json",
        ),
    ] = [],  # noqa: B006
) -> Choice:
    """Typed options on the terms to print or write."""
    return Choice(langs, least, termhood, inconsistent, decisions)


@takes(choice=choice_options)
def terms_command(
    run: RunDir,
    *,
    choice: Choice,
    size: Annotated[int, typer.Option("-n", "--size", min=0, help="number of terms to print; 0: all")] = _SHOWN,
    to: Annotated[
        str, typer.Option("--to", help="write all: tsv, tbx, tbx2, omegat, xlsx, with commas between; needs -o")
    ] = "",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="folder to write to, outside the run")] = None,
    as_json: Json = False,
    quiet: Annotated[bool, screen_option("-q", "--quiet", help="do not name the files that are written")] = False,
) -> None:
    """Print or write the terms of a site with their translations, learnt from its segments; list inconsistent ones."""
    from diglot.results.drawing import one_pair_or_all
    from diglot.results.run import open_run

    opened, formats = open_run(run), list(split_names(to))
    folder = _folder(opened, formats, out)
    found = before = 0
    pairs = one_pair_or_all(opened, choice.langs)
    for pair in pairs:
        decided = _decided_terms(opened, pair, choice)
        terms = decided.choose(termhood=choice.termhood, inconsistent=choice.inconsistent)
        found, before = found + len(terms), before + len(decided)
        if folder is not None:
            lines = _write(opened, terms, folder, formats)
            if not quiet:
                typer.echo("\n".join(lines))
        elif as_json:
            for row in (terms.table.slice(0, size) if size else terms.table).to_pylist():
                typer.echo(json.dumps(row, ensure_ascii=False))
        elif len(terms):
            typer.echo(_text(terms.table, size, inconsistent=choice.inconsistent))
    for lang in sorted({lang for pair in pairs for lang in pair}):
        if command := missing_segmenter(lang):
            told = f"{lang} has no blanks between words: parts of words are among its terms; {command}"
            typer.echo(f"diglot: {told}", err=True)
    if ignored := _others_text(terms, pairs):
        typer.echo(f"diglot: {ignored}", err=True)
    if not found:
        raise NothingFound(f"{run}: {_why_none(before, choice)}")


def _write(run: Run, terms: Terms, folder: Path, formats: Sequence[str]) -> list[str]:
    """Write terms of a language pair; the files with their numbers of terms, a line for each."""
    from diglot.terms.writing import SHEETS

    with run.folder.writing_to(folder, shared=True):
        paths = terms.write(folder, *formats)
    rejected = len(terms.found) - len(terms)
    of_sheet = f", {rejected:,} rejected" if rejected else ""
    return [f"wrote {path}: {len(terms):,} terms{of_sheet if path.suffix[1:] in SHEETS else ''}" for path in paths]


def _why_none(before: int, choice: Choice) -> str:
    """Why there is no term to print or write; ``before``: number of terms before a choice by termhood or rivals."""
    if not before:
        return "no terms; lower --least, or harvest more pages"
    asked = [f"a termhood of {choice.termhood:g} or more"] if choice.termhood else []
    asked += ["several translations"] if choice.inconsistent else []
    return f"none of {count_text(before, 'term')} has {' and '.join(asked)}"


def _decided_terms(run: Run, pair: tuple[str, str], choice: Choice) -> Terms:
    """The terms of a language pair with decisions; tells of decisions on no term, and of changed texts."""
    from diglot.terms.decisions import changed_terms

    terms = run.terms(*pair, least=choice.least)
    for path in choice.decisions:
        terms = terms.decide(path)
        if changed := changed_terms(terms.found, pair, path):
            typer.echo(
                f"diglot: {path}: the text of src or tgt was changed in {count_text(len(changed), 'row')} "
                f"({names_text(changed, _EXAMPLES)}), and is not taken; write it into edited_src or edited_tgt",
                err=True,
            )
    # Warn before filtering: a sheet may also hold decisions on terms that --termhood or --inconsistent leave out, and
    # these are no mistakes.
    if lost := terms.decisions_on_others:
        typer.echo(f"diglot: {_lost_text(terms, lost)}", err=True)
    return terms


def _lost_text(terms: Terms, lost: Sequence[Mapping[str, str]]) -> str:
    """Note on decisions on no term."""
    examples = ", ".join(f"{each['src']} - {each['tgt']}" for each in lost[:_EXAMPLES])
    such = "such as " if len(lost) > _EXAMPLES else ""
    return (
        f"{terms.src_lang}-{terms.tgt_lang}: {count_text(len(lost), 'decision')} on no term of this list "
        f"({such}{examples}); sheets keep them, glossaries leave them out. "
        "To change a term, leave src and tgt as they are, and write into edited_src or edited_tgt"
    )


def _others_text(terms: Terms, pairs: Sequence[tuple[str, str]]) -> str:
    """Note on decisions on none of these language pairs, "" for none."""
    given = Counter((each["src_lang"], each["tgt_lang"]) for each in terms.decisions.values())
    others = {"-".join(pair): count for pair, count in given.items() if pair not in pairs}
    if not others:
        return ""
    return f"ignored {count_text(sum(others.values()), 'decision')} on other languages: {', '.join(others)}"


def _folder(run: Run, formats: list[str], out: Path | None) -> Path | None:
    """Folder to write to; None if nothing is written."""
    from diglot.corpus.formats import check_formats
    from diglot.outputs.exports import folder_in_run
    from diglot.terms.writing import FORMATS

    if formats:
        check_formats(formats, FORMATS)
    if bool(formats) != (out is not None):
        raise UsageError("--to and -o go together: name formats and a folder, as in --to tbx,omegat -o terms")
    if out is not None and folder_in_run(run.path, out) is not None:
        raise UsageError(f"-o {out} is in the run folder, but `diglot forget` deletes no terms; name a folder outside")
    return out


def _text(terms: pa.Table, size: int, *, inconsistent: bool) -> str:
    """The first terms as a table; inconsistent terms as a list with their translations."""
    rows = terms.to_pylist()
    head = f"{rows[0]['src_lang']}-{rows[0]['tgt_lang']}  {terms.num_rows:,} terms"
    if inconsistent:
        return "\n".join([head, *_translations(rows, size)])
    shown = rows[:size] if size else rows
    more = [f"... {len(rows) - len(shown):,} more: -n 0, or --to tsv,tbx,omegat,xlsx -o DIR"] if shown != rows else []
    return "\n".join([head, _table(shown), *more])


def _table(rows: list[dict[str, Any]]) -> str:
    from rich.cells import cell_len

    from diglot.layout import table_lines

    lines = [("", "", "prob.", "termhood", "segments", "pages", "also")]
    for row in rows:
        numbers = (f"{row['probability']:.2f}", f"{row['termhood']:.2f}", f"{row['linked']:,}", f"{row['pages']:,}")
        lines.append((row["src"], row["tgt"], *numbers, ", ".join(row["rivals"])))
    return "\n".join(table_lines(lines, left=(0, 1, len(lines[0]) - 1), width_of=cell_len))


def _translations(rows: list[dict[str, Any]], size: int) -> list[str]:
    """Lines for source terms, translations and addresses of examples."""
    by_source: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        by_source.setdefault(row["source"], []).append(row)
    lines = []
    for group in list(by_source.values())[: size or None]:
        lines.append(group[0]["src"])
        for row in group:
            lines.append(f"    {row['tgt']}: {row['linked']:,} segments on {row['pages']:,} pages")
            lines += [f"        {url}" for url in dict.fromkeys(row["example_src_urls"])]
    return lines
