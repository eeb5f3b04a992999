export { addressReader } from "./address-of.ts";
export { openToAnyOrigin } from "./any-origin.ts";
export type { ApiDocs } from "./api-docs.ts";
export { type AnswerFirst, createApp } from "./app.ts";
export type { App } from "./app-type.ts";
export type { ReadinessCheck } from "./health.ts";
export { limitRate } from "./rate-limit.ts";
export { refuseForeignPage } from "./same-origin.ts";
export { PAGE_POLICY } from "./security-headers.ts";
