import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectSocket, createServer } from "node:net";
import { test } from "node:test";
import { DEVICES_LIMITS, type DeviceKeys } from "@backplane/contract/devices";
import mqttPacket from "mqtt-packet";
import { freePort } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import { startMqtt, WORKSPACES } from "./mqtt-under-test.suite.ts";
import { PACKETS_PER_TURN } from "./slices.ts";

test("a device of a key is heard in its workspace only, in the order it speaks, with its last will", async (t) => {
  const { makeKey, connect, heard, topicsHeard, hear } = await startMqtt(t);
  await hear("w-cell");
  const { key } = await makeKey({ name: "IMU", device: "imu-1" });
  const device = await connect(key, {
    will: { topic: "homie/5/imu-1/$state", payload: Buffer.from("lost"), retain: true, qos: 1 },
  });
  device.publish("homie/5/imu-1/$description", "{}", { retain: true, qos: 1 });
  device.publish("homie/5/imu-1/$state", "ready", { retain: true, qos: 1 });
  for (let n = 0; n < 50; n += 1) device.publish("homie/5/imu-1/imu/sample", String(n));
  await until("everything is heard", () => topicsHeard().length === 52);
  assert.deepEqual(topicsHeard(), [
    "homie/5/imu-1/$description={}",
    "homie/5/imu-1/$state=ready",
    ...Array.from({ length: 50 }, (_, n) => `homie/5/imu-1/imu/sample=${n}`),
  ]);
  device.stream.destroy();
  await until("it left", () => heard.get("w-arm")?.connections.length === 2);
  assert.equal(topicsHeard().at(-1), "homie/5/imu-1/$state=lost");
  assert.deepEqual(heard.get("w-arm")?.connections, ["imu-1 came", "imu-1 left"]);
  assert.deepEqual(topicsHeard("w-cell"), []);
});

test("what the hub sends reaches the device once, and nobody hears it as a message of a device", async (t) => {
  const { makeKey, connect, heard, topicsHeard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const { key: watcherKey } = await makeKey({ gateway: true });
  const device = await connect(key);
  const watcher = await connect(watcherKey);
  assert.deepEqual(
    (await device.subscribeAsync(["homie/5/m1/+/command/set", "homie/5/m1/#"], { qos: 1 })).map(({ qos }) => qos),
    [1, 1],
  );
  await watcher.subscribeAsync("#");
  await heard.get("w-arm")?.link.send("homie/5/m1/motor/command/set", '{"id":"1"}', { qos: 1 });
  await until("the device got it", () => device.got.length > 0 && watcher.got.length > 0);
  assert.deepEqual(device.got, ['homie/5/m1/motor/command/set={"id":"1"}']);
  assert.deepEqual(watcher.got, device.got);
  assert.deepEqual(topicsHeard(), []);
});

test("a key that publishes outside its device is closed; a filter outside it is refused, and the connection stays", async (t) => {
  const { makeKey, connect, notes, topicsHeard } = await startMqtt(t);
  const { key } = await makeKey({ name: "IMU", device: "imu-1" });
  const device = await connect(key);
  for (const filter of ["#", "homie/5/+/$state", "homie/5/imu-2/#", "$SYS/#"]) {
    await assert.rejects(device.subscribeAsync(filter), filter);
  }
  assert.ok(device.connected);
  device.publish("homie/5/imu-2/$state", "ready");
  await device.closed();
  assert.deepEqual(topicsHeard(), []);
  assert.deepEqual(notes.slice(1), ['w-arm warn The key "IMU" may not publish to homie/5/imu-2/$state.']);
});

test("commands that devices or gateways publish go nowhere, retained or not, and the publisher is answered", async (t) => {
  const { makeKey, connect, topicsHeard } = await startMqtt(t);
  const gateway = await connect((await makeKey({ gateway: true })).key);
  const device = await connect((await makeKey({ device: "m1" })).key);
  await device.subscribeAsync("homie/5/m1/#");
  for (const retain of [true, false]) {
    await gateway.publishAsync("homie/5/m1/motor/command/set", "{}", { qos: 1, retain });
  }
  await gateway.publishAsync("zigbee2mqtt/lamp/set", "{}", { qos: 1, retain: true });
  await device.publishAsync("homie/5/m1/$state", "ready", { qos: 1 });
  const late = await connect((await makeKey({ gateway: true })).key);
  await late.subscribeAsync("#", { qos: 1 });
  await device.publishAsync("homie/5/m1/$state", "sleeping", { qos: 1 });
  await until("the late one hears", () => late.got.length > 0);
  assert.deepEqual(late.got, ["homie/5/m1/$state=sleeping"]);
  assert.deepEqual(topicsHeard(), ["homie/5/m1/$state=ready", "homie/5/m1/$state=sleeping"]);
});

test("what devices retain is there for who subscribes later, in the same workspace", async (t) => {
  const { makeKey, connect } = await startMqtt(t);
  const gateway = await connect((await makeKey({ gateway: true })).key);
  await gateway.publishAsync("tele/plug/STATE", "1", { qos: 1, retain: true });
  const late = await connect((await makeKey({ gateway: true })).key);
  const other = await connect((await makeKey({ gateway: true }, "cell")).key);
  for (const client of [late, other]) await client.subscribeAsync("#");
  await until("it is there", () => late.got.length === 1);
  assert.deepEqual(late.got, ["tele/plug/STATE=1 (kept)"]);
  await gateway.publishAsync("tele/plug/STATE", "2", { qos: 1 });
  await until("it goes on", () => late.got.length === 2);
  assert.deepEqual(other.got, []);
});

test("a wrong key, none, one that was revoked: bad user name or password", async (t) => {
  const { makeKey, connect, app, path } = await startMqtt(t);
  const { key, id } = await makeKey({ device: "m1" });
  const device = await connect(key);
  const closed = device.closed();
  assert.equal((await app.inject({ method: "DELETE", url: path("arm", `/${id}`) })).statusCode, 204);
  await closed;
  for (const wrong of [key, "", "guess", `bpd_${"A".repeat(43)}`]) {
    await assert.rejects(connect(wrong), /Bad username or password/, wrong);
  }
  assert.equal((await app.inject({ method: "DELETE", url: path("arm", `/${id}`) })).statusCode, 404);
});

test("a key that another instance on the same database has revoked is closed here, too", async (t) => {
  const { makeKey, connect, keys } = await startMqtt(t, { tuning: { revokedMs: 20 } });
  const [revoked, kept] = [await makeKey({ device: "m1" }), await makeKey({ device: "m2" })];
  const [device, other] = [await connect(revoked.key), await connect(kept.key)];
  const closed = device.closed();
  assert.equal(await keys.remove("w-arm", revoked.id), true);
  await closed;
  assert.equal(other.connected, true);
});

test("callers without a session are refused before their body is read", async (t) => {
  const { app, path } = await startMqtt(t);
  const headers = { authorization: "nobody", "content-type": "application/json" };
  for (const payload of ["{", "[]", '{"name":1}']) {
    const { statusCode } = await app.inject({ method: "POST", url: path("arm"), headers, payload });
    assert.equal(statusCode, 401, payload);
  }
});

test("a key is shown once; the list says who is connected, since when, and where devices connect", async (t) => {
  const { makeKey, connect, app, path, brokers } = await startMqtt(t);
  const listed = async () => (await app.inject({ url: path("arm") })).json() as DeviceKeys;
  assert.deepEqual(await listed(), { keys: [], address: null });
  const made = await makeKey({ name: "IMU", device: "imu-1" });
  assert.match(made.key, /^bpd_[\w-]{43}$/);
  const [before] = (await listed()).keys;
  assert.deepEqual(
    [before?.name, before?.device, before?.gateway, before?.lastSeenAt, before?.isConnected],
    ["IMU", "imu-1", false, null, false],
  );
  const device = await connect(made.key);
  await until("it is seen", async () => (await listed()).keys[0]?.lastSeenAt !== null);
  assert.ok((await listed()).keys[0]?.isConnected);
  assert.equal((await listed()).address, brokers.address());
  assert.ok(!JSON.stringify(await listed()).includes(made.key.slice(8)));
  device.end(true);
  await until("it is gone", async () => (await listed()).keys[0]?.isConnected === false);
  assert.deepEqual((await app.inject({ url: path("cell") })).json().keys, []);
});

test("a device has one key; a free key becomes the one of the device that it first is", async (t) => {
  const { makeKey, connect, keys, notes, topicsHeard } = await startMqtt(t);
  assert.equal((await makeKey({ device: "m1" })).status, 201);
  assert.deepEqual(
    [(await makeKey({ device: "m1" })).code, (await makeKey({ device: "m1" }, "cell")).status],
    ["device-has-key", 201],
  );
  const free = await makeKey({ name: "free" });
  const device = await connect(free.key);
  await device.publishAsync("homie/5/m2/$state", "ready", { qos: 1 });
  await until("it is bound", async () => (await keys.find(free.key))?.device === "m2");
  const closed = device.closed();
  device.publish("homie/5/m3/$state", "ready");
  await closed;
  const thief = await connect((await makeKey({ name: "thief" })).key);
  const refused = thief.closed();
  thief.publish("homie/5/m1/$state", "ready");
  await refused;
  assert.ok(notes.some((note) => note.includes('"thief" was refused as m1')));
  assert.ok(!topicsHeard().includes("homie/5/m3/$state=ready"));
});

test("two connections with one client id are of two keys, or the newer one replaces the older", async (t) => {
  const { makeKey, connect, heard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const clientId = "same";
  const first = await connect(key, { clientId });
  const other = await connect((await makeKey({ device: "m2" })).key, { clientId });
  assert.ok(first.connected);
  const replaced = first.closed();
  await connect(key, { clientId });
  await replaced;
  assert.ok(other.connected);
  await until("m1 is there", () => heard.get("w-arm")?.connections.filter((line) => line === "m1 came").length !== 0);
});

test("a session does not outlive its connection: no command waits for a device", async (t) => {
  const { makeKey, connect, heard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const options = { clientId: "m1", clean: false };
  const device = await connect(key, options);
  await device.subscribeAsync("homie/5/m1/#", { qos: 1 });
  device.stream.destroy();
  await until("it left", () => heard.get("w-arm")?.connections.includes("m1 left") === true);
  await heard.get("w-arm")?.link.send("homie/5/m1/motor/command/set", "{}", { qos: 1 });
  const again = await connect(key, options);
  await again.subscribeAsync("homie/5/m1/#", { qos: 1 });
  await heard.get("w-arm")?.link.send("homie/5/m1/motor/command/set", "now", { qos: 1 });
  await until("it hears", () => again.got.length > 0);
  assert.deepEqual(again.got, ["homie/5/m1/motor/command/set=now"]);
});

test("a message above 64 KiB closes its connection before it has arrived; one of 64 KiB is heard", async (t) => {
  const { makeKey, connect, heard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const device = await connect(key);
  await device.publishAsync("homie/5/m1/a/sample", Buffer.alloc(65_536, "x"), { qos: 1 });
  assert.equal(heard.get("w-arm")?.messages[0]?.payload.length, 65_536);
  const closed = device.closed();
  device.publish("homie/5/m1/a/sample", Buffer.alloc(5_000_000, "x"));
  await closed;
  assert.equal(heard.get("w-arm")?.messages.length, 1);
});

test("a key that floods is paused: its connections close, it is refused, and the log says it; others go on", async (t) => {
  const tuning = { flood: { maxPerSecond: 50, floodMs: 0 }, floodPauseMs: 700 };
  const { makeKey, connect, notes, topicsHeard } = await startMqtt(t, { tuning });
  const { key } = await makeKey({ name: "loud", device: "m1" });
  const calm = await connect((await makeKey({ device: "m2" })).key);
  const device = await connect(key);
  const closed = device.closed();
  for (let n = 0; n < 200; n += 1) device.publish("homie/5/m1/a/sample", "1");
  await closed;
  await assert.rejects(connect(key), /Server unavailable/);
  assert.equal(notes.filter((note) => note.includes('"loud" sends too many messages')).length, 1);
  await calm.publishAsync("homie/5/m2/$state", "ready", { qos: 1 });
  assert.equal(topicsHeard().at(-1), "homie/5/m2/$state=ready");
  await until("the pause is over", () =>
    connect(key).then(
      () => true,
      () => false,
    ),
  );
});

test("a subscriber that does not read is closed, and holds up nobody", async (t) => {
  const { makeKey, connect, heard } = await startMqtt(t);
  const device = await connect((await makeKey({ device: "m1" })).key);
  const stuck = await connect((await makeKey({ gateway: true })).key);
  await stuck.subscribeAsync("#");
  stuck.stream.pause();
  const closed = stuck.closed();
  const sample = Buffer.alloc(60_000, "x");
  for (let n = 0; n < 400 && stuck.connected; n += 1) {
    await device.publishAsync("homie/5/m1/a/sample", sample, { qos: 1 });
    if (heard.get("w-arm")?.link.connections() === 1) stuck.stream.resume();
  }
  await until("it is closed", () => heard.get("w-arm")?.link.connections() === 1);
  stuck.stream.resume();
  await closed;
  await device.publishAsync("homie/5/m1/$state", "ready", { qos: 1 });
});

test("a taken port keeps nothing else from starting; the reason is told until it is free", async (t) => {
  const port = await freePort();
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  const { makeKey, app, path, brokers } = await startMqtt(t, { settings: { mqttPort: port } });
  const { status } = await makeKey({ device: "m1" });
  assert.equal(status, 201);
  const { address, reason } = (await app.inject({ url: path("arm") })).json() as DeviceKeys;
  assert.equal(address, null);
  assert.match(reason ?? "", new RegExp(`127\\.0\\.0\\.1:${port}: another program uses it\\. .*MQTT_PORT`));
  other.close();
  await once(other, "close");
  await makeKey({ device: "m2" });
  assert.deepEqual([brokers.address(), brokers.fault()], [`mqtt://127.0.0.1:${port}`, undefined]);
});

test("with several platforms a broker outside is needed, and the reason says so", async (t) => {
  const { brokers, makeKey } = await startMqtt(t, { settings: { redisUrl: "redis://localhost" } });
  await makeKey({});
  assert.equal(brokers.address(), null);
  assert.match(brokers.fault() ?? "", /MQTT_URL/);
});

test("a key that floods with packets that are no messages is paused as well", async (t) => {
  const { makeKey, connect, notes } = await startMqtt(t);
  const other = await connect((await makeKey({ device: "other" })).key);
  const floods = {
    pings: Buffer.alloc(10_000, Buffer.from([0xc0, 0])),
    "far too many messages": repeated(message("homie/5/far/a", "1", false), 9_000),
  };
  for (const [name, bytes] of Object.entries(floods)) {
    const id = name.slice(0, 3);
    const { key } = await makeKey({ name, device: id });
    const device = await connect(key);
    await device.subscribeAsync(Array.from({ length: 200 }, (_, i) => `homie/5/${id}/a${i}/set`));
    assert.ok(device.connected, "very many filters at once are no flood");
    // On a busy machine one of them takes more than a second, and is then no flood.
    const flooding = setInterval(() => device.stream.destroyed || device.stream.write(bytes), 20);
    t.after(() => clearInterval(flooding));
    await device.closed();
    assert.match(notes.at(-1) ?? "", new RegExp(`"${name}" sends too many messages and is paused`));
    await assert.rejects(connect(key));
  }
  assert.ok(other.connected);
});

test("what a connection sends at once is heard a few messages per turn of the event loop, all of it, also when it leaves at once", async (t) => {
  const { makeKey, connect, heard, faults } = await startMqtt(t);
  const device = await connect((await makeKey({ device: "m1" })).key);
  const other = await connect((await makeKey({ gateway: true })).key);
  const link = heard.get("w-arm")?.link;
  const perTurn = [0];
  let isOver = false;
  const nextTurn = (): void => {
    perTurn.push(0);
    if (!isOver) setImmediate(nextTurn);
  };
  nextTurn();
  t.after(() => (isOver = true));
  link?.onMessage(() => (perTurn[perTurn.length - 1] = (perTurn.at(-1) ?? 0) + 1));
  const many = Array.from({ length: 3_000 }, (_, n) => message("homie/5/m1/a/b", String(n), n % 3 === 0));
  const large = message("homie/5/m1/a/b", "x".repeat(60_000), false);
  device.stream.end(Buffer.concat([...many, large, DISCONNECT]));
  await device.closed();
  await until("all of it is heard", () => heard.get("w-arm")?.messages.length === many.length + 1);
  isOver = true;
  const texts = heard.get("w-arm")?.messages.map(({ payload }) => String(payload)) ?? [];
  assert.deepEqual(
    texts.slice(0, -1),
    many.map((_, n) => String(n)),
  );
  assert.ok(Math.max(...perTurn) <= PACKETS_PER_TURN, `${Math.max(...perTurn)} in one turn`);
  assert.ok(other.connected);
  assert.deepEqual(faults, []);
});

const DISCONNECT = Buffer.from([0xe0, 0]);
const message = (topic: string, payload: string, retain: boolean): Buffer =>
  mqttPacket.generate({ ...{ cmd: "publish", topic, payload, retain, qos: 0, dup: false } });

const repeated = (one: Buffer, times: number): Buffer => Buffer.alloc(one.length * times, one);

test("connections that say nothing do not keep devices out: the oldest of an address that has most of them makes room", async (t) => {
  const { makeKey, connect, brokers } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const port = Number(new URL(brokers.address() ?? "").port);
  let closed = 0;
  const silent = Array.from({ length: DEVICES_LIMITS.maxUnadmitted + 10 }, () =>
    connectSocket(port, "127.0.0.1")
      .on("error", () => {})
      .on("close", () => (closed += 1)),
  );
  t.after(() => silent.map((socket) => socket.destroy()));
  // The first ones may be closed again before they know that they are connected.
  const begun = silent.map(
    (socket) => new Promise((resolve) => socket.once("connect", resolve).once("close", resolve)),
  );
  await Promise.all(begun);
  const device = await connect(key);
  assert.ok(device.connected);
  await until("those that came first are closed", () => closed >= 11);
  assert.ok(silent[0]?.closed && !silent.at(-1)?.closed);
});

test("garbage and HTTP at the port are refused, and devices go on", async (t) => {
  const { makeKey, connect, brokers } = await startMqtt(t, { tuning: { connectMs: 100 } });
  const { key } = await makeKey({ device: "m1" });
  const device = await connect(key);
  const port = Number(new URL(brokers.address() as string).port);
  for (const [bytes, answer] of [
    [Buffer.alloc(20_000, 1), ""],
    [Buffer.from("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400"],
    [Buffer.from([0x10, 0x7f]), ""],
    [Buffer.alloc(0), ""],
  ] as const) {
    const socket = connectSocket(port, "127.0.0.1").on("error", () => {});
    let said = "";
    socket.on("data", (chunk) => {
      said += chunk;
    });
    socket.write(bytes);
    await once(socket, "close");
    assert.ok(said.startsWith(answer));
  }
  await assert.rejects(connect(key, { protocolVersion: 5 }), /version/i);
  assert.ok(device.connected);
});

test("MQTT over WebSocket: the same keys; a page of another origin, or without the protocol, is refused", async (t) => {
  const { makeKey, connect, app, topicsHeard } = await startMqtt(t);
  const { key } = await makeKey({ device: "m1" });
  const address = app.server.address();
  const url = `ws://127.0.0.1:${typeof address === "object" && address?.port}/mqtt`;
  const device = await connect(key, {}, url);
  await device.subscribeAsync("homie/5/m1/#");
  await device.publishAsync("homie/5/m1/$state", "ready", { qos: 1 });
  assert.deepEqual(topicsHeard(), ["homie/5/m1/$state=ready"]);
  const from = (origin: string) => connect(key, { wsOptions: { headers: { origin } } }, url);
  await from("http://backplane.test");
  await assert.rejects(from("http://evil.test"));
  await assert.rejects(connect("wrong", {}, url), /Bad username or password/);
  const closed = device.closed();
  device.publish("homie/5/m1/a/sample", Buffer.alloc(5_000_000, "x"));
  await closed;
});

test("a page listens with a ticket, once, at /mqtt only; it says nothing, and ends with its session", async (t) => {
  const { makeKey, connect, app, path, endAccess, topicsHeard } = await startMqtt(t);
  const device = await connect((await makeKey({ device: "m1" })).key);
  await device.publishAsync("homie/5/m1/$state", "ready", { qos: 1, retain: true });
  const ask = async () => {
    const asked = await app.inject({ method: "POST", url: path("arm").replace("/keys", "/mqtt") });
    assert.equal(asked.statusCode, 201, asked.body);
    return (asked.json() as { ticket: string }).ticket;
  };
  const address = app.server.address();
  const url = `ws://127.0.0.1:${typeof address === "object" && address?.port}/mqtt`;
  await assert.rejects(connect(await ask()), /Bad username or password/, "not at the port of devices");

  const ticket = await ask();
  const will = { topic: "homie/5/m1/$state", payload: Buffer.from("lost"), qos: 0 as const, retain: true };
  const page = await connect(ticket, { will }, url);
  await assert.rejects(connect(ticket, {}, url), /Bad username or password/, "twice");
  await page.subscribeAsync("homie/5/#");
  await until("what is retained is there", () => page.got.includes("homie/5/m1/$state=ready (kept)"));
  const closed = page.closed();
  page.publish("homie/5/m1/motor/sample", "{}");
  await closed;

  const other = await connect(await ask(), {}, url);
  const ended = other.closed();
  endAccess();
  await ended;
  assert.deepEqual(topicsHeard(), ["homie/5/m1/$state=ready"], "neither a sample nor a last will");
});

test("a workspace without connections is idle; closing its link closes its broker", async (t) => {
  const { makeKey, connect, heard, idle, removed, keys } = await startMqtt(t, { tuning: { brokerIdleMs: 50 } });
  const { key } = await makeKey({ device: "m1" });
  const device = await connect(key);
  device.end(true);
  await until("it is idle", () => idle.length > 0);
  const second = await connect(key);
  const closed = second.closed();
  await heard.get("w-arm")?.link.close();
  await closed;
  for (const listener of removed) await listener(WORKSPACES[0]?.id as string);
  assert.equal(await keys.find(key), undefined);
});
