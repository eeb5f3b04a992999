import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage, PROGRAM } from "./intents-under-test.suite.ts";
import { SQLITE } from "./stages.suite.ts";

const [stage] = SQLITE;
const TIMES_AND_NAMES = /"(token|auth_url|updates_url|confirmation_code|created_at|expires_at|instance)":"[^"]*"/g;
/** What differs by nature: names of single answers, how the body is sent, and what only concerns documents. */
const OWN_HEADERS = new Set([
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

/** An answer without what is new in every answer. */
async function essence(response: Response) {
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name)).sort();
  const type = response.headers.get("content-type")?.split(";")[0];
  return { status: response.status, body: (await response.text()).replace(TIMES_AND_NAMES, '"$1"'), headers, type };
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
  ["half of it", "application/json", '{"max_age":'],
  ["a deceiving name", "application/json", JSON.stringify({ app_name: "a\u202eb" })],
  ["a form", "application/x-www-form-urlencoded", "max_age=60"],
  ["no type", undefined, '{"max_age":60}'],
];

for (const [what, type, body] of BODIES) {
  test(`an intent with ${what} is answered the same by the quick way and by the route`, async (t) => {
    const under = await openStage(t, stage as NonNullable<typeof stage>);
    const send = (chunked: boolean) => {
      const bytes = new TextEncoder().encode(body);
      return fetch(`${under.first.url}/auth/intents`, {
        method: "POST",
        headers: { "x-forwarded-for": PROGRAM, ...(type === undefined ? {} : { "content-type": type }) },
        // A body of unknown length is unusual, so the route has it.
        body: chunked ? ReadableStream.from([bytes]) : bytes,
        ...(chunked ? { duplex: "half" } : {}),
      } as RequestInit);
    };
    const [quick, usual] = [await essence(await send(false)), await essence(await send(true))];
    assert.deepEqual(quick, usual);
  });
}

test("a poll is answered the same from memory and from the table", async (t) => {
  const under = await openStage(t, stage as NonNullable<typeof stage>);
  const { token } = await under.create();
  const quick = await essence(await under.poll(token));
  // A query makes the address unusual, so the route has it.
  const usual = await essence(await under.call(under.first, `/auth/intents/${token}/status?`));
  assert.deepEqual(quick, usual);
  assert.equal(quick.body, '{"state":"pending"}');
});

test("names of media types have no case: a stream is a stream", async (t) => {
  const under = await openStage(t, stage as NonNullable<typeof stage>);
  const { token } = await under.create();
  const response = await under.poll(token, PROGRAM, { accept: "Text/Event-Stream" });
  assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/);
  await response.body?.cancel();
});

test("what another instance decided is not answered from memory", async (t) => {
  const two = SQLITE[1] as NonNullable<typeof stage>;
  const under = await openStage(t, two);
  const { token } = await under.create();
  assert.equal((await under.poll(token)).status, 200);
  const cookie = await under.signIn(await under.addUser());
  assert.equal((await under.decide(token, cookie, { decision: "deny" })).status, 200);
  assert.equal((await under.poll(token)).status, 410);
});
