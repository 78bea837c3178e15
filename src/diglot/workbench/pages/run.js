// The report as a page of the workbench: verdicts go to the server, files come from it.

const run = byId("run-above").dataset;
const SENT_CHARS = 600_000; // characters in a message, but for its last decision; the server reads 4 MB at once
const SEND_AGAIN_MS = 3000;
const SAVED_SHOWN_MS = 4000; // the note lies over the page
const SAID = "diglot said";
const tabs = new BroadcastChannel(sitePath(run.name)); // other tabs with this site

/** Sends decisions to the server, one message at a time, so that the last word on a segment is the last to arrive. */
class Outbox {
  /** `action`: of the site; `one`: the name of a decision; `said`: element that tells what is saved; `refuse(entry, why)`:
   * takes back what the server refuses, and returns a sentence. */
  constructor(action, one, said, refuse) {
    Object.assign(this, { action, one, said, refuse });
    this.waiting = [];
    this.isSending = false;
  }

  add(entries) {
    const isTooLong = (entry) => JSON.stringify(entry).length > SENT_CHARS;
    this.waiting = this.waiting.concat(entries.filter((entry) => !isTooLong(entry)));
    for (const entry of entries.filter(isTooLong)) this.tell(this.refuse(entry, "The text is too long."), true);
    this.send();
  }

  /** How many of those that wait go into the next message. */
  next() {
    let [end, chars] = [0, 0];
    do chars += JSON.stringify(this.waiting[end]).length;
    while ((end += 1) < this.waiting.length && chars < SENT_CHARS);
    return end;
  }

  async send() {
    if (this.isSending || !this.waiting.length) return;
    this.isSending = true;
    const entries = this.waiting.slice(0, this.next());
    try {
      const { refused = {} } = await ask(sitePath(run.name, this.action), { entries });
      this.waiting = this.waiting.slice(entries.length);
      tabs.postMessage({ action: this.action, entries: entries.filter((_, at) => !(at in refused)) });
      const why = Object.entries(refused).map(([at, sentence]) => this.refuse(entries[at], sentence));
      const left = this.waiting.length;
      this.tell(why[0] ?? (left ? `Saving; ${plural(left, this.one)} left.` : "Saved."), why.length > 0);
    } catch (error) {
      this.tell(`${plural(this.waiting.length, this.one)} not saved yet: ${error.message}`, true);
      await new Promise((resolve) => setTimeout(resolve, SEND_AGAIN_MS));
    }
    this.isSending = false;
    this.send();
  }

  tell(sentence, isWarning) {
    this.said.textContent = sentence;
    this.said.classList.toggle("warning", isWarning);
    this.said.classList.toggle("faint", !isWarning);
    if (!isWarning) setTimeout(() => { if (this.said.textContent === sentence) this.said.textContent = ""; }, SAVED_SHOWN_MS);
  }
}

/** Keeps verdicts at the server, which stores each at once. Those of before are loaded first. */
class ServerKeeper {
  constructor(entries, terms) {
    this.entries = entries;
    this.outbox = new Outbox("verdicts", "verdict", byId("saving"), (entry, why) => {
      report.judging.judgements.refused.set(entryKey(entry), why);
      showVerdicts();
      return "A verdict is not saved; its segment says why.";
    });
    this.terms = new ServerTermKeeper(terms);
  }

  /** Whether decisions wait to be saved. */
  get isWaiting() {
    return this.outbox.waiting.length + this.terms.outbox.waiting.length > 0;
  }

  load() {
    return { entries: this.entries, unsaved: false };
  }

  keep(judgements, changed) {
    judgements.unsaved = false; // nothing is left to save by hand
    this.outbox.add(changed);
    return true;
  }
}

/** Keeps decisions on terms at the server; the terms come when their tab is opened. */
class ServerTermKeeper {
  constructor(entries) {
    this.entries = entries;
    this.onDemand = true;
    this.outbox = new Outbox("terms", "decision", byId("terms-said"), ({ src, tgt }, why) => `Not saved: ${src} – ${tgt}. ${why}`);
  }

  load() {
    return this.entries;
  }

  keep(entries, entry) {
    this.outbox.add([entry]);
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
  kept = new ServerKeeper(found.entries, found.terms);
  return kept;
};

window.addEventListener("beforeunload", (event) => {
  if (kept?.isWaiting || report.judging?.judgements.refused.size) event.preventDefault();
});

/** Say that this page is old, with a link to what the site is now. `to`: its name; "" where it was deleted. */
function tellOld(to) {
  const isHere = to === run.name;
  const sentence = isHere ? "This site was changed in another tab, and this page shows it as it was." : to ? `The name of this site is now ${to}.` : "This site was deleted.";
  const link = to ? make("a", { href: sitePath(to) }, isHere ? "Load it again" : "Open it") : make("a", { href: "/" }, "Back to my sites");
  byId("old-page").replaceChildren(`${sentence} `, link);
  byId("old-page").hidden = false;
}

// decisions made in another tab; without them a verdict here would take back a correction there
tabs.addEventListener("message", ({ data: { action, entries, to } }) => {
  if (to !== undefined) tellOld(to);
  if (!report.judging || !action) return;
  if (action === "terms") entries.forEach((entry) => report.terms.hear(entry));
  else {
    report.judging.judgements.hear(entries);
    report.judging.show();
    showVerdicts();
  }
});

byId("sampled").dataset.all = "The downloads hold all, and Search under My sites looks in all.";

// downloads
document.body.append(byId("saving")); // seen from every tab
byId("title").before(byId("old-page")); // likewise
const { lang_pairs: langPairs, ...head } = JSON.parse(byId("headline-data").textContent);
const getting = new LangMenus(byId("get-src"), byId("get-tgt"), langPairs, () => {}, false);
byId("get-langs").hidden = langPairs.length < 2;
/** Offer the files of the languages that are looked at. */
function followLanguages() {
  const chosen = report.chosenPairs();
  if (chosen.length === 1) getting.choose(chosen[0].src, chosen[0].tgt);
}
for (const id of ["lang-src", "lang-tgt"]) byId(id).addEventListener("change", followLanguages);
document.addEventListener("ready", followLanguages); // a link may hold languages
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

/** Wait until all decisions are saved: files and jobs take only those. */
async function allSaved() {
  while (kept?.isWaiting) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function get(link, kind, pair) {
  const variant = byId("get-variant").value.trim();
  const query = `?${new URLSearchParams({ ...(variant && { variant }), ...(byId("get-accepted").checked && { accepted: 1 }) })}`;
  const said = document.body.dataset.shown === "terms" ? byId("terms-said") : byId("get-said");
  said.textContent = `Making ${link.textContent} …`;
  link.setAttribute("aria-disabled", "true");
  try {
    await allSaved();
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

byId("get-said").textContent = sessionStorage.getItem(SAID) ?? ""; // of a sheet, before the page was loaded again
sessionStorage.removeItem(SAID);
byId("sheet").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  const said = byId("get-said");
  said.textContent = `Taking ${file.name} …`;
  try {
    await allSaved();
    const query = new URLSearchParams({ file: file.name });
    const { taken, foreign, edited, replaced } = await answerOf(fetch(`${sitePath(run.name, "sheet")}?${query}`, { method: "POST", body: file }));
    const others = foreign ? `; ${plural(foreign, "row")} on segments that are not here` : "";
    const changed = edited ? ` The text of src or tgt was changed in ${plural(edited, "row")}, and is not taken: write it into corrected_src or corrected_tgt.` : "";
    const news = replaced ? `; ${plural(replaced, "earlier verdict")} said something else, and ${replaced === 1 ? "is" : "are"} replaced` : "";
    said.textContent = `${plural(taken ?? 0, "verdict")} taken${others}${news}.${changed}`;
    if (taken) {
      tabs.postMessage({ to: run.name });
      sessionStorage.setItem(SAID, said.textContent);
      location.reload(); // the texts of the page change with the corrections
    }
  } catch (error) {
    said.textContent = error.message;
  }
  target.value = ""; // the same file may be chosen again
});

byId("believe")?.addEventListener("click", async () => {
  try {
    await allSaved();
    await ask(sitePath(run.name, "update"), { believe: true });
    tabs.postMessage({ to: run.name });
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
  if (!document.documentElement.dataset.ready) await new Promise((resolve) => document.addEventListener("ready", resolve, { once: true }));
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
    await allSaved();
    await ask(sitePath(run.name, "clean"), { least: report.least, keep: flagsToSend("keep"), drop: flagsToSend("drop") });
    tabs.postMessage({ to: run.name });
    location.reload();
  } catch (error) {
    byId("apply-said").textContent = error.message;
    byId("apply").disabled = false;
  }
});
