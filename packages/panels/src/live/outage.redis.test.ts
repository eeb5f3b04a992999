import assert from "node:assert/strict";
import { test } from "node:test";
import type { Order } from "@backplane/contract/panels";
import { openBus } from "@backplane/kit/bus";
import { startRedis, uniquePrefix } from "../../../../scripts/services/index.ts";
import { openLiveForTest } from "./live-under-test.suite.ts";
import { until } from "./page.suite.ts";

const ORDER: Order = { kind: "refresh", tabId: "tab" };
const asking = { timeoutMs: 30_000 };

test("while Redis is down a browser keeps answering its own instance; afterwards all browsers are found again", async (t) => {
  await using redis = await startRedis();
  const prefix = uniquePrefix();
  const under = await openLiveForTest(t, {
    name: "two instances over Redis",
    instances: 2,
    openBus: async () => () => openBus({ url: redis.url, prefix, now: Date.now, onFault: () => {} }),
  });
  const id = await under.workspaceId("demo");
  const page = await under.open("demo", under.last);
  page.answer = () => "here";
  const late = await under.open("demo", under.first);

  await redis.stop();
  await until("the outage is noticed", () =>
    [under.first, under.last].every((instance) => instance.bus.state() === "degraded"),
  );
  assert.deepEqual(await under.last.live.ask(id, ORDER, asking), { ok: true, value: "here" });
  await assert.rejects(under.first.live.ask(id, ORDER, asking), { code: "bus-unavailable" });
  const edit = (root: Parameters<Parameters<typeof under.first.workspaces.edit>[1]>[0]) => ({
    root: { ...root, id: "renamed" },
    answer: undefined,
  });
  const { revision } = await under.last.workspaces.edit(id, edit, { undoable: false });

  // Its data is lost: it restarts with an empty memory.
  await redis.start();
  await until("both are up", () => [under.first, under.last].every((instance) => instance.bus.state() === "up"));
  await until("both are there", async () => (await under.first.live.browsers(id)).length === 2);
  // For a moment each instance may know only of its own.
  await until("the one that was there first is asked again", async () => {
    const answered = await under.first.live.ask(id, ORDER, asking);
    return answered.ok && answered.value === "here";
  });
  await late.hears("layout", ({ layout }) => layout.revision === revision);
});
