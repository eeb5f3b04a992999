import { setTimeout as pause } from "node:timers/promises";
import { ManagerFault } from "../manager-fault.ts";
import { type Answer, Interrupted, request, shownUrl, type Transport } from "./transport.ts";

export type Got = { bytes: Buffer; etag?: string; contentType?: string };

export type GetOptions = {
  /** For people: "packages.json of Tools". */
  what: string;
  maxBytes: number;
  etag?: string;
  /** Past every cache on the way. */
  fresh?: boolean;
};

/** Asked again, these often answer. */
const PASSING = new Set([502, 503, 504]);

/** A small file, whole. */
export async function get(transport: Transport, url: string, options: GetOptions): Promise<Got | "not-modified"> {
  const headers: Record<string, string> = {
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

/** Does it again while connections break, as often as the limits say. */
export async function attempt<Result>(
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
          `${what} could not be fetched: ${error.message}. Check the connection, then run the command again.`,
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

/** `isPart`: it is the part that was asked for. */
export function mustBeOk(answer: Answer, what: string, isPart = false): void {
  if (answer.status === 200 || (answer.status === 206 && isPart)) return;
  answer.drop();
  const { status } = answer;
  if (PASSING.has(status)) throw new Interrupted(`the server answers ${status}`, true);
  throw new ManagerFault(
    "http-status",
    `${what} is not there: ${shownUrl(answer.url)} answers ${status}. ${next(status)}`,
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
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of answer.body) {
    size += piece.byteLength;
    if (size > maxBytes) {
      throw new ManagerFault(
        "too-large",
        `${what} has more than ${maxBytes} bytes, and is not read. Tell the repository's owner.`,
        { url: shownUrl(answer.url), maxBytes },
      );
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
