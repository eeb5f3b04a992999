import assert from "node:assert/strict";
import { test } from "node:test";
import type { Want } from "@backplane/contract/devices";
import fc from "fast-check";
import { createModel } from "../model/model.ts";
import { createClock, thermometer } from "../testing/devices.ts";
import { createFeed, type Fed } from "./feed.ts";
import { heldView } from "./view.ts";

const WANT: Want = { device: "oven", capability: "heat", fields: ["temperature_c"] };
type Row = { tMs: number; value: number; thinned: boolean };

function feedUnderTest() {
  const clock = createClock();
  const model = createModel({ now: clock.now, onFault: (error) => assert.fail(String(error)) });
  model.declare("homie", thermometer());
  const sent: { tMs: number; value: number }[] = [];
  let value = 0;
  return {
    clock,
    model,
    sent,
    send(count: number, everyMs: number) {
      for (let i = 0; i < count; i += 1) {
        clock.nowMs += everyMs;
        value = (value * 31 + 17) % 1_009;
        model.sample("oven", "heat", { temperature_c: value });
        sent.push({ tMs: model.last("oven", "heat")?.tMs ?? 0, value });
      }
    },
    feed: (want: Partial<Want>) => createFeed(heldView(model), { ...WANT, ...want }, clock.nowMs),
  };
}

/** What a page has after a batch. */
function receive(rows: Row[], fed: Fed | undefined): void {
  if (!fed) return;
  const [first = 0] = fed.tMs;
  if (fed.isHistory) while ((rows.at(-1)?.tMs ?? -1) >= first) rows.pop();
  assert.ok((rows.at(-1)?.tMs ?? -1) < first, "nothing is doubled, and nothing comes too late");
  for (const [i, tMs] of fed.tMs.entries())
    rows.push({ tMs, value: fed.values[0]?.[i] as number, thinned: fed.thinned });
}

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("samples" as const),
      count: fc.nat({ max: 400 }),
      everyMs: fc.integer({ min: 3, max: 20 }),
    }),
    fc.record({ kind: fc.constant("take" as const), isThin: fc.boolean(), isHidden: fc.boolean() }),
  ),
  { maxLength: 40 },
);

test("history and live join without a gap or a double; hidden pages get it all on return; slow ones every extreme", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 900 }),
      fc.nat({ max: 5_000 }),
      fc.boolean(),
      steps,
      (before, historyMs, isAgain, all) => {
        const under = feedUnderTest();
        under.send(before, 7);
        const startMs = isAgain ? (under.sent[Math.floor(before / 2)]?.tMs ?? 0) : under.clock.nowMs - historyMs;
        const feed = under.feed(isAgain ? { sinceMs: startMs } : { historyMs });
        const rows: Row[] = [];
        for (const step of all) {
          if (step.kind === "samples") under.send(step.count, step.everyMs);
          else receive(rows, feed.take({ nowMs: under.clock.nowMs, ...step }));
        }
        for (let i = 0; i < 100 && feed.hasMore; i += 1) {
          receive(rows, feed.take({ nowMs: under.clock.nowMs, isThin: false, isHidden: false }));
        }
        assert.equal(feed.hasMore, false);
        const expected = under.sent.filter(({ tMs }) => (isAgain ? tMs > startMs : tMs >= startMs));
        checkRows(rows, expected);
      },
    ),
    { numRuns: 60 },
  );
});

/** Equal, but for the stretches that were thinned: there the extremes of every 100 ms are. */
function checkRows(rows: readonly Row[], expected: readonly { tMs: number; value: number }[]): void {
  const whole = new Map(rows.filter(({ thinned }) => !thinned).map(({ tMs, value }) => [tMs, value]));
  const sent = new Map(expected.map(({ tMs, value }) => [tMs, value]));
  for (const [tMs, value] of whole) assert.equal(sent.get(tMs), value);
  const extremes = (of: readonly { tMs: number; value: number }[]) => {
    const found = new Map<number, { min: number; max: number }>();
    for (const { tMs, value } of of) {
      const { min = value, max = value } = found.get(Math.floor(tMs / 100)) ?? {};
      found.set(Math.floor(tMs / 100), { min: Math.min(min, value), max: Math.max(max, value) });
    }
    return found;
  };
  assert.deepEqual(extremes(rows), extremes(expected));
  if (rows.every(({ thinned }) => !thinned)) assert.equal(rows.length, expected.length);
}

test("a hidden page gets the newest sample of each second, and everything when it is shown again", () => {
  const under = feedUnderTest();
  const feed = under.feed({});
  const rows: Row[] = [];
  for (let second = 0; second < 5; second += 1) {
    under.send(100, 10);
    for (let frame = 0; frame < 10; frame += 1)
      receive(rows, feed.take({ nowMs: under.clock.nowMs, isThin: false, isHidden: true }));
  }
  assert.equal(rows.length, 5);
  receive(rows, feed.take({ nowMs: under.clock.nowMs, isThin: false, isHidden: false }));
  assert.deepEqual(
    rows.map(({ value }) => value),
    under.sent.map(({ value }) => value),
  );
});

test("a subscription with a rate gets the newest sample of each period", () => {
  const under = feedUnderTest();
  const feed = under.feed({ rateHz: 2 });
  const rows: Row[] = [];
  for (let frame = 0; frame < 100; frame += 1) {
    under.send(2, 10);
    receive(rows, feed.take({ nowMs: under.clock.nowMs, isThin: false, isHidden: false }));
  }
  assert.equal(rows.length, 4);
  assert.ok(rows.every(({ tMs, value }) => under.sent.some((one) => one.tMs === tMs && one.value === value)));
});

test("a reader without a wish for history begins with the last value, and with all fields of the capability", () => {
  const under = feedUnderTest();
  under.send(5, 1_000);
  const { fields: _, ...want } = WANT;
  const fed = createFeed(heldView(under.model), want, under.clock.nowMs).take({
    ...{ nowMs: under.clock.nowMs, isThin: false, isHidden: false },
  });
  assert.deepEqual(fed?.tMs, [under.sent.at(-1)?.tMs]);
  assert.deepEqual(fed?.fields, ["temperature_c", "is_on", "count", "note", "zones", "extra"]);
});

test("a feed waits for a device that is not there yet, and goes on when it describes itself again", () => {
  const clock = createClock();
  const model = createModel({ now: clock.now, onFault: (error) => assert.fail(String(error)) });
  const feed = createFeed(heldView(model), { ...WANT, historyMs: 1_000 }, clock.nowMs);
  const rows: Row[] = [];
  const take = () => receive(rows, feed.take({ nowMs: clock.nowMs, isThin: false, isHidden: false }));
  take();
  model.declare("homie", thermometer());
  model.sample("oven", "heat", { temperature_c: 1 });
  take();
  clock.nowMs += 10;
  const [heat] = thermometer().capabilities;
  assert.ok(heat);
  const fields = { temperature_c: heat.fields.temperature_c as never };
  model.declare("homie", { ...thermometer(), capabilities: [{ ...heat, fields }] });
  model.sample("oven", "heat", { temperature_c: 2 });
  take();
  assert.deepEqual(
    rows.map(({ value }) => value),
    [1, 2],
  );
});

test("the last value is sent however old it is: a panel of a device that is gone has something to show", () => {
  const under = feedUnderTest();
  under.send(3, 10);
  under.clock.nowMs += 120_000;
  const rows: Row[] = [];
  const feed = under.feed({ historyMs: 60_000 });
  receive(rows, feed.take({ nowMs: under.clock.nowMs, isThin: false, isHidden: false }));
  assert.deepEqual(
    rows.map(({ value }) => value),
    [under.sent.at(-1)?.value],
  );
});
