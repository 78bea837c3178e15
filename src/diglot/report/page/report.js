// The page as a whole: which languages are looked at, and the lists that wait for the segments.

const SAMPLE_ROWS = 20; // of all languages together

const SAMPLE_TEXT = {
  best: "The highest scores of the segments kept.",
  "low score": "Drawn at random of those without a flag that excludes whose score the run left out.",
  borderline: "Kept segments with scores nearest to 0.5: as likely right as wrong.",
  random: "Kept segments drawn at random.",
};

class Report {
  constructor(head) {
    this.head = head;
    const options = head.lang_pairs.map((each, i) => make("option", { value: i }, `${each.src_name} – ${each.tgt_name}`));
    if (options.length > 1) options.unshift(make("option", { value: "" }, "all"));
    byId("lang-pair").replaceChildren(...options);
    byId("lang-pair").addEventListener("change", () => this.showAll());
    byId("least").value = String(Math.round(100 * head.min_score));
    byId("least").addEventListener("input", () => showThreshold(this.head, this.chosenPairs()));
    byId("least").addEventListener("input", settled(() => this.segments && this.showLists(), 60));
    for (const id of ["search-form", "pairs-form"]) byId(id).addEventListener("submit", (event) => event.preventDefault());
    showFunnel(head, (flag) => this.goToSample(flag));
    showLanguages(head);
    showReproduction(head.run);
    this.showFigures();
  }

  /** Number of the language pair looked at, "" for all. */
  get langPair() {
    const { value } = byId("lang-pair");
    return value === "" ? "" : Number(value);
  }

  chosenPairs() {
    return this.langPair === "" ? this.head.lang_pairs : [this.head.lang_pairs[this.langPair]];
  }

  showFigures() {
    showHeadline(this.head, this.chosenPairs());
    showThreshold(this.head, this.chosenPairs());
  }

  /** The segments have arrived: fill the lists and listen. */
  begin(segments) {
    this.segments = segments;
    const view = new PairView(byId("pair-view"), segments);
    this.openPair = (pair, row) => view.open(pair, row);
    this.found = new WindowedList(byId("segments"), (row) => segmentRow(segments, row, this.openPair));
    this.pairs = new WindowedList(byId("pair-list"), (pair) => this.pairRow(pair));
    byId("query").addEventListener("input", settled(() => this.search(), 60));
    for (const id of ["side", "which"]) byId(id).addEventListener("change", () => this.search());
    byId("address").addEventListener("input", settled(() => this.listPairs(), 60));
    byId("pair-order").addEventListener("change", () => this.listPairs());
    byId("sample-kind").addEventListener("change", () => this.showSample());
    this.showLists();
    setTimeout(() => segments.prepare(), 100);
  }

  showAll() {
    this.showFigures();
    if (this.segments) this.showLists();
  }

  showLists() {
    this.segments.least = Number(byId("least").value) / 100;
    this.search();
    this.listPairs();
    this.listSampleKinds();
    this.showSample();
    this.showConflicts();
  }

  search() {
    const keptOnly = byId("which").value === "kept";
    const words = byId("query").value;
    const found = this.segments.search({ words, side: byId("side").value, langPair: this.langPair, keptOnly });
    this.found.show(found);
    byId("search-count").textContent = plural(found.length, "segment") + (words.trim() ? " found" : "");
  }

  listPairs() {
    const { src_url: src, tgt_url: tgt, lang_pair: langPair, probability, kept } = this.segments.pairs;
    const part = byId("address").value.trim().toLowerCase();
    const holds = (url) => url.toLowerCase().includes(part);
    const found = src
      .map((_, pair) => pair)
      .filter((pair) => this.langPair === "" || langPair[pair] === this.langPair)
      .filter((pair) => !part || holds(src[pair]) || holds(tgt[pair]));
    const orders = {
      high: (a, b) => probability[b] - probability[a],
      low: (a, b) => probability[a] - probability[b],
      large: (a, b) => kept[b] - kept[a],
    };
    this.pairs.show(found.sort(orders[byId("pair-order").value]));
    byId("pairs-count").textContent = plural(found.length, "page pair");
  }

  pairRow(pair) {
    const { pairs } = this.segments;
    const open = make("button", { type: "button", class: "pair" },
      make("span", { class: "pair-urls" }, make("span", { dir: "ltr" }, pairs.src_url[pair]),
        make("span", { dir: "ltr" }, pairs.tgt_url[pair])),
      make("span", { class: "pair-facts" }, scoreMark(pairs.probability[pair]), plural(pairs.kept[pair], "segment")));
    open.addEventListener("click", () => this.openPair(pair));
    return make("div", {}, open);
  }

  /** Numbers of the language pairs looked at. */
  chosenNumbers() {
    return this.langPair === "" ? this.head.lang_pairs.map((_, number) => number) : [this.langPair];
  }

  listSampleKinds() {
    const before = byId("sample-kind").value;
    const kinds = new Set(this.chosenNumbers().flatMap((number) => Object.keys(this.segments.data.samples[number])));
    const name = (kind) => (kind in SAMPLE_TEXT ? kind : `flag: ${kind.replaceAll("_", " ")}`);
    byId("sample-kind").replaceChildren(...[...kinds].map((kind) => make("option", { value: kind }, name(kind))));
    if (kinds.has(before)) byId("sample-kind").value = before;
  }

  showSample() {
    const kind = byId("sample-kind").value;
    const numbers = this.chosenNumbers();
    const each = Math.ceil(SAMPLE_ROWS / numbers.length);
    const rows = numbers.flatMap((number) => (this.segments.data.samples[number][kind] ?? []).slice(0, each));
    const flag = this.head.flags.find((each) => each.flag === kind);
    byId("sample-text").textContent = SAMPLE_TEXT[kind] ?? (flag ? `Drawn at random of those where ${flag.text}.` : "");
    byId("sample-list").replaceChildren(...rows.map((row) => segmentRow(this.segments, row, this.openPair, "li")));
  }

  goToSample(flag) {
    byId("sample-kind").value = flag;
    if (this.segments) this.showSample();
    byId("samples").scrollIntoView();
    byId("sample-kind").focus();
  }

  showConflicts() {
    const groups = this.chosenNumbers().flatMap((number) => this.segments.data.conflicts[number]);
    groups.sort(([, a], [, b]) => b - a);
    const all = total(this.chosenPairs(), "conflicts");
    byId("conflicts-text").textContent = all
      ? `${plural(all, "source text")} with several translations; those left out are faint. ${count(groups.length)} shown.`
      : "No source text has several translations.";
    byId("conflict-list").replaceChildren(...groups.map(([rows, targets]) => this.conflict(rows, targets)));
  }

  conflict(rows, all) {
    const langs = this.segments.langs(rows[0]);
    const targets = rows.map((row) =>
      make("li", { class: this.segments.kept(row) ? "" : "left-out" }, scoreMark(this.segments.score(row)), " ",
        crawled("span", this.segments.text(row, "tgt"), langs.tgt)),
    );
    return make("details", { class: "conflict" },
      make("summary", {}, crawled("span", this.segments.text(rows[0], "src"), langs.src), ` (${all})`),
      make("ul", { class: "plain" }, ...targets),
      all > rows.length ? make("p", { class: "faint" }, `and ${count(all - rows.length)} more`) : "");
  }
}

const report = new Report(JSON.parse(byId("headline-data").textContent));
unpack("segments-data").then(
  (data) => {
    report.begin(new Segments(data, report.head.lang_pairs));
    document.documentElement.dataset.ready = "yes";
  },
  (error) => {
    byId("search-count").textContent = `The segments cannot be unpacked (${error.message}); use a current browser.`;
  },
);
