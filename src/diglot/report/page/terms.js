// Terms of the site, in a report with terms: list, filter, and search in the segments.

class Terms {
  /** `look(text)`: search the segments; `numbers()`: numbers of the chosen language pairs. */
  constructor(terms, langPairs, numbers, look) {
    this.terms = terms ?? { src: [] };
    this.langPairs = langPairs;
    this.numbers = numbers;
    this.look = look;
    this.all = this.terms.src.map((_, row) => row);
    byId("terms").hidden = byId("terms-link").hidden = !this.all.length;
    this.list = new PagedList(byId("term-list"), (row) => this.row(row));
    byId("terms-form").addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["term", "inconsistent"]) byId(id).addEventListener("input", settled(() => this.show(), 60));
  }

  show() {
    const { src, tgt, lang_pair: langPair, rivals } = this.terms;
    const wanted = new Finder(byId("term").value);
    const numbers = new Set(this.numbers());
    const several = byId("inconsistent").checked;
    const rows = this.all.filter((row) =>
      numbers.has(langPair[row]) && (!several || rivals[row].length) &&
      (!wanted.asks || wanted.spans(src[row]).length || wanted.spans(tgt[row]).length));
    byId("terms-count").textContent = plural(rows.length, "term");
    this.list.show(rows);
  }

  row(row) {
    const { terms } = this;
    const { src, tgt } = this.langPairs[terms.lang_pair[row]];
    const open = make("button", { type: "button", class: "quiet", title: "search for it in the segments" },
      crawled("span", terms.src[row], src));
    open.addEventListener("click", () => this.look(terms.src[row]));
    const facts = `${plural(terms.linked[row], "segment")}, ${plural(terms.pages[row], "page")}`;
    const rivals = terms.rivals[row].flatMap((text) => [", ", crawled("span", text, tgt)]).slice(1);
    const [srcText, tgtText] = terms.examples[row];
    return make("li", { class: "term" },
      make("p", {}, open, " ", crawled("strong", terms.tgt[row], tgt), " ", scoreMark(terms.probability[row])),
      make("p", { class: "faint" }, facts, ...(rivals.length ? ["; also ", ...rivals] : [])),
      make("details", {}, make("summary", {}, "example"), crawled("p", srcText, src), crawled("p", tgtText, tgt)));
  }
}
