import { type ClientRequest, type IncomingMessage, request as requestPlainly } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { finished } from "node:stream/promises";
import type { Connect } from "@backplane/kit/guard";
import { portOf } from "@backplane/kit/guard";
import { frameOrigin } from "../../frames.ts";
import { passOf } from "./answer.ts";
import type { ProxyContext } from "./context.ts";
import { faultLine, SiteFault, siteFaultOf } from "./faults.ts";
import { type FramedSite, headersForSite } from "./request-headers.ts";
import { type SiteHeaders, setCookieLines } from "./response-headers.ts";

const ASKED = ["sec-websocket-key", "sec-websocket-version", "sec-websocket-protocol", "sec-websocket-extensions"];
const ANSWERED = ["sec-websocket-accept", "sec-websocket-protocol", "sec-websocket-extensions"];

/** What WebSockets need in addition. */
export type SocketContext = ProxyContext & { connect: Connect; open: Set<Duplex> };

/** Connects a WebSocket of a page to its site, with the same pass, guard and address check as every other request. */
export function upgradeFrame(
  context: SocketContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  label: string,
): void {
  socket.on("error", () => {});
  open(context, request, socket, head, label).catch((error) => {
    const fault = siteFaultOf(error);
    if (!fault) context.onFault(error);
    refuse(socket, fault ?? new SiteFault("internal"));
  });
}

/** Sandboxes have no sockets. */
export function refuseUpgrade(socket: Duplex): void {
  socket.on("error", () => {});
  refuse(socket, new SiteFault("foreign-request"));
}

async function open(
  context: SocketContext,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  label: string,
): Promise<void> {
  const { guard, slots, limits, cookieAttributes } = context;
  guard.learnOwnPort(request.socket.localPort);
  const pass = passOf(context.passes, request, label);
  const stopFollowing = pass && (await context.followAccess(pass.access, () => socket.destroy()));
  if (!stopFollowing) throw new SiteFault("pass");
  if (socket.closed) return stopFollowing();
  socket.once("close", stopFollowing);
  const framed: FramedSite = { site: pass.site, frame: frameOrigin(context.framesUrl, label) };
  // Browsers send cookies with every WebSocket: only the site's own pages may open one.
  if (request.headers.origin !== framed.frame) throw new SiteFault("foreign-request");
  const url = URL.parse(framed.site + (request.url ?? "/"));
  if (!request.url?.startsWith("/") || url?.origin !== framed.site) throw new SiteFault("address-refused");
  guard.expectUrl(url);
  const release = slots.take(label, pass.access.userId);
  if (!release) throw new SiteFault("busy");
  context.open.add(socket);
  const asking = ask(context, request, framed, url);
  // The slot is held until the request to the site has ended too, even if the page leaves at once.
  const left = new Promise<void>((resolve) => socket.once("close", resolve));
  Promise.allSettled([asking, left]).then(release);
  left.then(() => context.open.delete(socket));
  const { answer, upstream, rest } = await asking;
  if (socket.destroyed) {
    upstream.destroy();
    return;
  }
  socket.write(acceptance(answer.headers, cookieAttributes));
  if (rest.length > 0) socket.write(rest);
  if (head.length > 0) upstream.write(head);
  pipeBetween(socket, upstream, { idleMs: limits.socketIdleMs });
}

type Accepted = { answer: IncomingMessage; upstream: Duplex; rest: Buffer };

async function ask(
  { connect, limits }: SocketContext,
  request: IncomingMessage,
  framed: FramedSite,
  url: URL,
): Promise<Accepted> {
  const isSecure = url.protocol === "https:";
  const connection = await connect({
    ...{ isSecure, hostname: url.hostname, port: portOf(url), timeoutMs: limits.connectTimeoutMs },
  });
  const asking = requestPlainly({
    createConnection: () => connection,
    path: request.url,
    setDefaultHeaders: false,
    headers: { host: url.host, connection: "Upgrade", upgrade: "websocket", ...headersToAsk(request, framed) },
  });
  return accepted(asking, connection, limits.headersTimeoutMs);
}

function headersToAsk({ headers }: IncomingMessage, framed: FramedSite): Record<string, string> {
  const passed = headersForSite(headers, framed, { isDocument: false });
  for (const name of ASKED) {
    const value = headers[name];
    if (typeof value === "string") passed[name] = value;
  }
  return passed;
}

function accepted(asking: ClientRequest, connection: Socket, timeoutMs: number): Promise<Accepted> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      connection.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new SiteFault("timed-out")), timeoutMs);
    asking.once("error", fail);
    asking.once("response", () => fail(new SiteFault("connection-refused")));
    asking.once("upgrade", (answer, upstream, rest) => {
      clearTimeout(timer);
      resolve({ answer, upstream, rest });
    });
    asking.end();
  });
}

function acceptance(headers: SiteHeaders, cookieAttributes: string): string {
  const lines = ["HTTP/1.1 101 Switching Protocols", "Connection: Upgrade", "Upgrade: websocket"];
  for (const name of ANSWERED) {
    const value = headers[name];
    if (typeof value === "string") lines.push(`${name}: ${value}`);
  }
  for (const cookie of setCookieLines(headers, cookieAttributes)) lines.push(`set-cookie: ${cookie}`);
  return `${lines.join("\r\n")}\r\n\r\n`;
}

function refuse(socket: Duplex, { reason }: SiteFault): void {
  const { status, body } = faultLine(reason);
  socket.once("finish", () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Pipes both ways with backpressure until one side ends or both are idle; then closes both. */
function pipeBetween(one: Duplex, other: Duplex, { idleMs }: { idleMs: number }): void {
  const end = () => {
    clearTimeout(timer);
    one.destroy();
    other.destroy();
  };
  const timer = setTimeout(end, idleMs).unref();
  const onData = () => void timer.refresh();
  one.on("data", onData);
  other.on("data", onData);
  one.pipe(other).pipe(one);
  // Not two pipelines: they add more listeners than Node expects on one stream, and it warns.
  Promise.all([finished(one), finished(other)]).then(end, end);
}
