import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { readBytes } from "@backplane/kit/bounded-body";
import { ManagerFault } from "../faults.ts";
import { type Answer, Interrupted, request, shownUrl, type Transport } from "./transport.ts";

type Got = { bytes: Buffer; etag?: string; contentType?: string };

type GetOptions = {
  /** For people: "packages.json of Tools". */
  what: string;
  maxBytes: number;
  /** The wanted types. */
  accept?: string;
  etag?: string;
  /** Bypass caches on the network. */
  fresh?: boolean;
};

/** These errors are often temporary. */
const PASSING = new Set([502, 503, 504]);

/** Downloads a small file into memory. */
export async function get(transport: Transport, url: string, options: GetOptions): Promise<Got | "not-modified"> {
  const headers: Record<string, string> = {
    ...(options.accept === undefined ? {} : { accept: options.accept }),
    ...(options.etag === undefined ? {} : { "if-none-match": options.etag }),
    ...(options.fresh ? { "cache-control": "no-cache" } : {}),
  };
  return await attempt(transport, options.what, url, async () => {
    const answer = await request(transport, url, headers);
    if (answer.status === 304) {
      answer.drop();
      return "not-modified";
    }
    mustBeOk(answer, options.what);
    const bytes = await readAll(answer, options);
    const { etag, contentType } = answer;
    return { bytes, ...(etag === undefined ? {} : { etag }), ...(contentType === undefined ? {} : { contentType }) };
  });
}

/** Retries while connections break, as often as the limits allow. */
async function attempt<Result>(
  { limits, signal }: Transport,
  what: string,
  url: string,
  act: () => Promise<Result>,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      if (!error.mayRetry || attempts >= limits.maxAttempts) {
        throw new ManagerFault(
          "unreachable",
          `${what} could not be downloaded: ${error.message}. Check the connection, then run the command again.`,
          { url: shownUrl(url), attempts },
          { cause: error },
        );
      }
      await pause(limits.retryPauseMs * 2 ** (attempts - 1), undefined, signal ? { signal } : {}).catch(() => {
        throw new ManagerFault("aborted", "Stopped.");
      });
    }
  }
}

/** `isPart`: it is the requested part. */
function mustBeOk(answer: Answer, what: string, isPart = false): void {
  if (answer.status === 200 || (answer.status === 206 && isPart)) return;
  answer.drop();
  const { status } = answer;
  if (PASSING.has(status)) throw new Interrupted(`the server answers ${status}`, true);
  throw new ManagerFault(
    "http-status",
    `${what} cannot be downloaded: ${shownUrl(answer.url)} answers ${status}. ${next(status)}`,
    {
      url: shownUrl(answer.url),
      status,
    },
  );
}

function next(status: number): string {
  if (status === 401 || status === 403) return "Sign in, or ask the repository's owner for access.";
  if (status === 404 || status === 410) return "Check the address, or tell the repository's owner.";
  if (status === 429) return "Wait a minute, then run the command again.";
  return "Try again later, or tell the repository's owner.";
}

async function readAll(answer: Answer, { what, maxBytes }: GetOptions): Promise<Buffer> {
  const bytes = await readBytes(answer.body, maxBytes);
  if (bytes) return Buffer.from(bytes.buffer);
  throw new ManagerFault(
    "too-large",
    `${what} is larger than ${maxBytes} bytes, so it was not read. Tell the repository's owner.`,
    {
      url: shownUrl(answer.url),
      maxBytes,
    },
  );
}

export type Downloaded = {
  sha256: string;
  size: number;
  contentType?: string;
  /** Whether it continues an earlier, unfinished download. */
  resumed: boolean;
};

type DownloadOptions = {
  what: string;
  maxBytes: number;
  /** Never more than this is written. */
  expectedBytes?: number;
  onProgress?: (done: number, total: number | undefined) => void;
};

/** Downloads to `file`, continuing an earlier attempt. The caller checks the result. */
export async function download(
  transport: Transport,
  url: string,
  file: string,
  options: DownloadOptions,
): Promise<Downloaded> {
  await using handle = await open(file, "a+");
  const state = { hash: createHash("sha256"), size: (await handle.stat()).size, etag: undefined as string | undefined };
  const resumed = state.size > 0;
  if (resumed) await hashFile(file, state.hash);
  let contentType: string | undefined;
  await attempt(transport, options.what, url, async () => {
    contentType = await fetchRest(transport, url, handle, state, options);
  });
  await handle.sync();
  const sha256 = state.hash.digest("hex");
  return { sha256, size: state.size, resumed, ...(contentType === undefined ? {} : { contentType }) };
}

type State = { hash: Hash; size: number; etag: string | undefined };

async function fetchRest(
  transport: Transport,
  url: string,
  handle: FileHandle,
  state: State,
  options: DownloadOptions,
): Promise<string | undefined> {
  const { expectedBytes, maxBytes, onProgress } = options;
  const limit = Math.min(expectedBytes ?? maxBytes, maxBytes);
  if (state.size > 0 && state.size === expectedBytes) return undefined;
  const hasStart = state.size > 0;
  const answer = await request(transport, url, {
    "accept-encoding": "identity",
    ...(hasStart ? { range: `bytes=${state.size}-` } : {}),
    ...(hasStart && state.etag ? { "if-range": state.etag } : {}),
  });
  const goesOn = answer.status === 206 && answer.rangeStart === state.size;
  const isUseless = answer.status === 416 || (answer.status === 206 && !goesOn);
  if (hasStart && (answer.status === 200 || isUseless)) await startOver(handle, state);
  // Only once: the next request asks for the whole file, so a server cannot make this loop.
  if (hasStart && isUseless) {
    answer.drop();
    return await fetchRest(transport, url, handle, state, options);
  }
  mustBeOk(answer, options.what, goesOn);
  state.etag = answer.etag?.startsWith('"') ? answer.etag : undefined;
  const total = expectedBytes ?? (answer.length === undefined ? undefined : state.size + answer.length);
  onProgress?.(state.size, total);
  for await (const piece of answer.body) {
    if (state.size + piece.byteLength > limit) throw tooMuch(answer.url, options, limit);
    await handle.appendFile(piece);
    state.hash.update(piece);
    state.size += piece.byteLength;
    onProgress?.(state.size, total);
  }
  return answer.contentType;
}

async function startOver(handle: FileHandle, state: State): Promise<void> {
  await handle.truncate(0);
  state.hash = createHash("sha256");
  state.size = 0;
}

function tooMuch(url: string, { what, expectedBytes }: DownloadOptions, limit: number): ManagerFault {
  const isExpected = expectedBytes !== undefined && limit === expectedBytes;
  const details = { url: shownUrl(url), limit };
  return isExpected
    ? new ManagerFault(
        "wrong-size",
        `${what} has the wrong size: more than the ${limit} bytes in its metadata. Nothing was changed. Tell its publisher.`,
        details,
      )
    : new ManagerFault("too-large", `${what} has more than ${limit} bytes. Nothing was changed.`, details);
}

export async function hashFile(file: string, hash: Hash = createHash("sha256")): Promise<Hash> {
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash;
}
