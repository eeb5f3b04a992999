import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "@backplane/kit/problems";
import type { S3Settings } from "@backplane/kit/settings";
import { AwsClient } from "aws4fetch";

export const S3_LIMITS = {
  /** From the request to the first byte of the answer. */
  answerWithinMs: 15_000,
  /** Sending a body may take this much longer, by its size. */
  minBytesPerSecond: 128 * 1024,
  /** Between two pieces of a received body; also for all of a text. */
  idleMs: 30_000,
  /** A page of a list is the longest text: 1,000 keys of 1,024 bytes, each byte at most six in XML. */
  maxTextBytes: 16 * 1024 * 1024,
  /** Temporary errors and failed connections are retried. */
  attempts: 3,
  firstPauseMs: 100,
};
export type S3Limits = typeof S3_LIMITS;

export type S3Call = {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Absent for the bucket itself. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: { bytes: Blob | Uint8Array<ArrayBuffer>; size: number; sha256: string };
};

export type S3Answer = {
  response: Response;
  code: string | undefined;
  abort: () => void;
  /** The body as text. */
  text: () => Promise<string>;
};

const AGAIN: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const NO_BYTES_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Signed calls. Failures are Problem "archives-unavailable"; their cause contains nothing secret. */
export function createS3Calls(settings: S3Settings, fetch: typeof globalThis.fetch, limits: S3Limits) {
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = settings;
  const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3" });
  const root = `${endpoint.replace(/(?<!\/)\/+$/, "")}/${bucket}`;

  async function once({ method, key, query, headers, body }: S3Call): Promise<S3Answer> {
    const address = key === undefined ? root : `${root}/${prefix}${key}`;
    const ending = new AbortController();
    const sendingMs = body ? (body.size / limits.minBytesPerSecond) * 1_000 : 0;
    const timer = setTimeout(() => ending.abort(), limits.answerWithinMs + sendingMs);
    try {
      const request = await aws.sign(query ? `${address}?${new URLSearchParams(query)}` : address, {
        method,
        headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? NO_BYTES_SHA256 },
        body: body?.bytes ?? null,
        redirect: "manual",
        signal: ending.signal,
      });
      // Not signed, because some stores change this header.
      request.headers.set("accept-encoding", "identity");
      const response = await fetch(request);
      const abort = () => ending.abort();
      const text = () => readText(response, abort, limits);
      const code = response.ok ? undefined : codeIn(await text());
      return { response, code, abort, text: () => text().catch((fault) => Promise.reject(unavailable(fault))) };
    } catch (error) {
      if (error instanceof S3Fault) throw error;
      throw new S3Fault(ending.signal.aborted ? "no answer in time" : reasonOf(error), !ending.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  return async (call: S3Call): Promise<S3Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await once(call);
        if (!AGAIN.has(answer.response.status)) return answer;
        throw new S3Fault(`status ${answer.response.status} ${answer.code ?? ""}`.trim(), true);
      } catch (fault) {
        if (!(fault instanceof S3Fault && fault.mayPass) || attempt === limits.attempts) throw unavailable(fault);
        await sleep(limits.firstPauseMs * 2 ** (attempt - 1));
      }
    }
  };
}

class S3Fault extends Error {
  override name = "S3Fault";
  readonly mayPass: boolean;
  constructor(what: string, mayPass: boolean) {
    super(`The S3 store: ${what}`);
    this.mayPass = mayPass;
  }
}

export const refusedBy = ({ response, code }: S3Answer): Problem =>
  unavailable(new S3Fault(`status ${response.status} ${code ?? ""}`.trim(), false));

export function unavailable(cause: unknown): Problem {
  return new Problem("archives-unavailable", { cause });
}

async function readText({ body }: Response, abort: () => void, { idleMs, maxTextBytes }: S3Limits): Promise<string> {
  const timer = setTimeout(abort, idleMs);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const piece of body ?? []) {
      bytes += piece.length;
      if (bytes > maxTextBytes) break;
      pieces.push(piece);
    }
  } catch (error) {
    throw new S3Fault(`a text was cut off (${reasonOf(error)})`, true);
  } finally {
    clearTimeout(timer);
  }
  if (bytes <= maxTextBytes) return Buffer.concat(pieces).toString();
  abort();
  throw new S3Fault("an answer is too long", false);
}

/** The rest of the answer repeats the request, including keys. */
const codeIn = (xml: string): string | undefined => /<Code>([A-Za-z]{1,64})<\/Code>/.exec(xml)?.[1];

/** Messages of libraries may contain the address, and with it a password; codes never do. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: unknown; cause?: { code?: unknown } };
  const { code } = cause ?? {};
  return typeof code === "string" ? code : String(name ?? "fault");
}

/** The text of the first element of this name. What stores answer is flat enough for that. */
export function textIn(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(?:#(\d+)|#x([0-9a-fA-F]+)|(\w+));/g, (whole, decimal, hex, word) => {
    const code = Number.parseInt(decimal ?? hex, decimal ? 10 : 16);
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : (WORDS[word] ?? whole);
  });
}

const MAX_CODE_POINT = 0x10ffff;
const WORDS: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
