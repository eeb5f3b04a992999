import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@backplane/contract/panels";
import { openBus } from "@backplane/kit/bus";
import { leaf } from "../layout/sample.suite.ts";
import { createWatches } from "./watches.ts";
import { until } from "./workspaces-under-test.suite.ts";

const layout = (revision: number): Layout => ({ revision, root: leaf("p") });

test("a failed read is repeated, so that no change is missed", async () => {
  const faults: unknown[] = [];
  const bus = await openBus({ now: Date.now, onFault: assert.ifError });
  let reads = 0;
  const read = async () => {
    reads += 1;
    if (reads === 1) throw new Error("away");
    return layout(3);
  };
  const watches = createWatches({ bus, read, onFault: (error) => void faults.push(error) });
  const heard: number[] = [];
  const stop = await watches.watch("w", { listener: ({ revision }) => void heard.push(revision), onGone: undefined });
  await bus.publish("panels:layout:w", 3);
  await until("it arrives", () => heard.length > 0);
  assert.deepEqual([heard, reads, faults.length], [[3], 2, 1]);
  await stop();
  await bus.close();
});

test("changes that arrive during a read cause one more read for all of them; invalid messages are ignored", async () => {
  const bus = await openBus({ now: Date.now, onFault: assert.ifError });
  const first = Promise.withResolvers<Layout>();
  let reads = 0;
  const read = async () => {
    reads += 1;
    return reads === 1 ? first.promise : layout(5);
  };
  const watches = createWatches({ bus, read, onFault: assert.ifError });
  const heard: number[] = [];
  const listener = ({ revision }: Layout) => void heard.push(revision);
  const stops = [
    await watches.watch("w", { listener, onGone: undefined }),
    await watches.watch("w", { listener, onGone: undefined }),
  ];
  for (const message of ["x", null, { revision: 9 }, 1, 2, 3, 4, 5]) await bus.publish("panels:layout:w", message);
  await until("it is read", () => reads === 1);
  // When this arrives, everything published before it has arrived too.
  const seen = Promise.withResolvers<void>();
  await bus.subscribe("panels:layout:w", () => seen.resolve());
  await bus.publish("panels:layout:w", 5);
  await seen.promise;
  first.resolve(layout(1));
  await until("the newest arrives", () => heard.at(-1) === 5);
  assert.deepEqual([heard, reads], [[1, 1, 5, 5], 2]);
  // A revision that was never written does not cause endless reads.
  await bus.publish("panels:layout:w", 1_000_000);
  await until("it is looked for", () => reads === 3);
  await Promise.all(stops.map((stop) => stop()));
  await bus.close();
  assert.equal(reads, 3);
});
