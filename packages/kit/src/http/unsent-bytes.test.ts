import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../../../scripts/testing/until.ts";
import { HTTP_LIMITS, type HttpLimits } from "./limits.ts";
import { createUnsentBytes } from "./unsent-bytes.ts";

const MIB = 1024 * 1024;
/** More than the system keeps for a connection, so that most of it stays with us. */
const ANSWER = Buffer.alloc(32 * MIB);
const NEVER_MS = 2 ** 31 - 1;

type Options = { limits?: Partial<HttpLimits>; isShared?: (address: string) => boolean };

/** A server whose limits are checked only when the test says so, or when an answer exceeds them. */
async function serve(t: TestContext, { limits, isShared = () => false }: Options = {}) {
  const clock = { nowMs: 0 };
  let cutOff = 0;
  const unsent = createUnsentBytes(
    { ...HTTP_LIMITS, maxUnsentBytesPerAddress: 1_000 * MIB, unsentCheckMs: NEVER_MS, ...limits },
    {
      now: () => clock.nowMs,
      onCutOff() {
        cutOff += 1;
      },
    },
  );
  const server = createServer({ ServerResponse: unsent.Response }, (_request, response) => response.end(ANSWER));
  unsent.watch(server.listen(0, "127.0.0.1"), isShared);
  await once(server, "listening");
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Asks and does not read. Returns both ends of the connection. */
  async function ask(localAddress = "127.0.0.1"): Promise<{ client: Socket; ours: Socket }> {
    const client = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    clients.push(client);
    const [ours] = (await once(server, "connection")) as [Socket];
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(client, "readable");
    return { client, ours };
  }
  return { ask, unsent, clock, cutOff: () => cutOff };
}

const queued = (socket: Socket): number =>
  (socket as Socket & { _handle: { writeQueueSize: number } })._handle.writeQueueSize;

test("a client that takes no byte of its answer for a minute is cut off", async (t) => {
  const { ask, unsent, clock, cutOff } = await serve(t);
  const { ours } = await ask();
  unsent.check();
  clock.nowMs += 60_000;
  unsent.check();
  assert.deepEqual([ours.destroyed, cutOff()], [false, 0]);
  clock.nowMs += 1;
  unsent.check();
  assert.deepEqual([ours.destroyed, cutOff(), unsent.total()], [true, 1, 0]);
});

test("a client that reads slowly is not cut off, however long its answer takes", async (t) => {
  const { ask, unsent, clock, cutOff } = await serve(t);
  const { client, ours } = await ask();
  for (let minute = 0; minute < 5; minute += 1) {
    unsent.check();
    clock.nowMs += 60_000;
    const before = queued(ours);
    await until("the system takes more", () => {
      client.read();
      return queued(ours) < before;
    });
  }
  assert.deepEqual([ours.destroyed, cutOff()], [false, 0]);
});

test("a connection with more unsent bytes than 48 MiB is cut off, others are not", async (t) => {
  assert.equal(HTTP_LIMITS.maxUnsentBytesPerConnection, 48 * MIB);
  for (const [maxUnsentBytesPerConnection, cutOffs] of [
    [ANSWER.length + MIB, 0],
    [8 * MIB, 1],
  ] as const) {
    const { ask, unsent, cutOff } = await serve(t, { limits: { maxUnsentBytesPerConnection } });
    await ask();
    unsent.check();
    assert.equal(cutOff(), cutOffs);
  }
});

test("an address with more unsent bytes than 64 MiB loses the connections that took nothing for longest", async (t) => {
  assert.equal(HTTP_LIMITS.maxUnsentBytesPerAddress, 64 * MIB);
  const { ask, unsent, clock } = await serve(t, { limits: { maxUnsentBytesPerAddress: 80 * MIB } });
  const other = await ask("127.0.0.2");
  const ours: Socket[] = [];
  for (let count = 0; count < 3; count += 1) {
    ours.push((await ask()).ours);
    unsent.check();
    clock.nowMs += 1;
  }
  assert.deepEqual(
    [other.ours, ...ours].map(({ destroyed }) => destroyed),
    [false, true, true, false],
  );
});

test("addresses that many clients share, such as trusted proxies, count for the process only", async (t) => {
  const isShared = (address: string) => address === "127.0.0.1";
  const { ask, unsent, cutOff } = await serve(t, { limits: { maxUnsentBytesPerAddress: 8 * MIB }, isShared });
  await ask();
  unsent.check();
  assert.equal(cutOff(), 0);
  await ask("127.0.0.2");
  unsent.check();
  assert.equal(cutOff(), 1);
});

test("the whole process never leaves much more than 256 MiB unsent, also between two checks", async (t) => {
  assert.equal(HTTP_LIMITS.maxUnsentBytes, 256 * MIB);
  const { ask } = await serve(t, { limits: { maxUnsentBytes: 100 * MIB } });
  const ours: Socket[] = [];
  for (let count = 1; count <= 12; count += 1) {
    ours.push((await ask(`127.0.0.${count}`)).ours);
    const open = ours.filter(({ destroyed }) => !destroyed);
    assert.ok(open.reduce((sum, socket) => sum + socket.writableLength, 0) <= 100 * MIB);
  }
});
