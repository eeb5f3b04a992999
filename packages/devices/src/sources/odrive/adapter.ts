import { type Ack, DEVICES_LIMITS } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Type } from "typebox";
import { refused, worstOf } from "../../readers/waiting.ts";
import type { DeviceCommand } from "../../services.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { settle } from "../settle.ts";
import {
  type AxisAbout,
  capabilityId,
  capabilityOf,
  isSetpoint,
  PASS_THROUGH,
  RAD_PER_TURN,
  readAxis,
  readValue,
  SETPOINTS,
  STATE,
} from "./axis.ts";
import { type ODriveAnswer, type ODriveRequest, odriveAnswers, odriveRequests, readNumbers } from "./codec.ts";

const { deviceWatchdogMs } = DEVICES_LIMITS;
const POLL_MS = 50;
/** What changes slowly is read every so many times. */
const SLOW = 10;
/** The drive keeps single precision. */
const TOLERANCE = 1e-4;

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(8_888),
  axes: Type.Optional(
    Type.Integer({ title: "Axes", description: "How many motors it drives", minimum: 1, maximum: 2, default: 1 }),
  ),
});

/** ODrive motor controllers by their ASCII protocol: over a serial port on the network, for USB and UART. */
export const odrive = defineAdapter<typeof SETTINGS>({
  kind: "odrive",
  name: "ODrive",
  description: "ODrive motor controllers, by the ASCII protocol over TCP",
  shows: ["motor"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  stopBytes: ({ axes = 1 }) => Buffer.concat(Array.from({ length: axes }, (_, axis) => bytesOf(idleOf(axis)))),
  open: ({ axes = 1 }, wire, ground) => new ODriveSession(wire, ground, axes),
});

type Axis = AxisAbout & {
  /** What it was told last; it is `over` when something else was told since. */
  told: { id: string; name: string; value: number; isStop: boolean } | undefined;
  /** Why the drive does not do what it was told. */
  fault: string | undefined;
};

class ODriveSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #talk: Conversation<ODriveRequest, ODriveAnswer>;
  #axes: readonly Axis[] = [];
  #device: string | undefined;

  constructor(wire: Wire, ground: SourceGround, axes: number) {
    this.#wire = wire;
    this.#ground = ground;
    this.#talk = createConversation(wire, bytesOf, odriveAnswers);
    this.#run(axes).catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(...[, capability, command]: Parameters<Session["command"]>): Promise<Ack> {
    const axis = this.#axes.find(({ number }) => capabilityId(number) === capability);
    if (!axis) return refused("unsupported", `There is no ${capability}.`);
    if (command.name === "idle") return this.#idle(axis);
    if (command.name === "clear_errors") return this.#clearErrors(axis);
    return isSetpoint(command.name)
      ? this.#move(axis, command.name, command)
      : refused("unsupported", `${capability} has no command ${command.name}.`);
  }

  stop(): Promise<Ack> {
    // All of them are told before any of them is asked.
    return worstOf(this.#axes.map((axis) => this.#idle(axis)));
  }

  async #run(axes: number): Promise<void> {
    const major = await this.#read("fw_version_major");
    if (major === undefined) return this.#wire.fail("What answers is not an ODrive, or its ASCII protocol is off.");
    this.#wire.confirm();
    const firmware = [major, await this.#read("fw_version_minor"), await this.#read("fw_version_revision")];
    const hardware = [await this.#read("hw_version_major"), await this.#read("hw_version_minor")];
    const found: Axis[] = [];
    for (let number = 0; number < axes; number += 1)
      found.push({ ...(await readAxis(number, this.#read)), told: undefined, fault: undefined });
    if (this.#talk.signal.aborted) return;
    this.#axes = found;
    this.#device = this.#ground.declare({
      ...{ id: this.#ground.name, name: this.#ground.name, maker: "ODrive Robotics" },
      ...{
        model: `ODrive v${hardware.join(".")}`,
        firmware: firmware.join("."),
        capabilities: found.map(capabilityOf),
      },
    });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    for (const { watchdog, number } of found)
      this.#alert(
        `axis${number}-watchdog`,
        watchdog === undefined ? "It has no watchdog: it moves on if the connection breaks." : null,
      );
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, (count) => this.#measure(count));
  }

  async #measure(count: number): Promise<void> {
    const isSlow = count % SLOW === 0;
    const bus = isSlow ? await this.#read("vbus_voltage") : undefined;
    for (const axis of this.#axes) {
      const answer = await this.#ask({ command: "f", axis: axis.number, values: [] });
      const feedback = answer === undefined ? undefined : readNumbers(answer, 2);
      const current = axis.current && (await this.#read(axis.current));
      if (this.#talk.signal.aborted || this.#device === undefined) return;
      if (!feedback) this.#ground.refuse(this.#device, `feedback of axis ${axis.number} is not two numbers`);
      const [position, velocity] = (feedback ?? []).map((turns) => turns * RAD_PER_TURN);
      const values = {
        position_rad: position,
        velocity_rad_s: velocity,
        target_rad_s: axis.told?.name === "velocity" && !axis.told.isStop ? axis.told.value : undefined,
        current_a: current,
        torque_nm: current === undefined || !axis.torqueConstant ? undefined : Number(current) * axis.torqueConstant,
        bus_voltage_v: bus,
        ...(isSlow ? await this.#readSlow(axis) : {}),
      };
      const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== "");
      this.#ground.sample(this.#device, capabilityId(axis.number), Object.fromEntries(known) as JsonObject);
    }
  }

  async #readSlow(axis: Axis): Promise<Record<string, number | undefined>> {
    const entries: [string, number | undefined][] = [];
    for (const [field, property] of Object.entries(axis.temperatures))
      entries.push([field, await this.#read(property)]);
    await this.#checkFault(axis);
    return Object.fromEntries(entries);
  }

  /** An axis that left closed loop by itself does not move, whatever it is told. */
  async #checkFault(axis: Axis, isUrgent = false): Promise<void> {
    const told = axis.told;
    const state = await this.#read(`axis${axis.number}.current_state`, isUrgent);
    const errors = axis.errors === undefined ? 0 : ((await this.#read(axis.errors, isUrgent)) ?? 0);
    const words =
      errors === 0 ? undefined : `Axis ${axis.number} reports error 0x${errors.toString(16).toUpperCase()}.`;
    if (words !== axis.fault || words === undefined) this.#alert(`axis${axis.number}-error`, words ?? null);
    axis.fault = words;
    if (
      told &&
      told === axis.told &&
      !told.isStop &&
      words === undefined &&
      state !== undefined &&
      state !== STATE.closedLoop
    )
      axis.fault = `Axis ${axis.number} is not in closed loop control (state ${state}).`;
  }

  async #move(axis: Axis, name: keyof typeof SETPOINTS, { id, params }: DeviceCommand): Promise<Ack> {
    const { letter, mode, param, input, toDrive } = SETPOINTS[name];
    const wanted = params[param];
    if (typeof wanted !== "number") return { ...refused("not-a-number", `${param} is not a number.`), field: param };
    const isRepeated = axis.told?.id === id;
    // What was told before it failed is not told again: the drive would start by itself when the error is cleared.
    if (isRepeated && axis.fault !== undefined) return refused("denied", axis.fault);
    const isRunning =
      axis.told !== undefined && !axis.told.isStop && axis.told.name === name && axis.fault === undefined;
    const value = wanted * toDrive;
    const setpoint: ODriveRequest = { command: letter, axis: axis.number, values: [value] };
    // Each setpoint feeds the watchdog of the drive, so the control that repeats it keeps it running, and nothing else.
    this.#talk.tell(...(isRunning ? [] : this.#begin(axis, mode)), setpoint);
    if (isRepeated) return { ok: true, tookMs: 0 };
    const told = { id, name, value: wanted, isStop: false };
    axis.told = told;
    axis.fault = undefined;
    return this.#until(axis, told, async () => {
      const state = await this.#read(`axis${axis.number}.current_state`);
      const now = await this.#read(`axis${axis.number}.${input}`);
      if (
        state === STATE.closedLoop &&
        now !== undefined &&
        Math.abs(now - value) <= TOLERANCE * Math.max(1, Math.abs(value))
      )
        return { ok: true, tookMs: 0 };
      await this.#checkFault(axis);
      return axis.errors !== undefined && axis.fault?.includes("error") ? refused("denied", axis.fault) : undefined;
    });
  }

  #begin({ number, watchdog }: Axis, mode: number): ODriveRequest[] {
    const write = (property: string, value: number): ODriveRequest => ({
      ...{ command: "w", property: `axis${number}.${property}`, value: String(value) },
    });
    return [
      write("controller.config.control_mode", mode),
      write("controller.config.input_mode", PASS_THROUGH),
      { command: "u", axis: number, values: [] },
      ...(watchdog === undefined
        ? []
        : [write("config.watchdog_timeout", deviceWatchdogMs / 1_000), write("config.enable_watchdog", 1)]),
      write("requested_state", STATE.closedLoop),
    ];
  }

  /** Lets an axis run out. */
  #idle(axis: Axis): Promise<Ack> {
    const { number, watchdog } = axis;
    this.#talk.tell(
      idleOf(number),
      ...(watchdog === false
        ? [{ command: "w", property: `axis${number}.config.enable_watchdog`, value: "0" } as const]
        : []),
    );
    const told = { id: "", name: "idle", value: 0, isStop: true };
    axis.told = told;
    return this.#until(axis, told, async () =>
      (await this.#read(`axis${number}.current_state`, true)) === STATE.idle ? { ok: true, tookMs: 0 } : undefined,
    );
  }

  async #clearErrors(axis: Axis): Promise<Ack> {
    this.#talk.tell({ command: "sc" });
    // It must not start by itself.
    await this.#idle(axis);
    await this.#checkFault(axis);
    return axis.fault === undefined ? { ok: true, tookMs: 0 } : refused("denied", axis.fault);
  }

  #until(axis: Axis, told: NonNullable<Axis["told"]>, look: () => Promise<Ack | undefined>): Promise<Ack> {
    return settle({ told, now: () => axis.told, look, signal: this.#talk.signal });
  }

  #alert(id: string, text: string | null): void {
    if (this.#device !== undefined) this.#ground.alert(this.#device, id, text);
  }

  async #ask(request: ODriveRequest, isUrgent = false): Promise<string | undefined> {
    return (await this.#talk.ask(request, isUrgent))?.text;
  }

  readonly #read = async (property: string, isUrgent = false): Promise<number | undefined> => {
    const text = await this.#ask({ command: "r", property }, isUrgent);
    return text === undefined ? undefined : readValue(text);
  };
}

const idleOf = (axis: number): ODriveRequest => ({
  ...{ command: "w", property: `axis${axis}.requested_state`, value: String(STATE.idle) },
});

/** With a checksum: a damaged setpoint would be another setpoint. */
const bytesOf = (request: ODriveRequest): Uint8Array => odriveRequests.write({ ...request, isChecked: true });
