// Rows of a search: filter and order.

const NO_FLAG = "none";
const LOW_SCORE = "low score";

/** Test for page pairs with `part` in a title or an address; null for all page pairs. */
function pairTest(pairs, part) {
  const wanted = part.trim().toLowerCase();
  if (!wanted) return null;
  const columns = ["src_url", "tgt_url", "src_title", "tgt_title"].map((name) => pairs[name] ?? []);
  return (pair) => columns.some((column) => column[pair]?.toLowerCase().includes(wanted));
}

/** 1 for each set of flags with the flag; null for any flag. */
function flagTest(segments, flag) {
  if (!flag || flag === LOW_SCORE) return null;
  return Uint8Array.from(segments.data.flag_sets, (flags) => (flag === NO_FLAG ? !flags.length : flags.includes(flag)) ? 1 : 0);
}

/**
 * Numbers of rows. `asked`: { finder, side, langPairs (numbers), which ("kept" or "all"), flag, page, min, max (scores),
 * verdict, order }.
 */
function searchRows(segments, judgements, asked) {
  const { finder, side } = asked;
  const langPairs = new Set(asked.langPairs);
  const holding = {};
  const matches = (lang) => (holding[lang] ??= finder.holding(segments.index(lang, finder.exact)));
  const { src, tgt, flags, score } = segments.rows;
  const [onPage, carries] = [pairTest(segments.pairs, asked.page), flagTest(segments, asked.flag)];
  const [min, max] = [Math.round(1000 * asked.min), Math.round(1000 * asked.max)];
  const found = [];
  for (let pair = 0; pair < segments.pairs.ends.length; pair += 1) {
    const number = segments.pairs.lang_pair[pair];
    if (!langPairs.has(number) || (onPage && !onPage(pair))) continue;
    const inSrc = finder.asks && side !== "tgt" ? matches(segments.langPairs[number].src) : null;
    const inTgt = finder.asks && side !== "src" ? matches(segments.langPairs[number].tgt) : null;
    for (let row = segments.start(pair); row < segments.pairs.ends[pair]; row += 1) {
      if (finder.asks && !inSrc?.[src[row]] && !inTgt?.[tgt[row]]) continue;
      if (asked.which === "kept" && !segments.kept(row)) continue;
      if (score[row] < min || score[row] > max || (carries && !carries[flags[row]])) continue;
      if (asked.flag === LOW_SCORE && !segments.tooLow(row)) continue;
      if (asked.verdict && !judgements.answers(row, asked.verdict)) continue;
      found.push(row);
    }
  }
  return inOrder(segments, found, asked.order);
}

function inOrder(segments, rows, order) {
  const { score } = segments.rows;
  if (order === "best") return rows.sort((a, b) => score[b] - score[a] || a - b);
  if (order === "worst") return rows.sort((a, b) => score[a] - score[b] || a - b);
  if (order !== "src" && order !== "tgt") return rows;
  const place = new Map(rows.map((row) => [row, segments.rank(segments.langs(row)[order])[segments.rows[order][row]]]));
  return rows.sort((a, b) => place.get(a) - place.get(b) || a - b);
}
