// The figures: headline, funnel, threshold, languages, and how to make the run again.

/** What the mean score of segments is called: a precision only where scores are probabilities. */
const meanName = (head) => (head.scores_are_probabilities ? "Expected precision" : "Mean score");

const total = (langPairs, name) => langPairs.reduce((sum, each) => sum + each[name], 0);

/** Units that would be kept at every least score, and their mean score, over language pairs. */
function curves(langPairs) {
  const kept = [];
  const mean = [];
  for (let step = 0; step <= 100; step += 1) {
    kept[step] = langPairs.reduce((sum, each) => sum + each.kept_from[step], 0);
    const scores = langPairs.reduce((sum, each) => sum + each.kept_from[step] * each.mean_from[step], 0);
    mean[step] = kept[step] ? scores / kept[step] : null;
  }
  return { kept, mean };
}

function showHeadline(head, langPairs) {
  const names = head.run.sources.map((source) => source.name).join(", ");
  byId("title").textContent = names || "A run";
  const days = head.fetched.length ? ` Pages fetched ${[...new Set(head.fetched)].join(" to ")}.` : "";
  byId("subtitle").textContent =
    `${langPairs.map((each) => `${each.src_name}–${each.tgt_name}`).join(", ")}.${days}`;
  const { segments, segments_of: segmentsOf, pairs, pairs_of: pairsOf, sites, sites_of: sitesOf } = head.shown;
  if (segments < segmentsOf || pairs < pairsOf) {
    byId("sampled").textContent =
      `All figures are of the whole run. Lists, search and texts hold a sample drawn by page pairs: ${count(segments)} ` +
      `of ${count(segmentsOf)} segments and ${count(pairs)} of ${count(pairsOf)} page pairs. Everything is in the folder out.` +
      (sitesOf ? ` They and the conflicts counted are of ${count(sites)} of ${count(sitesOf)} sites: those with most ` +
        "segments, and others drawn at random." : "");
    byId("sampled").hidden = false;
  }
  const mean = curves(langPairs).mean[Math.round(100 * head.min_score)];
  const words = langPairs.length === 1
    ? `${langPairs[0].src_name}; ${count(langPairs[0].tgt_words)} ${langPairs[0].tgt_name}`
    : "source sides";
  byId("figures").replaceChildren(
    figure("Segments kept", count(total(langPairs, "kept")), `of ${count(total(langPairs, "segments"))} aligned`),
    figure("Words", count(total(langPairs, "src_words")), words),
    figure("Page pairs", count(total(langPairs, "pairs")), estimateText(head, langPairs)),
    figure(meanName(head), mean === null ? "–" : percent(mean), "of the segments kept"),
  );
}

/** What the recipe says of its page pairs, if it gives probabilities. */
function estimateText(head, langPairs) {
  const estimate = head.estimates[langPairs.length === head.lang_pairs.length ? "all" : langPairs[0].name];
  if (typeof estimate?.precision !== "number") return `from ${plural(head.records, "record")}`;
  const found = typeof estimate.recall === "number" ? `, ${percent(estimate.recall)} of all found` : "";
  return `by the recipe's estimate ${percent(estimate.precision)} right${found}`;
}

/** A row of a funnel: a bar, its count, and what opens below it. */
function funnelRow(text, number, whole, kind, inside) {
  const bar = make("span", { class: `fill ${kind}` });
  bar.style.width = whole ? `${(100 * number) / whole}%` : "0";
  const label = make("span", { class: "funnel-label" }, make("span", {}, text), make("b", {}, count(number)));
  const head = [label, make("span", { class: "track" }, bar)];
  if (!inside) return make("div", { class: "funnel-row" }, ...head);
  return make("details", { class: "funnel-row" }, make("summary", {}, ...head), inside);
}

function addressList(examples) {
  const items = examples.map(({ url, detail }) => make("li", {}, address(url), detail ? ` (${detail})` : ""));
  return make("ul", { class: "examples" }, ...items);
}

function showFunnel(head, showSample) {
  const pages = head.dropped.map((each) =>
    funnelRow(each.text, each.count, head.records, "lost", addressList(each.examples)),
  );
  byId("funnel-pages").replaceChildren(
    funnelRow("records in the source", head.records, head.records, "whole"),
    ...pages,
    funnelRow("pages used", head.used, head.records, "gained"),
    make("p", { class: "faint" }, `${plural(head.candidates, "candidate pair")} compared, `,
      `${count(total(head.lang_pairs, "pairs"))} accepted.`),
  );
  const [aligned, kept] = [total(head.lang_pairs, "segments"), total(head.lang_pairs, "kept")];
  const sampled = (kind, name, number, style, ...told) => {
    const button = make("button", { type: "button", class: "quiet" }, "Show examples");
    button.addEventListener("click", () => showSample(kind));
    return funnelRow(name, number, aligned, style, make("p", {}, ...told, " ", button));
  };
  const flagRow = (each, number, style) =>
    sampled(each.flag, each.flag.replaceAll("_", " "), number, style, `${each.text}. ${plural(each.count, "segment")} in all.`);
  const below = head.below_min_score ? [sampled("low score", "low score", head.below_min_score, "lost",
    `No flag that excludes, but a score below ${head.min_score}.`)] : [];
  const warned = head.flags.filter((each) => each.kept);
  byId("funnel-segments").replaceChildren(
    funnelRow("segments aligned", aligned, aligned, "whole"),
    ...head.flags.filter((each) => each.out).map((each) => flagRow(each, each.out, "lost")),
    ...below,
    funnelRow("segments kept", kept, aligned, "gained"),
    make("p", { class: "faint" }, "A segment left out is counted once, though it may carry several flags.",
      warned.length ? " Kept, with a flag that only warns:" : ""),
    ...warned.map((each) => flagRow(each, each.kept, "warned")),
    ...head.notes.map((note) => make("p", { class: "faint" }, note)),
  );
}

function showThreshold(head, langPairs) {
  const { kept, mean } = curves(langPairs);
  const step = Number(byId("least").value);
  byId("least-value").textContent = (step / 100).toFixed(2);
  byId("threshold-figures").replaceChildren(
    figure("Units kept", count(kept[step]), kept[0] ? `${percent(kept[step] / kept[0])} of those without a flag` : ""),
    figure(meanName(head), mean[step] === null ? "–" : percent(mean[step])),
  );
  byId("threshold-command").textContent = `diglot export RUN --min-score ${(step / 100).toFixed(2)}`;
  byId("curve").replaceChildren(drawCurves(kept, mean, step));
  byId("mean-name").textContent = meanName(head).toLowerCase();
  byId("threshold-text").textContent = head.scores_are_probabilities
    ? "A score is the probability that a segment is right, as the aligner estimates it; the expected precision of the " +
      "units kept is their mean."
    : "The scores of this aligner say how well the lengths of both sides fit. They are no probabilities.";
}

function drawCurves(kept, mean, step) {
  const [width, height, left, foot] = [640, 200, 44, 24];
  const x = (at) => left + ((width - left - 8) * at) / 100;
  const y = (share) => 8 + (height - foot - 8) * (1 - share);
  const path = (shares) => shares.map((share, at) => (share === null ? "" : `${x(at).toFixed(1)},${y(share).toFixed(1)}`));
  const lines = [0, 0.5, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: x(0), x2: x(100), y1: y(share), y2: y(share) }),
    draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share, 0)),
  ]);
  const marks = [0, 25, 50, 75, 100].map((at) =>
    draw("text", { x: x(at), y: height - 6, "text-anchor": at === 100 ? "end" : "middle" }, (at / 100).toString()),
  );
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Units kept and mean score by least score" },
    ...lines,
    ...marks,
    draw("polyline", { class: "units", points: path(kept.map((n) => (kept[0] ? n / kept[0] : 0))).join(" ") }),
    draw("polyline", { class: "mean", points: path(mean).join(" ") }),
    draw("line", { class: "cursor", x1: x(step), x2: x(step), y1: y(1), y2: y(0) }),
  );
}

function showLanguages(head) {
  const names = ["Declared", "Identified", "", "Pages", "Examples"];
  const rows = head.languages.map((each) =>
    make(
      "tr",
      { class: each.differs ? "differs" : "" },
      make("td", {}, each.declared || "nothing"),
      make("td", {}, `${each.name} (${each.identified})`),
      make("td", {}, each.differs ? "differs" : ""),
      make("td", { class: "number" }, count(each.pages)),
      make("td", {}, make("details", {}, make("summary", {}, "addresses"),
        addressList(each.examples.map((url) => ({ url }))))),
    ),
  );
  byId("language-table").replaceChildren(
    make("table", {}, make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { scope: "col" }, name)))),
      make("tbody", {}, ...rows)),
  );
}

function showReproduction({ version, signature, sources, settings, command }) {
  const rows = sources.map(({ name, kind, hash }) =>
    make("tr", {}, make("td", {}, name), make("td", {}, kind), make("td", {}, make("code", {}, hash))),
  );
  const heads = ["Source", "Kind", "Hash"].map((name) => make("th", { scope: "col" }, name));
  byId("reproduction").replaceChildren(
    make("p", {}, `Diglot ${version}. Signature: `, make("code", {}, signature)),
    make("pre", { tabindex: "0" }, make("code", {}, command)),
    make("div", { class: "scroll" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))),
    make("details", {}, make("summary", {}, "diglot.toml"), make("pre", { tabindex: "0" }, make("code", {}, settings))),
  );
}
