// The platform or the broker is killed at random moments, while a program drives a motor, a sensor sends more than 1,000
// samples per second, and everything is recorded. The devices run in a process of their own, whose log is the witness.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Ack, DEVICES_LIMITS, type Device, type Recording } from "@backplane/contract/devices";
import { readMcap } from "../packages/devices/src/testing/mcap-reader.ts";
import { openWorkspace } from "../packages/sdk/src/index.ts";
import { freePort, startMosquitto } from "../scripts/services/index.ts";
import { OWNER, type RunningPlatform, startPlatform } from "./support/platform.ts";
import { until } from "./support/processes.ts";
import { type SimulatedDevices, startSimulatedDevices } from "./support/simulated-devices.ts";
import { COUNTER, MOTOR, type SimulatedDevicesOptions } from "./support/simulated-devices-process.ts";

/** Of both tests together; those of a platform that just starts come on top. `TEST_KILLS=4` is a quick run. */
const KILLS = Number(process.env.TEST_KILLS ?? 100);
const TIMEOUT_MS = 120_000 + KILLS * 90_000;
const REPO = "rover";
const PRESS_MS = 100;
/** Presses after a restart that have to be refused before control is taken again. */
const MIN_REFUSED = 3;
const { deviceWatchdogMs, deadManMs, chunkMs, envelopeMs } = DEVICES_LIMITS;
/** A motor that nobody reaches any more stops by itself within this. */
const STOPS_WITHIN_MS = deviceWatchdogMs + deadManMs;
/** A chunk is written when it is a second old; a busy machine looks and writes later. */
const TAIL_MS = chunkMs + 2_000;

type Killable = { name: string; kill(): Promise<void>; start(): Promise<void> };

type Bench = {
  platform: RunningPlatform;
  devices: SimulatedDevices;
  call: Call;
  sessionToken: string;
  targets: readonly Killable[];
  tally: Tally;
  /** Recordings whose start was answered. */
  started: Set<string>;
  checked: Set<string>;
};

type Tally = {
  kills: Record<string, number>;
  whileDriven: number;
  whileStarting: number;
  samples: number;
  followedMs: number;
  recordings: number;
  slowestStopMs: number;
  longestTailMs: number;
  unattended: string[];
  unreadable: string[];
  lost: string[];
};

type Answer = { status: number; body: unknown };
type Call = (method: string, path: string, body?: object) => Promise<Answer>;

/** What a subscriber was told between two kills. */
type Heard = {
  recording: Recording | undefined;
  /** Everything before this was said to be written. */
  writtenMs: number;
  samples: { topic: string; count: number; tMs: number }[];
};

const callsOf =
  (root: string, key: string): Call =>
  async (method, path, body) => {
    const answer = await fetch(`${root}/api/workspaces/editor/${OWNER.name}/${REPO}/current${path}`, {
      method,
      headers: { "x-api-key": key, ...(body ? { "content-type": "application/json" } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    return { status: answer.status, body: await answer.json().catch(() => undefined) };
  };

const workspaceOf = ({ platform, sessionToken }: Bench, signal?: AbortSignal) =>
  openWorkspace({ baseUrl: platform.url, sessionToken, owner: OWNER.name, repo: REPO, signal });

/** Undefined: nobody answers, or not now. */
async function devicesNow({ call }: Bench): Promise<Device[] | undefined> {
  const answer = await call("GET", "/devices").catch(() => undefined);
  return answer?.status === 200 ? (answer.body as { devices: Device[] }).devices : undefined;
}

const areReady = (devices: readonly Device[] | undefined): boolean =>
  [MOTOR, COUNTER].every((id) => devices?.find((device) => device.id === id)?.state === "ready");

/** Tells the motor to turn, which is also what keeps it turning. False: it was refused, or nobody answered. */
async function press({ call }: Bench): Promise<boolean | undefined> {
  const command = { name: "velocity", params: { velocity_rad_s: 20 } };
  const answer = await call("POST", `/devices/${MOTOR}/motor/commands`, command).catch(() => undefined);
  return answer && answer.status === 200 && (answer.body as Ack).ok;
}

/** The program in control. It goes on until nobody answers. */
async function drive(bench: Bench, signal: AbortSignal): Promise<void> {
  try {
    while (!signal.aborted) {
      await bench.call("PUT", `/devices/${MOTOR}/lease`, {});
      await bench.call("PUT", `/devices/${MOTOR}/arm`, {});
      while (!signal.aborted && (await press(bench))) await sleep(PRESS_MS);
      await sleep(PRESS_MS);
    }
  } catch {
    // The platform was killed.
  }
}

async function follow(bench: Bench, heard: Heard, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of workspaceOf(bench, signal).devices.events({ device: COUNTER })) {
      if (event.type === "values") {
        for (const [at, tMs] of event.tMs.entries()) {
          const count = Number(event.fields.count?.[at]);
          heard.samples.push({ topic: `/${event.device}/${event.capability}`, count, tMs });
        }
      }
      if (event.type === "recording" && "recording" in event && event.recording.id === heard.recording?.id)
        heard.writtenMs = Date.parse(event.recording.end);
    }
  } catch {
    // The platform was killed.
  }
}

/** Records, follows and drives. */
async function work(bench: Bench, heard: Heard, signal: AbortSignal): Promise<void> {
  const answer = await bench.call("POST", "/recordings", {}).catch(() => undefined);
  if (!answer || (signal.aborted && answer.status !== 201)) return;
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  heard.recording = answer.body as Recording;
  bench.started.add(heard.recording.id);
  if (signal.aborted) return;
  await Promise.all([follow(bench, heard, signal), drive(bench, signal)]);
}

type Kill = { name: string; atMs: number; endedMs: number };

/** Most kills come while the motor turns; every fifth at any moment. */
async function killAtRandom(bench: Bench, turn: number): Promise<Kill & { heard: Heard; target: Killable }> {
  const { devices, targets, tally } = bench;
  const heard: Heard = { recording: undefined, writtenMs: 0, samples: [] };
  const ending = new AbortController();
  const working = work(bench, heard, ending.signal);
  working.catch(() => {});
  const isDriven = () => devices.noted().findLast(({ what }) => what === "driven" || what === "at-rest");
  if (turn % 5 < 4) {
    const areGoing = () => isDriven()?.what === "driven" && heard.samples.length > 0;
    await Promise.race([until(areGoing, "the motor turns"), working.then(() => assert.fail("The work has ended."))]);
  }
  await sleep(Math.random() * 3_000);
  const target = targets[Math.floor(Math.random() * targets.length)] as Killable;
  if (isDriven()?.what === "driven") tally.whileDriven += 1;
  const atMs = Date.now();
  await target.kill();
  const endedMs = Date.now();
  tally.kills[target.name] = (tally.kills[target.name] ?? 0) + 1;
  ending.abort();
  await working;
  tally.samples += heard.samples.length;
  tally.followedMs += (heard.samples.at(-1)?.tMs ?? 0) - (heard.samples[0]?.tMs ?? 0);
  return { name: target.name, atMs, endedMs, heard, target };
}

/** A platform that just starts may be completing what the last one left. */
async function killWhileItStarts({ tally }: Bench, target: Killable): Promise<void> {
  const starting = target.start().catch(() => {});
  await sleep(Math.random() * 3_000);
  await target.kill();
  await starting;
  tally.whileStarting += 1;
}

/** Whoever was in control presses on. Nothing of it may reach the motor. */
async function restart(bench: Bench, target: Killable, turn: number): Promise<void> {
  let isOver = false;
  let refused = 0;
  const pressing = (async () => {
    while (!isOver) {
      const answer = await press(bench);
      if (answer) bench.tally.unattended.push(`a press was accepted after ${target.name} was killed`);
      refused = answer === false ? refused + 1 : 0;
      await sleep(PRESS_MS);
    }
  })();
  try {
    // Away for longer than the motor goes on: a platform that is back sooner tells it to stop.
    if (turn % 2 === 0) await sleep(STOPS_WITHIN_MS + 500);
    if (turn % 4 === 3 && target.name === "platform") await killWhileItStarts(bench, target);
    await target.start();
    await until(async () => areReady(await devicesNow(bench)), `the devices are ready after ${target.name} was killed`);
    refused = 0;
    await until(() => refused >= MIN_REFUSED, "presses are refused");
    const motor = (await devicesNow(bench))?.find(({ id }) => id === MOTOR);
    const isHeld = target.name === "platform" && motor?.lease !== undefined;
    if (isHeld || motor?.isArmed || motor?.isMoving)
      bench.tally.unattended.push(`after ${target.name} was killed: ${JSON.stringify(motor)}`);
  } finally {
    isOver = true;
    await pressing;
  }
}

/** By the log of the devices themselves. */
async function checkStopped({ devices, tally }: Bench, { name, atMs, endedMs }: Kill): Promise<void> {
  const noted = await devices.notedByNow();
  const stalledMs = (untilMs: number) =>
    noted.reduce((sum, one) => {
      const counts = one.what === "stalled" && one.atMs > atMs && one.atMs <= untilMs;
      return counts ? sum + one.ms : sum;
    }, 0);
  const nowMs = Date.now();
  const changes = noted.filter(({ what }) => what === "driven" || what === "at-rest");
  for (const [at, { what }] of changes.entries()) {
    const untilMs = changes[at + 1]?.atMs ?? nowMs;
    if (what !== "driven" || untilMs < atMs) continue;
    const tookMs = untilMs - endedMs;
    tally.slowestStopMs = Math.max(tally.slowestStopMs, tookMs);
    if (tookMs > STOPS_WITHIN_MS + stalledMs(untilMs))
      tally.unattended.push(`it turned for ${tookMs} ms after ${name} was killed (${stalledMs(untilMs)} ms stalled)`);
  }
}

async function checkRecordings(bench: Bench, heard: Heard): Promise<void> {
  const { call, started, checked, tally } = bench;
  // A recording that a broker's end did not interrupt.
  const id = heard.recording?.id;
  const list = async () => (await workspaceOf(bench).devices.recordings.list()).recordings;
  if (id !== undefined && (await list()).find((one) => one.id === id)?.state === "recording")
    assert.equal((await call("PATCH", `/recordings/${id}`, { state: "stopped" })).status, 200);
  const recordings = await list();
  for (const one of started)
    if (!recordings.some(({ id }) => id === one)) tally.unreadable.push(`${one} is not listed`);
  for (const recording of recordings) {
    if (checked.has(recording.id)) continue;
    checked.add(recording.id);
    tally.recordings += 1;
    await checkRecording(bench, recording, recording.id === id ? heard : undefined);
  }
}

async function checkRecording(bench: Bench, recording: Recording, heard: Heard | undefined): Promise<void> {
  const { tally } = bench;
  const what = `the ${recording.state} recording ${recording.id}`;
  if (recording.state === "recording") tally.unreadable.push(`${what} says that it is going on`);
  let messages: ReturnType<typeof readMcap>["messages"];
  try {
    const pieces = await Array.fromAsync(workspaceOf(bench).devices.recordings.download(recording.id));
    ({ messages } = readMcap(Buffer.concat(pieces)));
  } catch (error) {
    tally.unreadable.push(`${what}: ${String(error)}`);
    return;
  }
  const count = messages.filter(({ topic }) => topic !== "/devices").length;
  if (recording.messages !== count) tally.unreadable.push(`${what} is listed with ${recording.messages} of ${count}`);
  if (!heard?.recording) return;
  const startMs = Date.parse(heard.recording.start);
  const there = new Set(messages.map(({ topic, value }) => `${topic} ${(value as { count?: number }).count}`));
  const lastMs = messages.reduce((last, { logTime }) => Math.max(last, Number(logTime) / 1_000_000), startMs);
  const due = heard.samples.filter(({ tMs }) => tMs >= startMs);
  // What came faster than it is kept was put together, and is written up to so much later.
  const writtenMs = Math.max(lastMs, heard.writtenMs) - envelopeMs;
  const lost = due.filter(({ topic, count, tMs }) => tMs < writtenMs && !there.has(`${topic} ${count}`));
  const tailMs = (due.at(-1)?.tMs ?? lastMs) - lastMs;
  tally.longestTailMs = Math.max(tally.longestTailMs, tailMs);
  if (lost.length > 0) tally.lost.push(`${what}: ${lost.length} of ${due.length}, first ${JSON.stringify(lost[0])}`);
  if (tailMs > TAIL_MS) tally.lost.push(`${what}: the last ${tailMs} ms`);
}

async function kill(t: TestContext, bench: Bench, kills: number): Promise<void> {
  const { tally, devices } = bench;
  await until(async () => areReady(await devicesNow(bench)), "the devices are ready");
  for (let turn = 0; turn < kills; turn += 1) {
    const { heard, target, ...killed } = await killAtRandom(bench, turn);
    await restart(bench, target, turn);
    await checkStopped(bench, killed);
    await checkRecordings(bench, heard);
  }
  const count = Object.values(tally.kills).reduce((sum, one) => sum + one, tally.whileStarting);
  t.diagnostic(
    `kills ${count}, moved unattended ${tally.unattended.length}, recordings unreadable ${tally.unreadable.length}, ` +
      `lost beyond the last chunk ${tally.lost.length}`,
  );
  t.diagnostic(
    `${JSON.stringify(tally.kills)}, ${tally.whileStarting} while it started; ${tally.whileDriven} while the motor turned, which stopped within ` +
      `${tally.slowestStopMs} ms; ${tally.samples} samples heard, ` +
      `${Math.round((1_000 * tally.samples) / tally.followedMs)} per second; ${tally.recordings} recordings, ` +
      `at most the last ${Math.round(tally.longestTailMs)} ms of one missing`,
  );
  assert.deepEqual([tally.unattended, tally.unreadable, tally.lost], [[], [], []]);
  assert.ok(
    devices.noted().some(({ what }) => what === "watchdog"),
    "it stopped by itself",
  );
}

async function openBench(
  platform: RunningPlatform,
  others: readonly Killable[],
  connect: (bench: Pick<Bench, "call">) => Promise<SimulatedDevicesOptions>,
): Promise<Bench & AsyncDisposable> {
  const { api_key: sessionToken } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
  const call = callsOf(platform.url, sessionToken);
  const devices = startSimulatedDevices(await connect({ call }));
  const itself = { name: "platform", kill: () => platform.kill("SIGKILL"), start: () => platform.start() };
  return {
    ...{ platform, devices, call, sessionToken, targets: [itself, ...others] },
    ...{ started: new Set(), checked: new Set() },
    tally: {
      ...{
        kills: {},
        whileDriven: 0,
        whileStarting: 0,
        samples: 0,
        followedMs: 0,
        recordings: 0,
        slowestStopMs: 0,
        longestTailMs: 0,
      },
      ...{ unattended: [], unreadable: [], lost: [] },
    },
    [Symbol.asyncDispose]: () => devices[Symbol.asyncDispose](),
  };
}

const CLAIM = "nothing moves unattended, every recording opens, and nothing is lost before its last chunk";

// Both at the same time: they mostly wait.
describe("kills at random moments", { concurrency: true, timeout: TIMEOUT_MS }, () => {
  test(`the platform with its broker is killed: ${CLAIM}`, { timeout: TIMEOUT_MS }, async (t) => {
    const port = await freePort();
    await using platform = await startPlatform({ MQTT_PORT: String(port) });
    await using bench = await openBench(platform, [], async ({ call }) => {
      const keys: Record<string, string> = {};
      for (const device of [MOTOR, COUNTER]) {
        const { status, body } = await call("POST", "/devices/keys", { name: device, device });
        assert.equal(status, 201, JSON.stringify(body));
        keys[device] = (body as { key: string }).key;
      }
      return { url: `mqtt://127.0.0.1:${port}`, keys };
    });
    await kill(t, bench, Math.ceil(KILLS / 2));
  });

  test(`the platform or Mosquitto is killed: ${CLAIM}`, { timeout: TIMEOUT_MS }, async (t) => {
    await using mosquitto = await startMosquitto();
    await using platform = await startPlatform({ MQTT_URL: mosquitto.url });
    const broker = { name: "Mosquitto", kill: () => mosquitto.kill(), start: () => mosquitto.start() };
    await using bench = await openBench(platform, [broker], async ({ call }) => {
      // Opened like by a page: it is there from then on.
      const { status, body } = await call("GET", "");
      assert.equal(status, 200, JSON.stringify(body));
      return { url: mosquitto.url, prefix: `${OWNER.name}/${REPO}/`, keys: {} };
    });
    await kill(t, bench, Math.floor(KILLS / 2));
  });
});
