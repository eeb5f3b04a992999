import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { WatchdogStatus } from "@backplane/contract/gateway";
import { startWatchdog } from "./watchdog-under-test.suite.ts";

async function post(url: string, init: RequestInit = {}): Promise<{ status: number; body: WatchdogStatus }> {
  const response = await fetch(url, { method: "POST", ...init });
  return { status: response.status, body: (await response.json()) as WatchdogStatus };
}
const json = (body: string): RequestInit => ({ headers: { "content-type": "application/json" }, body });

const isAlive = (pid: number | null) => {
  try {
    return process.kill(pid ?? 0, 0);
  } catch {
    return false;
  }
};

test("start, stop and restart answer 200 with the status when they are done, and can be repeated", async (t) => {
  const { url } = await startWatchdog(t);
  const first = await post(`${url}/start`);
  assert.deepEqual([first.status, first.body.gateway.state], [200, "running"]);
  assert.ok(isAlive(first.body.gateway.pid));
  const second = await post(`${url}/start`);
  assert.deepEqual([second.status, second.body.gateway.pid], [200, first.body.gateway.pid]);
  const restarted = await post(`${url}/restart`);
  assert.deepEqual([restarted.status, restarted.body.gateway.state, restarted.body.restarts], [200, "running", 1]);
  assert.notEqual(restarted.body.gateway.pid, first.body.gateway.pid);
  assert.equal(isAlive(first.body.gateway.pid), false);
  for (const _ of [1, 2]) {
    const stopped = await post(`${url}/stop`);
    assert.deepEqual([stopped.status, stopped.body.gateway], [200, { state: "stopped", pid: null, uptime: null }]);
  }
  const status = await (await fetch(`${url}/status`)).json();
  assert.deepEqual(Object.keys(status as object), [
    "autoRestart",
    "gateway",
    "lastCheck",
    "consecutiveFailures",
    "restarts",
  ]);
});

test("restart also starts a stopped gateway", async (t) => {
  const { url } = await startWatchdog(t);
  assert.equal((await post(`${url}/restart`)).body.gateway.state, "running");
});

test("concurrent commands run one after the other and leave one gateway", async (t) => {
  const { url } = await startWatchdog(t);
  const answers = await Promise.all(["start", "restart", "start", "restart"].map((path) => post(`${url}/${path}`)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  );
  const { body } = await post(`${url}/start`);
  const earlier = answers.map((answer) => answer.body.gateway.pid).filter((pid) => pid !== body.gateway.pid);
  assert.ok(earlier.length > 0);
  assert.deepEqual(earlier.filter(isAlive), []);
});

test("a start that fails is a 503 with the reason; the next one succeeds", async (t) => {
  const { url, block, unblock, snapshot } = await startWatchdog(t);
  block();
  const response = await fetch(`${url}/start`, { method: "POST" });
  const { code, detail } = (await response.json()) as Record<string, unknown>;
  assert.deepEqual([response.status, code], [503, "gateway-not-started"]);
  assert.equal(detail, "The way is blocked. Clear it.");
  const { gateway, fault, events } = snapshot();
  assert.deepEqual([gateway.state, fault], ["failed", "The way is blocked. Clear it."]);
  assert.equal(events[0]?.says, "The way is blocked. Clear it.");
  unblock();
  assert.equal((await post(`${url}/start`)).body.gateway.state, "running");
  assert.equal(snapshot().fault, null);
});

test("the switch toggles without a body, whatever the content type, and with a body it is set", async (t) => {
  const { url, snapshot } = await startWatchdog(t);
  assert.equal((await post(`${url}/watchdog`)).body.autoRestart, false);
  assert.equal((await post(`${url}/watchdog`)).body.autoRestart, true);
  assert.equal((await post(`${url}/watchdog`, json(""))).body.autoRestart, false);
  assert.equal((await post(`${url}/watchdog`, json("{}"))).body.autoRestart, true);
  for (const enabled of [false, false, true, true]) {
    const { status, body } = await post(`${url}/watchdog`, json(JSON.stringify({ enabled })));
    assert.deepEqual([status, body.autoRestart], [200, enabled]);
  }
  const more = await post(`${url}/watchdog`, json('{"enabled":true,"by":"a program"}'));
  assert.deepEqual([more.status, more.body.autoRestart], [200, true], "an unknown key is ignored");
  // Recorded when it changes, not when the same setting is sent again.
  assert.equal(snapshot().events.length, 6);
});

for (const [what, body, pointer] of [
  ["a word", '{"enabled":"yes"}', "/enabled"],
  ["a number", '{"enabled":1}', "/enabled"],
  ["null", '{"enabled":null}', "/enabled"],
  ["a list", "[]", ""],
] as const) {
  test(`${what} is not a valid switch setting: 422 names the field, and nothing changes`, async (t) => {
    const { url, snapshot } = await startWatchdog(t);
    const response = await fetch(`${url}/watchdog`, { method: "POST", ...json(body) });
    const { errors } = (await response.json()) as { errors: { pointer: string }[] };
    assert.deepEqual([response.status, errors[0]?.pointer], [422, pointer]);
    assert.equal(snapshot().autoRestart, true);
  });
}

test("a body that is not JSON is refused, and nothing changes", async (t) => {
  const { url, snapshot } = await startWatchdog(t);
  assert.equal((await post(`${url}/watchdog`, json("{enabled"))).status, 400);
  assert.equal(snapshot().autoRestart, true);
});

test("while it is off, it stays off over a restart of the gateway, and a gateway that exits stays down", async (t) => {
  const { url } = await startWatchdog(t);
  await post(`${url}/start`);
  await post(`${url}/watchdog`, json('{"enabled":false}'));
  const { body } = await post(`${url}/restart`);
  assert.deepEqual([body.autoRestart, body.gateway.state], [false, "running"]);
  process.kill(body.gateway.pid ?? 0, "SIGKILL");
  const status = async () => (await (await fetch(`${url}/status`)).json()) as WatchdogStatus;
  while ((await status()).gateway.state === "running") await sleep(10);
  assert.equal((await status()).gateway.state, "failed");
  assert.equal((await post(`${url}/start`)).body.gateway.state, "running");
});

test("a form on the page is answered with a redirect back to it, even when the gateway did not start", async (t) => {
  const { url, block, snapshot } = await startWatchdog(t);
  const form = (path: string, body = "") =>
    fetch(`${url}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: {
        accept: "text/html,application/xhtml+xml,*/*;q=0.8",
        "content-type": "application/x-www-form-urlencoded",
      },
      body,
    });
  const toggled = await form("/watchdog", "enabled=false");
  assert.deepEqual([toggled.status, toggled.headers.get("location")], [303, "/"]);
  assert.equal(snapshot().autoRestart, false);
  assert.equal((await form("/watchdog", "enabled=maybe")).status, 422);
  block();
  assert.equal((await form("/start")).status, 303);
  assert.match(await (await fetch(url)).text(), /Gateway has failed.*The way is blocked\. Clear it\./s);
});

test("commands must be POST requests", async (t) => {
  const { url } = await startWatchdog(t);
  for (const path of ["/start", "/stop", "/restart", "/watchdog"]) {
    const response = await fetch(`${url}${path}`);
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"]);
  }
});

test("the gateway's last 200 output lines are kept, each cut to a maximum length", async (t) => {
  const { journal } = await startWatchdog(t);
  for (let number = 0; number < 300; number += 1) journal.line(`line ${number} ${"x".repeat(5_000)}`);
  const kept = journal.output();
  assert.equal(kept.length, 200);
  assert.match(kept[0] ?? "", /^line 100 /);
  assert.equal(kept[0]?.length, 1_000);
});
