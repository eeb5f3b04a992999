import type { Ack } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Type } from "typebox";
import { pause } from "../../authority/stopper.ts";
import { refused } from "../../readers/waiting.ts";
import type { DeviceCommand } from "../../services.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import type { StreamReader } from "../codec.ts";
import { poll } from "../poll.ts";
import { HOST, settingsWith } from "../settings.ts";
import { CAPABILITY, capabilityOf } from "./capability.ts";
import { type MavMessage, type MavValue, mavlinkMessages, numberIn } from "./codec.ts";
import { type MessageName, messageNamed } from "./messages.ts";
import { COMMAND, Orders } from "./orders.ts";
import { Telemetry } from "./telemetry.ts";

/** Who Backplane is among the systems: a ground station. */
const SELF = { system: 255, component: 190 };
const AUTOPILOT_COMPONENT = 1;
const GROUND_STATION = { type: 6, autopilot: 8, system_status: 4, mavlink_version: 3 };
const SAMPLE_MS = 100;
/** Every so many samples: a heartbeat, and the question how long the way is. */
const BEAT = 10;
const LOST_MS = 3_000;
const LOOK_MS = 100;
const REACH_MS = 300_000;
/** What is asked for, how often per second. */
const STREAMS: readonly (readonly [MessageName, number])[] = [
  ...([
    ["ATTITUDE", 10],
    ["GLOBAL_POSITION_INT", 10],
    ["EXTENDED_SYS_STATE", 2],
    ["SYS_STATUS", 2],
  ] as const),
  ...([
    ["GPS_RAW_INT", 2],
    ["BATTERY_STATUS", 1],
    ["HOME_POSITION", 0.5],
  ] as const),
];
/** Positions and accelerations are not told, nor the yaw: velocities and how fast it turns. */
const ONLY_VELOCITY = 0b0101_1100_0111;
const [LOCAL_NED, GLOBAL_RELATIVE] = [1, 6];
const LEVELS: readonly string[] = ["fatal", "fatal", "fatal", "error", "warn", "info", "info", "debug"];

const SETTINGS = settingsWith({
  host: HOST,
  port: Type.Integer({
    title: "Port",
    description: "Of the drone, or of what connects its radio to the network",
    minimum: 1,
    maximum: 65_535,
    default: 14_555,
  }),
  protocol: Type.Optional(Type.Enum(["udp", "tcp"], { title: "Protocol", description: "udp or tcp", default: "udp" })),
  localPort: Type.Optional(
    Type.Integer({
      title: "Local port",
      description: "Where drones send to by UDP; 0: any",
      minimum: 0,
      maximum: 65_535,
      default: 14_550,
    }),
  ),
  system: Type.Optional(
    Type.Integer({
      title: "System",
      description: "The number of the drone among others",
      minimum: 1,
      maximum: 250,
      default: 1,
    }),
  ),
  fenceM: Type.Optional(
    Type.Number({
      title: "Fence",
      description: "How far from home it may be sent, in m",
      minimum: 5,
      maximum: 1_000,
      default: 50,
    }),
  ),
  maxHeightM: Type.Optional(
    Type.Number({
      title: "Height",
      description: "How high it may be sent, in m",
      minimum: 2,
      maximum: 120,
      default: 30,
    }),
  ),
});

/** Drones by MAVLink 2: copters with ArduPilot or PX4. */
export const mavlink = defineAdapter<typeof SETTINGS>({
  kind: "mavlink",
  name: "MAVLink",
  description: "Copters with ArduPilot or PX4, by MAVLink 2 over UDP or TCP",
  shows: ["drone"],
  settings: SETTINGS,
  place: ({ host, port, protocol = "udp", localPort = 14_550 }) => ({ protocol, host, port, localPort }),
  open: ({ system = 1, fenceM = 50, maxHeightM = 30 }, wire, ground) =>
    new MavlinkSession(wire, ground, { system, fenceM, maxHeightM }),
});

type Options = { system: number; fenceM: number; maxHeightM: number };

class MavlinkSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #options: Options;
  readonly #reader: StreamReader<MavMessage> = mavlinkMessages.createReader();
  readonly #telemetry = new Telemetry();
  readonly #closing = new AbortController();
  readonly #orders: Orders;
  #device: string | undefined;
  #sequence = 0;
  /** Samples since something was heard. Not a time: after a pause of this process, what was sent meanwhile is still to be read. */
  #silentFor = 0;
  /** What it does now: another one ends the waiting for this one. */
  #underway = 0;
  #steering: { id: string; params: JsonObject } | undefined;

  constructor(wire: Wire, ground: SourceGround, options: Options) {
    this.#wire = wire;
    this.#ground = ground;
    this.#options = options;
    this.#orders = new Orders((name, fields) => this.#send(name, fields), this.#closing.signal);
    poll(SAMPLE_MS, this.#closing.signal, (count) => this.#tick(count)).catch(wire.fault);
  }

  take(bytes: Buffer): void {
    for (const message of this.#reader.take(bytes)) {
      // Other drones, and other parts of this one, share the radio.
      if (message.system !== this.#options.system || message.component !== AUTOPILOT_COMPONENT) continue;
      this.#silentFor = 0;
      this.#telemetry.take(message, this.#ground.now());
      this.#orders.take(message);
      if (message.name === "HEARTBEAT" && this.#device === undefined) this.#meet();
      if (message.name === "TIMESYNC" && numberIn(message, "tc1") !== 0)
        this.#telemetry.linkMs = Math.max(0, performance.now() - numberIn(message, "ts1") / 1e6);
      if (message.name === "STATUSTEXT" && this.#device !== undefined)
        this.#ground.line(
          this.#device,
          LEVELS[numberIn(message, "severity")] ?? "info",
          "drone",
          String(message.fields.text),
        );
      if (message.name === "PARAM_VALUE") this.#checkFailSafe(message);
    }
  }

  close(): void {
    this.#closing.abort();
  }

  async command(...[, capability, command, onAccepted]: Parameters<Session["command"]>): Promise<Ack> {
    if (capability !== CAPABILITY) return refused("unsupported", `There is no ${capability}.`);
    if (command.name === "stop") return this.stop();
    if (command.name === "velocity") return this.#steer(command);
    const { isFlying } = this.#telemetry;
    if (!isFlying && ["goto", "return", "hold"].includes(command.name))
      return refused("denied", "It is on the ground. Take off first.");
    const mine = this.#begin();
    const ack = await this.#order(command);
    if (!ack.ok) return ack;
    onAccepted?.();
    return this.#reach(mine, ack.tookMs, () => this.#isThere(command));
  }

  /** It brakes and hovers; a landing goes on. On the ground its motors are switched off. */
  async stop(): Promise<Ack> {
    this.#begin();
    const { isFlying, isArmed, isLanding } = this.#telemetry;
    if (isFlying) return isLanding ? { ok: true, tookMs: 0 } : this.#setMode("hold");
    return isArmed ? this.#orders.give(long(COMMAND.arm, { param1: 0 }, this.#options)) : { ok: true, tookMs: 0 };
  }

  async #tick(count: number): Promise<void> {
    this.#silentFor += 1;
    if (this.#silentFor * SAMPLE_MS > LOST_MS && this.#device !== undefined)
      return this.#wire.fail(
        `Nothing was heard of the drone for ${LOST_MS / 1_000} s. Check its radio and its battery.`,
      );
    if (count % BEAT === 0) {
      this.#send("HEARTBEAT", GROUND_STATION);
      this.#send("TIMESYNC", { tc1: 0, ts1: performance.now() * 1e6 });
    }
    if (this.#device === undefined) return;
    const sample = { ...this.#telemetry.sample(this.#ground.now()), fence_m: this.#options.fenceM };
    this.#ground.sample(this.#device, CAPABILITY, sample);
  }

  /** The first heartbeat. */
  #meet(): void {
    this.#wire.confirm();
    const { autopilot } = this.#telemetry;
    if (!autopilot) {
      this.#wire.fail("Its autopilot is neither ArduPilot nor PX4, so nobody knows how to fly it.");
      return;
    }
    const { name } = this.#ground;
    this.#device = this.#ground.declare({
      ...{ id: name, name, maker: autopilot.name, model: `copter with ${autopilot.name}` },
      capabilities: [capabilityOf(this.#options)],
    });
    if (this.#device === undefined) {
      this.#wire.fail("The workspace has no room for another device.");
      return;
    }
    this.#ground.state(this.#device, "ready");
    for (const [message, hz] of STREAMS)
      this.#send(
        "COMMAND_LONG",
        long(COMMAND.messageInterval, { param1: messageNamed(message).id, param2: 1e6 / hz }, this.#options).fields,
      );
    this.#send("PARAM_REQUEST_READ", { ...targetOf(this.#options), param_index: -1, param_id: autopilot.failSafe });
  }

  #checkFailSafe(message: MavMessage): void {
    const { autopilot } = this.#telemetry;
    if (this.#device === undefined || message.fields.param_id !== autopilot?.failSafe) return;
    const isOff = numberIn(message, "param_value") === 0;
    const words = `It flies on if the connection breaks: its parameter ${autopilot?.failSafe} is 0. Set it to land or return.`;
    this.#ground.alert(this.#device, "fail-safe", isOff ? words : null);
  }

  #order({ name, params }: DeviceCommand): Promise<Ack> {
    const give = (command: number, fields: Record<string, number> = {}) =>
      this.#orders.give(long(command, fields, this.#options));
    switch (name) {
      case "arm":
      case "disarm":
        return give(COMMAND.arm, { param1: name === "arm" ? 1 : 0 });
      case "takeoff":
        return this.#takeOff(Number(params.height_m));
      case "land":
        return give(COMMAND.land);
      case "return":
        return give(COMMAND.return);
      case "hold":
        return this.#setMode("hold");
      case "goto":
        return this.#flyTo(params);
      default:
        return Promise.resolve(refused("unsupported", `${CAPABILITY} has no command ${name}.`));
    }
  }

  async #takeOff(heightM: number): Promise<Ack> {
    const { autopilot, altM, isArmed } = this.#telemetry;
    if (!isArmed) return refused("denied", "The motors are off. Start the motors first.");
    if (!autopilot?.isAboveSea) {
      const ack = await this.#setMode("guided");
      if (!ack.ok) return ack;
    }
    const where = autopilot?.isAboveSea ? { param4: Number.NaN, param5: Number.NaN, param6: Number.NaN } : {};
    return this.#orders.give(
      long(COMMAND.takeoff, { ...where, param7: autopilot?.isAboveSea ? altM + heightM : heightM }, this.#options),
    );
  }

  #flyTo({ north_m, east_m, height_m }: JsonObject): Promise<Ack> {
    const place = this.#telemetry.placeOf(Number(north_m), Number(east_m));
    if (!place) return Promise.resolve(refused("denied", "It does not know where its home is."));
    const fields = {
      ...{ ...targetOf(this.#options), command: COMMAND.reposition, frame: GLOBAL_RELATIVE },
      // As fast as it likes, and in the mode for it.
      ...{ param1: -1, param2: 1, param4: Number.NaN },
      ...{ x: place.lat * 1e7, y: place.lon * 1e7, z: Number(height_m) },
    };
    return this.#orders.give({ name: "COMMAND_INT", fields });
  }

  #setMode(mode: "hold" | "guided"): Promise<Ack> {
    const [main = 0, sub = 0] = this.#telemetry.autopilot?.[mode] ?? [];
    return this.#orders.give(long(COMMAND.setMode, { param1: 1, param2: main, param3: sub }, this.#options));
  }

  /** While somebody holds the control this comes again and again, with the same id: each time the drone is told again. */
  async #steer({ id, params }: DeviceCommand): Promise<Ack> {
    if (!this.#telemetry.isFlying) return refused("denied", "It is on the ground. Take off first.");
    const isRepeated = this.#steering?.id === id;
    if (!isRepeated) this.#begin();
    this.#steering = { id, params };
    this.#sendVelocity(params);
    if (this.#telemetry.isGuided || isRepeated) return { ok: true, tookMs: 0 };
    const ack = await this.#setMode("guided");
    if (ack.ok && this.#steering?.id === id) this.#sendVelocity(params);
    return ack;
  }

  #sendVelocity({ forward_m_s, right_m_s, up_m_s, turn_deg_s }: JsonObject): void {
    const of = (value: unknown) => (typeof value === "number" ? value : 0);
    const { yaw } = this.#telemetry;
    const [ahead, aside] = [of(forward_m_s), of(right_m_s)];
    this.#send("SET_POSITION_TARGET_LOCAL_NED", {
      ...{ ...targetOf(this.#options), coordinate_frame: LOCAL_NED, type_mask: ONLY_VELOCITY },
      vx: ahead * Math.cos(yaw) - aside * Math.sin(yaw),
      vy: ahead * Math.sin(yaw) + aside * Math.cos(yaw),
      ...{ vz: -of(up_m_s), yaw_rate: (of(turn_deg_s) * Math.PI) / 180 },
    });
  }

  /** Text: why it will not be there. */
  #isThere({ name, params }: DeviceCommand): boolean | string {
    const { isArmed, isFlying, heightM, velocity, at } = this.#telemetry;
    const isSlow = Math.hypot(velocity.n, velocity.e, velocity.u) < 0.5;
    switch (name) {
      case "arm":
        return isArmed;
      case "disarm":
        return !isArmed;
      case "takeoff":
        return isArmed ? Math.abs(heightM - Number(params.height_m)) < 0.5 : "Its motors are off.";
      case "hold":
        return this.#telemetry.isHolding && isSlow;
      case "goto": {
        const place = this.#telemetry.placeOf(Number(params.north_m), Number(params.east_m));
        if (!isFlying) return "It is on the ground.";
        return at !== undefined && place !== undefined && awayM(at, place) < 1.5 && isSlow;
      }
      default:
        return !isFlying && !isArmed;
    }
  }

  #begin(): number {
    this.#steering = undefined;
    this.#underway += 1;
    return this.#underway;
  }

  async #reach(mine: number, acceptedMs: number, look: () => boolean | string): Promise<Ack> {
    const fromMs = performance.now() - acceptedMs;
    const tookMs = () => performance.now() - fromMs;
    while (!this.#closing.signal.aborted && tookMs() < REACH_MS) {
      const found = look();
      if (found === true) return { ok: true, tookMs: tookMs() };
      if (found !== false) return { ...refused("denied", found), tookMs: tookMs() };
      if (mine !== this.#underway)
        return { ...refused("stopped", "Something else was told before it was there."), tookMs: tookMs() };
      await pause(LOOK_MS, this.#closing.signal);
    }
    const why = this.#closing.signal.aborted
      ? "The connection ended before the drone was there."
      : "The drone has the command, but does not get there.";
    return { ...refused("no-answer", why), tookMs: tookMs() };
  }

  #send(name: MessageName, fields: Readonly<Record<string, MavValue>>): void {
    this.#sequence = (this.#sequence + 1) & 0xff;
    this.#wire.send(mavlinkMessages.write({ name, ...SELF, sequence: this.#sequence, fields }));
  }
}

const targetOf = ({ system }: Pick<Options, "system">) => ({
  target_system: system,
  target_component: AUTOPILOT_COMPONENT,
});

const long = (command: number, fields: Record<string, number>, options: Pick<Options, "system">) => ({
  name: "COMMAND_LONG" as const,
  fields: { ...targetOf(options), command, ...fields },
});

const M_PER_DEGREE = 111_319.5;
const awayM = (a: { lat: number; lon: number }, b: { lat: number; lon: number }): number =>
  Math.hypot(a.lat - b.lat, (a.lon - b.lon) * Math.cos((a.lat * Math.PI) / 180)) * M_PER_DEGREE;
