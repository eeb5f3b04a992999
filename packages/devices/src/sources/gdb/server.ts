import { DEVICES_LIMITS } from "@backplane/contract/devices";
import { within } from "../../authority/stopper.ts";
import type { Wire } from "../adapter.ts";
import type { Codec } from "../codec.ts";
import { type Conversation, createConversation } from "../conversation.ts";
import { type GdbMessage, gdbMessages, hexOf, readHex } from "./codec.ts";

const { sourceAnswerMs } = DEVICES_LIMITS;
/** Of a target description. */
const MAX_FILE_BYTES = 262_144;
const PIECE_BYTES = 1_000;
const MAX_LINE = 1_000;

export const NO_ANSWER = "The debug server did not answer.";
const STOPS = "The debug server stops the chip to read it, as QEMU does. Connect with reads=paused.";
const SILENT = "The debug server does not answer while the chip runs. Connect with reads=paused.";

/** A stop reply: the chip has stopped, or has ended. `S00`: OpenOCD's word for a chip that runs. */
const STOPPED = /^(?:[ST](?!00)[0-9a-fA-F]{2}|[WX][0-9a-fA-F]{2})/;
/** Text that the chip, or the server, has said. */
const SAID = /^O((?:[0-9a-fA-F]{2})+)$/;

/** Questions to a debug server, and whether the chip behind it runs. */
export class DebugServer {
  isRunning = false;
  hasDescription = false;
  readonly #wire: Wire;
  readonly #talk: Conversation<string, string>;
  #isAcknowledged = true;
  /** Somebody waits for the chip to stop. */
  #stopping: (() => void) | undefined;
  #isAsking = false;

  constructor(wire: Wire, onLine: (text: string) => void) {
    this.#wire = wire;
    const fail = (why: string) => wire.fail(this.isRunning ? SILENT : this.#isAsking ? STOPS : why);
    const write = (data: string) => gdbMessages.write({ type: "packet", data });
    this.#talk = createConversation({ send: wire.send, fail }, write, this.#answers(write, onLine));
  }

  get signal(): AbortSignal {
    return this.#talk.signal;
  }

  take(bytes: Buffer): void {
    this.#talk.take(bytes);
  }

  close(): void {
    this.#talk.close();
    this.#stopping?.();
  }

  /** False: it does not answer, or the connection has ended. */
  async begin(): Promise<boolean> {
    const features = (await this.ask("qSupported:xmlRegisters=i386,arm"))?.split(";");
    if (!features) return false;
    this.hasDescription = features.includes("qXfer:features:read+");
    // TCP loses nothing: without acknowledgements each answer is there sooner.
    if (features.includes("QStartNoAckMode+") && (await this.ask("QStartNoAckMode")) === "OK")
      this.#isAcknowledged = false;
    const state = await this.ask("?");
    if (state === undefined) return false;
    this.isRunning = !STOPPED.test(state);
    return true;
  }

  /** Undefined: the connection has ended. */
  async ask(data: string): Promise<string | undefined> {
    const wasRunning = this.isRunning;
    const answer = this.#talk.ask(data);
    // A server that stops the chip when it is asked never answers the question.
    if (wasRunning) this.#isAsking = true;
    const found = await answer;
    this.#isAsking = false;
    return found;
  }

  /** Undefined: it cannot be read. */
  async read(address: number, length: number): Promise<Buffer | undefined> {
    const bytes = readHex(await this.ask(`m${address.toString(16)},${length.toString(16)}`));
    return bytes?.length === length ? bytes : undefined;
  }

  write(address: number, bytes: Uint8Array): Promise<string | undefined> {
    return this.ask(`M${address.toString(16)},${bytes.length.toString(16)}:${hexOf(bytes)}`);
  }

  /** A file of the server, such as the description of its chip; empty when there is none. */
  async readFile(name: string): Promise<string> {
    let text = "";
    while (text.length < MAX_FILE_BYTES) {
      const piece = await this.ask(
        `qXfer:features:read:${name}:${text.length.toString(16)},${PIECE_BYTES.toString(16)}`,
      );
      if (!piece || !/^[ml]/.test(piece)) return text;
      text += piece.slice(1);
      if (piece.startsWith("l") || piece.length === 1) return text;
    }
    return text;
  }

  /** There is no answer until the chip stops again. */
  resume(): void {
    if (this.isRunning) return;
    this.isRunning = true;
    this.#talk.tell("c");
  }

  /** False: it did not stop in time. */
  async halt(): Promise<boolean> {
    if (!this.isRunning) return true;
    const stopped = new Promise<void>((resolve) => {
      this.#stopping = resolve;
    });
    this.#wire.send(gdbMessages.write({ type: "break" }));
    await within(stopped, sourceAnswerMs, () => undefined);
    this.#stopping = undefined;
    return !this.isRunning;
  }

  /** What is an answer to a question; what the chip does by itself is not. */
  #answers(write: (data: string) => Uint8Array, onLine: (text: string) => void): Codec<string> {
    return {
      write,
      createReader: () => {
        const reader = gdbMessages.createReader();
        return {
          take: (bytes) => reader.take(bytes).flatMap((message) => this.#read(message, onLine)),
          get refused() {
            return reader.refused;
          },
          get waiting() {
            return reader.waiting;
          },
        };
      },
    };
  }

  #read(message: GdbMessage, onLine: (text: string) => void): string[] {
    if (message.type !== "packet") return [];
    if (this.#isAcknowledged) this.#wire.send(gdbMessages.write({ type: "received" }));
    const { data } = message;
    const said = SAID.exec(data)?.[1];
    if (said !== undefined) {
      onLine(Buffer.from(said, "hex").toString("utf8").trim().slice(0, MAX_LINE));
      return [];
    }
    if (!this.isRunning || !STOPPED.test(data)) return [data];
    this.isRunning = false;
    this.#stopping?.();
    return [];
  }
}
