import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempDisposableSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openTokenStore } from "@backplane/sdk/tokens";
import { runLineHere } from "../run-here.suite.ts";

const BIN = fileURLToPath(new URL("../../bin/backplane.js", import.meta.url));
const SECRET = "c4nary";

/** A temporary home folder with a token store. */
function openHome() {
  const home = mkdtempDisposableSync(join(tmpdir(), "cli-connect-"));
  const folder = join(home.path, ".backplane/tokens");
  const where = { cwd: home.path, env: { PATH: process.env.PATH, HOME: home.path } };
  return {
    folder,
    store: openTokenStore({ folder }),
    /** In this process, which takes a tenth of the time. */
    connect: (...args: string[]) => runLineHere(where, ["connect", ...args]),
    /** As a process of its own, as people run it. */
    connectProcess: (...args: string[]) =>
      spawnSync(process.execPath, [BIN, "connect", ...args], { ...where, encoding: "utf8" }),
    [Symbol.dispose]: () => home.remove(),
  };
}

const record = (expiresInMs: number, more = {}) => ({
  accessToken: SECRET,
  expiresAt: Date.now() + expiresInMs,
  ...more,
});

test("wrong usage is exit code 2, with the next step", async () => {
  using home = openHome();
  for (const [args, says] of [
    [[], /name the provider/],
    [["parts", "--timeout", "601"], /from 1 to 600/],
    [["parts", "--param", "offline"], /name=value/],
    [["parts", "--client-auth", "jwt"], /post, basic/],
  ] as const) {
    const { status, stderr } = await home.connect(...args);
    assert.equal(status, 2);
    assert.match(stderr, says);
  }
});

test("without credentials it names the file in the home folder, for people and for programs", async () => {
  using home = openHome();
  const text = await home.connect("parts");
  assert.deepEqual([text.status, text.stdout], [2, ""]);
  assert.match(text.stderr, /^■ No credentials for parts: .*\/\.backplane\/credentials\/parts\.json does not exist\./);
  const json = await home.connect("../parts", "--json");
  assert.equal(json.status, 2);
  const { error } = JSON.parse(json.stdout);
  assert.equal(error.code, "credentials-missing");
  assert.match(error.message, /--credentials <file>/);
});

test("options that cannot work are refused before the user is asked", async () => {
  using home = openHome();
  const file = join(home.folder, "../../app.json");
  const endpoints = { authUrl: "https://p.example/auth", tokenUrl: "https://p.example/token" };
  const refuses = async (app: object, args: string[], says: RegExp) => {
    writeFileSync(file, JSON.stringify({ clientId: "client-1", ...endpoints, ...app }));
    const { status, stdout, stderr } = await home.connect("parts", "--credentials", file, ...args);
    assert.equal(status, 2);
    assert.match(stderr, says);
    assert.doesNotMatch(stdout, /Open this address/);
  };
  await refuses({ tokenUrl: "http://keycloak:8080/token" }, [], /^■ tokenUrl is not encrypted; .*https/);
  await refuses({}, ["--client-auth", "basic"], /^■ clientSecret is missing/);
  await refuses({ extraParams: { state: "mine" } }, [], /^■ extraParams\.state is set by the flow/);
});

test("a store that cannot be read or written is reported, not thrown", async () => {
  using home = openHome();
  mkdirSync(dirname(home.folder));
  writeFileSync(home.folder, "a file where the folder should be");
  for (const args of [["--list"], ["parts", "--forget"]]) {
    const { status, stderr } = await home.connect(...args);
    assert.equal(status, 1);
    assert.match(stderr, /^■ .*tokens\S* cannot be (read|written) \(E/);
  }
});

test("the list says what is connected, until when, and what to do about the rest; never a token", async () => {
  using home = openHome();
  assert.match(
    (await home.connect("--list")).stdout,
    /Nothing is connected\. Connect with: backplane connect <provider>/,
  );
  await home.store.write("parts", "ada", record(3_600_000, { refreshToken: SECRET }));
  await home.store.write("Parts 2.0", "ada@example.org", record(-1));
  await home.store.write("x".repeat(90), "ada", record(3_600_000));
  writeFileSync(join(home.folder, "broken.ada.json"), SECRET);
  const { stdout, status } = home.connectProcess("--list");
  assert.equal(status, 0);
  assert.match(stdout, /● parts +ada +until .*for \d+ min; then refreshed on use/);
  assert.match(stdout, /○ Parts 2\.0 +ada@example\.org +expired; connect again/);
  assert.match(stdout, /● x{90} +ada +until/);
  assert.match(stdout, /■ broken +ada +the file contains no tokens; connect again/);
  const { connections } = JSON.parse((await home.connect("--list", "--json")).stdout);
  assert.equal(connections.length, 4);
  const { provider, refreshable, path } = connections.find((one: { provider: string }) => one.provider === "parts");
  assert.deepEqual([provider, refreshable, path], ["parts", true, join(home.folder, "parts.ada.json")]);
  assert.doesNotMatch(stdout + JSON.stringify(connections), new RegExp(SECRET));
});

test("a name cannot send control codes to the terminal", async () => {
  using home = openHome();
  await home.store.write("evil\x1b[2J", "ada", record(1_000));
  const { stdout } = await home.connect("--list");
  assert.ok(stdout.includes("evil [2J") && !stdout.includes("\x1b"));
});

test("forgetting removes only that user's tokens, and is not a failure the second time", async () => {
  using home = openHome();
  await home.store.write("parts", "ada", record(1_000));
  await home.store.write("parts", "grace", record(1_000));
  const first = home.connectProcess("parts", "--forget", "--user", "ada");
  assert.equal(first.status, 0);
  assert.match(first.stdout, /The tokens of ada for parts are removed/);
  assert.deepEqual(
    readdirSync(home.folder).filter((name) => name.endsWith(".json")),
    ["parts.grace.json"],
  );
  const second = await home.connect("parts", "--forget", "--user", "ada", "--json");
  assert.deepEqual([second.status, JSON.parse(second.stdout).wasConnected], [0, false]);
});
