// Questions to the server. Answers are JSON; an error is a sentence.

/** The answer of the server; an Error with its sentence if it refuses. `more`: further options of fetch. */
async function ask(path, body, more = {}) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  return answerOf(fetch(path, { ...options, ...more }));
}

async function answerOf(asked) {
  let response;
  try {
    response = await asked;
  } catch {
    throw new Error("The workbench does not answer. Start `diglot ui` again.");
  }
  const found = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(found.error ?? "The workbench was closed. Open the address that `diglot ui` printed.");
  return found;
}

const sitePath = (name, action = "") => `/sites/${encodeURIComponent(name)}${action && `/${action}`}`;

/** Show a sentence in an element, or hide the element. */
function tell(element, sentence) {
  element.textContent = sentence ?? "";
  element.hidden = !sentence;
}

/** Delete dropped files when the user goes back to the sites: nothing else shows them. */
function putBackOnLeaving(source) {
  for (const link of document.querySelectorAll("a[href='/']")) {
    link.addEventListener("click", () => ask("/put-back", source, { keepalive: true }).catch(() => {}));
  }
}
