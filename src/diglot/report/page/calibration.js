// What verdicts say beside what the scores promised: share right by band of scores, with its interval.

const BANDS = [0, 0.5, 0.8, 0.9, 0.95, 1]; // as `diglot judge` has them
const PARTLY_RIGHT = 0.5; // what a partly right segment counts for
const STANDARD_DEVIATIONS = 1.96; // of a 95% interval

/** Interval of a share (Wilson 1927). */
function wilson(right, judged) {
  const [share, z2] = [right / judged, STANDARD_DEVIATIONS ** 2];
  const middle = (share + z2 / (2 * judged)) / (1 + z2 / judged);
  const half = (STANDARD_DEVIATIONS / (1 + z2 / judged)) * Math.sqrt((share * (1 - share)) / judged + z2 / (4 * judged * judged));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Verdicts on kept segments by band of their scores: judged, right, the mean score of the judged. */
function judgedBands(segments, judgements) {
  const bands = BANDS.slice(0, -1).map((low, i) => ({ low, high: BANDS[i + 1], judged: 0, right: 0, scores: 0 }));
  if (!judgements.entries.size) return bands;
  const worth = { right: 1, partly: PARTLY_RIGHT, wrong: 0 };
  for (let row = 0; row < segments.length; row += 1) {
    const verdict = judgements.entry(row)?.verdict;
    if (!(verdict in worth) || segments.rows.unflagged[row] !== 1) continue;
    const band = bands.findLast(({ low }) => segments.score(row) >= low);
    band.judged += 1;
    band.right += worth[verdict];
    band.scores += segments.score(row);
  }
  return bands;
}

/** The picture and its table. `isProbable`: whether scores are probabilities, so that the diagonal is what they promise. */
function showCalibration(segments, judgements, langPairs, isProbable) {
  const bands = judgedBands(segments, judgements);
  const found = bands.filter((band) => band.judged);
  const units = BANDS.slice(0, -1).map((low, i) => {
    const below = i === BANDS.length - 2 ? 0 : unitsFrom(langPairs, Math.round(100 * BANDS[i + 1]));
    return unitsFrom(langPairs, Math.round(100 * low)) - below;
  });
  byId("calibration").replaceChildren(drawCalibration(bands, units, isProbable));
  const rows = found.map((band) => [`${band.low} to ${band.high}`, band.judged, percent(band.scores / band.judged),
    percent(band.right / band.judged), wilson(band.right, band.judged).map((share) => percent(share)).join(" to ")]);
  byId("calibration-table").replaceChildren(
    rows.length ? makeTable(["Score", "Judged", "Mean score", "Share right", "95% interval"], rows) : "");
}

/** Units without a flag from a step of the slider on. */
const unitsFrom = (langPairs, step) => langPairs.reduce((sum, each) => sum + each.kept_from[step], 0);

function drawCalibration(bands, units, isProbable) {
  const [width, height, left, foot] = [640, 240, 44, 24];
  const x = (at) => left + (width - left - 8) * at;
  const y = (share) => 8 + (height - foot - 8) * (1 - share);
  const most = Math.max(1, ...units);
  const label = (at, place, anchor) => draw("text", { ...place, "text-anchor": anchor }, at);
  const parts = [0, 0.5, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: x(0), x2: x(1), y1: y(share), y2: y(share) }),
    label(percent(share, 0), { x: left - 6, y: y(share) + 4 }, "end"),
  ]);
  parts.push(...BANDS.map((at, i) => label(String(at), { x: x(at), y: height - 6 }, i === BANDS.length - 1 ? "end" : "middle")));
  bands.forEach(({ low, high }, i) => {
    const tall = (height - foot - 8) * (units[i] / most);
    parts.push(draw("rect", { class: "amount", x: x(low) + 1, width: x(high) - x(low) - 2, y: y(0) - tall, height: tall }));
  });
  if (isProbable) parts.push(draw("line", { class: "promise", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  for (const band of bands.filter(({ judged }) => judged)) {
    const at = x(band.scores / band.judged);
    const [low, high] = wilson(band.right, band.judged);
    parts.push(draw("line", { class: "interval", x1: at, x2: at, y1: y(low), y2: y(high) }),
      draw("circle", { class: "measured", cx: at, cy: y(band.right / band.judged), r: 5 }));
  }
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share right by score: promised, and measured by verdicts" }, ...parts);
}
