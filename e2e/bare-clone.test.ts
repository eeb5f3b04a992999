import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { VERSION } from "@backplane/kit/version";
import { isLongRun } from "../scripts/testing/long.ts";
import {
  freePorts,
  machinePath,
  PROCESS_NAMES,
  Program,
  plainEnvironment,
  portSettings,
  ROOT,
  startBackplane,
} from "./support/backplane.ts";
import { underLoad } from "./support/load.ts";
import { descendantsOf, isAlive, until } from "./support/processes.ts";

/** Enough for npm ci and a web build on a slow machine. */
const FIRST_START_MS = 480_000;
/** Without installing or building. */
const SECOND_START_MS = 40_000;

/** Copies this checkout without anything installed or built. */
function bareClone(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "backplane-clone-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const listing = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of listing.split("\0").filter((name) => name !== "" && existsSync(join(ROOT, name)))) {
    cpSync(join(ROOT, file), join(folder, file));
  }
  return folder;
}

/** In place of npm ci and the builds. */
function takeInstalledAndBuilt(clone: string): void {
  const workspaces = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/node_modules`);
  for (const folder of ["node_modules", ...workspaces]) {
    if (existsSync(join(ROOT, folder))) symlinkSync(join(ROOT, folder), join(clone, folder));
  }
  for (const folder of ["dist", "packages/web/dist"])
    cpSync(join(ROOT, folder), join(clone, folder), { recursive: true });
}

// Only the long run installs and builds again, because it is slow. `npm test` itself does it with the same code, see
// bootstrap.mjs.
const title = isLongRun ? "installs, builds and runs" : "runs";

test(`npm start in a bare clone ${title} everything, a second one takes seconds, and all ends when npm is killed`, async (t) => {
  const clone = bareClone(t);
  if (!isLongRun) takeInstalledAndBuilt(clone);
  const npmCache = join(process.env.HOME ?? "", ".npm");
  const env = { ...plainEnvironment(), PATH: machinePath(), HOME: clone, npm_config_cache: npmCache };
  const start = { command: "npm", args: ["start"], cwd: clone, env, startMs: FIRST_START_MS };
  {
    await using backplane = await startBackplane(start);
    assert.ok(existsSync(join(clone, "packages/web/dist/index.html")));
    for (const name of PROCESS_NAMES) assert.equal((await fetch(backplane.url(name, "/health"))).status, 200, name);
    const page = await (await fetch(backplane.url("platform"))).text();
    assert.match(page, /<div id="app">/);
    const version = execFileSync(join(clone, "backplane"), ["version"], { cwd: tmpdir(), env, encoding: "utf8" });
    assert.equal(version, `${VERSION}\n`);
    const pids = descendantsOf(backplane.program.pid).map(({ pid }) => pid);
    // Ctrl-C reaches every process of the terminal's group; npm waits for its child.
    backplane.program.child.kill("SIGINT");
    await backplane.program.ended();
    assert.deepEqual(pids.filter(isAlive), []);
  }
  const startedMs = Date.now();
  await using stack = new AsyncDisposableStack();
  const { program } = isLongRun ? stack.use(await startBackplane(start)) : await startHalf(stack, start);
  assert.ok(Date.now() - startedMs < underLoad(SECOND_START_MS), "the second start took too long");
  assert.doesNotMatch(program.output, /Installing|Building/);
  const pids = descendantsOf(program.pid).map(({ pid }) => pid);
  program.child.kill("SIGKILL");
  await until(() => pids.every((pid) => !isAlive(pid)), "all processes have ended");
});

test("a port in use is reported before anything is installed", async (t) => {
  const clone = bareClone(t);
  await using server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const env = { ...plainEnvironment(), PATH: machinePath(), HOME: clone, ...portSettings(await freePorts()) };
  await using program = new Program(join(clone, "backplane"), ["up"], {
    cwd: clone,
    env: { ...env, GATEWAY_PORT: String(port) },
  });
  assert.equal(await program.ended(), 1);
  assert.equal(
    program.output,
    `Port ${port} is in use by another program. Stop that one, or set GATEWAY_PORT to another port.\n`,
  );
  assert.ok(!existsSync(join(clone, "node_modules")));
});

/** Until all processes have begun to start, which is enough to kill npm. */
async function startHalf(
  stack: AsyncDisposableStack,
  { command, args, cwd, env }: { command: string; args: string[]; cwd: string; env: NodeJS.ProcessEnv },
): Promise<{ program: Program }> {
  const program = stack.use(new Program(command, args, { cwd, env: { ...env, ...portSettings(await freePorts()) } }));
  // Up, its three children, and the gateway.
  await until(() => descendantsOf(program.pid).length >= 5, "the processes have begun to start");
  return { program };
}
