// Lists with pages, and rows of segments.

const ROWS_A_PAGE = 30;

/** A list in `box`, whose elements `drawRow(item)` makes, with buttons to turn its pages; with `heads` it is a table. */
class PagedList {
  constructor(box, drawRow, { rowsAPage = ROWS_A_PAGE, heads = null } = {}) {
    this.drawRow = drawRow;
    this.rowsAPage = rowsAPage;
    this.items = [];
    const name = box.getAttribute("aria-label");
    this.list = heads ? make("tbody") : make("ul", { class: "plain rows", "aria-label": name });
    this.frame = heads ? make("table", { class: "rows wide-table", "aria-label": name },
      make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", { scope: "col" }, head)))), this.list) : this.list;
    this.pager = make("nav", { class: "pager", "aria-label": `Pages of ${name.toLowerCase()}` });
    box.removeAttribute("aria-label");
    box.replaceChildren(this.frame, this.pager);
  }

  show(items) {
    this.items = items;
    this.turn(0);
  }

  turn(first) {
    this.first = first;
    this.list.replaceChildren(...this.items.slice(first, first + this.rowsAPage).map((item) => this.drawRow(item)));
    this.frame.hidden = !this.items.length;
    const last = Math.floor(Math.max(0, this.items.length - 1) / this.rowsAPage) * this.rowsAPage;
    this.pager.hidden = !last;
    this.pager.replaceChildren(
      this.button("First", 0, first > 0),
      this.button("Back", first - this.rowsAPage, first > 0),
      make("span", {}, `${count(first + 1)} to ${count(Math.min(first + this.rowsAPage, this.items.length))} of ${count(this.items.length)}`),
      this.button("Next", first + this.rowsAPage, first < last),
      this.button("Last", last, first < last),
    );
  }

  button(name, first, possible) {
    const button = make("button", { type: "button", disabled: !possible }, name);
    button.addEventListener("click", () => {
      this.turn(first);
      this.frame.scrollIntoView({ block: "start" });
      this.list.querySelector("button")?.focus({ preventScroll: true });
    });
    return button;
  }
}

/**
 * A segment: both sides, score, flags, what is judged of it, and a button to see it in its pages.
 * `tools`: { segments, openPair, judgeBar, isMixed }; `finder` marks what was looked for on `side`.
 */
function segmentRow(tools, row, finder = new Finder(""), side = "both") {
  const { segments } = tools;
  const langs = segments.langs(row);
  const text = (name) => {
    const shown = segments.text(row, name);
    const spans = side === "both" || side === name ? finder.spans(shown) : [];
    return markedText("p", shown, langs[name], spans, { class: "side" });
  };
  const element = make("li", { class: `segment${segments.kept(row) ? "" : " left-out"}`, tabindex: "-1" }, text("src"), text("tgt"));
  element.append(make("div", { class: "facts" }, tools.isMixed() ? langMark(langs) : "", ...segmentFacts(segments, row), openButton(tools, row), tools.judgeBar(row, element)));
  return element;
}

/** The languages of a row in a list of several language pairs. */
const langMark = ({ src, tgt, src_name: srcName, tgt_name: tgtName }) =>
  make("span", { class: "langs", title: `${srcName} – ${tgtName}` }, `${src} – ${tgt}`);

/** Score, bead and flags of a segment. */
function segmentFacts(segments, row) {
  const facts = [scoreMark(segments.score(row))];
  const bead = segments.bead(row);
  if (bead !== "1-1") facts.push(make("span", { class: "bead", title: "number of source and target sentences" }, bead));
  for (const side of ["src", "tgt"]) {
    const page = segments.page(row, side);
    const url = segments.url(row, side);
    if (page) facts.push(address(`${url}${url.includes("#") ? "&" : "#"}page=${page}`, `p. ${page}`));
  }
  const flags = segments.tooLow(row) ? [...segments.flags(row), LOW_SCORE] : segments.flags(row);
  return [...facts, ...flags.map((flag) => make("span", { class: "flag" }, flag.replaceAll("_", " ")))];
}

function openButton({ segments, openPair }, row) {
  const text = segments.text(row, "src") || segments.text(row, "tgt");
  const open = make("button", { type: "button", class: "quiet", "aria-label": nameFor("show both pages", text) }, "show both pages");
  open.addEventListener("click", () => openPair(segments.pairOf[row], row));
  return open;
}

function scoreMark(score, name = "score") {
  const mark = make("span", { class: "score", title: `${name} ${score.toFixed(3)}` }, score.toFixed(2));
  mark.style.setProperty("--share", score.toFixed(3));
  return mark;
}
