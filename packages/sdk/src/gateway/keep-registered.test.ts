import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { keepRegistered, retryDelayMs } from "./keep-registered.ts";
import { LIMITS } from "./limits.ts";
import type { SocketHandlers } from "./node-socket.ts";

const STATE = "6f1c9a04-8a55-4f0e-9b0e-52f3a1a7d001";

test("the first retry has no delay; later delays double up to 2 s, and half of each is random", () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 60].map((losses) => retryDelayMs(losses, () => 1));
  assert.deepEqual(longest, [0, 100, 200, 400, 800, 1_600, 2_000, 2_000]);
  const shortest = [0, 1, 6].map((losses) => retryDelayMs(losses, () => 0));
  assert.deepEqual(shortest, [0, 50, 1_000]);
});

test("only a connection that lasted for a second earns a retry without delay, so a flapping gateway is not flooded", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const wires: SocketHandlers[] = [];
  const delays: number[] = [];
  const kept = keepRegistered({
    url: "ws://gateway.example/ws",
    openSocket(_url, handlers) {
      wires.push(handlers);
      return { send() {}, close() {} };
    },
    registration: { state: STATE, provider: "example", proof: { secret: "s", challenge: "c" } },
    random: () => 1,
    events: { onConnecting() {}, onRegistered() {}, onFinal() {}, onLost: (delayMs) => delays.push(delayMs) },
  });
  const holdFor = (heldMs: number) => {
    const wire = wires.at(-1);
    wire?.onOpen();
    wire?.onText(JSON.stringify({ type: "registered", state: STATE }));
    mock.timers.tick(heldMs);
    wire?.onClose();
    mock.timers.tick(delays.at(-1) ?? 0);
  };
  for (const heldMs of [0, 0, LIMITS.steadyMs, 0, 0]) holdFor(heldMs);
  assert.deepEqual(delays, [100, 200, 0, 100, 200]);
  assert.equal(wires.length, 6);
  kept.end();
  mock.timers.tick(LIMITS.flowMs);
  assert.equal(wires.length, 6);
  mock.timers.reset();
});
