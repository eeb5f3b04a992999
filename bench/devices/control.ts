import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { quietPatienceMs } from "../harness/limits.ts";
import { measureInQuiet, watchMachine } from "../harness/quiet.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import type { Target } from "../harness/target.ts";
import { percentile } from "../panels/measure.ts";
import { startFlow } from "./flow-process.ts";
import { COMMAND_PAUSE_MS, COMMANDS, QUICK_SHARE, SAMPLES_PER_SECOND, STOPS } from "./limits.ts";
import { openPage } from "./page-socket.ts";
import { connectRaw } from "./raw-mqtt.ts";
import { type Broker, startMosquittoBroker, startWorkbench, type Workbench } from "./stage.ts";

/** Acts once, and resolves with how long it took. */
type Act = () => Promise<number>;

const OURS = "platform";
const PEER = "two MQTT clients";
const DEVICE = "homie/5/bench";
const EMPTY = { type: "object" };
const COMMAND = {
  oneOf: [
    { properties: { name: { const: "ping" }, params: EMPTY }, "x-effect": "none" },
    { properties: { name: { const: "velocity" }, params: EMPTY }, "x-effect": "moves" },
    { properties: { name: { const: "idle" }, params: EMPTY }, "x-effect": "none" },
  ],
};
const DESCRIPTION = {
  ...{ homie: "5.0", version: 1, name: "Bench motor" },
  nodes: {
    motor: {
      type: "motor",
      properties: {
        command: { datatype: "json", settable: true, retained: false, format: JSON.stringify(COMMAND) },
        ack: { datatype: "json", retained: false },
      },
    },
  },
};

/** From a page's socket to the device and back, compared with a question and its answer between two MQTT clients. */
export async function command(session: Session): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const workbench = stack.use(await startWorkbench(OURS));
  const page = stack.use(await openPage(workbench, "bench"));
  stack.use(await openMotor(workbench));
  await page.ready;
  await compareActs(session, {
    ...{ title: "Command to acknowledgement", unit: "commands", count: COMMANDS, workbench, stack },
    act: () =>
      timed(() => page.ask({ type: "command", device: "bench", capability: "motor", name: "ping", params: {} })),
    description: `one after the other, ${COMMAND_PAUSE_MS} ms apart`,
    targets: [
      { measure: "p50 ms", peer: PEER, atMost: 3 },
      { measure: "p99 ms", peer: PEER, atMost: 6 },
    ],
  });
}

/** From a page's socket to the device, while many sensors send; compared with the same round trip. */
export async function stop(session: Session): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const workbench = stack.use(await startWorkbench(OURS));
  const page = stack.use(await openPage(workbench, "bench"));
  const motor = stack.use(await openMotor(workbench));
  await page.ready;
  const more = await startFlow(workbench, SAMPLES_PER_SECOND, stack);
  await compareActs(session, {
    ...{ title: "Stop to device", unit: "stops", count: STOPS, workbench, stack },
    more,
    async act() {
      await page.ask({ type: "take", device: "bench" });
      const startMs = performance.now();
      const stopped = motor.next("idle");
      const answered = page.ask({ type: "stop" });
      const tookMs = (await stopped) - startMs;
      await answered;
      await page.ask({ type: "clear" });
      return tookMs;
    },
    description: `${SAMPLES_PER_SECOND} samples per s to the platform meanwhile`,
    targets: [{ measure: "p50 ms", peer: PEER, atMost: 2 }],
  });
}

type Acts = {
  title: string;
  unit: string;
  description: string;
  count: number;
  workbench: Workbench;
  stack: AsyncDisposableStack;
  act: Act;
  /** Other processes of the bench. */
  more?: readonly number[];
  targets: readonly Target[];
};

async function compareActs(
  session: Session,
  { title, unit, description, count, workbench, stack, act, more = [], targets }: Acts,
): Promise<void> {
  const mosquitto = stack.use(await startMosquittoBroker(PEER));
  const acts = new Map<string, Act>([
    [OURS, act],
    [PEER, await roundTrip(mosquitto, stack)],
  ]);
  const times = session.quick ? Math.ceil(count / QUICK_SHARE) : count;
  const deadlineMs = performance.now() + (session.quick ? 0 : quietPatienceMs);
  const pids = () => [process.pid, ...workbench.server.pids(), ...mosquitto.server.pids(), ...more];
  const rounds = await runRounds(session, {
    ...{ title, labels: [OURS, PEER] },
    measure: (label) =>
      measureInQuiet(() => measureActs(acts.get(label) as Act, times, pids), deadlineMs, session.signal),
  });
  session.report({
    ...{ title, unit, description, ours: OURS, peers: [PEER], rounds, targets, measures: ["p50 ms", "p99 ms"] },
  });
}

/** `cpuS` is that of all processes of the bench, so that the work of others can be told from it. */
async function measureActs(act: Act, count: number, pids: () => number[]): Promise<Measurement> {
  const took: number[] = [];
  const busyCores = watchMachine();
  const before = cpuSeconds(pids());
  const startMs = performance.now();
  for (let i = 0; i < count; i += 1) {
    took.push(await act());
    await sleep(COMMAND_PAUSE_MS);
  }
  const wallS = (performance.now() - startMs) / 1_000;
  const cpuS = cpuSeconds(pids()) - before;
  took.sort((a, b) => a - b);
  const othersCores = Math.max(0, busyCores() - cpuS / wallS);
  return { operations: count, wallS, cpuS, othersCores, p50Ms: percentile(took, 0.5), p99Ms: percentile(took, 0.99) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** One asks, the other answers. */
async function roundTrip({ mqttPort, key }: Broker, stack: AsyncDisposableStack): Promise<Act> {
  const asking = stack.use(await connectRaw(mqttPort, "asking", key));
  const answering = stack.use(await connectRaw(mqttPort, "answering", key));
  await asking.subscribe("bench/answer");
  await answering.subscribe("bench/question");
  answering.onMessage = (_topic, payload) => answering.publish("bench/answer", payload);
  return () =>
    timed(async () => {
      const answered = new Promise<void>((resolve) => {
        asking.onMessage = () => resolve();
      });
      asking.publish("bench/question", JSON.stringify({ id: "1", name: "ping", params: {} }));
      await answered;
    });
}

/** A device that does at once what it is told. */
async function openMotor({ mqttPort, key }: Broker) {
  const client = await connectRaw(mqttPort, "motor", key);
  await client.subscribe(`${DEVICE}/motor/command/set`);
  const waiting = new Map<string, (atMs: number) => void>();
  client.onMessage = (_topic, payload) => {
    const { id, name } = JSON.parse(payload) as { id: string; name: string };
    waiting.get(name)?.(performance.now());
    client.publish(`${DEVICE}/motor/ack`, JSON.stringify({ id, ok: true }));
  };
  client.publish(`${DEVICE}/$state`, "init", true);
  client.publish(`${DEVICE}/$description`, JSON.stringify(DESCRIPTION), true);
  client.publish(`${DEVICE}/$state`, "ready", true);
  return {
    /** When it gets this command. */
    next: (name: string) => new Promise<number>((resolve) => waiting.set(name, resolve)),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}
