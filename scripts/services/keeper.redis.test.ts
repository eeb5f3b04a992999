import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposableSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startRedis } from "./redis.ts";

const program = `
  import { startRedis } from ${JSON.stringify(join(import.meta.dirname, "redis.ts"))};
  const redis = await startRedis();
  console.log(redis.port);
  setInterval(() => {}, 1000);
`;

async function listens(port: number): Promise<boolean> {
  const socket = connect({ port, host: "127.0.0.1" });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test("a service ends, and its folder is removed, when the process that started it is killed", async (t) => {
  // A given server is not started here, so there is nothing of ours to end.
  if (process.env.TEST_REDIS_URL) return t.skip("TEST_REDIS_URL is set");
  using folder = mkdtempDisposableSync(join(tmpdir(), "backplane-keeper-"));
  const owner = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, TMPDIR: folder.path },
  });
  const [line] = await once(owner.stdout, "data");
  const port = Number(line);
  const folders = () => readdirSync(folder.path).filter((name) => name.startsWith("backplane-redis-"));
  assert.deepEqual([await listens(port), folders().length], [true, 1]);
  owner.kill("SIGKILL");
  while ((await listens(port)) || folders().length > 0) await delay(20, undefined, { signal: t.signal });
});

test("a server can be stopped and started again on the same port", async () => {
  await using redis = await startRedis();
  assert.equal(await listens(redis.port), true);
  await redis.stop();
  assert.equal(await listens(redis.port), false);
  await redis.start();
  assert.equal(await listens(redis.port), true);
  await redis.kill();
  assert.equal(await listens(redis.port), false);
  await redis.start();
  assert.equal(await listens(redis.port), true);
});
