import { type CallOptions, callBackplane, unexpectedAnswer } from "../calls/call.ts";
import type { CallError } from "../calls/errors.ts";
import { isObject } from "../sign-in/is-object.ts";
import { PanelsError } from "./errors.ts";

export type PanelsOptions = CallOptions & { sessionToken: string };

/** What Backplane has for an answer, beside what the call itself waits for. */
const ANSWER_MS = 15_000;
/** A picture of a large screen, in base64. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

export type PanelsCall = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: object,
  waitMs?: number,
) => Promise<unknown>;

/** Calls of somebody who may use the workspace. Undefined fields are left out. */
export const openCalls =
  (options: PanelsOptions): PanelsCall =>
  (method, path, body, waitMs = 0) =>
    callBackplane(PanelsError, options, {
      method,
      path,
      answerMs: ANSWER_MS + waitMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });

/** The answer, once it has these fields. */
export function withFields<Answer>(answer: unknown, ...fields: readonly (keyof Answer & string)[]): Answer {
  if (isObject(answer) && fields.every((field) => field in answer)) return answer as Answer;
  throw notUnderstood(fields);
}

const notUnderstood = (fields: readonly string[]): CallError =>
  unexpectedAnswer(PanelsError, `The answer has no ${fields.join(", ")}`);
