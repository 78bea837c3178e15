// Two pages side by side: the evidence for the pair, segments in order, and links between sentences.

const BEADS_AT_ONCE = 400; // a button draws more

/** A word as a shell takes it. */
const shellWord = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`);

class PairView {
  constructor(dialog, segments, head, judgeBar) {
    this.dialog = dialog;
    this.segments = segments;
    this.head = head;
    this.judgeBar = judgeBar;
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // beside the box
    });
    new ResizeObserver(() => this.drawLines()).observe(dialog);
  }

  /** Show a page pair; `row`, if given, is brought into sight. */
  open(pair, row) {
    const { pairs } = this.segments;
    const langs = this.segments.langPairs[pairs.lang_pair[pair]];
    const titled = (side) => {
      const title = pairs[`${side}_title`]?.[pair];
      return make("div", {}, make("dt", {}, langs[`${side}_name`]),
        make("dd", {}, title ? crawled("b", title, langs[side]) : "", title ? make("br") : "", address(pairs[`${side}_url`][pair])));
    };
    const close = make("button", { type: "button", class: "close" }, "Close");
    close.addEventListener("click", () => this.dialog.close());
    this.beads = make("div", { class: "beads" });
    this.dialog.replaceChildren(
      make("div", { class: "dialog-head" }, make("h2", { id: "pair-title" }, "Page pair"), close),
      make(
        "dl",
        { class: "addresses" },
        titled("src"),
        titled("tgt"),
      ),
      make(
        "p",
        {},
        `Probability ${pairs.probability[pair].toFixed(3)} by ${pairs.methods[pairs.method[pair]]}; `,
        `${plural(pairs.kept[pair], "segment")} kept.`,
        pairs.whole[pair] ? "" : " This report holds only some of its segments.",
      ),
      this.why(pair, langs, row !== undefined),
      make("h3", {}, "Texts side by side"),
      make("p", { class: "faint" }, "Each line joins a source sentence and its translation; segments left out of the ",
        "memory are faint, with the reason."),
      this.beads,
    );
    if (!this.dialog.open) this.dialog.showModal();
    const [start, end] = [this.segments.start(pair), pairs.ends[pair]];
    const first = row === undefined ? start : Math.max(start, row - BEADS_AT_ONCE / 2);
    this.append(langs, first, end, row);
    if (row === undefined) this.dialog.scrollTop = 0;
    else this.beads.querySelector(".current")?.scrollIntoView({ block: "center" });
    if (first > start) {
      this.beads.prepend(make("p", { class: "faint" }, `${plural(first - start, "segment")} before these are not drawn.`));
    }
  }

  /** Evidence for and against the pair, as printed by `diglot why`. */
  why(pair, langs, folded) {
    const { features, evidence, log_odds: logOdds, grounds, methods, method, probability, src_url: src, tgt_url: tgt } = this.segments.pairs;
    const found = features.map((name, i) => [name, evidence[pair][i]]).filter(([, value]) => value !== null);
    const groups = this.head.evidence_groups[methods[method[pair]]];
    const parts = [];
    if (groups && found.length) {
      parts.push(
        make("p", { class: "faint" }, "In bits: one bit doubles the odds that the pair is right. Before any evidence there is what share of ",
          "candidates are pairs on this site, and any limit that was put on this one."),
        waterfall(logOdds[pair], bitsByGroup(found, groups), probability[pair]),
      );
    }
    if (grounds[pair]) parts.push(...groundsText(grounds[pair], langs));
    parts.push(found.length
      ? make("details", groups ? {} : { open: true }, make("summary", {}, groups ? `All ${found.length} pieces of evidence` : "Features that the recipe compares"),
        this.features(found, groups))
      : make("p", { class: "faint" }, "The recipe recorded no evidence for this pair."));
    parts.push(make("p", { class: "faint" }, grounds[pair] ? "The same on the command line: " : "Words, blocks and the runner-up: ",
      make("code", {}, `diglot why RUN ${shellWord(src[pair])} ${shellWord(tgt[pair])}`),
      ...(groups && !grounds[pair] ? ["; ", make("code", {}, "diglot open RUN --why 50"), " puts those of the 50 least probable page pairs into this report."] : [])));
    return make("details", folded ? { class: "why" } : { class: "why", open: true }, make("summary", {}, make("b", {}, "Why these pages are a pair")), ...parts);
  }

  features(found, inBits) {
    const largest = Math.max(1, ...found.map(([, value]) => Math.abs(value)));
    const rows = found.map(([name, value]) => {
      const bar = make("span", { class: value < 0 ? "bar-fill against" : "bar-fill" });
      const wide = (50 * Math.abs(value)) / largest;
      bar.style.width = `${wide}%`;
      bar.style.insetInlineStart = value < 0 ? `${50 - wide}%` : "50%";
      const zero = make("span", { class: "zero" });
      zero.style.insetInlineStart = "50%";
      return make("tr", {}, make("th", { scope: "row" }, name.replaceAll("_", " ")), make("td", { class: "number" }, value.toFixed(2)),
        make("td", { class: "bar-cell" }, make("span", { class: "bar-track" }, inBits ? zero : "", bar)));
    });
    return make("table", { class: "evidence" }, make("tbody", {}, ...rows));
  }

  append(langs, first, end, current) {
    const last = Math.min(end, first + BEADS_AT_ONCE);
    const drawn = [];
    for (let row = first; row < last; row += 1) drawn.push(this.bead(langs, row, row === current));
    this.beads.append(...drawn);
    if (last < end) {
      const more = make("button", { type: "button", class: "more" }, `Show more (${count(end - last)} left)`);
      more.addEventListener("click", () => {
        more.remove();
        this.append(langs, last, end);
      });
      this.beads.append(more);
    }
    this.drawLines();
  }

  bead(langs, row, current) {
    const side = (name, lang) =>
      make("div", { class: "sentences" }, ...this.segments.sentences(row, name).map((text) => crawled("p", text, lang)));
    const flags = this.segments.flags(row).map((flag) => make("span", { class: "flag" }, flag.replaceAll("_", " ")));
    if (this.segments.tooLow(row)) flags.push(make("span", { class: "flag" }, LOW_SCORE));
    const bead = this.segments.bead(row);
    const style = `alignment${this.segments.kept(row) ? "" : " left-out"}${current ? " current" : ""}`;
    const element = make("div", { class: style, tabindex: "-1" }, side("src", langs.src),
      make("div", { class: "link" }, bead === "1-1" ? "" : make("span", { class: "bead" }, bead)), side("tgt", langs.tgt));
    element.append(make("div", { class: "facts" }, scoreMark(this.segments.score(row)), ...flags, this.judgeBar(row, element)));
    return element;
  }

  /** Lines from every source sentence to a point in the middle and on to every target sentence. */
  drawLines() {
    if (!this.beads) return;
    const places = [...this.beads.querySelectorAll(".alignment")].map((bead) => {
      const link = bead.querySelector(".link");
      const box = link.getBoundingClientRect();
      const [src, tgt] = [...bead.querySelectorAll(".sentences")].map((side) =>
        [...side.children].map((sentence) => {
          const { top, bottom } = sentence.getBoundingClientRect();
          return (top + bottom) / 2 - box.top;
        }),
      );
      return { link, box, src, tgt };
    });
    for (const { link, box, src, tgt } of places) {
      link.querySelector("svg")?.remove();
      const all = [...src, ...tgt];
      const middle = all.reduce((sum, y) => sum + y, 0) / all.length;
      const lines = [
        ...src.map((y) => [0, y, box.width / 2, tgt.length ? middle : y]),
        ...tgt.map((y) => [box.width, y, box.width / 2, src.length ? middle : y]),
      ].map(([x1, y1, x2, y2]) => draw("line", { x1, y1, x2, y2 }));
      link.prepend(draw("svg", { "aria-hidden": "true", width: box.width, height: box.height }, ...lines));
    }
  }
}
