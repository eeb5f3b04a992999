// How a request of a frame is answered, in the order of the files:
//   context.ts           what all of them need
//   answer.ts            checks the pass and decides what kind of request it is
//   enter.ts             lets a browser into a frame, or from one site's frame into another's
//   pass-through.ts      everything else goes to the site and back:
//     request-headers.ts    what the site is sent
//     fetch-site.ts         over a connection that ../guard has checked
//     response-headers.ts   what the browser gets
//     page-text.ts          pages are decoded,
//     rewrite-page.ts       their addresses are changed, and
//     tracker.js            the tracker is injected
//   upgrade.ts           WebSockets
//   faults.ts            what the frame shows when something fails
import type { IncomingMessage, ServerResponse } from "node:http";
import { allowSlowBody } from "@backplane/kit/http";
import { frameOrigin } from "../../frames.ts";
import { passesIn } from "../passes/cookies.ts";
import { ENTER_PATH, GO_PATH, OWN_PATH } from "../passes/frame-addresses.ts";
import type { Pass, Passes } from "../passes/passes.ts";
import type { ProxyContext } from "./context.ts";
import { answerEnter, answerGo } from "./enter.ts";
import { faultLine, renderFaultPage, SiteFault, siteFaultOf } from "./faults.ts";
import { passThrough } from "./pass-through.ts";
import { asksForDocument } from "./request-headers.ts";
import { ownHeaders } from "./response-headers.ts";

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Answers every request to the host of a frame. Never fails: errors are shown in the frame. */
export function answerFrame(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  label: string,
): void {
  context.guard.learnOwnPort(request.socket.localPort);
  const pass = passOf(context.passes, request, label);
  dispatch(context, request, response, label, pass).catch((error) => {
    const fault = siteFaultOf(error);
    if (!fault && !response.destroyed) context.onFault(error);
    answerFault(context, request, response, pass, fault ?? new SiteFault("internal"));
  });
}

/** The pass in the request's cookie for exactly this frame. */
export function passOf(passes: Passes, { headers }: IncomingMessage, label: string): Pass | undefined {
  for (const text of passesIn(headers.cookie)) {
    const pass = passes.read(text, "stay", label);
    if (pass) return pass;
  }
  return undefined;
}

async function dispatch(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  label: string,
  pass: Pass | undefined,
): Promise<void> {
  const { limits } = context;
  const path = request.url ?? "/";
  if (!path.startsWith("/") || !METHODS.has(request.method ?? "")) throw new SiteFault("method");
  allowSlowBody(request, { idleMs: limits.sendIdleMs, withinMs: limits.sendWithinMs });
  if (path.startsWith(`${ENTER_PATH}?`)) return answerEnter(context, request, response, label);
  const stopFollowing = pass && (await context.followAccess(pass.access, () => response.destroy()));
  if (!stopFollowing) throw new SiteFault("pass");
  try {
    await answerWithPass(context, request, response, label, pass);
  } finally {
    stopFollowing();
  }
}

async function answerWithPass(
  context: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  label: string,
  pass: Pass,
): Promise<void> {
  const path = request.url ?? "/";
  // A worker would outlive the page and answer for the whole host, our own paths included.
  if (request.headers["service-worker"] !== undefined) throw new SiteFault("worker");
  if (path.startsWith(GO_PATH)) return answerGo(context, request, response, pass);
  if (path.startsWith(OWN_PATH)) throw new SiteFault("foreign-request");
  const release = context.slots.take(label, pass.access.userId);
  if (!release) throw new SiteFault("busy");
  try {
    const { site, popups, downloads } = pass;
    const framed = { site, frame: frameOrigin(context.framesUrl, label), popups, downloads };
    await passThrough(context, request, response, framed, pass.access.userId);
  } finally {
    release();
  }
}

function answerFault(
  { ancestors }: ProxyContext,
  request: IncomingMessage,
  response: ServerResponse,
  pass: Pass | undefined,
  { reason }: SiteFault,
): void {
  if (response.headersSent || response.destroyed) {
    // A partial answer must not look complete.
    response.destroy();
    return;
  }
  const isPage = asksForDocument(request);
  const [, policy = "", ...own] = ownHeaders(ancestors);
  const page = isPage ? renderFaultPage(reason, pass ? pass.site + (request.url ?? "/") : "", ancestors) : undefined;
  const { status, body } = page ?? faultLine(reason);
  const headers = [
    ...["content-type", isPage ? "text/html; charset=utf-8" : "text/plain; charset=utf-8"],
    ...["content-security-policy", page ? `${page.policy}; ${policy}` : policy, ...own],
    ...["cache-control", "no-store", "x-content-type-options", "nosniff"],
    ...["content-length", String(Buffer.byteLength(body))],
    ...(status === 429 ? ["retry-after", "1"] : []),
    ...(request.complete ? [] : ["connection", "close"]),
  ];
  response.writeHead(status, headers);
  response.end(request.method === "HEAD" ? undefined : body);
}
