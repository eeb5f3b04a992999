import type { IncomingMessage, ServerResponse } from "node:http";
import { answerPlainly, answerWithProblem, DATA_HEADERS, type PlainHeaders as Headers } from "@backplane/kit/http";
import { Problem } from "@backplane/kit/problems";
import type { Answer } from "./answer.ts";

export type Both = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly onAnswered: (status: number) => void;
};

const JSON_HEADERS: Headers = ["content-type", "application/json; charset=utf-8", ...DATA_HEADERS];

/** As a page, or as JSON for whoever asks for that. */
export function sendAnswer(both: Both, pageHeaders: Headers, { status, outcome, page }: Answer): void {
  const asJson = wantsJson(both.request);
  // A delivery, the most frequent answer, needs neither its outcome nor any header of its own.
  const told = asJson || status !== 200 ? outcome() : undefined;
  if (asJson && told instanceof Problem) sendProblem(both, told);
  else if (asJson) write(both, status, JSON_HEADERS, JSON.stringify(told));
  else write(both, status, told instanceof Problem ? withOwn(pageHeaders, told) : pageHeaders, page());
}

export function sendProblem({ request, response, onAnswered }: Both, problem: Problem): void {
  answerWithProblem(request, response, DATA_HEADERS, problem);
  onAnswered(problem.status);
}

/** To a HEAD: what the page would say about itself. */
export const sendNothing = (both: Both, headers: Headers): void => write(both, 200, headers, "");

const withOwn = (headers: Headers, problem: Problem): string[] => [
  ...headers,
  ...Object.entries(problem.headers).flat(),
];

/** Browsers name text/html; whoever names JSON and no HTML is a program. */
function wantsJson({ headers: { accept } }: IncomingMessage): boolean {
  return accept?.includes("json") === true && !accept.includes("text/html");
}

function write({ response, onAnswered }: Both, status: number, headers: Headers, body: string): void {
  answerPlainly(response, status, headers, body);
  onAnswered(status);
}
