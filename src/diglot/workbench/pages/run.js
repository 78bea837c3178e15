// The report as a page of the workbench: verdicts go to the server, files come from it.

const run = byId("run-above").dataset;
const SENT_AT_ONCE = 500; // verdicts in a message
const SAVED_SHOWN_MS = 4000; // the note lies over the page

/** Keeps verdicts at the server, which stores each at once. Those of before are loaded first. */
class ServerKeeper {
  constructor(entries) {
    this.entries = entries;
    this.waiting = [];
    this.sending = false;
  }

  load() {
    return { entries: this.entries, unsaved: false };
  }

  keep(judgements, changed) {
    judgements.unsaved = false; // nothing is left to save by hand
    this.waiting.push(...changed);
    this.send();
    return true;
  }

  /** Send what waits, one message at a time, so that the last word on a segment is the last to arrive. */
  async send() {
    if (this.sending || !this.waiting.length) return;
    this.sending = true;
    const entries = this.waiting.splice(0, SENT_AT_ONCE);
    clearTimeout(this.hiding);
    try {
      await ask(sitePath(run.name, "verdicts"), { entries });
      byId("saving").textContent = "Saved.";
      byId("saving").className = "faint saved";
      this.hiding = setTimeout(() => { byId("saving").textContent = ""; }, SAVED_SHOWN_MS);
    } catch (error) {
      this.waiting.unshift(...entries);
      byId("saving").textContent = `${plural(this.waiting.length, "verdict")} not saved yet: ${error.message}`;
      byId("saving").className = "warning saved";
      setTimeout(() => this.send(), 3000);
      this.sending = false;
      return;
    }
    this.sending = false;
    this.send();
  }
}

/** Keeps decisions on terms at the server; the terms come when their tab is opened. */
class ServerTermKeeper {
  constructor(entries) {
    this.entries = entries;
    this.onDemand = true;
  }

  load() {
    return this.entries;
  }

  async keep(entries, entry) {
    try {
      await ask(sitePath(run.name, "terms"), { entry });
      byId("terms-said").textContent = "Saved.";
    } catch (error) {
      byId("terms-said").textContent = `Not saved: ${error.message}`;
    }
  }
}

let kept = null;
openKeeper = async () => {
  let found = { entries: [], terms: [] };
  try {
    found = await ask(sitePath(run.name, "verdicts"));
  } catch (error) {
    byId("saving").textContent = error.message;
  }
  kept = new ServerKeeper(found.entries);
  kept.terms = new ServerTermKeeper(found.terms);
  return kept;
};

window.addEventListener("beforeunload", (event) => {
  if (kept?.waiting.length || kept?.sending) event.preventDefault();
});

byId("sampled").dataset.all = "The downloads hold all, and Search under My sites looks in all.";

// downloads
document.body.append(byId("saving")); // seen from every tab
const { lang_pairs: langPairs, ...head } = JSON.parse(byId("headline-data").textContent);
const getting = new LangMenus(byId("get-src"), byId("get-tgt"), langPairs, () => {}, false);
byId("get-langs").hidden = langPairs.length < 2;
for (const id of ["lang-src", "lang-tgt"]) {
  byId(id).addEventListener("change", () => {
    const chosen = report.chosenPairs();
    if (chosen.length === 1) getting.choose(chosen[0].src, chosen[0].tgt);
  });
}
/** Language pairs of a file: beside the list of terms, those of the list. */
function langsOf(link) {
  const pairs = link.closest("#get-terms") ? report.chosenPairs() : [{ src: getting.src.value, tgt: getting.tgt.value }];
  return pairs.map(({ src, tgt }) => `${src},${tgt}`).join(";");
}
for (const link of document.querySelectorAll("[data-kind]")) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    await get(link, link.dataset.kind, "joint" in link.dataset ? "all" : langsOf(link));
  });
}

async function get(link, kind, pair) {
  const variant = byId("get-variant").value.trim();
  const query = `?${new URLSearchParams({ ...(variant && { variant }), ...(byId("get-accepted").checked && { accepted: 1 }) })}`;
  const said = document.body.dataset.shown === "terms" ? byId("terms-said") : byId("get-said");
  said.textContent = `Making ${link.textContent} …`;
  link.setAttribute("aria-disabled", "true");
  try {
    const response = await responseOf(fetch(`${sitePath(run.name, "download")}/${encodeURIComponent(pair)}/${kind}${query}`));
    const named = /filename\*?=(?:utf-8'')?"?([^";]+)/i.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? kind;
    const file = await response.blob().catch(() => { throw new Error(GONE); });
    const saved = make("a", { href: URL.createObjectURL(file), download: decodeURIComponent(named) });
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60_000);
    said.textContent = `${decodeURIComponent(named)} is in your downloads.`;
  } catch (error) {
    said.textContent = error.message;
  }
  link.removeAttribute("aria-disabled");
}

byId("sheet").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  const said = byId("get-said");
  said.textContent = `Taking ${file.name} …`;
  try {
    const query = new URLSearchParams({ file: file.name });
    const { taken, foreign, edited, replaced } = await answerOf(fetch(`${sitePath(run.name, "sheet")}?${query}`, { method: "POST", body: file }));
    const others = foreign ? `; ${plural(foreign, "row")} on segments that are not here` : "";
    const changed = edited ? ` The text of src or tgt was changed in ${plural(edited, "row")}, and is not taken: write it into corrected_src or corrected_tgt.` : "";
    const news = replaced ? `; ${plural(replaced, "earlier verdict")} said something else, and ${replaced === 1 ? "is" : "are"} replaced` : "";
    said.textContent = `${plural(taken ?? 0, "verdict")} taken${others}${news}. Load the page again to see them.${changed}`;
  } catch (error) {
    said.textContent = error.message;
  }
  target.value = ""; // the same file may be chosen again
});

byId("believe")?.addEventListener("click", async () => {
  try {
    await ask(sitePath(run.name, "update"), { believe: true });
    location.reload();
  } catch (error) {
    byId("get-said").textContent = error.message;
  }
});

// what is only for the file alone
for (const id of ["save-verdicts", "judge-keeps", "command-hint"]) byId(id).hidden = true;

// terms, found when their tab is opened
let asksForTerms = false;
document.addEventListener("tab", async ({ detail }) => {
  if (detail !== "terms" || asksForTerms) return;
  asksForTerms = true;
  do await new Promise((resolve) => setTimeout(resolve, 50)); while (!document.documentElement.dataset.ready);
  const all = { src: [], tgt: [], src_forms: [], tgt_forms: [], linked: [], pages: [], rivals: [], lang_pair: [], probability: [], examples: [] };
  for (const [number, { src, tgt, src_name: srcName, tgt_name: tgtName }] of langPairs.entries()) {
    byId("terms-said").textContent = `Looking for terms in ${srcName} and ${tgtName} …`;
    try {
      const found = await ask(`${sitePath(run.name, "terms")}?${new URLSearchParams({ langs: `${src},${tgt}` })}`);
      found.lang_pair.fill(number);
      for (const [name, column] of Object.entries(all)) for (const value of found[name]) column.push(value);
      byId("terms-said").textContent = "";
    } catch (error) {
      byId("terms-said").textContent = error.message;
      asksForTerms = false;
      return;
    }
    report.terms.hold(all);
    report.terms.show();
  }
});
byId("save-terms").hidden = true;
byId("terms-count").after(byId("get-terms"));
byId("get-terms").hidden = false;

// the least score and the flags, for the files
byId("threshold-figures").after(byId("cleaning"));
byId("cleaning").hidden = false;
const offered = head.flags.filter(({ flag }) => !head.vouched.includes(flag));
byId("cleaning-flags").append(...offered.map(({ flag, text, count: number, excludes }) => {
  const tick = make("input", { type: "checkbox", value: flag });
  tick.checked = excludes;
  return make("label", { title: text }, tick, ` ${flag.replaceAll("_", " ")} `, make("span", { class: "faint number" }, count(number)));
}));
byId("cleaning-flags").hidden = !offered.length;

/** Flags for --keep or --drop: those ticked other than usual, and those that no segment of this run has. */
function flagsToSend(kind) {
  const isOther = ({ flag, usually }) => {
    const { checked } = byId("cleaning-flags").querySelector(`[value="${CSS.escape(flag)}"]`);
    return kind === "keep" ? usually && !checked : !usually && checked;
  };
  const unseen = head[kind].filter((flag) => !offered.some((each) => each.flag === flag));
  return [...offered.filter(isOther).map(({ flag }) => flag), ...unseen];
}

byId("apply").addEventListener("click", async () => {
  byId("apply").disabled = true;
  try {
    await ask(sitePath(run.name, "clean"), { least: report.least, keep: flagsToSend("keep"), drop: flagsToSend("drop") });
    location.reload();
  } catch (error) {
    byId("apply-said").textContent = error.message;
    byId("apply").disabled = false;
  }
});
