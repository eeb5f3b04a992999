import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage, PROGRAM } from "./intents-under-test.suite.ts";
import { SQLITE } from "./stages.suite.ts";

const [stage] = SQLITE;
const UNIQUE_FIELDS = /"(token|auth_url|updates_url|confirmation_code|created_at|expires_at|instance)":"[^"]*"/g;
/** Headers that differ by design: unique ids, how the body is sent, and what only documents need. */
const DIFFERING_HEADERS = new Set([
  "access-control-expose-headers",
  "content-security-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "permissions-policy",
  "referrer-policy",
  "strict-transport-security",
  "x-frame-options",
  "date",
  "location",
  "x-request-id",
  "content-length",
  "content-type",
  "transfer-encoding",
  "connection",
  "keep-alive",
]);

/** An answer without the parts that are new each time. */
async function essence(response: Response) {
  const headers = [...response.headers].filter(([name]) => !DIFFERING_HEADERS.has(name)).sort();
  const type = response.headers.get("content-type")?.split(";")[0];
  return { status: response.status, body: (await response.text()).replace(UNIQUE_FIELDS, '"$1"'), headers, type };
}

const BODIES: readonly [what: string, type: string | undefined, body: string][] = [
  ["no fields", "application/json", "{}"],
  [
    "every field",
    "application/json",
    JSON.stringify({ max_age: 60, app_name: "Bänk", code_challenge: "a".repeat(43) }),
  ],
  ["an unknown field", "application/json; charset=utf-8", '{"scope":"all","__proto__x":1}'],
  ["a wrong type", "application/json", '{"max_age":"60"}'],
  ["two faults", "application/json", '{"max_age":1,"code_challenge":"short"}'],
  ["a list", "application/json", "[]"],
  ["null", "application/json", "null"],
  ["half of a body", "application/json", '{"max_age":'],
  ["a deceptive name", "application/json", JSON.stringify({ app_name: "a\u202eb" })],
  ["a form", "application/x-www-form-urlencoded", "max_age=60"],
  ["no type", undefined, '{"max_age":60}'],
];

for (const [what, type, body] of BODIES) {
  test(`an intent with ${what} is answered the same by the direct route and by Fastify`, async (t) => {
    const under = await openStage(t, stage as NonNullable<typeof stage>);
    const send = (chunked: boolean) => {
      const bytes = new TextEncoder().encode(body);
      return fetch(`${under.first.url}/auth/intents`, {
        method: "POST",
        headers: { "x-forwarded-for": PROGRAM, ...(type === undefined ? {} : { "content-type": type }) },
        // The direct route leaves a body of unknown length to Fastify.
        body: chunked ? ReadableStream.from([bytes]) : bytes,
        ...(chunked ? { duplex: "half" } : {}),
      } as RequestInit);
    };
    const [direct, viaFastify] = [await essence(await send(false)), await essence(await send(true))];
    assert.deepEqual(direct, viaFastify);
  });
}

test("a poll is answered the same from memory and from the table", async (t) => {
  const under = await openStage(t, stage as NonNullable<typeof stage>);
  const { token } = await under.create();
  const direct = await essence(await under.poll(token));
  // The direct route leaves an address with a query to Fastify.
  const viaFastify = await essence(await under.call(under.first, `/auth/intents/${token}/status?`));
  assert.deepEqual(direct, viaFastify);
  assert.equal(direct.body, '{"state":"pending"}');
});

test("media types are compared without case: a stream is a stream", async (t) => {
  const under = await openStage(t, stage as NonNullable<typeof stage>);
  const { token } = await under.create();
  const response = await under.poll(token, PROGRAM, { accept: "Text/Event-Stream" });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  await response.body?.cancel();
});

test("a decision of another instance is not answered from memory", async (t) => {
  const two = SQLITE[1] as NonNullable<typeof stage>;
  const under = await openStage(t, two);
  const { token } = await under.create();
  assert.equal((await under.poll(token)).status, 200);
  const cookie = await under.signIn(await under.addUser());
  assert.equal((await under.decide(token, cookie, { decision: "deny" })).status, 200);
  assert.equal((await under.poll(token)).status, 410);
});
