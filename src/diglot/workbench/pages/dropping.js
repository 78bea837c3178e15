// Files that are dropped on the page: sent one after the other, then looked at.

const NAMED = 10; // files left out that the next page names; further ones are counted

class Dropping {
  /** `memory`: takes a memory (TMX), which is not sent. */
  constructor(zone, field, { sending, failed, memory }) {
    this.memory = memory;
    this.sending = sending;
    this.failed = failed;
    this.field = field;
    field.addEventListener("change", () => this.send([...field.files]));
    for (const name of ["dragover", "dragleave", "drop"]) {
      document.addEventListener(name, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        zone.classList.toggle("over", name === "dragover");
        if (name === "drop") this.send([...event.dataTransfer.files]);
      });
    }
  }

  /** A browser hands over a folder as a file that it cannot read. */
  async requireReadable(file) {
    try {
      await file.slice(0, 1).arrayBuffer();
    } catch {
      throw new Error(`${file.name} cannot be read. If it is a folder, make a zip file of it and drop that.`);
    }
  }

  async send(files) {
    this.failed("");
    let name = "";
    try {
      const tmx = files.find((file) => file.name.toLowerCase().endsWith(".tmx"));
      if (tmx && files.length > 1) throw new Error("Drop a TMX memory alone: it is only shown.");
      if (tmx) {
        await this.memory(tmx);
        files = [];
      }
      const { mostBytes, tooLarge, documents, read } = this.field.dataset;
      const withEnding = (endings) => files.filter((file) => endings.split(" ").some((ending) => file.name.toLowerCase().endsWith(ending)));
      const found = withEnding(documents);
      const readable = withEnding(read);
      const unread = files.filter((file) => !readable.includes(file));
      const others = readable.filter((file) => !found.includes(file) && !file.name.toLowerCase().endsWith(".zip"));
      const leftOut = found.length > 1 && !others.length ? unread : [];
      // Of too few documents, the file that cannot be read is sent first: the server says what it is.
      if (found.length) files = leftOut.length ? readable : [...unread, ...readable];
      const isPair = found.length === 2 && files.length === 2;
      if (found.length && others.length) throw new Error("Drop archives by themselves, or with a zip file of the pages and documents.");
      if (found.length && files.length === 1) throw new Error("Drop two documents that translate each other, or all documents of a collection, at once.");
      if (files.some(({ size }) => size > Number(mostBytes))) throw new Error(tooLarge); // the server would refuse it after all is sent
      for (const file of files) await this.requireReadable(file);
      for (const file of files) {
        this.sending(`Storing ${file.name} …`);
        const query = new URLSearchParams({ file: file.name, ...(name && { name }) });
        name = (await answerOf(fetch(`/drop?${query}`, { method: "POST", body: file }))).name;
      }
      const left = leftOut.map((file) => ["left", file.name]);
      if (name) location.assign(`/${isPair ? "documents" : "new"}?${new URLSearchParams([["files", name], ...left.slice(0, NAMED), ["more", Math.max(0, left.length - NAMED)]])}`);
    } catch (error) {
      if (name) await ask("/put-back", { files: name }).catch(() => {});
      this.failed(error.message);
    }
    this.sending("");
    this.field.value = ""; // the same file may be chosen again
  }
}
