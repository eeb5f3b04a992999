import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { WebSocket } from "ws";
import { isLongRun } from "../scripts/testing/long.ts";
import { connectClient, type RunningGateway, startGateway } from "./support/gateway.ts";
import { underLoad } from "./support/load.ts";

/** Memory growth allowed during an attack, regardless of its size. */
const MAX_GROWTH_MB = 120;
/** A flow normally takes a few milliseconds. The median must stay below this even on a busy machine. */
const MAX_BYSTANDER_MS = 500;
const BYSTANDER_FLOWS = isLongRun ? 50 : 20;
/** Together much larger than the memory that is allowed. */
const HUGE_FRAMES = isLongRun ? 50 : 20;

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

/** Runs complete flows as a bystander; returns their sorted durations. */
async function bystanderMs(gateway: RunningGateway): Promise<number[]> {
  const taken: number[] = [];
  for (let i = 0; i < BYSTANDER_FLOWS; i += 1) {
    const startedAtMs = performance.now();
    const client = await connectClient(gateway);
    const state = await client.register();
    const response = await fetch(`${gateway.url}/callback?code=c${i}&state=${state}`);
    await response.arrayBuffer();
    const message = await client.next();
    assert.deepEqual([response.status, message.type === "callback" && message.code], [200, `c${i}`]);
    client.socket.close();
    taken.push(performance.now() - startedAtMs);
  }
  return taken.sort((a, b) => a - b);
}

const median = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? Number.NaN;

/** Runs a bystander's flows before and during the attack, and prints times and memory. */
async function runAttack(t: TestContext, attack: (gateway: RunningGateway) => Promise<AsyncDisposable | Disposable>) {
  await using gateway = await startGateway();
  const before = await bystanderMs(gateway);
  const beforeMb = residentMb(gateway.pid);
  await using stack = new AsyncDisposableStack();
  stack.use(await attack(gateway));
  const during = await bystanderMs(gateway);
  const grownMb = residentMb(gateway.pid) - beforeMb;
  t.diagnostic(
    `bystander: median ${median(before).toFixed(1)} ms before, ${median(during).toFixed(1)} ms during, ` +
      `at most ${during.at(-1)?.toFixed(1)} ms; memory +${grownMb.toFixed(1)} MB`,
  );
  assert.ok(median(during) < underLoad(MAX_BYSTANDER_MS));
  assert.ok(grownMb < MAX_GROWTH_MB, `${grownMb} MB`);
}

const UPGRADE =
  "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/** A text frame with an all-zero mask. */
function frame(length: number, payload: Buffer): Buffer {
  const header = Buffer.alloc(14);
  header[0] = 0x81;
  header[1] = 0x80 | 127;
  header.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([header, payload]);
}

async function rawSocket({ port }: RunningGateway, first = UPGRADE): Promise<Socket> {
  const socket = connect(port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  socket.write(first);
  return socket;
}

const endAll = (sockets: readonly (Socket | WebSocket)[], timer?: NodeJS.Timeout): Disposable => ({
  [Symbol.dispose]() {
    clearInterval(timer);
    for (const socket of sockets) "destroy" in socket ? socket.destroy() : socket.terminate();
  },
});

test("slowloris: 1,000 connections that send a request, or a frame, byte by byte", async (t) => {
  await runAttack(t, async (gateway) => {
    const half = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) => rawSocket(gateway, i % 2 ? UPGRADE : "GET /callback?code=")),
    );
    const bytes = frame(100, Buffer.alloc(100, 0x20));
    let at = 0;
    const drip = setInterval(() => {
      half.forEach((socket, i) => {
        socket.write(i % 2 ? bytes.subarray(at, at + 1) : "x");
      });
      at += 1;
    }, 100);
    return endAll(half, drip);
  });
});

test(`frames of 10 MB from ${HUGE_FRAMES} connections at once: discarded as they arrive, then the connections are cut`, async (t) => {
  await runAttack(t, async (gateway) => {
    const sockets = await Promise.all(Array.from({ length: HUGE_FRAMES }, () => rawSocket(gateway)));
    const huge = frame(10 * 1024 * 1024, Buffer.alloc(10 * 1024 * 1024, 0x20));
    const closed = sockets.map((socket) => new Promise((resolve) => socket.resume().once("close", resolve)));
    for (const socket of sockets) socket.write(huge);
    await Promise.all(closed);
    return endAll(sockets);
  });
});

test("1,000 registrations on one socket: 32 are accepted, the rest are refused, then the connection is closed", async (t) => {
  await runAttack(t, async (gateway) => {
    const greedy = new WebSocket(gateway.wsUrl);
    const counted: Record<string, number> = {};
    greedy.on("message", (data) => {
      const { type, code = type } = JSON.parse(String(data));
      counted[code] = (counted[code] ?? 0) + 1;
    });
    await once(greedy, "open");
    const closed = once(greedy, "close");
    for (let i = 0; i < 1_000; i += 1) {
      greedy.send(JSON.stringify({ type: "register", state: randomUUID(), provider: "p" }));
    }
    assert.equal((await closed)[0], 1008);
    assert.equal(counted.registered, 32);
    const { pending } = (await (await fetch(`${gateway.url}/health`)).json()) as { pending: number };
    assert.equal(pending, 0);
    return endAll([greedy]);
  });
});

test("100 clients that send all the time and never read: their queues stay bounded", async (t) => {
  await runAttack(t, async (gateway) => {
    const stuck = await Promise.all(Array.from({ length: 100 }, () => rawSocket(gateway)));
    const ping = Buffer.concat([Buffer.from([0x89, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125)]);
    const nonsense = Buffer.concat([Buffer.from([0x81, 0x80 | 125, 0, 0, 0, 0]), Buffer.alloc(125, 0x20)]);
    for (const socket of stuck) {
      socket.pause();
      for (let i = 0; i < 90; i += 1) socket.write(nonsense);
    }
    const push = setInterval(() => {
      for (const socket of stuck) if (socket.writable && socket.writableLength < 500_000) socket.write(ping);
    }, 10);
    return endAll(stuck, push);
  });
});
