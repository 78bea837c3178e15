// Buttons and keys for verdicts on a segment, and fields to correct its texts.

const VERDICT_KEYS = { y: "right", p: "partly", n: "wrong", u: "unsure" };

/** The buttons of a segment whose element is `row`. */
class JudgeBar {
  constructor(judgements, number, row) {
    this.judgements = judgements;
    this.number = number;
    this.row = row;
    this.key = judgements.key(number);
    this.about = judgements.segments.text(number, "src") || judgements.segments.text(number, "tgt");
    this.buttons = Object.entries(VERDICT_KEYS).map(([key, verdict]) =>
      this.button(verdict, `${verdict} (${key})`, () => this.judge(verdict)));
    this.edit = this.button("edit", "edit (e)", () => this.openEditor().focus());
    this.element = make("span", { class: "judge", role: "group", "aria-label": nameFor("Verdict", this.about) }, ...this.buttons, this.edit);
    row.judgeBar = this;
    row.dataset.row = number;
    this.show();
    // The row gets its other parts first.
    if (judgements.drafts.size && judgements.drafts.has(this.key)) queueMicrotask(() => this.openEditor());
  }

  button(name, title, action) {
    const button = make("button", { type: "button", class: `verdict ${name}`, title, "aria-label": nameFor(name, this.about), "aria-pressed": "false" }, name);
    // The second click of a double click would take back what the first did.
    button.addEventListener("click", ({ detail }) => { if (detail < 2) action(); });
    return button;
  }

  /** Give a verdict; the same verdict again deletes it. */
  judge(verdict) {
    this.judgements.judge(this.number, this.judgements.entry(this.number)?.verdict === verdict ? "" : verdict);
    this.show();
  }

  show() {
    const entry = this.judgements.entry(this.number);
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(entry?.verdict === button.textContent));
    const corrected = Boolean(entry?.corrected_src || entry?.corrected_tgt);
    this.edit.setAttribute("aria-pressed", String(corrected));
    this.row.dataset.verdict = entry?.verdict ?? "";
    for (const old of this.row.querySelectorAll(".corrected, .refused")) old.remove();
    const why = this.judgements.refused.get(this.key);
    if (why) this.row.append(make("p", { class: "warning refused", role: "alert" }, `Not saved: ${why}`));
    if (!corrected) return;
    const langs = this.judgements.segments.langs(this.number);
    const side = (name) => crawled("p", entry[`corrected_${name}`], langs[name], { class: "side" });
    this.row.append(make("div", { class: "corrected", role: "group", "aria-label": "Corrected" }, side("src"), side("tgt")));
  }

  /** Open the fields for both texts, with what was typed and not kept; returns the field of the target. */
  openEditor() {
    const opened = this.row.querySelector(".editor label:nth-of-type(2) textarea");
    if (opened) return opened;
    const { key } = this;
    const { drafts } = this.judgements;
    const draft = drafts.get(key);
    const langs = this.judgements.segments.langs(this.number);
    const field = (name) => {
      const text = this.judgements.text(this.number, name);
      const area = make("textarea", { lang: langs[name], dir: direction(langs[name]), rows: Math.min(8, 2 + Math.ceil(text.length / 60)) });
      area.value = draft?.[name] ?? text;
      return area;
    };
    const [src, tgt] = [field("src"), field("tgt")];
    const label = (name, area) => make("label", {}, `${langs[`${name}_name`]}, corrected`, area);
    const close = () => {
      drafts.delete(key);
      editor.remove();
      this.row.focus();
    };
    const fault = make("p", { class: "warning", role: "alert", hidden: true });
    const keep = () => {
      const texts = { src: src.value.trim(), tgt: tgt.value.trim() };
      fault.textContent = this.judgements.fault(this.number, texts);
      fault.hidden = !fault.textContent;
      if (!fault.hidden) return;
      this.judgements.correct(this.number, texts.src, texts.tgt);
      this.show();
      close();
    };
    const [done, cancel] = [make("button", { type: "button", class: "keep" }, "Keep"), make("button", { type: "button" }, "Cancel")];
    done.addEventListener("click", keep);
    cancel.addEventListener("click", close);
    const editor = make("div", { class: "editor", role: "group", "aria-label": nameFor("Correct", this.about) },
      label("src", src), label("tgt", tgt), fault, make("p", {}, done, " ", cancel));
    editor.addEventListener("input", () => drafts.set(key, { src: src.value, tgt: tgt.value }));
    editor.addEventListener("keydown", (event) => {
      event.stopPropagation(); // letters typed into a text are no verdicts
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) keep();
      else return;
      event.preventDefault(); // Escape closes the text field, not the dialog
    });
    this.row.append(editor);
    return tgt;
  }
}

/** Show again what is judged of all segments in sight. */
function showVerdicts() {
  for (const row of document.querySelectorAll("[data-row]")) row.judgeBar?.show();
}

/** Keys of the segment with the focus: verdicts, e to edit, j and k for the next and the previous segment. */
function listenToJudgeKeys() {
  document.addEventListener("keydown", (event) => {
    const row = event.target.closest?.("[data-row]");
    if (!row?.judgeBar || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = (place) => [...row.parentElement.children].filter((each) => each.judgeBar).at(place);
    const here = [...row.parentElement.children].filter((each) => each.judgeBar).indexOf(row);
    const go = (place) => place >= 0 && to(place)?.focus();
    const key = latinKey(event);
    if (key in VERDICT_KEYS) {
      row.judgeBar.judge(VERDICT_KEYS[key]);
      go(here + 1);
    } else if (key === "j") go(here + 1);
    else if (key === "k") go(here - 1);
    else if (key === "e") row.judgeBar.openEditor().focus();
    else if (key === "x" && row.pick) {
      row.pick();
      document.querySelector(`#segments [data-row="${row.dataset.row}"]`)?.focus(); // the list may be drawn again
    }
    else return;
    event.preventDefault();
  });
}
