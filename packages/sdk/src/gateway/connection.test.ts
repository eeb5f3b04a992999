import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { type FinalMessage, openGatewayConnection } from "./connection.ts";
import { LIMITS } from "./limits.ts";
import type { SocketHandlers } from "./node-socket.ts";

const STATE = "6f1c9a04-8a55-4f0e-9b0e-52f3a1a7d001";

/** A simulated socket and clock: a real connection cannot be made to go silent at a given moment. */
function openOnWire() {
  mock.timers.enable({ apis: ["setTimeout"] });
  const sent: { type: string; secret?: string }[] = [];
  const events: string[] = [];
  const finals: FinalMessage[] = [];
  let wire: SocketHandlers | undefined;
  const connection = openGatewayConnection({
    url: "ws://gateway.example/ws",
    openSocket(_url, handlers) {
      wire = handlers;
      return {
        send: (text) => void sent.push(JSON.parse(text) as { type: string }),
        close: () => void events.push("closed"),
      };
    },
    registration: { state: STATE, provider: "example", proof: { secret: "s", challenge: "c" } },
    comesBack: false,
    events: {
      onRegistered: () => events.push("registered"),
      onLost: () => events.push("lost"),
      onFinal: (message) => finals.push(message),
    },
  });
  return {
    connection,
    sent,
    events,
    finals,
    open: () => wire?.onOpen(),
    say: (message: object) => wire?.onText(JSON.stringify({ state: STATE, ...message })),
    passes: (ms: number) => mock.timers.tick(ms),
    [Symbol.dispose]: () => mock.timers.reset(),
  };
}

test("a waiting connection is checked every 20 s, and keeps waiting while the gateway answers", () => {
  using wire = openOnWire();
  wire.open();
  wire.say({ type: "registered" });
  for (let beat = 2; beat < 10; beat += 1) {
    wire.passes(LIMITS.heartbeatMs);
    assert.equal(wire.sent.length, beat);
    assert.deepEqual([wire.sent.at(-1)?.type, wire.sent.at(-1)?.secret], ["register", "s"]);
    wire.say({ type: "registered" });
  }
  assert.deepEqual(wire.events, ["registered"]);
});

test("a gateway that does not answer the check is lost before the page in the user's browser gives up", () => {
  using wire = openOnWire();
  wire.open();
  wire.say({ type: "registered" });
  wire.passes(LIMITS.heartbeatMs);
  wire.passes(LIMITS.answerMs);
  assert.deepEqual(wire.events, ["registered", "closed", "lost"]);
  assert.ok(LIMITS.heartbeatMs + LIMITS.answerMs < 30_000);
});

test("a gateway that is busy, or refuses to register a state twice, still counts as alive", () => {
  for (const answer of [{ error: "already registered" }, { error: "Draining.", code: "not-ready" }]) {
    using wire = openOnWire();
    wire.open();
    wire.say({ type: "registered" });
    wire.passes(LIMITS.heartbeatMs);
    wire.say({ type: "error", ...answer });
    wire.passes(LIMITS.answerMs);
    assert.deepEqual([wire.events, wire.finals], [["registered"], []]);
  }
});

test("a callback that comes instead of the heartbeat's answer is accepted", () => {
  using wire = openOnWire();
  wire.open();
  wire.say({ type: "registered" });
  wire.passes(LIMITS.heartbeatMs);
  wire.say({ type: "callback", code: "c", query: {} });
  assert.deepEqual(wire.finals, [{ type: "callback", code: "c", query: {} }]);
  wire.passes(LIMITS.answerMs);
  assert.deepEqual(wire.events, ["registered", "closed"]);
});

test("a connection that does not open, or opens and is not answered, is lost after 5 s", () => {
  using unopened = openOnWire();
  unopened.passes(LIMITS.answerMs);
  assert.deepEqual(unopened.events, ["closed", "lost"]);
  mock.timers.reset();
  using unanswered = openOnWire();
  unanswered.open();
  unanswered.passes(LIMITS.answerMs - 1);
  assert.deepEqual(unanswered.events, []);
  unanswered.passes(1);
  assert.deepEqual(unanswered.events, ["closed", "lost"]);
});

test("an address that the platform refuses to open counts as lost", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  openGatewayConnection({
    url: "ws://gateway.example/ws",
    openSocket() {
      throw new Error("mixed content");
    },
    registration: { state: STATE, provider: "example", proof: { secret: "s", challenge: "c" } },
    comesBack: false,
    events: { onRegistered() {}, onFinal() {}, onLost: () => resolve("lost") },
  });
  assert.equal(await promise, "lost");
});
