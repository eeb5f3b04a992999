import type { IncomingMessage } from "node:http";
import { readBytes } from "@backplane/kit/bounded-body";
import { tooManyRequests } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import { createSlots } from "@backplane/kit/slots";

const BUSY_MS = 1_000;

/** A body is in memory until it is written: 429 when bodies that are on their way take too much of it. */
export function createSpace({ perPerson, inAll }: { perPerson: number; inAll: number }) {
  const slots = createSlots(perPerson, inAll);
  return (userId: string, { headers }: IncomingMessage, maxBytes: number): Disposable => {
    const bytes = Math.min(Number(headers["content-length"] ?? maxBytes), maxBytes);
    const release = slots.take(userId, bytes);
    if (!release) throw tooManyRequests(BUSY_MS);
    return { [Symbol.dispose]: release };
  };
}

/** The whole body, or 413. The rest of a body that is too large is read and dropped, so that the answer arrives. */
export async function receiveBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const isTooLarge = Number(request.headers["content-length"] ?? 0) > maxBytes;
  const pieces = request.iterator({ destroyOnReturn: false });
  const bytes = isTooLarge
    ? undefined
    : await readBytes(pieces, maxBytes).catch((cause: unknown) => {
        throw new Problem("malformed-request", { detail: "The body ended before its last byte.", cause });
      });
  if (bytes) return Buffer.from(bytes.buffer);
  request.resume();
  throw new Problem("payload-too-large", { detail: `A file has at most ${Math.floor(maxBytes / 1_048_576)} MB here.` });
}
