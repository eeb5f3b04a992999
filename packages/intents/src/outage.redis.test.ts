import assert from "node:assert/strict";
import { test } from "node:test";
import { openBus } from "@backplane/kit/bus";
import { startRedis, uniquePrefix } from "../../../scripts/services/index.ts";
import { openStage, tokenIn, until } from "./intents-under-test.suite.ts";
import { SQLITE } from "./stages.suite.ts";

test("without Redis, streams still get approvals made on another instance, and continue when Redis is back", async (t) => {
  await using redis = await startRedis();
  const prefix = uniquePrefix();
  const overRedis = async () => () => openBus({ url: redis.url, prefix, now: Date.now, onFault: () => {} });
  const [stage] = SQLITE;
  assert.ok(stage);
  const under = await openStage(t, { ...stage, name: "outage", instances: 2, openBus: overRedis });
  const cookie = await under.signIn(await under.addUser());
  const [during, after] = [await under.create(), await under.create()];
  const [early, late] = [await under.stream(during.token), await under.stream(after.token)];
  await redis.stop();
  await until("both noticed", () => [under.first, under.last].every(({ bus }) => bus.state() === "degraded"));
  assert.equal((await under.decide(during.token, cookie)).status, 200);
  const { event, data } = await early.last();
  assert.equal(event, "authenticated");
  assert.equal(
    await tokenIn(await under.poll(during.token)),
    (JSON.parse(data) as { session_token: string }).session_token,
  );
  const opened = await under.create();
  const meanwhile = await under.stream(opened.token);
  assert.equal((await under.decide(opened.token, cookie, { decision: "deny" })).status, 200);
  assert.deepEqual(await meanwhile.last(), { event: "timeout", data: "" });
  await redis.start();
  await until("both are up", () => [under.first, under.last].every(({ bus }) => bus.state() === "up"));
  assert.equal((await under.decide(after.token, cookie)).status, 200);
  assert.equal((await late.last()).event, "authenticated");
});
