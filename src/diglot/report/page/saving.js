// Files to save: lines, CSV and TMX made of rows.

/** Download a text as a file. */
function saveFile(name, text, type) {
  const link = make("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** A text that no spreadsheet takes for a formula; Diglot takes the apostrophe away again. */
const spreadsheetCell = (text) => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text);

/** Tab-separated lines; tabs and line ends in a cell become blanks. */
function tabLines(rows) {
  const cell = (text) => spreadsheetCell(text.replace(/[\t\r\n\v\f\u001c-\u001e\u0085\u2028\u2029]+/g, " "));
  return rows.map((cells) => `${cells.map(cell).join("\t")}\n`).join("");
}

/** CSV (RFC 4180). */
function csvLines(rows) {
  const cell = (value) => {
    if (typeof value === "number") return String(value);
    const text = spreadsheetCell(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `\ufeff${rows.map((cells) => `${cells.map(cell).join(",")}\r\n`).join("")}`;
}

const FORBIDDEN_IN_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const xml = (text) => text.replace(FORBIDDEN_IN_XML, "").replace(/[&<>"]/g, (sign) => ENTITIES[sign]);

/** TMX 1.4b. `units`: { src, tgt, src_lang, tgt_lang, props: [[type, value]] }, both texts being more than blanks. */
function tmxText(units, version) {
  const sources = new Set(units.map((unit) => unit.src_lang));
  const header = `<header creationtool="diglot" creationtoolversion="${xml(version)}" segtype="sentence" o-tmf="diglot" ` +
    `adminlang="en" srclang="${sources.size === 1 ? xml([...sources][0]) : "*all*"}" datatype="plaintext"></header>`;
  const variant = (lang, text) => `<tuv xml:lang="${xml(lang)}"><seg>${xml(text)}</seg></tuv>`;
  const parts = units.map(({ src, tgt, src_lang: from, tgt_lang: to, props }) => {
    const told = props.map(([type, value]) => `<prop type="${type}">${xml(value)}</prop>`).join("");
    return `<tu>${told}\n${variant(from, src)}\n${variant(to, tgt)}</tu>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tmx version="1.4">\n${header}\n<body>\n${parts.join("")}</body>\n</tmx>\n`;
}
