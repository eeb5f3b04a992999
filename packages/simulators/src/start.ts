import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { brokerAt } from "@backplane/devices/broker";
import { connect, type IClientOptions, MqttClient } from "mqtt";
import { describe } from "./description.ts";
import { brokenSample, deviceTime, type Fault } from "./faults.ts";
import { findKind } from "./kinds.ts";
import { type CommandAnswer, type Physics, randomOf, type SimulatedKind } from "./simulator.ts";

/** Physics goes on this often; nodes that are slower send every so many of them, faster ones several at a time. */
const TICK_MS = 16;
/** After a pause of the process, time is not made up for. */
const MAX_TICK_S = 1;
const FLOOD_TIMES = 100;
/** The broker notices a broken connection within one and a half of these. */
const KEEP_ALIVE_S = 2;
const RECONNECT_MS = 500;
const GOODBYE_MS = 1_000;

export type SimulatorOptions = {
  /** The name of a kind, or one of the caller's own. */
  kind: string | SimulatedKind;
  /** The address of the broker, or a stream to one in the same process. */
  url: string | (() => Duplex);
  /** The device key. Without one, the address has the name and password. */
  key?: string;
  /** The id of the device: part of its topics. */
  id: string;
  name?: string;
  /** Before every topic, at a broker that workspaces share. */
  prefix?: string;
  seed?: number;
  faults?: readonly Fault[];
  /** Connected, refused, lost: for people who watch it. */
  onNews?: (news: string) => void;
};

/** What happened to the device, as it saw it itself: the witness in tests. */
export type Witness = { atMs: number; what: "command" | "watchdog"; name: string; params: JsonObject };

export type RunningSimulator = {
  readonly id: string;
  readonly kind: string;
  /** What a node measures now. */
  read(node: string): JsonObject;
  /** What happens around it: a guard is opened, a pin is pulled low. */
  tell(what: string, value: JsonData): void;
  /** The last commands it was given, the oldest first. */
  witnessed(): readonly Witness[];
  setFault(fault: Fault, on: boolean): void;
  /** Resolves when the broker has taken its description. */
  ready: Promise<void>;
  /** `forget`: its messages that the broker keeps are removed, and with them the device. */
  close(options?: { forget?: boolean }): Promise<void>;
};

const MAX_WITNESSED = 10_000;

export function startSimulator(options: SimulatorOptions): RunningSimulator {
  const kind = typeof options.kind === "string" ? findKind(options.kind) : options.kind;
  if (!kind) throw new Error(`There is no simulator "${options.kind}".`);
  const { id, prefix = "", onNews = () => {}, seed = 1 } = options;
  const faults = new Set(options.faults);
  const witnessed: Witness[] = [];
  const physics = kind.create(randomOf(seed));
  const base = `${prefix}homie/5/${id}`;
  const client = connectTo(options.url, {
    ...(options.key === undefined ? {} : { username: id, password: options.key }),
    ...{ clientId: `${id}-${process.pid}-${Math.floor(performance.now())}`, protocolVersion: 4 },
    ...{ keepalive: KEEP_ALIVE_S, reconnectPeriod: RECONNECT_MS, reschedulePings: false },
    will: { topic: `${base}/$state`, payload: Buffer.from("lost"), qos: 1, retain: true },
  });
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const introduce = async (): Promise<void> => {
    const publish = (topic: string, text: string) =>
      client.publishAsync(`${base}/${topic}`, text, { qos: 1, retain: true });
    await client.subscribeAsync(`${base}/+/command/set`, { qos: 1 });
    await publish("$state", "init");
    await publish("$description", JSON.stringify(describe(kind, options.name ?? kind.name)));
    await publish("$state", "ready");
    ready.resolve();
    onNews("connected");
  };
  // Of a connection that is lost meanwhile, the next one introduces it.
  const failed = (error: unknown) => {
    if (client.connected || client.disconnecting) ready.reject(error);
  };
  let wasConnected = false;
  client.on("connect", () => {
    wasConnected = true;
    introduce().catch(failed);
  });
  client.on("error", (error: Error & { code?: unknown }) => {
    onNews(error.message);
    // A number is the reason why the broker refuses it; what breaks later, the client connects again.
    if (!wasConnected || typeof error.code === "number") ready.reject(error);
  });
  client.on("close", () => onNews("disconnected"));

  const note = (witness: Witness) => {
    witnessed.push(witness);
    if (witnessed.length > MAX_WITNESSED) witnessed.shift();
  };
  const moving = watchMoving(kind, physics, note);
  const answer = (node: string, words: JsonObject) =>
    void client.publish(`${base}/${node}/ack`, JSON.stringify(words), { qos: 1 });
  const underway = createUnderway(answer);
  client.on("message", (topic, payload) => {
    const [node = ""] = topic.slice(base.length + 1).split("/");
    const words = obey({ kind, physics, node, faults, note, moving, underway }, payload);
    if (words) answer(node, words);
  });
  const stopTicking = tick({ kind, physics, client, base, faults, moving, underway });

  return {
    ...{ id, kind: kind.kind, ready: ready.promise },
    read: (node) => physics.read(node),
    tell: (what, value) => physics.tell?.(what, value),
    witnessed: () => witnessed,
    setFault(fault, on) {
      if (on) faults.add(fault);
      else faults.delete(fault);
      if (fault !== "lost") return;
      // As if somebody had pulled the plug: no goodbye.
      if (on) {
        client.options.reconnectPeriod = 0;
        client.stream.destroy();
      } else client.reconnect();
    },
    async close({ forget = false } = {}) {
      stopTicking();
      const last = forget ? { $description: "", $state: "" } : { $state: "disconnected" };
      const goodbye = Promise.all(
        Object.entries(last).map(([topic, text]) =>
          client.publishAsync(`${base}/${topic}`, text, { qos: 1, retain: true }),
        ),
      ).catch(() => {});
      // A broker that is away, or goes away now, never takes it.
      if (client.connected) await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })]);
      await client.endAsync(true);
    },
  };
}

const connectTo = (url: string | (() => Duplex), options: IClientOptions): MqttClient =>
  typeof url === "string" ? connect({ ...brokerAt(url), ...options }) : new MqttClient(url, options);

/** What ends a movement, whichever device has it. */
const STOPPING: readonly string[] = ["stop", "idle", "clear_errors", "hold", "land"];

type Moving = { told(name: string): void; check(): void };

/** The device's own watchdog: what moves and is told nothing for a second stops. */
function watchMoving({ nodes }: SimulatedKind, physics: Physics, note: (witness: Witness) => void): Moving {
  const effects = new Map(
    Object.values(nodes)
      .flatMap(({ commands = {} }) => Object.entries(commands))
      .map(([name, { effect }]) => [name, effect]),
  );
  let lastMs: number | undefined;
  return {
    told(name) {
      if (effects.get(name) === "moves") lastMs = Date.now();
      else if (STOPPING.includes(name)) lastMs = undefined;
    },
    check() {
      if (lastMs === undefined || Date.now() - lastMs < DEVICES_LIMITS.deviceWatchdogMs) return;
      lastMs = undefined;
      physics.watchdog?.();
      note({ atMs: Date.now(), what: "watchdog", name: "idle", params: {} });
    },
  };
}

type Underway = {
  /** A setpoint that is told again, with its id, changes nothing, and is answered again. */
  again(node: string, id: string): JsonObject | undefined;
  /** What is answered now. */
  begin(node: string, id: string, done: Extract<CommandAnswer, { ok: true }>, isStop: boolean): JsonObject;
  check(): void;
};

/** Commands that were accepted and are answered when the device is there; a node has one at a time. */
function createUnderway(answer: (node: string, words: JsonObject) => void): Underway {
  type One = { id: string; detail: string | undefined; isThere: (() => boolean | string) | undefined };
  const last = new Map<string, One>();
  const answerTo = ({ id, detail, isThere }: One): JsonObject =>
    isThere ? { id, accepted: true } : { id, ok: true, ...(detail === undefined ? {} : { detail }) };
  return {
    again(node, id) {
      const one = last.get(node);
      return one?.id === id ? answerTo(one) : undefined;
    },
    begin(node, id, { detail, isThere }, isStop) {
      const before = last.get(node);
      if (before?.isThere) {
        const why = isStop ? "It was stopped before it was there." : "A newer command came before it was there.";
        answer(node, { id: before.id, ok: false, code: "stopped", detail: why });
      }
      const one = { id, detail, isThere };
      last.set(node, one);
      return answerTo(one);
    },
    check() {
      for (const [node, one] of last) {
        const state = one.isThere?.() ?? false;
        if (state === false) continue;
        one.isThere = undefined;
        const { id } = one;
        answer(node, state === true ? answerTo(one) : { id, ok: false, code: "denied", detail: state });
      }
    },
  };
}

type Obeying = {
  kind: SimulatedKind;
  physics: Physics;
  node: string;
  faults: ReadonlySet<Fault>;
  note: (witness: Witness) => void;
  moving: Moving;
  underway: Underway;
};

/** Carries out a command, and returns what is answered. */
function obey(
  { kind, physics, node, faults, note, moving, underway }: Obeying,
  payload: Buffer,
): JsonObject | undefined {
  let command: { id?: unknown; name?: unknown; params?: unknown };
  try {
    command = JSON.parse(payload.toString());
  } catch {
    return undefined;
  }
  const { id, name, params = {} } = command ?? {};
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  const known = kind.nodes[node]?.commands?.[name];
  if (!known || typeof params !== "object" || params === null) return { id, ok: false, code: "unsupported" };
  note({ atMs: Date.now(), what: "command", name, params: params as JsonObject });
  if (faults.has("silent") || physics.isSilent?.(node)) return undefined;
  if (faults.has("lying")) return { id, ok: true };
  const again = underway.again(node, id);
  const done = again ? { ok: true as const } : physics.command?.(node, name, params as JsonObject);
  if (!done?.ok) return { id, ...(done ?? { ok: false, code: "unsupported" }) };
  moving.told(name);
  return again ?? underway.begin(node, id, done, STOPPING.includes(name));
}

type Ticking = Pick<Obeying, "kind" | "physics" | "faults" | "moving" | "underway"> & {
  client: MqttClient;
  base: string;
};

function tick({ kind, physics, client, base, faults, moving, underway }: Ticking): () => void {
  const nextMs = new Map<string, number>();
  let lastMs = Date.now();
  let count = 0;

  function send(node: string, nowMs: number): void {
    if (physics.isSilent?.(node)) return;
    count += 1;
    const sample = { t_ms: deviceTime(nowMs, faults.has("wrong-clock")), ...physics.read(node) };
    const text = faults.has("bad-json") && count % 2 === 0 ? brokenSample(count) : JSON.stringify(sample);
    client.publish(`${base}/${node}/sample`, text);
  }

  const timer = setInterval(() => {
    const nowMs = Date.now();
    physics.step(Math.min(MAX_TICK_S, Math.max(0, nowMs - lastMs) / 1_000));
    lastMs = nowMs;
    moving.check();
    underway.check();
    if (!client.connected) return;
    for (const [node, { rateHz }] of Object.entries(kind.nodes)) {
      let dueMs = nextMs.get(node) ?? nowMs;
      for (let left = Math.ceil((TICK_MS * rateHz) / 1_000); left > 0 && dueMs <= nowMs; left -= 1) {
        for (let i = faults.has("flooding") ? FLOOD_TIMES : 1; i > 0; i -= 1) send(node, nowMs);
        dueMs += 1_000 / rateHz;
      }
      // A late tick does not make the next ones late.
      nextMs.set(node, Math.max(dueMs, nowMs));
    }
    for (const { level, source, text } of physics.lines?.() ?? [])
      client.publish(`${base}/$log/${level}`, `${source}: ${text}`);
  }, TICK_MS);
  return () => clearInterval(timer);
}
