// The tabs: one part of the report at a time. A link to a section shows the tab that holds it.

const tabOf = (id) => byId(id)?.closest("[data-tab]")?.dataset.tab;

/** Show the tab of a section; nothing happens for another element. */
function showTab(id) {
  const tab = tabOf(id);
  if (!tab) return;
  document.body.dataset.shown = tab;
  document.dispatchEvent(new CustomEvent("tab", { detail: tab }));
  for (const link of document.querySelectorAll("#tabs a")) {
    if (tabOf(link.hash.slice(1)) === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

/** Show a section, with its tab. */
function goTo(id) {
  showTab(id);
  byId(id).scrollIntoView();
}

const sectionOfAddress = () => location.hash.slice(1).split("?")[0];

function listenToTabs() {
  for (const link of document.querySelectorAll("#tabs a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault(); // the browser would scroll to the section, past what stands above it
      history.pushState(null, "", link.hash);
      showTab(link.hash.slice(1));
      window.scrollTo(0, 0);
    });
  }
  window.addEventListener("hashchange", () => showTab(sectionOfAddress()));
  showTab("search");
  showTab(sectionOfAddress());
  // A tab begins at its top, where the browser goes to the section.
  const isTab = [...document.querySelectorAll("#tabs a")].some(({ hash }) => hash === location.hash);
  if (isTab) window.addEventListener("load", () => setTimeout(() => window.scrollTo(0, 0)));
}
