// A text with its hits marked, each in its context; a button opens the parts far from any hit.

const WHOLE_UP_TO = 420; // longest text shown whole, in characters
const CONTEXT = 90; // characters before and after a hit in a longer text
const REACH = 25; // characters in which a cut looks for a blank

/** Parts of a text that are shown, as [begin, end), in order. */
function shownParts(text, spans) {
  if (text.length <= WHOLE_UP_TO) return [[0, text.length]];
  const wanted = spans.length ? spans.map(([begin, end]) => [begin - CONTEXT, end + CONTEXT]) : [[0, WHOLE_UP_TO]];
  const parts = [];
  for (const [begin, end] of wanted) {
    const part = [cutBefore(text, begin), cutAfter(text, end)];
    const last = parts.at(-1);
    if (last && part[0] <= last[1] + REACH) last[1] = Math.max(last[1], part[1]);
    else parts.push(part);
  }
  return parts;
}

function cutBefore(text, place) {
  if (place <= REACH) return 0;
  const blank = text.slice(place - REACH, place).search(/\s\S*$/u);
  return whole(text, blank < 0 ? place : place - REACH + blank + 1);
}

function cutAfter(text, place) {
  if (place >= text.length - REACH) return text.length;
  const blank = text.slice(place, place + REACH).search(/\s/u);
  return whole(text, blank < 0 ? place : place + blank);
}

/** The place, or one before it if it is inside a surrogate pair. */
const whole = (text, place) => (/[\udc00-\udfff]/.test(text[place] ?? "") ? place - 1 : place);

/** Nodes of a text from `begin` to `end`, with hits marked. */
function markedNodes(text, spans, begin, end) {
  const nodes = [];
  let place = begin;
  for (const [from, to] of spans) {
    if (to <= begin || from >= end) continue;
    if (from > place) nodes.push(text.slice(place, from));
    nodes.push(make("mark", {}, text.slice(Math.max(from, place), Math.min(to, end))));
    place = Math.min(to, end);
  }
  if (place < end) nodes.push(text.slice(place, end));
  return nodes;
}

/** An element with the text of a crawled page, with all hits marked and visible. */
function markedText(tag, text, lang, spans, attributes = {}) {
  const element = crawled(tag, "", lang, attributes);
  const parts = shownParts(text, spans);
  const nodes = [];
  let shown = 0;
  for (const [begin, end] of [...parts, [text.length, text.length]]) {
    if (begin > shown) {
      const gap = make("button", { type: "button", class: "gap", "aria-label": nameFor("show the whole text", text) }, "…");
      gap.addEventListener("click", () => {
        element.replaceChildren(...markedNodes(text, spans, 0, text.length));
        element.closest("[tabindex]")?.focus({ preventScroll: true }); // the button is gone
      });
      nodes.push(" ", gap, " ");
    }
    nodes.push(...markedNodes(text, spans, begin, end));
    shown = end;
  }
  element.append(...nodes);
  return element;
}
