"""Explain why two pages are a pair or not, or why a page has no partner, with the recipe's evidence."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import isnan
from operator import itemgetter
from shlex import quote
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diglot import svg
from diglot.arrays import Pairs
from diglot.corpus.flags import IDENTICAL, WRONG_LANGUAGE
from diglot.corpus.flags.keeping import carries, clean
from diglot.corpus.flags.personal import mask_personal_data
from diglot.disk.folder import RunFolder
from diglot.documents.language import UNDETERMINED, readable
from diglot.documents.language_tags import language_of
from diglot.page_language.lost_pages import name_of
from diglot.pairing.cascade import COMPETITION, IMPROBABLE, Contribution, Contributions, Gate, Judged, JudgedStep, Step
from diglot.pairing.table import gates_of, named_features
from diglot.reasons import REASON_TEXT, Reason
from diglot.records import zip_columns
from diglot.results.typed_addresses import TypedAddresses
from diglot.run.judgements import load_judged_segments
from diglot.run.ledger import causes_left_out, make_ledger
from diglot.run.resolve import load_documents
from diglot.run.settings import Settings
from diglot.run.stored_pairs import FAILED, load_pairs, load_refused
from diglot.run.work import DOCUMENTS, PAIRS, SEGMENTS
from diglot.site import Site, sites_of

BITS = "bits"
"""Value of ``asked`` for evidence weighed in bits, without a gate."""
BEFORE = "before"
"""Name of the log odds before any evidence: the share of candidates that are pairs, and any limit of the recipe."""
MOSTLY = 0.5
"""A pair with a larger share of untranslated text is called mostly untranslated."""
SHOWN_CHARS = 60
"""Most characters quoted from a block."""


@dataclass(frozen=True, slots=True)
class FeatureReading:
    """Feature of a pair: value (NaN: none), condition of the recipe, and whether the value passes."""

    method: str
    feature: str
    value: float
    asked: str
    passes: bool

    def answer(self) -> str:
        """Whether the value passes, as shown; "" for evidence that is only weighed."""
        return "REFUSED" if not self.passes else "" if self.asked == BITS else "ok"


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a page or a pair, in one line, with the evidence.

    ``bits``: what the log odds are before any evidence, if the recipe gives a probability, and the contribution of each
    kind of evidence; their sum is the log odds of the pair. ``grounds``: words and blocks with most weight, if
    the recipe has them; ``rival``: address of the runner-up, "" for none.
    """

    line: str
    evidence: tuple[FeatureReading, ...] = ()
    bits: tuple[tuple[str, float], ...] = ()
    grounds: Contributions | None = None
    rival: str = ""
    languages: tuple[str, ...] = ()
    """Language of each page, and its source."""
    others: tuple[Explanation, ...] = ()
    """Further parts of a document split by language."""

    def __str__(self) -> str:
        """The line, languages, words and blocks for and against the pair, and a row for each feature; of each part."""
        rows = [
            f"  {item.method:<16} {item.feature:<24} {item.value:>10.4g}  {item.asked:<14} {item.answer()}".rstrip()
            for item in self.readings()
        ]
        languages = [f"  language   {text}" for text in self.languages]
        return "\n".join([self.line, *languages, *_contribution_lines(self), *rows, *map(str, self.others)])

    def readings(self) -> list[FeatureReading]:
        """The evidence, without weighed evidence that the pair does not have."""
        return [item for item in self.evidence if item.asked != BITS or not isnan(item.value)]

    def _repr_html_(self) -> str:
        return "\n".join([self._picture(), *(part._picture() for part in self.others)])

    def _picture(self) -> str:
        if self.grounds is None:
            return svg.table(
                ("method", "feature", "value", "asked", ""),
                [
                    (item.method, item.feature, f"{item.value:.4g}", item.asked, item.answer())
                    for item in self.readings()
                ],
                below=self.line,
            )
        below = "\n".join(_contribution_lines(self)[1:])
        return svg.waterfall(self.bits, title=self.line, total="all, in bits", below=below)


class Explainer:
    """Explains pages and pairs of a finished run; reads its tables at the first question."""

    def __init__(self, folder: RunFolder, settings: Settings) -> None:
        self._folder, self._settings = folder, settings
        self._recipe = settings.resolved_recipe()

    def page(self, url: str) -> Explanation:
        """Explain why a page is in a pair or not; :class:`diglot.errors.UsageError` for an unknown address.

        The address may have a fragment, as in a browser. The address of a document that is split by language stands for
        all its parts.
        """
        first, *others = (
            replace(self._page(each), languages=self._languages(each)) for each in self._typed_addresses.addresses(url)
        )
        return replace(first, others=tuple(others))

    def _page(self, url: str) -> Explanation:
        row = self._ledger[url]
        if _is_dropped(row):
            return Explanation(_dropped_text(row))
        partners = [pair for pair in self._accepted_pairs if url in (pair["src_url"], pair["tgt_url"])]
        if partners:
            named = ", ".join(f"{_other(pair, url)} ({pair['probability']:.3f}, {pair['method']})" for pair in partners)
            unaligned = f"; not aligned yet: run `diglot align {quote(str(self._folder.path))}`"
            kept = _unkept_text(row) if self._is_aligned else unaligned
            more = self._untranslated_text(partners[0]) + kept
            return self._explain(f"{url}: paired with {named}{more}", partners[0])
        refused = [pair for pair in self._refused_pairs if url in (pair["src_url"], pair["tgt_url"])]
        if not refused:
            return Explanation(f"{url}: no page was compared with it; no candidate passed the recipe's blocking")
        best = refused[0]
        why = f"refused by {best['refused_by']}"
        if best["refused_by"] == COMPETITION:
            why = "lost to a better candidate"
        elif best["refused_by"] == IMPROBABLE:
            least = [step.min_probability for step in self._steps(best) if isinstance(step, JudgedStep)]
            why = f"refused: the least is {', '.join(f'{each:g}' for each in least)}"
        closest = f"came closest to {_other(best, url)}{self._probability_text(best)}"
        return self._explain(f"{url}: no partner; {closest}, {why}", best)

    def pair(self, first: str, second: str) -> Explanation:
        """Explain two addresses, a pair of the run or not; errors as in :meth:`page`.

        :class:`diglot.errors.UsageError` as well for the address of a document split by language, without its part.
        """
        first, second = self._typed_addresses.address(first), self._typed_addresses.address(second)
        return replace(self._pair(first, second), languages=self._languages(first, second))

    def _pair(self, first: str, second: str) -> Explanation:
        rows = {url: self._ledger[url] for url in (first, second)}
        for row in rows.values():
            if _is_dropped(row):
                return Explanation(f"{first} and {second}: never compared; {_dropped_text(row)}")
        for src_lang, tgt_lang in self._settings.language_pairs():
            if {rows[first]["lang"], rows[second]["lang"]} == {src_lang, tgt_lang}:
                src, tgt = (first, second) if rows[first]["lang"] == src_lang else (second, first)
                pair = {"src_url": src, "tgt_url": tgt, "src_lang": src_lang, "tgt_lang": tgt_lang}
                pair = self._pair_records.get((src, tgt), pair)
                if self._site_of(pair) is None:
                    return Explanation(f"{src} and {tgt}: never compared, their hosts were not taken for one site")
                if pair.get("accepted"):
                    said = f"a pair, {pair['probability']:.3f} by {pair['method']}{self._untranslated_text(pair)}"
                elif probability := self._probability_text(pair):
                    said = f"not a pair{probability}"
                elif all(isinstance(step, JudgedStep) for step in self._steps(pair)):
                    return Explanation(f"{src} and {tgt}: not a pair, and no candidate for one; nothing was weighed")
                else:
                    # Gates have their features for any two pages.
                    said = "not a pair"
                return self._explain(f"{src} and {tgt}: {said}", pair)
        if first == second:
            return Explanation(f"{first}: the same page twice; name two pages")
        langs = " and ".join(rows[url]["lang"] or "no language" for url in (first, second))
        return Explanation(f"{first} and {second}: never compared, they are in {langs}")

    def contributions_of(self, count: int) -> dict[tuple[str, str], tuple[Contributions, str]]:
        """Words and blocks of the ``count`` least probable accepted pairs, by addresses, and the runner-up or "".

        Pairs of a method without such an explanation are left out.
        """
        found = {}
        # Addresses break ties, so that the same run explains the same pairs.
        by_probability = itemgetter("probability", "src_url", "tgt_url")
        worst_first = sorted(self._accepted_pairs, key=by_probability)
        for pair in worst_first[:count]:
            site, step = self._site_of(pair), _explaining_step(self._steps(pair))
            if site is not None and step is not None and step.explain is not None:
                contributions = self._mask_contributions(step.explain(site, *_rows(site, pair)[0].tolist()))
                found[pair["src_url"], pair["tgt_url"]] = contributions, _rival_of(site, contributions)
        return found

    def _languages(self, *urls: str) -> tuple[str, ...]:
        """Language of every page, source of the language, the page's language version if different, and the versions
        that show the page untranslated."""
        rows = zip_columns(self._documents, "url", "lang", "lang_by", "edition", "untranslated_in")
        texts = {url: language_text(lang, by, edition, shown or "") for url, lang, by, edition, shown in rows if by}
        return tuple(texts[url] for url in urls if url in texts)

    def _explain(self, line: str, pair: dict[str, Any]) -> Explanation:
        """The line with the evidence of all steps of the recipe."""
        site, steps = self._site_of(pair), self._steps(pair)
        assert site is not None
        pairs = _rows(site, pair)
        evidence = tuple(item for step in steps for item in self._step_evidence(site, pairs, step, pair))
        step = _explaining_step(steps)
        if step is None or step.explain is None:
            return Explanation(line, evidence)
        contributions = self._mask_contributions(step.explain(site, *pairs[0].tolist()))
        bits = _bits_by_group(evidence, step)
        probability = self._probability(pair)
        if not np.isnan(probability):
            bits = ((BEFORE, _log_odds(probability) - sum(value for _, value in bits)), *bits)
        return Explanation(line, evidence, bits, contributions, _rival_of(site, contributions))

    def _mask_contributions(self, contributions: Contributions) -> Contributions:
        """Words and blocks as a person may see them: masked where the segments of the run are."""
        if self._settings.pii != "mask":
            return contributions
        lists = (contributions.words_for, contributions.words_against, contributions.blocks)
        words_for, words_against, blocks = (tuple(map(_mask_contribution, each)) for each in lists)
        return replace(contributions, words_for=words_for, words_against=words_against, blocks=blocks)

    def _probability_text(self, pair: dict[str, Any]) -> str:
        """``, probability 0.312``; "" if the recipe gives no probability."""
        probability = self._probability(pair)
        return "" if np.isnan(probability) else f", probability {probability:.3f}"

    def _probability(self, pair: dict[str, Any]) -> float:
        """Probability of a pair, judged again if the run did not keep it; NaN if the recipe gives none."""
        site, judging = self._site_of(pair), [step for step in self._steps(pair) if isinstance(step, JudgedStep)]
        if len(judging) != 1 or site is None:
            return np.nan
        if "probability" in pair:
            return float(pair["probability"])
        return float(_step_result(site, judging[0], pair).probability_of(site, _rows(site, pair))[0])

    def _untranslated_text(self, pair: dict[str, Any]) -> str:
        """The untranslated share of a pair's text, if it is above :data:`MOSTLY`; else ""."""
        of_pair = pc.and_(*(pc.equal(self._segments[name], pair[name]) for name in ("src_url", "tgt_url")))
        segments = self._segments.filter(of_pair)
        chars = pc.add(pc.utf8_length(segments["src"]), pc.utf8_length(segments["tgt"])).to_numpy()
        is_untranslated = carries(segments, IDENTICAL, WRONG_LANGUAGE)
        share = chars[is_untranslated].sum() / max(1, chars.sum())
        if share <= MOSTLY:
            return ""
        return (
            f"; mostly untranslated: {is_untranslated.sum()} of {segments.num_rows} segments, {share:.0%} of the text, "
            "are equal on both pages or in another language"
        )

    def _step_evidence(self, site: Site, pairs: Pairs, step: Step, pair: dict[str, Any]) -> list[FeatureReading]:
        """Features of gates and ranking, and the evidence in bits of a step."""
        found = []
        gates = {gate.name: gate for gate in gates_of(step)}
        for name, feature in named_features(step).items():
            values, gate = feature(site, pairs), gates.get(name)
            value, passes = float(values[0]), gate is None or bool(gate.excess(values)[0] == 0)
            found.append(
                FeatureReading(step.method, name, value, "ranks" if gate is None else _condition(gate, value), passes)
            )
        if isinstance(step, JudgedStep):
            # Evidence stored by the run comes first: other languages took part in the decision then.
            bits = dict(pair.get("evidence", ()))
            if "evidence" not in pair:
                bits = {
                    name: float(v[0]) for name, v in _step_result(site, step, pair).evidence_of(site, pairs).items()
                }
            known = {item.feature for item in found}
            found += [FeatureReading(step.method, name, v, BITS, True) for name, v in bits.items() if name not in known]
        return found

    def _steps(self, pair: dict[str, Any]) -> tuple[Step, ...]:
        return self._recipe.make_steps(pair["src_lang"], pair["tgt_lang"])

    @cached_property
    def _typed_addresses(self) -> TypedAddresses:
        return TypedAddresses(self._ledger, self._folder.path)

    @cached_property
    def _documents(self) -> pa.Table:
        return load_documents(self._folder, self._settings, self._folder.recall("run", DOCUMENTS) or "")

    def _site_of(self, pair: dict[str, Any]) -> Site | None:
        """The site of both pages, as in the run; None for pages of two sites."""
        urls = {pair["src_url"], pair["tgt_url"]}
        return next((site for site in self._sites if urls <= set(site.urls)), None)

    @cached_property
    def _sites(self) -> list[Site]:
        return sites_of(readable(self._documents), lang_pairs=self._settings.language_pairs())

    @cached_property
    def _accepted_pairs(self) -> list[dict[str, Any]]:
        return self._pairs.to_pylist()  # type: ignore[no-any-return]

    @cached_property
    def _refused_pairs(self) -> list[dict[str, Any]]:
        """Refused pairs, first the pairs accepted by the recipe but left out by ``--min-prob``."""
        least = self._settings.min_prob
        accepted = load_pairs(self._folder, self._pairs_key).to_pylist()
        left_out = {"accepted": False, "refused_by": f"--min-prob {least:g}"}
        rows = [{**pair, **left_out} for pair in accepted if not pair["probability"] >= least]
        return [*rows, *load_refused(self._folder, self._pairs_key).to_pylist()]

    @cached_property
    def _pair_records(self) -> dict[tuple[str, str], dict[str, Any]]:
        return {(pair["src_url"], pair["tgt_url"]): pair for pair in (*self._refused_pairs, *self._accepted_pairs)}

    @cached_property
    def _pairs_key(self) -> str:
        return self._folder.recall("run", PAIRS) or ""

    @cached_property
    def _pairs(self) -> pa.Table:
        return load_pairs(self._folder, self._pairs_key, min_prob=self._settings.min_prob)

    @cached_property
    def _segments(self) -> pa.Table:
        return load_judged_segments(self._folder, self._folder.recall("run", SEGMENTS) or "")

    @cached_property
    def _is_aligned(self) -> bool:
        key = self._folder.recall("run", SEGMENTS)
        return bool(key) and self._folder.shards(SEGMENTS, key) is not None

    @cached_property
    def _ledger(self) -> dict[str, dict[str, str]]:
        limits = self._settings.excluding_flags(), self._settings.least_score()
        kept, causes = clean(self._segments, *limits), causes_left_out(self._segments, *limits)
        failed = self._folder.recall(FAILED, self._pairs_key)
        ledger = make_ledger(self._documents, self._pairs, kept, failed, causes)
        rows = ledger.to_pylist()
        rows.sort(key=lambda row: bool(row["lang"]) and row["reason"] != Reason.REPEATED_ADDRESS)
        # Of several records of an address the last row counts: a readable one, not a repetition.
        return {row["url"]: row for row in rows}


def _explaining_step(steps: tuple[Step, ...]) -> JudgedStep | None:
    """First step with an explanation by words and blocks; None without such a step."""
    return next((step for step in steps if isinstance(step, JudgedStep) and step.explain is not None), None)


def _mask_contribution(found: Contribution) -> Contribution:
    """A word or block with placeholders for personal data."""
    return replace(found, src=mask_personal_data(found.src), tgt=mask_personal_data(found.tgt))


def _rival_of(site: Site, contributions: Contributions) -> str:
    """Address of the runner-up, "" for none."""
    return site.urls[contributions.rival] if contributions.rival >= 0 else ""


def _is_dropped(row: dict[str, str]) -> bool:
    """Whether a page was dropped before pairing."""
    # A page without partner has a detail where its site was never paired.
    compared = row["reason"] == Reason.NO_SEGMENTS or (row["reason"] == Reason.NO_PARTNER and not row["detail"])
    return bool(row["reason"]) and not compared


def _unkept_text(row: dict[str, str]) -> str:
    """Text that no segment of a paired page is kept, with the flags that left them out; "" if one is kept."""
    detail = f" ({row['detail']})" if row["detail"] else ""
    return f"; no segment of it is kept{detail}" if row["reason"] == Reason.NO_SEGMENTS else ""


def _dropped_text(row: dict[str, str]) -> str:
    detail = f" ({row['detail']})" if row["detail"] else ""
    return f"{row['url']}: dropped, {REASON_TEXT[Reason(row['reason'])]}{detail}"


def _rows(site: Site, pair: dict[str, Any]) -> Pairs:
    """Rows of both pages among the pages of the site, int32 of shape (1, 2)."""
    row_of = {url: row for row, url in enumerate(site.urls)}
    return np.array([[row_of[pair["src_url"]], row_of[pair["tgt_url"]]]], np.int32)


def _step_result(site: Site, step: JudgedStep, pair: dict[str, Any]) -> Judged:
    """Result of a step on all pages of the pair's languages, also on pages paired by an earlier step."""
    return step.judge(site, site.rows_of(pair["src_lang"]), site.rows_of(pair["tgt_lang"]))


def _condition(gate: Gate, value: float) -> str:
    """Condition of a gate, and its answer to missing evidence if ``value`` is missing."""
    return f"{gate.demand()}, none {gate.missing}" if np.isnan(value) else gate.demand()


def _bits_by_group(evidence: tuple[FeatureReading, ...], step: JudgedStep) -> tuple[tuple[str, float], ...]:
    """Sum of bits by group of evidence; a column without a group is a group by itself."""
    group_of = {name: group for group, names in step.evidence_groups.items() for name in names}
    sums: dict[str, float] = dict.fromkeys(step.evidence_groups, 0.0)
    for item in evidence:
        if item.method == step.method and item.asked == BITS and not np.isnan(item.value):
            group = group_of.get(item.feature, item.feature)
            sums[group] = sums.get(group, 0.0) + item.value
    return tuple(sums.items())


def _log_odds(probability: float) -> float:
    """Log odds of a probability in bits, between -30 and 30."""
    probability = min(max(probability, 1e-9), 1 - 1e-9)
    return float(np.log2(probability / (1 - probability)))


def _other(pair: dict[str, Any], url: str) -> str:
    return str(pair["tgt_url"] if pair["src_url"] == url else pair["src_url"])


def _contribution_lines(explanation: Explanation) -> list[str]:
    """Lines for the bits of each kind of evidence, words and blocks, and the runner-up."""
    contributions = explanation.grounds
    if contributions is None:
        return []
    bits = ", ".join(f"{group} {value:+.1f}" for group, value in explanation.bits)
    lines = [f"  bits       {bits}; all {sum(value for _, value in explanation.bits):+.1f}"]
    for name, words in (("for", contributions.words_for), ("against", contributions.words_against)):
        said = ", ".join(f"{'/'.join(dict.fromkeys(filter(None, (w.src, w.tgt))))} {w.bits:+.1f}" for w in words)
        lines += [f"  {name:<10} {said}"] if said else []
    lines += [f"  block      {_short(b.src)} / {_short(b.tgt)} {b.bits:+.1f}" for b in contributions.blocks]
    if explanation.rival:
        whose = "first" if contributions.of_src else "second"
        lead = "" if isnan(contributions.lead_bits) else f", {abs(contributions.lead_bits):.1f} bits "
        lead += "" if not lead else "behind" if contributions.lead_bits >= 0 else "ahead"
        lines.append(f"  runner-up  {explanation.rival} for the {whose} page{lead}")
    return lines


def _short(text: str) -> str:
    """A text in quotation marks, cut to :data:`SHOWN_CHARS`."""
    return f'"{text}"' if len(text) <= SHOWN_CHARS else f'"{text[:SHOWN_CHARS].rstrip()}..."'


def language_text(tag: str, by: str, version: str, untranslated_in: str = "") -> str:
    """The language of a page and how it was found, for people.

    >>> language_text("en", "its own text", "es")
    'English (en), by its own text; the page stands in the language version of Spanish (es)'
    >>> language_text("en", "its own text", "en", "es fr")
    'English (en), by its own text; shown untranslated in the language versions of Spanish (es), French (fr)'
    """
    taken = f"{name_of(tag)}, by {by}" if tag != UNDETERMINED else "not known: too little text, or an unknown script"
    if version and version != language_of(tag):
        taken += f"; the page stands in the language version of {name_of(version)}"
    if others := untranslated_in.split():
        versions = "version" if len(others) == 1 else "versions"
        taken += f"; shown untranslated in the language {versions} of {', '.join(map(name_of, others))}"
    return taken
