import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { BrowserMessage, JsonData, Order, ServerMessage } from "@backplane/contract/panels";
import { WebSocket } from "ws";

type Message<Type extends ServerMessage["type"]> = Extract<ServerMessage, { type: Type }>;

const POLL_MS = 5;
const DEADLINE_MS = 120_000;

/** Waits until the condition holds, and fails with its description if it never does. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!(await condition())) {
    assert.ok(performance.now() < deadlineMs, `this never happened: ${what}`);
    await sleep(POLL_MS);
  }
}

/** A page that a test controls, on a real socket. */
export class Page {
  readonly heard: ServerMessage[] = [];
  readonly orders: { id: string; order: Order }[] = [];
  closeCode: number | undefined;
  /** What it answers to an order; undefined: nothing. */
  answer: (order: Order, id: string) => JsonData | undefined = () => "done";
  readonly #socket: WebSocket;

  constructor(url: string) {
    this.#socket = new WebSocket(url);
    this.#socket.on("message", (data) => this.#hear(JSON.parse(String(data))));
    this.#socket.on("close", (code) => {
      this.closeCode = code;
    });
    this.#socket.on("error", () => {});
  }

  async opened(): Promise<this> {
    await until("the socket is open", () => this.#socket.readyState === WebSocket.OPEN);
    return this;
  }

  send(message: BrowserMessage): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** The last message of a type, as soon as there is one that fits. */
  async hears<Type extends ServerMessage["type"]>(
    type: Type,
    fits: (message: Message<Type>) => boolean = () => true,
  ): Promise<Message<Type>> {
    const last = () => this.heard.findLast((message) => message.type === type && fits(message as Message<Type>));
    await until(`the page hears "${type}"`, () => last() !== undefined);
    return last() as Message<Type>;
  }

  async closed(): Promise<number> {
    await until("the socket is closed", () => this.closeCode !== undefined);
    return this.closeCode ?? 0;
  }

  /** Without a close frame, like a browser that crashes. */
  vanish(): void {
    this.#socket.terminate();
  }

  #hear(message: ServerMessage): void {
    this.heard.push(message);
    if (message.type !== "order") return;
    this.orders.push({ id: message.id, order: message.order });
    const value = this.answer(message.order, message.id);
    if (value !== undefined) this.send({ type: "answer", id: message.id, ok: true, value });
  }
}
