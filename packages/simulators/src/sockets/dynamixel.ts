import { type DxlInstruction, dxlInstructions, dxlStatuses } from "@backplane/devices/codecs";
import { servo } from "../kinds/servo.ts";
import type { SocketBody, SocketDevice, SocketKind } from "./socket-kind.ts";

const XL430_W250 = 1_060;
const FIRMWARE = 52;
const BROADCAST = 254;
const MEMORY_BYTES = 147;
/** Where things are in the memory of the X series. */
const AT = {
  model: 0,
  firmware: 6,
  id: 7,
  mode: 11,
  max: 48,
  min: 52,
  torque: 64,
  watchdog: 98,
  profile: 112,
} as const;
const GOAL = 116;
const MEASURED = { moving: 122, load: 126, velocity: 128, position: 132, voltage: 144, temperature: 146 } as const;
const WATCHDOG_S = 0.02;
const EXPIRED = 0xff;
const DEG_S_PER_UNIT = 0.229 * 6;
const UNITS_PER_DEG = 4_096 / 360;
const MIDDLE = 2_048;
const ERRORS = { range: 4, length: 5, limit: 6, access: 7 } as const;

const toUnits = (deg: number): number => Math.round(deg * UNITS_PER_DEG) + MIDDLE;
const toDeg = (units: number): number => (units - MIDDLE) / UNITS_PER_DEG;

/** The channels of the arm, in the order of their ids. */
const CHANNELS = Object.entries(servo.nodes.servos?.commands?.pose?.params ?? {}).flatMap(([param, limits]) =>
  param.endsWith("_deg") ? [{ name: param.slice(0, -4), ...(limits as { minimum: number; maximum: number }) }] : [],
);

/** The servos of the simulated arm on one line, as XL430-W250 with the ids 1 to 8. */
export const dynamixelSimulator: SocketKind = {
  kind: "dynamixel",
  name: "Dynamixel servos",
  description: "The same arm with Dynamixel XL430 servos, by Protocol 2.0 over TCP",
  port: 4_001,
  settings: { servos: CHANNELS.length },
  simulates: servo,
  create: (body) => new Line(body),
};

type Unit = { id: number; name: string; memory: Buffer; degS: number; deg: number; unfedS: number };

class Line implements SocketDevice {
  readonly #body: SocketBody;
  readonly #units: readonly Unit[];

  constructor(body: SocketBody) {
    this.#body = body;
    this.#units = CHANNELS.map(({ name, minimum, maximum }, i) => {
      const deg = Number(body.physics.read("servos")[`${name}_deg`]);
      const memory = Buffer.alloc(MEMORY_BYTES);
      memory.writeUInt16LE(XL430_W250, AT.model);
      memory[AT.firmware] = FIRMWARE;
      memory[AT.id] = i + 1;
      memory[AT.mode] = 3;
      memory.writeInt32LE(toUnits(maximum), AT.max);
      memory.writeInt32LE(toUnits(minimum), AT.min);
      memory[AT.torque] = 1;
      memory.writeInt32LE(toUnits(deg), GOAL);
      return { id: i + 1, name, memory, degS: 0, deg, unfedS: 0 };
    });
  }

  connect(reply: (bytes: Uint8Array) => void): (bytes: Buffer) => void {
    const reader = dxlInstructions.createReader();
    return (bytes) => {
      for (const packet of reader.take(bytes)) this.#obey(packet, reply);
    };
  }

  tick(seconds: number): void {
    const values = this.#body.physics.read("servos");
    for (const unit of this.#units) {
      const deg = Number(values[`${unit.name}_deg`]);
      if (seconds > 0) unit.degS += ((deg - unit.deg) / seconds - unit.degS) * 0.2;
      unit.deg = deg;
      unit.unfedS += seconds;
      const limit = unit.memory[AT.watchdog] ?? 0;
      if (limit === 0 || limit === EXPIRED || unit.unfedS < limit * WATCHDOG_S) continue;
      unit.memory[AT.watchdog] = EXPIRED;
      unit.memory.writeInt32LE(toUnits(deg), GOAL);
      this.#body.note({ what: "watchdog", name: "stop", params: { id: unit.id } });
      this.#body.physics.command?.("servos", "pose", { [`${unit.name}_deg`]: deg });
    }
  }

  tell(what: string, value: unknown): void {
    const unit = this.#units.find(({ id }) => `error${id}` === what);
    if (unit && typeof value === "number") unit.memory[70] = value;
  }

  #obey(packet: DxlInstruction, reply: (bytes: Uint8Array) => void): void {
    for (const unit of this.#units) unit.unfedS = 0;
    const answer = (id: number, data: readonly number[], error = 0) => reply(dxlStatuses.write({ id, error, data }));
    if (packet.instruction === "sync-write") {
      this.#writeAll(packet);
      return;
    }
    const ids = packet.instruction === "sync-read" ? packet.ids : [packet.id];
    for (const unit of this.#units) {
      if (!ids.includes(unit.id) && !(ids[0] === BROADCAST && packet.instruction === "ping")) continue;
      const { id, memory } = unit;
      if (packet.instruction === "ping") answer(id, [...memory.subarray(0, 2), FIRMWARE]);
      else if (packet.instruction === "write") answer(id, [], this.#write(unit, packet.address, packet.data));
      else if ("length" in packet) {
        this.#refresh(unit);
        const { address, length } = packet;
        if (address + length > MEMORY_BYTES) answer(id, [], ERRORS.range);
        else answer(id, [...memory.subarray(address, address + length)]);
      }
    }
  }

  #writeAll({ address, each }: Extract<DxlInstruction, { instruction: "sync-write" }>): void {
    for (const { id, data } of each) {
      const unit = this.#units.find((one) => one.id === id);
      if (unit) this.#write(unit, address, data);
    }
  }

  /** The error of the status packet. */
  #write(unit: Unit, address: number, data: readonly number[]): number {
    const { memory, id } = unit;
    const end = address + data.length;
    if (address < AT.torque) return ERRORS.access;
    if (end > MEASURED.moving) return ERRORS.range;
    const before = Buffer.from(memory);
    memory.set(data, address);
    if (address <= AT.torque && end > AT.torque) {
      const on = this.#units.every((one) => one.memory[AT.torque] === 1);
      this.#body.note({ what: "command", name: "torque", params: { id, on: memory[AT.torque] === 1 } });
      if (!this.#body.isLying()) this.#body.physics.command?.("servos", "torque", { on });
    }
    if (address > GOAL || end <= GOAL) return 0;
    const goal = memory.readInt32LE(GOAL);
    const isRefused = goal < memory.readInt32LE(AT.min) || goal > memory.readInt32LE(AT.max);
    if (isRefused || memory[AT.watchdog] === EXPIRED) {
      before.copy(memory);
      return isRefused ? ERRORS.limit : ERRORS.range;
    }
    const degS = memory.readInt32LE(AT.profile) * DEG_S_PER_UNIT;
    const over_s = degS > 0 ? Math.abs(toDeg(goal) - unit.deg) / degS : 0;
    this.#body.note({ what: "command", name: "pose", params: { id, deg: toDeg(goal), over_s } });
    if (!this.#body.isLying())
      this.#body.physics.command?.("servos", "pose", { [`${unit.name}_deg`]: toDeg(goal), over_s });
    return 0;
  }

  #refresh({ name, memory, degS }: Unit): void {
    const values = this.#body.physics.read("servos");
    memory.writeInt16LE(Math.round(Number(values[`${name}_load_pct`]) * 10), MEASURED.load);
    memory.writeInt32LE(Math.round(degS / DEG_S_PER_UNIT), MEASURED.velocity);
    memory.writeInt32LE(toUnits(Number(values[`${name}_deg`])), MEASURED.position);
    memory.writeUInt16LE(Math.round(Number(values.voltage_v) * 10), MEASURED.voltage);
    memory[MEASURED.temperature] = Math.round(Number(values[`${name}_c`]));
  }
}
