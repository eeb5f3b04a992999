import type { S3Settings } from "@backplane/kit/settings";
import { createS3Calls, refusedBy, S3_LIMITS, textIn } from "./s3-calls.ts";

/** Stores that do not list uploads. */
const NOT_OFFERED: ReadonlySet<number> = new Set([404, 405, 501]);

type Which = {
  /** Of keys below the prefix. */
  keys: RegExp;
  begunBeforeMs: number;
};

/** Aborts uploads in parts that were begun long ago and never completed; all others in the bucket are not touched. */
export async function abortUploads(
  settings: S3Settings,
  fetch: typeof globalThis.fetch,
  { keys, begunBeforeMs }: Which,
): Promise<void> {
  const { prefix } = settings;
  const call = createS3Calls(settings, fetch, S3_LIMITS);
  for (let after: Record<string, string> | undefined = {}; after; ) {
    const answer = await call({ method: "GET", query: { uploads: "", prefix, ...after } });
    if (NOT_OFFERED.has(answer.response.status) && answer.code !== "NoSuchBucket") return;
    if (!answer.response.ok) throw refusedBy(answer);
    const xml = await answer.text();
    for (const upload of uploadsIn(xml)) {
      const key = upload.key.slice(prefix.length);
      // A date that cannot be read is not old.
      if (!upload.key.startsWith(prefix) || !keys.test(key) || !(upload.begunMs < begunBeforeMs)) continue;
      const ended = await call({ method: "DELETE", key, query: { uploadId: upload.id } });
      // Another platform may have been faster.
      if (!ended.response.ok && ended.response.status !== 404) throw refusedBy(ended);
      if (ended.response.ok) await ended.response.body?.cancel();
    }
    const [key, id] = [textIn(xml, "NextKeyMarker"), textIn(xml, "NextUploadIdMarker")];
    const hasMore = textIn(xml, "IsTruncated") === "true" && key !== undefined && id !== undefined;
    const isSame: boolean = after["key-marker"] === key && after["upload-id-marker"] === id;
    after = hasMore && !isSame ? { "key-marker": key, "upload-id-marker": id } : undefined;
  }
}

function uploadsIn(xml: string) {
  const [, ...entries] = xml.split("<Upload>").map((part) => part.split("</Upload>", 1)[0] ?? "");
  return entries.map((entry) => ({
    key: textIn(entry, "Key") ?? "",
    id: textIn(entry, "UploadId") ?? "",
    begunMs: Date.parse(textIn(entry, "Initiated") ?? ""),
  }));
}
