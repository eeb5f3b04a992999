import type { IncomingMessage } from "node:http";
import { Problem } from "@backplane/kit/problems";

/** The whole body, or 413 as soon as it is too large. What comes after that is read and dropped, so that the answer arrives. */
export async function receiveBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new Problem("payload-too-large", { detail: `A file has at most ${Math.floor(maxBytes / 1_048_576)} MB here.` });
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    request.resume();
    throw tooLarge();
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) {
      chunks.length = 0;
      reject(tooLarge());
    } else chunks.push(chunk);
  });
  const cutOff = () => reject(new Problem("malformed-request", { detail: "The body ended before its last byte." }));
  request.on("end", () => (request.complete ? resolve(Buffer.concat(chunks)) : cutOff()));
  request.on("error", cutOff);
  request.on("close", cutOff);
  return promise;
}
