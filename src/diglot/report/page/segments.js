// Segments of the report, in columns.

/** Segments of the report; all methods take numbers of rows or of page pairs. */
class Segments {
  /** `vouched`: flags of segments that are kept with any score. */
  constructor(data, langPairs, vouched) {
    this.data = data;
    this.vouched = data.flag_sets.map((flags) => vouched.some((flag) => flags.includes(flag)));
    this.rows = { ...data.rows };
    for (const name of ["src", "tgt", "not_excluded", "flags", "score"]) this.rows[name] = Int32Array.from(data.rows[name]);
    this.pairs = data.pairs;
    this.langPairs = langPairs;
    this.length = this.rows.src.length;
    this.pairOf = new Int32Array(this.length);
    for (let pair = 0; pair < data.pairs.ends.length; pair += 1) {
      this.pairOf.fill(pair, this.start(pair), data.pairs.ends[pair]);
    }
    this.indexes = {};
    this.ranks = {};
    this.least = 0; // least score of a segment kept
    this.leastPair = 0; // least probability of its page pair
  }

  start(pair) {
    return pair ? this.pairs.ends[pair - 1] : 0;
  }

  langs(row) {
    return this.langPairs[this.pairs.lang_pair[this.pairOf[row]]];
  }

  text(row, side) {
    return this.data.texts[this.langs(row)[side]][this.rows[side][row]];
  }

  score(row) {
    return this.rows.score[row] / 1000;
  }

  url(row, side) {
    return this.pairs[`${side}_url`][this.pairOf[row]];
  }

  /** Page of a document where the text of one side begins; 0 for none. */
  page(row, side) {
    return this.data.rows[`${side}_page`]?.[row] ?? 0;
  }

  /** Whether a segment is left out only for its score or the probability of its page pair. */
  tooLow(row) {
    return this.rows.not_excluded[row] === 1 && !this.reaches(row);
  }

  reaches(row) {
    return (this.score(row) >= this.least || this.vouched[this.rows.flags[row]]) && this.pairs.probability[this.pairOf[row]] >= this.leastPair;
  }

  kept(row) {
    return this.rows.not_excluded[row] === 1 && this.reaches(row);
  }

  bead(row) {
    return this.data.beads[this.rows.bead[row]];
  }

  flags(row) {
    return this.data.flag_sets[this.rows.flags[row]];
  }

  /** Sentences of one side; the whole text if the browser finds another number of sentences than the bead. */
  sentences(row, side) {
    const text = this.text(row, side);
    const wanted = Number(this.bead(row).split("-")[side === "src" ? 0 : 1]);
    if (!text || !(wanted > 1) || !Intl.Segmenter) return text ? [text] : [];
    const segmenter = new Intl.Segmenter(this.langs(row)[side], { granularity: "sentence" });
    const found = [...segmenter.segment(text)].map(({ segment }) => segment);
    return found.length === wanted ? found : [text];
  }

  /** Index of the texts of a language, folded unless `exact`. */
  index(lang, exact) {
    return (this.indexes[`${exact}${lang}`] ??= new TextIndex(this.data.texts[lang] ?? [], exact ? (text) => text : fold));
  }

  /** Place of each text of a language in alphabetical order, ignoring case and accents. */
  rank(lang) {
    if (!this.ranks[lang]) {
      const { joined, starts, length } = this.index(lang, false);
      const folded = Array.from({ length }, (_, text) => joined.slice(starts[text], starts[text + 1] - 1));
      const order = Int32Array.from(folded.keys()).sort((a, b) => (folded[a] < folded[b] ? -1 : folded[a] > folded[b] ? 1 : a - b));
      this.ranks[lang] = new Int32Array(order.length);
      order.forEach((text, place) => { this.ranks[lang][text] = place; });
    }
    return this.ranks[lang];
  }

  /** Build all indexes before the first search. */
  prepare() {
    for (const lang of Object.keys(this.data.texts)) this.index(lang, false);
  }
}
