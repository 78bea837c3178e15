// A run at work: stages, pages, languages; the server sends what changes.

const { name } = byId("at-work").dataset;
const STEPS = { waiting: "to come", working: "at work", halted: "not at its end", done: "done" };
let events = null;

follow();

function follow() {
  events = followWork(name, show, (sentence) => tell(byId("problem"), sentence));
}

function show(found) {
  if (found.state === "done") {
    events.close();
    location.reload();
    return;
  }
  const crawling = found.stages?.some((stage) => stage.name === "Fetch pages" && stage.state !== "done");
  const says = sentence(found);
  // A screen reader reads the sentence aloud whenever it is written, the same words, too.
  if (byId("says").textContent !== says) byId("says").textContent = says;
  byId("at-work").dataset.state = found.state;
  tell(byId("problem"), found.state === "failed" ? found.says : "");
  byId("pause").hidden = !["working", "waiting"].includes(found.state);
  byId("finish").hidden = !(crawling && found.crawl?.pages && !found.ends && found.state !== "failed" && found.kind === "harvest");
  byId("go-on").hidden = !["paused", "failed"].includes(found.state);
  byId("goes-on").hidden = !["working", "waiting"].includes(found.state);
  byId("give-up").hidden = byId("go-on").hidden || !found.can_be_given_up;
  if (found.state === "unfinished") events.close();
  if (!found.stages) return;
  showFigures(found);
  byId("stages").replaceChildren(...found.stages.map((stage) => stageRow(stage, found.state === "working")));
  showCrawl(found.crawl, crawling && found.state === "working");
}

function sentence({ state, says, left, ends }) {
  if (state === "failed") return "It stopped.";
  if (state === "paused") return "Paused. Everything so far is kept.";
  if (state === "waiting") return "Waits until other sites are done.";
  if (ends) return "Ending the crawl; the pages that are here are used.";
  return left ? `${says[0].toUpperCase()}${says.slice(1)}; ${left} left to fetch.` : `${says[0].toUpperCase()}${says.slice(1)}.`;
}

function showFigures({ crawl, stages, state }) {
  const aligned = stages.find((stage) => stage.name === "Align sentences")?.text.match(/^([\d,]+) segments/);
  const rows = [
    crawl.pages !== undefined && figure("Pages", count(crawl.pages), crawl.rate && state === "working" ? `${crawl.rate.toFixed(0)} a minute` : ""),
    crawl.queued !== undefined && figure("Waiting", count(crawl.queued), "addresses known"),
    aligned && figure("Segments", aligned[1], "so far"),
  ].filter(Boolean);
  byId("figures").replaceChildren(...rows);
  byId("figures").hidden = !rows.length;
}

function stageRow({ name: label, state, text, share }, isBusy) {
  const bar = make("progress", { max: 1, "aria-label": label, ...(share === null ? {} : { value: share }) });
  return make("li", { class: `stage ${state}` },
    make("span", { class: "stage-name" }, label, make("span", { class: "unseen" }, `, ${STEPS[state === "working" && !isBusy ? "halted" : state]}`)),
    make("span", { class: "faint stage-text" }, text), state === "working" ? bar : "");
}

function showCrawl(crawl, busy) {
  byId("crawl").hidden = crawl.pages === undefined;
  if (crawl.pages === undefined) return;
  byId("now").replaceChildren(...(busy ? crawl.now : []).map((url) => make("li", { class: "address", dir: "ltr", title: url }, ...cutAddress(url))));
  byId("now").hidden = byId("now").previousElementSibling.hidden = !(busy && crawl.now.length);
  bars(byId("languages"), crawl.languages, crawl.pages);
  byId("languages-box").hidden = !crawl.languages.length;
  bars(byId("reasons"), crawl.reasons, crawl.failed);
  byId("failed-box").hidden = !crawl.failed;
  byId("failed-head").textContent = `${plural(crawl.failed, "address", "addresses")} left out, and why`;
}

function bars(list, rows, all) {
  list.replaceChildren(...rows.map(([label, number]) => {
    const fill = make("span", { class: "fill whole" });
    fill.style.width = `${(100 * number) / Math.max(1, all)}%`;
    return make("li", {}, make("span", { class: "bar-label" }, label, make("b", {}, count(number))), make("span", { class: "track" }, fill));
  }));
}

for (const action of ["pause", "finish", "go-on", "give-up"]) {
  byId(action).addEventListener("click", async () => {
    byId(action).disabled = true;
    try {
      const found = await ask(sitePath(name, action), {});
      if (found.state === "gone") return location.assign("/"); // a merge that made nothing
      if (events.readyState === EventSource.CLOSED) follow();
      show(found);
      // A hidden button loses the focus: it goes to the button in its place.
      if (byId(action).hidden) byId(byId("pause").hidden ? "go-on" : "pause").focus();
    } catch (error) {
      tell(byId("problem"), error.message);
    }
    byId(action).disabled = false;
  });
}
