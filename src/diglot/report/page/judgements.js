// Verdicts and corrections by segment, stored in the browser and saved as one file.

const VERDICTS = ["right", "partly", "wrong", "unsure"];
const MAX_CORRECTION_CHARS = 100_000; // the workbench saves no longer text
const VERDICT_COLUMNS = ["id", "verdict", "src", "tgt", "corrected_src", "corrected_tgt", "src_lang", "tgt_lang", "src_url", "tgt_url"];

/** Whether a stored value is an entry of this page: another page may use the same name. */
const isEntry = (entry) => VERDICTS.includes(entry?.verdict) && VERDICT_COLUMNS.every((name) => name === "id" || typeof entry[name] === "string");

/** Whether a person corrected a text, in this entry or earlier: the run may have taken the correction. */
const isCorrected = (entry) => Boolean(entry?.corrected_src || entry?.corrected_tgt || entry?.was_corrected);

/** Keeps verdicts in the browser, which may refuse or be full. Another keeper may take its place, with the same methods. */
class BrowserKeeper {
  constructor(name) {
    this.name = name;
  }

  /** Entries kept before, and whether some are not in a file; null where the browser keeps nothing. */
  load() {
    const { works, value } = storedValue(this.name);
    const entries = Array.isArray(value?.entries) ? value.entries.filter(isEntry) : [];
    return works ? { entries, unsaved: Boolean(value?.unsaved && entries.length) } : null;
  }

  /** Keep all entries, `changed` being those that changed; false if it cannot. */
  keep(judgements) {
    return storeValue(this.name, { unsaved: judgements.unsaved, entries: [...judgements.entries.values()] });
  }
}

/** Key of a segment by its addresses and texts. The run stores plain blanks, and the page shows those of the website. */
const segmentKey = (...parts) => parts.join("\x1f").replace(/[\u00a0\u202f]/g, " ");

const entryKey = (entry) => segmentKey(entry.src_url, entry.tgt_url, entry.src, entry.tgt);

/** Verdicts by segment. An entry has the columns of the file without `id`, which `diglot judge` computes. */
class Judgements {
  /** `changed()` is called after every change. */
  constructor(segments, keeper, changed) {
    this.segments = segments;
    this.keeper = keeper;
    this.changed = changed;
    this.entries = new Map();
    this.done = []; // what was before each change: lists of { row, key, before }
    this.drafts = new Map(); // texts typed and not kept, by segment: another search or page takes their fields away
    this.refused = new Map(); // why the keeper did not take an entry, by segment
    this.unsaved = false;
    this.inPair = new Uint8Array(segments.pairs.ends.length); // 1 where a segment of the page pair may be judged
    this.isKept = this.restore();
  }

  key(row) {
    const { segments } = this;
    return segmentKey(segments.url(row, "src"), segments.url(row, "tgt"), segments.text(row, "src"), segments.text(row, "tgt"));
  }

  entry(row) {
    return this.inPair[this.segments.pairOf[row]] ? this.entries.get(this.key(row)) : undefined;
  }

  /** Judged rows with their entries; the first row of equal segments in a page pair. */
  *judged() {
    const seen = new Set();
    const { pairs } = this.segments;
    for (let pair = 0; pair < this.inPair.length; pair += 1) {
      if (!this.inPair[pair]) continue;
      for (let row = this.segments.start(pair); row < pairs.ends[pair]; row += 1) {
        const entry = this.entry(row);
        if (!entry || seen.has(entry)) continue;
        seen.add(entry);
        yield [row, entry];
      }
    }
  }

  /** A segment with a verdict and its corrected texts, as { row, key, entry }. */
  made(row, verdict, corrected = this.entry(row)) {
    const { segments } = this;
    const [langs, was] = [segments.langs(row), this.entry(row)];
    const entry = { verdict, src: segments.text(row, "src"), tgt: segments.text(row, "tgt"),
      corrected_src: corrected?.corrected_src ?? "", corrected_tgt: corrected?.corrected_tgt ?? "", was_corrected: was?.was_corrected ?? "",
      src_lang: langs.src, tgt_lang: langs.tgt, src_url: segments.url(row, "src"), tgt_url: segments.url(row, "tgt") };
    return { row, key: this.key(row), entry };
  }

  /** Set a verdict, "" to delete it, with the corrected texts. */
  judge(row, verdict, corrected) {
    this.change([this.made(row, verdict, corrected)]);
  }

  /** Set one verdict on several segments; one undo takes back all. */
  judgeAll(rows, verdict) {
    this.change(rows.map((row) => this.made(row, verdict)));
  }

  change(changes) {
    this.done.push(changes.map(({ row, key, entry }) => ({ row, key, before: this.entries.get(key) ?? { ...entry, verdict: "" } })));
    this.set(changes);
  }

  /** Take back the last change; returns its rows. */
  undo() {
    const last = this.done.pop() ?? [];
    if (last.length) this.set(last.map(({ row, key, before }) => ({ row, key, entry: before })).reverse());
    return last.map(({ row }) => row);
  }

  set(changes) {
    for (const { row, key, entry } of changes) {
      this.inPair[this.segments.pairOf[row]] = 1;
      this.refused.delete(key);
      if (entry.verdict) this.entries.set(key, entry);
      else this.entries.delete(key);
    }
    this.note(true, changes.map(({ entry }) => entry));
  }

  /** Why these texts are no correction of a segment; "" if they are one. */
  fault(row, texts) {
    for (const side of ["src", "tgt"]) {
      if (!texts[side] && this.segments.text(row, side)) return "A correction needs a text in both languages. Write one, or judge the segment wrong.";
      if (texts[side].length > MAX_CORRECTION_CHARS) return `A correction has at most ${count(MAX_CORRECTION_CHARS)} characters, and this one ${count(texts[side].length)}.`;
    }
    return "";
  }

  /** Set corrected texts; a corrected segment is at most partly right. */
  correct(row, src, tgt) {
    const [was, said] = [this.entry(row), this.segments];
    const corrected = { corrected_src: src === said.text(row, "src") ? "" : src, corrected_tgt: tgt === said.text(row, "tgt") ? "" : tgt };
    const differs = corrected.corrected_src || corrected.corrected_tgt;
    const verdict = differs && (!was || was.verdict === "right" || was.verdict === "unsure") ? "partly" : (was?.verdict ?? "");
    this.judge(row, verdict, corrected);
  }

  /** The text of a side, corrected if it was. */
  text(row, side) {
    return this.entry(row)?.[`corrected_${side}`] || this.segments.text(row, side);
  }

  answers(row, asked) {
    const entry = this.entry(row);
    if (asked === "open") return !entry;
    if (asked === "judged") return Boolean(entry);
    if (asked === "corrected") return isCorrected(entry);
    return entry?.verdict === asked;
  }

  /** Number of each verdict, and of corrections. */
  counts() {
    const counts = Object.fromEntries([...VERDICTS, "corrected"].map((name) => [name, 0]));
    for (const entry of this.entries.values()) {
      counts[entry.verdict] += 1;
      if (isCorrected(entry)) counts.corrected += 1;
    }
    return counts;
  }

  /** The file of verdicts, one a line, in order of time. */
  lines() {
    const rows = [...this.entries.values()].map((entry) => VERDICT_COLUMNS.map((name) => entry[name] ?? ""));
    return tabLines([VERDICT_COLUMNS, ...rows]);
  }

  save() {
    saveFile("verdicts.tsv", this.lines(), "text/tab-separated-values");
    this.note(false);
  }

  clear() {
    const gone = [...this.entries.values()].map((entry) => ({ ...entry, verdict: "" }));
    this.entries.clear();
    this.done = [];
    this.note(false, gone);
  }

  note(unsaved, changed = []) {
    this.unsaved = unsaved;
    this.isKept = this.keeper.keep(this, changed);
    this.changed();
  }

  /** Load the entries that were kept; false if nothing is kept for this page. */
  restore() {
    const kept = this.keeper.load();
    if (!kept) return false;
    this.hear(kept.entries);
    this.unsaved = kept.unsaved;
    return true;
  }

  /** Take entries that were made elsewhere; one without a verdict takes an earlier one away. */
  hear(entries) {
    for (const entry of entries) {
      const key = entryKey(entry);
      if (entry.verdict) this.entries.set(key, entry);
      else this.entries.delete(key);
    }
    const { src_url: src, tgt_url: tgt } = this.segments.pairs;
    const judged = new Set([...this.entries.values()].map((entry) => `${entry.src_url}\x1f${entry.tgt_url}`));
    this.inPair.forEach((_, pair) => { this.inPair[pair] = judged.has(`${src[pair]}\x1f${tgt[pair]}`) ? 1 : 0; });
  }
}
