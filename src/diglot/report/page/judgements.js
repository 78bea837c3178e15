// Verdicts and corrections by segment, stored in the browser and saved as one file.

const VERDICTS = ["right", "partly", "wrong", "unsure"];
const VERDICT_COLUMNS = ["id", "verdict", "src", "tgt", "corrected_src", "corrected_tgt", "src_lang", "tgt_lang", "src_url", "tgt_url"];

/** Whether a stored value is an entry of this page: another page may use the same name. */
const isEntry = (entry) => VERDICTS.includes(entry?.verdict) && VERDICT_COLUMNS.every((name) => name === "id" || typeof entry[name] === "string");

/** Verdicts by segment. An entry has the columns of the file without `id`, which `diglot judge` computes. */
class Judgements {
  /** `changed()` is called after every change. */
  constructor(segments, storageKey, changed) {
    this.segments = segments;
    this.storageKey = storageKey;
    this.changed = changed;
    this.entries = new Map();
    this.unsaved = false;
    this.inPair = new Uint8Array(segments.pairs.ends.length); // 1 where a segment of the page pair may be judged
    this.isKept = this.restore();
  }

  key(row) {
    const { segments } = this;
    return [segments.url(row, "src"), segments.url(row, "tgt"), segments.text(row, "src"), segments.text(row, "tgt")].join("\x1f");
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

  /** Set a verdict, "" to delete it, with the corrected texts. */
  judge(row, verdict, corrected = this.entry(row)) {
    const { segments } = this;
    const langs = segments.langs(row);
    const entry = { verdict, src: segments.text(row, "src"), tgt: segments.text(row, "tgt"),
      corrected_src: corrected?.corrected_src ?? "", corrected_tgt: corrected?.corrected_tgt ?? "",
      src_lang: langs.src, tgt_lang: langs.tgt, src_url: segments.url(row, "src"), tgt_url: segments.url(row, "tgt") };
    this.inPair[segments.pairOf[row]] = 1;
    if (verdict) this.entries.set(this.key(row), entry);
    else this.entries.delete(this.key(row));
    this.note(true);
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
    if (asked === "corrected") return Boolean(entry?.corrected_src || entry?.corrected_tgt);
    return entry?.verdict === asked;
  }

  /** Number of each verdict, and of corrections. */
  counts() {
    const counts = Object.fromEntries([...VERDICTS, "corrected"].map((name) => [name, 0]));
    for (const entry of this.entries.values()) {
      counts[entry.verdict] += 1;
      if (entry.corrected_src || entry.corrected_tgt) counts.corrected += 1;
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
    this.entries.clear();
    this.note(false);
  }

  note(unsaved) {
    this.unsaved = unsaved;
    this.store();
    this.changed();
  }

  /** Store all entries in the browser, which may refuse or be full. */
  store() {
    try {
      localStorage.setItem(this.storageKey, JSON.stringify({ unsaved: this.unsaved, entries: [...this.entries.values()] }));
      this.isKept = true;
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
      this.isKept = false;
    }
  }

  /** Load the entries from the browser; false if it stores nothing for this page. */
  restore() {
    let kept = null;
    try {
      kept = JSON.parse(localStorage.getItem(this.storageKey));
    } catch (error) {
      if (error instanceof SyntaxError) return true; // stored by another program
      if (!(error instanceof DOMException)) throw error;
      return false;
    }
    for (const entry of Array.isArray(kept?.entries) ? kept.entries.filter(isEntry) : []) {
      this.entries.set([entry.src_url, entry.tgt_url, entry.src, entry.tgt].join("\x1f"), entry);
    }
    const { src_url: src, tgt_url: tgt } = this.segments.pairs;
    const judged = new Set([...this.entries.values()].map((entry) => `${entry.src_url}\x1f${entry.tgt_url}`));
    this.inPair.forEach((_, pair) => { this.inPair[pair] = judged.has(`${src[pair]}\x1f${tgt[pair]}`) ? 1 : 0; });
    this.unsaved = Boolean(kept?.unsaved && this.entries.size);
    return true;
  }
}
