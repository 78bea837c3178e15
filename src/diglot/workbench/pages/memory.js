// A memory (TMX) to look at: read in the browser, sent nowhere.

const MAX_TMX_BYTES = 300e6; // a browser needs some ten times as much to hold it
const CODES = "bpt, ept, ph, it, ut"; // inline elements that hold codes, not text

/** The text of a file in the encoding that it states. */
function decoded(bytes) {
  const head = new TextDecoder("latin1").decode(bytes.slice(0, 200));
  const [first, second] = new Uint8Array(bytes.slice(0, 2)); // undefined in an empty file
  const utf16 = (first === 0xff && second === 0xfe) || (first === 0x3c && second === 0) ? "utf-16le"
    : (first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c) ? "utf-16be" : "";
  const label = utf16 || (/encoding=["']([\w.:-]+)["']/.exec(head)?.[1] ?? "utf-8");
  try {
    return new TextDecoder(label).decode(bytes);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // of an encoding without a name that is known
    return new TextDecoder().decode(bytes);
  }
}

/** Units of a TMX file: for each, its texts by language. */
function tmxUnits(text) {
  const file = new DOMParser().parseFromString(text, "application/xml");
  if (file.querySelector("parsererror") || file.documentElement.localName !== "tmx") {
    throw new Error("This file is no TMX memory, or it is damaged.");
  }
  return [...file.getElementsByTagName("tu")].map((unit) => {
    const texts = new Map();
    for (const variant of unit.getElementsByTagName("tuv")) {
      const lang = variant.getAttribute("xml:lang") ?? variant.getAttribute("lang") ?? "";
      const segment = variant.getElementsByTagName("seg")[0];
      if (!segment) continue;
      for (const code of segment.querySelectorAll(CODES)) code.remove();
      texts.set(lang, segment.textContent);
    }
    return texts;
  });
}

class Memory {
  constructor() {
    this.list = new PagedList(byId("memory-list"), (unit) => this.row(unit));
    byId("memory-form").addEventListener("submit", (event) => event.preventDefault());
    byId("memory-query").addEventListener("input", settled(() => this.show(), 80));
    for (const id of ["memory-src", "memory-tgt"]) byId(id).addEventListener("change", () => this.show());
    byId("memory-close").addEventListener("click", () => this.open(false));
  }

  /** Show a file; an Error with a sentence for one that is no memory. */
  async read(file) {
    if (file.size > MAX_TMX_BYTES) throw new Error("This memory is too large to look at here.");
    this.units = tmxUnits(decoded(await file.arrayBuffer()));
    const counts = new Map();
    for (const unit of this.units) for (const lang of unit.keys()) counts.set(lang, (counts.get(lang) ?? 0) + 1);
    const langs = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
    if (langs.length < 2) throw new Error("This memory holds no segment in two languages.");
    for (const [place, id] of ["memory-src", "memory-tgt"].entries()) {
      byId(id).replaceChildren(...langs.map((lang) => make("option", { value: lang }, lang)));
      byId(id).value = langs[place];
    }
    byId("memory-query").value = "";
    byId("memory-head").textContent = file.name;
    this.open(true);
    this.show();
    byId("memory-query").focus();
  }

  open(on) {
    byId("memory").hidden = !on;
    byId("start").hidden = on;
  }

  show() {
    [this.src, this.tgt] = [byId("memory-src").value, byId("memory-tgt").value];
    this.finder = new Finder(byId("memory-query").value);
    const holds = (text) => this.finder.spans(text).length > 0;
    const found = this.units.filter((unit) => unit.has(this.src) && unit.has(this.tgt) &&
      (!this.finder.asks || holds(unit.get(this.src)) || holds(unit.get(this.tgt))));
    byId("memory-count").textContent = plural(found.length, "segment");
    this.list.show(found);
  }

  row(unit) {
    const side = (lang) => markedText("p", unit.get(lang), lang, this.finder.spans(unit.get(lang)), { class: "side", dir: "auto" });
    return make("li", { class: "segment", tabindex: "-1" }, side(this.src), side(this.tgt));
  }
}
