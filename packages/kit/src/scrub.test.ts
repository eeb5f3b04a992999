import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isLongRun } from "../../../scripts/testing/long.ts";
import { scrub } from "./scrub.ts";

const CANARY = "cAnArY0123456789abcdef";

const places: Record<string, string> = {
  "a callback's query": `GET /callback?code=${CANARY}&state=${CANARY} failed`,
  "a state that ends the line": `state=${CANARY}`,
  "an intent's page": `http://localhost:8790/auth/intent?token=${CANARY}`,
  "an intent's path": `/auth/intents/${CANARY}/status`,
  "a session token": `session tok_${CANARY} revoked`,
  "an API key": `key bpk_${CANARY}.`,
  "a device key": `key bpd_${CANARY}.`,
  "a key of a camera": `key bpc_${CANARY}.`,
  "the secret address of a registry": `GET http://localhost:8790/registry/private/bpr_${CANARY}/repository.json failed`,
  "a reset link": `http://localhost:8790/auth/reset#rst_${CANARY} failed`,
  "a bearer header": `authorization: Bearer ${CANARY}`,
  "a header in JSON": JSON.stringify({ headers: { Authorization: CANARY, cookie: `session_token=${CANARY}` } }),
  "a password in JSON": JSON.stringify({ password: `${CANARY} with "quotes" ${CANARY}` }),
  "JSON inside a JSON string": JSON.stringify({ msg: JSON.stringify({ refresh_token: CANARY }) }),
  "a database address": `connect to postgres://backplane:${CANARY}@db:5432/x failed`,
  "a Redis address without a user": `redis://:${CANARY}@redis:6379`,
  "a password that holds an @": `redis://u:${CANARY}@${CANARY}@redis:6379`,
  "a cookie header": `Cookie: session=${CANARY}; theme=dark; other=${CANARY}`,
  "a set-cookie header": `set-cookie: sid=${CANARY}; HttpOnly`,
  "a key header": `x-api-key: ${CANARY}`,
  "a header of the viewer's page": JSON.stringify({ "x-viewer-token": CANARY }),
  "a token of the viewer's page": `token v1.0123456789abcdef.1790000000000.${CANARY}-_ is wrong`,
  "a header without a scheme": `authorization: ${CANARY}`,
  "a quoted value": `code="${CANARY}"`,
  "a token record": JSON.stringify({
    accessToken: CANARY,
    refreshToken: CANARY,
    clientSecret: CANARY,
    sessionToken: CANARY,
  }),
  "a form body": `grant_type=refresh_token&client_secret=${CANARY}`,
};

for (const [place, text] of Object.entries(places)) {
  test(`a secret in ${place} is scrubbed`, () => {
    assert.doesNotMatch(scrub(text), new RegExp(CANARY));
  });
}

test("ordinary lines are left as they are", () => {
  for (const line of [
    "platform listens on http://localhost:8790",
    '{"level":30,"status":200,"route":"/registry/packages/:identifier"}',
    "exit code 1, signal SIGTERM",
    "12 states registered",
  ]) {
    assert.equal(scrub(line), line);
  }
});

test("no line makes it throw", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (text) => {
      scrub(text);
    }),
  );
});

/** Quadratic time takes seconds for each. */
const ROUNDS = isLongRun ? 20 : 2;

// Not a measurement: linear time takes a fraction of a second here, quadratic time takes minutes.
test("any long line is scrubbed in time proportional to its length", { timeout: 20_000 }, () => {
  const longest = 64 * 1024;
  const pieces = [
    "a",
    "a-",
    "a://",
    "a://b:",
    "x://u:x",
    "code=",
    '"token":"\\',
    '\\"token\\":\\"',
    "Bearer ",
    "cookie:",
    " ",
    "\\",
    '"code" ',
  ];
  for (const piece of pieces) {
    for (const head of ["", "x://u:", '"code"', "cookie: "]) {
      const text = head + piece.repeat(longest / piece.length);
      for (let round = 0; round < ROUNDS; round += 1) scrub(text);
    }
  }
});
