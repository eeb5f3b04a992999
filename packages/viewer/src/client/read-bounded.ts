import { Problem } from "@backplane/kit/problems";

/** A body as bytes, as long as it is no larger than it may be. */
export async function readBounded(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    // Leaving the loop cancels the rest.
    if (bytes > maxBytes) throw new Problem("payload-too-large", { detail: `The answer has over ${maxBytes} bytes.` });
    pieces.push(piece);
  }
  return Buffer.concat(pieces, bytes);
}
