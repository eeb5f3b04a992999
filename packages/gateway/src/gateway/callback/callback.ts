import type { IncomingMessage, ServerResponse } from "node:http";
import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import type { Clock } from "@backplane/kit/clock";
import { Problem } from "@backplane/kit/problems";
import type { Delivery, Registrations } from "../registrations.ts";
import { answerCallback, type Exchange, refused, sendAnswer, sendHeaders, sendProblem } from "./answer.ts";
import type { CallbackPages } from "./pages.ts";
import { type Callback, readCallback } from "./parameters.ts";

const PATH = "/callback";

/** Answers a request for /callback and returns true, or leaves it alone and returns false. */
export type CallbackHandler = (request: IncomingMessage, response: ServerResponse) => boolean;

export type CallbackOptions = {
  registrations: Pick<Registrations, "deliver">;
  pages: CallbackPages;
  now: Clock;
  onFault: (error: unknown) => void;
  /** Called with the status of each answer. The request itself is not passed on, because it holds the code. */
  onAnswered?: (status: number) => void;
};

type CallbackExchange = Exchange & {
  /** The label in the path, `/callback/{provider}`. */
  readonly provider: string | undefined;
  readonly startedAtMs: number;
};

/** Runs on node:http itself: this is the one route whose cost per request matters. */
export function createCallbackHandler({
  registrations,
  pages,
  now,
  onFault,
  onAnswered = () => {},
}: CallbackOptions): CallbackHandler {
  function answer(exchange: CallbackExchange, parameters: string): void {
    const callback = readCallback(parameters);
    if ("faults" in callback) {
      const problem = new Problem("invalid-parameter", { errors: callback.faults });
      sendAnswer(
        exchange,
        pages.headers,
        refused(problem, () => pages.malformed(callback)),
      );
      return;
    }
    const delivery = registrations.deliver(callback.state, exchange.provider, callback.answer);
    if (!(delivery instanceof Promise)) {
      finish(exchange, callback, delivery);
      return;
    }
    delivery
      .then((later) => finish(exchange, callback, later))
      .catch((error) => {
        onFault(error);
        // The page keeps the code and asks again.
        finish(exchange, callback, { outcome: "unavailable" });
      });
  }

  function finish(exchange: CallbackExchange, callback: Callback, delivery: Delivery): void {
    const atMs = now();
    const isForm = exchange.request.method === "POST";
    const result = { callback, delivery, isForm, atMs, tookMs: atMs - exchange.startedAtMs };
    sendAnswer(exchange, pages.headers, answerCallback(pages, result));
  }

  function answerForm(exchange: CallbackExchange): void {
    const { request, response } = exchange;
    if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "")) {
      sendProblem(
        exchange,
        new Problem("unsupported-media-type", { detail: "Send application/x-www-form-urlencoded." }),
      );
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= GATEWAY_LIMITS.maxCallbackBytes) chunks.push(chunk);
      else if (!response.headersSent) sendProblem(exchange, new Problem("payload-too-large"));
    });
    request.on("end", () => {
      // A form is ASCII. Bytes that should have been escaped are passed on one by one.
      if (!response.headersSent) answer(exchange, Buffer.concat(chunks).toString("latin1"));
    });
    request.on("error", () => {});
  }

  function answerMethod(exchange: CallbackExchange, query: string): void {
    const { request } = exchange;
    if (request.method === "HEAD") sendHeaders(exchange, pages.headers);
    else if (isNotAVisit(request)) {
      // Nobody has followed the link yet.
      sendProblem(
        exchange,
        new Problem("not-ready", {
          detail: "Prefetches and previews are not answered. Open the address in a browser.",
        }),
      );
    } else if (request.method === "POST") answerForm(exchange);
    else if (request.method !== "GET") {
      sendProblem(exchange, new Problem("method-not-allowed", { headers: { allow: "GET, HEAD, POST" } }));
    } else if (query.length > GATEWAY_LIMITS.maxCallbackBytes) {
      sendProblem(exchange, new Problem("address-too-long"));
    } else answer(exchange, query);
  }

  return function handleCallback(request, response) {
    const url = request.url ?? "";
    if (!url.startsWith(PATH)) return false;
    const queryAt = url.indexOf("?");
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const provider = path.length > PATH.length + 1 ? readLabel(path) : undefined;
    if (provider === null || (path.length > PATH.length && path[PATH.length] !== "/")) return false;
    const exchange = { request, response, onAnswered, provider, startedAtMs: now() };
    answerMethod(exchange, queryAt < 0 ? "" : url.slice(queryAt + 1));
    return true;
  };
}

/** Null when the path is not a valid callback address. */
function readLabel(path: string): string | null {
  try {
    const label = decodeURIComponent(path.slice(PATH.length + 1));
    return label.includes("/") ? null : label;
  } catch {
    return null;
  }
}

/** Destinations of real visits; `empty` is our own page asking again. */
const VISITS = new Set(["document", "empty", "iframe", "frame"]);
/** Programs that fetch an address because somebody posted it. */
const PREVIEWERS =
  /Slackbot|Twitterbot|facebookexternalhit|Discordbot|TelegramBot|LinkedInBot|WhatsApp\/|SkypeUriPreview|Googlebot|bingbot/i;

/** Fetched in advance, as part of another page, or for a preview. */
function isNotAVisit({ headers }: IncomingMessage): boolean {
  const { "sec-fetch-dest": destination, "user-agent": agent } = headers;
  if (typeof destination === "string" && !VISITS.has(destination)) return true;
  if (agent !== undefined && PREVIEWERS.test(agent)) return true;
  return [headers["sec-purpose"], headers.purpose, headers["x-purpose"], headers["x-moz"]].some(
    (purpose) => typeof purpose === "string" && /prefetch|preview|prerender/i.test(purpose),
  );
}
