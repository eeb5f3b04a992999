import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inrushFacts,
  inrushWords,
  type Order,
  powerUp,
  railName,
  readInrush,
  readInterlocks,
  readRails,
} from "./rails.ts";

const rails = ["a", "b", "c"].map((id) => ({ id, name: id.toUpperCase(), state: "off" }));
const yes = { ok: true, tookMs: 1 };
const no = (detail: string) => ({ ok: false, code: "denied" as const, detail, tookMs: 1 });

async function ordered(more: Partial<Parameters<typeof powerUp>[0]>) {
  const [asked, told]: [string[], Order[]] = [[], []];
  const options = { rails, switchOn: async () => yes, open: () => [], isCancelled: () => false, ...more };
  const switchOn = (rail: string) => {
    asked.push(rail);
    return options.switchOn(rail);
  };
  await powerUp({ pause: async () => {}, ...options, switchOn, onOrder: (order) => told.push(order) });
  return { asked, told, last: told.at(-1) };
}

test("rails are switched on in order, without those that are on", async () => {
  const { asked, last } = await ordered({ rails: [{ id: "a", name: "A", state: "on" }, ...rails.slice(1)] });
  assert.deepEqual(asked, ["b", "c"]);
  assert.equal(last?.status, "done");
});

test("what is refused ends the order, and says why", async () => {
  const { asked, last } = await ordered({ switchOn: async (rail) => (rail === "b" ? no("b has a fault.") : yes) });
  assert.deepEqual(asked, ["a", "b"]);
  assert.deepEqual(last, { at: 1, status: "stopped", detail: "b has a fault." });
});

test("an open interlock is waited for, and given up after a minute", async () => {
  let looks = 0;
  const open = () => (looks < 3 ? ["guard_closed"] : []);
  const pause = async () => {
    looks += 1;
  };
  const opened = await ordered({
    open,
    pause,
    switchOn: async (rail) => (rail === "b" && open().length > 0 ? no("wait") : yes),
  });
  assert.deepEqual(opened.asked, ["a", "b", "b", "c"]);
  assert.ok(opened.told.some(({ status, detail }) => status === "waits" && detail === "guard_closed"));
  const never = await ordered({ open: () => ["guard_closed"], switchOn: async () => no("wait") });
  assert.equal(never.last?.status, "stopped");
  assert.match(never.last?.detail ?? "", /guard_closed stayed open/);
});

test("an order that is cancelled sends nothing more", async () => {
  const { asked } = await ordered({ isCancelled: () => true });
  assert.deepEqual(asked, []);
});

test("an inrush is read with its peak and how long it is over the limit; what cannot be read is none", () => {
  const inrush = readInrush({ rail: "drives_24v", step_ms: 2, a: [0, 6.3, 4, 3, 2, "x"], v: [] });
  assert.ok(inrush);
  assert.deepEqual(inrushFacts(inrush, 3.2), { peakA: 6.3, peakMs: 2, underAfterMs: 6 });
  assert.equal(inrushWords(inrush, 3.2), "peak 6.3 A, under the limit after 6 ms");
  assert.equal(inrushWords(inrush, 1), "peak 6.3 A, not under the limit");
  for (const wrong of [null, 3, [], { rail: "x" }, { rail: "x", step_ms: 0, a: [1, 2] }])
    assert.equal(readInrush(wrong), undefined);
});

test("rails and interlocks are what the device declares", () => {
  const on = { effect: "powers" as const, params: { properties: { rail: { enum: ["logic_5v", "pump"] } } } };
  const [logic, pump] = readRails({ commands: { on } }, { logic_5v_v: 5, logic_5v_state: "on" });
  assert.deepEqual([logic?.name, logic?.volts, pump?.name, pump?.volts], ["5 V logic", 5, "Pump", undefined]);
  const fields = {
    guard_closed: { datatype: "boolean" as const },
    cabinet_c: { datatype: "number" as const, max: 50, unit: "°C" },
    logic_5v_v: { datatype: "number" as const, max: 5 },
  };
  const found = readInterlocks({ fields }, logic ? [logic] : [], { guard_closed: false, cabinet_c: 31.2 });
  assert.deepEqual(
    found.map(({ name, isOk, value }) => [name, isOk, value]),
    [
      ["Guard closed", false, "no"],
      ["Cabinet under 50 °C", true, "31 °C"],
    ],
  );
  assert.equal(railName("x"), "X");
});
