import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Adapter } from "./adapter.ts";
import type { ConnectionEvents } from "./line.ts";
import { startSource } from "./source.ts";

test("a serial port that is closed in the same moment as it is opened ends the source", async () => {
  const happened: string[] = [];
  let events: ConnectionEvents | undefined;
  startSource({
    ...{ name: "odrive-serial", settings: {}, ground: {} as never, network: {} as never, now: Date.now },
    adapter: { kind: "odrive", name: "ODrive", open: () => assert.fail("nobody is there") } as unknown as Adapter,
    line: {
      connect(given) {
        events = given;
        return { send: () => assert.fail(), close: () => void happened.push("closed") };
      },
      onEnd: (reason) => void happened.push(reason),
    },
    onStatus: () => assert.fail(),
    onFault: assert.fail,
  });
  events?.ended("The page let go of it.");
  await turn();
  assert.deepEqual(happened, ["The page let go of it.", "closed"]);
});
