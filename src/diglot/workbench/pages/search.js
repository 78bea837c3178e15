// Search over all sites, as the words are typed.

const query = byId("query");
const langs = byId("langs");
let asked = 0;

async function look() {
  const words = query.value.trim();
  const mine = (asked += 1);
  history.replaceState(null, "", words ? `?${new URLSearchParams({ q: words })}` : location.pathname);
  if (!words) return show([], "");
  try {
    const found = await ask(`/search/hits?${new URLSearchParams({ q: words, langs: langs.value })}`);
    if (mine !== asked) return; // an answer to earlier words
    const { length } = found.hits;
    const waiting = (found.waiting ? ` ${plural(found.waiting, "site")} will follow in a moment.` : "") +
      (found.failed ? ` ${plural(found.failed, "site")} cannot be read, and must be made again.` : "");
    if (found.waiting) setTimeout(() => mine === asked && look(), 2000);
    show(found.hits, `${found.more ? `The first ${length} segments.` : length ? `${plural(length, "segment")}.` : "Nothing found."}${waiting}`);
    tell(byId("said"), "");
  } catch (error) {
    tell(byId("said"), error.message);
  }
}

function show(hits, text) {
  const finder = new Finder(query.value);
  byId("count").textContent = text;
  byId("hits").replaceChildren(...hits.map((hit) => row(hit, finder)));
  byId("hits").hidden = !hits.length;
}

function row(hit, finder) {
  const side = (name) => {
    const text = markedText("p", hit[name], hit[`${name}_lang`], finder.spans(hit[name]), { class: "side", dir: "auto" });
    text.prepend(make("span", { class: "bead", lang: "en", dir: "ltr" }, hit[`${name}_lang`]), " ");
    return text;
  };
  const there = make("a", { href: `${sitePath(hit.site)}#search?${new URLSearchParams({ q: query.value.trim() })}` }, hit.site);
  return make("li", { class: "segment" }, side("src"), side("tgt"),
    make("div", { class: "facts" }, there, address(hit.src_url), address(hit.tgt_url)));
}

query.addEventListener("input", settled(look, 80));
langs.addEventListener("change", look);
byId("search-form").addEventListener("submit", (event) => {
  event.preventDefault();
  look();
});
look();
