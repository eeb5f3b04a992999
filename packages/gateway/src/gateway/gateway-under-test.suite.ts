import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { GatewayMessage } from "@backplane/contract/gateway";
import { createSocketServer, type SocketLimits } from "@backplane/kit/websocket";
import { WebSocket } from "ws";
import { createCallbackHandler } from "./callback/callback.ts";
import { createCallbackPages } from "./callback/pages.ts";
import { createSingleInstanceRegistrations } from "./local-registrations.ts";
import { createSocketHandlers } from "./socket.ts";

type Options = { origins?: readonly string[]; limits?: Partial<SocketLimits>; ackWaitMs?: number };

/** A gateway with real sockets in this process, with a test clock. */
export async function startGateway(t: TestContext, { origins, limits, ackWaitMs = 50 }: Options = {}) {
  const clock = { nowMs: Date.now() };
  const faults: unknown[] = [];
  const now = () => clock.nowMs;
  const onFault = (error: unknown) => faults.push(error);
  const flags = { draining: false };
  const registrations = createSingleInstanceRegistrations({ instance: "one", now, limits: { ackWaitMs } });
  const sockets = createSocketServer(
    createSocketHandlers({ registrations, now, origins, isDraining: () => flags.draining, onFault }),
    { limits: { sweepMs: 20, ...limits }, now },
  );
  const pages = createCallbackPages({ homeUrl: "http://localhost", overHttps: false });
  const handle = createCallbackHandler({ registrations, pages, now, onFault });
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(501).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  sockets.attach(server, ["/", "/ws"]);
  t.after(async () => {
    await sockets.close();
    server.closeAllConnections();
    server.close();
    assert.deepEqual(faults, []);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    url,
    clock,
    flags,
    registrations,
    sockets,
    dial: (path = "/", options = {}) => new WebSocket(`ws://127.0.0.1:${port}${path}`, options),
    async connect(options = {}) {
      const client = new Client(new WebSocket(`ws://127.0.0.1:${port}/ws`, options));
      await once(client.socket, "open");
      return client;
    },
    callback: (parameters: Record<string, string>, init: RequestInit = {}) =>
      fetch(`${url}/callback?${new URLSearchParams(parameters)}`, init),
  };
}

/** A client that keeps every message until it is asked for. */
export class Client {
  readonly socket: WebSocket;
  readonly #arrived: GatewayMessage[] = [];
  #wake = () => {};

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data) => {
      this.#arrived.push(JSON.parse(String(data)));
      this.#wake();
    });
  }

  send(message: unknown): void {
    this.socket.send(typeof message === "string" ? message : JSON.stringify(message));
  }

  async next(): Promise<GatewayMessage> {
    while (this.#arrived.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#arrived.shift() as GatewayMessage;
  }

  /** The answer to one message. */
  ask(message: unknown): Promise<GatewayMessage> {
    this.send(message);
    return this.next();
  }

  async register(more: Record<string, unknown> = {}): Promise<string> {
    const message = { type: "register", state: randomUUID() as string, provider: "google", ...more };
    assert.deepEqual(await this.ask(message), { type: "registered", state: message.state });
    return message.state;
  }

  /** Nothing else has arrived: an answer to a later message would come after it. */
  async heardNothing(): Promise<void> {
    const reply = await this.ask({ type: "nothing of the kind" });
    assert.equal(reply.type === "error" && reply.code, "invalid-input");
  }

  async closed(): Promise<[code: number, reason: string]> {
    const [code, reason] = await once(this.socket, "close");
    return [code, String(reason)];
  }
}
