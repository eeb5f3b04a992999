import type { Ack } from "@backplane/contract/devices";
import { Type } from "typebox";
import { refused } from "../../readers/waiting.ts";
import type { DeviceCommand } from "../../services.ts";
import { defineAdapter, type Session, type SourceGround, type Wire } from "../adapter.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { poll } from "../poll.ts";
import { HOST, portWith, settingsWith } from "../settings.ts";
import { settle } from "../settle.ts";
import { type VescAnswer, type VescRequest, vescAnswers, vescRequests } from "./codec.ts";
import { asMotor, asSpeedController, type Face, faultWords } from "./faces.ts";

const POLL_MS = 40;
/** Firmware before has another layout of values. */
const OLDEST = { major: 3, minor: 40 };

const SETTINGS = settingsWith({
  host: HOST,
  port: portWith(65_102),
  polePairs: Type.Optional(
    Type.Integer({
      ...{ title: "Pole pairs", minimum: 1, maximum: 100 },
      description: "Of the motor: it is then shown as a motor with a velocity. Without it, as a speed controller",
    }),
  ),
  maxErpm: Type.Optional(
    Type.Integer({
      ...{ title: "Highest eRPM", minimum: 100, maximum: 150_000, default: 10_000 },
      description: "Of a motor: electrical turns per minute that nobody may exceed",
    }),
  ),
});

/** VESC motor controllers by their serial protocol: over a serial port on the network, or VESC Tool's TCP bridge. */
export const vesc = defineAdapter<typeof SETTINGS>({
  kind: "vesc",
  name: "VESC",
  description: "VESC motor controllers, by their UART protocol over TCP",
  shows: ["speed-controller", "motor"],
  settings: SETTINGS,
  place: ({ host, port }) => ({ protocol: "tcp", host, port }),
  open: ({ polePairs, maxErpm = 10_000 }, wire, ground) =>
    new VescSession(wire, ground, polePairs === undefined ? asSpeedController() : asMotor(polePairs, maxErpm)),
});

type Values = Extract<VescAnswer, { command: "values" }>;
type Told = { id: string; isStop: boolean; setpoint: VescRequest };

/** Lets go: neither driven nor braked. */
const RELEASE: VescRequest = { command: "current", value: 0 };

class VescSession implements Session {
  readonly #wire: Wire;
  readonly #ground: SourceGround;
  readonly #face: Face;
  readonly #talk: Conversation<VescRequest, VescAnswer>;
  #device: string | undefined;
  #told: Told | undefined;
  /** What the controller has reported since it was told something. */
  #fault: string | undefined;

  constructor(wire: Wire, ground: SourceGround, face: Face) {
    this.#wire = wire;
    this.#ground = ground;
    this.#face = face;
    this.#talk = createConversation(wire, vescRequests.write, vescAnswers);
    this.#run().catch(wire.fault);
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
  }

  async command(...[device, capability, command, onAccepted]: Parameters<Session["command"]>): Promise<Ack> {
    const { id, moves, stops } = this.#face;
    if (capability === id && command.name === stops) return this.stop(device);
    return capability === id && command.name === moves.command
      ? this.#move(command, onAccepted)
      : refused("unsupported", `${capability} has no command ${command.name}.`);
  }

  stop(_device: string): Promise<Ack> {
    this.#talk.tell(RELEASE);
    const told: Told = { id: "", isStop: true, setpoint: RELEASE };
    this.#told = told;
    // An answer to a question that was sent behind it says that it arrived.
    return this.#until(told, async () => ((await this.#measure(true)) ? { ok: true, tookMs: 0 } : undefined));
  }

  async #run(): Promise<void> {
    const firmware = await this.#talk.ask({ command: "firmware" });
    if (firmware?.command !== "firmware") return this.#wire.fail("What answers is not a VESC.");
    const { major, minor, hardware } = firmware;
    if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor))
      return this.#wire.fail(`Its firmware ${major}.${minor} is too old. Update it to 3.40 or later.`);
    this.#wire.confirm();
    const { name } = this.#ground;
    this.#device = this.#ground.declare({
      ...{ id: name, name, maker: "VESC", model: hardware, firmware: `${major}.${String(minor).padStart(2, "0")}` },
      capabilities: [this.#face.capability],
    });
    if (this.#device === undefined) return this.#wire.fail("The workspace has no room for another device.");
    this.#ground.state(this.#device, "ready");
    await poll(POLL_MS, this.#talk.signal, async () => void (await this.#measure()));
  }

  async #measure(isUrgent = false): Promise<Values | undefined> {
    const told = this.#told;
    const values = await this.#talk.ask({ command: "values" }, isUrgent);
    if (values?.command !== "values" || this.#device === undefined || this.#talk.signal.aborted) return undefined;
    this.#ground.sample(
      this.#device,
      this.#face.id,
      this.#face.sampleOf(values, told?.isStop ? undefined : told?.setpoint),
    );
    const fault = values.fault === 0 ? undefined : faultWords(values.fault);
    this.#ground.alert(this.#device, "fault", fault ?? null);
    if (fault !== undefined && told === this.#told) this.#fault = fault;
    return values;
  }

  /** Each setpoint feeds the time-out of the controller, so the control that repeats it keeps it running, and nothing else. */
  async #move({ id, params }: DeviceCommand, onAccepted?: () => void): Promise<Ack> {
    const { moves, isThere } = this.#face;
    const wanted = params[moves.param];
    if (typeof wanted !== "number")
      return { ...refused("not-a-number", `${moves.param} is not a number.`), field: moves.param };
    const isRepeated = this.#told?.id === id;
    // A VESC clears its fault by itself: what failed must not start again because it is told again.
    if (isRepeated && this.#fault !== undefined) return refused("denied", this.#fault);
    const setpoint = moves.setpoint(wanted);
    this.#talk.tell(setpoint);
    if (isRepeated) return { ok: true, tookMs: 0 };
    const told: Told = { id, isStop: false, setpoint };
    this.#told = told;
    this.#fault = undefined;
    const look = async (): Promise<Ack | undefined> => {
      const values = await this.#measure(true);
      if (this.#fault !== undefined && this.#told === told) return refused("denied", this.#fault);
      if (values) onAccepted?.();
      return values && isThere(values, setpoint) ? { ok: true, tookMs: 0 } : undefined;
    };
    return this.#until(told, look, () => ({ ok: true, reached: false, detail: "It is not there yet.", tookMs: 0 }));
  }

  #until(told: Told, look: () => Promise<Ack | undefined>, otherwise?: () => Ack): Promise<Ack> {
    return settle({
      told,
      now: () => this.#told,
      look,
      signal: this.#talk.signal,
      ...(otherwise ? { otherwise } : {}),
    });
  }
}
