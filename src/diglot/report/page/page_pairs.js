// The list of page pairs: filter by address and probability, and order.

const PAIRS_A_PAGE = 15;

class PagePairs {
  /** `chosen()`: numbers of the chosen language pairs. */
  constructor(segments, openPair, chosen) {
    this.segments = segments;
    this.openPair = openPair;
    this.chosen = chosen;
    this.list = new PagedList(byId("pair-list"), (pair) => this.row(pair), { rowsAPage: PAIRS_A_PAGE });
    byId("address").addEventListener("input", settled(() => this.show(), 60));
    byId("pair-order").addEventListener("change", () => this.show());
    const media = [...new Set(segments.pairs.media)].sort();
    byId("pair-media").append(...media.map((name) => make("option", { value: name }, name)));
    byId("pair-media").parentElement.hidden = media.length < 2;
    byId("pair-media").addEventListener("change", () => this.show());
  }

  /** Numbers of the page pairs of the chosen languages. */
  numbers() {
    const { lang_pair: langPair } = this.segments.pairs;
    const wanted = new Set(this.chosen());
    return [...langPair.keys()].filter((pair) => wanted.has(langPair[pair]));
  }

  probabilities() {
    return this.numbers().map((pair) => this.segments.pairs.probability[pair]);
  }

  show() {
    const { pairs, leastPair } = this.segments;
    const onPage = pairTest(pairs, byId("address").value) ?? (() => true);
    const media = byId("pair-media").value;
    const found = this.numbers().filter((pair) =>
      pairs.probability[pair] >= leastPair && onPage(pair) && (!media || pairs.media[pair] === media));
    const orders = {
      high: (a, b) => pairs.probability[b] - pairs.probability[a],
      low: (a, b) => pairs.probability[a] - pairs.probability[b],
      large: (a, b) => pairs.kept[b] - pairs.kept[a],
    };
    this.list.show(found.sort(orders[byId("pair-order").value]));
    byId("pairs-count").textContent = plural(found.length, "page pair");
  }

  row(pair) {
    const { pairs } = this.segments;
    const langs = this.segments.langPairs[pairs.lang_pair[pair]];
    const side = (name) => {
      const url = pairs[`${name}_url`][pair];
      const title = pairs[`${name}_title`]?.[pair];
      const shown = make("span", { class: "address", dir: "ltr", title: url }, ...cutAddress(url));
      return make("span", { class: "pair-side" }, title ? crawled("span", title, langs[name], { class: "page-title" }) : "", shown);
    };
    const open = make("button", { type: "button", class: "pair" },
      make("span", { class: "pair-sides" }, side("src"), side("tgt")),
      make("span", { class: "pair-facts" }, this.chosen().length > 1 ? langMark(langs) : "", scoreMark(pairs.probability[pair], "probability"),
        make("span", {}, pairs.media[pair] ?? ""), make("span", {}, plural(pairs.kept[pair], "segment"))));
    open.addEventListener("click", () => this.openPair(pair));
    return make("li", { class: "pair-row" }, open);
  }
}
