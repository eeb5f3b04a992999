import { connect, type Socket } from "node:net";
import type { Faults } from "./faults.ts";
import { readAnswer } from "./http-answer.ts";
import { readBufferBytes } from "./limits.ts";

/** Each read is processed before the next one, so one buffer is enough for all. */
const readBuffer = Buffer.allocUnsafe(readBufferBytes);

/** One keep-alive HTTP connection, one request at a time, like browsers that come back from a provider. */
export class Caller {
  readonly #port: number;
  readonly #faults: Faults;
  #socket: Socket | undefined;
  #answer = "";
  #done: (() => void) | undefined;

  constructor(port: number, faults: Faults) {
    this.#port = port;
    this.#faults = faults;
  }

  /** Calls back when the answer is complete, or will not come. */
  send(request: string, done: () => void): void {
    this.#done = done;
    this.#socket ??= this.#open();
    this.#socket.write(request, "latin1");
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const socket = connect({
      port: this.#port,
      host: "127.0.0.1",
      noDelay: true,
      onread: {
        buffer: readBuffer,
        callback: (length, bytes) => {
          this.#hear(Buffer.from(bytes.buffer, bytes.byteOffset, length).toString("latin1"));
          return true;
        },
      },
    });
    // The reason is in the event; what matters is that it closes.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = undefined;
      if (this.#done !== undefined) this.#finish("The connection of a callback closed without an answer.");
    });
    return socket;
  }

  #hear(text: string): void {
    this.#answer += text;
    const answer = readAnswer(this.#answer);
    if (answer === undefined) return;
    if (answer.closes) this.close();
    const { status } = answer;
    const isSuccess = status >= 200 && status < 300;
    this.#finish(isSuccess ? undefined : `A callback was answered with ${status}.`);
  }

  #finish(fault: string | undefined): void {
    this.#answer = "";
    if (fault !== undefined) this.#faults.add("failed", fault);
    const done = this.#done;
    this.#done = undefined;
    done?.();
  }
}
