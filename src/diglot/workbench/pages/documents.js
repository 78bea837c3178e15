// Two documents that translate each other: choose their languages, align, download.

const { files } = byId("documents").dataset;
const menus = [...document.querySelectorAll(".lang")];

lookAtDocuments();
putBackOnLeaving({ files });

async function lookAtDocuments() {
  try {
    const { found, all } = await ask("/documents/look", { files });
    for (const [at, menu] of menus.entries()) {
      menu.append(make("option", { value: "" }, "Choose its language"), ...all.map(({ tag, name }) => make("option", { value: tag }, name)));
      menu.value = found[at];
    }
    byId("choice").hidden = false;
    byId("align").focus();
  } catch (error) {
    tell(byId("said"), error.message);
  }
  byId("looking").hidden = true;
}

byId("choice").addEventListener("submit", async (event) => {
  event.preventDefault();
  tell(byId("said"), "");
  byId("align").disabled = true;
  byId("results").hidden = true;
  byId("looking").textContent = "Aligning the documents.";
  byId("looking").hidden = false;
  try {
    const { kept, segments } = await ask("/documents/align", { files, langs: menus.map(({ value }) => value) });
    byId("counts").textContent = `${count(kept)} of ${plural(segments, "segment")} are in the memory. Both texts side by side show why others are left out.`;
    byId("results").hidden = false;
    byId("get-tmx").focus();
  } catch (error) {
    tell(byId("said"), error.message);
  }
  byId("looking").hidden = true;
  byId("align").disabled = false;
});
