// A new site: look at it, tick pairs of languages, begin.

const box = byId("new").dataset;
const source = box.files ? { files: box.files } : { address: box.address };
const MANY_LANGUAGES = 8; // the table of more pairs is wider than the page: their languages are chosen first
const SLOW_MS = 75_000; // what the page promises, and the start of the command
let languages = [];

look();

/** Look at the site; `browser`: with the scripts of its pages run, `split`: with each language of a page as a page. */
async function look(how = {}) {
  byId("looking").hidden = false;
  for (const id of ["facts", "notes", "failed", "choice", "with-browser", "split"]) byId(id).hidden = true;
  tell(byId("said"), "");
  const slow = setTimeout(() => { byId("looking").textContent = "This takes longer than usual: the site or this computer is slow. Diglot still looks."; }, SLOW_MS);
  try {
    showPlan(await ask("/plan", { ...source, ...how }), how);
  } catch (error) {
    tell(byId("said"), error.message);
    byId("failed").hidden = false;
    byId("address").focus();
  }
  clearTimeout(slow);
  byId("looking").hidden = true;
}

if (box.files) putBackOnLeaving(source);

function showPlan(plan, how) {
  const { browser = false, split = false } = how;
  byId("with-browser").onclick = () => look({ ...how, browser: true });
  byId("split").onclick = () => look({ ...how, split: true });
  ({ languages } = plan);
  if (plan.is_site) {
    byId("title").textContent = new URL(plan.sources[0]).host;
    source.address = plan.sources[0];
  }
  for (const label of document.querySelectorAll(".of-site")) label.hidden = !plan.is_site;
  for (const label of document.querySelectorAll(".of-files")) label.hidden = plan.is_site;
  const facts = [["Size", plan.size], ["Time", plan.time], ["robots.txt", plan.robots]].filter(([, text]) => text);
  byId("facts").replaceChildren(...facts.map(([name, text]) => make("span", {}, make("span", { class: "faint" }, `${name} `), text)));
  byId("facts").hidden = false;
  byId("notes").replaceChildren(...plan.notes.map((note) => make("li", {}, note)));
  byId("notes").hidden = !plan.notes.length;
  byId("browser-option").hidden = !plan.can_render;
  byId("browser-option").querySelector("input").checked = browser;
  byId("split-option").querySelector("input").checked = split;
  if (plan.scripts && !browser && languages.length < 2) {
    tell(byId("said"), "The pages are empty until their scripts run.");
    byId("failed").hidden = byId("with-browser").hidden = false;
    byId("with-browser").focus();
    return;
  }
  if (languages.length < 2) {
    const only = languages.length ? `Only ${languages[0].name} was found` : "No language was found";
    tell(byId("said"), `${only} on the pages looked at, so there is nothing to pair.`);
    byId("failed").hidden = false;
    byId("split").hidden = split || !languages.length;
    return;
  }
  byId("with-browser").hidden = !plan.scripts || browser;
  byId("source-lang").replaceChildren(...languages.map(({ tag, name }) => make("option", { value: tag }, name)));
  chooseLanguages();
  byId("choice").hidden = false;
  (byId("begin").disabled ? byId("langs").querySelector("input") : byId("begin")).focus();
}

/** The chosen source language comes first: of two languages, the one that stands first is the source. */
byId("source-lang").addEventListener("change", ({ target: { value } }) => {
  const chosen = byId("langs").hidden ? ticked().flat() : [...byId("langs").querySelectorAll("input:checked")].map((tick) => tick.value);
  languages = languages.map((each) => ({ ...each, ticked: [value, ...chosen].includes(each.tag) }));
  languages.sort((one, other) => (other.tag === value) - (one.tag === value));
  chooseLanguages();
});

/** Draw the pairs of all languages; of many, a tick for each language first, and the pairs of those ticked. */
function chooseLanguages() {
  const list = byId("langs");
  list.hidden = languages.length <= MANY_LANGUAGES;
  if (list.hidden) return drawMatrix(languages, ({ ticked: isUsual }) => isUsual);
  const byName = [...languages].sort((one, other) => one.name.localeCompare(other.name));
  list.replaceChildren(list.firstElementChild, ...byName.map(({ tag, name, pages, ticked: isUsual }) => {
    const tick = make("input", { type: "checkbox", value: tag });
    tick.checked = isUsual;
    return make("label", {}, tick, ` ${name} `, make("span", { class: "faint number" }, count(pages)));
  }));
  const draw = () => {
    const tags = new Set([...list.querySelectorAll("input:checked")].map(({ value }) => value));
    drawMatrix(languages.filter(({ tag }) => tags.has(tag)), () => true);
  };
  list.onchange = draw;
  draw();
}

/** A tick for each pair: languages in order, the larger above and before the smaller. `isWanted`: of a language, whether
 * its pair with the first is ticked. */
function drawMatrix(shown, isWanted) {
  byId("matrix").parentElement.hidden = byId("matrix-note").hidden = shown.length < 2;
  const columns = shown.slice(1);
  const head = make("tr", {}, make("td", {}), ...columns.map(({ name, pages }) => make("th", { scope: "col" }, name, make("span", { class: "faint" }, ` ${pages}`))));
  const rows = shown.slice(0, -1).map((row, at) => make("tr", {},
    make("th", { scope: "row" }, row.name, make("span", { class: "faint" }, ` ${row.pages}`)),
    ...columns.map((column, other) => (other < at ? make("td", { class: "none" }) : cell(row, column, at === 0 && isWanted(column))))));
  byId("matrix").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
  byId("matrix").addEventListener("change", showChoice);
  showChoice();
}

function cell(row, column, isTicked) {
  const pages = Math.min(row.pages, column.pages);
  const tick = make("input", { type: "checkbox", "data-src": row.tag, "data-tgt": column.tag, "aria-label": `${row.name} and ${column.name}, ${plural(pages, "page")}` });
  // With the largest language first, every ticked pair is one that a reader of it can judge.
  tick.checked = isTicked;
  return make("td", {}, make("label", {}, tick, make("span", { class: "number" }, ` ${pages}`)));
}

const ticked = () => [...byId("matrix").querySelectorAll("input:checked")].map(({ dataset }) => [dataset.src, dataset.tgt]);

/** What will be made: all pairs of the ticked languages, unless one language is in every pair. */
function showChoice() {
  const pairs = ticked();
  const tags = [...new Set(pairs.flat())];
  const shared = tags.some((tag) => pairs.every((pair) => pair.includes(tag)));
  const all = (tags.length * (tags.length - 1)) / 2;
  byId("begin").disabled = !pairs.length;
  byId("pairs-note").textContent = !pairs.length ? (byId("matrix").parentElement.hidden ? "Tick two languages or more." : "Tick at least one pair.")
    : shared || all === pairs.length ? `${plural(pairs.length, "pair")} of languages.`
      : `Diglot makes all ${all} pairs of these ${tags.length} languages.`;
}

// A field that is not right is shown, whatever was folded since.
byId("options").addEventListener("invalid", () => { byId("options").closest("details").open = true; }, true);

byId("choice").addEventListener("submit", async (event) => {
  event.preventDefault();
  byId("begin").disabled = true;
  const options = {};
  for (const field of byId("options").querySelectorAll("input")) {
    const value = field.type === "checkbox" ? field.checked && field.value : field.value.trim();
    if (value && !field.closest("[hidden]")) options[field.name] = value;
  }
  try {
    const { name } = await ask("/begin", { ...source, pairs: ticked(), order: languages.map(({ tag }) => tag), options });
    location.assign(sitePath(name));
  } catch (error) {
    tell(byId("begin-said"), error.message);
    byId("begin").disabled = false;
  }
});
