import type { IncomingMessage, ServerResponse } from "node:http";
import {
  answerPlainly,
  answerWithProblem,
  type CountedText,
  DATA_HEADERS,
  type PlainHeaders,
  type PreparedHeaders,
  prepareHeaders,
} from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Delivery } from "../registrations.ts";
import type { CallbackPages } from "./pages.ts";
import type { Callback } from "./parameters.ts";

/** The outcome of a callback, as JSON and as a page. Each is rendered only when needed. */
export type Answer = {
  readonly outcome: () => object | Problem;
  readonly page: () => string | CountedText;
  readonly status: number;
};

export type CallbackResult = {
  readonly callback: Callback;
  readonly delivery: Delivery;
  /** The parameters came in a form, not in the address. */
  readonly isForm: boolean;
  readonly atMs: number;
  readonly tookMs: number;
};

const RETRY_AFTER = { "retry-after": "1" };

export function answerCallback(pages: CallbackPages, result: CallbackResult): Answer {
  const { callback, delivery, isForm } = result;
  // The code stays in the user's browser, which asks again. A form's parameters are in no address, so the page holds them.
  const kept = () => (isForm ? { parameters: callback.answer.query } : {});
  switch (delivery.outcome) {
    case "delivered":
      return delivered(pages, result, delivery.provider);
    case "unconfirmed":
      return refused(new Problem("unconfirmed"), () => pages.unconfirmed(delivery));
    case "wrong-provider":
      return refused(new Problem("wrong-provider"), () => pages.wrongProvider(delivery));
    case "used":
      return refused(new Problem("state-used"), pages.used);
    case "expired":
      return refused(new Problem("state-expired"), pages.expired);
    case "unknown":
      return refused(new Problem("state-unknown", { headers: RETRY_AFTER }), () => pages.waiting(kept()));
    case "unavailable":
      return refused(new Problem("bus-unavailable", { headers: RETRY_AFTER }), () => pages.notReady(kept()));
  }
}

export const refused = (problem: Problem, page: () => string): Answer => ({
  status: problem.status,
  outcome: () => problem,
  page,
});

function delivered(
  pages: CallbackPages,
  { callback: { answer }, atMs, tookMs }: CallbackResult,
  provider: string,
): Answer {
  if ("code" in answer) {
    return {
      status: 200,
      outcome: () => ({ status: "delivered", provider }),
      page: () => pages.delivered({ provider, atMs, tookMs }),
    };
  }
  const { error, description } = answer;
  const page = error === "access_denied" ? pages.declined : pages.refused;
  return {
    status: 200,
    outcome: () => ({
      status: "declined",
      provider,
      error,
      ...(description === undefined ? {} : { error_description: description }),
    }),
    page: () => page({ provider, error, description }),
  };
}

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly onAnswered: (status: number) => void;
};

const JSON_HEADERS = prepareHeaders(["content-type", "application/json; charset=utf-8", ...DATA_HEADERS]);

/** Sends a page, or JSON to clients that ask for it. */
export function sendAnswer(exchange: Exchange, pageHeaders: PreparedHeaders, { status, outcome, page }: Answer): void {
  const asJson = wantsJson(exchange.request);
  // The page of a delivery, the most frequent answer, needs neither the outcome nor extra headers.
  const result = asJson || status !== 200 ? outcome() : undefined;
  if (asJson && result instanceof Problem) sendProblem(exchange, result);
  else if (asJson) write(exchange, status, JSON_HEADERS, JSON.stringify(result));
  else write(exchange, status, result instanceof Problem ? withHeadersOf(pageHeaders, result) : pageHeaders, page());
}

export function sendProblem({ request, response, onAnswered }: Exchange, problem: Problem): void {
  answerWithProblem(request, response, DATA_HEADERS, problem);
  onAnswered(problem.status);
}

/** Answers HEAD with the headers of the page. */
export const sendHeaders = (exchange: Exchange, headers: PreparedHeaders): void => write(exchange, 200, headers, "");

const withHeadersOf = ({ list }: PreparedHeaders, problem: Problem): string[] => [
  ...list,
  ...Object.entries(problem.headers).flat(),
];

/** Browsers accept text/html; a client that accepts JSON and no HTML is a program. */
function wantsJson({ headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes("json") === true && !accept.includes("text/html");
}

function write(
  { response, onAnswered }: Exchange,
  status: number,
  headers: PlainHeaders | PreparedHeaders,
  body: string | CountedText,
): void {
  answerPlainly(response, status, headers, body);
  onAnswered(status);
}
