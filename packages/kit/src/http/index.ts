export { addressReader } from "./address-of.ts";
export { ANY_ORIGIN_HEADERS, openToAnyOrigin } from "./any-origin.ts";
export type { ApiDocs } from "./api-docs.ts";
export { type AnswerFirst, createApp } from "./app.ts";
export type { App } from "./app-type.ts";
export { callerKey, isThisMachine, plainAddress } from "./caller-key.ts";
export type { ReadinessCheck } from "./health.ts";
export {
  bearerToken,
  createRefusal,
  hostNameOf,
  isFromForeignPage,
  isSameSecret,
  judgeCaller,
  type LocalCaller,
  localCallerOf,
  readOrMakeToken,
} from "./local-access/index.ts";
export { answerPlainly, answerWithProblem, DATA_HEADERS, type PlainHeaders } from "./plain-answer.ts";
export { prefersHtml } from "./prefers-html.ts";
export { programOf } from "./program-of.ts";
export { limitRate, tooManyRequests } from "./rate-limit.ts";
export { receiveFile } from "./receive-file.ts";
export { refuseForeignPage } from "./same-origin.ts";
export { PAGE_POLICY, WORKSPACE_POLICY } from "./security-headers.ts";
export { allowSlowBody } from "./slow-bodies.ts";
