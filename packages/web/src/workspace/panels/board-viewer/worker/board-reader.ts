import type { AnswerMessage, Answers, Order } from "./messages.ts";

/** A board that takes longer than this is given up: the worker is ended. */
const LOAD_WITHIN_MS = 60_000;

type Waiting = { resolve: (answer: never) => void; reject: (fault: Error) => void };

/** One board in a worker of its own. Orders are answered in their order; all of them fail after `close`. */
export class BoardReader {
  readonly #worker = new Worker(new URL("./board-worker.ts", import.meta.url), { type: "module" });
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;
  #ended: string | undefined;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<AnswerMessage>) => {
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if ("fault" in data) waiting?.reject(new Error(data.fault));
      else waiting?.resolve(data.answer as never);
    });
    this.#worker.addEventListener("error", () => this.#end("It cannot be read: the reader has stopped."));
  }

  ask<Kind extends Order["kind"]>(order: Extract<Order, { kind: Kind }>): Promise<Answers[Kind]> {
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(new Error(this.#ended));
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, order });
    });
  }

  /** A board, or one footprint of a library as a board of its own. */
  async load(bytes: Uint8Array<ArrayBuffer>, what: "board" | "footprint" = "board"): Promise<Answers["load"]> {
    const timer = setTimeout(() => this.#end("Reading it took more than a minute."), LOAD_WITHIN_MS);
    try {
      return await this.ask({ kind: "load", bytes, what });
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#end("It was closed.");
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#worker.terminate();
    for (const { reject } of this.#waiting.values()) reject(new Error(why));
    this.#waiting.clear();
  }
}
