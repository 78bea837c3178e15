// Two menus: the source language, and the target languages that go with it.

class LangMenus {
  /** `langPairs`: as in the headline; `changed()`: after every choice; `all`: whether a menu offers all languages. */
  constructor(src, tgt, langPairs, changed, all = true) {
    Object.assign(this, { src, tgt, langPairs, all });
    this.fill(src, langPairs, "src");
    this.fillTargets();
    src.addEventListener("change", () => {
      this.fillTargets();
      changed();
    });
    tgt.addEventListener("change", () => changed());
  }

  fill(menu, langPairs, side) {
    const names = new Map(langPairs.map((each) => [each[side], each[`${side}_name`]]));
    const options = [...names].map(([value, name]) => make("option", { value }, name));
    const before = menu.value;
    if (this.all && options.length > 1) options.unshift(make("option", { value: "" }, side === "src" ? "from all languages" : "to all languages"));
    menu.replaceChildren(...options);
    if (names.has(before)) menu.value = before;
  }

  fillTargets() {
    this.fill(this.tgt, this.langPairs.filter(({ src }) => !this.src.value || src === this.src.value), "tgt");
  }

  /** Numbers of the chosen language pairs. */
  get numbers() {
    return [...this.langPairs.keys()].filter((number) => {
      const { src, tgt } = this.langPairs[number];
      return (!this.src.value || src === this.src.value) && (!this.tgt.value || tgt === this.tgt.value);
    });
  }

  /** Choose languages; "" is for all, and so is a language that is not there. */
  choose(src, tgt) {
    this.src.value = src;
    if (this.src.selectedIndex < 0) this.src.selectedIndex = 0;
    this.fillTargets();
    this.tgt.value = tgt;
    if (this.tgt.selectedIndex < 0) this.tgt.selectedIndex = 0;
  }
}
