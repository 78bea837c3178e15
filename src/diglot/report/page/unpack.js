// Unpack a block of the page: base 64, deflate, JSON.


async function unpack(id) {
  const block = byId(id);
  const binary = atob(block.textContent);
  block.remove(); // frees the text of the block
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}
