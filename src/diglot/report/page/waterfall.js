// Why two pages are a pair: prior odds, the contribution of each kind of evidence, and the probability.

/** Bits of each kind of evidence; a column without a kind is a kind of its own. */
function bitsByGroup(found, groups) {
  const groupOf = Object.fromEntries(Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group])));
  const sums = Object.fromEntries(Object.keys(groups).map((group) => [group, 0]));
  for (const [name, value] of found) sums[groupOf[name] ?? name] = (sums[groupOf[name] ?? name] ?? 0) + value;
  return Object.entries(sums);
}

/** Steps from the prior odds to the odds after all evidence: [name, from, to], in bits. */
function waterfallSteps(logOdds, bits) {
  const all = bits.reduce((sum, [, value]) => sum + value, 0);
  const steps = [["before any evidence", 0, logOdds - all]];
  for (const [name, value] of bits) steps.push([name, steps.at(-1)[2], steps.at(-1)[2] + value]);
  return [...steps, ["together", 0, logOdds]];
}

/** The steps as a table with bars; the last step is the probability. */
function waterfall(logOdds, bits, probability) {
  const steps = waterfallSteps(logOdds, bits);
  const places = steps.flatMap(([, from, to]) => [from, to]);
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const at = (value) => (100 * (value - low)) / (high - low || 1);
  const rows = steps.map(([name, from, to], i) => {
    const bar = make("span", { class: `bar-fill${to < from ? " against" : ""}${i % (steps.length - 1) ? "" : " whole"}` });
    bar.style.insetInlineStart = `${at(Math.min(from, to))}%`;
    bar.style.width = `${Math.abs(at(to) - at(from))}%`;
    const zero = make("span", { class: "zero" });
    zero.style.insetInlineStart = `${at(0)}%`;
    const value = to - from;
    const label = i === steps.length - 1 ? `${name}: probability ${probability.toFixed(3)}` : name.replaceAll("_", " ");
    return make("tr", {}, make("th", { scope: "row" }, label),
      make("td", { class: "number" }, `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`),
      make("td", { class: "bar-cell" }, make("span", { class: "bar-track" }, zero, bar)));
  });
  return make("table", { class: "evidence waterfall" }, make("tbody", {}, ...rows));
}

/** Words and blocks with most weight, and the runner-up. */
function groundsText({ words_for: wordsFor, words_against: wordsAgainst, blocks, rival, of_src: ofSrc, lead_bits: lead }, langs) {
  const bits = (value) => make("span", { class: "faint" }, ` ${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}`);
  const word = ([src, tgt, value]) => make("li", {}, src ? crawled("span", src, langs.src) : "", src && tgt && src !== tgt ? " / " : "",
    tgt && tgt !== src ? crawled("span", tgt, langs.tgt) : "", bits(value));
  const words = (name, list) => (list.length ? [make("h4", {}, name), make("ul", { class: "words" }, ...list.map(word))] : []);
  const block = ([src, tgt, value]) => make("li", {}, markedText("p", src, langs.src, []), markedText("p", tgt, langs.tgt, []), bits(value));
  const next = rival ? [make("h4", {}, "Runner-up"), make("p", {}, address(rival),
    ` for the ${ofSrc ? langs.src_name : langs.tgt_name} page`, lead === null ? "" : `, ${Math.abs(lead).toFixed(1)} bits ${lead >= 0 ? "behind" : "ahead"}`)] : [];
  return [...words("Words for it", wordsFor), ...words("Words against it", wordsAgainst),
    ...(blocks.length ? [make("h4", {}, "Blocks with most weight"), make("ul", { class: "plain blocks" }, ...blocks.map(block))] : []), ...next];
}
