import type { Ack } from "@backplane/contract/devices";
import type { JsonObject } from "@backplane/contract/panels";
import { Type } from "typebox";
import { pause } from "../../authority/stopper.ts";
import { refused, worstOf } from "../../readers/waiting.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { type FirmataReport, type FirmataRequest, firmataReports, firmataRequests } from "./codec.ts";
import { capabilityOf, dutyOf, MODE_NAMES, modeNamed, modeNumber, type Pin, pinsOf, sampleOf } from "./pins.ts";

const POLL_MS = 50;
/** A board that was reset by the connection starts for two seconds, and hears nothing meanwhile. */
const ASK_AGAIN_MS = 400;
/** `analog` has room for this many. */
const SHORT_PINS = 16;
const PINS_PER_PORT = 8;

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(3_030),
  volts: Type.Optional(
    Type.Number({
      ...{ title: "Volts", minimum: 1, maximum: 12, default: 5 },
      description: "What an analog input shows at most: 5 for an Arduino Uno, 3.3 for most others",
    }),
  ),
});

/** Boards with StandardFirmata: by its Wi-Fi and Ethernet versions, or over a serial port on the network. */
export const firmata = defineAdapter<typeof SETTINGS>({
  kind: "firmata",
  name: "Firmata",
  description: "Pins of Arduino and other boards with StandardFirmata 2.5, over TCP",
  shows: ["gpio"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: ({ volts = 5 }, wire, ground) => new FirmataSession(wire, ground, volts),
});

type Firmware = Extract<FirmataReport, { type: "firmware" }>;

class FirmataSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #volts: number;
  readonly #talk: Conversation<FirmataRequest, FirmataReport>;
  #firmware: Firmware | undefined;
  #pins: readonly Pin[] = [];
  #device: string | undefined;

  constructor(wire: Wire, ground: SourceGround, volts: number) {
    this.#wire = wire;
    this.#ground = ground;
    this.#volts = volts;
    this.#talk = createConversation(wire, firmataRequests.write, firmataReports, {
      isNews: (report) => this.#hear(report),
    });
    this.#run().catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(...[, , { name, params }, onAccepted]: Parameters<Session["command"]>): Promise<Ack> {
    if (name === "off") return this.#off();
    const pin = this.#pins.find((one) => one.name === params.pin);
    if (!pin) return { ...refused("unknown-field", `There is no pin ${String(params.pin)}.`), field: "pin" };
    pin.told += 1;
    if (name === "mode") return this.#setMode(pin, params);
    const needed = name === "pwm" ? "pwm" : "out";
    if (pin.mode !== needed) return refused("denied", `${pin.name} is not in mode ${needed}. Set its mode first.`);
    if (name === "write") return this.#set(pin, Number(params.high === true));
    if (name === "pwm") return this.#set(pin, dutyOf(pin, Number(params.duty_pct)));
    return name === "pulse"
      ? this.#pulse(pin, params, onAccepted)
      : refused("unsupported", `Pins have no command ${name}.`);
  }

  /** Nothing of it moves: its outputs are switched off by their own command, in the order of the workspace. */
  async stop(): Promise<Ack> {
    return { ok: true, tookMs: 0 };
  }

  async #run(): Promise<void> {
    while (!this.#firmware && !this.#talk.signal.aborted) {
      this.#talk.tell({ type: "firmware?" });
      await pause(ASK_AGAIN_MS, this.#talk.signal);
    }
    if (!this.#firmware) return;
    this.#wire.confirm();
    const { major, minor, name: sketch } = this.#firmware;
    const capabilities = await this.#talk.ask({ type: "capabilities?" });
    const channels = await this.#talk.ask({ type: "channels?" });
    if (this.#talk.signal.aborted) return;
    if (capabilities?.type !== "capabilities" || channels?.type !== "channels")
      return this.#wire.fail("The board does not say what its pins can do. StandardFirmata 2.5 or later is needed.");
    this.#pins = pinsOf(capabilities.pins, channels.channels);
    const { name } = this.#ground;
    this.#device = this.#ground.declare({
      ...{ id: name, name, maker: "Firmata", model: sketch, firmware: `${major}.${minor}` },
      capabilities: [capabilityOf(this.#pins, this.#volts)],
    });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    this.#talk.tell({ type: "interval", ms: POLL_MS });
    for (const pin of this.#pins) await this.#look(pin);
    if (this.#talk.signal.aborted) return;
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, async (count) => {
      // One after the other: a board that was reset has other modes, and one that is silent is lost.
      const pin = this.#pins[count % this.#pins.length];
      if (pin) await this.#look(pin);
      this.#show();
    });
  }

  /** What a board says by itself. */
  #hear(report: FirmataReport): boolean {
    if (report.type === "firmware") this.#firmware = report;
    else if (report.type === "text" && this.#device !== undefined)
      this.#ground.line(this.#device, "info", "firmata", report.text);
    else if (report.type === "analog") {
      const pin = this.#pins.find(({ channel, mode }) => channel === report.channel && mode === "adc");
      if (pin) pin.value = report.value;
    } else if (report.type === "digital") {
      for (const pin of this.#pins) {
        if (pin.mode !== "in" || Math.floor(pin.number / PINS_PER_PORT) !== report.port) continue;
        pin.value = (report.value >> (pin.number % PINS_PER_PORT)) & 1;
      }
      // At once: it may be back before the next look.
      this.#show();
    }
    return ["firmware", "version", "text", "analog", "digital"].includes(report.type);
  }

  #show(): void {
    if (this.#device !== undefined && !this.#talk.signal.aborted)
      this.#ground.sample(this.#device, "pins", sampleOf(this.#pins, this.#volts));
  }

  /** Reads mode and state of a pin, and has it reported if it is an input. */
  async #look(pin: Pin, isUrgent = false): Promise<void> {
    const found = await this.#talk.ask({ type: "state?", pin: pin.number }, isUrgent);
    if (found?.type !== "state" || found.pin !== pin.number) return;
    const mode = modeNamed(found.mode);
    const isNew = mode !== pin.mode;
    Object.assign(pin, { mode, hasPullUp: mode === "in" && modeNumber("in") !== found.mode });
    if (mode === "out" || mode === "pwm") pin.value = found.state;
    else if (isNew) {
      pin.value = undefined;
      if (mode === "adc" && pin.channel !== undefined)
        this.#talk.tell({ type: "report-analog", channel: pin.channel, isOn: true });
      if (mode === "in")
        this.#talk.tell({ type: "report-digital", port: Math.floor(pin.number / PINS_PER_PORT), isOn: true });
    }
  }

  /** The board keeps what was written to a pin: reading it back says that it arrived. */
  async #set(pin: Pin, value: number): Promise<Ack> {
    const { number: at, mode } = pin;
    if (mode === "out") this.#talk.tell({ type: "write", pin: at, value });
    else this.#talk.tell({ type: at < SHORT_PINS ? "analog" : "long-analog", pin: at, value });
    return this.#confirm(pin, () => pin.mode === mode && pin.value === value);
  }

  async #confirm(pin: Pin, isDone: () => boolean): Promise<Ack> {
    const startMs = performance.now();
    await this.#look(pin, true);
    if (this.#talk.signal.aborted) return refused("device-lost", "The connection to the board was lost.");
    this.#show();
    const tookMs = performance.now() - startMs;
    if (isDone()) return { ok: true, tookMs };
    return {
      ...refused("denied", `The board says that ${pin.name} is ${pin.mode ?? "unused"}, ${pin.value ?? 0}.`),
      tookMs,
    };
  }

  #setMode(pin: Pin, params: JsonObject): Promise<Ack> {
    const mode = MODE_NAMES.find((known) => known === params.mode);
    if (!mode || !pin.modes.has(mode)) {
      const known = [...pin.modes.keys()].join(", ");
      return Promise.resolve({ ...refused("denied", `${pin.name} has the modes ${known}.`), field: "mode" });
    }
    this.#talk.tell({ type: "mode", pin: pin.number, mode: modeNumber(mode) });
    return this.#confirm(pin, () => pin.mode === mode);
  }

  async #pulse(pin: Pin, { high, ms }: JsonObject, onAccepted?: () => void): Promise<Ack> {
    const { told } = pin;
    const begun = await this.#set(pin, Number(high === true));
    if (!begun.ok) return begun;
    onAccepted?.();
    await pause(Number(ms), this.#talk.signal);
    return pin.told === told
      ? this.#set(pin, Number(high !== true))
      : { ok: true, reached: false, detail: "Something else was told since.", tookMs: Number(ms) };
  }

  #off(): Promise<Ack> {
    const outputs = this.#pins.filter(({ mode }) => mode === "out" || mode === "pwm");
    for (const pin of outputs) pin.told += 1;
    return worstOf(outputs.map((pin) => this.#set(pin, 0)));
  }
}
