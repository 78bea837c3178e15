// The report as a page of the workbench: verdicts go to the server, files come from it.

const run = byId("run-above").dataset;

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
    const entries = this.waiting.splice(0);
    try {
      await ask(sitePath(run.name, "verdicts"), { entries });
      byId("saving").textContent = "Saved.";
      byId("saving").className = "faint saved";
    } catch (error) {
      this.waiting.unshift(...entries);
      byId("saving").textContent = `${plural(this.waiting.length, "verdict")} not saved yet: ${error.message}`;
      byId("saving").className = "warning saved";
      setTimeout(() => this.send(), 3000);
    }
    this.sending = false;
    if (byId("saving").textContent === "Saved.") this.send();
  }
}

let kept = null;
openKeeper = async () => {
  try {
    kept = new ServerKeeper((await ask(sitePath(run.name, "verdicts"))).entries);
  } catch (error) {
    byId("saving").textContent = error.message;
    kept = new ServerKeeper([]);
  }
  return kept;
};

window.addEventListener("beforeunload", (event) => {
  if (kept?.waiting.length) event.preventDefault();
});

// downloads
const langs = byId("get-langs");
byId("lang-pair").addEventListener("change", () => {
  const chosen = report.chosenPairs();
  if (chosen.length === 1) langs.value = `${chosen[0].src},${chosen[0].tgt}`;
});
for (const link of document.querySelectorAll("[data-kind]")) {
  link.addEventListener("click", async (event) => {
    event.preventDefault();
    await get(link, link.dataset.kind, "joint" in link.dataset ? "all" : langs.value);
  });
}

async function get(link, kind, pair) {
  const variant = byId("get-variant").value.trim();
  const query = variant ? `?${new URLSearchParams({ variant })}` : "";
  byId("get-said").textContent = `Making ${link.textContent} …`;
  link.setAttribute("aria-disabled", "true");
  try {
    const response = await fetch(`${sitePath(run.name, "download")}/${encodeURIComponent(pair)}/${kind}${query}`);
    if (!response.ok) throw new Error((await response.json()).error);
    const named = /filename\*?=(?:utf-8'')?"?([^";]+)/i.exec(response.headers.get("content-disposition") ?? "")?.[1] ?? kind;
    const saved = make("a", { href: URL.createObjectURL(await response.blob()), download: decodeURIComponent(named) });
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), 60_000);
    byId("get-said").textContent = `${decodeURIComponent(named)} is in your downloads.`;
  } catch (error) {
    byId("get-said").textContent = error.message;
  }
  link.removeAttribute("aria-disabled");
}

// what is only for the file alone
for (const id of ["save-verdicts", "judge-keeps"]) byId(id).hidden = true;

// the least score, for the files
const apply = make("button", { type: "button", id: "apply" }, "Apply to the files");
const applySaid = make("span", { class: "faint", role: "status" });
byId("threshold-figures").before(make("p", { class: "buttons" }, apply, " ", applySaid));
apply.addEventListener("click", async () => {
  apply.disabled = true;
  try {
    await ask(sitePath(run.name, "clean"), { least: Number(byId("least").value) / 100 });
    location.reload();
  } catch (error) {
    applySaid.textContent = error.message;
    apply.disabled = false;
  }
});
