// Terms of the site as a table: filter, search in the segments, accept, reject, edit, and save.

const TERM_HEADS = ["Term", "Translation", "How sure", "Found in", "Decide"];
const TERM_KEYS = { a: "accepted", r: "rejected" };
const TERM_BUTTONS = { accepted: "accept", rejected: "reject" };

class Terms {
  /** `look(text)`: search the segments; `numbers()`: numbers of the chosen language pairs; `keeper`: of decisions. */
  constructor(terms, langPairs, numbers, look, keeper) {
    Object.assign(this, { langPairs, numbers, look, decisions: new TermDecisions(keeper), onDemand: keeper.onDemand });
    this.list = new PagedList(byId("term-list"), (row) => this.row(row), { heads: TERM_HEADS });
    byId("terms-form").addEventListener("submit", (event) => event.preventDefault());
    byId("term").addEventListener("input", settled(() => this.show(), 60));
    byId("term-which").addEventListener("change", () => this.show());
    byId("save-terms").addEventListener("click", () => this.save());
    byId("terms").addEventListener("keydown", (event) => this.key(event));
    this.hold(terms);
  }

  /** Take terms, in columns; the tab is there once there are any. */
  hold(terms) {
    this.terms = terms ?? { src: [] };
    this.all = this.terms.src.map((_, row) => row);
    this.decisions.know(this.all.map((row) => this.term(row)));
    byId("terms").hidden = byId("terms-link").hidden = !(this.all.length || this.onDemand);
  }

  term(row) {
    const { src, tgt } = this.langPairs[this.terms.lang_pair[row]];
    const [srcForms, tgtForms] = ["src_forms", "tgt_forms"].map((name) => this.terms[name][row]);
    return { src: this.terms.src[row], tgt: this.terms.tgt[row], src_lang: src, tgt_lang: tgt, src_forms: srcForms, tgt_forms: tgtForms };
  }

  about(row) {
    return `${this.terms.src[row]} – ${this.terms.tgt[row]}`;
  }

  show() {
    const { src, tgt, lang_pair: langPair, rivals } = this.terms;
    const wanted = new Finder(byId("term").value);
    const numbers = new Set(this.numbers());
    const which = byId("term-which").value;
    const isShown = (row) => {
      if (which === "several") return rivals[row].length > 0;
      const verdict = which && (this.decisions.of(this.term(row))?.verdict ?? "");
      return !which || (which === "open" ? !verdict : verdict === which);
    };
    this.rows = this.all.filter((row) => numbers.has(langPair[row]) && isShown(row) &&
      (!wanted.asks || wanted.spans(src[row]).length || wanted.spans(tgt[row]).length));
    byId("terms-count").textContent = plural(this.rows.length, "term");
    byId("save-terms").disabled = !this.rows.length;
    this.list.show(this.rows);
  }

  row(row) {
    const { terms } = this;
    const langs = this.langPairs[terms.lang_pair[row]];
    const entry = this.decisions.of(this.term(row));
    const text = (side) => entry?.[`edited_${side}`] || terms[side][row];
    const open = make("button", { type: "button", class: "quiet", title: "search for it in the segments" }, crawled("span", text("src"), langs.src));
    open.addEventListener("click", () => this.look(terms.src[row]));
    const rivals = terms.rivals[row].flatMap((other) => [", ", crawled("span", other, langs.tgt)]).slice(1);
    const [srcText, tgtText] = terms.examples[row];
    const forms = ["src", "tgt"].flatMap((side) => terms[`${side}_forms`][row].flatMap((form) => [", ", crawled("span", form, langs[side])])).slice(1);
    const element = make("tr", { tabindex: "-1", "data-term": row, "data-verdict": entry?.verdict ?? "" },
      make("th", { scope: "row" }, this.numbers().length > 1 ? langMark(langs) : "", open),
      make("td", {}, crawled("span", text("tgt"), langs.tgt), rivals.length ? make("p", { class: "faint" }, "also ", ...rivals) : ""),
      make("td", {}, scoreMark(terms.probability[row], "probability that the pair is right")),
      make("td", { class: "faint" }, `${plural(terms.linked[row], "segment")}, ${plural(terms.pages[row], "page")}`,
        make("details", {}, make("summary", { "aria-label": nameFor("example", this.about(row)) }, "example"), crawled("p", srcText, langs.src), crawled("p", tgtText, langs.tgt),
          forms.length ? make("p", {}, "other forms: ", ...forms) : "")),
      make("td", {}, this.buttons(row, entry)));
    return element;
  }

  buttons(row, entry) {
    const about = this.about(row);
    const button = (name, key, pressed, action) => {
      const made = make("button", { type: "button", class: "verdict", title: `${name} (${key})`, "aria-label": nameFor(name, about), "aria-pressed": String(pressed) }, name);
      made.addEventListener("click", action);
      return made;
    };
    const decide = Object.entries(TERM_KEYS).map(([key, verdict]) =>
      button(TERM_BUTTONS[verdict], key, entry?.verdict === verdict, () => this.decide(row, verdict)));
    const edited = Boolean(entry?.edited_src || entry?.edited_tgt);
    return make("span", { class: "judge", role: "group", "aria-label": nameFor("Decision", about) }, ...decide, button("edit", "e", edited, () => this.edit(row)));
  }

  /** Decide on a term; the same decision again takes it back. */
  decide(row, verdict) {
    const was = this.decisions.of(this.term(row))?.verdict;
    this.decisions.decide(this.term(row), { verdict: was === verdict ? "" : verdict });
    this.redraw(row);
  }

  /** Take a decision that was made elsewhere. */
  hear(entry) {
    this.decisions.entries.set(this.decisions.key(entry), entry);
    const element = this.element(this.all.find((row) => this.decisions.key(this.term(row)) === this.decisions.key(entry)));
    if (element && !element.querySelector("form")) element.replaceWith(this.row(Number(element.dataset.term)));
  }

  element(row) {
    return this.list.list.querySelector(`[data-term="${row}"]`);
  }

  redraw(row) {
    this.element(row)?.replaceWith(this.row(row));
    this.element(row)?.focus();
  }

  edit(row) {
    const langs = this.langPairs[this.terms.lang_pair[row]];
    const entry = this.decisions.of(this.term(row));
    const field = (side) => {
      const input = make("input", { type: "text", required: true, pattern: ".*\\S.*", lang: langs[side], dir: direction(langs[side]) });
      input.value = entry?.[`edited_${side}`] || this.terms[side][row];
      return input;
    };
    const [src, tgt] = [field("src"), field("tgt")];
    const differing = (side, input) => (input.value.trim() === this.terms[side][row] ? "" : input.value.trim());
    const form = make("form", { class: "term-editor" }, make("label", {}, langs.src_name, src), make("label", {}, langs.tgt_name, tgt),
      make("button", {}, "Keep"), make("button", { type: "button" }, "Cancel"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.decisions.decide(this.term(row), { verdict: "accepted", edited_src: differing("src", src), edited_tgt: differing("tgt", tgt) });
      this.redraw(row);
    });
    form.lastChild.addEventListener("click", () => this.redraw(row));
    form.addEventListener("keydown", (event) => {
      event.stopPropagation(); // letters typed into a text are no decisions
      if (event.key === "Escape") this.redraw(row);
    });
    this.element(row).replaceChildren(make("td", { colspan: TERM_HEADS.length }, form));
    tgt.focus();
  }

  /** Keys of the term with the focus: decisions, e to edit, j and k for the next and the previous term. */
  key(event) {
    const element = event.target.closest("[data-term]");
    if (!element || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const row = Number(element.dataset.term);
    const next = this.rows[this.rows.indexOf(row) + 1];
    const key = latinKey(event);
    if (key in TERM_KEYS) {
      this.decide(row, TERM_KEYS[key]);
      this.element(next)?.focus();
    } else if (key === "e") this.edit(row);
    else if (key === "j") this.element(next)?.focus();
    else if (key === "k") element.previousElementSibling?.focus();
    else return;
    event.preventDefault();
  }

  /** Save the terms shown, as they were edited; rejected terms only if nothing else is shown. */
  save() {
    const rejected = byId("term-which").value === "rejected";
    const lines = this.rows.filter((row) => rejected || this.decisions.of(this.term(row))?.verdict !== "rejected").map((row) => {
      const [term, entry] = [this.term(row), this.decisions.of(this.term(row))];
      return [entry?.edited_src || term.src, entry?.edited_tgt || term.tgt, term.src_lang, term.tgt_lang, this.terms.probability[row], entry?.verdict ?? ""];
    });
    saveFile("terms.csv", csvLines([["src", "tgt", "src_lang", "tgt_lang", "probability", "verdict"], ...lines]), "text/csv");
    byId("terms-said").textContent = `Saved ${plural(lines.length, "term")}.`;
  }
}
