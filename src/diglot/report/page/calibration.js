// Calibration: share of right segments by band of score, from verdicts and as expected from the scores.

const BANDS = [0, 0.5, 0.8, 0.9, 0.95, 1]; // as `diglot judge` has them
const PARTLY_RIGHT = 0.5; // right share of a partly right segment
const STANDARD_DEVIATIONS = 1.96; // of a 95% interval

/** Interval of a share (Wilson 1927). */
function wilson(right, judged) {
  const [share, z2] = [right / judged, STANDARD_DEVIATIONS ** 2];
  const middle = (share + z2 / (2 * judged)) / (1 + z2 / judged);
  const half = (STANDARD_DEVIATIONS / (1 + z2 / judged)) * Math.sqrt((share * (1 - share)) / judged + z2 / (4 * judged * judged));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

// As `diglot judge` prints what was measured.
const nearest = (share) => `${(100 * share).toFixed(1)}%`;

/** By band of score: judged segments without a flag, right ones, and their sum of scores. */
function judgedBands(segments, judgements, langPairs) {
  const bands = BANDS.slice(0, -1).map((low, i) => ({ low, high: BANDS[i + 1], judged: 0, right: 0, scores: 0 }));
  const worth = { right: 1, partly: PARTLY_RIGHT, wrong: 0 };
  for (const [row, { verdict }] of judgements.judged()) {
    if (!(verdict in worth) || segments.rows.not_excluded[row] !== 1 || !langPairs.includes(segments.langs(row))) continue;
    const band = bands.findLast(({ low }) => segments.score(row) >= low);
    band.judged += 1;
    band.right += worth[verdict];
    band.scores += segments.score(row);
  }
  return bands;
}

/** By band of score: [number of segments without a flag, mean score]. */
function promisedBands(langPairs) {
  const { kept, mean } = curves(langPairs);
  return BANDS.slice(0, -1).map((low, i) => {
    const [from, to] = [Math.round(100 * low), i === BANDS.length - 2 ? 101 : Math.round(100 * BANDS[i + 1])];
    const [above, sumAbove] = [kept[to] ?? 0, (kept[to] ?? 0) * (mean[to] ?? 0)];
    const number = kept[from] - above;
    return [number, number ? (kept[from] * mean[from] - sumAbove) / number : null];
  });
}

/** Draw the figure and its table. `isProbable`: whether scores are probabilities. */
function showCalibration(segments, judgements, langPairs, isProbable) {
  const [bands, promised] = [judgedBands(segments, judgements, langPairs), promisedBands(langPairs)];
  byId("calibration").replaceChildren(drawCalibration(bands, promised, isProbable));
  const rows = bands.filter((band) => band.judged).map((band) => [`${band.low} to ${band.high}`, band.judged, nearest(band.scores / band.judged),
    nearest(band.right / band.judged), wilson(band.right, band.judged).map(nearest).join(" to ")]);
  byId("calibration-table").replaceChildren(
    rows.length ? makeTable(["Score", "Judged", "Mean score", "Share right", "95% interval"], rows) : "");
}

/** All bands have the same width: most segments are in the narrow ones. */
function drawCalibration(bands, promised, isProbable) {
  const [width, height, left, foot] = [640, 240, 70, 28];
  const wide = (width - left - 8) / bands.length;
  const x = (band, part) => left + wide * (band + part);
  const y = (share) => TOP + (height - foot - TOP) * (1 - share);
  const most = Math.max(1, ...promised.map(([number]) => number));
  const parts = [0, 0.5, 1].flatMap((share) => [
    draw("line", { class: "grid", x1: x(0, 0), x2: x(bands.length, 0), y1: y(share), y2: y(share) }),
    draw("text", { x: left - 6, y: y(share) + 5, "text-anchor": "end" }, percent(share, 0)),
  ]);
  bands.forEach(({ low, high, judged, right }, band) => {
    const [number, share] = promised[band];
    parts.push(draw("rect", { class: "amount", x: x(band, 0.1), width: 0.8 * wide, y: y(number / most), height: y(0) - y(number / most) }),
      draw("text", { x: x(band, 0.5), y: height - 7, "text-anchor": "middle" }, `${low}–${high}`));
    if (isProbable && share !== null) {
      parts.push(draw("line", { class: "promise", x1: x(band, 0.1), x2: x(band, 0.9), y1: y(share), y2: y(share) }));
    }
    if (!judged) return;
    const [least, greatest] = wilson(right, judged);
    parts.push(draw("line", { class: "interval", x1: x(band, 0.5), x2: x(band, 0.5), y1: y(least), y2: y(greatest) }),
      draw("circle", { class: "measured", cx: x(band, 0.5), cy: y(right / judged), r: 5 }));
  });
  return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Share right by score: promised, and measured by verdicts" }, ...parts);
}
