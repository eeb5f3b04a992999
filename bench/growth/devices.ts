import { setTimeout as delay } from "node:timers/promises";
import { declareSensors, sendSamples } from "../devices/flow.ts";
import { connectRaw } from "../devices/raw-mqtt.ts";
import { startWorkbench } from "../devices/stage.ts";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { memoryBytes } from "../harness/memory.ts";
import { cpuPerCall } from "./cpu-per-call.ts";
import { growthCase } from "./growth.ts";

const SIZES = [1, 5, 20, 60, 200];
/** Of all devices together, so that only their number changes. */
const SAMPLES_PER_SECOND = 1_000;
const SECONDS = 3;
const REPETITIONS = 5;
const DECLARED_TRIES = 200;
const DECLARED_POLL_MS = 100;

const COSTS = {
  "1,000 samples, of all together": { unit: "ms of CPU", bar: "flat" },
  "last value of one": { unit: "ms of CPU", bar: "flat" },
  "list of all": { unit: "ms of CPU", bar: "linear" },
  memory: { unit: "MB", bar: "linear" },
} as const;

export const devices = growthCase({
  ...{ name: "devices", title: "Devices of a workspace", things: "devices", sizes: SIZES, costs: COSTS, measure },
  filled: "Sensors at the platform's broker, with history on SQLite: 1,000 samples per second of all together.",
});

async function measure(size: number) {
  await using stack = new AsyncDisposableStack();
  const workbench = stack.use(await startWorkbench("platform"));
  const { server, mqttPort, key, call } = workbench;
  const client = stack.use(await connectRaw(mqttPort, "sensors", key));
  declareSensors(client, size);
  await untilListed(() => call<{ devices: object[] }>("GET", ""), size);
  const samples: number[] = [];
  const stop = sendSamples(client, SAMPLES_PER_SECOND, size);
  await delay(SECONDS * 1_000);
  for (let at = 0; at < REPETITIONS; at += 1) {
    const [before, startMs] = [cpuSeconds(server.pids()), performance.now()];
    await delay(SECONDS * 1_000);
    const thousands = ((performance.now() - startMs) * SAMPLES_PER_SECOND) / 1_000_000;
    samples.push(((cpuSeconds(server.pids()) - before) * 1_000) / thousands);
  }
  stop();
  return {
    "1,000 samples, of all together": samples,
    "last value of one": await cpuPerCall(server, () => call("GET", "/sensor-0/imu")),
    "list of all": await cpuPerCall(server, () => call("GET", "")),
    memory: [memoryBytes(server.pids()) / 1e6],
  };
}

async function untilListed(list: () => Promise<{ devices: object[] }>, count: number): Promise<void> {
  for (let tries = 0; tries < DECLARED_TRIES; tries += 1) {
    if ((await list()).devices.length === count) return;
    await delay(DECLARED_POLL_MS);
  }
  throw new BenchFault(`The platform does not list ${count} devices.`);
}
