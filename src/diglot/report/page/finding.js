// Which texts hold the words of a search, and where: with or without case and accents.

const MOST_HITS = 1000; // marked in one text

/** All texts of a language as one, and where each begins: one long search beats many short ones. */
class TextIndex {
  constructor(texts, asRead) {
    const read = texts.map(asRead);
    this.starts = new Int32Array(read.length + 1);
    for (let i = 0; i < read.length; i += 1) this.starts[i + 1] = this.starts[i] + read[i].length + 1;
    this.joined = read.join("\n");
  }

  get length() {
    return this.starts.length - 1;
  }
}

/** The words of a search. `holding(index)`: 1 for every text that holds them; `spans(text)`: where, as [begin, end). */
class Finder {
  /** `whole`: as whole words only; `exact`: case and accents count. */
  constructor(words, { whole = false, exact = false } = {}) {
    this.exact = exact;
    this.whole = whole;
    const composed = words.trim().replace(/[ \t\r\n]+/g, " ").normalize("NFC"); // segments have single blanks
    this.words = exact ? composed : fold(composed);
  }

  /** Whether there are words to search for. */
  get asks() {
    return Boolean(this.words);
  }

  /** The first hit from `start` on in the part of a text from `from` to `to`; null without any. */
  next(text, start, from, to) {
    for (let place = text.indexOf(this.words, start); place >= 0; place = text.indexOf(this.words, place + 1)) {
      const end = place + this.words.length;
      if (end > to) return null;
      if (this.isHit(text, place, end, from, to)) return [place, end];
    }
    return null;
  }

  isHit(text, place, end, from, to) {
    return end <= to && (!this.whole || (isEdge(text, place, from, to) && isEdge(text, end, from, to)));
  }

  /** Goes from hit to hit through all texts at once. */
  holding({ joined, starts, length }) {
    const found = new Uint8Array(length);
    let text = 0;
    let place = joined.indexOf(this.words);
    while (place >= 0 && text < found.length) {
      while (starts[text + 1] <= place) text += 1;
      const [from, to] = [starts[text], starts[text + 1] - 1];
      if (this.isHit(joined, place, place + this.words.length, from, to)) found[text] = 1;
      place = joined.indexOf(this.words, found[text] ? to + 1 : place + 1);
    }
    return found;
  }

  spans(text) {
    if (!this.asks) return [];
    const { folded, begins, ends } = this.exact ? { folded: text } : foldWithPlaces(text);
    const found = [];
    for (let place = 0; found.length < MOST_HITS; ) {
      const hit = this.next(folded, place, 0, folded.length);
      if (!hit) break;
      found.push(this.exact ? hit : [begins[hit[0]], ends[hit[1] - 1]]);
      place = hit[1];
    }
    return found;
  }
}
