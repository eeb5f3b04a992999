import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { DeviceSettings, Lease, StopAnswer } from "@backplane/contract/devices";
import { openBus } from "@backplane/kit/bus";
import { type Caller, type FollowAccess, requireCaller } from "@backplane/kit/callers";
import { createApp } from "@backplane/kit/http";
import { createLog } from "@backplane/kit/log";
import { createMetrics } from "@backplane/kit/metrics";
import type { ProblemBody } from "@backplane/kit/problems";
import { until } from "../../../../scripts/testing/until.ts";
import { lamp } from "../testing/motor.ts";
import { openWorkbench } from "../testing/workbench.ts";
import { createDeviceSettings } from "./device-settings.ts";
import { serveControl } from "./routes.ts";

/** A name is a person's browser; "name/program" is a program of theirs, "name/read" a key that may only look. */
function callerOf(text: string): Caller {
  const [name = "", program] = text.split("/");
  return {
    ...{ userId: name, userName: name, credentialId: text, credentialName: program ?? "Firefox" },
    kind: program === undefined ? "Browser" : "ApiKey",
    scopes:
      program === "read" ? ["devices:read"] : program === "none" ? ["publish"] : ["devices:read", "devices:control"],
  };
}

/** What answers of all routes have. */
type Answer = Partial<ProblemBody & Lease & StopAnswer & DeviceSettings> & { ok?: boolean; tookMs?: number };

/** A real app, over a real broker, with one motor. */
async function openRoutes(t: TestContext, given: { ackMs?: number } = {}) {
  const bench = await openWorkbench(t, given);
  const motor = await bench.addMotor("m1", [lamp]);
  const hub = await bench.openHub();
  await hub.isReady("m1");
  await until("it was told to stop when it connected", () => motor.log.includes("motor idle"));
  motor.log.length = 0;

  const followers = new Map<() => void, string>();
  const ended = new Set<string>();
  const followAccess: FollowAccess = async ({ credentialId }, onEnd) => {
    if (ended.has(credentialId)) return undefined;
    const follower = () => onEnd();
    followers.set(follower, credentialId);
    return () => void followers.delete(follower);
  };
  const app = await createApp({
    onlyDeclaredProblems: true,
    log: createLog({ process: "test", level: "silent" as never, destination: { write: () => {} } }),
    ...{ metrics: createMetrics("test"), now: Date.now, readiness: { checks: {}, isDraining: () => false } },
    ...{ trustProxy: [], overHttps: false },
  });
  const bus = await openBus({ now: Date.now, onFault: (error) => hub.faults.push(error) });
  t.after(() => bus.close());
  const deviceSettings = createDeviceSettings({
    database: bench.database,
    bus,
    onFault: (error) => hub.faults.push(error),
  });
  const list = async () => ({ devices: hub.model.devices(), stopped: hub.control.stopped() });
  serveControl(app, {
    followAccess,
    deviceSettings,
    note: (_workspaceId, _level, _source, message) => void hub.lines.push(message),
    onFault: (error) => hub.faults.push(error),
    async open(request, may) {
      const text = request.headers.authorization?.replace("Bearer ", "");
      const whoIsCalling = async () => (text === undefined ? undefined : callerOf(text));
      const caller = await (may === "control"
        ? requireCaller(whoIsCalling, request, "devices:control")
        : requireCaller(whoIsCalling, request, "devices:read", "devices:control"));
      return {
        ...{ workspace: { id: "bench", owner: "ada", repo: "demo" }, caller, hub: { ...hub, list } },
        access: { userId: caller.userId, kind: caller.kind, credentialId: caller.credentialId, ownerId: "ada" },
        mayControl: caller.scopes.includes("devices:control"),
      };
    },
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  t.after(() => app.close());
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  async function call(as: string | undefined, method: string, path: string, body?: unknown) {
    const response = await fetch(`${base}/api/workspaces/editor/ada/demo/current/devices${path}`, {
      method,
      headers: {
        ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === "" ? {} : JSON.parse(text)) as Answer,
    };
  }
  const spin = (as: string, velocity_rad_s: unknown) =>
    call(as, "POST", "/m1/motor/commands", { name: "velocity", params: { velocity_rad_s } });
  async function drive(as: string): Promise<void> {
    assert.equal((await call(as, "PUT", "/m1/lease")).status, 200);
    assert.equal((await call(as, "PUT", "/m1/arm")).status, 200);
    assert.equal((await spin(as, 5)).status, 200);
  }
  const end = (credentialId: string) => {
    ended.add(credentialId);
    for (const [follower, id] of followers) if (id === credentialId) follower();
  };
  return { ...hub, bench, deviceSettings, motor, call, spin, drive, end, followed: () => followers.size };
}

const problemOf = ({ status, body }: { status: number; body: Answer }) => [status, body.code];

test("PUT lease, PUT arm, POST commands, DELETE arm, DELETE lease: a program drives a motor", async (t) => {
  const { call, spin, motor, model } = await openRoutes(t);
  assert.deepEqual(problemOf(await spin("ada/bot", 5)), [409, "not-held"]);
  const lease = await call("ada/bot", "PUT", "/m1/lease", {});
  assert.deepEqual([lease.status, lease.body.holder], [200, { user: "ada", program: "bot" }]);
  assert.equal(Date.parse(lease.body.until ?? "") - Date.parse(lease.body.since ?? ""), 5_000);
  assert.equal(lease.headers.get("cache-control"), "no-store");
  assert.deepEqual(problemOf(await spin("ada/bot", 5)), [409, "not-armed"]);
  assert.equal((await call("ada/bot", "PUT", "/m1/arm")).body.ok, true);
  const { status, body } = await spin("ada/bot", 5);
  assert.deepEqual([status, body.ok, typeof body.tookMs], [200, true, "number"]);
  assert.deepEqual(motor.log, ["motor velocity 5"]);
  assert.equal((await call("eve/read", "DELETE", "/m1/arm")).body.ok, true, "disarming needs no lease");
  assert.equal(motor.log.at(-1), "motor idle");
  assert.equal((await call("ada/bot", "DELETE", "/m1/lease")).status, 204);
  assert.equal(model.device("m1")?.lease, undefined);
});

test("409 held names the holder; a person takes over from a program, a program never from a person", async (t) => {
  const { call, drive, motor } = await openRoutes(t);
  await drive("ada/bot");
  const held = await call("eve", "PUT", "/m1/lease");
  assert.deepEqual(problemOf(held), [409, "held"]);
  assert.match(held.body.detail ?? "", /^bot \(a program of ada\) is in control\. Take over/);
  const taken = await call("eve", "PUT", "/m1/lease", { takeOver: true });
  assert.deepEqual([taken.status, taken.body.holder], [200, { user: "eve" }]);
  assert.equal(motor.log.at(-1), "motor idle", "it was stopped first");
  const never = await call("ada/bot", "PUT", "/m1/lease", { takeOver: true });
  assert.deepEqual(problemOf(never), [409, "held"]);
  assert.match(never.body.detail ?? "", /^eve is in control\. A program cannot take over from a person/);
});

test("422 out-of-limits names field and limits; unknown fields, no numbers and unknown commands are 422 too", async (t) => {
  const { call, spin, drive, motor } = await openRoutes(t);
  await drive("ada/bot");
  const outside = await spin("ada/bot", 99);
  assert.deepEqual(problemOf(outside), [422, "out-of-limits"]);
  assert.equal(outside.body.detail, "velocity_rad_s must be at least -20 and at most 20, not 99.");
  assert.deepEqual(outside.body.errors, [
    { pointer: "/params/velocity_rad_s", message: "must be at least -20 and at most 20, not 99" },
  ]);
  assert.deepEqual(problemOf(await spin("ada/bot", "fast")), [422, "not-a-number"]);
  const post = (path: string, body: unknown) => call("ada/bot", "POST", path, body);
  const more = { name: "velocity", params: { velocity_rad_s: 1, boost: 1 } };
  assert.deepEqual(problemOf(await post("/m1/motor/commands", more)), [422, "unknown-field"]);
  assert.deepEqual(problemOf(await post("/m1/motor/commands", { name: "fly" })), [422, "unsupported"]);
  assert.deepEqual(problemOf(await post("/m9/motor/commands", { name: "idle" })), [404, "device-unknown"]);
  assert.deepEqual(problemOf(await post("/m1/motor/commands", {})), [422, "invalid-input"]);
  assert.deepEqual(motor.log, ["motor velocity 5"], "nothing of it was sent");
});

test("504 no-answer of a device that is silent; what a device itself refuses is its answer", async (t) => {
  const { spin, drive, motor, call } = await openRoutes(t, { ackMs: 100 });
  await drive("ada/bot");
  motor.isMute = true;
  assert.deepEqual(problemOf(await spin("ada/bot", 6)), [504, "no-answer"]);
  motor.isMute = false;
  motor.refuses = "denied";
  const refused = await spin("ada/bot", 7);
  assert.deepEqual([refused.status, refused.body.ok, refused.body.code], [200, false, "denied"]);
  motor.refuses = undefined;
  assert.equal((await call("ada/bot", "POST", "/m1/motor/commands", { name: "idle" })).body.ok, true);
});

test("POST stop: whoever sees the workspace; 409 stopped until a holder clears it with DELETE stop", async (t) => {
  const { call, spin, drive, motor, control } = await openRoutes(t);
  await drive("ada/bot");
  const stopped = await call("eve/read", "POST", "/stop");
  assert.deepEqual([stopped.status, Object.keys(stopped.body.devices ?? {})], [200, ["m1"]]);
  assert.equal(stopped.body.devices?.m1?.ok, true);
  assert.equal(motor.log.at(-1), "motor idle");
  assert.equal(control.stopped()?.by, "read (a program of eve)");
  assert.deepEqual(problemOf(await spin("ada/bot", 5)), [409, "stopped"]);
  assert.deepEqual(problemOf(await call("ada/bot", "PUT", "/m1/arm")), [409, "stopped"]);
  assert.deepEqual(problemOf(await call("eve", "DELETE", "/stop")), [409, "not-held"]);
  assert.deepEqual(problemOf(await call("eve/read", "DELETE", "/stop")), [403, "scope-missing"]);
  assert.equal((await call("ada/bot", "DELETE", "/stop")).status, 204);
  assert.deepEqual(problemOf(await spin("ada/bot", 5)), [409, "not-armed"]);
});

test("scopes: without devices:control one may look, stop and switch off, and nothing else", async (t) => {
  const { call, drive, motor } = await openRoutes(t);
  await drive("ada/bot");
  for (const [method, path] of [
    ["PUT", "/m1/lease"],
    ["DELETE", "/m1/lease"],
    ["PUT", "/m1/arm"],
  ] as const) {
    assert.deepEqual(problemOf(await call("eve/read", method, path)), [403, "scope-missing"], path);
    assert.deepEqual(problemOf(await call(undefined, method, path)), [401, "not-signed-in"], path);
  }
  const lit = await call("eve/read", "POST", "/m1/lamp/commands", { name: "set", params: { on: true } });
  assert.deepEqual(problemOf(lit), [403, "scope-missing"]);
  assert.equal((await call("eve/read", "POST", "/m1/motor/commands", { name: "idle" })).body.ok, true);
  assert.deepEqual(motor.log, ["motor velocity 5", "motor idle"]);
  for (const path of ["/stop", "/m1/motor/commands"]) {
    const body = path === "/stop" ? undefined : { name: "idle" };
    assert.deepEqual(problemOf(await call("eve/none", "POST", path, body)), [403, "scope-missing"], path);
  }
});

test("a program's lease ends with its credential: what moves stops", async (t) => {
  const { call, drive, motor, model, end, followed } = await openRoutes(t);
  await drive("ada/bot");
  await call("ada/bot", "PUT", "/m1/lease");
  assert.equal(followed(), 1);
  end("ada/bot");
  await until("stopped and free", () => motor.log.at(-1) === "motor idle" && model.device("m1")?.lease === undefined);
  assert.equal(followed(), 0);
  assert.deepEqual(problemOf(await call("ada/bot", "PUT", "/m1/lease")), [401, "not-signed-in"]);
});

test("more than 20 commands per second are 429 with when to try again", async (t) => {
  const { spin, drive } = await openRoutes(t);
  await drive("ada/bot");
  const answers = await Promise.all(Array.from({ length: 25 }, () => spin("ada/bot", 5)));
  const refused = answers.find(({ status }) => status !== 200);
  assert.deepEqual(refused && problemOf(refused), [429, "too-many-requests"]);
  assert.ok(Number(refused?.headers.get("retry-after")) >= 1);
});

test("PUT settings: latch, what a stop leaves on, narrower limits; followed at once, kept, and only with devices:control", async (t) => {
  const { call, deviceSettings, lines } = await openRoutes(t);
  const followed = await deviceSettings.follow("bench");
  t.after(() => followed.close());
  const usual = { latch: false, kept: [], limits: {} };
  assert.deepEqual((await call("eve/read", "GET", "/m1/settings")).body, usual);
  const limits = { motor: { velocity_rad_s: [-5, 5] } };
  assert.deepEqual((await call("ada", "PUT", "/m1/settings", { limits })).body, { ...usual, limits });
  assert.deepEqual((await call("ada", "PUT", "/m1/settings", { kept: ["logic"] })).body, {
    ...usual,
    limits,
    kept: ["logic"],
  });
  await until("followed", () => followed.of("m1").kept.length === 1);
  assert.deepEqual(followed.of("m1"), { ...usual, limits, kept: ["logic"] });
  assert.ok(lines.includes("ada changed the settings of Motor m1: limits."));
  const wrong = { limits: { motor: { velocity_rad_s: [5, -5] } } };
  assert.deepEqual(problemOf(await call("ada", "PUT", "/m1/settings", wrong)), [422, "invalid-input"]);
  assert.deepEqual(problemOf(await call("ada", "PUT", "/m9/settings", {})), [404, "device-unknown"]);
  assert.deepEqual(problemOf(await call("eve/read", "PUT", "/m1/settings", {})), [403, "scope-missing"]);
  await deviceSettings.remove("bench");
  assert.deepEqual(await deviceSettings.read("bench", "m1"), usual);
});
