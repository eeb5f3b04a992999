export type { ApiDocs } from "./api-docs/api-docs.ts";
export { type AnswerFirst, createApp } from "./app.ts";
export type { App } from "./app-type.ts";
export { allowSlowBody, receiveFile } from "./bodies.ts";
export { addressReader, callerKey, isThisMachine, plainAddress } from "./caller-address.ts";
export { prefersHtml, programOf } from "./caller-program.ts";
export {
  constantAnswer,
  createDirectRoutes,
  type DirectAnswer,
  type DirectCall,
  type DirectRoute,
  jsonAnswer,
  treatMissingBodyAsEmpty,
} from "./direct-routes.ts";
export type { Readiness } from "./health.ts";
export {
  bearerToken,
  createHereCheck,
  createMetricsCheck,
  createRefusal,
  hostNameOf,
  isFromForeignPage,
  isSameSecret,
  judgeCaller,
  type LocalCaller,
  localCallerOf,
  readOrMakeToken,
} from "./local-access.ts";
export { openToAnyOrigin, openToOrigins, refuseForeignPage } from "./origins.ts";
export { endWithPieces } from "./pieces.ts";
export {
  answerPlainly,
  answerWithProblem,
  type CountedText,
  countText,
  DATA_HEADERS,
  type PlainHeaders,
} from "./plain-answer.ts";
export { limitRate, tooManyRequests } from "./rate-limit.ts";
export { LIBRARY_WORKER_POLICY, PAGE_POLICY, SOCKET_WORKER_POLICY, WORKSPACE_POLICY } from "./security-headers.ts";
export { allowFraming, type PreparedHeaders, prepareHeaders } from "./usual-headers.ts";
