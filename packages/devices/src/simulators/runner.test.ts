import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { until } from "../../../../scripts/testing/until.ts";
import type { OpenHub } from "../hub/hub.ts";
import { openSimulators } from "./simulators.ts";

const WORKSPACE = { id: "w", owner: "ada", repo: "demo" };
const HUB = { view: { device: () => undefined } } as unknown as OpenHub;

function openWithClock() {
  let nowMs = 0;
  let pages: number | undefined = 1;
  const ended: string[] = [];
  const runner = openSimulators({
    simulators: {
      kinds: [{ kind: "motor", name: "Motor", description: "", shows: ["motor"] }],
      start: ({ id }) => ({ ready: Promise.resolve(), close: async () => void ended.push(id) }),
    },
    ...{
      now: () => nowMs,
      onFault: (error: unknown) => assert.fail(String(error)),
      pagesOf: () => pages,
      lookEveryMs: 1,
    },
    openForSimulator: async () => ({ url: "mqtt://127.0.0.1", end: () => ended.push("key") }),
  });
  const looked = () => new Promise((resolve) => setTimeout(resolve, 10));
  return {
    ...{ runner, ended, looked },
    at(ms: number, there: number | undefined) {
      nowMs = ms;
      pages = there;
    },
  };
}

test("a simulator ends some time after the last page, not while somebody reloads", async (t) => {
  const { runner, ended, at, looked } = openWithClock();
  t.after(runner.close);
  await runner.start(WORKSPACE, HUB, "motor", "u-ada");
  at(DEVICES_LIMITS.simulatorIdleMs * 3, 1);
  await looked();
  at(DEVICES_LIMITS.simulatorIdleMs * 3 + 1, 0);
  await looked();
  assert.deepEqual(ended, []);
  at(DEVICES_LIMITS.simulatorIdleMs * 4 + 1, 0);
  await until("it has ended", () => ended.length === 2);
  assert.deepEqual(ended, ["sim-motor", "key"]);
});

test("and after its time, also while a page is there or may be on another instance", async (t) => {
  for (const pages of [1, undefined]) {
    const { runner, ended, at } = openWithClock();
    t.after(runner.close);
    await runner.start(WORKSPACE, HUB, "motor", "u-ada");
    at(DEVICES_LIMITS.simulatorLifeMs, pages);
    await until("it has ended", () => ended.length === 2);
  }
});

test("one person does not take the simulators of everybody", async (t) => {
  const { runner } = openWithClock();
  t.after(runner.close);
  const { maxSimulators, maxSimulatorsPerPerson } = DEVICES_LIMITS;
  const start = (n: number, by: string) =>
    runner.start({ ...WORKSPACE, id: `${by} ${Math.floor(n / maxSimulators)}` }, HUB, "motor", by);
  for (let n = 0; n < maxSimulatorsPerPerson; n += 1) await start(n, "u-ada");
  await assert.rejects(start(maxSimulatorsPerPerson, "u-ada"), { code: "too-many-of-these" });
  await start(0, "u-bob");
});
