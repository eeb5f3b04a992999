import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import test from "node:test";

const parent = `
  import { runChild } from ${JSON.stringify(join(import.meta.dirname, "run-child.mjs"))};
  process.exitCode = await runChild(process.execPath, JSON.parse(process.env.CHILD_ARGS));
`;
const preload = ["--import", join(import.meta.dirname, "end-with-parent.mjs")];

/** Starts `parent`, which runs the child; returns what the child prints, line by line. */
function startParent(childArgs: string[]) {
  const child: ChildProcess = spawn(process.execPath, ["--input-type=module", "-e", parent], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, CHILD_ARGS: JSON.stringify(childArgs) },
  });
  return { child, exited: once(child, "exit"), printed: () => once(child.stdout ?? child, "data").then(String) };
}

const counting = `
  let signals = 0;
  const count = () => { signals += 1; setTimeout(() => process.exit(40 + signals), 300); };
  process.on("SIGINT", count).on("SIGTERM", count);
  setInterval(() => {}, 1000);
  console.log("ready");
`;

test("a doubled signal reaches the child once, and the child's exit code comes back", async () => {
  const { child, exited, printed } = startParent(["-e", counting]);
  await printed();
  child.kill("SIGINT");
  child.kill("SIGTERM");
  child.kill("SIGINT");
  assert.deepEqual(await exited, [41, null]);
});

test("a child that was ended by a signal gives 128 plus the signal's number", async () => {
  const { exited } = startParent(["-e", "process.kill(process.pid, 'SIGKILL')"]);
  assert.deepEqual(await exited, [137, null]);
});

test("a child whose parent is killed is asked to end", async () => {
  const ending = `process.on("SIGTERM", () => { console.log("asked"); process.exit(0); });
    setInterval(() => {}, 1000); console.log("ready");`;
  const { child, printed } = startParent([...preload, "-e", ending]);
  await printed();
  child.kill("SIGKILL");
  assert.equal((await printed()).trim(), "asked");
});
