import { type Ack, type Capability, type Command, DEVICES_LIMITS, type Field } from "@backplane/contract/devices";
import type { JsonData, JsonObject } from "@backplane/contract/panels";
import { Type } from "typebox";
import { within } from "../../authority/stopper.ts";
import { refused } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { type ChipItem, limitsOfType, readChipMap, readTyped, sizeOf, writeTyped } from "./chip-map.ts";
import { type CoreRegister, includesOf, readRegisters, valuesOf } from "./registers.ts";
import { DebugServer, NO_ANSWER } from "./server.ts";

const { sourceAnswerMs } = DEVICES_LIMITS;
/** What does not change is sent every so many times. */
const MAP_EVERY = 50;
/** Neighbours are read together, up to so many bytes. */
const MAX_READ_BYTES = 256;
const MAX_INCLUDES = 8;
const CAPABILITY = "chip";

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(3_333),
  map: Type.Optional(
    Type.String({
      title: "Variables and registers",
      description: "NAME ADDRESS TYPE, one per line or between semicolons, such as speed 0x20000010 f32",
      maxLength: 32_768,
      examples: ["speed_rpm 0x20000010 f32; TIM1.SR 0x40012C10 u32 ro UIF@0"],
    }),
  ),
  rateHz: Type.Optional(
    Type.Number({
      title: "Reads per second",
      description: "How often it is read",
      minimum: 0.1,
      maximum: 20,
      default: 10,
    }),
  ),
  reads: Type.Optional(
    Type.Enum(["running", "paused"], {
      ...{ title: "Reads while", default: "running" },
      description: "running; or paused: the chip is stopped for a moment for every read, as QEMU needs",
    }),
  ),
});

/** A chip behind a debug server, by GDB's remote protocol: what its memory and registers hold. */
export const gdb = defineAdapter<typeof SETTINGS>({
  kind: "gdb",
  name: "GDB debug server",
  description: "Memory and registers of a chip by GDB's remote protocol over TCP: OpenOCD, pyOCD, probe-rs, QEMU",
  shows: ["chip-data"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: ({ map = "", rateHz = 10, reads = "running" }, wire, ground) =>
    new GdbSession(wire, ground, { ...readChipMap(map), rateHz, isPaused: reads === "paused" }),
});

type Options = { items: readonly ChipItem[]; faults: readonly string[]; rateHz: number; isPaused: boolean };
/** Items that lie side by side. */
type Block = { address: number; length: number; items: ChipItem[] };

class GdbSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #options: Options;
  readonly #server: DebugServer;
  readonly #blocks: readonly Block[];
  #registers: readonly CoreRegister[] = [];
  #device: string | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(wire: Wire, ground: SourceGround, options: Options) {
    this.#wire = wire;
    this.#ground = ground;
    this.#options = options;
    this.#blocks = blocksOf(options.items.filter(({ access }) => access !== "once"));
    this.#server = new DebugServer(wire, (text) => this.#device && ground.line(this.#device, "info", "chip", text));
    this.#run().catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#server.take(bytes);
  }

  close(): void {
    this.#server.close();
  }

  async command(...[, capability, { name, params }]: Parameters<Session["command"]>): Promise<Ack> {
    if (capability !== CAPABILITY) return refused("unsupported", `There is no ${capability}.`);
    if (name === "halt" || name === "resume") return this.#alone(() => this.#setRunning(name === "resume"));
    if (name !== "read" && name !== "write") return refused("unsupported", `${capability} has no command ${name}.`);
    const item = this.#options.items.find((one) => one.name === params.name);
    if (!item)
      return { ...refused("unknown-field", `There is no ${String(params.name).slice(0, 64)}.`), field: "name" };
    if (name === "read") return this.#alone(() => this.#halted(() => this.#readNow(item)));
    const fault = writeFault(item, params.value);
    return fault ?? this.#alone(() => this.#halted(() => this.#write(item, params.value as number)));
  }

  /** Nothing of it moves; what the chip drives is stopped by its own device. */
  async stop(): Promise<Ack> {
    return { ok: true, tookMs: 0 };
  }

  async #run(): Promise<void> {
    const server = this.#server;
    if (!(await server.begin())) return;
    this.#wire.confirm();
    const { items, faults, rateHz } = this.#options;
    this.#registers = server.hasDescription ? readRegisters(await this.#description("target.xml")) : [];
    if (server.signal.aborted) return;
    const { name } = this.#ground;
    this.#device = this.#ground.declare({
      id: name,
      name,
      model: "chip behind a debug server",
      capabilities: [capabilityOf(items)],
    });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    const [fault] = faults;
    const more = faults.length > 1 ? ` ${faults.length - 1} more lines cannot be read.` : "";
    this.#alert("map", fault === undefined ? null : `The list of variables: ${fault}${more}`);
    this.#ground.state(this.#device, "ready");
    // A debug server stops the chip when somebody connects: looking must not keep it stopped.
    server.resume();
    await poll(1_000 / rateHz, server.signal, (count) => this.#alone(() => this.#measure(count)));
  }

  /** Of a target description with the files that it includes. */
  async #description(file: string): Promise<string> {
    const text = await this.#server.readFile(file);
    const parts = [text];
    for (const include of includesOf(text).slice(0, MAX_INCLUDES)) parts.push(await this.#server.readFile(include));
    return parts.join("\n");
  }

  async #measure(count: number): Promise<void> {
    const wasRunning = this.#server.isRunning;
    const values: Record<string, JsonData> = { state: wasRunning ? "running" : "halted" };
    if (count % MAP_EVERY === 0) values.map = this.#options.items.map(describe);
    const unreadable: string[] = [];
    await this.#halted(async () => {
      if (!this.#server.isRunning && this.#registers.length > 0)
        values.registers = valuesOf(this.#registers, (await this.#server.ask("g")) ?? "");
      for (const { address, length, items } of this.#blocks) {
        const bytes = await this.#server.read(address, length);
        for (const item of items) {
          const value = bytes && readTyped(bytes.subarray(item.address - address), item.type);
          if (value !== undefined) values[item.name] = value;
          else if (bytes === undefined) unreadable.push(item.name);
        }
      }
    });
    if (this.#server.signal.aborted || this.#device === undefined) return;
    this.#alert(
      "memory",
      unreadable.length === 0 ? null : `The debug server cannot read ${unreadable.slice(0, 5).join(", ")}.`,
    );
    this.#ground.sample(this.#device, CAPABILITY, values);
  }

  async #readNow({ name, address, type }: ChipItem): Promise<Ack> {
    const bytes = await this.#server.read(address, sizeOf(type));
    const value = bytes && readTyped(bytes, type);
    if (value === undefined || this.#device === undefined)
      return refused("denied", `The debug server cannot read ${name}.`);
    this.#ground.sample(this.#device, CAPABILITY, { [name]: value });
    return { ok: true, tookMs: 0 };
  }

  async #write(item: ChipItem, value: number): Promise<Ack> {
    const bytes = writeTyped(value, item.type);
    const answer = await this.#server.write(item.address, bytes);
    if (answer === undefined) return refused("no-answer", NO_ANSWER);
    if (answer !== "OK")
      return refused(
        "denied",
        `The debug server refuses to write ${item.name} (${answer.slice(0, 40) || "not supported"}).`,
      );
    if (item.access === "once") return { ok: true, reached: false, tookMs: 0 };
    const now = await this.#server.read(item.address, bytes.length);
    const found = now && readTyped(now, item.type);
    if (found === undefined || this.#device === undefined) return refused("no-answer", NO_ANSWER);
    this.#ground.sample(this.#device, CAPABILITY, { [item.name]: found });
    // Bits that the chip changes by itself, or that cannot be written.
    const isSame = readTyped(bytes, item.type) === found;
    return { ok: true, tookMs: 0, ...(isSame ? {} : { detail: `It reads back as ${found}.` }) };
  }

  async #setRunning(isRunning: boolean): Promise<Ack> {
    const server = this.#server;
    if (isRunning) server.resume();
    else if (!(await server.halt())) return refused("no-answer", "The chip did not stop.");
    if (this.#device !== undefined)
      this.#ground.sample(this.#device, CAPABILITY, { state: server.isRunning ? "running" : "halted" });
    return { ok: true, tookMs: 0 };
  }

  /** With the chip stopped for as long as it takes, where it must be. */
  async #halted<Result>(work: () => Promise<Result>): Promise<Result> {
    const mustPause = this.#options.isPaused && this.#server.isRunning;
    if (mustPause) await this.#server.halt();
    try {
      return await work();
    } finally {
      if (mustPause) this.#server.resume();
    }
  }

  /** One after the other, so that nobody reads while somebody else lets the chip run. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#working.then(work);
    this.#working = within<unknown>(mine, 10 * sourceAnswerMs, () => undefined).catch(() => {});
    return mine;
  }

  #alert(id: string, text: string | null): void {
    if (this.#device !== undefined) this.#ground.alert(this.#device, id, text);
  }
}

/** Only what lies side by side: what is between could change when it is read. */
function blocksOf(items: readonly ChipItem[]): Block[] {
  const blocks: Block[] = [];
  for (const item of items.toSorted((a, b) => a.address - b.address)) {
    const [last, size] = [blocks.at(-1), sizeOf(item.type)];
    const end = item.address + size;
    if (last && item.address <= last.address + last.length && end - last.address <= MAX_READ_BYTES) {
      last.items.push(item);
      last.length = Math.max(last.length, end - last.address);
    } else blocks.push({ address: item.address, length: size, items: [item] });
  }
  return blocks;
}

const describe = ({ name, address, type, access, bits }: ChipItem): JsonObject => ({
  ...{ name, address, type, access },
  ...(bits.length === 0 ? {} : { bits: bits.map(({ name: bit, from, to }) => ({ name: bit, from, to })) }),
});

function writeFault({ name, type, access }: ChipItem, value: unknown): Ack | undefined {
  if (access === "ro") return { ...refused("denied", `${name} can only be read.`), field: "name" };
  if (typeof value !== "number") return { ...refused("not-a-number", "value must be a number."), field: "value" };
  const limits = limitsOfType(type);
  if (!limits) return undefined;
  if (!Number.isInteger(value))
    return { ...refused("not-a-number", `value must be a whole number: ${name} is ${type}.`), field: "value" };
  if (value >= limits[0] && value <= limits[1]) return undefined;
  const detail = `value must be at least ${limits[0]} and at most ${limits[1]}: ${name} is ${type}.`;
  return { ...refused("out-of-limits", detail), field: "value", limits };
}

function capabilityOf(items: readonly ChipItem[]): Capability {
  const fields = items.map(({ name, type }): [string, Field] => [
    name,
    { datatype: type.startsWith("f") ? "number" : "integer" },
  ]);
  const withParams = (effect: Command["effect"], properties: JsonObject): Command => ({
    effect,
    params: { type: "object", properties, required: Object.keys(properties) },
  });
  const named = (all: readonly ChipItem[]): JsonObject => ({
    name: { type: "string", enum: all.map(({ name }) => name) },
  });
  const writable = items.filter(({ access }) => access !== "ro");
  return {
    ...{ id: CAPABILITY, kind: "chip-data", name: "Chip" },
    fields: {
      state: { datatype: "text", labels: ["running", "halted"] },
      map: { datatype: "list" },
      registers: { datatype: "object" },
      ...Object.fromEntries(fields),
    },
    commands: {
      ...(items.length > 0 ? { read: withParams("none", named(items)) } : {}),
      // What a chip drives can move when its memory is changed, or when it stops in the middle of it.
      ...(writable.length > 0
        ? { write: withParams("powers", { ...named(writable), value: { type: "number" } }) }
        : {}),
      ...{ halt: withParams("powers", {}), resume: withParams("powers", {}) },
    },
  };
}
