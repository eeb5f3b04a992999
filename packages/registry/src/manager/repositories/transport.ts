import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { BlockList, isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { ARCHIVE_LIMITS } from "@backplane/contract/registry";
import { ManagerFault } from "../faults.ts";
import type { TransferLimits } from "../manager-types.ts";

const MIB = 1024 * 1024;

export const TRANSFER_LIMITS: TransferLimits = {
  answerWithinMs: 30_000,
  silenceMs: 30_000,
  minBytesPerS: 500,
  maxRedirects: 5,
  maxAttempts: 5,
  retryPauseMs: 200,
  maxRepositoryBytes: 64 * 1024,
  maxPackagesBytes: 64 * MIB,
  maxResourcesBytes: 100 * MIB,
  maxManifestBytes: 16 * MIB,
  maxArchiveBytes: ARCHIVE_LIMITS.maxBytes,
  maxCachedArchiveBytes: 512 * MIB,
  maxBundleBytes: 1024 * MIB,
  maxRepositories: 32,
  waitForOthersMs: 15_000,
  maxLockBytes: 4 * MIB,
};

export type Transport = {
  fetch: typeof globalThis.fetch;
  token?: { origin: string; value: string };
  signal?: AbortSignal;
  limits: TransferLimits;
  offline: boolean;
};

export type Answer = {
  status: number;
  /** After redirects. */
  url: string;
  etag?: string;
  contentType?: string;
  length?: number;
  /** Where the body of a 206 begins. */
  rangeStart?: number;
  body: AsyncIterable<Uint8Array>;
  /** Releases the connection if the body is not read. */
  drop: () => void;
};

/** The connection broke or stalled; another attempt may work. */
export class Interrupted extends Error {
  readonly mayRetry: boolean;
  constructor(message: string, mayRetry: boolean, options?: ErrorOptions) {
    super(message, options);
    this.mayRetry = mayRetry;
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** These errors are definite; retrying within a second would give the same. */
const FINAL_CAUSES = new Set(["ENOTFOUND", "ECONNREFUSED", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);

/** An address that is safe to show: the query can contain secrets. */
export function shownUrl(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Follows redirects within the limits. Files are answered as if they were served. */
export async function request(transport: Transport, url: string, headers: Record<string, string>): Promise<Answer> {
  let current = new URL(url);
  if (current.protocol === "file:") return answerFromFile(current, headers);
  if (transport.offline) {
    throw new ManagerFault("offline", `${shownUrl(url)} was not requested, because the manager is offline.`, {
      url: shownUrl(url),
    });
  }
  for (let redirects = 0; ; redirects += 1) {
    const answer = await ask(transport, current, headers);
    if (!REDIRECTS.has(answer.status) || answer.location === undefined) return answer;
    answer.drop();
    const next = URL.parse(answer.location, current.href);
    const why = whyNotFollow(current, next, redirects, transport.limits.maxRedirects);
    if (why !== undefined || next === null) {
      throw new ManagerFault("bad-redirect", `${shownUrl(url)} redirects to an address that is not allowed: ${why}.`, {
        url: shownUrl(url),
      });
    }
    current = next;
  }
}

function whyNotFollow(from: URL, to: URL | null, redirects: number, maxRedirects: number): string | undefined {
  if (to === null) return "the address cannot be read";
  if (to.protocol !== "http:" && to.protocol !== "https:") return `it is a ${to.protocol} address`;
  if (from.protocol === "https:" && to.protocol !== "https:") return "it goes from https to http";
  if (leadsInside(to, from)) return "it is on this machine or a private network";
  if (redirects >= maxRedirects) return `more than ${maxRedirects} redirects`;
  return undefined;
}

async function ask(transport: Transport, url: URL, headers: Record<string, string>) {
  const { limits, token } = transport;
  const controller = new AbortController();
  const signal = transport.signal ? AbortSignal.any([controller.signal, transport.signal]) : controller.signal;
  const isOurs = token !== undefined && token.origin === url.origin;
  const timer = setTimeout(() => controller.abort(), limits.answerWithinMs);
  try {
    const response = await transport.fetch(url, {
      redirect: "manual",
      signal,
      headers: { ...headers, ...(isOurs ? { authorization: `Bearer ${token.value}` } : {}) },
    });
    const drop = () => controller.abort();
    return { ...described(response, url), body: pieces(transport, response, controller, url), drop };
  } catch (error) {
    throw asInterrupted(transport, error, controller.signal.aborted, limits.answerWithinMs, url);
  } finally {
    clearTimeout(timer);
  }
}

function described(response: Response, url: URL) {
  const text = (name: string) => response.headers.get(name) ?? undefined;
  const [etag, contentType, location] = [text("etag"), text("content-type"), text("location")];
  const length = text("content-encoding") === undefined ? text("content-length") : undefined;
  const rangeStart = /^bytes (\d+)-/.exec(text("content-range") ?? "")?.[1];
  return {
    status: response.status,
    url: url.href,
    ...(location === undefined ? {} : { location }),
    ...(etag === undefined ? {} : { etag }),
    ...(contentType === undefined ? {} : { contentType }),
    ...(length === undefined ? {} : { length: Number(length) }),
    ...(rangeStart === undefined ? {} : { rangeStart: Number(rangeStart) }),
  };
}

async function* pieces(transport: Transport, response: Response, controller: AbortController, url: URL) {
  const { silenceMs, minBytesPerS } = transport.limits;
  const timer = setTimeout(() => controller.abort(), silenceMs);
  const waited = { ms: 0, bytes: 0, sinceMs: performance.now() };
  try {
    for await (const piece of response.body ?? []) {
      timer.refresh();
      waited.ms += performance.now() - waited.sinceMs;
      waited.bytes += (piece as Uint8Array).byteLength;
      if (waited.ms >= silenceMs) {
        // A server that sends a byte now and then could hold a client for days.
        if (waited.bytes * 1_000 < minBytesPerS * waited.ms) {
          throw new Interrupted(`${url.host} sends less than ${minBytesPerS} bytes per second`, true);
        }
        Object.assign(waited, { ms: 0, bytes: 0 });
      }
      yield piece as Uint8Array;
      // Time spent writing a piece does not count as waiting.
      timer.refresh();
      waited.sinceMs = performance.now();
    }
  } catch (error) {
    throw asInterrupted(transport, error, controller.signal.aborted, silenceMs, url);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function asInterrupted(transport: Transport, error: unknown, timedOut: boolean, waitedMs: number, url: URL): Error {
  if (error instanceof ManagerFault || error instanceof Interrupted) return error;
  if (transport.signal?.aborted) return new ManagerFault("aborted", "Stopped.");
  if (timedOut) return new Interrupted(`${url.host} did not answer within ${waitedMs / 1_000} s`, true);
  const cause = (error as { cause?: { code?: unknown; message?: unknown } }).cause;
  const code = typeof cause?.code === "string" ? cause.code : undefined;
  const words = code ?? (error as Error).message;
  return new Interrupted(`the connection to ${url.host} failed (${words})`, !FINAL_CAUSES.has(code ?? ""), {
    cause: error,
  });
}

async function answerFromFile(url: URL, headers: Record<string, string>): Promise<Answer> {
  const path = pathOf(url);
  const found = await stat(path).catch(() => undefined);
  const drop = () => {};
  const nothing = { url: url.href, body: none(), drop };
  if (!found?.isFile()) return { status: 404, ...nothing };
  const etag = `"${found.size.toString(36)}-${found.mtimeMs.toString(36)}"`;
  if (headers["if-none-match"] === etag) return { status: 304, etag, ...nothing };
  const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1] ?? 0);
  if (start >= found.size && start > 0) return { status: 416, ...nothing };
  const range = start > 0 ? { status: 206, rangeStart: start } : { status: 200 };
  return { ...range, url: url.href, etag, length: found.size - start, body: readFrom(path, start), drop };
}

function pathOf(url: URL): string {
  try {
    return fileURLToPath(url);
  } catch {
    // It is on another machine, or has an encoded slash.
    throw new ManagerFault("bad-url", `${shownUrl(url.href)} is not the address of a file on this machine.`);
  }
}

/** Opened only when it is read, so that nothing stays open otherwise. */
async function* readFrom(path: string, start: number): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { start }) as AsyncIterable<Uint8Array>;
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** This machine and its link-local network, where cloud providers serve the machine's credentials. */
const LOCAL = new BlockList();
LOCAL.addSubnet("0.0.0.0", 8);
LOCAL.addSubnet("127.0.0.0", 8);
LOCAL.addSubnet("169.254.0.0", 16);
LOCAL.addAddress("100.100.100.200");
LOCAL.addAddress("168.63.129.16");
LOCAL.addAddress("192.0.0.192");
LOCAL.addAddress("::", "ipv6");
LOCAL.addAddress("::1", "ipv6");
LOCAL.addSubnet("fe80::", 10, "ipv6");
LOCAL.addAddress("fd00:ec2::254", "ipv6");
const LOCAL_NAME = /(?:^|\.)(?:localhost|metadata\.google\.internal)\.?$/;

const PRIVATE = new BlockList();
PRIVATE.addSubnet("10.0.0.0", 8);
PRIVATE.addSubnet("100.64.0.0", 10);
PRIVATE.addSubnet("172.16.0.0", 12);
PRIVATE.addSubnet("192.168.0.0", 16);
PRIVATE.addSubnet("fc00::", 7, "ipv6");
// They contain an IPv4 address, which may be one of a private network (NAT64, 6to4, Teredo, compatible).
PRIVATE.addSubnet("64:ff9b::", 32, "ipv6");
PRIVATE.addSubnet("2002::", 16, "ipv6");
PRIVATE.addSubnet("2001::", 32, "ipv6");
PRIVATE.addSubnet("::", 96, "ipv6");

/**
 * Whether an address leads further inside than where it was found: from a public repository to an address of a private
 * network, or from anywhere else to this machine. A client must not send requests there on behalf of somebody else.
 * Names are not resolved: a company's own names work.
 */
export const leadsInside = (to: URL, from: URL): boolean => distanceOf(to) < distanceOf(from);

const DISTANCE = { thisMachine: 0, privateNetwork: 1, public: 2 } as const;

function distanceOf({ hostname, protocol }: URL): number {
  if (protocol === "file:") return DISTANCE.thisMachine;
  const host = hostname.replace(/^\[|\]$/g, "");
  const kind = isIP(host);
  if (kind === 0) return LOCAL_NAME.test(host) ? DISTANCE.thisMachine : DISTANCE.public;
  const family = kind === 4 ? "ipv4" : "ipv6";
  if (LOCAL.check(host, family)) return DISTANCE.thisMachine;
  return PRIVATE.check(host, family) ? DISTANCE.privateNetwork : DISTANCE.public;
}
