// Folding: texts without case and accents for the search, and places of their letters in the original.

const ACCENTS = /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]+/g; // Latin, Greek and Cyrillic; Hebrew points; Arabic vowels
const LETTERS = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ł: "l", ı: "i", ς: "σ", "\u00a0": " ", "\u202f": " ", "’": "'", "‘": "'", ʼ: "'" }; // what has no parts to take apart; the apostrophe of a keyboard finds all others
const LETTERS_FOUND = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "g");
const ASCII_ONLY = /^[\0-\x7f]*$/;
const LETTER_WITH_MARKS = /\P{M}\p{M}*|\p{M}+/gu;

/** A text in lower case without accents. Marks that make another letter, as in Japanese and Hindi, stay. */
function fold(text) {
  const lower = text.toLowerCase();
  if (ASCII_ONLY.test(lower)) return lower;
  return lower.normalize("NFD").replace(ACCENTS, "").replace(LETTERS_FOUND, (letter) => LETTERS[letter]).normalize("NFC");
}

/** The folded text, and for each of its places begin and end of the letter in the original text. */
function foldWithPlaces(text) {
  const parts = [];
  const begins = [];
  const ends = [];
  for (const { 0: letter, index } of text.matchAll(LETTER_WITH_MARKS)) {
    const part = fold(letter);
    parts.push(part);
    for (let i = 0; i < part.length; i += 1) {
      begins.push(index);
      ends.push(index + letter.length);
    }
  }
  return { folded: parts.join(""), begins, ends };
}

const IN_A_WORD = /[\p{L}\p{N}\p{M}_]/u;
const WITHOUT_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const [UNKNOWN, YES, NO] = [0, 1, 2];
const joining = new Uint8Array(1 << 16);

/** Whether a UTF-16 code unit is part of a word: letters and digits, except in scripts without blanks between words. */
function joins(unit) {
  if (joining[unit] === UNKNOWN) {
    const sign = String.fromCharCode(unit);
    joining[unit] = IN_A_WORD.test(sign) && !WITHOUT_BLANKS.test(sign) ? YES : NO;
  }
  return joining[unit] === YES;
}

/** Whether a word begins or ends at `place` in the text from `from` to `to`. */
function isEdge(text, place, from, to) {
  return place <= from || place >= to || !(joins(text.charCodeAt(place - 1)) && joins(text.charCodeAt(place)));
}
