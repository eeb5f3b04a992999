import { createHash } from "node:crypto";
import { createReadStream, openAsBlob } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Problem } from "@backplane/kit/problems";
import type { S3Settings } from "@backplane/kit/settings";
import { sha256Of } from "../../values.ts";
import { type BlobRange, type BlobStore, checkBlobKey, checkBlobPrefix, type ListedBlob } from "./blob-store.ts";
import { createS3Calls, refusedBy, S3_LIMITS, type S3Call, type S3Limits, textIn, unavailable } from "./s3-calls.ts";

type S3StoreOptions = S3Settings & { fetch: typeof globalThis.fetch; limits?: Partial<S3Limits> };

/** Blobs as objects of a bucket. Each put states the hash of its bytes, so the store refuses an incomplete body. */
export function openS3Store({ fetch, limits: given, ...settings }: S3StoreOptions): BlobStore {
  const limits = { ...S3_LIMITS, ...given };
  const { prefix } = settings;
  checkBlobPrefix(prefix);
  const call = createS3Calls(settings, fetch, limits);

  async function put(key: string, body: NonNullable<S3Call["body"]>): Promise<void> {
    const answer = await call({ method: "PUT", key, body });
    if (!answer.response.ok) throw refusedBy(answer);
    await answer.response.body?.cancel();
  }

  async function* list(under: string): AsyncIterable<ListedBlob> {
    for (let token: string | undefined, more = true; more; ) {
      const query = { "list-type": "2", prefix: `${prefix}${under}` };
      const answer = await call({
        method: "GET",
        query: token === undefined ? query : { ...query, "continuation-token": token },
      });
      if (!answer.response.ok) throw refusedBy(answer);
      const page = readListing(await answer.text());
      for (const blob of page.blobs) yield { ...blob, key: blob.key.slice(prefix.length) };
      if (page.next !== undefined && page.next === token)
        throw unavailable(new Error("The S3 store: a list that does not end"));
      token = page.next;
      more = token !== undefined;
    }
  }

  return {
    async putFile(key, file) {
      checkBlobKey(key);
      const bytes = await openAsBlob(file);
      await put(key, { bytes, size: bytes.size, sha256: await sha256OfFile(file) });
    },

    async put(key, given) {
      checkBlobKey(key);
      const bytes = new Uint8Array(Array.isArray(given) ? Buffer.concat(given) : (given as Uint8Array));
      await put(key, { bytes, size: bytes.byteLength, sha256: sha256Of(bytes) });
    },

    async read(key, range) {
      checkBlobKey(key);
      const answer = await call({ method: "GET", key, ...(range ? { headers: { range: rangeHeader(range) } } : {}) });
      const { response, code, abort } = answer;
      if (response.status === 404 && code !== "NoSuchBucket") return undefined;
      if (response.status === 416) throw new Problem("range-not-satisfiable");
      if (response.status !== (range ? 206 : 200)) {
        abort();
        throw refusedBy(answer);
      }
      return { size: sizeOf(response), stream: s3Stream(response, limits.idleMs, abort) };
    },

    async remove(key) {
      checkBlobKey(key);
      const answer = await call({ method: "DELETE", key });
      const isGone = answer.response.status === 404 && answer.code !== "NoSuchBucket";
      if (!answer.response.ok && !isGone) throw refusedBy(answer);
      await answer.response.body?.cancel();
    },

    list(under) {
      checkBlobPrefix(under);
      return list(under);
    },

    // HeadBucket, not a short listing: it costs the store the same however much is in the bucket.
    async ping() {
      const answer = await call({ method: "HEAD" });
      if (!answer.response.ok) throw refusedBy(answer);
      await answer.response.body?.cancel();
    },
  };
}

function rangeHeader({ start, end }: BlobRange): string {
  if (start < 0 || end < start) throw new Problem("range-not-satisfiable");
  return `bytes=${start}-${end}`;
}

/** The size of the whole blob, whichever part was requested. */
function sizeOf({ headers, status }: Response): number {
  const said =
    status === 206 ? /\/(\d+)$/.exec(headers.get("content-range") ?? "")?.[1] : headers.get("content-length");
  if (!said) throw unavailable(new Error("The S3 store: an answer without its size"));
  return Number(said);
}

async function sha256OfFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}

/** One page of ListObjectsV2. It is flat and has few known elements, so no XML parser is needed. */
function readListing(xml: string): { blobs: ListedBlob[]; next: string | undefined } {
  const [, ...entries] = xml.split("<Contents>").map((part) => part.split("</Contents>", 1)[0] ?? "");
  const blobs = entries.map((entry) => ({
    key: textIn(entry, "Key") ?? "",
    size: Number(textIn(entry, "Size")),
    modifiedMs: Date.parse(textIn(entry, "LastModified") ?? ""),
  }));
  const isCut = textIn(xml, "IsTruncated") === "true";
  return { blobs, next: isCut ? textIn(xml, "NextContinuationToken") : undefined };
}

/** The body of an answer as a stream. Destroying it, or receiving nothing for too long, ends the connection too. */
function s3Stream({ body }: Response, idleMs: number, abort: () => void): Readable {
  if (!body) return Readable.from([], { objectMode: false });
  const reader = body.getReader();
  return new Readable({
    read() {
      // A slow reader is not the store's fault: the timer only runs while waiting for the store.
      const timer = setTimeout(() => this.destroy(unavailable(new Error("The S3 store: a body stopped"))), idleMs);
      reader
        .read()
        .finally(() => clearTimeout(timer))
        .then(
          ({ value }) => this.push(value ?? null),
          () => this.destroy(unavailable(new Error("The S3 store: a body was cut off"))),
        );
    },
    destroy(error, done) {
      abort();
      done(error);
    },
  });
}
