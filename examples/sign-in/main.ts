// npm run example sign-in: runs the program and the guide's curl commands against a Backplane, approves or denies as a
// person, and asserts the results.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
// A stand-in for what you already have: the platform of a running Backplane, and the command.
import { startPlatform } from "../../e2e/support/platform.ts";
import { programOf } from "../../scripts/programs.ts";
import { signInAsPerson } from "./person.ts";

const PROGRAM = fileURLToPath(new URL("program.ts", import.meta.url));
const GUIDE = fileURLToPath(new URL("../../docs/guides/sign-in.md", import.meta.url));

await using platform = await startPlatform();
const baseUrl = platform.pages;
const { name, password } = JSON.parse(readFileSync(join(platform.home, "owner.json"), "utf8"));
const person = await signInAsPerson({ baseUrl, name, password });

/** The person compares the code of every link that the program prints, and decides. Returns the whole output. */
async function run(program: ChildProcess, decision: "approve" | "deny"): Promise<{ text: string; status: unknown }> {
  const ended = once(program, "exit");
  const lines: string[] = [];
  let link = "";
  for await (const line of createInterface({ input: program.stdout ?? process.stdin })) {
    lines.push(line);
    link = /^Open (http\S+)$/.exec(line)?.[1] ?? link;
    const [, code] = /^Approve if the page shows (\S+)\.$/.exec(line) ?? [];
    if (code === undefined) continue;
    assert.equal((await person.look(link)).confirmation_code, code);
    assert.equal(await person.answer(link, decision), 200);
  }
  const [status] = await ended;
  return { text: lines.join("\n"), status };
}

const startProgram = () => spawn(process.execPath, [PROGRAM, baseUrl], { stdio: ["ignore", "pipe", "inherit"] });

const approved = await run(startProgram(), "approve");
assert.equal(approved.status, 0, approved.text);
assert.match(approved.text, new RegExp(`Signed in as ${name}, by a session of kind Application\\.`));
console.log(`Approved: ${approved.text.split("\n").at(-1)}`);

const denied = await run(startProgram(), "deny");
assert.equal(denied.status, 1);
assert.match(denied.text, /The sign-in was denied\./);
console.log(`Denied: ${denied.text.split("\n").at(-1)}`);

const hasTools = ["curl", "openssl"].every((tool) => spawnSync(tool, ["--version"]).error === undefined);
if (hasTools) {
  const blocks = [...readFileSync(GUIDE, "utf8").matchAll(/```sh\n(.*?)```/gs)].map(([, block = ""]) => block);
  const command = `backplane() { '${process.execPath}' '${programOf("cli")}' "$@"; }`;
  const env = { ...process.env, BASE_URL: baseUrl };
  const shell = spawn("sh", ["-eu", "-c", [command, ...blocks].join("\n")], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const guide = await run(shell, "approve");
  assert.equal(guide.status, 0, guide.text);
  assert.equal(guide.text.match(/^Open http/gm)?.length, 2);
  assert.equal(guide.text.match(new RegExp(`"name":"${name}"`, "g"))?.length, 2, guide.text);
  console.log("The guide's curl commands work.");
} else console.log("The guide's commands were not run: curl or openssl is missing.");
