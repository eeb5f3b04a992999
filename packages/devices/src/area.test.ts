import assert from "node:assert/strict";
import { test } from "node:test";
import { DEVICES_LIMITS, type Devices, type History, type LastValue } from "@backplane/contract/devices";
import { until } from "../../../scripts/testing/until.ts";
import { openAreaForTest } from "./testing/area.ts";
import { HomieDevice } from "./testing/homie-device.ts";
import { openWithMotor } from "./testing/with-motor.ts";

const ALONE = { name: "one process" };
const WANT = { device: "motor-1", capability: "motor" };
const CLOSE_POLICY = 1008;

test("a device that connects with its key is listed, read, and shown on the socket", async (t) => {
  const { open, json, motor, call } = await openWithMotor(t);
  const page = await open();
  const { devices, mayControl } = await page.hears("welcome");
  assert.deepEqual([devices[0]?.id, devices[0]?.name, mayControl], ["motor-1", "Test motor", true]);
  page.send({ type: "subscribe", id: 7, ...WANT });
  await motor.sample({ value: 1 });
  await motor.sample({ value: 2, angle_rad: 0.5 });
  await until("both samples are there", () => page.rows(7, "value").length === 2);
  assert.deepEqual(
    page.rows(7, "value").map(({ value }) => value),
    [1, 2],
  );
  assert.equal(page.rows(7, "angle_rad")[1]?.value, 0.5);
  const last = await json<LastValue>("/motor-1/motor");
  assert.deepEqual(last.fields, { value: 2, angle_rad: 0.5 });
  assert.equal((await call("GET", "/motor-1/nothing")).status, 404);
  assert.equal((await call("GET", "/nobody/motor")).status, 404);
  const history = await json<History>("/motor-1/motor/history?fields=value");
  assert.deepEqual(history.fields.value?.last?.at(-1), 2);
  const csv = await call("GET", "/motor-1/motor/history?format=csv");
  assert.match(await csv.text(), /^time,/);
  assert.equal((await call("GET", "/motor-1/motor/history?from=yesterday")).status, 400);
});

test("a database fault while devices are opened leaves nothing open, and they are there for the next one who asks", async (t) => {
  const { call, database, deviceKey, first } = await openAreaForTest(t, ALONE);
  for (const table of ["devices_settings", "devices_stops", "devices_sources"]) {
    await database.durable.schema.alterTable(table).renameTo("elsewhere").execute();
    for (let tries = 0; tries < 2; tries += 1) assert.equal((await call("GET", "")).status, 500, table);
    await database.durable.schema.alterTable("elsewhere").renameTo(table).execute();
  }
  assert.equal((await call("GET", "")).status, 200);
  const key = await deviceKey({ device: "motor-1" });
  const url = first.area.address();
  assert.ok(url);
  await HomieDevice.connect(t, { url, key });
  const list = async () => ((await (await call("GET", "")).json()) as Devices).devices;
  await until("its devices are ready", async () => (await list())[0]?.state === "ready");
});

test("a page that comes back asks for what it missed, and nothing is missing or doubled", async (t) => {
  const { open, motor } = await openWithMotor(t);
  const page = await open();
  page.send({ type: "subscribe", id: 1, ...WANT });
  for (let value = 0; value < 20; value += 1) await motor.sample({ value });
  await until("some are there", () => page.rows(1, "value").length > 5);
  page.vanish();
  const before = page.rows(1, "value");
  for (let value = 20; value < 40; value += 1) await motor.sample({ value });
  const again = await open();
  again.send({ type: "subscribe", id: 1, ...WANT, sinceMs: before.at(-1)?.tMs ?? 0 });
  for (let value = 40; value < 60; value += 1) await motor.sample({ value });
  await until("the last is there", () => again.rows(1, "value").at(-1)?.value === 59);
  assert.deepEqual(
    [...before, ...again.rows(1, "value")].map(({ value }) => value),
    Array.from({ length: 60 }, (_, value) => value),
  );
});

test("a device that dies is lost; its page hears it", async (t) => {
  const { open, motor } = await openWithMotor(t);
  const page = await open();
  motor.die();
  await page.hears("devices", ({ changed }) => changed[0]?.state === "lost");
});

test("control over the socket: take, arm, press and command; a page that vanishes stops what moves", async (t) => {
  const { open, motor, notes } = await openWithMotor(t);
  const page = await open();
  const { tab } = await page.hears("welcome");
  const command = { type: "command", ...WANT, name: "velocity", params: { velocity_rad_s: 2 } } as const;
  page.send({ ...command, id: 1 });
  assert.equal((await page.hears("ack", ({ id }) => id === 1)).ack.code, "not-held");
  page.send({ type: "take", id: 2, device: "motor-1" });
  assert.equal((await page.hears("ack", ({ id }) => id === 2)).ack.ok, true);
  await page.hears("devices", ({ changed }) => changed[0]?.lease?.holder.tab === tab);
  const other = await open();
  other.send({ type: "take", id: 1, device: "motor-1" });
  assert.equal((await other.hears("ack", ({ id }) => id === 1)).ack.code, "held");
  page.send({ type: "arm", id: 3, device: "motor-1" });
  await page.hears("ack", ({ id, ack }) => id === 3 && ack.ok);
  const pressing = setInterval(() => page.send({ type: "press", device: "motor-1" }), DEVICES_LIMITS.pressMs);
  t.after(() => clearInterval(pressing));
  page.send({ type: "press", device: "motor-1" });
  page.send({ ...command, id: 4 });
  await page.hears("ack", ({ id, stage, ack }) => id === 4 && stage === "reached" && ack.ok);
  assert.deepEqual(motor.received.find(({ name }) => name === "velocity")?.params, { velocity_rad_s: 2 });
  clearInterval(pressing);
  page.vanish();
  await until("the motor was told to stop", () => motor.received.at(-1)?.name === "idle");
  await other.hears("devices", ({ changed }) => changed[0]?.id === "motor-1" && changed[0].lease === undefined);
  assert.ok(notes.some((note) => note.includes("velocity")));
});

test("whoever sees the devices may stop them, and nothing else", async (t) => {
  const { open, motor } = await openWithMotor(t);
  const [viewer, page] = [await open(undefined, "eve"), await open()];
  assert.equal((await viewer.hears("welcome")).mayControl, false);
  viewer.send({ type: "take", id: 1, device: "motor-1" });
  assert.equal((await viewer.hears("refused", ({ id }) => id === 1)).code, "scope-missing");
  viewer.send({ type: "stop", id: 2 });
  const stopped = await viewer.hears("ack", ({ id }) => id === 2);
  assert.equal(stopped.devices?.["motor-1"]?.ok, true);
  assert.equal(motor.received.at(-1)?.name, "idle");
  assert.equal((await page.hears("stopped")).stopped?.by, "eve");
});

test("a ticket works once; hello comes once, and first; what is no message is refused", async (t) => {
  const { connect, ticket, open } = await openAreaForTest(t, ALONE);
  const one = await ticket();
  const page = await connect();
  page.send({ type: "hello", ticket: one });
  await page.hears("welcome");
  page.sendText("{}");
  assert.equal((await page.hears("refused")).code, "malformed-request");
  for (const text of [
    JSON.stringify({ type: "hello", ticket: one }),
    '{"type":"press","device":"a"}',
    '{"type":"hello"}',
    "nonsense",
    "null",
  ]) {
    const late = await connect();
    late.sendText(text);
    assert.equal(await late.closed(), CLOSE_POLICY, text);
  }
  const twice = await open();
  twice.send({ type: "hello", ticket: await ticket() });
  assert.equal(await twice.closed(), CLOSE_POLICY);
});

test("sockets end with the access that they were opened by, and with their workspace", async (t) => {
  const { open, workspaces } = await openAreaForTest(t, ALONE);
  const [page, other] = [await open(), await open(undefined, "eve")];
  workspaces.endAccessOf("ada");
  assert.equal(await page.closed(), CLOSE_POLICY);
  await workspaces.remove("w-demo");
  assert.equal((await other.hears("refused")).code, "not-found");
  assert.equal(await other.closed(), CLOSE_POLICY);
});

test("a page has as many subscriptions as the limit says; the next one is refused", async (t) => {
  const { open } = await openAreaForTest(t, ALONE);
  const page = await open();
  for (let id = 0; id <= DEVICES_LIMITS.maxSubscriptions; id += 1) page.send({ type: "subscribe", id, ...WANT });
  const { id, code } = await page.hears("refused");
  assert.deepEqual([id, code], [DEVICES_LIMITS.maxSubscriptions, "too-many-of-these"]);
  page.send({ type: "unsubscribe", id: 3 });
  page.send({ type: "subscribe", id: 100, ...WANT });
  page.send({ type: "stop", id: 200 });
  await page.hears("ack");
  assert.equal(page.heard.filter(({ type }) => type === "refused").length, 1);
});

test("programs follow devices as a stream of events", async (t) => {
  const { call, motor } = await openWithMotor(t);
  assert.equal((await call("GET", "/events?device=nobody")).status, 404);
  const response = await call("GET", "/events?device=motor-1");
  assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
  let text = "";
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  t.after(() => reader?.cancel());
  const reading = (async () => {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) text += next.value;
  })().catch(() => undefined);
  await until("the devices are there", () => text.includes("event: devices"));
  await motor.sample({ value: 42 });
  await until("the sample is there", () => text.includes('"value":[42]'));
  await reader?.cancel();
  await reading;
});

test("lines that a device said are sent to pages that want them", async (t) => {
  const { open, motor } = await openWithMotor(t);
  const page = await open();
  page.send({ type: "lines", on: true });
  await page.hears("lines");
  await motor.log("warn", "hot");
  const { lines } = await page.hears("lines", ({ lines: all }) => all.length > 0);
  assert.equal(lines[0]?.text, "hot");
});

test("a hidden page gets the newest value now and then, and everything when it is shown again", async (t) => {
  const { open, motor } = await openWithMotor(t);
  const page = await open();
  page.send({ type: "subscribe", id: 1, ...WANT });
  page.send({ type: "visible", visible: false });
  for (let value = 0; value < 50; value += 1) await motor.sample({ value });
  await until("the newest is shown", () => page.rows(1, "value").length > 0);
  assert.ok(page.batches(1).every(({ thin, t: times }) => thin && times.length === 1));
  page.send({ type: "visible", visible: true });
  await until("all is there", () => page.rows(1, "value").length === 50);
  assert.deepEqual(
    page.rows(1, "value").map(({ value }) => value),
    Array.from({ length: 50 }, (_, value) => value),
  );
});
