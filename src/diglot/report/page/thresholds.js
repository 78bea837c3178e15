// The two thresholds: least score of a segment, and least probability of a page pair.

const TOP = 16; // of drawings, in their units

/** Name of the mean score: a share of right segments if scores are probabilities. */
const meanName = (head) => (head.scores_are_probabilities ? "Estimated right in every word" : "Mean score");

const total = (langPairs, name) => langPairs.reduce((sum, each) => sum + each[name], 0);

/** Number and mean score of the segments kept at each least score, over language pairs. */
function curves(langPairs) {
  const kept = [];
  const mean = [];
  for (let step = 0; step <= 100; step += 1) {
    kept[step] = langPairs.reduce((sum, each) => sum + each.kept_from[step], 0);
    const scores = langPairs.reduce((sum, each) => sum + each.kept_from[step] * each.mean_from[step], 0);
    mean[step] = kept[step] ? scores / kept[step] : null;
  }
  return { kept, mean };
}

function showThreshold(head, langPairs) {
  const { kept, mean } = curves(langPairs);
  const step = Number(byId("least").value);
  byId("least-value").textContent = (step / 100).toFixed(2);
  byId("threshold-figures").replaceChildren(
    figure("Segments kept", count(kept[step]), kept[0] ? `${percent(kept[step] / kept[0])} of those without a flag` : ""),
    figure(meanName(head), mean[step] === null ? "–" : percent(mean[step], 0)),
  );
  byId("threshold-command").textContent = `diglot clean RUN --min-score ${(step / 100).toFixed(2)}`;
  byId("curve").replaceChildren(drawCurves(kept, mean, step, "Segments kept and mean score by least score"));
  byId("mean-name").textContent = meanName(head).toLowerCase();
  byId("threshold-text").textContent = head.scores_are_probabilities
    ? "A score is the aligner's estimate of the probability that a segment is right; the mean score of the segments kept is " +
      "the estimated share of them that is right in every word."
    : "A score of this aligner measures how well the lengths of both sides fit. It is no probability.";
}

/** Share kept and mean by least value; `step`, in hundredths, is marked. */
function drawCurves(kept, mean, step, name) {
  const [width, height, left, foot] = [640, 200, 70, 28];
  const x = (at) => left + ((width - left - 8) * at) / 100;
  const y = (share) => TOP + (height - foot - TOP) * (1 - share);
  const path = (shares) => shares.map((share, at) => (share === null ? "" : `${x(at).toFixed(1)},${y(share).toFixed(1)}`));
  const lines = [0, 0.5, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: x(0), x2: x(100), y1: y(share), y2: y(share) }),
    draw("text", { x: left - 6, y: y(share) + 4, "text-anchor": "end" }, percent(share, 0)),
  ]);
  const marks = [0, 25, 50, 75, 100].map((at) =>
    draw("text", { x: x(at), y: height - 6, "text-anchor": at === 100 ? "end" : "middle" }, (at / 100).toString()),
  );
  return draw(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name },
    ...lines,
    ...marks,
    draw("polyline", { class: "units", points: path(kept.map((n) => (kept[0] ? n / kept[0] : 0))).join(" ") }),
    draw("polyline", { class: "mean", points: path(mean).join(" ") }),
    ...kept.map((number, at) => hoverStep(x(at) - (x(1) - x(0)) / 2, x(1) - x(0), height - foot, (at / 100).toFixed(2), number, mean[at])),
    draw("line", { class: "cursor", x1: x(step), x2: x(step), y1: y(1), y2: y(0) }),
  );
}

/** What a curve says at a step, for the mouse. */
function hoverStep(x, width, height, least, number, mean) {
  const said = draw("title");
  said.textContent = `${least}: ${count(number)} kept${mean === null ? "" : `, mean ${percent(mean)}`}`;
  return draw("rect", { class: "step", x, y: 0, width, height }, said);
}

/** Number and mean probability of the page pairs kept at each least probability. */
function pairCurves(probabilities) {
  const kept = new Array(101).fill(0);
  const sums = new Array(101).fill(0);
  for (const probability of probabilities) {
    for (let step = 0; step <= 100 && probability >= step / 100; step += 1) {
      kept[step] += 1;
      sums[step] += probability;
    }
  }
  return { kept, mean: kept.map((number, step) => (number ? sums[step] / number : null)) };
}

/** The threshold of page pairs. `probabilities`: of the pairs in this report, of the chosen languages. */
function showPairThreshold(head, probabilities) {
  const { kept, mean } = pairCurves(probabilities);
  const step = Number(byId("least-pair").value);
  const found = kept[0] && mean[step] !== null ? (kept[step] * mean[step]) / (kept[0] * mean[0]) : 0;
  byId("least-pair-value").textContent = (step / 100).toFixed(2);
  byId("pair-figures").replaceChildren(
    figure("Page pairs kept", count(kept[step]), kept[0] ? `${percent(kept[step] / kept[0])} of those in this report` : ""),
    figure("Mean probability", mean[step] === null ? "–" : percent(mean[step], 0), "estimated precision of the page pairs kept"),
    figure("Estimated recall", percent(found), "share of the right page pairs in this report that is kept"),
  );
  byId("pair-todo").hidden = !step;
  byId("pair-command").textContent = head.pair_command.replace("{}", (step / 100).toFixed(2));
  byId("pair-curve").replaceChildren(drawCurves(kept, mean, step, "Page pairs kept and mean probability by least probability"));
}
