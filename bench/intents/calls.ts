import { hash } from "node:crypto";
import { BenchFault } from "../harness/fault.ts";
import type { HttpRequest } from "../harness/http-request.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** The minimal request that creates one; the peer needs a client id. */
export const createIntent: HttpRequest = { path: "/auth/intents", method: "POST" };

/** As our sdk does: with a name, and a challenge whose verifier is sent with every later call. */
const VERIFIER = "v".repeat(43);
export const createWithChallenge: HttpRequest = {
  ...createIntent,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ app_name: "bench", code_challenge: hash("sha256", VERIFIER, "base64url") }),
};

export const authorizeDevice: HttpRequest = {
  path: "/device/auth",
  method: "POST",
  headers: FORM,
  body: "client_id=bench",
};

export const pollIntents = (tokens: readonly string[]): HttpRequest => ({
  path: "/auth/intents/{token}/status",
  variants: tokens.map((token) => ({ path: `/auth/intents/${token}/status` })),
});

export const pollWithVerifier = (tokens: readonly string[]): HttpRequest => ({
  ...pollIntents(tokens),
  headers: { "x-code-verifier": VERIFIER },
});

/** Its way to say "not yet" is an error, authorization_pending. */
export const pollDevices = (codes: readonly string[]): HttpRequest => ({
  path: "/token",
  method: "POST",
  headers: FORM,
  expectsRefusal: true,
  variants: codes.map((code) => ({
    path: "/token",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:device_code",
      client_id: "bench",
      device_code: code,
    }).toString(),
  })),
});

/** Creates this many with that request, and returns the id of each. */
export async function makeMany(url: string, request: HttpRequest, field: string, count: number): Promise<string[]> {
  const { path, method = "GET", headers = {}, body } = request;
  const made: string[] = [];
  while (made.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - made.length) }, async () => {
      const response = await fetch(new URL(path, url), { method, headers, ...(body === undefined ? {} : { body }) });
      const value = ((await response.json()) as Record<string, unknown>)[field];
      if (typeof value !== "string") throw new BenchFault(`${method} ${path} gave no ${field}: ${response.status}.`);
      return value;
    });
    made.push(...(await Promise.all(batch)));
  }
  return made;
}

const BATCH = 50;
