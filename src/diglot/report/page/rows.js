// Lists of any length: only the rows in sight are in the page.

const SPARE_ROWS = 6; // drawn above and below what is in sight

/** A list in `box` whose rows are all as high as the style sheet says (--row); `drawRow(item)` makes one. */
class WindowedList {
  constructor(box, drawRow) {
    this.box = box;
    this.drawRow = drawRow;
    this.items = [];
    this.inner = make("div", { class: "window-inner", role: "presentation" });
    box.replaceChildren(this.inner);
    box.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw(true)).observe(box);
  }

  show(items) {
    this.items = items;
    this.box.scrollTop = 0;
    this.draw(true);
  }

  draw(afresh = false) {
    const height = parseFloat(getComputedStyle(this.box).getPropertyValue("--row"));
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - SPARE_ROWS);
    const last = Math.min(this.items.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + SPARE_ROWS);
    if (!afresh && first === this.first && last === this.last) return;
    [this.first, this.last] = [first, last];
    this.inner.style.height = `${this.items.length * height}px`;
    this.inner.replaceChildren(...this.items.slice(first, last).map((item, i) => this.place(item, first + i, height)));
  }

  place(item, number, height) {
    const row = this.drawRow(item);
    row.setAttribute("role", "listitem");
    row.setAttribute("aria-posinset", String(number + 1));
    row.setAttribute("aria-setsize", String(this.items.length));
    row.classList.add("row");
    row.style.top = `${number * height}px`;
    return row;
  }
}

/** A segment: score, both sides, flags, and a button to see it in its pages. */
function segmentRow(segments, row, openPair, tag = "div") {
  const langs = segments.langs(row);
  const facts = make("div", { class: "facts" }, scoreMark(segments.score(row)));
  const bead = segments.bead(row);
  if (bead !== "1-1") facts.append(make("span", { class: "bead", title: "sentences a side" }, bead));
  for (const flag of segments.flags(row)) facts.append(make("span", { class: "flag" }, flag));
  const open = make("button", { type: "button", class: "quiet", "aria-label": "Show in its pages" }, "in its pages");
  open.addEventListener("click", () => openPair(segments.pairOf[row], row));
  facts.append(open);
  return make(
    tag,
    { class: "segment" },
    crawled("p", segments.text(row, "src"), langs.src, { class: "side" }),
    crawled("p", segments.text(row, "tgt"), langs.tgt, { class: "side" }),
    facts,
  );
}

function scoreMark(score) {
  const mark = make("span", { class: "score", title: "score" }, score.toFixed(2));
  mark.style.setProperty("--share", score.toFixed(3));
  return mark;
}
