import type { Ack, Capability, Field } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { refused } from "../../readers/waiting.ts";
import type { DeviceCommand } from "../../services.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { bytesOf, type Layout, readLayout } from "../codec.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { settle } from "../settle.ts";
import { type MspMessage, mspAnswers, mspRequests } from "./codec.ts";
import { CODE, FEATURE_3D, FULL, LAYOUTS, MODE_ARM, MOTORS, motorBytes, motorsIn, STOP } from "./messages.ts";

const POLL_MS = 50;
/** Whether it is armed, and its battery, are read every so many times. */
const SLOW = 5;
const DEFAULT_POLES = 14;

const SETTINGS = settingsWith({ host: HOST, port: portWith(5_761) });

/** Flight controllers with Betaflight or INAV: over a serial port on the network, or their simulator. */
export const msp = defineAdapter<typeof SETTINGS>({
  kind: "msp",
  name: "MSP flight controller",
  description: "Motors of flight controllers with Betaflight or INAV, by MSP over TCP",
  shows: ["speed-controller"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: (_settings, wire, ground) => new MspSession(wire, ground),
});

type Told = { id: string; isStop: boolean };

const motorId = (index: number): string => `motor${index + 1}`;

class MspSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #talk: Conversation<MspMessage, MspMessage>;
  readonly #told = new Map<number, Told>();
  readonly #wanted: number[] = new Array<number>(MOTORS).fill(STOP);
  #count = 0;
  #poles = DEFAULT_POLES;
  #device: string | undefined;
  #isArmed = false;
  #isRefused = false;
  #hasTelemetry = true;
  #voltage: number | undefined;

  constructor(wire: Wire, ground: SourceGround) {
    this.#wire = wire;
    this.#ground = ground;
    // Motors are set at once, ahead of questions: the answer to that is not the answer to a question.
    const isNews = ({ code, isError }: MspMessage) => {
      if (code === CODE.setMotor) this.#isRefused = isError === true;
      return code === CODE.setMotor;
    };
    this.#talk = createConversation(wire, mspRequests.write, mspAnswers, { isNews });
    this.#run().catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(...[, capability, command, onAccepted]: Parameters<Session["command"]>): Promise<Ack> {
    const index = Array.from({ length: this.#count }, (_, i) => motorId(i)).indexOf(capability);
    if (index === -1) return refused("unsupported", `There is no ${capability}.`);
    if (command.name === "stop") return this.#set([index], STOP, { id: "", isStop: true });
    return command.name === "throttle"
      ? this.#throttle(index, command, onAccepted)
      : refused("unsupported", `${capability} has no command ${command.name}.`);
  }

  stop(_device: string): Promise<Ack> {
    return this.#set(
      Array.from({ length: this.#count }, (_, i) => i),
      STOP,
      { id: "", isStop: true },
    );
  }

  async #run(): Promise<void> {
    const api = await this.#ask("api");
    if (!api) return this.#wire.fail("What answers is not a flight controller, or MSP is off on this port.");
    this.#wire.confirm();
    const variant = Buffer.from((await this.#answer(CODE.variant)) ?? []).toString("latin1");
    const version = await this.#ask("version");
    const is3d = (((await this.#ask("features"))?.flags ?? 0) & FEATURE_3D) !== 0;
    const config = await this.#ask("motorConfig");
    const motors = motorsIn((await this.#answer(CODE.motor)) ?? []);
    if (this.#talk.signal.aborted) return;
    this.#poles = config?.poles || DEFAULT_POLES;
    this.#count = Math.min(MOTORS, config?.motors || motors.filter((value) => value > 0).length);
    const { name } = this.#ground;
    const firmware = version ? `${version.major}.${version.minor}.${version.patch}` : "";
    const capabilities = Array.from({ length: this.#count }, (_, i) => capabilityOf(i, is3d));
    this.#device = this.#ground.declare({ id: name, name, model: variant, firmware, capabilities });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    const { alert } = this.#ground;
    alert(this.#device, "watchdog", is3d ? null : "It has no watchdog: motors go on if the connection breaks.");
    alert(
      this.#device,
      "3d",
      is3d ? "Its motors turn both ways (3D): they are shown, and not driven from here." : null,
    );
    // Whether it is armed is known before it can be told anything.
    await this.#measure(true);
    if (this.#talk.signal.aborted) return;
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, (count) => this.#measure(count % SLOW === 0));
  }

  async #measure(isSlow: boolean): Promise<void> {
    if (isSlow) await this.#measureSlow();
    const motors = await this.#motors();
    const payload = this.#hasTelemetry ? await this.#answer(CODE.telemetry) : undefined;
    if (payload === undefined) this.#hasTelemetry = false;
    if (this.#device === undefined || this.#talk.signal.aborted || !motors) return;
    for (let i = 0; i < this.#count; i += 1) {
      const from = 1 + i * bytesOf(LAYOUTS.telemetry);
      const told = readLayout(LAYOUTS.telemetry, Buffer.from((payload ?? []).slice(from)));
      this.#ground.sample(this.#device, motorId(i), this.#sampleOf(motors[i] ?? 0, told));
    }
  }

  async #measureSlow(): Promise<void> {
    const status = await this.#ask("status");
    const battery = (await this.#ask("battery")) ?? (await this.#ask("analog"));
    if (status) this.#isArmed = (status.modes & MODE_ARM) !== 0;
    if (battery) this.#voltage = battery.voltageV;
  }

  #sampleOf(value: number, told: Record<(typeof LAYOUTS.telemetry)[number][0], number> | undefined): JsonObject {
    const voltage = told?.voltageV || this.#voltage;
    return {
      throttle_pct: Math.max(0, (value - STOP) / 10),
      ...(voltage === undefined ? {} : { voltage_v: voltage }),
      ...(told
        ? {
            ...{ erpm: (told.rpm * this.#poles) / 2, current_a: told.currentA },
            ...{ temperature_c: told.temperatureC, consumed_mah: told.consumedMah },
          }
        : {}),
    };
  }

  async #throttle(index: number, { id, params }: DeviceCommand, onAccepted?: () => void): Promise<Ack> {
    const { throttle_pct: pct } = params;
    if (typeof pct !== "number")
      return { ...refused("not-a-number", "throttle_pct is not a number."), field: "throttle_pct" };
    if (this.#isArmed)
      return refused("denied", "The flight controller is armed, and drives its motors itself. Disarm it first.");
    const value = Math.round(STOP + (pct / 100) * (FULL - STOP));
    if (this.#told.get(index)?.id !== id) return this.#set([index], value, { id, isStop: false }, onAccepted);
    this.#tell([index], value);
    return { ok: true, tookMs: 0 };
  }

  /** All motors are in one message; the others stay as they were told. */
  #tell(indices: readonly number[], value: number): void {
    for (const index of indices) this.#wanted[index] = value;
    this.#talk.tell({ code: CODE.setMotor, payload: motorBytes(this.#wanted) });
  }

  #set(indices: readonly number[], value: number, told: Told, onAccepted?: () => void): Promise<Ack> {
    this.#isRefused = false;
    this.#tell(indices, value);
    for (const index of indices) this.#told.set(index, told);
    const [first = 0] = indices;
    return settle({
      ...{ told, now: () => this.#told.get(first) ?? told, signal: this.#talk.signal },
      look: async () => {
        const motors = await this.#motors(true);
        if (this.#isRefused) return refused("denied", "The flight controller refuses to set its motors.");
        if (!motors || this.#talk.signal.aborted) return undefined;
        onAccepted?.();
        return indices.every((index) => motors[index] === value) ? { ok: true, tookMs: 0 } : undefined;
      },
    });
  }

  async #motors(isUrgent = false): Promise<number[] | undefined> {
    const payload = await this.#answer(CODE.motor, isUrgent);
    return payload && motorsIn(payload);
  }

  async #answer(code: number, isUrgent = false): Promise<readonly number[] | undefined> {
    const answer = await this.#talk.ask({ code, payload: [] }, isUrgent);
    return answer?.code === code && !answer.isError ? answer.payload : undefined;
  }

  async #ask<Name extends keyof typeof LAYOUTS>(name: Name) {
    const layout: Layout<(typeof LAYOUTS)[Name][number][0]> = LAYOUTS[name];
    const payload = await this.#answer(CODE[name]);
    return payload && readLayout(layout, Buffer.from(payload));
  }
}

function capabilityOf(index: number, is3d: boolean): Capability {
  const number = (unit: string, limits: Partial<Field> = {}): Field => ({ datatype: "number", unit, ...limits });
  const throttle = { type: "number", minimum: 0, maximum: 100 };
  return {
    ...{ id: motorId(index), kind: "speed-controller", name: `Motor ${index + 1}` },
    fields: {
      ...{ throttle_pct: number("%", { min: 0, max: 100 }), erpm: number(""), current_a: number("A") },
      ...{ voltage_v: number("V"), consumed_mah: number("mAh"), temperature_c: number("°C") },
    },
    commands: is3d
      ? {}
      : {
          throttle: {
            effect: "moves",
            params: { type: "object", properties: { throttle_pct: throttle }, required: ["throttle_pct"] },
          },
          stop: { effect: "none", params: { type: "object" } },
        },
  };
}
