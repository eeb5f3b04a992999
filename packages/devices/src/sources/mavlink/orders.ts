import type { Ack } from "@backplane/contract/devices";
import { pause } from "../../authority/stopper.ts";
import { refused } from "../../readers/waiting.ts";
import { type MavMessage, numberIn } from "./codec.ts";

const AGAIN_MS = 500;
const TRIES = 4;
/** A drone says its reason beside the refusal: a moment before or after it. */
const REASON_MS = 300;
/** MAV_SEVERITY: up to warning. */
const WARNING = 4;
const IN_PROGRESS = 5;
const CANCELLED = 6;
const RESULTS: Readonly<Record<number, string>> = {
  ...{ 1: "not now", 2: "denied", 3: "it does not know this command", 4: "it failed", 6: "cancelled" },
};

/** MAV_CMD of what is used. */
export const COMMAND = {
  ...{ return: 20, land: 21, takeoff: 22, setMode: 176, reposition: 192, arm: 400, messageInterval: 511 },
} as const;

type Order = { name: "COMMAND_LONG" | "COMMAND_INT"; fields: Readonly<Record<string, number>> };
type Send = (name: Order["name"], fields: Order["fields"]) => void;
type Said = { text: string; atMs: number };

/** Commands of MAVLink: each is sent again until it is answered. */
export class Orders {
  readonly #send: Send;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<number, (result: number) => void>();
  #said: Said | undefined;

  constructor(send: Send, signal: AbortSignal) {
    this.#send = send;
    this.#signal = signal;
  }

  take(message: MavMessage): void {
    if (message.name === "COMMAND_ACK") this.#waiting.get(numberIn(message, "command"))?.(numberIn(message, "result"));
    if (message.name === "STATUSTEXT" && numberIn(message, "severity") <= WARNING)
      this.#said = { text: String(message.fields.text), atMs: performance.now() };
  }

  /** Sent before this returns. The answer is of the drone's command alone: it has accepted it, or refuses it with its reason. */
  async give(order: Order): Promise<Ack> {
    const startMs = performance.now();
    const id = order.fields.command ?? 0;
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    let isAnswered = false;
    // A newer one of the same kind takes the answer of the older one.
    this.#waiting.get(id)?.(CANCELLED);
    const settle = (result: number) => {
      isAnswered = true;
      if (result !== IN_PROGRESS) resolve(result);
    };
    this.#waiting.set(id, settle);
    void this.#repeat(order, () => isAnswered).then(() => isAnswered || resolve(undefined));
    this.#signal.addEventListener("abort", () => resolve(undefined), { once: true });
    const result = await promise;
    if (this.#waiting.get(id) === settle) this.#waiting.delete(id);
    const tookMs = performance.now() - startMs;
    if (result === undefined) return { ...refused("no-answer", "The drone did not answer."), tookMs };
    if (result === 0) return { ok: true, tookMs };
    return { ...(await this.#refusal(result, startMs)), tookMs };
  }

  async #repeat(order: Order, isAnswered: () => boolean): Promise<void> {
    for (let confirmation = 0; confirmation < TRIES && !isAnswered() && !this.#signal.aborted; confirmation += 1) {
      this.#send(order.name, order.name === "COMMAND_LONG" ? { ...order.fields, confirmation } : order.fields);
      await pause(AGAIN_MS, this.#signal);
    }
  }

  async #refusal(result: number, startMs: number): Promise<Ack> {
    const said = () => (this.#said && this.#said.atMs >= startMs - REASON_MS ? this.#said.text : undefined);
    if (said() === undefined) await pause(REASON_MS, this.#signal);
    const words = said() ?? RESULTS[result] ?? `result ${result}`;
    return refused(result === 3 ? "unsupported" : "denied", `The drone refuses: ${words}`);
  }
}
