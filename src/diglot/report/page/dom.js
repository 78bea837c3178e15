// Elements. Texts become text nodes, never markup; no attribute takes script or style from data.

/** An element; `attributes` are set as they are, `children` are nodes or texts. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element. */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** The key of an event. Where the keyboard has letters of another script, such as Hebrew: the Latin letter in its place. */
function latinKey({ key, code }) {
  const isOther = /^[\p{L}\p{M}]$/u.test(key) && !/^\p{Script=Latin}$/u.test(key);
  return (isOther && /^Key([A-Z])$/.exec(code)?.[1].toLowerCase()) || key;
}

const byId = (id) => document.getElementById(id);

const rightToLeft = new Set(); // languages, as the data of the page name them

/** Set the languages written from right to left. */
function setRightToLeft(tags) {
  for (const tag of tags) rightToLeft.add(tag);
}

const direction = (tag) => (rightToLeft.has(tag) ? "rtl" : "ltr");

/** Text of a crawled page, with its language and direction. */
const crawled = (tag, text, lang, attributes = {}) => make(tag, { lang, dir: direction(lang), ...attributes }, text);

const URL_END = 24; // characters at the end of a long address, always shown

/** An address in two parts; the style sheet cuts the first part if there is no room. */
function cutAddress(url) {
  const text = String(url);
  const place = Math.max(0, text.length - URL_END);
  const at = /[\udc00-\udfff]/.test(text[place] ?? "") ? place - 1 : place;
  return [make("span", { class: "cut" }, text.slice(0, at)), make("span", { class: "end" }, text.slice(at))];
}

/** An address, or `shown` in place of it, cut in the middle: a link for http and https, else plain text. */
function address(url, shown = url) {
  let web = false;
  try {
    const { protocol, hostname } = new URL(url);
    web = ["http:", "https:"].includes(protocol) && !hostname.endsWith(".invalid"); // of a folder of files: no such host exists
  } catch {
    web = false;
  }
  const attributes = { class: "address", dir: "ltr", title: url };
  if (!web) return make("span", attributes, ...cutAddress(shown));
  return make("a", { ...attributes, href: url, rel: "noreferrer noopener", target: "_blank" }, ...cutAddress(shown));
}

const count = (number) => number.toLocaleString("en");
// Rounded down, as on the terminal: 99.96% must not read as 100%.
const percent = (share, digits = 1) => {
  const unit = 10 ** digits;
  return `${(Math.floor(Math.round(share * 1000 * unit) / 10) / unit).toFixed(digits)}%`;
};
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A term and its figure, for a list of figures. */
const figure = (term, value, note = "") =>
  make("div", {}, make("dt", {}, term), make("dd", {}, value), note ? make("dd", { class: "note" }, note) : "");

/** The name of a button for a screen reader: what it does, and to which text, by the beginning of the text. */
const nameFor = (name, text) => `${name}: ${/^.{0,60}/su.exec(text)[0].trim()}`;

/** Debounce: call `action` once, `delay` milliseconds after the last call. */
function settled(action, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}

/** A table in a box that scrolls; cells are texts, numbers or nodes. */
function makeTable(heads, rows) {
  const cell = (value) => (typeof value === "number" ? make("td", { class: "number" }, count(value)) : make("td", {}, value));
  const body = rows.map((cells) => make("tr", {}, ...cells.map(cell)));
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": heads.join(", ") },
    make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, name)))), make("tbody", {}, ...body)));
}
