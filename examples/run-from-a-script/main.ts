// npm run example run-from-a-script: runs Backplane, waits until it is ready, asks which parts run, and stops it.
// For continuous integration, or a test that needs a complete Backplane. It only needs Node.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BACKPLANE = fileURLToPath(new URL("../../packages/cli/bin/backplane.js", import.meta.url));
const START_TIMEOUT_MS = 60_000;

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return String(port);
}

const folder = mkdtempSync(join(tmpdir(), "backplane-example-"));
const home = join(folder, "home");
const [PLATFORM_PORT, GATEWAY_PORT, WATCHDOG_PORT, VIEWER_PORT] = await Promise.all([1, 2, 3, 4].map(freePort));
const backplane = spawn(process.execPath, [BACKPLANE, "up"], {
  cwd: folder,
  env: {
    ...process.env,
    PLATFORM_PORT,
    GATEWAY_PORT,
    WATCHDOG_PORT,
    VIEWER_PORT,
    BACKPLANE_HOME: home,
  },
  stdio: "inherit",
});

try {
  const base = `http://localhost:${PLATFORM_PORT}`;
  const isReady = () =>
    fetch(`${base}/ready`).then(
      (response) => response.ok,
      () => false,
    );
  const deadlineMs = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady())) {
    assert.equal(backplane.exitCode, null, "Backplane ended before it was ready.");
    assert.ok(Date.now() < deadlineMs, "Backplane was not ready in time.");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }

  // The first start writes the owner's name, password and API key to a file.
  const { api_key } = JSON.parse(readFileSync(join(home, "owner.json"), "utf8")) as { api_key: string };
  const response = await fetch(`${base}/api/overview`, { headers: { "x-api-key": api_key } });
  const overview = (await response.json()) as { version: string; processes: { name: string }[] };
  assert.equal(overview.processes.length, 4);
  console.log(`Backplane ${overview.version} is ready: ${overview.processes.map(({ name }) => name).join(", ")}`);
} finally {
  backplane.kill("SIGINT");
  const [code] = await once(backplane, "exit");
  rmSync(folder, { recursive: true, force: true });
  assert.equal(code, 0, "Backplane did not stop cleanly.");
}
