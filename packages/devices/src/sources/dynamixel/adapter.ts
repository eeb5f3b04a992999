import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Type } from "typebox";
import { refused } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { settle } from "../settle.ts";
import { type DxlInstruction, type DxlStatus, dxlInstructions, dxlStatuses } from "./codec.ts";
import {
  ADDRESS,
  capabilityOf,
  channelOf,
  errorWords,
  expectedUnits,
  HEALTH_BYTES,
  MEASURED_BYTES,
  type Measured,
  modelOf,
  POSITION_MODE,
  profileAndGoal,
  readHealth,
  readLimits,
  readMeasured,
  type Servo,
  sampleOf,
  toDeg,
  toUnits,
  WATCHDOG_MS,
} from "./servo.ts";

const { deviceWatchdogMs, ackMs } = DEVICES_LIMITS;
const POLL_MS = 50;
/** Torque and errors are read every so many times. */
const SLOW = 10;
const MAX_SERVOS = 32;
const THERE_DEG = 1.5;
const WATCHDOG = Math.round(deviceWatchdogMs / WATCHDOG_MS);

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(4_001),
  servos: Type.Optional(
    Type.Integer({
      ...{ title: "Servos", minimum: 1, maximum: MAX_SERVOS, default: 1 },
      description: "How many there are on the line, with the ids 1, 2, 3 and so on",
    }),
  ),
});

/** Servos of Robotis' X series on one line: over a serial port on the network. */
export const dynamixel = defineAdapter<typeof SETTINGS>({
  kind: "dynamixel",
  name: "Dynamixel",
  description: "Dynamixel servos of the X series, and MX with Protocol 2.0, over TCP",
  shows: ["servo"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: ({ servos = 1 }, wire, ground) => new DynamixelSession(wire, ground, servos),
});

type Told = { id: string; isStop: boolean };

class DynamixelSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #talk: Conversation<DxlInstruction, DxlStatus>;
  #servos: readonly Servo[] = [];
  #device: string | undefined;
  #told: Told | undefined;

  constructor(wire: Wire, ground: SourceGround, count: number) {
    this.#wire = wire;
    this.#ground = ground;
    const who = (asked: DxlInstruction) => ("id" in asked ? `Servo ${asked.id}` : "It");
    this.#talk = createConversation(wire, dxlInstructions.write, dxlStatuses, { who });
    this.#run(count).catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(
    ...[device, capability, { id, name, params }, onAccepted]: Parameters<Session["command"]>
  ): Promise<Ack> {
    if (name === "stop") return this.stop(device);
    if (name === "torque") return this.#torque(id, params.on === true);
    return name === "pose"
      ? this.#pose(id, params, onAccepted)
      : refused("unsupported", `${capability} has no command ${name}.`);
  }

  /** They hold where they are: without torque an arm would fall. */
  stop(_device: string): Promise<Ack> {
    const nowMs = performance.now();
    const goals = this.#servos.flatMap(({ id, last, min, max }) => {
      const at = last && expectedUnits(last.measured, nowMs - last.atMs);
      return at === undefined ? [] : [{ id, goal: Math.max(min, Math.min(max, at)) }];
    });
    const told: Told = { id: "", isStop: true };
    this.#told = told;
    if (goals.length === 0) return Promise.resolve({ ok: true, tookMs: 0 });
    this.#talk.tell(
      syncWrite(ADDRESS.profile, goals, ({ goal }) => profileAndGoal(goal, goal, 0)),
      syncWrite(ADDRESS.watchdog, goals, () => [0]),
    );
    return this.#until(told, () => this.#areAt(goals));
  }

  async #run(count: number): Promise<void> {
    const servos: Servo[] = [];
    for (let id = 1; id <= count; id += 1) {
      const found = await this.#find(id);
      if (typeof found === "string") return this.#wire.fail(found);
      if (this.#talk.signal.aborted) return;
      this.#wire.confirm();
      servos.push(found);
    }
    this.#servos = servos;
    const { name } = this.#ground;
    const model = [...new Set(servos.map((servo) => servo.model.name))].join(", ");
    const firmware = [...new Set(servos.map((servo) => servo.firmware))].join(", ");
    const about = { id: name, name, maker: "Robotis", model: `Dynamixel ${model}`, firmware };
    this.#device = this.#ground.declare({ ...about, capabilities: [capabilityOf(servos)] });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    // A stop has to know where they are.
    await this.#measureAll(true);
    if (this.#talk.signal.aborted) return;
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, (count) => this.#measureAll(count % SLOW === 0));
  }

  /** The servo, or why it cannot be used. */
  async #find(id: number): Promise<Servo | string> {
    const ping = await this.#talk.ask({ id, instruction: "ping" });
    const [low, high, firmware] = ping?.data ?? [];
    if (low === undefined || high === undefined || firmware === undefined)
      return "What answers is not a servo with Protocol 2.0.";
    const number = low + 256 * high;
    const model = modelOf(number);
    if (!model)
      return `Servo ${id} is of model ${number}, which is not known here. X series, and MX with Protocol 2.0, are.`;
    const [mode] = (await this.#read(id, ADDRESS.mode, 1)) ?? [];
    if (mode !== undefined && mode !== POSITION_MODE)
      return `Servo ${id} is in operating mode ${mode}. Set it to ${POSITION_MODE}, position control.`;
    const limits = readLimits((await this.#read(id, ADDRESS.limits, 8)) ?? []);
    if (!limits) return `Servo ${id} does not say how far it may turn.`;
    return { id, model, firmware, ...limits, hasTorque: false, last: undefined };
  }

  async #measureAll(isSlow: boolean): Promise<void> {
    for (const servo of this.#servos) {
      await this.#measure(servo);
      if (isSlow) await this.#check(servo);
    }
  }

  async #measure(servo: Servo, isUrgent = false): Promise<Measured | undefined> {
    const data = await this.#read(servo.id, ADDRESS.goal, MEASURED_BYTES, isUrgent);
    const measured = data && readMeasured(data);
    if (this.#device === undefined || this.#talk.signal.aborted) return undefined;
    if (!measured) {
      this.#ground.refuse(this.#device, `servo ${servo.id} does not say where it is`);
      return undefined;
    }
    servo.last = { measured, atMs: performance.now() };
    this.#ground.sample(this.#device, "servos", sampleOf(servo, measured));
    return measured;
  }

  async #check(servo: Servo, isUrgent = false): Promise<void> {
    const data = await this.#read(servo.id, ADDRESS.torque, HEALTH_BYTES, isUrgent);
    const health = data && readHealth(data);
    if (!health || this.#device === undefined || this.#talk.signal.aborted) return;
    servo.hasTorque = health.torque !== 0;
    const words = health.errors === 0 ? null : errorWords(servo.id, health.errors);
    this.#ground.alert(this.#device, `${channelOf(servo)}-error`, words);
  }

  async #pose(id: string, params: JsonObject, onAccepted?: () => void): Promise<Ack> {
    const overS = typeof params.over_s === "number" ? params.over_s : 0;
    const asked = this.#servos.flatMap((servo) => {
      const deg = params[`${channelOf(servo)}_deg`];
      return typeof deg === "number" ? [{ servo, id: servo.id, goal: toUnits(deg) }] : [];
    });
    // Every packet feeds the watchdog, also questions: it stops a servo when the line is dead, Backplane when nobody holds.
    if (this.#told?.id === id) return { ok: true, tookMs: 0 };
    const limp = asked.find(({ servo }) => !servo.hasTorque);
    if (limp) return refused("denied", `The torque of servo ${limp.id} is off. Switch it on first.`);
    // A servo whose watchdog ended a movement takes no goals until it is set to 0.
    const watchdogs = (value: number) => syncWrite(ADDRESS.watchdog, asked, () => [value]);
    const told: Told = { id, isStop: false };
    this.#told = told;
    if (asked.length === 0) return { ok: true, tookMs: 0 };
    this.#talk.tell(
      watchdogs(0),
      watchdogs(WATCHDOG),
      syncWrite(ADDRESS.profile, asked, ({ servo, goal }) =>
        profileAndGoal(servo.last?.measured.position ?? goal, goal, overS),
      ),
    );
    let hasGoals = false;
    const look = () =>
      this.#areAt(asked, () => {
        hasGoals = true;
        onAccepted?.();
      });
    const otherwise = (): Ack =>
      hasGoals
        ? { ok: true, reached: false, detail: "Not all of them are there.", tookMs: 0 }
        : refused("no-answer", "The servos did not take the pose.");
    return this.#until(told, look, { forMs: 1_000 * overS + ackMs, otherwise });
  }

  /** Whether they have these goals, and are there. */
  async #areAt(goals: readonly { id: number; goal: number }[], onAccepted?: () => void): Promise<Ack | undefined> {
    let areThere = true;
    for (const { id, goal } of goals) {
      const servo = this.#servos.find((one) => one.id === id);
      const measured = servo && (await this.#measure(servo, true));
      if (measured?.goal !== goal) return undefined;
      areThere &&= Math.abs(toDeg(measured.position) - toDeg(goal)) <= THERE_DEG;
    }
    onAccepted?.();
    return areThere ? { ok: true, tookMs: 0 } : undefined;
  }

  #torque(id: string, isOn: boolean): Promise<Ack> {
    if (this.#told?.id === id) return Promise.resolve({ ok: true, tookMs: 0 });
    const told: Told = { id, isStop: !isOn };
    this.#told = told;
    const here = this.#servos.flatMap(({ id, last }) => (last ? [{ id, goal: last.measured.position }] : []));
    // With an old goal it would jump.
    if (isOn && here.length > 0)
      this.#talk.tell(syncWrite(ADDRESS.profile, here, ({ goal }) => profileAndGoal(goal, goal, 0)));
    this.#talk.tell(syncWrite(ADDRESS.torque, this.#servos, () => [isOn ? 1 : 0]));
    return this.#until(told, async () => {
      for (const servo of this.#servos) await this.#check(servo, true);
      return this.#servos.every(({ hasTorque }) => hasTorque === isOn) ? { ok: true, tookMs: 0 } : undefined;
    });
  }

  #until(
    told: Told,
    look: () => Promise<Ack | undefined>,
    options: { forMs?: number; otherwise?: () => Ack } = {},
  ): Promise<Ack> {
    return settle({ told, now: () => this.#told, look, signal: this.#talk.signal, ...options });
  }

  async #read(id: number, address: number, length: number, isUrgent = false): Promise<readonly number[] | undefined> {
    const status = await this.#talk.ask({ id, instruction: "read", address, length }, isUrgent);
    return status?.id === id && status.data.length === length ? status.data : undefined;
  }
}

const syncWrite = <One extends { id: number }>(
  address: number,
  all: readonly One[],
  dataOf: (one: One) => readonly number[],
): DxlInstruction => ({
  ...{ instruction: "sync-write", address },
  each: all.map((one) => ({ id: one.id, data: dataOf(one) })),
});
