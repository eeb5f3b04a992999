import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { test } from "node:test";
import { GATEWAY_LIMITS } from "@backplane/contract/gateway";
import fc from "fast-check";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { type Client, startGateway } from "./gateway-under-test.suite.ts";

const CASES = isLongRun ? 10_000 : 1_000;
/** How much memory that many hostile cases may leave behind. */
const MAX_GROWTH_BYTES = 150 * 1024 * 1024;

const state = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[\x21-\x7e]{14,130}$/),
  fc.string({ maxLength: 200, unit: "binary" }),
);
const anything = fc.anything({ maxDepth: 3, withNullPrototype: true, withUnicodeString: true } as object);
const message = fc.oneof(
  fc.record(
    {
      type: fc.oneof(fc.constantFrom("register", "unregister", "ack", "callback", "registered"), anything),
      state: fc.oneof(state, anything),
      provider: fc.oneof(fc.string({ maxLength: 120 }), anything),
      challenge: fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{43}$/), anything),
      secret: fc.oneof(fc.string({ maxLength: 300 }), anything),
      ack: fc.oneof(fc.boolean(), anything),
    },
    { requiredKeys: [] },
  ),
  fc.json(),
  anything,
);

const asText = (value: unknown): string => {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch {
    return String(Object.prototype.toString.call(value));
  }
};

async function staysBounded(work: () => Promise<void>): Promise<void> {
  const before = process.memoryUsage().rss;
  await work();
  assert.ok(process.memoryUsage().rss - before < MAX_GROWTH_BYTES);
}

test(`${CASES} hostile messages: each is carried out or refused as the contract says, and the next is handled`, async (t) => {
  const { connect, registrations, clock } = await startGateway(t, { ackWaitMs: 1 });
  let client: Client | undefined;
  let sent = 0;

  /** What comes back before the answer to a message that is always refused in the same way. */
  async function repliesTo(text: string): Promise<unknown[]> {
    // Well below the connection's limit of refusals, and never too fast.
    if (client === undefined || sent % 40 === 0) {
      client?.socket.terminate();
      client = await connect();
    }
    sent += 1;
    clock.nowMs += 200;
    const marker = randomUUID();
    client.send(text);
    client.send({ type: "marker", state: marker });
    const replies = [];
    for (let reply = await client.next(); reply.state !== marker; reply = await client.next()) replies.push(reply);
    return replies;
  }

  const property = fc.asyncProperty(message, async (value) => {
    const text = asText(value);
    for (const reply of (await repliesTo(text)) as Record<string, unknown>[]) {
      if (reply.type === "registered") {
        assert.equal(reply.state, JSON.parse(text).state);
      } else {
        assert.deepEqual(Object.keys(reply).sort(), ["code", "error", "state", "type"]);
        assert.equal(reply.type, "error");
        assert.ok(reply.state === null || typeof reply.state === "string");
        assert.match(String(reply.error), /\w/);
      }
    }
    assert.ok(registrations.counts().pending <= GATEWAY_LIMITS.maxRegistrations);
  });
  await staysBounded(() => fc.assert(property, { numRuns: CASES }));
});

const STATUSES = new Set([200, 400, 404, 405, 410, 413, 414, 415, 503, 504]);

const pair = fc.tuple(
  fc.oneof(fc.constantFrom("code", "state", "error", "error_description", "iss", "__proto__"), fc.string()),
  fc.oneof(state, fc.string({ maxLength: 300, unit: "binary" }), fc.constantFrom("%", "%zz", "%ff", "+", "&", "=")),
  fc.boolean(),
);
const query = fc.oneof(
  fc
    .array(pair, { maxLength: 40 })
    .map((pairs) =>
      pairs
        .map(([name, value, escaped]) =>
          escaped ? `${percentEncoded(name)}=${percentEncoded(value)}` : `${name}=${value}`,
        )
        .join("&"),
    ),
  fc.string({ maxLength: 500 }),
  fc.nat({ max: 12_000 }).map((length) => `code=${"x".repeat(length)}`),
);

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

test(`${CASES} hostile callbacks: each gets a status from the contract, and other registrations stay`, async (t) => {
  const { connect, callback, port } = await startGateway(t);
  const bystander = await connect();
  const waiting = await bystander.register();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());

  const ask = (method: string, path: string, body: string | undefined, accept: string | undefined) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        ...(accept === undefined ? {} : { accept }),
        ...(body === undefined ? {} : { "content-type": "application/x-www-form-urlencoded" }),
      };
      const request = httpRequest({ agent, port, host: "127.0.0.1", method, path, headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      request.on("error", reject).end(body);
    });

  const property = fc.asyncProperty(
    query,
    fc.constantFrom("GET", "GET", "POST", "HEAD", "PUT"),
    fc.constantFrom("/callback", "/callback/", "/callback/google"),
    fc.constantFrom(undefined, "application/json", "text/html", "*/*"),
    async (text, method, path, accept) => {
      // What node:http itself refuses to send as an address would never arrive.
      const address = text.replaceAll(/[^\x21-\x7e]|#/g, "");
      const status =
        method === "POST"
          ? await ask(method, path, text, accept)
          : await ask(method, `${path}?${address}`, undefined, accept);
      assert.ok(STATUSES.has(status), `${status}`);
    },
  );
  await staysBounded(() => fc.assert(property, { numRuns: CASES }));
  assert.equal((await callback({ code: "c", state: waiting })).status, 200);
  assert.equal((await bystander.next()).type, "callback");
});
