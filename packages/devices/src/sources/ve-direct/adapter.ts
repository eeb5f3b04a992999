import type { Ack, Field } from "@backplane/contract/devices";
import { refused } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { fieldsOf, sampleOf } from "./charger.ts";
import { type VeDirectBlock, veDirectBlocks } from "./codec.ts";

const CAPABILITY = "charger";
/** It speaks once per second. */
const SILENT_MS = 10_000;

const SETTINGS = settingsWith({ host: HOST, port: portWith(4_000) });

/** Chargers and battery monitors of Victron, which say what they measure by themselves. They are not told anything. */
export const veDirect = defineAdapter<typeof SETTINGS>({
  kind: "ve-direct",
  name: "VE.Direct",
  description: "Victron chargers and battery monitors by the text mode of VE.Direct, over TCP; they are only read",
  shows: ["battery-charger"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: (_settings, wire, ground) => new VeDirectSession(wire, ground),
});

class VeDirectSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #reader = veDirectBlocks.createReader();
  readonly #about: Record<string, string> = {};
  #fields: Record<string, Field> = {};
  #device: string | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(wire: Wire, ground: SourceGround) {
    this.#wire = wire;
    this.#ground = ground;
  }

  take(bytes: Buffer): void {
    const before = this.#reader.refused;
    for (const block of this.#reader.take(bytes)) this.#hear(block);
    const damaged = this.#reader.refused - before;
    if (damaged > 0 && this.#device !== undefined)
      this.#ground.refuse(this.#device, `${damaged} blocks have a wrong checksum`);
  }

  close(): void {
    clearTimeout(this.#silence);
  }

  async command(): Promise<Ack> {
    return refused("unsupported", "The text mode of VE.Direct has no commands.");
  }

  async stop(): Promise<Ack> {
    return { ok: true, tookMs: 0 };
  }

  #hear(block: VeDirectBlock): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#wire.fail(`It has said nothing for ${SILENT_MS / 1_000} s.`),
      SILENT_MS,
    ).unref();
    this.#wire.confirm();
    this.#learn(block);
    if (this.#device === undefined) return;
    const { values, wrong } = sampleOf(block);
    for (const label of wrong) this.#ground.refuse(this.#device, `${label} is not what VE.Direct has there`);
    if (Object.keys(values).length > 0) this.#ground.sample(this.#device, CAPABILITY, values);
  }

  /** Monitors say some fields in one block, and others in the next: what is new is added to the description. */
  #learn(block: VeDirectBlock): void {
    const fields = { ...this.#fields, ...fieldsOf(block) };
    const isNew = Object.keys(fields).length > Object.keys(this.#fields).length;
    for (const [label, value] of block) if (["PID", "FW", "BMV"].includes(label)) this.#about[label] = value;
    if (!isNew) return;
    this.#fields = fields;
    const { name } = this.#ground;
    const { PID = "", FW = "", BMV } = this.#about;
    const device = this.#ground.declare({
      ...{ id: name, name, maker: "Victron", model: BMV === undefined ? PID : `BMV-${BMV}`, firmware: FW },
      capabilities: [{ id: CAPABILITY, kind: "battery-charger", name: "Charger", fields, commands: {} }],
    });
    this.#device = device;
    if (device === undefined) this.#wire.fail("The workspace has no room for another device.");
    else this.#ground.state(device, "ready");
  }
}
