// Which texts hold what is looked for, and where: words or a pattern, folded or letter by letter.

const MOST_MILLISECONDS = 1000; // of a pattern over all texts
const TEXTS_A_LOOK = 64; // at the clock
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

/** What is looked for. `holding(index)`: 1 for every text that holds it; `spans(text)`: where, as [begin, end). */
class Finder {
  /** `how`: { regex, whole, exact }. Throws PatternError for a pattern that is none. */
  constructor(words, { regex = false, whole = false, exact = false } = {}) {
    this.exact = exact;
    this.whole = whole;
    this.stopped = false; // whether time ran out before all texts were looked at
    const composed = words.trim().normalize("NFC");
    const folded = (text) => text.replace(/[^\0-\x7f]+/g, fold);
    if (regex && composed) this.pattern = new Pattern(exact ? composed : folded(composed), exact ? "u" : "iu", whole);
    else this.words = exact ? composed : fold(composed);
  }

  /** Whether anything is looked for. */
  get asks() {
    return Boolean(this.pattern || this.words);
  }

  /** The first hit from `start` on in the part of a text from `from` to `to`; null without any. */
  next(text, start, from, to) {
    if (this.pattern) return this.pattern.find(text, start, from, to);
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

  holding(index) {
    const found = new Uint8Array(index.length);
    if (this.pattern) this.lookThrough(index, found);
    else this.lookAlong(index, found);
    return found;
  }

  /** One text after the other, as long as there is time. */
  lookThrough({ joined, starts }, found) {
    this.until ??= performance.now() + MOST_MILLISECONDS;
    for (let text = 0; text < found.length; text += 1) {
      if (text % TEXTS_A_LOOK === 0 && performance.now() > this.until) {
        this.stopped = true;
        return;
      }
      const [from, to] = [starts[text], starts[text + 1] - 1];
      if (this.next(joined, from, from, to)) found[text] = 1;
    }
  }

  /** From hit to hit. */
  lookAlong({ joined, starts }, found) {
    let text = 0;
    let place = joined.indexOf(this.words);
    while (place >= 0 && text < found.length) {
      while (starts[text + 1] <= place) text += 1;
      const [from, to] = [starts[text], starts[text + 1] - 1];
      if (this.isHit(joined, place, place + this.words.length, from, to)) found[text] = 1;
      place = joined.indexOf(this.words, found[text] ? to + 1 : place + 1);
    }
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
