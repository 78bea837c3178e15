// Judging by keys: one segment at a time, verdicts saved as tab-separated lines.

const { title, columns, rows, names, ...data } = JSON.parse(byId("data").textContent);
setRightToLeft(data.right_to_left);
const KEYS = { y: "right", p: "partly", n: "wrong", u: "unsure" };
let place = 0;
let unsaved = false;

function show() {
  const row = rows[place];
  const side = (name) =>
    make(
      "div",
      {},
      make("h2", {}, names[row[`${name}_lang`]]),
      crawled("p", row[name], row[`${name}_lang`], { class: "judged" }),
      make("p", { class: "faint" }, address(row[`${name}_url`])),
    );
  byId("segment").replaceChildren(make("div", { class: "columns" }, side("src"), side("tgt")));
  const done = rows.filter((each) => each.verdict).length;
  byId("place").textContent = `${count(place + 1)} of ${count(rows.length)}; ${count(done)} judged`;
  byId("progress").value = done / rows.length;
  for (const verdict of Object.values(KEYS)) byId(verdict).setAttribute("aria-pressed", String(row.verdict === verdict));
  byId("back").disabled = place === 0;
  byId("on").disabled = place === rows.length - 1;
}

function go(step) {
  place = Math.min(Math.max(place + step, 0), rows.length - 1);
  show();
}

function judge(verdict) {
  rows[place].verdict = verdict;
  unsaved = true;
  go(1);
}

function save() {
  saveFile("verdicts.tsv", tabLines([columns, ...rows.map((row) => columns.map((name) => row[name]))]), "text/tab-separated-values");
  unsaved = false;
}

for (const verdict of Object.values(KEYS)) byId(verdict).addEventListener("click", () => judge(verdict));
byId("back").addEventListener("click", () => go(-1));
byId("on").addEventListener("click", () => go(1));
byId("save").addEventListener("click", save);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = latinKey(event);
  if (key in KEYS) judge(KEYS[key]);
  else if (key === "ArrowLeft") go(-1);
  else if (key === "ArrowRight") go(1);
});
window.addEventListener("beforeunload", (event) => {
  if (unsaved) event.preventDefault();
});
byId("title").textContent = title;
show();
