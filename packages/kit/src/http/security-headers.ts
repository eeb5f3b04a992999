/** For answers that are data: they may not load, run, frame or send anything. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** For our own pages: only what this origin serves. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'";

/** For the workspace page: frames have other origins, and pictures are made in the page. */
export const WORKSPACE_POLICY = PAGE_POLICY.replace("img-src 'self' data:", "img-src 'self' data: blob:")
  .replace("connect-src 'self'", "connect-src 'self' data: blob:")
  .concat("; frame-src http: https:; media-src blob:; worker-src 'self' blob:");

/**
 * For a worker that runs a library in WebAssembly: it can load nothing. The library makes functions from text when it starts, which
 * takes more than 'wasm-unsafe-eval'.
 */
export const LIBRARY_WORKER_POLICY = "default-src 'none'; script-src 'unsafe-eval'";

/** For the worker that has a connection of the page: it connects to this origin, and loads nothing. */
export const SOCKET_WORKER_POLICY = DATA_POLICY.concat("; connect-src 'self'");

/** Headers of every answer, unless its route sets another value. There are no CORS headers: other origins cannot read answers, unless a route is open to them (origins.ts). */
export const securityHeaders = ({ overHttps }: { overHttps: boolean }): Record<string, string> => ({
  "content-security-policy": DATA_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  ...(overHttps ? { "strict-transport-security": "max-age=31536000" } : {}),
});
