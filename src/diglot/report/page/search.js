// The search: form, link, rows found, and files to save.

const SEARCH_FIELDS = { q: "query", side: "side", which: "which", flag: "flag", page: "page", min: "score-from", max: "score-to",
  verdict: "verdict", order: "order", least: "least", pair: "least-pair" };
const SEARCH_SWITCHES = { whole: "whole", exact: "exact" };
const SEARCH_HASH = "#search?";

/** Values of all fields, by id. */
function searchState() {
  const fields = [...Object.values(SEARCH_FIELDS).map((id) => [id, byId(id).value]),
    ...Object.values(SEARCH_SWITCHES).map((id) => [id, byId(id).checked])];
  return Object.fromEntries(fields);
}

class Search {
  /** `tools`: of segmentRow; `menus`: of the languages. */
  constructor(tools, head, menus) {
    this.tools = tools;
    this.head = head;
    this.menus = menus;
    this.picking = new Picking(tools.judgements, () => this.rows, () => this.list.turn(this.list.first));
    this.list = new PagedList(byId("segments"), (row) => this.picking.dress(segmentRow(tools, row, this.finder, byId("side").value), row));
    const { segments } = tools;
    const flags = [...new Set(segments.data.flag_sets.flat())].sort();
    byId("flag").append(...flags.map((flag) => make("option", { value: flag }, flag.replaceAll("_", " "))));
    this.usual = searchState();
    const soon = settled(() => this.run(), 60);
    byId("query").addEventListener("input", () => { byId("search-note").hidden = true; });
    for (const id of ["query", "page", "score-from", "score-to"]) byId(id).addEventListener("input", soon);
    for (const id of ["side", "which", "flag", "verdict", "order", "whole", "exact"]) {
      byId(id).addEventListener("change", () => this.run());
    }
    byId("save-tmx").addEventListener("click", () => this.saveTmx());
    byId("save-csv").addEventListener("click", () => this.saveCsv());
  }

  /** Search by the form and show the rows. */
  run() {
    this.finder = new Finder(byId("query").value, { whole: byId("whole").checked, exact: byId("exact").checked });
    this.rows = searchRows(this.tools.segments, this.tools.judgements, this.asked());
    this.list.show(this.rows);
    if (this.picking.on) this.picking.turn(false); // what was chosen may be out of sight
    byId("search-count").textContent = plural(this.rows.length, "segment") + (this.finder.asks ? " found" : "");
    for (const id of ["save-tmx", "save-csv"]) byId(id).disabled = !this.rows.length;
    this.showCounts();
    this.link();
  }

  /** How many segments each flag has, among those of the search without the filter by flag. */
  showCounts() {
    const { segments, judgements } = this.tools;
    const rows = byId("flag").value ? searchRows(segments, judgements, { ...this.asked(), flag: "" }) : this.rows;
    const counts = new Map();
    const add = (flag) => counts.set(flag, (counts.get(flag) ?? 0) + 1);
    for (const row of rows) {
      if (!segments.flags(row).length) add(NO_FLAG);
      segments.flags(row).forEach(add);
      if (segments.tooLow(row)) add(LOW_SCORE);
    }
    for (const option of byId("flag").options) {
      if (option.value) option.textContent = `${option.value === NO_FLAG ? "no flag" : option.value.replaceAll("_", " ")} (${count(counts.get(option.value) ?? 0)})`;
    }
  }

  asked() {
    const value = (id) => byId(id).value;
    const score = (id, otherwise) => (value(id) === "" ? otherwise : Number(value(id)));
    return { finder: this.finder, side: value("side"), langPairs: this.menus.numbers, which: value("which"), flag: value("flag"),
      page: value("page"), min: score("score-from", 0), max: score("score-to", 1), verdict: value("verdict"), order: value("order") };
  }

  /** Write the search into the address of the page and into the link. */
  link() {
    const state = searchState();
    const said = new URLSearchParams();
    for (const [name, id] of Object.entries(SEARCH_FIELDS)) if (state[id] !== this.usual[id]) said.set(name, state[id]);
    for (const [name, id] of Object.entries(SEARCH_SWITCHES)) if (state[id] !== this.usual[id]) said.set(name, "1");
    for (const [name, menu] of [["from", this.menus.src], ["to", this.menus.tgt]]) if (menu.options.length > 1 && menu.value) said.set(name, menu.value);
    const hash = SEARCH_HASH + said;
    byId("search-link").href = hash;
    if (String(said) || location.hash.startsWith(SEARCH_HASH)) history.replaceState(null, "", hash);
  }

  /** Fill the form from the address of the page; false if it holds no search. */
  follow() {
    if (!location.hash.startsWith(SEARCH_HASH)) return false;
    const said = new URLSearchParams(location.hash.slice(SEARCH_HASH.length));
    for (const [name, id] of Object.entries(SEARCH_FIELDS)) {
      const field = byId(id);
      field.value = said.get(name) ?? this.usual[id];
      if (field.selectedIndex === -1) field.value = this.usual[id]; // an option that this report does not have
    }
    for (const [name, id] of Object.entries(SEARCH_SWITCHES)) byId(id).checked = said.has(name);
    // Links of earlier reports may hold a regular expression.
    byId("search-note").hidden = !said.has("regex");
    byId("search-note").textContent = "This link holds a regular expression. The report searches for its text as it stands; `diglot search RUN -E` finds patterns.";
    const named = this.head.lang_pairs.find((each) => each.name === said.get("langs")); // of earlier reports
    this.menus.choose(named?.src ?? said.get("from") ?? "", named?.tgt ?? said.get("to") ?? "");
    if (["side", "flag", "page", "min", "max", "verdict", "order", "whole", "exact"].some((name) => said.has(name))) byId("filters").open = true;
    return true;
  }

  /** Save the rows with corrections, without wrong and one-sided segments. */
  saveTmx() {
    const { segments, judgements } = this.tools;
    const good = this.rows.filter((row) => judgements.entry(row)?.verdict !== "wrong");
    const units = good.map((row) => this.unit(row)).filter(({ src, tgt }) => xml(src).trim() && xml(tgt).trim());
    saveFile("segments.tmx", tmxText(units, this.head.run.version), "application/xml");
    const left = this.rows.length - units.length;
    byId("saved-text").textContent = `Saved ${plural(units.length, "segment")}` +
      (left ? `; ${plural(left, "segment")} left out: judged wrong, or with an empty side.` : ".");
  }

  unit(row) {
    const { segments, judgements } = this.tools;
    const langs = segments.langs(row);
    const props = [["x-score", segments.score(row).toFixed(3)], ["x-bead", segments.bead(row)],
      ["x-src-url", segments.url(row, "src")], ["x-tgt-url", segments.url(row, "tgt")], ["x-flags", segments.flags(row).join(",")]];
    return { src: judgements.text(row, "src"), tgt: judgements.text(row, "tgt"), src_lang: langs.src, tgt_lang: langs.tgt,
      props: props.filter(([, value]) => value) };
  }

  saveCsv() {
    const { segments, judgements } = this.tools;
    const head = ["src", "tgt", "score", "bead", "flags", "verdict", "corrected_src", "corrected_tgt", "src_lang", "tgt_lang", "src_url", "tgt_url"];
    const lines = this.rows.map((row) => {
      const [langs, entry] = [segments.langs(row), judgements.entry(row)];
      return [segments.text(row, "src"), segments.text(row, "tgt"), segments.score(row), segments.bead(row),
        segments.flags(row).join(" "), entry?.verdict ?? "", entry?.corrected_src ?? "", entry?.corrected_tgt ?? "",
        langs.src, langs.tgt, segments.url(row, "src"), segments.url(row, "tgt")];
    });
    saveFile("segments.csv", csvLines([head, ...lines]), "text/csv");
    byId("saved-text").textContent = `Saved ${plural(lines.length, "segment")}.`;
  }
}
