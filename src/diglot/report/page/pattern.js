// Regular expressions that no text can hang: parsed to a small program, run in time that grows with pattern times text.

const MOST_STEPS = 2000; // of a program, counts like {1,50} being written out
const MOST_STATES = 4_000_000; // places of branches times text that a run may remember

const WORD_SIGNS = "\\p{L}\\p{N}\\p{M}_"; // what \\w stands for: the letters of all scripts

class PatternError extends Error {}

/** Parser of what the browser has found to be a regular expression: characters, groups, branches, counts, edges. */
class PatternParser {
  constructor(source) {
    this.source = source;
    this.place = 0;
  }

  parse() {
    const branches = [this.sequence()];
    while (this.take("|")) branches.push(this.sequence());
    return branches.length === 1 ? branches[0] : { kind: "branch", branches };
  }

  take(text) {
    if (!this.source.startsWith(text, this.place)) return false;
    this.place += text.length;
    return true;
  }

  sequence() {
    const items = [];
    while (this.place < this.source.length && !"|)".includes(this.source[this.place])) items.push(this.counted(this.atom()));
    return { kind: "sequence", items };
  }

  atom() {
    if (this.take("(")) return this.group();
    if (this.take("^")) return { kind: "edge", of: "begin" };
    if (this.take("$")) return { kind: "edge", of: "end" };
    if (this.take("\\b")) return { kind: "edge", of: "word" };
    if (this.take("\\B")) return { kind: "edge", of: "inside" };
    const found = /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\c[A-Za-z]|\\.|./suy;
    found.lastIndex = this.place;
    const [sign] = found.exec(this.source);
    if (/^\\[1-9k]/.test(sign)) throw new PatternError("what a group found cannot be asked for again (\\1)");
    this.place += sign.length;
    if (sign === "\\w" || sign === "\\W") return { kind: "set", sign: `[${sign === "\\W" ? "^" : ""}${WORD_SIGNS}]` };
    return { kind: "set", sign: sign.startsWith("[") ? sign.replaceAll("\\w", WORD_SIGNS) : sign };
  }

  group() {
    if (this.take("?") && !this.take(":")) {
      const name = /<[^=!>][^>]*>/uy;
      name.lastIndex = this.place;
      if (!name.test(this.source)) throw new PatternError("looking ahead or back, as in (?=…), is not supported");
      this.place = name.lastIndex;
    }
    const inside = this.parse();
    this.take(")");
    return inside;
  }

  counted(atom) {
    const found = /(?:[*+?]|\{(\d+)(,?)(\d*)\})(\??)/uy;
    found.lastIndex = this.place;
    const count = found.exec(this.source);
    if (!count) return atom;
    this.place = found.lastIndex;
    const [sign, least, comma, most, lazy] = [count[0][0], count[1], count[2], count[3], count[4]];
    const limits = { "*": [0, Infinity], "+": [1, Infinity], "?": [0, 1] };
    const [min, max] = limits[sign] ?? [Number(least), comma ? (most ? Number(most) : Infinity) : Number(least)];
    return { kind: "repeat", item: atom, min, max, lazy: lazy === "?" };
  }
}

/** Which characters a sign of the pattern stands for; the browser is asked once for each. */
class CharacterSet {
  constructor(sign, flags) {
    this.one = new RegExp(`^(?:${sign})$`, flags);
    this.known = new Uint8Array(1 << 16);
  }

  /** Whether the character with this number of Unicode is one of them. */
  has(code) {
    if (code > 0xffff) return this.one.test(String.fromCodePoint(code));
    if (this.known[code] === UNKNOWN) this.known[code] = this.one.test(String.fromCharCode(code)) ? YES : NO;
    return this.known[code] === YES;
  }
}

/** A regular expression. Matches are never empty, begin as far left as can be, and prefer earlier branches. */
class Pattern {
  /** `flags`: "u" or "iu"; `whole`: only what neither begins nor ends within a word. Throws PatternError. */
  constructor(source, flags, whole) {
    try {
      new RegExp(source, "u");
    } catch (error) {
      throw new PatternError(error.message.replace(/^Invalid regular expression: (\/.*\/\w*: )?/su, ""));
    }
    this.flags = flags;
    this.steps = [];
    this.branches = 0;
    this.sets = new Map();
    const [parsed, edge] = [new PatternParser(source).parse(), { kind: "edge", of: "whole" }];
    this.emit(whole ? { kind: "sequence", items: [edge, parsed, edge] } : parsed);
    this.steps.push({ op: "found" });
    this.first = this.reached(0, new Set());
    this.visited = new Int32Array(0);
    this.round = 0;
  }

  push(step) {
    if (this.steps.length >= MOST_STEPS) throw new PatternError("too large; use smaller counts");
    this.steps.push(step);
    return step;
  }

  emit(node) {
    if (node.kind === "sequence") for (const item of node.items) this.emit(item);
    else if (node.kind === "edge") this.push({ op: "edge", of: node.of });
    else if (node.kind === "branch") this.emitBranches(node.branches);
    else if (node.kind === "repeat") this.emitRepeat(node);
    else {
      if (!this.sets.has(node.sign)) this.sets.set(node.sign, new CharacterSet(node.sign, this.flags));
      this.push({ op: "set", set: this.sets.get(node.sign) });
    }
  }

  branch() {
    this.branches += 1;
    return this.push({ op: "branch", number: this.branches - 1, first: 0, second: 0 });
  }

  emitBranches(branches) {
    const ends = branches.slice(0, -1).map((each) => {
      const fork = this.branch();
      fork.first = this.steps.length;
      this.emit(each);
      const end = this.push({ op: "jump", to: 0 });
      fork.second = this.steps.length;
      return end;
    });
    this.emit(branches.at(-1));
    for (const end of ends) end.to = this.steps.length;
  }

  emitRepeat({ item, min, max, lazy }) {
    const enter = (fork, inside, past) => Object.assign(fork, lazy ? { first: past, second: inside } : { first: inside, second: past });
    for (let n = 0; n < min; n += 1) this.emit(item);
    if (max === Infinity) {
      const start = this.steps.length;
      const fork = this.branch();
      this.emit(item);
      this.push({ op: "jump", to: start });
      enter(fork, start + 1, this.steps.length);
      return;
    }
    const forks = [];
    for (let n = min; n < max; n += 1) {
      forks.push([this.branch(), this.steps.length]);
      this.emit(item);
    }
    for (const [fork, inside] of forks) enter(fork, inside, this.steps.length);
  }

  /** The sets of which one must hold the first character of a match. */
  reached(number, seen) {
    if (seen.has(number)) return [];
    seen.add(number);
    const step = this.steps[number];
    if (step.op === "set") return [step.set];
    if (step.op === "jump") return this.reached(step.to, seen);
    if (step.op === "branch") return [...this.reached(step.first, seen), ...this.reached(step.second, seen)];
    return step.op === "edge" ? this.reached(number + 1, seen) : [];
  }

  /** Place and end of the first match from `start` on in the part of a text from `from` to `to`; null without any. */
  find(text, start, from, to) {
    const states = this.branches * (to - from + 1);
    if (states > MOST_STATES) return null;
    if (this.visited.length < states) this.visited = new Int32Array(states);
    this.round += 1;
    for (let place = start; place < to; place += 1) {
      const code = text.codePointAt(place);
      let may = false;
      for (let i = 0; i < this.first.length && !may; i += 1) may = this.first[i].has(code);
      const end = may ? this.matched(text, place, from, to) : -1;
      if (end >= 0) return [place, end];
      if (code > 0xffff) place += 1;
    }
    return null;
  }

  /** End of the match that begins at a place, -1 where none does. A branch that failed at a place is never tried again. */
  matched(text, start, from, to) {
    const { steps, visited, round } = this;
    const width = to - from + 1;
    const open = [0, start];
    while (open.length) {
      let place = open.pop();
      let number = open.pop();
      for (;;) {
        const step = steps[number];
        if (step.op === "set") {
          const code = place < to ? text.codePointAt(place) : -1;
          if (code < 0 || !step.set.has(code)) break;
          place += code > 0xffff ? 2 : 1;
          number += 1;
        } else if (step.op === "branch") {
          const state = step.number * width + place - from;
          if (visited[state] === round) break;
          visited[state] = round;
          open.push(step.second, place);
          number = step.first;
        } else if (step.op === "jump") number = step.to;
        else if (step.op === "edge") {
          if (!this.isAt(step.of, text, place, from, to)) break;
          number += 1;
        } else if (place > start) return place;
        else break;
      }
    }
    return -1;
  }

  isAt(edge, text, place, from, to) {
    if (edge === "begin") return place === from;
    if (edge === "end") return place === to;
    if (edge === "whole") return isEdge(text, place, from, to);
    const joined = (at) => at >= from && at < to && joins(text.charCodeAt(at));
    return (joined(place - 1) !== joined(place)) === (edge === "word");
  }
}
