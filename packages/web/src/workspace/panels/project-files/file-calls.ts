import type { FileList } from "@backplane/contract/panels";
import { type Answer, type Call, call, type Fault } from "../../../calls/call.ts";
import { type WorkspaceName, workspaceRoute } from "../../calls.ts";

export type ReadFile =
  | { kind: "read"; bytes: Uint8Array<ArrayBuffer>; etag: string }
  | { kind: "unchanged" }
  | { kind: "missing" }
  | { kind: "too-large"; size: number }
  | { kind: "fault"; fault: Fault };

export type WrittenFile =
  | { kind: "written"; etag: string }
  /** Somebody else has changed the file; `etag` is undefined when they deleted it. */
  | { kind: "changed"; etag: string | undefined }
  | { kind: "fault"; fault: Fault };

/** The condition for a write: the file still has this ETag, does not exist, or exists. */
export type Expected = { etag: string } | "absent" | "existing";

/** For 16 MB over a slow line. */
export const WRITE_TIMEOUT_MS = 120_000;

export const fileAddress = (project: WorkspaceName, path: string): string =>
  workspaceRoute(project, `/files/${path.split("/").map(encodeURIComponent).join("/")}`);

export const listFiles = (project: WorkspaceName, signal?: AbortSignal): Promise<Answer<FileList>> =>
  call<FileList>({ method: "GET", path: workspaceRoute(project, "/files"), ...(signal ? { signal } : {}) });

/** Browsers resolve such parts in an address, so that it would no longer be the address of a file. */
const escapesFiles = (path: string): boolean => path.split("/").some((part) => ["", ".", ".."].includes(part));

const NAME_REFUSED: { kind: "fault"; fault: Fault } = {
  kind: "fault",
  fault: {
    ...{ status: 422, code: "file-name-refused", title: "A project cannot have a file with this name" },
    ...{ detail: undefined, errors: [], retryAfterS: undefined },
  },
};

type ReadOptions = { maxBytes: number; knownEtag?: string | undefined; signal?: AbortSignal };

/** The bytes of a file, unless it is unchanged since `knownEtag` or larger than `maxBytes`. */
export async function readFile(
  project: WorkspaceName,
  path: string,
  { maxBytes, knownEtag, signal }: ReadOptions,
  fetch = globalThis.fetch,
): Promise<ReadFile> {
  if (escapesFiles(path)) return NAME_REFUSED;
  let read: ReadFile | undefined;
  const answer = await call<undefined>(
    { method: "GET", path: fileAddress(project, path), ...(signal ? { signal } : {}) },
    async (url, init) => {
      const headers = { accept: "*/*", ...(knownEtag === undefined ? {} : { "if-none-match": knownEtag }) };
      const response = await fetch(url, { ...init, headers });
      const size = Number(response.headers.get("content-length") ?? 0);
      if (response.status === 304) read = { kind: "unchanged" };
      else if (!response.ok) return response;
      else if (size > maxBytes) {
        read = { kind: "too-large", size };
        await response.body?.cancel();
      } else read = { kind: "read", bytes: await response.bytes(), etag: response.headers.get("etag") ?? "" };
      return new Response(null, { status: 204 });
    },
  );
  if (read) return read;
  if (answer.ok) throw new Error("the answer was neither read nor refused");
  return answer.fault.code === "file-unknown" ? { kind: "missing" } : { kind: "fault", fault: answer.fault };
}

const tagOf = (expected: Exclude<Expected, "absent">): string => (expected === "existing" ? "*" : expected.etag);

export async function writeFile(
  project: WorkspaceName,
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  expected: Expected,
  fetch = globalThis.fetch,
): Promise<WrittenFile> {
  if (escapesFiles(path)) return NAME_REFUSED;
  let etag: string | undefined;
  const request: Call = { method: "PUT", path: fileAddress(project, path), timeoutMs: WRITE_TIMEOUT_MS };
  const answer = await call(request, async (url, init) => {
    const condition = expected === "absent" ? { "if-none-match": "*" } : { "if-match": tagOf(expected) };
    const headers = { accept: "application/json", "content-type": "application/octet-stream", ...condition };
    const response = await fetch(url, { ...init, headers, body: bytes });
    etag = response.headers.get("etag") ?? undefined;
    return response;
  });
  if (!answer.ok)
    return answer.fault.status === 412 ? { kind: "changed", etag } : { kind: "fault", fault: answer.fault };
  return { kind: "written", etag: etag ?? "" };
}

/** Removes a file that still has this ETag. False when it was not removed. */
export async function removeFile(
  project: WorkspaceName,
  path: string,
  etag: string,
  fetch = globalThis.fetch,
): Promise<boolean> {
  if (escapesFiles(path)) return false;
  const answer = await call({ method: "DELETE", path: fileAddress(project, path) }, (url, init) =>
    fetch(url, { ...init, headers: { accept: "application/json", "if-match": etag } }),
  );
  return answer.ok;
}
