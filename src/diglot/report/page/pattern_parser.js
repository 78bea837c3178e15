// A regular expression taken apart: characters, groups, branches, counts, edges.

const WORD_SIGNS = "\\p{L}\\p{N}\\p{M}_"; // what \w stands for: the letters of all scripts

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
    return { kind: "set", sign: sign.startsWith("[") ? sign.replace(/\\(.)/gsu, (pair, letter) => (letter === "w" ? WORD_SIGNS : pair)) : sign };
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
