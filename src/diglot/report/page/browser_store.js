// What the browser stores for a file. It may refuse, or be full, or hold values of another page under the same name.

/** The value stored under a name as { works, value }; `works`: whether the browser stores anything for this file. */
function storedValue(name) {
  try {
    return { works: true, value: JSON.parse(localStorage.getItem(name)) };
  } catch (error) {
    if (error instanceof SyntaxError) return { works: true, value: null }; // stored by another program
    if (!(error instanceof DOMException)) throw error;
    return { works: false, value: null };
  }
}

/** Store a value; false if the browser cannot. */
function storeValue(name, value) {
  try {
    localStorage.setItem(name, JSON.stringify(value));
    return true;
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    return false;
  }
}
