import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  type Ack,
  DEVICES_LIMITS,
  type Devices,
  type LastValue,
  type Source,
  type Sources,
} from "@backplane/contract/devices";
import { findSocketKind, type RunningSocketSimulator, startSocketSimulator } from "@backplane/simulators";
import { until } from "../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../testing/area.ts";

async function simulate(t: TestContext, kind = "odrive"): Promise<RunningSocketSimulator> {
  const found = findSocketKind(kind);
  assert.ok(found);
  const simulator = await startSocketSimulator({ kind: found, port: 0 });
  t.after(() => simulator[Symbol.asyncDispose]());
  return simulator;
}

async function openArea(t: TestContext) {
  const under = await openAreaForTest(t, { name: "sources" });
  const { call, json } = under;
  const add = (body: unknown, as = "ada") => call("POST", "/sources", { body, as });
  const device = async (id: string) => (await json<Devices>("")).devices.find((one) => one.id === id);
  return {
    ...{ ...under, add, device },
    source: async (name: string) => (await json<Sources>("/sources")).sources.find((one) => one.name === name),
    ready: (id: string) => until(`${id} is ready`, async () => (await device(id))?.state === "ready"),
    async command(id: string, capability: string, name: string, params: object = {}): Promise<Ack> {
      const response = await call("POST", `/${id}/${capability}/commands`, { body: { name, params } });
      const answer = (await response.json()) as Ack & { code?: string };
      return response.ok ? answer : { ...answer, ok: false };
    },
  };
}

test("a source is added, its device is read and driven by the rules of all devices, and leaves with it", async (t) => {
  const area = await openArea(t);
  const { call, json, add, ready, command, source, notes } = area;
  const simulator = await simulate(t);
  const listed = await json<Sources>("/sources");
  assert.deepEqual(listed.sources, []);
  assert.ok(listed.kinds.some(({ kind, shows }) => kind === "odrive" && shows.includes("motor")));
  const added = await add({ name: "arm", kind: "odrive", settings: { host: "127.0.0.1", port: simulator.port } });
  assert.equal(added.status, 201, await added.clone().text());
  const { settings } = (await added.json()) as Source;
  assert.deepEqual(settings, { host: "127.0.0.1", port: simulator.port, axes: 1 });
  await ready("arm");
  const now = await source("arm");
  assert.deepEqual([now?.state, now?.devices], ["connected", ["arm"]]);
  await until("it measures", async () => {
    const { fields } = await json<LastValue>("/arm/axis0");
    return typeof fields.velocity_rad_s === "number";
  });

  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 10 })).code, "not-held");
  assert.equal((await call("PUT", "/arm/lease", { body: {} })).status, 200);
  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 10 })).code, "not-armed");
  assert.equal((await call("PUT", "/arm/arm")).status, 200);
  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 1_000 })).code, "out-of-limits");
  const ack = await command("arm", "axis0", "velocity", { velocity_rad_s: 10 });
  assert.equal(ack.ok, true, JSON.stringify(ack));
  await until(
    "nobody presses, so it is stopped long before its own watchdog",
    () => simulator.witnessed().at(-1)?.name === "idle",
  );
  assert.ok(!simulator.witnessed().some(({ what }) => what === "watchdog"));

  const gone = await call("DELETE", "/sources/arm");
  assert.equal(gone.status, 204, await gone.clone().text());
  await until("the device has left", async () => (await area.device("arm")) === undefined);
  assert.equal((await call("DELETE", "/sources/arm")).status, 404);
  for (const text of ["added the source arm (odrive)", "The source arm is connected", "removed the source arm"])
    assert.ok(
      notes.some((note) => note.includes(text)),
      text,
    );
});

test("settings of a source are changed, and it connects again with them; what was not given stays", async (t) => {
  const { call, json, add, ready, device } = await openArea(t);
  const simulator = await simulate(t, "gdb");
  const place = { host: "127.0.0.1", port: simulator.port };
  await add({ name: "board", kind: "gdb", settings: { ...place, map: "loops 0x20000008 u32 ro" } });
  await ready("board");
  const change = (settings: object, as = "ada") => call("PUT", "/sources/board", { body: { settings }, as });
  assert.equal((await change({ map: "a" }, "eve")).status, 403);
  assert.equal((await change({ port: "none" })).status, 422);
  assert.equal((await call("PUT", "/sources/other", { body: { settings: {} } })).status, 404);
  const changed = await change({ map: "target_rpm 0x20000004 f32" });
  assert.equal(changed.status, 200, await changed.clone().text());
  const { settings } = (await changed.json()) as Source;
  assert.deepEqual([settings.port, settings.map], [simulator.port, "target_rpm 0x20000004 f32"]);
  await until("it has the other variable", async () => {
    const [chip] = (await device("board"))?.capabilities ?? [];
    return Object.hasOwn(chip?.fields ?? {}, "target_rpm");
  });
  await until("it is read", async () => (await json<LastValue>("/board/chip")).fields.target_rpm === 1_500);
});

/** What makes each of them move, and what its simulator sees when it is stopped. */
const MOVING = {
  vesc: {
    at: "esc",
    name: "throttle",
    params: { throttle_pct: 30 },
    stopped: { name: "current", params: { value: 0 } },
  },
  dynamixel: { at: "servos", name: "pose", params: { servo1_deg: -140, over_s: 20 }, settings: { servos: 8 } },
  msp: {
    at: "motor2",
    name: "throttle",
    params: { throttle_pct: 30 },
    stopped: { params: { motors: [1_000, 1_000, 1_000, 1_000] } },
  },
} as const;

for (const [kind, { at, name, params, ...rest }] of Object.entries(MOVING)) {
  test(`what moves by ${kind} is stopped when nobody holds it any more, before its own watchdog`, async (t) => {
    const { call, add, ready, command } = await openArea(t);
    const simulator = await simulate(t, kind);
    const settings = { host: "127.0.0.1", port: simulator.port, ...("settings" in rest ? rest.settings : {}) };
    await add({ name: "arm", kind, settings });
    await ready("arm");
    assert.equal((await command("arm", at, name, params)).code, "not-held");
    await call("PUT", "/arm/lease", { body: {} });
    await call("PUT", "/arm/arm");
    const before = simulator.witnessed().length;
    const told = command("arm", at, name, params);
    await until("it has the command", () => simulator.witnessed().length > before);
    const asked = simulator.witnessed().length;
    await until("it was told to stop", () => {
      const since = simulator.witnessed().slice(asked);
      if (!("stopped" in rest)) return since.some(({ params: { deg } }) => Number(deg) > -100);
      return since.some((one) =>
        Object.entries(rest.stopped).every(([key, value]) => isDeepStrictEqual(one[key as keyof typeof one], value)),
      );
    });
    await told;
    assert.ok(!simulator.witnessed().some(({ what }) => what === "watchdog"));
  });
}

test("removing a source stops what moves", async (t) => {
  const { call, add, ready, command } = await openArea(t);
  const simulator = await simulate(t);
  await add({ name: "arm", kind: "odrive", settings: { host: "127.0.0.1", port: simulator.port } });
  await ready("arm");
  await call("PUT", "/arm/lease", { body: {} });
  await call("PUT", "/arm/settings", { body: { latch: true } });
  await call("PUT", "/arm/arm");
  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 10 })).ok, true);
  await until("it turns", () => Math.abs(Number(simulator.read("motor").velocity_rad_s)) > 5);
  await call("DELETE", "/sources/arm");
  await until("it was stopped", () => simulator.witnessed().at(-1)?.name === "idle");
  assert.ok(!simulator.witnessed().some(({ what }) => what === "watchdog"));
});

test("the emergency stop reaches a source, and its device waits until it is cleared", async (t) => {
  const { call, add, ready, command } = await openArea(t);
  const simulator = await simulate(t);
  await add({ name: "arm", kind: "odrive", settings: { host: "127.0.0.1", port: simulator.port } });
  await ready("arm");
  await call("PUT", "/arm/lease", { body: {} });
  await call("PUT", "/arm/settings", { body: { latch: true } });
  await call("PUT", "/arm/arm");
  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 10 })).ok, true);
  const stopped = await call("POST", "/stop");
  assert.equal(stopped.status, 200, await stopped.clone().text());
  const { devices } = (await stopped.json()) as { devices: Record<string, Ack> };
  assert.equal(devices.arm?.ok, true);
  assert.equal(simulator.witnessed().at(-1)?.name, "idle");
  assert.equal((await command("arm", "axis0", "velocity", { velocity_rad_s: 10 })).code, "stopped");
});

test("the emergency stop brakes a drone, then lands it; leaving control makes it hover", async (t) => {
  const { call, add, ready, command, json } = await openArea(t);
  const simulator = await simulate(t, "mavlink");
  await add({ name: "scout", kind: "mavlink", settings: { host: "127.0.0.1", port: simulator.port, localPort: 0 } });
  await ready("scout");
  await until("it knows where it is", async () => (await json<LastValue>("/scout/drone")).fields.north_m !== undefined);
  assert.equal((await command("scout", "drone", "arm")).code, "not-held");
  const fly = async () => {
    await call("PUT", "/scout/lease", { body: {} });
    await call("PUT", "/scout/arm");
    assert.equal((await command("scout", "drone", "arm")).ok, true);
    const up = await command("scout", "drone", "takeoff", { height_m: 1.5 });
    assert.equal(up.ok, true, up.detail);
  };
  await fly();
  const before = simulator.witnessed().length;
  await call("DELETE", "/scout/lease");
  await until("it was told to hold", () =>
    simulator
      .witnessed()
      .slice(before)
      .some(({ name }) => name === "hold"),
  );
  assert.equal(simulator.read("drone").flying, true);
  const stop = await call("POST", "/stop");
  const { devices } = (await stop.json()) as { devices: Record<string, Ack> };
  assert.equal(devices.scout?.ok, true, JSON.stringify(devices));
  assert.deepEqual(
    simulator
      .witnessed()
      .slice(-2)
      .map(({ name }) => name),
    ["hold", "land"],
  );
  await until("it has landed", () => simulator.read("drone").armed === false);
});

test("the emergency stop switches the outputs of a supply off", async (t) => {
  const { call, add, ready, command } = await openArea(t);
  const simulator = await simulate(t, "scpi");
  await add({ name: "bench", kind: "scpi", settings: { host: "127.0.0.1", port: simulator.port, outputs: 2 } });
  await ready("bench");
  assert.equal((await command("bench", "ch1", "on")).code, "not-held");
  await call("PUT", "/bench/lease", { body: {} });
  await call("PUT", "/bench/arm");
  for (const rail of ["ch1", "ch2"]) assert.equal((await command("bench", rail, "on")).ok, true);
  const { devices } = (await (await call("POST", "/stop")).json()) as { devices: Record<string, Ack> };
  assert.equal(devices.bench?.ok, true);
  assert.deepEqual([simulator.read("ch1").on, simulator.read("ch2").on], [false, false]);
  const cut = simulator.witnessed().filter(({ name }) => name === "off");
  assert.deepEqual(
    cut.map(({ params }) => params.rail),
    ["ch2", "ch1"],
    "the one that was switched on last goes first",
  );
});

test("what cannot be set up is refused with the field, and what cannot be connected says why", async (t) => {
  const { add, call, source } = await openArea(t);
  const fields = async (body: unknown) => {
    const response = await add(body);
    assert.equal(response.status, 422, await response.clone().text());
    const { errors } = (await response.json()) as { errors: { pointer: string; message: string }[] };
    return errors.map(({ pointer, message }) => `${pointer} ${message}`);
  };
  assert.match((await fields({ name: "arm", kind: "toaster" }))[0] ?? "", /^\/kind must be one of odrive/);
  assert.deepEqual(await fields({ name: "arm", kind: "odrive" }), ["/settings/host is missing"]);
  assert.deepEqual(await fields({ name: "arm", kind: "odrive", settings: { host: "x", prot: 1 } }), [
    "/settings/prot is not a known field",
  ]);
  assert.equal((await add({ name: "a b", kind: "odrive" })).status, 422);
  assert.equal((await add({ name: "arm", kind: "odrive", settings: { host: "10.1.2.3" } }, "eve")).status, 403);
  assert.equal((await add({ name: "arm", kind: "odrive", settings: { host: "10.1.2.3" } })).status, 201);
  assert.equal((await add({ name: "arm", kind: "odrive", settings: { host: "10.1.2.3" } })).status, 409);
  await until("it is refused", async () => (await source("arm"))?.state === "refused");
  assert.match((await source("arm"))?.reason ?? "", /DEVICES_ALLOW/);
  // Backplane's own servers are not devices.
  await add({ name: "own", kind: "odrive", settings: { host: "127.0.0.1", port: 8_791 } });
  await until("it is refused, too", async () => (await source("own"))?.state === "refused");
  assert.match((await source("own"))?.reason ?? "", /the platform itself/);
  for (let i = 2; i < DEVICES_LIMITS.maxSources; i += 1)
    assert.equal((await add({ name: `s${i}`, kind: "odrive", settings: { host: "10.1.2.3" } })).status, 201);
  assert.equal((await add({ name: "more", kind: "odrive", settings: { host: "10.1.2.3" } })).status, 409);
  assert.equal((await call("DELETE", "/sources/arm", { as: "eve" })).status, 403);
});

test("a source is connected after a restart, whether or not somebody looks, and leaves with its workspace", async (t) => {
  const { add, ready, first, start, workspaces, database } = await openArea(t);
  const simulator = await simulate(t);
  await add({ name: "arm", kind: "odrive", settings: { host: "127.0.0.1", port: simulator.port } });
  await ready("arm");
  const connections = () => simulator.connections();
  await first.stop();
  await until("it was let go of", () => connections() === 0);
  await start();
  await until("it is connected, and nobody has called", () => connections() === 1);
  await workspaces.remove("w-demo");
  await until("it was let go of", () => connections() === 0);
  assert.deepEqual(await database.durable.selectFrom("devices_sources").selectAll().execute(), []);
});
