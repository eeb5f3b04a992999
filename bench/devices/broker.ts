import { setTimeout as sleep } from "node:timers/promises";
import { cpuSeconds } from "../harness/cpu-seconds.ts";
import { BenchFault } from "../harness/fault.ts";
import { loadS, quickLoadS } from "../harness/limits.ts";
import type { Measurement } from "../harness/round.ts";
import { runRounds } from "../harness/rounds.ts";
import type { Session } from "../harness/session.ts";
import { declareSensors, sendSamples } from "./flow.ts";
import { FAN_OUT_PAYLOAD_BYTES, FAN_OUT_PER_SECOND, SAMPLES_PER_SECOND, SUBSCRIBERS } from "./limits.ts";
import { connectRaw, publishPacket } from "./raw-mqtt.ts";
import { type Broker, startBroker, startMosquittoBroker, startWorkbench } from "./stage.ts";

const TICK_MS = 10;
/** Until everything that was sent has arrived. */
const PATIENCE_MS = 5_000;

/** One publisher, ten subscribers: deliveries per second of the broker's CPU time. */
export async function broker(session: Session): Promise<void> {
  const title = "MQTT fan-out";
  const labels = { ours: "our broker", peer: "Mosquitto" } as const;
  await using stack = new AsyncDisposableStack();
  const brokers = new Map<string, Broker>([
    [labels.ours, stack.use(await startBroker(labels.ours))],
    [labels.peer, stack.use(await startMosquittoBroker(labels.peer))],
  ]);
  const seconds = session.quick ? quickLoadS : loadS;
  const rounds = await runRounds(session, {
    ...{ title, labels: [labels.ours, labels.peer] },
    measure: (label) => fanOut(brokers.get(label) as Broker, seconds),
  });
  session.report({
    ...{ title, unit: "deliveries", ours: labels.ours, peers: [labels.peer], rounds, measures: ["per CPU-s"] },
    description: `1 publisher, ${SUBSCRIBERS} subscribers, ${FAN_OUT_PER_SECOND} messages per s of ${FAN_OUT_PAYLOAD_BYTES} bytes, QoS 0, ${seconds} s each`,
    targets: [{ measure: "per CPU-s", peer: labels.peer, atLeast: 0.2 }],
  });
}

async function fanOut({ server, mqttPort, key }: Broker, seconds: number): Promise<Measurement> {
  await using stack = new AsyncDisposableStack();
  const subscribers = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, (_, i) => connectRaw(mqttPort, `subscriber-${i}`, key)),
  );
  for (const subscriber of subscribers) {
    stack.use(subscriber);
    await subscriber.subscribe("bench/#");
  }
  const publisher = stack.use(await connectRaw(mqttPort, "publisher", key));
  const message = publishPacket("bench/a", "x".repeat(FAN_OUT_PAYLOAD_BYTES));
  const pids = server.pids();
  const cpuBefore = cpuSeconds(pids);
  const startMs = performance.now();
  let sent = 0;
  while (performance.now() - startMs < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startMs) * FAN_OUT_PER_SECOND) / 1_000);
    publisher.socket.write(Buffer.concat(Array.from({ length: due - sent }, () => message)));
    sent = due;
    await sleep(TICK_MS);
  }
  const received = () => subscribers.reduce((sum, subscriber) => sum + subscriber.received, 0);
  await arrived(
    () => received() >= sent * SUBSCRIBERS,
    () => `${received()} of ${sent * SUBSCRIBERS} deliveries`,
  );
  const wallS = (performance.now() - startMs) / 1_000;
  return { operations: received(), wallS, cpuS: cpuSeconds(pids) - cpuBefore };
}

/** The same samples to the platform, which reads, checks, keeps and writes them down, and to its broker alone. */
export async function hub(session: Session): Promise<void> {
  const title = "Samples";
  const labels = { ours: "platform", peer: "its broker alone" } as const;
  await using stack = new AsyncDisposableStack();
  const workbench = stack.use(await startWorkbench(labels.ours));
  const brokers = new Map<string, Broker>([
    [labels.ours, workbench],
    [labels.peer, stack.use(await startBroker(labels.peer))],
  ]);
  const seconds = session.quick ? quickLoadS : loadS;
  const rounds = await runRounds(session, {
    ...{ title, labels: [labels.ours, labels.peer] },
    measure: (label) => samples(brokers.get(label) as Broker, seconds),
  });
  const { devices } = await workbench.call<{ devices: unknown[] }>("GET", "");
  if (devices.length === 0) throw new BenchFault("The platform has seen no device.");
  session.report({
    ...{ title, unit: "samples", ours: labels.ours, peers: [labels.peer], rounds, measures: ["per CPU-s"] },
    description: `${SAMPLES_PER_SECOND} per s, ${seconds} s each; the hub may cost twice what its broker does`,
    targets: [{ measure: "per CPU-s", peer: labels.peer, atLeast: 0.33 }],
  });
}

async function samples({ server, mqttPort, key }: Broker, seconds: number): Promise<Measurement> {
  await using client = await connectRaw(mqttPort, "sensors", key);
  await client.subscribe("bench/end");
  declareSensors(client);
  const pids = server.pids();
  const cpuBefore = cpuSeconds(pids);
  const startMs = performance.now();
  const stop = sendSamples(client, SAMPLES_PER_SECOND);
  await sleep(seconds * 1_000);
  const operations = stop();
  // Messages of a connection are read in order: when this one is back, all were.
  client.publish("bench/end", "");
  await arrived(
    () => client.received > 0,
    () => "no sign of the last sample",
  );
  const wallS = (performance.now() - startMs) / 1_000;
  return { operations, wallS, cpuS: cpuSeconds(pids) - cpuBefore };
}

async function arrived(isThere: () => boolean, state: () => string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!isThere()) {
    if (performance.now() > deadlineMs) throw new BenchFault(`Not everything arrived: ${state()}.`);
    await sleep(1);
  }
}
