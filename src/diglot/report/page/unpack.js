// The segments: base 64 -> deflate -> JSON, and questions about rows and page pairs by number.

/** The packed block of the page as a value. */
async function unpack(id) {
  const block = byId(id);
  const binary = atob(block.textContent);
  block.remove(); // frees the text of the block
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/** What the report holds of the run's segments; all methods take numbers of rows or of page pairs. */
class Segments {
  constructor(data, langPairs) {
    this.data = data;
    this.rows = { ...data.rows };
    for (const name of ["src", "tgt", "unflagged"]) this.rows[name] = Int32Array.from(data.rows[name]);
    this.pairs = data.pairs;
    this.langPairs = langPairs;
    this.length = this.rows.src.length;
    this.pairOf = new Int32Array(this.length);
    for (let pair = 0; pair < data.pairs.ends.length; pair += 1) {
      this.pairOf.fill(pair, this.start(pair), data.pairs.ends[pair]);
    }
    this.searched = {};
    this.least = 0; // score of what counts as kept
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

  /** Whether only its score leaves a segment out. */
  tooLow(row) {
    return this.rows.unflagged[row] === 1 && this.score(row) < this.least;
  }

  kept(row) {
    return this.rows.unflagged[row] === 1 && this.score(row) >= this.least;
  }

  bead(row) {
    return this.data.beads[this.rows.bead[row]];
  }

  flags(row) {
    return this.data.flag_sets[this.rows.flags[row]];
  }

  /** Sentences of one side; the whole text where the browser finds not as many as the bead has. */
  sentences(row, side) {
    const text = this.text(row, side);
    const wanted = Number(this.bead(row).split("-")[side === "src" ? 0 : 1]);
    if (!text || !(wanted > 1) || !Intl.Segmenter) return text ? [text] : [];
    const segmenter = new Intl.Segmenter(this.langs(row)[side], { granularity: "sentence" });
    const found = [...segmenter.segment(text)].map(({ segment }) => segment);
    return found.length === wanted ? found : [text];
  }

  /** All texts of a language in lower case as one, and where each begins: one long search beats many short ones. */
  folded(lang) {
    if (!this.searched[lang]) {
      const texts = (this.data.texts[lang] ?? []).map((text) => text.toLowerCase());
      const starts = new Int32Array(texts.length + 1);
      for (let i = 0; i < texts.length; i += 1) starts[i + 1] = starts[i] + texts[i].length + 1;
      this.searched[lang] = { joined: texts.join("\n"), starts };
    }
    return this.searched[lang];
  }

  /** For every text of a language, 1 where it holds the words. */
  matches(lang, words) {
    const { joined, starts } = this.folded(lang);
    const found = new Uint8Array(starts.length - 1);
    let text = 0;
    let place = joined.indexOf(words);
    while (place >= 0 && text < found.length) {
      while (starts[text + 1] <= place) text += 1;
      found[text] = place + words.length < starts[text + 1] ? 1 : 0; // not across two texts
      place = joined.indexOf(words, found[text] ? starts[text + 1] : place + 1);
    }
    return found;
  }

  /** Rows of a language pair ("" for all) that hold `words` on a side ("both" for either). */
  search({ words, side, langPair, keptOnly }) {
    const wanted = words.trim().normalize("NFC").toLowerCase();
    const byLang = {};
    const matches = (lang) => (byLang[lang] ??= this.matches(lang, wanted));
    const { src, tgt } = this.rows;
    const found = [];
    for (let pair = 0; pair < this.pairs.ends.length; pair += 1) {
      const number = this.pairs.lang_pair[pair];
      if (langPair !== "" && number !== langPair) continue;
      const inSrc = wanted && side !== "tgt" ? matches(this.langPairs[number].src) : null;
      const inTgt = wanted && side !== "src" ? matches(this.langPairs[number].tgt) : null;
      for (let row = this.start(pair); row < this.pairs.ends[pair]; row += 1) {
        if (keptOnly && !this.kept(row)) continue;
        if (!wanted || inSrc?.[src[row]] || inTgt?.[tgt[row]]) found.push(row);
      }
    }
    return found;
  }

  /** What a search needs, before the first one asks for it. */
  prepare() {
    for (const lang of Object.keys(this.data.texts)) this.folded(lang);
  }
}
