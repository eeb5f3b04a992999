import { connect, type Socket } from "node:net";
import type { Dialect } from "./dialect.ts";
import type { Faults } from "./faults.ts";
import { clientFrame, closeFrame, FrameReader, OPCODE } from "./frames.ts";
import { readBufferBytes } from "./limits.ts";

const readBuffer = Buffer.allocUnsafe(readBufferBytes);

/** RFC 6455 §1.3: a key, and the answer that proves it was understood. */
const KEY = "dGhlIHNhbXBsZSBub25jZQ==";
const ACCEPTED = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
const HEAD_END = "\r\n\r\n";

type Phase = "connecting" | "registering" | "ready" | "called" | "closing" | "closed";

/** What a phase is notified of. */
export type PhaseListener = {
  /** It waits for its callback: registered, or subscribed where there is nothing to register. */
  ready(subscriber: Subscriber): void;
  /** Its callback arrived and was correct. */
  delivered(subscriber: Subscriber): void;
  closed(subscriber: Subscriber): void;
};

/** What all subscribers of one load share. */
export type Link = {
  dialect: Dialect;
  ports: readonly number[];
  faults: Faults;
  lostAfterMs: number;
  /** The phase that runs at present. */
  listener: PhaseListener;
  sourceOf(index: number): string;
};

/** An application that waits for its code: one WebSocket, one state at a time. */
export class Subscriber {
  /** Which of the servers takes its callbacks: with several, never the one that it is connected to. */
  readonly lane: number;
  state: string;
  /** When the callback should have been sent. */
  dueMs = 0;
  #code = "";
  #phase: Phase = "connecting";
  #head = "";
  #registerFrame: Buffer | undefined;
  readonly #link: Link;
  readonly #socket: Socket;
  readonly #reader = new FrameReader();

  constructor(link: Link, index: number, state: string) {
    this.#link = link;
    this.state = state;
    const server = index % link.ports.length;
    this.lane = (server + 1) % link.ports.length;
    const port = link.ports[server] ?? 0;
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      localAddress: link.sourceOf(index),
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length, bytes) => {
          this.#hear(Buffer.from(bytes.buffer, bytes.byteOffset, length));
          return true;
        },
      },
    });
    this.#socket.on("error", (error) => {
      if (this.#phase !== "closing") link.faults.add("closed", error.message);
      this.#phase = "closing";
    });
    this.#socket.on("close", () => this.#onClose());
    this.#socket.write(
      `GET ${link.dialect.subscribePath(state)} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\n` +
        `Connection: Upgrade\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    );
  }

  /** From now on exactly one callback, with this code, is expected. */
  expect(code: string, dueMs: number): void {
    this.#code = code;
    this.dueMs = dueMs;
    this.#phase = "called";
  }

  /** Registers the same state again, or another one instead; the phase is notified when it is done. */
  register(state = this.state): void {
    const { register, unregister } = this.#link.dialect;
    if (register === undefined) {
      this.#becomeReady();
      return;
    }
    if (state !== this.state) {
      if (this.#phase === "ready") this.#send(clientFrame(OPCODE.text, Buffer.from(unregister?.(this.state) ?? "")));
      this.state = state;
      this.#registerFrame = undefined;
    }
    this.#phase = "registering";
    this.#registerFrame ??= clientFrame(OPCODE.text, Buffer.from(register(state)));
    this.#send(this.#registerFrame);
  }

  close(): void {
    this.#phase = "closing";
    this.#send(closeFrame);
  }

  destroy(): void {
    this.#phase = "closing";
    this.#socket.destroy();
  }

  #send(frame: Buffer): void {
    this.#socket.write(frame);
  }

  #hear(bytes: Buffer): void {
    try {
      const frames = this.#phase === "connecting" ? this.#shakeHands(bytes) : bytes;
      if (frames.length > 0) this.#reader.read(frames, this.#take);
    } catch (error) {
      this.#refuse(error instanceof Error ? error.message : String(error));
    }
  }

  /** What follows the head of the server's answer, if the head is complete. */
  #shakeHands(bytes: Buffer): Buffer {
    const before = this.#head.length;
    this.#head += bytes.toString("latin1");
    const end = this.#head.indexOf(HEAD_END);
    if (end === -1) return bytes.subarray(bytes.length);
    const head = this.#head.slice(0, end);
    this.#head = "";
    if (!head.startsWith("HTTP/1.1 101") || !head.includes(ACCEPTED)) {
      throw new Error(`A handshake was answered with: ${head.split("\r\n", 1)[0]}.`);
    }
    this.register();
    return bytes.subarray(end + HEAD_END.length - before);
  }

  readonly #take = (opcode: number, payload: Buffer): void => {
    if (opcode === OPCODE.text) this.#takeMessage(payload.toString());
    else if (opcode === OPCODE.ping) this.#send(clientFrame(OPCODE.pong, payload));
    else if (opcode === OPCODE.close && this.#phase !== "closing") {
      this.#refuse(`The server closed a connection that was ${this.#phase}: ${payload.subarray(2).toString()}.`);
    }
  };

  #takeMessage(text: string): void {
    const { type, state, code, error } = JSON.parse(text) as Record<string, unknown>;
    const isOwn = state === this.state;
    if (type === "registered" && isOwn && this.#phase === "registering") this.#becomeReady();
    else if (type === "callback" && isOwn && this.#phase === "called" && code === this.#code) {
      this.#phase = "ready";
      this.#link.listener.delivered(this);
    } else if (type === "error") this.#refuse(`A registration was refused: ${String(error)}.`);
    else {
      this.#link.faults.add("misrouted", `A socket that was ${this.#phase} got a ${String(type)} that is not its own.`);
    }
  }

  #becomeReady(): void {
    this.#phase = "ready";
    this.#link.listener.ready(this);
  }

  #refuse(why: string): void {
    this.#link.faults.add("refused", why);
    this.destroy();
  }

  #onClose(): void {
    if (this.#phase === "closed") return;
    if (this.#phase !== "closing") {
      this.#link.faults.add("closed", `The server ended a connection that was ${this.#phase}.`);
    }
    this.#phase = "closed";
    this.#link.listener.closed(this);
  }
}
