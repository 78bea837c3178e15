// Samples by kind, and conflicts: source texts with several translations.

const SAMPLE_ROWS = 20; // of all languages together

const SAMPLE_TEXT = {
  best: "The highest scores of the segments kept.",
  "low score": "Random segments without an excluding flag, left out for their score.",
  borderline: "Segments kept with scores nearest to 0.5: as likely right as wrong.",
  random: "Random segments kept: judge these to estimate the precision of the run.",
};

class Samples {
  /** `tools`: of segmentRow; `numbers()`: numbers of the chosen language pairs. */
  constructor(tools, head, numbers) {
    this.tools = tools;
    this.head = head;
    this.numbers = numbers;
    byId("sample-kind").addEventListener("change", () => this.show());
  }

  listKinds() {
    const before = byId("sample-kind").value;
    const kinds = new Set(this.numbers().flatMap((number) => Object.keys(this.tools.segments.data.samples[number])));
    const name = (kind) => (kind in SAMPLE_TEXT ? kind : `flag: ${kind.replaceAll("_", " ")}`);
    byId("sample-kind").replaceChildren(...[...kinds].map((kind) => make("option", { value: kind }, name(kind))));
    if (kinds.has(before)) byId("sample-kind").value = before;
  }

  show() {
    const kind = byId("sample-kind").value;
    const numbers = this.numbers();
    const each = Math.ceil(SAMPLE_ROWS / numbers.length);
    const rows = numbers.flatMap((number) => (this.tools.segments.data.samples[number][kind] ?? []).slice(0, each));
    const flag = this.head.flags.find((known) => known.flag === kind);
    byId("sample-text").textContent = SAMPLE_TEXT[kind] ?? (flag ? `Random segments where ${flag.text}.` : "");
    byId("sample-list").replaceChildren(...rows.map((row) => segmentRow(this.tools, row)));
    byId("sample-list").hidden = !rows.length;
  }

  showConflicts() {
    const { segments } = this.tools;
    const groups = this.numbers().flatMap((number) => segments.data.conflicts[number]);
    groups.sort(([, a], [, b]) => b - a);
    const all = total(this.numbers().map((number) => this.head.lang_pairs[number]), "conflicts");
    byId("conflicts-text").textContent = all
      ? `${plural(all, "source text")} with several translations; those left out are faint. ${count(groups.length)} shown.`
      : "No source text has several translations.";
    byId("conflict-list").replaceChildren(...groups.map(([rows, targets]) => this.conflict(rows, targets)));
  }

  conflict(rows, all) {
    const { segments } = this.tools;
    const langs = segments.langs(rows[0]);
    const targets = rows.map((row) =>
      make("li", { class: segments.kept(row) ? "" : "left-out" }, scoreMark(segments.score(row)), " ",
        crawled("span", segments.text(row, "tgt"), langs.tgt)),
    );
    return make("details", { class: "conflict" },
      make("summary", {}, crawled("span", segments.text(rows[0], "src"), langs.src), ` (${all})`),
      make("ul", { class: "plain" }, ...targets),
      all > rows.length ? make("p", { class: "faint" }, `and ${count(all - rows.length)} more`) : "");
  }
}
