// My sites: drop files, update, delete, merge; rows at work are kept up to date.

const said = byId("said");
const memory = new Memory();

new Dropping(byId("drop"), byId("files"), {
  sending: (text) => { byId("sending").textContent = text; },
  failed: (text) => tell(said, text),
  memory: (file) => memory.read(file),
});

async function attempt(action) {
  tell(said, "");
  try {
    await action();
  } catch (error) {
    tell(said, error.message);
    said.scrollIntoView({ block: "nearest" });
  }
}

/** Ask once; true if the answer is yes. */
function sure(head, text) {
  const dialog = byId("ask");
  byId("ask-head").textContent = head;
  byId("ask-text").textContent = text;
  dialog.returnValue = "";
  dialog.showModal();
  byId("ask-no").focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }));
}
byId("ask-yes").addEventListener("click", () => byId("ask").close("yes"));
byId("ask-no").addEventListener("click", () => byId("ask").close(""));

function lost({ pages, segments }) {
  const parts = [Number(pages) && plural(Number(pages), "page"), Number(segments) && plural(Number(segments), "segment")].filter(Boolean);
  return `This deletes ${["the site", ...parts].join(", ")}, and all verdicts and corrections. Files that you downloaded stay.`;
}

/** Ask for a new name; null if the user thinks better of it. */
function newName(name) {
  const dialog = byId("rename");
  byId("rename-head").textContent = `Rename ${name}`;
  byId("rename-to").value = name;
  dialog.returnValue = "";
  dialog.showModal();
  byId("rename-to").select();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue ? byId("rename-to").value.trim() : null), { once: true }));
}

/** Ask for the limit and the contact of an update, by name; null if the user thinks better of it. */
function updateOptions(name) {
  const dialog = byId("update");
  byId("update-head").textContent = `Update ${name}`;
  dialog.querySelector("form").reset();
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => dialog.addEventListener("close", () => {
    const filled = [...new FormData(dialog.querySelector("form"))].filter(([, value]) => value.trim());
    resolve(dialog.returnValue ? Object.fromEntries(filled) : null);
  }, { once: true }));
}

for (const row of document.querySelectorAll(".site")) {
  const { name } = row.dataset;
  row.querySelector(".update")?.addEventListener("click", async () => {
    row.querySelector(".menu").open = false;
    const options = await updateOptions(name);
    if (options === null) return;
    await attempt(async () => {
      await ask(sitePath(name, "update"), { options });
      tellTabs(name, name);
      location.assign(sitePath(name));
    });
  });
  row.querySelector(".rename")?.addEventListener("click", async () => {
    row.querySelector(".menu").open = false;
    const to = await newName(name);
    if (to === null || to === name) return;
    await attempt(async () => {
      tellTabs(name, (await ask(sitePath(name, "rename"), { to })).name);
      location.reload();
    });
  });
  row.querySelector(".delete").addEventListener("click", async ({ target }) => {
    row.querySelector(".menu").open = false;
    if (row.dataset.state === "working") {
      tell(said, `${name} is being worked on; pause it first.`);
      return;
    }
    if (!(await sure(`Delete ${name}?`, lost(target.dataset)))) return;
    await attempt(async () => {
      await ask(sitePath(name, "delete"), {});
      tellTabs(name, "");
      location.reload();
    });
  });
}

// one menu at a time, and none after a click elsewhere or Escape
document.addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll(".menu[open]")) if (!menu.contains(target)) menu.open = false;
});
document.addEventListener("keydown", ({ key }) => {
  const menu = key === "Escape" && document.querySelector(".menu[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// merging
const boxes = [...document.querySelectorAll(".choose")];
const chosen = () => boxes.filter((box) => box.checked).map((box) => box.value);

function choosing(on) {
  for (const box of boxes) {
    box.hidden = !on;
    box.checked = false;
  }
  byId("choose").hidden = on;
  for (const id of ["merge", "no-merge"]) byId(id).hidden = !on;
  byId("merge").disabled = true;
}
if (byId("choose")) {
  byId("choose").addEventListener("click", () => {
    choosing(true);
    boxes.find((box) => !box.disabled)?.focus();
  });
  byId("no-merge").addEventListener("click", () => choosing(false));
  for (const box of boxes) box.addEventListener("change", () => {
    byId("merge").disabled = chosen().length < 2;
    byId("merge").textContent = chosen().length < 2 ? "Merge" : `Merge ${chosen().length} sites`;
  });
  byId("merge").addEventListener("click", () => attempt(async () => {
    const { name } = await ask("/merge", { names: chosen() });
    location.assign(sitePath(name));
  }));
}

// rows at work
for (const row of document.querySelectorAll('.site[data-state="working"], .site[data-state="waiting"]')) {
  const events = followWork(row.dataset.name, (found) => {
    if (["done", "unfinished"].includes(found.state)) {
      events.close();
      location.reload();
      return;
    }
    const stage = found.stages.find(({ state }) => state === "working");
    const pages = found.crawl.pages ? `, ${plural(found.crawl.pages, "page")}` : "";
    row.querySelector(".state").textContent = `${found.says}${stage ? `: ${stage.name.toLowerCase()}` : ""}${pages}`;
  }, (sentence) => sentence && tell(said, sentence));
}
