import { createHash, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { BlockList, isIP } from "node:net";
import { dirname } from "node:path";
import proxyAddress from "@fastify/proxy-addr";
import type { FastifyReply, FastifyRequest } from "fastify";
import { makePrivateFolder } from "../folder.ts";
import { html } from "../page/html.ts";
import { renderStandalonePage, standalonePolicy, styleFor } from "../page/page.ts";
import type { Problem } from "../problems.ts";
import { lazily } from "../toolbox/lazily.ts";
import { prefersHtml } from "./caller-program.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Also true for ::ffff:127.0.0.1, as IPv6 sockets write it. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && LOOPBACK.check(address, family === 4 ? "ipv4" : "ipv6");
}

const HOST_HEADER = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::\d{1,5})?$/i;

/** The host of a Host header without its port: a name in lower case, or an address without brackets. Undefined: the header is malformed. */
export function hostNameOf(header: string): string | undefined {
  const { v6, name } = HOST_HEADER.exec(header)?.groups ?? {};
  return v6?.toLowerCase() ?? name?.toLowerCase().replace(/\.$/, "");
}

/**
 * Whether a Host header names this machine. A page of another site can make its own name point here (DNS rebinding), but
 * its requests still carry that name. Browsers never ask a name server for localhost and names below it.
 */
export function isLoopbackHost(header: string): boolean {
  const host = hostNameOf(header);
  if (host === undefined) return false;
  return host === "localhost" || host.endsWith(".localhost") || isLoopbackAddress(host);
}

export function bearerToken(authorization: string | string[] | undefined): string | undefined {
  return typeof authorization === "string" ? /^Bearer +(\S+)$/i.exec(authorization)?.[1] : undefined;
}

/** Compares in constant time, whatever the lengths. */
export function isSameSecret(sent: string, kept: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(sent), digest(kept));
}

const TOKEN_BYTES = 32;
/** The owner may choose a token too, if it is long enough. */
const TOKEN_PATTERN = /^[\x21-\x7e]{32,256}$/;
const OWNER_ONLY = 0o600;

/**
 * The token in the file, which is created at the first start and includes the name of the process. Tokens with this prefix
 * are scrubbed from everything that is printed.
 */
export function readOrMakeToken(path: string, name: string, randomBytes: (size: number) => Buffer): string {
  const kept = read(path);
  if (kept !== undefined) {
    chmodSync(path, OWNER_ONLY);
    return kept;
  }
  const made = `tok_${name}_${randomBytes(TOKEN_BYTES).toString("base64url")}`;
  makePrivateFolder(dirname(path));
  // The file exists but has no token: a full disk may have left it empty.
  rmSync(path, { force: true });
  writeFileSync(path, `${made}\n`, { flag: "wx", mode: OWNER_ONLY });
  return made;
}

function read(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8").trim();
    return TOKEN_PATTERN.test(text) ? text : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** The parts of a request that decide whether it is allowed. */
export type LocalCaller = {
  method: string;
  /** The address at the other end of the connection. */
  peer: string;
  /** The caller's address: the same as `peer`, unless a trusted proxy named another one. */
  address: string;
  /** Whether a trusted proxy named it. A proxy that is not trusted may forward anybody's request. */
  isForwardedByTrusted: boolean;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Whether the caller is on this machine, or has the token, or why it is refused. */
export type CallerVerdict = "here" | "has-token" | "token-needed" | "token-wrong";

export const localCallerOf = (request: FastifyRequest): LocalCaller => ({
  method: request.method,
  peer: request.socket.remoteAddress ?? "",
  address: request.ip,
  isForwardedByTrusted: (request.ips?.length ?? 1) > 1,
  headers: request.headers,
});

/** For servers that answer callers on this machine, and others only with a token. */
export function judgeCaller(caller: LocalCaller, token: string): CallerVerdict {
  const sent = bearerToken(caller.headers.authorization);
  if (sent !== undefined && isSameSecret(sent, token)) return "has-token";
  if (isHere(caller)) return "here";
  return sent === undefined ? "token-needed" : "token-wrong";
}

/** Headers that proxies add: a request with one of them does not come directly from this machine. */
const PROXY_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|via|cf-.*|true-client-ip)$/;

function isHere({ peer, address, isForwardedByTrusted, headers }: LocalCaller): boolean {
  if (!isLoopbackAddress(peer) || !isLoopbackAddress(address)) return false;
  if (!isForwardedByTrusted && Object.keys(headers).some((name) => PROXY_HEADER.test(name))) return false;
  const hosts = [headers.host, headers["x-forwarded-host"] ?? headers.host];
  return hosts.every((host) => typeof host === "string" && isLoopbackHost(host));
}

type MetricsAccess = { trustProxy: readonly string[]; metricsToken: string | undefined };

/** Whether a request comes directly from this machine. A trusted proxy on this machine forwards strangers. */
export function createHereCheck({
  trustProxy,
}: Pick<MetricsAccess, "trustProxy">): (request: FastifyRequest) => boolean {
  const isTrusted = proxyAddress.compile([...trustProxy]);
  return (request) => {
    const caller = localCallerOf(request);
    return isHere(caller) && !isTrusted(caller.peer, 0);
  };
}

/** Programs on this machine that ask directly, and anybody with the token. */
export function createMetricsCheck({ trustProxy, metricsToken }: MetricsAccess): (request: FastifyRequest) => boolean {
  const isAskedHere = createHereCheck({ trustProxy });
  return (request) => {
    const sent = bearerToken(request.headers.authorization);
    if (metricsToken !== undefined && sent !== undefined && isSameSecret(sent, metricsToken)) return true;
    return isAskedHere(request);
  };
}

/** Browsers say which page a request comes from. Programs say nothing and are allowed. */
export function isFromForeignPage({ headers }: Pick<LocalCaller, "headers">, host = headers.host): boolean {
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) return true;
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}

export type RefusalPage = {
  /** The name of the process, such as "Watchdog". */
  name: string;
  port: number;
  homeUrl: string;
  /** The path to open; empty, or with a slash at its start. */
  path?: string;
  /** How a program gets access, as the end of a sentence that begins with "they". */
  tokenHint: string;
};

/**
 * Answers a person on another machine with a page that shows how to open it without a token. Returns false for programs,
 * which get the problem instead.
 */
export function createRefusal(options: RefusalPage) {
  const rendered = lazily(() => renderRefusal(options));
  return (request: FastifyRequest, reply: FastifyReply, problem: Problem): boolean => {
    if (request.method !== "GET" || !prefersHtml(request.headers.accept)) return false;
    const { page, policy } = rendered();
    reply
      .code(problem.status)
      .headers({ ...problem.headers, "content-security-policy": policy, "cache-control": "no-store" })
      .type("text/html; charset=utf-8")
      .send(page);
    return true;
  };
}

function renderRefusal({ name, port, homeUrl, path = "", tokenHint }: RefusalPage) {
  const url = `http://localhost:${port}${path}`;
  const body = html`<div class="card">
<div class="outcome"><span class="glyph"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><rect x="3.25" y="7" width="9.5" height="6.75" rx="1"/><path d="M5.25 7V4.75a2.75 2.75 0 0 1 5.5 0V7"/></svg></span><div><h1>This page opens on its own machine</h1><p>From elsewhere, bring its port to yours with the line below, then open <a href="${url}">${url}</a>.</p></div></div>
<div class="card-body"><p class="copy"><code class="prompted">ssh -L ${port}:localhost:${port} you@machine</code></p></div>
<div class="card-body dense muted">Programs need the token: they ${tokenHint}.</div>
</div>`;
  const style = styleFor(body);
  return {
    policy: standalonePolicy({ styles: [style] }),
    page: renderStandalonePage({ title: `${name}: not from here`, name, process: "", homeUrl, body, style }),
  };
}
