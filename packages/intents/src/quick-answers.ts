import type { IncomingMessage, ServerResponse } from "node:http";
import { CreateIntent, INTENT_LIMITS, type Intent, VERIFIER_HEADER } from "@backplane/contract/intents";
import {
  ANY_ORIGIN_HEADERS,
  type AnswerFirst,
  answerPlainly,
  answerWithProblem,
  DATA_HEADERS,
  type PlainHeaders,
  plainAddress,
} from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { InProcessRateLimiter } from "@backplane/kit/rate-limiter";
import { bodyChecker } from "@backplane/kit/schemas";
import { asksForStream } from "./asks-for-stream.ts";
import type { KnownPending } from "./known-pending.ts";
import { tooManyPolls } from "./polls.ts";
import { provesChallenge } from "./verifier.ts";

const CREATE = "/auth/intents";
const STATUS_START = "/auth/intents/int_";
const STATUS_END = "/status";
/** `/auth/intents/{token}/status`, and nothing after it: a token is looked up, so its letters need no check. */
const STATUS_LENGTH = STATUS_START.length + 43 + STATUS_END.length;
/** The most frequent answer has only what a browser would miss. */
const PENDING_HEADERS: PlainHeaders = [
  ["content-type", "application/json; charset=utf-8"],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["access-control-allow-origin", "*"],
].flat();
const STILL_PENDING = '{"state":"pending"}';
const isJson = (type: string | undefined): boolean => type === undefined || /^application\/json\s*(;|$)/i.test(type);

export type QuickAnswerOptions = {
  /** The intents that are known to be pending without asking the table. */
  known: KnownPending;
  polls: InProcessRateLimiter;
  create(asked: CreateIntent, from: { ip: string; userAgent: string | undefined }): Promise<Intent>;
  /** Rejects with a problem when this address makes too many. */
  admit(ip: string): Promise<void>;
  addressOf(request: IncomingMessage): string;
  observe(method: "GET" | "POST", route: string, status: number, seconds: number): void;
  onFault(error: unknown): void;
};

/**
 * The two calls that programs make most, on node:http before Fastify sees them: "make an intent" and "not yet". What is
 * unusual about a request, and every other answer, is left to the routes.
 */
export function createQuickAnswers(options: QuickAnswerOptions): AnswerFirst {
  const { known, polls, create, admit, addressOf, observe, onFault } = options;
  const faultsOf = bodyChecker(CreateIntent);
  const plain: PlainHeaders = [...DATA_HEADERS, ...Object.entries(ANY_ORIGIN_HEADERS).flat()];
  const json: PlainHeaders = ["content-type", "application/json; charset=utf-8", ...plain];

  function answersPoll(request: IncomingMessage, response: ServerResponse, token: string): boolean {
    const { headers } = request;
    if (asksForStream(headers.accept)) return false;
    const intent = known.find(token);
    if (intent === undefined || plainAddress(addressOf(request)) !== intent.address) return false;
    if (intent.challenge !== null) {
      const verifier = headers[VERIFIER_HEADER];
      if (typeof verifier !== "string" || !provesChallenge(verifier, intent.challenge)) return false;
    }
    const { allowed, retryAfterMs } = polls.takeNow(intent.hash + intent.key);
    if (allowed) answerPlainly(response, 200, PENDING_HEADERS, STILL_PENDING);
    else answerWithProblem(request, response, plain, tooManyPolls(retryAfterMs));
    observe("GET", "/auth/intents/:token/status", response.statusCode, 0);
    return true;
  }

  async function make(request: IncomingMessage, text: string): Promise<Intent> {
    const asked = text === "" ? {} : parse(text);
    const errors = faultsOf(asked);
    const [first] = errors;
    if (first) {
      const detail = `${first.pointer || "The body"} ${first.message}.`;
      throw new Problem("invalid-input", { detail, errors });
    }
    const ip = addressOf(request);
    await admit(ip);
    return create(asked as CreateIntent, { ip, userAgent: request.headers["user-agent"] });
  }

  async function answerCreate(request: IncomingMessage, response: ServerResponse, text: string): Promise<void> {
    const startMs = performance.now();
    let status = 201;
    try {
      const intent = await make(request, text);
      answerPlainly(response, status, ["location", `${CREATE}/${intent.token}`, ...json], JSON.stringify(intent));
    } catch (error) {
      const problem = error instanceof Problem ? error : new Problem("internal-error", { cause: error });
      if (problem.status >= 500) onFault(error);
      status = problem.status;
      answerWithProblem(request, response, plain, problem);
    }
    observe("POST", CREATE, status, (performance.now() - startMs) / 1_000);
  }

  function answersCreate(request: IncomingMessage, response: ServerResponse): boolean {
    const { headers } = request;
    const length = Number(headers["content-length"] ?? 0);
    const isUsual = headers["transfer-encoding"] === undefined && headers["content-encoding"] === undefined;
    if (!isUsual || !(length <= INTENT_LIMITS.maxBodyBytes)) return false;
    if (length === 0) {
      void answerCreate(request, response, "");
      return true;
    }
    if (!isJson(headers["content-type"])) return false;
    const chunks: Buffer[] = [];
    // node:http lets no more through than the length says.
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => void answerCreate(request, response, Buffer.concat(chunks).toString("utf8")));
    request.on("error", () => {});
    return true;
  }

  return (request, response) => {
    const { method, url = "" } = request;
    if (method === "POST") return url === CREATE && answersCreate(request, response);
    if (method !== "GET" || !url.startsWith(CREATE)) return false;
    const isStatus = url.length === STATUS_LENGTH && url.startsWith(STATUS_START) && url.endsWith(STATUS_END);
    return isStatus && answersPoll(request, response, url.slice(CREATE.length + 1, -STATUS_END.length));
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem("malformed-request", { detail: "The body is not valid JSON.", cause });
  }
}
