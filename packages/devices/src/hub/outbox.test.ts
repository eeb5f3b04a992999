import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type DevicesHubMessage, type WireBatch } from "@backplane/contract/devices";
import { createModel } from "../model/model.ts";
import { createClock, thermometer } from "../testing/devices.ts";
import { createFeed } from "./feed.ts";
import { createOutbox } from "./outbox.ts";
import { heldView } from "./view.ts";

test("at most one message per frame; above 256 KiB unsent, envelopes; afterwards samples again", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = createClock();
  const model = createModel({ now: clock.now, onFault: (error) => assert.fail(String(error)) });
  model.declare("homie", thermometer());
  const sent: DevicesHubMessage[] = [];
  const wire = { unsentBytes: 0, send: (message: DevicesHubMessage) => void sent.push(message) };
  const outbox = createOutbox(wire, clock.now);
  const want = { device: "oven", capability: "heat", fields: ["temperature_c"] };
  outbox.feeds.set(1, createFeed(heldView(model), want, clock.nowMs));
  const batches = (): WireBatch[] => sent.flatMap((message) => (message.type === "values" ? message.batches : []));
  const run = (frames: number) => {
    for (let frame = 0; frame < frames; frame += 1) {
      for (let i = 0; i < 4; i += 1) {
        clock.nowMs += DEVICES_LIMITS.frameMs / 4;
        model.sample("oven", "heat", { temperature_c: Math.sin(clock.nowMs) });
        outbox.wake();
      }
      t.mock.timers.tick(DEVICES_LIMITS.frameMs);
    }
  };
  run(50);
  assert.equal(sent.length, 50);
  assert.deepEqual(
    batches().flatMap(({ f }) => f ?? []),
    ["temperature_c"],
    "names come once",
  );
  assert.ok(batches().every(({ thin }) => !thin));
  wire.unsentBytes = DEVICES_LIMITS.thinAboveBytes + 1;
  const before = batches().length;
  run(100);
  const thin = batches().slice(before);
  assert.ok(thin.every((batch) => batch.thin === true));
  const rows = thin.reduce((sum, { t: times }) => sum + times.length, 0);
  assert.ok(rows <= 2 * Math.ceil((100 * DEVICES_LIMITS.frameMs) / DEVICES_LIMITS.envelopeMs + 1), `${rows}`);
  wire.unsentBytes = 0;
  run(2);
  assert.equal(batches().at(-1)?.thin, undefined);
  const times = batches().flatMap(({ t: all }) => all);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  );
  outbox.close();
});

test("a page with many channels gets a quarter of the messages, with the same samples", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const clock = createClock();
  const model = createModel({ now: clock.now, onFault: (error) => assert.fail(String(error)) });
  const ids = Array.from({ length: 20 }, (_, place) => `oven-${place}`);
  for (const id of ids) model.declare("homie", thermometer(id));
  const sent: DevicesHubMessage[] = [];
  const outbox = createOutbox({ unsentBytes: 0, send: (message) => void sent.push(message) }, clock.now);
  const want = { capability: "heat", fields: ["temperature_c"] };
  const follow = (device: string, id: number) =>
    outbox.feeds.set(id, createFeed(heldView(model), { device, ...want }, clock.nowMs));
  const run = (frames: number) => {
    const before = sent.length;
    for (let frame = 0; frame < frames; frame += 1) {
      clock.nowMs += DEVICES_LIMITS.frameMs;
      for (const id of ids) model.sample(id, "heat", { temperature_c: Math.sin(clock.nowMs) });
      outbox.wake();
      t.mock.timers.tick(DEVICES_LIMITS.frameMs);
    }
    const batches = sent.slice(before).flatMap((message) => (message.type === "values" ? message.batches : []));
    return { messages: sent.length - before, samples: batches.reduce((sum, { t: times }) => sum + times.length, 0) };
  };
  for (const [place, id] of ids.slice(0, 4).entries()) follow(id, place);
  assert.deepEqual(run(40), { messages: 40, samples: 160 });
  for (const [place, id] of ids.slice(4).entries()) follow(id, 4 + place);
  run(5);
  assert.deepEqual(run(40), { messages: 10, samples: 800 });
  outbox.close();
});
