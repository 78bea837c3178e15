// Figures of the run: headline, sites, pages and segments by reason, languages, and the command of the run.

/** Most language pairs or sources named one by one; of more, their number is said. */
const MOST_NAMED = 10;

/** Names with commas between, or the number of many. */
function namesOrCount(names, unit) {
  return names.length > MOST_NAMED ? `${count(names.length)} ${unit}` : names.join(", ");
}

function showHeadline(head, langPairs) {
  byId("title").textContent = head.title;
  const days = head.fetched.length ? ` Pages fetched ${[...new Set(head.fetched)].join(" to ")}.` : "";
  const names = namesOrCount(langPairs.map((each) => `${each.src_name}–${each.tgt_name}`), "language pairs");
  byId("subtitle").textContent = `${names}. From ${namesOrCount(head.origins, "sources")}.${days}`;
  const { segments, segments_of: segmentsOf, pairs, pairs_of: pairsOf, sites, sites_of: sitesOf } = head.shown;
  if (segments < segmentsOf || pairs < pairsOf) {
    byId("sampled").textContent =
      `Figures are of the whole run. Lists, search and texts hold a random sample of page pairs: ${count(segments)} ` +
      `of ${count(segmentsOf)} segments and ${count(pairs)} of ${count(pairsOf)} page pairs. ${byId("sampled").dataset.all}` +
      (sites < sitesOf ? ` The sample and the conflicts are from ${count(sites)} of ${count(sitesOf)} sites: those with most ` +
        "segments, and random others." : "");
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
    figure(meanName(head), mean === null ? "–" : percent(mean, 0), "of the segments kept"),
  );
}

/** Estimated precision and recall of the page pairs, if the recipe gives probabilities. */
function estimateText(head, langPairs) {
  const estimate = head.estimates[langPairs.length === head.lang_pairs.length ? "all" : langPairs[0].name];
  if (typeof estimate?.precision !== "number") return `from ${plural(head.records, "record")}`;
  const recall = typeof estimate.recall === "number" ? `, recall ${percent(estimate.recall)}` : "";
  return `estimated precision ${percent(estimate.precision)}${recall}`;
}

/** A row with a bar and its count, which opens to `inside`. */
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
    `No excluding flag, but a score below ${head.min_score}.`)] : [];
  const warned = head.flags.filter((each) => each.kept);
  byId("funnel-segments").replaceChildren(
    funnelRow("segments aligned", aligned, aligned, "whole"),
    ...head.flags.filter((each) => each.out).map((each) => flagRow(each, each.out, "lost")),
    ...below,
    funnelRow("segments kept", kept, aligned, "gained"),
    make("p", { class: "faint" }, "A segment left out is counted once, even with several flags.",
      warned.length ? " Kept with a flag that only warns:" : ""),
    ...warned.map((each) => flagRow(each, each.kept, "warned")),
    ...head.notes.map((note) => make("p", { class: "faint" }, note)),
  );
}

/** Table of sites, with buttons that filter segments and page pairs by site. */
function showSites(head, showSite) {
  byId("sites").hidden = head.sites.length < 2;
  const rows = head.sites.map(({ site, documents, used, pairs, kept }) => {
    const button = make("button", { type: "button", class: "quiet" }, make("span", { dir: "ltr" }, site));
    button.addEventListener("click", () => showSite(site));
    return [button, documents, used, pairs, kept];
  });
  const more = head.sites_of - rows.length;
  byId("site-table").replaceChildren(
    makeTable(["Site", "Pages", "Used", "Page pairs", "Segments kept"], rows),
    more > 0 ? make("p", { class: "faint" }, `and ${plural(more, "more site")}, in summary.json`) : "",
  );
}

function showLanguages(head) {
  const names = ["Declared", "Identified", "Agreement", "Pages", "Examples"];
  const rows = head.languages.map((each) =>
    make(
      "tr",
      { class: each.differs ? "differs" : "" },
      make("td", {}, each.declared || "nothing"),
      make("td", {}, `${each.name} (${each.identified})`),
      make("td", {}, each.differs ? "differs" : each.declared ? "agrees" : ""),
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
  const rows = sources.map(({ name, kind, hash }) => [name, kind, make("code", {}, hash)]);
  byId("reproduction").replaceChildren(
    make("p", {}, `Diglot ${version}. Signature: `, make("code", {}, signature)),
    make("pre", { tabindex: "0" }, make("code", {}, command)),
    makeTable(["Source", "Kind", "Hash"], rows),
    make("details", {}, make("summary", {}, "diglot.toml"), make("pre", { tabindex: "0" }, make("code", {}, settings))),
  );
}
