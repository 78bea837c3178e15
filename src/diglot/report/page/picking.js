// Several segments at once: chosen in the list of the search, and given one verdict.

class Picking {
  /** `judgements`: take the verdict; `found()`: numbers of all rows of the search; `redraw()`: draws the list again. */
  constructor(judgements, found, redraw) {
    Object.assign(this, { judgements, found, redraw });
    this.picked = new Set();
    this.on = false;
    this.last = -1;
    this.bar = byId("picked");
    this.said = make("span", { role: "status" }); // stays in the page, so that screen readers tell its changes
    this.buttons = make("span", { class: "picked-buttons" });
    this.bar.append(this.said, this.buttons);
    byId("pick").addEventListener("click", () => this.turn(!this.on));
  }

  turn(on) {
    this.on = on;
    this.picked.clear();
    byId("pick").setAttribute("aria-pressed", String(on));
    if (this.bar.contains(document.activeElement)) byId("pick").focus(); // the bar is about to go
    this.redraw();
    this.show();
  }

  /** Give a row of the list its box; the list has none unless segments are being chosen. */
  dress(element, number) {
    element.pick = () => {
      if (!this.on) this.turn(true);
      this.set([number], !this.picked.has(number));
    };
    if (!this.on) return element;
    const box = make("input", { type: "checkbox", class: "pick", "aria-label": nameFor("Choose", element.judgeBar.about) });
    box.checked = this.picked.has(number);
    box.addEventListener("click", (event) => this.set(event.shiftKey ? this.between(number) : [number], box.checked));
    element.prepend(box);
    element.classList.add("with-box");
    return element;
  }

  /** Rows from the last one chosen to this one, in the order of the list. */
  between(number) {
    const rows = this.found();
    const [from, to] = [rows.indexOf(this.last), rows.indexOf(number)].sort((a, b) => a - b);
    return from < 0 ? [number] : rows.slice(from, to + 1);
  }

  set(numbers, on) {
    for (const number of numbers) {
      if (on) this.picked.add(number);
      else this.picked.delete(number);
    }
    this.last = numbers.at(-1);
    for (const row of document.querySelectorAll("#segments [data-row]")) {
      const box = row.querySelector(".pick");
      if (box) box.checked = this.picked.has(Number(row.dataset.row));
    }
    this.show();
  }

  show() {
    this.bar.hidden = !this.on;
    if (!this.on) return;
    const all = this.found();
    const button = (name, action, possible = true) => {
      const made = make("button", { type: "button", disabled: !possible }, name);
      made.addEventListener("click", action);
      return made;
    };
    const verdicts = Object.values(VERDICT_KEYS).map((verdict) => button(verdict, () => this.judge(verdict), this.picked.size > 0));
    const hadFocus = this.bar.contains(document.activeElement);
    this.said.textContent = `${plural(this.picked.size, "segment")} chosen`;
    this.buttons.replaceChildren(...verdicts, button(`All ${count(all.length)}`, () => this.set(all, true), this.picked.size < all.length),
      button("Done", () => this.turn(false)));
    if (hadFocus) this.buttons.querySelector("button:enabled").focus();
  }

  judge(verdict) {
    this.judgements.judgeAll([...this.picked], verdict);
    this.turn(false);
  }
}
