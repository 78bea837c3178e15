// Questions to the server. Answers are JSON; an error is a sentence.

/** The answer of the server; an Error with its sentence if it refuses. `more`: further options of fetch. */
async function ask(path, body, more = {}) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return answerOf(fetch(path, { ...options, ...more }));
}

const GONE = "The workbench does not answer. Start `diglot ui` again.";

async function answerOf(asked) {
  return (await responseOf(asked)).json().catch(() => ({}));
}

/** The response of the server; an Error with a sentence if it refuses or is gone. */
async function responseOf(asked) {
  const response = await asked.catch(() => { throw new Error(GONE); });
  if (response.ok) return response;
  const found = await response.json().catch(() => ({}));
  throw new Error(found.error ?? "The workbench was closed. Open the address that `diglot ui` printed.");
}

/** Show each state of a site at work. `lost`: tells that the server is gone, so that the page stands still; "" if not. */
function followWork(name, show, lost) {
  const events = new EventSource(sitePath(name, "progress"));
  events.addEventListener("message", ({ data }) => {
    lost("");
    show(JSON.parse(data));
  });
  events.addEventListener("error", () => lost("The workbench does not answer, so this page stands still. The work goes on: start `diglot ui` again to see it."));
  return events;
}

const sitePath = (name, action = "") => `/sites/${encodeURIComponent(name)}${action && `/${action}`}`;

/** Tell tabs that show a site that it is another now. `to`: its name; "" where it was deleted. */
function tellTabs(name, to) {
  const tabs = new BroadcastChannel(sitePath(name));
  tabs.postMessage({ to });
  tabs.close();
}

/** Show a sentence in an element, or hide the element. */
function tell(element, sentence) {
  element.textContent = sentence ?? "";
  element.hidden = !sentence;
}

/**
 * Delete dropped files when the user goes back to the sites: nothing else shows them. A page that is closed may be only
 * loaded again: the server waits for the same file.
 */
function putBackOnLeaving(source) {
  for (const link of document.querySelectorAll("a[href='/']")) {
    link.addEventListener("click", () => ask("/put-back", source, { keepalive: true }).catch(() => {}));
  }
  addEventListener("pagehide", () => ask("/leave", source, { keepalive: true }).catch(() => {}));
}
