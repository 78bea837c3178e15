// The page as a whole: chosen languages, and lists filled when the segments are unpacked.

class Report {
  constructor(head) {
    this.head = head;
    setRightToLeft(head.right_to_left);
    this.menus = new LangMenus(byId("lang-src"), byId("lang-tgt"), head.lang_pairs, () => this.showAll());
    byId("lang-menus").hidden = head.lang_pairs.length < 2;
    byId("least").value = String(Math.round(100 * head.min_score));
    byId("least").addEventListener("input", () => showThreshold(this.head, this.chosenPairs()));
    for (const id of ["search-form", "pairs-form"]) byId(id).addEventListener("submit", (event) => event.preventDefault());
    showSites(head, (site) => this.goToSite(site));
    showFunnel(head, (flag) => this.goToSample(flag));
    showLanguages(head);
    showReproduction(head.run);
    this.showFigures();
    listenToTabs();
  }

  chosenPairs() {
    return this.chosenNumbers().map((number) => this.head.lang_pairs[number]);
  }

  /** Numbers of the chosen language pairs. */
  chosenNumbers() {
    return this.menus.numbers;
  }

  /** Least score of a segment kept; that of the run may lie between two steps of the slider. */
  get least() {
    const step = Number(byId("least").value);
    return step === Math.round(100 * this.head.min_score) ? this.head.min_score : step / 100;
  }

  showFigures() {
    showHeadline(this.head, this.chosenPairs());
    showThreshold(this.head, this.chosenPairs());
  }

  /** Fill the lists with the unpacked segments and add event listeners. */
  begin(segments, keeper) {
    this.segments = segments;
    this.judging = new Judging(segments, this.head, () => this.chosenPairs(), keeper);
    const { judgements } = this.judging;
    const judgeBar = (row, element) => new JudgeBar(judgements, row, element).element;
    const view = new PairView(byId("pair-view"), segments, this.head, judgeBar);
    this.openPair = (pair, row) => view.open(pair, row);
    const chosen = () => this.chosenNumbers();
    const tools = { segments, judgements, judgeBar, openPair: this.openPair, isMixed: () => chosen().length > 1 };
    this.finds = new Search(tools, this.head, this.menus);
    this.pairs = new PagePairs(segments, this.openPair, chosen);
    this.samples = new Samples(tools, this.head, chosen);
    const termKeeper = keeper?.terms ?? new BrowserTermKeeper(`diglot terms ${this.head.run.signature} ${this.head.title}`);
    this.terms = new Terms(segments.data.terms, this.head.lang_pairs, chosen, (term) => this.goToTerm(term), termKeeper);
    byId("next-open").addEventListener("click", () => this.goToOpen());
    document.addEventListener("keydown", (event) => this.key(event));
    byId("least-pair").addEventListener("input", () => this.showPairFigures());
    for (const id of ["least", "least-pair"]) byId(id).addEventListener("input", settled(() => this.showLists(), 60));
    window.addEventListener("hashchange", () => this.finds.follow() && this.showAll());
    if (this.finds.follow()) {
      this.showFigures();
      goTo("search");
    }
    this.showLists();
    this.showPairFigures();
    setTimeout(() => segments.prepare(), 100);
  }

  showAll() {
    this.showFigures();
    if (!this.segments) return;
    this.showLists();
    this.showPairFigures();
    this.judging.show();
  }

  showPairFigures() {
    showPairThreshold(this.head, this.pairs.probabilities());
  }

  showLists() {
    this.segments.least = this.least;
    this.segments.leastPair = Number(byId("least-pair").value) / 100;
    this.search();
    this.pairs.show();
    this.samples.listKinds();
    this.samples.show();
    this.samples.showConflicts();
    this.terms.show();
  }

  search() {
    this.finds.run();
  }

  /** Keys for the whole page, unless a text is being typed. */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const key = latinKey(event);
    if (key === "w") this.goToOpen();
    else if (key === "z") this.judging.undo();
    else return;
    event.preventDefault();
  }

  /** Go to the next segment of the search that is not judged, from the one with the focus on. */
  goToOpen() {
    showTab("search");
    const { list, rows } = this.finds;
    const { judgements } = this.judging;
    const focused = document.activeElement?.closest?.("#segments [data-row]");
    const from = focused ? rows.indexOf(Number(focused.dataset.row)) + 1 : list.first;
    const place = rows.findIndex((row, at) => at >= from && !judgements.entry(row));
    if (place < 0) return;
    if (place < list.first || place >= list.first + list.rowsAPage) list.turn(place - (place % list.rowsAPage));
    const element = list.list.children[place - list.first];
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
  }

  goToSample(flag) {
    byId("sample-kind").value = flag;
    if (this.segments) this.samples.show();
    goTo("samples");
    byId("sample-kind").focus();
  }

  goToTerm(term) {
    byId("query").value = term;
    byId("side").value = "src";
    byId("whole").checked = true;
    this.search();
    goTo("search");
    byId("query").focus({ preventScroll: true });
  }

  goToSite(site) {
    byId("page").value = byId("address").value = site;
    if (this.segments) this.showLists();
    byId("filters").open = true;
    goTo("search");
    byId("page").focus({ preventScroll: true });
  }
}

const report = new Report(JSON.parse(byId("headline-data").textContent));
Promise.all([unpack("segments-data"), openKeeper()]).then(
  ([data, keeper]) => {
    report.begin(new Segments(data, report.head.lang_pairs, report.head.vouched), keeper);
    document.documentElement.dataset.ready = "yes";
    document.dispatchEvent(new Event("ready"));
  },
  (error) => {
    byId("search-count").textContent = `The segments cannot be unpacked (${error.message}); use a current browser.`;
  },
);
