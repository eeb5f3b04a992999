import type { Ack, Capability } from "@backplane/contract/devices";
import { Type } from "typebox";
import { refused } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { readMeasured, readText, type ScpiAnswer, type ScpiCommand, scpiAnswers, scpiCommands } from "./codec.ts";
import { type Dialect, dialectOf } from "./dialects.ts";

const POLL_MS = 200;
/** Switches and limits are read every so many times. */
const SLOW = 5;
/** An instrument keeps its errors until they are read. */
const MAX_ERRORS = 20;

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(5_025),
  outputs: Type.Optional(
    Type.Integer({ title: "Outputs", description: "How many outputs it has", minimum: 1, maximum: 8, default: 1 }),
  ),
});

/** Bench supplies by SCPI over a raw TCP socket. */
export const scpi = defineAdapter<typeof SETTINGS>({
  kind: "scpi",
  name: "SCPI power supply",
  description: "Bench supplies by SCPI over TCP: Rigol DP800, Keysight E36300, and others with one output",
  shows: ["workcell-power"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: ({ outputs = 1 }, wire, ground) => new ScpiSession(wire, ground, outputs),
});

type Rail = { channel: number; maxA: number | undefined };

const railId = (channel: number): string => `ch${channel}`;

class ScpiSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #talk: Conversation<ScpiCommand, ScpiAnswer>;
  #dialect: Dialect = dialectOf("");
  #rails: readonly Rail[] = [];
  #device: string | undefined;

  constructor(wire: Wire, ground: SourceGround, outputs: number) {
    this.#wire = wire;
    this.#ground = ground;
    this.#talk = createConversation(wire, bytesOf, scpiAnswers);
    this.#run(outputs).catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(...[, capability, { name, params }]: Parameters<Session["command"]>): Promise<Ack> {
    const rail = this.#rails.find(({ channel }) => railId(channel) === capability);
    if (!rail) return refused("unsupported", `There is no ${capability}.`);
    if (name === "on" || name === "off") return this.#switch(rail, name === "on");
    const { limit_a: limit } = params;
    if (name !== "limit") return refused("unsupported", `${capability} has no command ${name}.`);
    if (typeof limit !== "number") return { ...refused("not-a-number", "limit_a is not a number."), field: "limit_a" };
    return this.#set(this.#dialect.limit(rail.channel, limit));
  }

  /** Nothing of it moves: its outputs are switched off by their own commands, in the order of the workspace. */
  async stop(): Promise<Ack> {
    return { ok: true, tookMs: 0 };
  }

  async #run(outputs: number): Promise<void> {
    const identity = await this.#talk.ask({ header: "*IDN?", args: [] });
    if (identity?.length !== 4)
      return this.#wire.fail("What answers does not say who it is (*IDN?), as SCPI instruments do.");
    const [maker = "", model = "", , firmware = ""] = identity.map((value) => readText(value));
    this.#wire.confirm();
    this.#dialect = dialectOf(maker);
    this.#talk.tell({ header: "*CLS", args: [] });
    const rails: Rail[] = [];
    for (let channel = 1; channel <= outputs; channel += 1) {
      const [most] = (await this.#talk.ask(this.#dialect.limit(channel, undefined, "MAX"))) ?? [];
      rails.push({ channel, maxA: readMeasured(most) });
    }
    if (this.#talk.signal.aborted) return;
    this.#rails = rails;
    const { name } = this.#ground;
    const about = { id: name, name, maker, model, firmware };
    this.#device = this.#ground.declare({ ...about, capabilities: rails.map(capabilityOf) });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, (count) => this.#measure(count % SLOW === 0));
  }

  async #measure(isSlow: boolean): Promise<void> {
    for (const { channel } of this.#rails) {
      const volts = await this.#number({ header: "MEAS:VOLT?", ...this.#dialect.output(channel) });
      const amperes = await this.#number({ header: "MEAS:CURR?", ...this.#dialect.output(channel) });
      const isOn = isSlow ? await this.#isOn(channel) : undefined;
      const limit = isSlow ? await this.#number(this.#dialect.limit(channel, undefined)) : undefined;
      if (this.#talk.signal.aborted || this.#device === undefined) return;
      if (volts === undefined || amperes === undefined)
        this.#ground.refuse(this.#device, `output ${channel} does not say what it measures in numbers`);
      this.#ground.sample(this.#device, railId(channel), {
        ...(volts === undefined ? {} : { voltage_v: volts }),
        ...(amperes === undefined ? {} : { current_a: amperes }),
        ...(volts === undefined || amperes === undefined ? {} : { power_w: volts * amperes }),
        ...(isOn === undefined ? {} : { on: isOn }),
        ...(limit === undefined ? {} : { limit_a: limit }),
      });
    }
  }

  async #switch({ channel }: Rail, isOn: boolean): Promise<Ack> {
    const ack = await this.#set(this.#dialect.setOutput(channel, isOn));
    if (!ack.ok) return ack;
    const now = await this.#isOn(channel, true);
    if (now !== undefined && this.#device !== undefined)
      this.#ground.sample(this.#device, railId(channel), { on: now });
    return now === isOn ? ack : refused("denied", `The output says that it is ${now === true ? "on" : "off"}.`);
  }

  /** Sent at once, ahead of what is asked; done when the instrument has finished and has no error. */
  async #set(command: ScpiCommand): Promise<Ack> {
    const startMs = performance.now();
    this.#talk.tell(command);
    const done = await this.#talk.ask({ header: "*OPC?", args: [] }, true);
    const errors: string[] = [];
    while (done && errors.length < MAX_ERRORS) {
      const [code, text] = (await this.#talk.ask({ header: "SYST:ERR?", args: [] }, true)) ?? [];
      if (code === undefined) return refused("no-answer", "The instrument did not answer.");
      if (readMeasured(code) === 0) break;
      errors.push(`${readText(text)} (${code})`);
    }
    const tookMs = performance.now() - startMs;
    if (!done) return { ...refused("no-answer", "The instrument did not answer."), tookMs };
    return errors.length === 0
      ? { ok: true, tookMs }
      : { ...refused("denied", `The instrument says: ${errors.join("; ")}`), tookMs };
  }

  async #isOn(channel: number, isUrgent = false): Promise<boolean | undefined> {
    const query = { ...this.#dialect.setOutput(channel, true), ...this.#dialect.output(channel) };
    const [state = ""] = (await this.#talk.ask({ ...query, header: `${query.header}?` }, isUrgent)) ?? [];
    return /^(?:ON|1)$/i.test(state) ? true : /^(?:OFF|0)$/i.test(state) ? false : undefined;
  }

  async #number(command: ScpiCommand): Promise<number | undefined> {
    return readMeasured((await this.#talk.ask(command))?.[0]);
  }
}

const bytesOf = (command: ScpiCommand): Uint8Array => scpiCommands.write([command]);

function capabilityOf({ channel, maxA }: Rail): Capability {
  const number = (unit: string) => ({ datatype: "number" as const, unit });
  const powers = (properties = {}) => ({
    effect: "powers" as const,
    params: { type: "object", properties, required: Object.keys(properties) },
  });
  return {
    ...{ id: railId(channel), kind: "workcell-power", name: `Output ${channel}` },
    fields: {
      ...{ on: { datatype: "boolean" }, voltage_v: number("V"), current_a: number("A"), power_w: number("W") },
      limit_a: number("A"),
    },
    commands: {
      ...{ on: powers(), off: powers() },
      // Without the instrument's own limit nobody knows how much is too much.
      ...(maxA === undefined ? {} : { limit: powers({ limit_a: { type: "number", minimum: 0, maximum: maxA } }) }),
    },
  };
}
