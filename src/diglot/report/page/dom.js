// Elements made one by one. Texts become text nodes, never markup; no attribute takes script or style from data.

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

/** The same for a drawing. */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const byId = (id) => document.getElementById(id);

/** Text of a crawled page: in its language and its own direction. */
const crawled = (tag, text, lang, attributes = {}) => make(tag, { lang, dir: "auto", ...attributes }, text);

/** An address: a link where it is of the web, plain text otherwise. */
function address(url) {
  let web = false;
  try {
    web = ["http:", "https:"].includes(new URL(url).protocol);
  } catch {
    web = false;
  }
  const attributes = { class: "address", dir: "ltr" };
  if (!web) return make("span", attributes, url);
  return make("a", { ...attributes, href: url, rel: "noreferrer noopener", target: "_blank" }, url);
}

const count = (number) => number.toLocaleString("en");
const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;
const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

/** A term and its figure, for a list of figures. */
const figure = (term, value, note = "") =>
  make("div", {}, make("dt", {}, term), make("dd", {}, value), note ? make("dd", { class: "note" }, note) : "");

/** Calls `action` once, a moment after the last of many calls. */
function settled(action, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(action, milliseconds);
  };
}
