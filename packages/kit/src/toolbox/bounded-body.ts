type Body = ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> | null | undefined;

/** The whole body; undefined when it is larger than `maxBytes`, and then the rest is not read. */
export async function readBytes(body: Body, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(body)) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
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
