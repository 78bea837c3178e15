// The section on judging: number of verdicts, calibration of scores, and saving.

let openKeeper = async () => null; // set by a page that keeps verdicts elsewhere than in the browser

/** The section on judging, and the bar at the foot of the page for unsaved verdicts. */
class Judging {
  /** `keeper`: keeps verdicts elsewhere than in the browser. */
  constructor(segments, head, langPairs, keeper) {
    this.segments = segments;
    this.head = head;
    this.langPairs = langPairs;
    const identity = JSON.stringify([head.run.identity, head.lang_pairs.map(({ name }) => name)]);
    this.judgements = new Judgements(segments, keeper ?? new BrowserKeeper(`diglot verdicts ${identity}`), () => this.show());
    byId("undo").addEventListener("click", () => this.undo());
    for (const id of ["save-verdicts", "save-verdicts-now"]) byId(id).addEventListener("click", () => this.save());
    byId("clear-verdicts").addEventListener("click", () => this.clear());
    window.addEventListener("beforeunload", (event) => {
      if (this.judgements.unsaved || this.judgements.drafts.size) event.preventDefault();
    });
    listenToJudgeKeys();
    this.show();
  }

  undo() {
    const rows = this.judgements.undo();
    showVerdicts();
    document.querySelector(`#segments [data-row="${rows[0]}"]`)?.focus();
  }

  save() {
    this.judgements.save();
    byId("after-saving").hidden = false;
  }

  clear() {
    if (!window.confirm("Delete all verdicts and corrections of this page?")) return;
    this.judgements.clear();
    showVerdicts();
  }

  show() {
    const { judgements } = this;
    const counts = judgements.counts();
    const all = judgements.entries.size;
    const told = VERDICTS.filter((verdict) => counts[verdict]).map((verdict) => `${count(counts[verdict])} ${verdict}`).join(", ");
    byId("undo").disabled = !judgements.done.length;
    byId("judged-count").textContent = all ? `${count(all)} judged: ${told}; ${count(counts.corrected)} corrected.` : "Nothing is judged yet.";
    byId("judge-keeps").textContent = judgements.isKept
      ? "This browser stores verdicts for this file until you clear them. Save them and run diglot judge to take them into the run."
      : "This browser keeps nothing for this file: verdicts are lost when you close the page. Save them first.";
    byId("judge-keeps").classList.toggle("warning", !judgements.isKept);
    for (const id of ["save-verdicts", "clear-verdicts"]) byId(id).disabled = !all;
    byId("judge-foot").hidden = !judgements.unsaved;
    byId("unsaved-count").textContent = `${plural(all, "verdict")}, not all saved to a file`;
    showCalibration(this.segments, judgements, this.langPairs(), this.head.scores_are_probabilities);
  }
}
