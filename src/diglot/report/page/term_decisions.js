// Which terms are accepted, rejected or edited.

const TERM_VERDICTS = ["accepted", "rejected"];
const TERM_COLUMNS = ["src", "tgt", "src_lang", "tgt_lang", "verdict", "edited_src", "edited_tgt"];

/** Whether a stored value is a decision: another page may use the same name. */
const isDecision = (entry) => (entry?.verdict === "" || TERM_VERDICTS.includes(entry?.verdict)) && TERM_COLUMNS.every((name) => typeof entry[name] === "string");

/** Keeps decisions in the browser. Another keeper may take its place, with the same methods. */
class BrowserTermKeeper {
  constructor(name) {
    this.name = name;
  }

  load() {
    const { value } = storedValue(this.name);
    return Array.isArray(value) ? value.filter(isDecision) : [];
  }

  keep(entries) {
    storeValue(this.name, entries); // where the browser keeps nothing, the file that is saved holds all
  }
}

/** Decisions by term. */
class TermDecisions {
  constructor(keeper) {
    this.keeper = keeper;
    this.entries = new Map(keeper.load().map((entry) => [this.key(entry), entry]));
    this.know([]);
  }

  key({ src_lang: srcLang, tgt_lang: tgtLang, src, tgt }) {
    return [srcLang, tgtLang, src, tgt].join("\x1f");
  }

  /** `terms`: those of the page; a decision on texts that are none of theirs is one on the term of which they are forms. */
  know(terms) {
    this.own = new Set(terms.map((term) => this.key(term)));
    this.others = null;
  }

  /** The decision on a term or, for { src_forms, tgt_forms }, on a form of it. */
  of(term) {
    const exact = this.entries.get(this.key(term));
    if (exact || !term.src_forms) return exact;
    this.others ??= new Map([...this.entries].filter(([key]) => !this.own.has(key)).map(([key, entry]) => [key.toLowerCase(), entry]));
    if (!this.others.size) return undefined;
    const keys = [term.src, ...term.src_forms].flatMap((src) => [term.tgt, ...term.tgt_forms].map((tgt) => this.key({ ...term, src, tgt }).toLowerCase()));
    return this.others.get(keys.find((key) => this.others.has(key)));
  }

  /** Decide on a term { src, tgt, src_lang, tgt_lang }; what is not given stays. */
  decide(term, { verdict, edited_src: src, edited_tgt: tgt }) {
    const was = this.of(term);
    const { src: ownSrc, tgt: ownTgt, src_lang, tgt_lang } = term;
    const entry = { src: ownSrc, tgt: ownTgt, src_lang, tgt_lang, verdict: verdict ?? was?.verdict ?? "",
      edited_src: src ?? was?.edited_src ?? "", edited_tgt: tgt ?? was?.edited_tgt ?? "" };
    this.entries.set(this.key(term), entry);
    this.keeper.keep([...this.entries.values()], entry);
  }
}
