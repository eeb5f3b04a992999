import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EXIT } from "@backplane/contract/problems";
import { VERSION } from "@backplane/kit/version";
import { backplane, backplaneHere } from "./run-backplane.suite.ts";
import { TOPICS } from "./topics.ts";

test("version is printed by the command and by the option", () => {
  for (const args of [["version"], ["--version"], ["-v"]]) {
    const { status, stdout } = backplane(args);
    assert.deepEqual([status, stdout], [0, `${VERSION}\n`]);
  }
});

test("the help names every command and the exit codes", async () => {
  const { status, stdout } = await backplaneHere(["--help"]);
  assert.equal(status, 0);
  for (const word of ["up", "doctor", "version", "help", "Exit codes"])
    assert.match(stdout, new RegExp(`\\b${word}\\b`));
  assert.match((await backplaneHere(["help", "doctor"])).stdout, /--json/);
});

test("help, README and the guide of packages name the exit codes of the contract, and no others", async () => {
  const words =
    "0 done, 1 failed, 2 wrong usage or settings, 3 not reachable, 4 not allowed, 5 not found, 6 conflict or refused, 130 interrupted";
  const codes = Object.values(EXIT);
  assert.deepEqual([...words.matchAll(/\d+/g)].map(Number), codes);
  const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  for (const text of [(await backplaneHere(["pkg", "--help"])).stdout, read("README.md")]) {
    assert.ok(text.replaceAll("\n", " ").includes(words), text);
  }
  const [, table = ""] = read("docs/guides/packages.md").split(/^## Exit codes$|^## Over HTTP$/m);
  assert.deepEqual(
    [...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code)),
    codes,
  );
});

test("an unknown command or option is refused, with the nearest match", async () => {
  const command = await backplaneHere(["docter"]);
  assert.equal(command.status, 2);
  assert.match(command.stderr, /unknown command 'docter'\s+\(Did you mean doctor\?\)/);
  const option = await backplaneHere(["doctor", "--jsn"]);
  assert.equal(option.status, 2);
  assert.match(option.stderr, /unknown option '--jsn'\s+\(Did you mean --json\?\)/);
});

test("a reader that closes the pipe early, such as head, gets no fault", () => {
  const main = new URL("../bin/backplane.js", import.meta.url).pathname;
  for (const words of ["--help", "pkg --help", "version", "completion bash"]) {
    // The pipe has no reader before the command writes.
    const line = `{ sleep 0.1; "$0" "$1" ${words}; echo "ended with $?" >&2; } | :`;
    const { stderr } = spawnSync("sh", ["-c", line, process.execPath, main], { encoding: "utf8" });
    assert.equal(stderr, "ended with 0\n", words);
  }
});

test("an extra argument is refused", async () => {
  assert.equal((await backplaneHere(["up", "now"])).status, 2);
});

test("messages and help write the command as the executable that was started is called elsewhere", async () => {
  const env = { BACKPLANE_COMMAND: "/home/ada/clone/backplane" };
  const refused = await backplaneHere(["whoami"], env);
  assert.match(refused.stderr, /\n {2}Run \/home\/ada\/clone\/backplane login\n/);
  assert.match(
    (await backplaneHere(["panel", "open", "--help"], env)).stdout,
    /^Usage: \/home\/ada\/clone\/backplane panel open /,
  );
});

test("wrong usage names the help of the command that it is about", async () => {
  for (const [args, hint] of [
    [["docter"], "Run backplane --help to see every command."],
    [["pkg", "instal"], "Run backplane pkg --help to see every command."],
    [["pkg", "search", "--limit", "0"], "Run backplane pkg search --help to see every option."],
    [["pkg", "repo", "add"], "Run backplane pkg repo add --help to see every option."],
    [["panel", "layout", "resize", "a"], "Run backplane panel layout resize --help to see every option."],
  ] as const) {
    const { status, stderr } = await backplaneHere(args);
    assert.equal(status, 2);
    assert.ok(stderr.endsWith(`${hint}\n`), stderr);
  }
});

test("help marks the options that a command needs", async () => {
  assert.match((await backplaneHere(["pkg", "unpublish", "--help"])).stdout, /--reason <text> +why; required/);
});

test("help prints the help of a command, or a guide with the addresses and the command of this Backplane", async () => {
  assert.match((await backplaneHere(["help", "pkg", "repo", "add"])).stdout, /^Usage: backplane pkg repo add /);
  const env = { PLATFORM_PORT: "18790", BACKPLANE_COMMAND: "/opt/bp/backplane" };
  const printed = new Map<string, string>();
  for (const { name } of TOPICS) {
    const { status, stdout } = await backplaneHere(["help", name], env);
    printed.set(name, stdout);
    assert.equal(status, 0, name);
    assert.ok(stdout.length > 1_000, name);
    assert.doesNotMatch(stdout, /http:\/\/localhost:8790|!\[|^backplane /m, name);
  }
  const packages = printed.get("packages") ?? "";
  assert.match(packages, /^\/opt\/bp\/backplane pkg install /m);
  assert.ok(packages.includes("The tests (examples/publish-a-package/README.md) do"));
  assert.ok(packages.includes("the README (README.md) says"));
  assert.doesNotMatch(packages, /\(#/, "places on the same page are not named");
  assert.ok(printed.get("callbacks")?.includes("connect.md (/opt/bp/backplane help oauth)"));
  const unknown = await backplaneHere(["help", "soldering"]);
  assert.equal(unknown.status, 2);
  assert.match(unknown.stderr, /there is no command or topic 'soldering'/);
});

let script: string | undefined;

/** What bash offers for the last word. */
async function completed(...words: string[]): Promise<string[]> {
  script ??= (await backplaneHere(["completion", "bash"])).stdout;
  const line = words.map((word) => `'${word}'`).join(" ");
  const ask = `COMP_WORDS=(backplane ${line}); COMP_CWORD=${words.length}; _backplane; echo "\${COMPREPLY[@]}"`;
  const { stdout } = spawnSync("bash", ["-c", `${script}\n${ask}`], { encoding: "utf8" });
  return stdout.trim().split(" ");
}

test("bash completes commands, options and the values of options", async () => {
  assert.deepEqual(await completed("doc"), ["doctor"]);
  assert.deepEqual(await completed("pkg", "ins"), ["install"]);
  assert.deepEqual(await completed("pkg", "repo", "r"), ["remove"]);
  assert.deepEqual(await completed("pkg", "install", "--root", "x", "--dry"), ["--dry-run"]);
  assert.deepEqual(await completed("pkg", "search", "--platform", "li"), ["linux"]);
  assert.deepEqual(await completed("completion", "f"), ["fish"]);
  assert.deepEqual(await completed("help", "sign"), ["sign-in"]);
  assert.deepEqual(await completed("help", "pk"), ["pkg"]);
  assert.deepEqual(await completed("pkg", "help", "ins"), ["install"]);
});

test("zsh and fish accept their completion", async () => {
  for (const shell of ["zsh", "fish"]) {
    const { status, stdout } = await backplaneHere(["completion", shell]);
    assert.equal(status, 0);
    assert.match(stdout, /pkg install/);
    // Not every machine has these shells.
    const { error, stderr } = spawnSync(shell, ["-n"], { input: stdout, encoding: "utf8" });
    if (error === undefined) assert.equal(stderr, "", shell);
  }
});
