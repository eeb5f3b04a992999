import assert from "node:assert/strict";
import { test } from "node:test";
import { PANELS_LIMITS, type SharingRequest } from "@backplane/contract/panels";
import { ruleTest } from "../../../../scripts/testing/rules.ts";
import type { Stage } from "../workspaces/stages.suite.ts";
import { until } from "../workspaces/workspaces-under-test.suite.ts";
import { browser, openUnderTest, problemOf, type Room, screenshotOf } from "./screenshots-under-test.suite.ts";

export function testSharing(stage: Stage): void {
  const rule = ruleTest(stage.name);
  test(`${stage.name}: a call that waits completes when the user shares, on any instance`, async (t) => {
    const { one, other, room, share } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const shooting = one.shoot({ tabId: "sand", reason: " Check the trace. ", waitForSharing: 60 });
    const request = await asked(room);
    assert.deepEqual(
      { ...request, id: undefined, untilMs: undefined },
      {
        ...{ id: undefined, by: "bench-agent", reason: "Check the trace.", scope: "panel", tabId: "sand" },
        ...{ untilMs: undefined, waitMs: 60_000 },
      },
    );
    share(other, "browser");
    assert.equal((await screenshotOf(await shooting)).scope, "panel");
    await until("the request is over", () => room.requests.size === 0);
    assert.deepEqual(room.stopped, []);
  });

  rule(
    `${stage.name}: 504 sharing-required when nobody shares in time; the detail says what the user must do`,
    async (t) => {
      const { one, room } = await openUnderTest(t, stage);
      room.browsers = [browser(null)];
      for (const waitForSharing of [0, 0.05]) {
        const response = await one.shoot({ waitForSharing });
        assert.equal(response.headers.get("retry-after"), "5");
        const problem = await problemOf(response);
        assert.deepEqual([problem.status, problem.code], [504, "sharing-required"]);
        assert.match(problem.detail ?? "", /press Share.*repeat this call/i);
      }
      assert.equal(room.requests.size, 1, "the browser then prompts the user, once for calls that ask the same");
    },
  );

  test(`${stage.name}: a prompt that outlived its call goes when the user shares`, async (t) => {
    const { one, other, room, share } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    await one.shoot({ waitForSharing: 0 });
    assert.equal(room.requests.size, 1);
    share(other, "browser");
    await until("the prompt is gone", () => room.requests.size === 0);
    await screenshotOf(await one.shoot({ waitForSharing: 0 }));
  });

  test(`${stage.name}: "Not now" is 403 sharing-declined at once, for that request only`, async (t) => {
    const { one, other, room, workspaceId, share } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const shooting = one.shoot({ tabId: "sand", waitForSharing: 60 });
    const { id } = await asked(room);
    const patient = one.shoot({ tabId: "web", waitForSharing: 60 });
    await until("both ask", () => room.requests.size === 2);
    other.live.say({ workspaceId, browserId: "b", declined: id });
    const problem = await problemOf(await shooting);
    assert.deepEqual([problem.status, problem.code], [403, "sharing-declined"]);
    assert.deepEqual(
      [...room.requests.values()].map(({ tabId }) => tabId),
      ["web"],
    );
    share(one, "browser");
    await screenshotOf(await patient);
  });

  rule(`${stage.name}: when a client disconnects, its request to share ends`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const gone = new AbortController();
    const shooting = one.shoot({ waitForSharing: 60 }, { signal: gone.signal });
    await asked(room);
    gone.abort();
    await assert.rejects(shooting);
    await until("the request is withdrawn", () => room.requests.size === 0);
    assert.deepEqual(room.stopped, ["bench-agent"], "the page says so");
  });

  test(`${stage.name}: a prompt that nobody answers goes soon after its call timed out, and the page says so`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    t.mock.timers.enable({ apis: ["setTimeout"] });
    await one.shoot({ waitForSharing: 0 });
    t.mock.timers.tick(PANELS_LIMITS.sharingLingersMs - 1);
    assert.deepEqual([room.requests.size, room.stopped], [1, []]);
    t.mock.timers.tick(1);
    assert.deepEqual([room.requests.size, room.stopped], [0, ["bench-agent"]]);
  });

  rule(`${stage.name}: when the caller's access ends, so does its request to share`, async (t) => {
    const { one, room, access } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const shooting = one.shoot({ waitForSharing: 60 });
    await asked(room);
    access.end("Ada/bench-agent");
    await assert.rejects(shooting);
    await until("the request is withdrawn", () => room.requests.size === 0);
    assert.equal((await one.shoot({})).status, 401);
  });

  rule(`${stage.name}: 409 no-browser-session when the browser closes while a call waits`, async (t) => {
    const { one, room, workspaceId } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const shooting = one.shoot({ waitForSharing: 60 });
    await asked(room);
    room.browsers = [];
    one.live.say({ workspaceId, browserId: "b", sharing: { active: false, displaySurface: null } });
    assert.equal((await problemOf(await shooting)).code, "no-browser-session");
    await until("the request is over", () => room.requests.size === 0);
  });

  rule(`${stage.name}: the scope screen waits for a monitor although a tab is shared`, async (t) => {
    const { one, room, share } = await openUnderTest(t, stage);
    const { onShot } = room;
    room.onShot = async (order) =>
      room.browsers[0]?.sharing.displaySurface === "monitor"
        ? onShot(order)
        : { ok: false, reason: "refused", code: "wrong-surface", detail: "A tab is shared." };
    const shooting = one.shoot({ scope: "screen", waitForSharing: 60 });
    assert.equal((await asked(room)).scope, "screen");
    share(one, "monitor");
    assert.equal((await screenshotOf(await shooting)).scope, "screen");
    room.browsers = [browser("browser")];
    const problem = await problemOf(await one.shoot({ scope: "screen", waitForSharing: 0 }));
    assert.equal(problem.code, "sharing-required");
    assert.match(problem.detail ?? "", /entire screen/);
  });

  rule(`${stage.name}: prompts per workspace are limited; further calls wait without one`, async (t) => {
    const { one, room } = await openUnderTest(t, stage);
    room.browsers = [browser(null)];
    const calls = Array.from({ length: 25 }, (_, n) => one.shoot({ waitForSharing: 0 }, { as: `Ada/agent-${n}` }));
    for (const call of calls) assert.equal((await call).status, 504);
    assert.equal(room.requests.size, 20);
  });
}

async function asked(room: Room): Promise<SharingRequest> {
  await until("the user is asked", () => room.requests.size > 0);
  const [request] = room.requests.values();
  assert.ok(request);
  return request;
}
