// The list of page pairs: filter by address and probability, and order.

const PAIRS_A_PAGE = 15;

class PagePairs {
  /** `langPair()`: number of the chosen language pair, "" for all. */
  constructor(segments, openPair, langPair) {
    this.segments = segments;
    this.openPair = openPair;
    this.langPair = langPair;
    this.list = new PagedList(byId("pair-list"), (pair) => this.row(pair), PAIRS_A_PAGE);
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
    const wanted = this.langPair();
    return [...langPair.keys()].filter((pair) => wanted === "" || langPair[pair] === wanted);
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
    const urls = [pairs.src_url[pair], pairs.tgt_url[pair]].map((url) => make("span", { class: "address", dir: "ltr", title: url }, ...cutAddress(url)));
    const open = make("button", { type: "button", class: "pair" },
      make("span", { class: "pair-urls" }, ...urls),
      make("span", { class: "pair-facts" }, scoreMark(pairs.probability[pair]), pairs.media[pair] ?? "", plural(pairs.kept[pair], "segment")));
    open.addEventListener("click", () => this.openPair(pair));
    return make("li", { class: "pair-row" }, open);
  }
}
