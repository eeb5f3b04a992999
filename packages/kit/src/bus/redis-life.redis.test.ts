import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { test } from "node:test";
import { inspect, promisify } from "node:util";
import { createClient } from "@redis/client";
import { freePort, startStallingRelay, testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { until } from "../../../../scripts/testing/until.ts";
import type { BusFault } from "./fault.ts";
import { openBus } from "./index.ts";

const SECRET = "canary-pa55word";
const now = Date.now;

function whole(value: unknown): string {
  return inspect(value, { depth: 10, showHidden: true });
}

/** Runs a program that opens a bus and closes it, and resolves with what it printed once it has ended by itself. */
async function runToEnd(url: string, work: string): Promise<string> {
  const program = `
    import { openBus } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    const bus = await openBus({ url: ${JSON.stringify(url)}, prefix: "end:", now: Date.now, onFault() {} });
    ${work}
    const startMs = performance.now();
    await bus.close();
    process.on("exit", () => console.log(bus.state(), performance.now() - startMs < 1000 ? "soon" : "late"));`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, ["--input-type=module-typescript", "-e", program], {
    timeout: 120_000,
  });
  return (stdout + stderr).trim();
}

test("a closed bus leaves nothing open: the process ends by itself", async () => {
  const work = `await bus.subscribe("channel", () => {}); await bus.claims.take("nothing");`;
  assert.equal(await runToEnd(await testRedisUrl(), work), "degraded soon");
});

test("a closed bus leaves nothing open when the server is away", async () => {
  assert.equal(await runToEnd(`redis://127.0.0.1:${await freePort()}`, ""), "degraded soon");
});

test("a closed bus leaves nothing open when the server accepts but never answers", async () => {
  await using relay = await startStallingRelay(await testRedisUrl());
  relay.stall();
  assert.equal(await runToEnd(relay.url, ""), "degraded soon");
});

test("closing waits for commands that were already sent", async (t) => {
  const bus = await openBus({ url: await testRedisUrl(), prefix: uniquePrefix(), now, onFault: () => {} });
  t.after(() => bus.close());
  const claimed = Promise.all(Array.from({ length: 200 }, (_, i) => bus.claims.claim(`key ${i}`, "", 1_000)));
  await bus.close();
  assert.equal((await claimed).filter(Boolean).length, 200);
});

test("an address that can never work is refused without being quoted", async () => {
  for (const url of [
    `http://user:${SECRET}@host`,
    `not a url ${SECRET}`,
    `redis://:${SECRET}@host/db`,
    "redis://:%@h",
    "",
  ]) {
    await assert.rejects(openBus({ url, now, onFault: () => {} }), (error: BusFault) => {
      assert.equal(error.code, "invalid");
      assert.ok(!whole(error).includes(SECRET));
      return true;
    });
  }
});

test("a user with a password gets in; with a wrong one the bus stays degraded and reveals no password", async (t) => {
  const admin = await createClient({ url: await testRedisUrl() }).connect();
  const user = uniquePrefix().replace(":", "");
  await admin.sendCommand(["ACL", "SETUSER", user, "on", `>${SECRET}`, "~*", "&*", "+@all"]);
  try {
    const faults: BusFault[] = [];
    const onFault = (fault: BusFault) => faults.push(fault);
    const url = new URL(await testRedisUrl());
    url.username = user;
    url.password = SECRET;
    const bus = await openBus({ url: url.href, prefix: uniquePrefix(), now, onFault });
    t.after(() => bus.close());
    assert.equal(bus.state(), "up");
    assert.ok(!whole(bus).includes(SECRET));
    await bus.close();
    assert.deepEqual(faults, []);

    url.password = `${SECRET}-wrong`;
    const locked = await openBus({ url: url.href, prefix: uniquePrefix(), now, onFault });
    t.after(() => locked.close());
    assert.equal(locked.state(), "degraded");
    await assert.rejects(locked.ping(), (error) => !whole(error).includes(SECRET));
    await locked.close();
    assert.equal(faults.length, 1);
    assert.match(String(faults[0]), /WRONGPASS/);
    assert.ok(!whole(faults).includes(SECRET));
  } finally {
    await admin.sendCommand(["ACL", "DELUSER", user]);
    await admin.close();
  }
});

test("when a server quotes what it does not understand, the password does not get into a fault", async (t) => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    // What a server before version 6 says to the handshake: it quotes the arguments.
    socket.on("data", (chunk) => {
      socket.write(`-ERR unknown command with args ${JSON.stringify(chunk.toString())}\r\n`.repeat(3));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const faults: BusFault[] = [];
  const url = `redis://:${SECRET}@127.0.0.1:${(server.address() as AddressInfo).port}`;
  const bus = await openBus({ url, now, onFault: (fault) => faults.push(fault) });
  t.after(() => bus.close());
  t.after(() => server.close());
  await until("a fault was reported", () => faults.length > 0);
  assert.ok(!whole(faults).includes(SECRET));
  assert.match(String(faults[0]), /unavailable|not available/);
});
