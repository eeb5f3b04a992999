import assert from "node:assert/strict";
import { test } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { startRedis, uniquePrefix } from "../../../../scripts/services/index.ts";
import { REDIS, SQLITE } from "./stages.suite.ts";
import { testWatching } from "./watching.suite.ts";
import { add } from "./workspaces.suite.ts";
import { callerOf, openStage, until } from "./workspaces-under-test.suite.ts";

testWatching(REDIS);

test("watchers learn of changes made while Redis was down when it is back", async (t) => {
  await using redis = await startRedis();
  const prefix = uniquePrefix();
  const overRedis = async () => () => openBus({ url: redis.url, prefix, now: Date.now, onFault: () => {} });
  const { first, last } = await openStage(t, { ...SQLITE, name: "outage", openBus: overRedis });
  const { id } = await first.workspaces.openFor(callerOf("ada"), { owner: "ada", repo: "rover" });
  const heard: number[] = [];
  const stop = await last.workspaces.watch(id, ({ revision }) => void heard.push(revision));
  await redis.stop();
  await until("both noticed", () => [first, last].every(({ bus }) => bus.state() === "degraded"));
  assert.equal((await first.workspaces.edit(id, add("a"), { undoable: true })).revision, 1, "edits go on");
  assert.deepEqual(heard, []);
  await redis.start();
  await until("the change arrives", () => heard.at(-1) === 1);
  await first.workspaces.edit(id, add("b"), { undoable: true });
  await until("and the next", () => heard.at(-1) === 2);
  await stop();
});
