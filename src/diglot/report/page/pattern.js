// Regular expressions that no text can hang: a small program, run in time that grows with pattern times text.
// (The browser's own can take for ever, and to stop them they would have to run in a worker, which the policy forbids.)

const MOST_STEPS = 2000; // of a program, counts like {1,50} being written out
const MOST_STATES = 4_000_000; // places of branches times text that a run may remember

const OPS = ["set", "branch", "jump", "edge", "found"];
const [SET, BRANCH, JUMP, EDGE] = OPS.keys();

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
    this.setOf = new Map();
    const [parsed, edge] = [new PatternParser(source).parse(), { kind: "edge", of: "whole" }];
    this.emit(whole ? { kind: "sequence", items: [edge, parsed, edge] } : parsed);
    this.steps.push({ op: "found" });
    this.freeze();
    this.visited = new Int32Array(0);
    this.open = [];
    this.round = 0;
    this.passedOver = false; // whether a text was too long for the pattern
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
      if (!this.setOf.has(node.sign)) this.setOf.set(node.sign, new CharacterSet(node.sign, this.flags));
      this.push({ op: "set", set: this.setOf.get(node.sign) });
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

  /** The steps as columns of numbers: what is run a million times looks nothing up by name. */
  freeze() {
    const { steps } = this;
    this.ops = Uint8Array.from(steps, ({ op }) => OPS.indexOf(op));
    this.sets = steps.map(({ set }) => set);
    this.ahead = Int32Array.from(steps, ({ op, to, first }) => (op === "jump" ? to : (first ?? 0)));
    this.other = Int32Array.from(steps, ({ second }) => second ?? 0);
    this.numbers = Int32Array.from(steps, ({ number }) => number ?? 0);
    this.first = this.reached(0, new Set());
    this.begins = new Uint8Array(1 << 16);
  }

  /** Whether a match may begin with a character. */
  mayBegin(code) {
    if (code > 0xffff) return this.first.some((set) => set.has(code));
    if (this.begins[code] === UNKNOWN) this.begins[code] = this.first.some((set) => set.has(code)) ? YES : NO;
    return this.begins[code] === YES;
  }

  /** Place and end of the first match from `start` on in the part of a text from `from` to `to`; null without any. */
  find(text, start, from, to) {
    const states = this.branches * (to - from + 1);
    if (states > MOST_STATES) {
      this.passedOver = true;
      return null;
    }
    if (this.visited.length < states) this.visited = new Int32Array(states);
    this.round += 1;
    for (let place = start; place < to; place += 1) {
      const code = codeAt(text, place);
      if (this.mayBegin(code)) {
        const end = this.matched(text, place, from, to);
        if (end >= 0) return [place, end];
      }
      if (code > 0xffff) place += 1;
    }
    return null;
  }

  /** End of the match that begins at a place, -1 where none does. A branch that failed at a place is never tried again. */
  matched(text, start, from, to) {
    const { ops, sets, ahead, other, numbers, visited, round, open } = this;
    const width = to - from + 1;
    let waiting = 0; // in `open`: steps and places that are tried when what comes first has failed
    let number = 0;
    let place = start;
    for (;;) {
      const op = ops[number];
      let failed = false;
      if (op === SET) {
        const code = place < to ? codeAt(text, place) : -1;
        failed = code < 0 || !sets[number].has(code);
        place += code > 0xffff ? 2 : 1;
        number += 1;
      } else if (op === BRANCH) {
        const state = numbers[number] * width + place - from;
        failed = visited[state] === round;
        visited[state] = round;
        if (!failed) {
          open[waiting] = other[number];
          open[waiting + 1] = place;
          waiting += 2;
          number = ahead[number];
        }
      } else if (op === JUMP) number = ahead[number];
      else if (op === EDGE) {
        failed = !this.isAt(this.steps[number].of, text, place, from, to);
        number += 1;
      } else if (place > start) return place;
      else failed = true;
      if (!failed) continue;
      if (!waiting) return -1;
      waiting -= 2;
      number = open[waiting];
      place = open[waiting + 1];
    }
  }

  isAt(edge, text, place, from, to) {
    if (edge === "begin") return place === from;
    if (edge === "end") return place === to;
    if (edge === "whole") return isEdge(text, place, from, to);
    const joined = (at) => at >= from && at < to && joins(text.charCodeAt(at));
    return (joined(place - 1) !== joined(place)) === (edge === "word");
  }
}

/** The character at a place, by its number in Unicode. */
function codeAt(text, place) {
  const unit = text.charCodeAt(place);
  return unit < 0xd800 || unit > 0xdbff ? unit : text.codePointAt(place);
}
