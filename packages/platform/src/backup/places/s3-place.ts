import { createHash } from "node:crypto";
import type { S3Settings } from "@backplane/kit/settings";
import { createS3Calls, openBlobStore, refusedBy, S3_LIMITS, type S3Call, textIn } from "@backplane/registry/blobs";
import type { Sink } from "./format/block-writer.ts";
import { BackupFault } from "./format/reader.ts";
import type { Place } from "./places.ts";
import { BACKUP_NAME } from "./take.ts";

type Fetch = typeof globalThis.fetch;
type Calls = ReturnType<typeof createS3Calls>;

/** S3 takes at most 10,000 parts: 320 GB of backup. */
const PART_BYTES = 32 * 1024 * 1024;

/** A store keeps, and bills, the parts of a killed backup until somebody aborts its upload. None takes as long as this. */
export const ABANDONED_AFTER_MS = 7 * 86_400_000;
/** Stores that do not list uploads. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

export function s3Place(settings: S3Settings, fetch: Fetch): Place {
  const blobs = openBlobStore({ kind: "s3", ...settings }, fetch);
  const placeOf = (name: string) => `s3://${settings.bucket}/${settings.prefix}${name}`;
  const call = createS3Calls(settings, fetch, S3_LIMITS);
  const sweep = (nowMs: number) => sweepUploads(call, settings.prefix, nowMs);
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
    return answer.response;
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
    const response = await send({ method: "PUT", key, query, body });
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

/** Aborts what killed backups began here long ago; other uploads in the bucket are not touched. */
async function sweepUploads(call: Calls, prefix: string, nowMs: number): Promise<void> {
  let after: Record<string, string> | undefined = {};
  while (after) {
    const answer = await call({ method: "GET", query: { uploads: "", prefix: `${prefix}backplane-`, ...after } });
    if (NOT_OFFERED.has(answer.response.status) && answer.code !== "NoSuchBucket") return;
    if (!answer.response.ok) throw refusedBy(answer);
    const xml = await answer.response.text();
    for (const upload of uploadsIn(xml)) {
      const key = upload.key.slice(prefix.length);
      // A date that cannot be read is not old.
      if (!BACKUP_NAME.test(key) || !(nowMs - upload.initiatedMs > ABANDONED_AFTER_MS)) continue;
      const ended = await call({ method: "DELETE", key, query: { uploadId: upload.id } });
      // Another platform may have been faster.
      if (!ended.response.ok && ended.response.status !== 404) throw refusedBy(ended);
      await ended.response.body?.cancel().catch(() => {});
    }
    const [key, id] = [textIn(xml, "NextKeyMarker"), textIn(xml, "NextUploadIdMarker")];
    const hasMore = textIn(xml, "IsTruncated") === "true" && key !== undefined && id !== undefined;
    after = hasMore ? { "key-marker": key, "upload-id-marker": id } : undefined;
  }
}

function uploadsIn(xml: string) {
  const [, ...entries] = xml.split("<Upload>").map((part) => part.split("</Upload>", 1)[0] ?? "");
  return entries.map((entry) => ({
    key: textIn(entry, "Key") ?? "",
    id: textIn(entry, "UploadId") ?? "",
    initiatedMs: Date.parse(textIn(entry, "Initiated") ?? ""),
  }));
}

/** The bytes of an object. */
export async function* readS3Backup(settings: S3Settings, fetch: Fetch): AsyncGenerator<Buffer> {
  // The last part of the address is the name, not a folder.
  const [, prefix = "", key = ""] = /^(.*\/)?([^/]+)\/$/.exec(settings.prefix) ?? [];
  const found = await (await openBlobStore({ kind: "s3", ...settings, prefix }, fetch)).read(key);
  if (!found) throw new BackupFault(`There is no backup at s3://${settings.bucket}/${prefix}${key}.`);
  yield* found.stream as AsyncIterable<Buffer>;
}
