export type { ApiDocs } from "./api-docs.ts";
export { type App, createApp } from "./app.ts";
export type { ReadinessCheck } from "./health.ts";
export { limitRate } from "./rate-limit.ts";
export { PAGE_POLICY } from "./security-headers.ts";
