import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  DEVICES_LIMITS,
  type LastValue,
  type Recording,
  type RecordingDetails,
  type Recordings,
} from "@backplane/contract/devices";
import { parquetReadObjects } from "hyparquet";
import { until } from "../../../../scripts/testing/until.ts";
import { openAreaForTest } from "../testing/area.ts";
import { HomieDevice } from "../testing/homie-device.ts";
import { readMcap } from "../testing/mcap-reader.ts";

const WANT = { device: "motor-1", capability: "motor" };

async function openWithMotor(t: TestContext, stage: { recordingsMaxBytes?: number } = {}) {
  const under = await openAreaForTest(t, { name: "one process", ...stage });
  const key = await under.deviceKey({ device: "motor-1" });
  const address = new URL(under.first.area.address() ?? "");
  const motor = await HomieDevice.connect(t, { url: address.href, key });
  await until(
    "it is ready",
    async () => (await under.json<{ devices: { state: string }[] }>("")).devices[0]?.state === "ready",
  );
  const arrived = (value: number) =>
    until("it has arrived", async () => (await under.json<LastValue>("/motor-1/motor")).fields.value === value);
  async function record(body: object = {}): Promise<Recording> {
    const response = await under.call("POST", "/recordings", { body });
    assert.equal(response.status, 201, await response.clone().text());
    return (await response.json()) as Recording;
  }
  async function stop({ id }: Recording): Promise<Recording> {
    const response = await under.call("PATCH", `/recordings/${id}`, { body: { state: "stopped" } });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as Recording;
  }
  /** Samples 0 to 19, and a line. */
  async function recordTwenty({ pauseMs = 0 } = {}): Promise<Recording> {
    const recording = await record({ name: "Hall run 3" });
    for (let value = 0; value < 20; value += 1) {
      if (value === 10) await sleep(pauseMs);
      await motor.sample({ value, angle_rad: value / 4 });
    }
    await motor.log("warn", '=too hot, "really"');
    await arrived(19);
    await until("the line has arrived", async () => {
      const page = await under.open();
      page.send({ type: "lines", on: true });
      return (await page.hears("lines")).lines.length > 0;
    });
    return stop(recording);
  }
  return { ...under, motor, record, stop, recordTwenty, arrived };
}

const twenty = Array.from({ length: 20 }, (_, value) => value);
const problemOf = async (response: Response) => ((await response.json()) as { code: string }).code;

test("a recording is listed, opens in other tools, and is exported as CSV and Parquet", async (t) => {
  const { call, json, recordTwenty } = await openWithMotor(t);
  const { id } = await recordTwenty();
  const { recordings, bytes, maxBytes } = await json<Recordings>("/recordings");
  assert.deepEqual([recordings[0]?.state, recordings[0]?.name, recordings[0]?.by], ["whole", "Hall run 3", "ada"]);
  assert.ok(bytes > 0 && bytes < maxBytes);
  const details = await json<RecordingDetails>(`/recordings/${id}`);
  assert.deepEqual(details.recorded, [{ ...WANT, kind: "motor", messages: 20 }]);
  assert.deepEqual([details.lines, details.marks.length], [1, 1]);

  const file = await call("GET", `/recordings/${id}.mcap`);
  assert.match(file.headers.get("content-disposition") ?? "", /Hall%20run%203\.mcap$/);
  const whole = Buffer.from(await file.arrayBuffer());
  assert.equal(whole.length, bytes);
  const values = readMcap(whole).messages.filter(({ topic }) => topic === "/motor-1/motor");
  assert.deepEqual(
    values.map(({ value }) => (value as { value: number }).value),
    twenty,
  );

  const csv = await (await call("GET", `/recordings/${id}.csv?device=motor-1&capability=motor`)).text();
  const rows = csv.trimEnd().split("\r\n");
  assert.deepEqual([rows[0], rows.length], ["time,value,angle_rad", 21]);
  assert.match(rows[5] ?? "", /^2\d{3}-\d\d-\d\dT[\d:]+\.\d{6}Z,4,1$/);
  const long = await (await call("GET", `/recordings/${id}.csv`)).text();
  assert.equal(long.trimEnd().split("\r\n").length, 41);
  assert.match(long, /,motor-1,motor,angle_rad,0\.25\r\n/);

  const parquet = await call("GET", `/recordings/${id}.parquet?device=motor-1&capability=motor`);
  const table = await parquetReadObjects({ file: await parquet.arrayBuffer() });
  assert.deepEqual(
    table.map(({ value }) => value),
    twenty,
  );
  assert.deepEqual(
    table.map(({ angle_rad }) => angle_rad),
    twenty.map((value) => value / 4),
  );
  const times = values.map(({ logTime }) => Number(logTime / 1_000_000n));
  assert.deepEqual(
    table.map(({ time }) => (time as Date).getTime()),
    times,
  );
  const all = await parquetReadObjects({ file: await (await call("GET", `/recordings/${id}.parquet`)).arrayBuffer() });
  assert.deepEqual(
    all.filter(({ field }) => field === "value").map(({ number }) => number),
    twenty,
  );

  const from = new Date(times[10] ?? 0).toISOString();
  const part = await (await call("GET", `/recordings/${id}.csv?device=motor-1&capability=motor&from=${from}`)).text();
  assert.equal(part.trimEnd().split("\r\n").length - 1, times.filter((time) => time >= (times[10] ?? 0)).length);
});

test("parts of a file can be asked for", async (t) => {
  const { call, first, recordTwenty } = await openWithMotor(t);
  const { id, bytes } = await recordTwenty();
  const whole = Buffer.from(await (await call("GET", `/recordings/${id}.mcap`)).arrayBuffer());
  const ask = (range: string) =>
    fetch(`${first.url}/api/workspaces/editor/ada/demo/current/recordings/${id}.mcap`, {
      headers: { authorization: "Bearer ada", range },
    });
  for (const [range, start, end] of [
    ["bytes=0-7", 0, 8],
    ["bytes=100-", 100, bytes],
    ["bytes=-8", bytes - 8, bytes],
    [`bytes=5-${bytes * 2}`, 5, bytes],
  ] as const) {
    const response = await ask(range);
    assert.deepEqual(
      [response.status, response.headers.get("content-range")],
      [206, `bytes ${start}-${end - 1}/${bytes}`],
    );
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), whole.subarray(start, end));
  }
  for (const range of [`bytes=${bytes}-`, "bytes=-0"]) {
    const response = await ask(range);
    assert.deepEqual([response.status, response.headers.get("content-range")], [416, `bytes */${bytes}`]);
  }
  for (const range of ["bytes=9-1", "bytes=-", "lines=1-2", "bytes=0-1,4-5", "bytes=0x1-2"])
    assert.equal((await ask(range)).status, 200, range);
});

test("a page replays a recording: the same numbers at the same times, and is live again afterwards", async (t) => {
  const { open, motor, recordTwenty, arrived } = await openWithMotor(t);
  const page = await open();
  page.send({ type: "subscribe", id: 1, ...WANT, historyMs: DEVICES_LIMITS.keptMs });
  page.send({ type: "lines", on: true });
  const { id, name } = await recordTwenty();
  await until("all is seen live", () => page.rows(1, "value").length === 20);
  const live = page.rows(1, "value");
  await motor.sample({ value: 99 });
  await arrived(99);

  page.send({ type: "replay", id: 5, recording: id });
  const { replay, devices } = await page.hears("replay", (message) => message.id === 5);
  assert.deepEqual([replay?.recording, replay?.name, replay?.speed, replay?.atMs], [id, name, 0, replay?.startMs]);
  assert.deepEqual(
    devices?.map(({ id: device }) => device),
    ["motor-1"],
  );
  await until("what was live is dropped", () => page.rows(1, "value").every(({ value }) => value !== 99));

  page.send({ type: "replay", id: 6, speed: DEVICES_LIMITS.maxSpeed });
  await page.hears("replay", (message) => message.replay?.speed === 0 && message.replay.atMs === message.replay.endMs);
  await until("all of it was played", () => page.rows(1, "value").length === 20);
  assert.deepEqual(page.rows(1, "value"), live);
  await page.hears("lines", ({ lines }) => lines.some(({ text }) => text.startsWith("=too hot")));

  const middle = live[9]?.tMs ?? 0;
  page.send({ type: "replay", id: 7, atMs: middle });
  await until("it has gone back", () => page.rows(1, "value").length === 10);
  assert.deepEqual(page.rows(1, "value"), live.slice(0, 10));

  page.send({ type: "live", id: 8 });
  assert.equal((await page.hears("replay", (message) => message.id === 8)).replay, null);
  await until("it is live", () => page.rows(1, "value").at(-1)?.value === 99);
  await motor.sample({ value: 100 });
  await until("and goes on", () => page.rows(1, "value").at(-1)?.value === 100);
});

test("however a replay jumps, plays and pauses, a page has exactly what was recorded until then", async (t) => {
  const { open, recordTwenty } = await openWithMotor(t);
  const page = await open();
  page.send({ type: "subscribe", id: 1, ...WANT, historyMs: DEVICES_LIMITS.keptMs });
  // Long enough to be repeated.
  const { id } = await recordTwenty({ pauseMs: 300 });
  await until("all is seen live", () => page.rows(1, "value").length === 20);
  const live = page.rows(1, "value");
  page.send({ type: "replay", id: 2, recording: id });
  const { replay } = await page.hears("replay", (message) => message.id === 2);
  const { startMs = 0, endMs = 0 } = replay ?? {};
  for (let round = 0; round < 3; round += 1) {
    for (let jump = 0; jump < 15; jump += 1) {
      const atMs = startMs + Math.random() * (endMs - startMs);
      page.send({ type: "replay", id: 3, ...(jump % 3 === 0 ? {} : { atMs }), speed: jump % 2 === 0 ? 16 : 0 });
      if (jump % 4 === 0) await new Promise(setImmediate);
    }
    const last = Math.floor(Math.random() * 20);
    page.send({ type: "replay", id: 10 + round, atMs: live[last]?.tMs ?? 0, speed: 0 });
    await page.hears("replay", (message) => message.id === 10 + round);
    await until("it is there", () => page.rows(1, "value").length === last + 1);
    assert.deepEqual(page.rows(1, "value"), live.slice(0, last + 1));
  }
  page.send({ type: "replay", id: 20, atMs: startMs, speed: 16, loop: true });
  await until("it began again", () => {
    const clocks = page.heard.flatMap((message) =>
      message.type === "replay" && message.replay?.loop ? [message.replay] : [],
    );
    return clocks.filter(({ atMs }) => atMs === startMs).length > 3;
  });
  page.send({ type: "replay", id: 21, atMs: endMs, speed: 0, loop: false });
  await until("all of it is there", () => page.rows(1, "value").length === 20);
  assert.deepEqual(page.rows(1, "value"), live);
});

test("who replays controls nothing and can stop everything; who does not is not disturbed", async (t) => {
  const { open, motor, recordTwenty } = await openWithMotor(t);
  const { id } = await recordTwenty();
  const [page, other] = [await open(), await open()];
  page.send({ type: "take", id: 1, device: "motor-1" });
  page.send({ type: "arm", id: 2, device: "motor-1" });
  await page.hears("ack", (message) => message.id === 2 && message.ack.ok);
  page.send({ type: "press", device: "motor-1" });
  page.send({ type: "command", id: 3, ...WANT, name: "velocity", params: { velocity_rad_s: 1 } });
  await page.hears("ack", (message) => message.id === 3 && message.stage === "reached" && message.ack.ok);
  page.send({ type: "replay", id: 4, recording: id });
  await page.hears("replay", (message) => message.id === 4);
  await until("what moved was stopped", () => motor.received.at(-1)?.name === "idle");

  other.send({ type: "take", id: 1, device: "motor-1" });
  assert.equal((await other.hears("ack", (message) => message.id === 1)).ack.ok, true, "it was let go of");
  page.send({ type: "take", id: 10, device: "motor-1", takeOver: true });
  page.send({ type: "arm", id: 11, device: "motor-1" });
  page.send({ type: "command", id: 12, ...WANT, name: "velocity", params: { velocity_rad_s: 1 } });
  page.send({ type: "clear", id: 13 });
  for (const wanted of [10, 11, 12, 13])
    assert.equal((await page.hears("ack", (message) => message.id === wanted)).ack.code, "replaying", String(wanted));
  page.send({ type: "command", id: 14, ...WANT, name: "idle", params: {} });
  assert.equal((await page.hears("ack", (message) => message.id === 14)).ack.ok, true, "stopping is no control");
  page.send({ type: "stop", id: 15 });
  assert.equal((await page.hears("ack", (message) => message.id === 15)).devices?.["motor-1"]?.ok, true);
  await other.hears("stopped", ({ stopped }) => stopped !== null);
  assert.equal((await page.hears("stopped")).stopped?.by, "ada");
});

test("the last minutes are replayed from memory, without a recording", async (t) => {
  const { open, motor, arrived } = await openWithMotor(t);
  for (const value of twenty) await motor.sample({ value });
  await arrived(19);
  const page = await open();
  page.send({ type: "subscribe", id: 1, ...WANT, historyMs: DEVICES_LIMITS.keptMs });
  await until("they are seen", () => page.rows(1, "value").length === 20);
  const live = page.rows(1, "value");
  page.send({ type: "replay", id: 2, recording: null });
  const { replay } = await page.hears("replay", (message) => message.id === 2);
  assert.equal(replay?.recording, null);
  page.send({ type: "replay", id: 3, atMs: (live[0]?.tMs ?? 0) - 1 });
  await until("it is before them", () => page.rows(1, "value").length === 0);
  page.send({ type: "replay", id: 4, speed: 16 });
  await until("they were played", () => page.rows(1, "value").length >= 20);
  assert.deepEqual(page.rows(1, "value"), live);
});

test("a program replays a recording as a stream of events, to its end", async (t) => {
  const { call, recordTwenty } = await openWithMotor(t);
  const { id } = await recordTwenty();
  const response = await call("GET", `/events?recording=${id}&speed=16`);
  const events = (await response.text()).split("\n\n").map((text) => ({
    event: /^event: (.*)$/m.exec(text)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? "{}") as { fields: { value: number[] } },
  }));
  assert.deepEqual(
    events.flatMap(({ event, data }) => (event === "values" ? data.fields.value : [])),
    twenty,
  );
  assert.equal(events.findLast(({ event }) => event !== undefined)?.event, "ended");
  assert.equal(await problemOf(await call("GET", `/events?recording=${crypto.randomUUID()}`)), "recording-unknown");
});

test("one person does not take the replays of everybody", async (t) => {
  const { open, first, recordTwenty } = await openWithMotor(t);
  const { id: recording } = await recordTwenty();
  const replay = async (as: string) => {
    const page = await open(first, as);
    page.send({ type: "replay", id: 1, recording });
    await until("it is answered", () => page.heard.some(({ type }) => type === "replay" || type === "refused"));
    return page.heard.find(({ type }) => type === "replay" || type === "refused");
  };
  for (let n = 0; n < DEVICES_LIMITS.maxReplaysPerPerson; n += 1) assert.equal((await replay("ada"))?.type, "replay");
  const refused = await replay("ada");
  assert.equal(refused?.type === "refused" && refused.code, "too-many-of-these");
  assert.equal((await replay("eve"))?.type, "replay");
});

test("hostile input: names, ids, ranges, rights, and what comes twice or too early", async (t) => {
  const { call, record, stop, open, workspaces, first } = await openWithMotor(t);
  const refused: [string, string, object | undefined, number, string][] = [
    ["POST", "/recordings", { name: "" }, 422, "invalid-input"],
    ["POST", "/recordings", { name: "a\r\nset-cookie: x=1" }, 422, "invalid-input"],
    ["POST", "/recordings", { name: "a\u0000" }, 422, "invalid-input"],
    ["POST", "/recordings", { name: "x".repeat(DEVICES_LIMITS.maxRecordingName + 1) }, 422, "invalid-input"],
    ["POST", "/recordings", { lastMs: -1 }, 422, "invalid-input"],
    ["POST", "/recordings", { lastMs: 1e12 }, 422, "invalid-input"],
    ["POST", "/recordings", { devices: [] }, 422, "invalid-input"],
    ["POST", "/recordings", { devices: ["../../etc"] }, 422, "invalid-input"],
    ["POST", "/recordings", { devices: ["nobody"] }, 404, "device-unknown"],
    ["GET", "/recordings/..%2f..%2fetc%2fpasswd", undefined, 400, "invalid-parameter"],
    ["GET", "/recordings/x.mcap", undefined, 400, "invalid-parameter"],
    ["GET", `/recordings/${crypto.randomUUID()}.mcap`, undefined, 404, "recording-unknown"],
    ["DELETE", `/recordings/${crypto.randomUUID()}`, undefined, 404, "recording-unknown"],
    ["PATCH", `/recordings/${crypto.randomUUID()}`, { name: "x" }, 404, "recording-unknown"],
  ];
  for (const [method, path, body, status, code] of refused) {
    const response = await call(method, path, { body });
    assert.deepEqual([response.status, await problemOf(response)], [status, code], `${method} ${path}`);
  }
  const running = await record({ name: 'a"; filename="b.exe; set-cookie: x=1 ☃' });
  for (const kind of ["mcap", "csv", "parquet"])
    assert.equal(await problemOf(await call("GET", `/recordings/${running.id}.${kind}`)), "still-recording");
  assert.equal(await problemOf(await call("POST", "/recordings", { body: {} })), "already-recording");
  const page = await open(first, "eve");
  page.send({ type: "replay", id: 1, recording: running.id });
  assert.equal((await page.hears("refused", ({ id }) => id === 1)).code, "still-recording");
  for (const [method, path, body] of [
    ["POST", "/recordings", {}],
    ["PATCH", `/recordings/${running.id}`, { state: "stopped" }],
    ["DELETE", `/recordings/${running.id}`, undefined],
  ] as const)
    assert.equal((await call(method, path, { as: "eve", body })).status, 403, `eve ${method}`);
  assert.equal((await call("GET", "/recordings", { as: "eve" })).status, 200);
  assert.equal((await call("GET", "/recordings", { as: "nobody" })).status, 403);
  await stop(running);
  const file = await call("GET", `/recordings/${running.id}.mcap`);
  assert.deepEqual([file.status, file.headers.get("set-cookie")], [200, null]);
  assert.equal(await problemOf(await call("PATCH", `/recordings/${running.id}`, { body: {} })), "invalid-input");
  const csv = `/recordings/${running.id}.csv`;
  assert.equal(await problemOf(await call("GET", `${csv}?from=yesterday`)), "invalid-parameter");
  assert.equal(await problemOf(await call("GET", `${csv}?device=nobody`)), "device-unknown");

  for (const text of [
    '{"type":"replay"}',
    '{"type":"replay","id":1,"speed":-1}',
    '{"type":"replay","id":1,"recording":"../x"}',
    '{"type":"replay","id":1,"atMs":"now"}',
  ]) {
    page.sendText(text);
  }
  await until(
    "each is refused",
    () =>
      page.heard.filter((message) => message.type === "refused" && message.code === "malformed-request").length === 4,
  );
  page.send({ type: "replay", id: 2, recording: running.id, atMs: -1e300, speed: 1e300, loop: true });
  const { replay } = await page.hears("replay", (message) => message.id === 2);
  assert.deepEqual([replay?.atMs, replay?.speed], [replay?.startMs, DEVICES_LIMITS.maxSpeed]);
  workspaces.endAccessOf("eve");
  assert.equal(await page.closed(), 1008, "a replay ends with the access");
  assert.equal((await call("DELETE", `/recordings/${running.id}`)).status, 204);
});
