type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null | undefined;

/** The whole body; undefined when it is larger than `maxBytes`, and then the rest is not read. */
export async function readBytes(body: Body, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  // Copied at once: a list of very many tiny chunks would take many times their bytes.
  let bytes = new Uint8Array(0);
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    const before = size;
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    if (size > bytes.length) {
      const larger = new Uint8Array(Math.min(maxBytes, 2 * size));
      larger.set(bytes);
      bytes = larger;
    }
    bytes.set(chunk, before);
  }
  return bytes.slice(0, size);
}

/** The same, decoded as UTF-8. */
export async function readText(body: Body, maxBytes: number): Promise<string | undefined> {
  const bytes = await readBytes(body, maxBytes);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}

async function* chunksOf(body: Body): AsyncGenerator<Uint8Array> {
  if (body === null || body === undefined) return;
  if (!("getReader" in body)) {
    yield* body;
    return;
  }
  // Not every browser can iterate over a stream.
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
