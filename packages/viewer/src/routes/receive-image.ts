import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { receiveFile } from "@backplane/kit/http";

/** An image on the disk. */
export type Received = { path: string; bytes: number };

/** Streams a body to a file of its own. Unless it is whole, nothing is left. */
export async function receiveImage(
  body: Readable,
  folder: string,
  maxBytes: number,
): Promise<Received | "too-large" | "cut-off"> {
  const path = join(folder, `${randomUUID()}.upload`);
  const bytes = await receiveFile(body, path, maxBytes);
  return typeof bytes === "number" ? { path, bytes } : bytes;
}
