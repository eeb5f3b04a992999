import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { test } from "node:test";
import { GATEWAY_LIMITS, MAX_PROVIDER_LENGTH } from "@backplane/contract/gateway";
import { startGateway } from "./gateway-under-test.suite.ts";
import { LIBRARY_STATES } from "./library-states.suite.ts";

test("register: state (UUID string, unique), provider (string) → registered: state", async (t) => {
  const { connect, registrations } = await startGateway(t);
  const client = await connect();
  await client.register();
  assert.equal(registrations.counts().pending, 1);
});

test("the WebSocket is at / and /ws, and nowhere else", async (t) => {
  const { dial } = await startGateway(t);
  for (const path of ["/", "/ws"]) await once(dial(path), "open");
  const refused = dial("/elsewhere").on("error", () => {});
  const [, response] = await once(refused, "unexpected-response");
  assert.equal(response.statusCode, 404);
});

test("unregister: state → no answer, and nothing is waiting any more", async (t) => {
  const { connect, registrations } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  client.send({ type: "unregister", state });
  await client.heardNothing();
  assert.equal(registrations.counts().pending, 0);
});

test("a state has 16 to 1,024 visible ASCII characters, as libraries send them; anything shorter is refused because it could be guessed", async (t) => {
  const { connect } = await startGateway(t);
  const client = await connect();
  const longest = "Z".repeat(1_024);
  for (const state of ["a".repeat(16), longest, randomUUID().toUpperCase(), ...Object.values(LIBRARY_STATES)]) {
    assert.deepEqual(await client.ask({ type: "register", state, provider: "p" }), { type: "registered", state });
  }
  for (const state of [
    "a".repeat(15),
    "a".repeat(1_025),
    "",
    " ".repeat(30),
    `${"a".repeat(16)}\u007f`,
    "ä".repeat(30),
    7,
    null,
    undefined,
    {},
    [],
  ]) {
    const reply = await client.ask({ type: "register", state, provider: "p" });
    assert.deepEqual(reply, {
      type: "error",
      state: typeof state === "string" ? state : null,
      error: "state must have 16 to 1,024 visible ASCII characters, without spaces",
      code: "invalid-input",
    });
  }
});

test("a provider has 1 to 100 characters; every other invalid field is named too", async (t) => {
  const { connect } = await startGateway(t);
  const client = await connect();
  await client.register({ provider: "p" });
  await client.register({ provider: "p".repeat(MAX_PROVIDER_LENGTH) });
  await client.register({ provider: "🔌".repeat(MAX_PROVIDER_LENGTH) });
  const state = randomUUID();
  const faulty = [
    { provider: "" },
    { provider: "p".repeat(MAX_PROVIDER_LENGTH + 1) },
    { provider: 7 },
    { provider: undefined },
    { provider: "p", challenge: "short" },
    { provider: "p", secret: "" },
    { provider: "p", secret: "s".repeat(257) },
    { provider: "p", ack: "yes" },
  ];
  for (const fields of faulty) {
    const reply = await client.ask({ type: "register", state, ...fields });
    assert.equal(reply.type, "error");
    assert.equal(reply.state, state);
    const [name] = Object.keys(fields).slice(-1);
    assert.match("error" in reply ? reply.error : "", new RegExp(`^${name} must be `));
  }
});

test("unknown fields are ignored: clients send app and exchange", async (t) => {
  const { connect } = await startGateway(t);
  await (await connect()).register({
    app: "desk",
    exchange: { any: ["thing"] },
    challenge: null,
    secret: null,
    ack: null,
  });
});

test("a message that is not JSON, not an object or of an unknown type gets an error with its state or null; the connection stays open", async (t) => {
  const { connect } = await startGateway(t);
  const client = await connect();
  const state = randomUUID();
  const cases: [unknown, string | null, string][] = [
    ["{", null, "malformed-request"],
    ["", null, "malformed-request"],
    ["[]", null, "malformed-request"],
    ["null", null, "malformed-request"],
    ['"register"', null, "malformed-request"],
    [{ type: "fly", state }, state, "invalid-input"],
    [{ state }, state, "invalid-input"],
    [{ type: "unregister" }, null, "invalid-input"],
    [{ type: "unregister", state }, state, "state-not-yours"],
  ];
  for (const [message, named, code] of cases) {
    const reply = await client.ask(message);
    assert.ok(reply.type === "error");
    assert.deepEqual([reply.state, reply.code], [named, code]);
    assert.match(reply.error, /\w/);
  }
  await client.register();
});

test("a message over 8 KiB, or a binary one, is refused, and the connection stays open", async (t) => {
  assert.equal(GATEWAY_LIMITS.maxMessageBytes, 8_192);
  const { connect } = await startGateway(t);
  const client = await connect();
  const padded = (length: number) => JSON.stringify({ type: "register", pad: "x" }).padEnd(length);
  const largest = await client.ask(padded(8_192));
  assert.equal(largest.type === "error" && largest.code, "invalid-input");
  const tooLarge = await client.ask(padded(8_193));
  assert.deepEqual(tooLarge, {
    type: "error",
    state: null,
    error: "A message may have at most 8192 bytes.",
    code: "payload-too-large",
  });
  client.socket.send(Buffer.from("{}"));
  const binary = await client.next();
  assert.equal(binary.type === "error" && binary.code, "malformed-request");
  await client.register();
});

test("a connection can hold 32 registrations; one more is refused", async (t) => {
  assert.equal(GATEWAY_LIMITS.maxRegistrations, 32);
  const { connect } = await startGateway(t);
  const client = await connect();
  for (let i = 0; i < 32; i += 1) await client.register();
  const reply = await client.ask({ type: "register", state: randomUUID(), provider: "p" });
  assert.equal(reply.type === "error" && reply.code, "too-many-registrations");
});

test("a connection can send 10 register messages per second, after a first burst", async (t) => {
  assert.equal(GATEWAY_LIMITS.registersPerSecond, 10);
  const { connect, clock } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  for (let i = 1; i < 42; i += 1) await client.ask({ type: "register", state, provider: "p" });
  const tooFast = await client.ask({ type: "register", state, provider: "p" });
  assert.equal(tooFast.type === "error" && tooFast.code, "too-many-requests");
  clock.nowMs += 1_000;
  for (let i = 0; i < 10; i += 1) {
    assert.equal((await client.ask({ type: "register", state, provider: "p" })).type, "registered");
  }
  assert.equal((await client.ask({ type: "register", state, provider: "p" })).type, "error");
});

test("a connection with too many refused messages is closed, and no other", async (t) => {
  assert.equal(GATEWAY_LIMITS.maxRefusals, 100);
  const { connect } = await startGateway(t);
  const [flood, other] = [await connect(), await connect()];
  const state = await other.register();
  const closed = flood.closed();
  for (let i = 0; i < 101; i += 1) flood.send("nonsense");
  assert.deepEqual(await closed, [1008, "too many refused messages"]);
  assert.deepEqual(await other.ask({ type: "register", state, provider: "p" }), { type: "registered", state });
});

test("a connection without registrations is closed after 30 s; one that waits is not", async (t) => {
  assert.equal(GATEWAY_LIMITS.emptyConnectionMs, 30_000);
  const { connect, clock, sockets } = await startGateway(t);
  const [idle, waiting] = [await connect(), await connect()];
  await waiting.register();
  const closed = idle.closed();
  clock.nowMs += 29_999;
  await waiting.heardNothing();
  assert.equal(sockets.connections(), 2);
  clock.nowMs += 1;
  assert.deepEqual(await closed, [1008, "nothing was registered for 30 seconds"]);
  await waiting.heardNothing();
});

test("after its last registration has ended, a connection has another 30 s", async (t) => {
  const { connect, clock, callback, sockets } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  clock.nowMs += 60_000;
  await callback({ code: "c", state });
  await client.next();
  clock.nowMs += 29_999;
  await client.heardNothing();
  assert.equal(sockets.connections(), 1);
  const closed = client.closed();
  clock.nowMs += 1;
  assert.equal((await closed)[0], 1008);
});

test("a connection can register states for 15 minutes; those are served, and then it is closed", async (t) => {
  assert.equal(GATEWAY_LIMITS.connectionLifeMs, 900_000);
  const { connect, clock, callback, registrations } = await startGateway(t);
  const client = await connect();
  await client.register();
  clock.nowMs += 899_999;
  const state = await client.register();
  clock.nowMs += 1;
  const refused = await client.ask({ type: "register", state: randomUUID(), provider: "p" });
  assert.equal(refused.type === "error" && refused.code, "not-ready");
  clock.nowMs += 599_000;
  assert.equal((await callback({ code: "c", state })).status, 200);
  assert.equal((await client.next()).type, "callback");
  const closed = client.closed();
  registrations.sweep();
  assert.equal((await closed)[0], 1001);
});

test("after the clock is set back, a client loses one register message, not all until the clock catches up", async (t) => {
  const { connect, clock } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  clock.nowMs -= 3_600_000;
  assert.equal((await client.ask({ type: "register", state, provider: "p" })).type, "error");
  clock.nowMs += 100;
  assert.equal((await client.ask({ type: "register", state, provider: "p" })).type, "registered");
});

test("the Origin header is optional; if present, and if origins are configured, it must be one of them", async (t) => {
  const { connect, dial } = await startGateway(t, { origins: ["https://app.example.org"] });
  await connect();
  await connect({ origin: "https://app.example.org" });
  for (const origin of ["https://evil.example", "https://app.example.org.evil.example", "null"]) {
    const refused = dial("/", { origin }).on("error", () => {});
    const [, response] = await once(refused, "unexpected-response");
    assert.equal(response.statusCode, 403);
  }
});

test("by default any origin may connect", async (t) => {
  const { connect } = await startGateway(t);
  await connect({ origin: "https://anywhere.example" });
});

test("while the gateway drains, nothing new is registered, and waiting states are served", async (t) => {
  const { connect, flags, callback } = await startGateway(t);
  const client = await connect();
  const state = await client.register();
  flags.draining = true;
  const reply = await client.ask({ type: "register", state: randomUUID(), provider: "p" });
  assert.equal(reply.type === "error" && reply.code, "not-ready");
  assert.equal((await callback({ code: "c", state })).status, 200);
  assert.equal((await client.next()).type, "callback");
});
