import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openBus } from "@backplane/kit/bus";
import type { Parts } from "../held.ts";
import { createKeptMemory } from "../model/kept-memory.ts";
import { openDeviceWorkspaces } from "./workspaces.ts";

const ID = "w-demo";

/** Workspaces whose link opens and closes when the test says so. */
async function openStage(t: TestContext) {
  const faults: unknown[] = [];
  const onFault = (error: unknown) => void faults.push(error);
  const bus = await openBus({ now: Date.now, onFault });
  const links = { now: 0, most: 0, all: 0 };
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const mqtt = {
    async open() {
      links.all += 1;
      links.now += 1;
      links.most = Math.max(links.most, links.now);
      await gate.promise;
      return {
        ...{
          send: async () => {},
          onMessage() {},
          onConnection() {},
          onUp() {},
          isUp: () => true,
          connections: () => 0,
        },
        async close() {
          await gate.promise;
          links.now -= 1;
        },
      };
    },
  };
  const never = () => () => {};
  const parts = {
    ...{ mqtt, keptMemory: createKeptMemory(), readers: [], history: { record: never } },
    recordings: { hold: () => ({ current: () => null, onChange: never, close: async () => {} }) },
    sources: { hold: async () => ({ all: () => [], onChange: never, of: () => undefined, close: async () => {} }) },
    openControl: async () => ({ stopped: () => null, onStopped: never, close: async () => {} }),
  } as unknown as Parts;
  const ended: string[] = [];
  const workspaceNamed = async (id: string) => ({ id, owner: "ada", repo: "demo" });
  const workspaces = openDeviceWorkspaces(
    { bus, now: Date.now, note: () => {}, onFault, workspaceNamed },
    () => parts,
    (id) => ended.push(id),
    { serve: async () => async () => {}, isUsed: () => false },
  );
  t.after(async () => {
    gate.resolve();
    await workspaces.close();
    await bus.close();
    assert.deepEqual([links.now, faults], [0, []]);
  });
  return {
    ...{ workspaces, links, ended },
    hold() {
      gate = Promise.withResolvers<void>();
      return gate.resolve;
    },
  };
}

test("a workspace that is being closed is opened again only when it is closed", async (t) => {
  const { workspaces, links, ended, hold } = await openStage(t);
  const first = await workspaces.open(ID);
  const goOn = hold();
  const ending = workspaces.end(ID);
  const again = [workspaces.open(ID), workspaces.open(ID), workspaces.hold(ID)] as const;
  const endingToo = workspaces.end("another");
  await endingToo;
  assert.deepEqual([links.all, ended], [1, []]);
  goOn();
  await ending;
  assert.deepEqual(ended, [ID]);
  const [one, other] = await Promise.all(again);
  assert.ok(one && one === other && one !== first);
  assert.deepEqual(links, { now: 1, most: 1, all: 2 });
});

test("whoever ends a workspace that is being opened, closed or both waits until it is closed", async (t) => {
  const { workspaces, links, hold } = await openStage(t);
  const goOn = hold();
  const opened: Promise<unknown>[] = [];
  const ends: Promise<void>[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    opened.push(workspaces.open(ID));
    ends.push(workspaces.end(ID), workspaces.end(ID));
  }
  goOn();
  await Promise.all([...opened, ...ends]);
  assert.deepEqual(links, { now: 0, most: 1, all: 3 });
  assert.deepEqual(workspaces.held(), []);
});
