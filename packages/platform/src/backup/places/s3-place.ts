import { createHash } from "node:crypto";
import type { S3Settings } from "@backplane/kit/settings";
import {
  abortUploads,
  createS3Calls,
  openBlobStore,
  refusedBy,
  S3_LIMITS,
  type S3Call,
  textIn,
} from "@backplane/registry/blobs";
import type { Sink } from "../format/block-writer.ts";
import { BackupFault } from "../format/reader.ts";
import { BACKUP_NAME } from "../taking/take.ts";
import type { Place } from "./folder-place.ts";

type Fetch = typeof globalThis.fetch;
type Calls = ReturnType<typeof createS3Calls>;

/** S3 takes at most 10,000 parts: 320 GB of backup. */
const PART_BYTES = 32 * 1024 * 1024;

/** A store keeps, and bills, the parts of a killed backup until somebody aborts its upload. None takes as long as this. */
const ABANDONED_AFTER_MS = 7 * 86_400_000;

export function s3Place(settings: S3Settings, fetch: Fetch): Place {
  const blobs = openBlobStore({ kind: "s3", ...settings }, fetch);
  const placeOf = (name: string) => `s3://${settings.bucket}/${settings.prefix}${name}`;
  const call = createS3Calls(settings, fetch, S3_LIMITS);
  const sweep = (nowMs: number) =>
    abortUploads(settings, fetch, { keys: BACKUP_NAME, begunBeforeMs: nowMs - ABANDONED_AFTER_MS });
  return {
    async write(name) {
      // What it leaves costs little; the new backup counts.
      await sweep(Date.now()).catch(() => {});
      return { place: placeOf(name), sink: await s3Sink(call, name) };
    },
    sweep,
    async list() {
      const all = await Array.fromAsync((await blobs).list(""));
      return all
        .filter(({ key }) => BACKUP_NAME.test(key))
        .map(({ key, size, modifiedMs }) => ({ name: key, place: placeOf(key), bytes: size, modifiedMs }))
        .sort((a, b) => (a.name < b.name ? 1 : -1));
    },
    remove: async (name) => (await blobs).remove(name),
  };
}

/** A multipart upload: nobody sees the object before it is completed, and what is never completed is no object. */
async function s3Sink(call: Calls, key: string): Promise<Sink> {
  const send = async (request: S3Call) => {
    const answer = await call(request);
    if (!answer.response.ok) throw refusedBy(answer);
    return answer;
  };
  const begun = await (await send({ method: "POST", key, query: { uploads: "" } })).text();
  const uploadId = textIn(begun, "UploadId");
  if (uploadId === undefined)
    throw new BackupFault("The S3 store did not begin an upload. Check that it supports multipart uploads.");
  const tags: string[] = [];
  let collected: Buffer[] = [];
  let bytes = 0;

  async function flush(): Promise<void> {
    const part = new Uint8Array(Buffer.concat(collected));
    collected = [];
    bytes = 0;
    const body = { bytes: part, size: part.length, sha256: createHash("sha256").update(part).digest("hex") };
    const query = { partNumber: String(tags.length + 1), uploadId: uploadId ?? "" };
    const { response } = await send({ method: "PUT", key, query, body });
    tags.push(response.headers.get("etag") ?? "");
    await response.body?.cancel();
  }

  return {
    async write(piece) {
      collected.push(Buffer.from(piece));
      bytes += piece.length;
      if (bytes >= PART_BYTES) await flush();
    },
    async finish() {
      if (bytes > 0) await flush();
      const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
      const xml = new TextEncoder().encode(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
      const body = { bytes: xml, size: xml.length, sha256: createHash("sha256").update(xml).digest("hex") };
      const answer = await (await send({ method: "POST", key, query: { uploadId }, body })).text();
      // The store may answer 200 and then say that it failed.
      if (/<Error>/.test(answer)) throw new BackupFault("The S3 store did not complete the upload. Try again.");
    },
    async abandon() {
      await call({ method: "DELETE", key, query: { uploadId } }).catch(() => {});
    },
  };
}

/** The bytes of an object. */
export async function* readS3Backup(settings: S3Settings, fetch: Fetch): AsyncGenerator<Buffer> {
  // The last part of the address is the name, not a folder.
  const [, prefix = "", key = ""] = /^(.*\/)?([^/]+)\/$/.exec(settings.prefix) ?? [];
  const found = await (await openBlobStore({ kind: "s3", ...settings, prefix }, fetch)).read(key);
  if (!found) throw new BackupFault(`There is no backup at s3://${settings.bucket}/${prefix}${key}.`);
  yield* found.stream as AsyncIterable<Buffer>;
}
