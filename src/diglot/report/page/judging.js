// What is said of the judging as a whole: how many, what they say of the scores, whether they are saved.

/** The section on judging, and the bar at the foot of the page that says what is not saved yet. */
class Judging {
  constructor(segments, head, langPairs) {
    this.segments = segments;
    this.head = head;
    this.langPairs = langPairs;
    const identity = JSON.stringify([head.run.sources.map(({ hash }) => hash), head.lang_pairs.map(({ name }) => name)]);
    this.judgements = new Judgements(segments, `diglot verdicts ${identity}`, () => this.show());
    for (const id of ["save-verdicts", "save-verdicts-now"]) byId(id).addEventListener("click", () => this.save());
    byId("clear-verdicts").addEventListener("click", () => this.clear());
    window.addEventListener("beforeunload", (event) => {
      if (this.judgements.unsaved) event.preventDefault();
    });
    listenToJudgeKeys();
    this.show();
  }

  save() {
    this.judgements.save();
    byId("after-saving").hidden = false;
  }

  clear() {
    if (!window.confirm("Take back all verdicts and corrections of this page?")) return;
    this.judgements.clear();
    for (const row of document.querySelectorAll("[data-row]")) row.judgeBar?.show();
  }

  show() {
    const { judgements } = this;
    const counts = judgements.counts();
    const all = judgements.entries.size;
    const told = VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => `${count(counts[verdict])} ${verdict}`).join(", ");
    byId("judged-count").textContent = all ? `${count(all)} judged: ${told}; ${count(counts.corrected)} corrected.` : "Nothing is judged yet.";
    byId("judge-keeps").textContent = judgements.isKept
      ? "This browser keeps verdicts for this file until they are cleared; the run knows of them when they are saved and read."
      : "This browser keeps nothing for this file: verdicts are lost when the page is closed. Save them before.";
    byId("judge-keeps").classList.toggle("warning", !judgements.isKept);
    for (const id of ["save-verdicts", "clear-verdicts"]) byId(id).disabled = !all;
    byId("judge-foot").hidden = !judgements.unsaved;
    byId("unsaved-count").textContent = `${plural(all, "verdict")}, not all saved to a file`;
    showCalibration(this.segments, judgements, this.langPairs(), this.head.scores_are_probabilities);
  }
}
