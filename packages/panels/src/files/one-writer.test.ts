import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { createOneWriter } from "./one-writer.ts";

/** Two instances on one bus, and a clock that goes on while one of them waits. */
async function twoInstances(t: TestContext) {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let nowMs = 0;
  const { claims } = await openBus({ now: () => nowMs, onFault: assert.fail });
  const time = {
    now: () => nowMs,
    async wait(ms: number) {
      nowMs += ms;
      t.mock.timers.tick(ms);
    },
  };
  const dead = { ...claims, exchange: () => Promise.reject(new Error("This instance was killed.")) };
  return {
    living: createOneWriter(claims, time),
    other: createOneWriter(claims, time),
    killed: createOneWriter(dead, time),
  };
}

const never = () => new Promise<never>(() => {});
const change = async () => "changed";

test("a change that was cut off by a kill does not refuse the next one", async (t) => {
  const { living, killed } = await twoInstances(t);
  void killed("folder", "notes.txt", never);
  assert.equal(await living("folder", "notes.txt", change), "changed");
});

test("a change that takes long is not overtaken", async (t) => {
  const { living, other } = await twoInstances(t);
  void other("folder", "notes.txt", never);
  await assert.rejects(living("folder", "notes.txt", change), { code: "too-many-requests" });
  assert.equal(await living("folder", "another.txt", change), "changed");
});
