import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Stage } from "./stages.suite.ts";
import { add } from "./workspaces.suite.ts";
import { callerOf, openStage, until } from "./workspaces-under-test.suite.ts";

const ada = callerOf("ada");
const ROVER = { owner: "ada", repo: "rover" };
const UNDOABLE = { undoable: true };

export function testWatching(stage: Stage): void {
  const it = (name: string, work: (t: TestContext) => Promise<void>) => test(`${stage.name}: ${name}`, work);

  it("a watcher gets changes made on either instance, only forwards, up to the newest", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const heard: number[][] = [[], [], []];
    const stops = await Promise.all(
      heard.map((list, i) => (i ? last : first).workspaces.watch(id, ({ revision }) => void list.push(revision))),
    );
    await Promise.all(
      Array.from({ length: 30 }, (_, i) => (i % 2 ? first : last).workspaces.edit(id, add(`t${i}`), UNDOABLE)),
    );
    await until("all hear of the newest", () => heard.every((list) => list.at(-1) === 30));
    for (const list of heard)
      assert.deepEqual(
        list,
        [...new Set(list)].sort((a, b) => a - b),
      );
    await Promise.all(stops.map((stop) => stop()));
    await first.workspaces.edit(id, add("later"), UNDOABLE);
    const other: number[] = [];
    const stop = await last.workspaces.watch(id, ({ revision }) => void other.push(revision));
    await first.workspaces.edit(id, add("last"), UNDOABLE);
    await until("the one that looks hears", () => other.at(-1) === 32);
    assert.ok(
      heard.every((list) => list.at(-1) === 30),
      "those that left do not",
    );
    await stop();
  });

  it("a change on another instance is read once for all watchers; one on this instance is not read at all", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    let heard = 0;
    const hear = () => {
      heard += 1;
    };
    for (let i = 0; i < 20; i += 1) await last.workspaces.watch(id, hear);
    const before = last.queries.count;
    await first.workspaces.edit(id, add("a"), UNDOABLE);
    await until("all heard", () => heard === 20);
    assert.equal(last.queries.count, before + 1);
    await last.workspaces.edit(id, add("b"), UNDOABLE);
    assert.equal(heard, 40, "told before the edit is answered");
    const after = last.queries.count;
    assert.equal(after, before + 1 + 4, "read, written, remembered, and the oldest forgotten: no more");
    await first.workspaces.edit(id, add("c"), UNDOABLE);
    await until("all heard", () => heard === 60);
    assert.equal(last.queries.count, after + 1);
  });

  it("a listener that throws does not affect others", async (t) => {
    const { first, faults } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const heard: number[] = [];
    await first.workspaces.watch(id, () => {
      throw new Error("mine");
    });
    await first.workspaces.watch(id, ({ revision }) => void heard.push(revision));
    await first.workspaces.edit(id, add("a"), UNDOABLE);
    assert.deepEqual(heard, [1]);
    assert.match(String(faults.pop()), /mine/);
  });

  it("watchers are notified when the workspace is removed", async (t) => {
    const { first, last } = await openStage(t, stage);
    const { id } = await first.workspaces.openFor(ada, ROVER);
    const gone: string[] = [];
    await first.workspaces.watch(
      id,
      () => assert.fail(),
      () => void gone.push("first"),
    );
    await last.workspaces.watch(
      id,
      () => assert.fail(),
      () => void gone.push("last"),
    );
    await first.workspaces.remove(ada, ROVER);
    await until("both are told", () => gone.length === 2);
  });
}
