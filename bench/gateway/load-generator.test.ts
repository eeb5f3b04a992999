import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { someOf } from "../../scripts/testing/long.ts";
import { BenchFault } from "../harness/fault.ts";
import type { Order } from "./load/orders.ts";
import { type LoadGenerator, startLoadGenerator } from "./load-generator.ts";

type Message = { type: string; state: string; code?: string };
type Behaviour = {
  /** Shared with another one, as over a Redis. */
  owners?: Map<string, WebSocket>;
  /** What a callback sends to its owner; by default only the right message. */
  deliver?: (owner: WebSocket, message: Message, everybody: Iterable<WebSocket>) => void;
  status?: number;
  onRegister?: (socket: WebSocket, state: string) => void;
};

/** A correct gateway, except for what the test overrides. */
async function startGateway({ owners = new Map(), deliver, status = 200, onRegister }: Behaviour = {}) {
  const registeredHere = new Set<string>();
  const callbacks = { own: 0, others: 0 };
  const tell = (socket: WebSocket, message: Message) => socket.send(JSON.stringify(message));
  const server = createServer((request, response) => {
    const query = new URL(request.url ?? "/", "http://gateway").searchParams;
    const [state, code] = [query.get("state") ?? "", query.get("code") ?? ""];
    const owner = owners.get(state);
    callbacks[registeredHere.has(state) ? "own" : "others"] += 1;
    const message = { type: "callback", state, code };
    if (owner !== undefined) (deliver ?? tell)(owner, message, owners.values());
    owners.delete(state);
    response.writeHead(status).end("page");
  });
  const sockets = new WebSocketServer({ server });
  sockets.on("connection", (socket) => {
    socket.on("message", (data) => {
      const { type, state } = JSON.parse(data.toString()) as Message;
      if (type === "unregister") owners.delete(state);
      else if (onRegister === undefined) {
        owners.set(state, socket);
        registeredHere.add(state);
        tell(socket, { type: "registered", state });
      } else onRegister(socket, state);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ports: [(server.address() as AddressInfo).port],
    pending: () => owners.size,
    callbacks,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const generatorFor = (ports: readonly number[], more: { lostAfterMs?: number } = {}): LoadGenerator =>
  startLoadGenerator("gateway", { dialect: "contract", ports, ...more });

test("in every phase each socket gets its own code, and all stay registered", async () => {
  await using gateway = await startGateway();
  await using generator = generatorFor(gateway.ports);
  assert.equal((await generator.run({ phase: "connect", sockets: 40 })).done, 40);
  assert.equal(gateway.pending(), 40);
  assert.ok((await generator.run({ phase: "deliver", seconds: 0.2 })).done > 0);
  assert.equal(gateway.pending(), 40);
  const { done, latency } = await generator.run({ phase: "latency", seconds: 0.2, perSecond: 100 });
  assert.equal(done, 20);
  assert.ok(latency !== undefined && latency.p50Ms > 0 && latency.p99Ms >= latency.p50Ms);
  assert.ok((await generator.run({ phase: "cycle", seconds: 0.2 })).done > 0);
  assert.equal((await generator.run({ phase: "hold", seconds: 0.2 })).done, 40);
  assert.equal((await generator.run({ phase: "deliver-once" })).done, 40);
  assert.equal(gateway.pending(), 40);
});

test("with two servers, callbacks go to the one that does not have the socket", async () => {
  const owners = new Map<string, WebSocket>();
  await using one = await startGateway({ owners });
  await using other = await startGateway({ owners });
  await using generator = generatorFor([...one.ports, ...other.ports]);
  await generator.run({ phase: "connect", sockets: 4 });
  await generator.run({ phase: "deliver-once" });
  assert.deepEqual([one.callbacks, other.callbacks], Array(2).fill({ own: 0, others: 2 }));
});

const misbehaviours: Record<string, { behaviour: Behaviour; order: Order; says: RegExp; lostAfterMs?: number }> = {
  "a code at another socket": {
    behaviour: {
      deliver(owner, message, everybody) {
        const others = [...everybody].filter((socket) => socket !== owner);
        for (const socket of [owner, ...others.slice(0, 1)]) socket.send(JSON.stringify(message));
      },
    },
    order: { phase: "deliver", seconds: 0.1 },
    says: /misrouted/,
  },
  "a code twice": {
    behaviour: {
      deliver(owner, message) {
        for (const text of [message, message]) owner.send(JSON.stringify(text));
      },
    },
    order: { phase: "deliver", seconds: 0.1 },
    says: /misrouted/,
  },
  "a code that never came": {
    behaviour: { deliver() {} },
    order: { phase: "deliver-once" },
    lostAfterMs: 200,
    says: /40 lost and 0 done/,
  },
  "an answer without success": {
    behaviour: { status: 500 },
    order: { phase: "deliver", seconds: 0.1 },
    says: /failed and .* answered with 500/,
  },
  "a refused registration": {
    behaviour: {
      onRegister: (socket, state) => socket.send(JSON.stringify({ type: "error", state, error: "too fast" })),
    },
    order: { phase: "connect", sockets: 1 },
    says: /1 refused and 0 done.*too fast/,
  },
  "a connection ended": {
    behaviour: { onRegister: (socket) => socket.terminate() },
    order: { phase: "connect", sockets: 3 },
    says: /3 closed and 0 done/,
  },
};

for (const [name, { behaviour, order, says, ...more }] of someOf(Object.entries(misbehaviours), 3)) {
  test(`a run gives no figure after ${name}`, async () => {
    await using gateway = await startGateway(behaviour);
    await using generator = generatorFor(gateway.ports, more);
    const run = async () => {
      if (order.phase !== "connect") await generator.run({ phase: "connect", sockets: 40 });
      await generator.run(order);
    };
    await assert.rejects(run(), (error) => error instanceof BenchFault && says.test(error.message));
  });
}
