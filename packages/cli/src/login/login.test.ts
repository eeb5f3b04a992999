import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { CODE, openHome, SESSION, startPlatform } from "./platform.suite.ts";

test("login prints address and code, stores the session for this account only, and never prints it", async () => {
  using home = openHome();
  await using platform = await startPlatform();
  const { status, stdout, stderr } = await home.runProcess([
    "login",
    "--url",
    `${platform.url}/`,
    "--max-age",
    "12h",
    "--name",
    "bench",
  ]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.ok(stdout.includes(`${platform.url}/auth/intent?token=int_x`) && stdout.includes(CODE));
  assert.match(
    stdout,
    /● Signed in as ada at http.*\n {2}Session .*, for this account only\n {2}Valid +until .*, for 90 days/,
  );
  assert.doesNotMatch(stdout, new RegExp(SESSION));
  const { max_age, app_name } = JSON.parse(String(platform.asked[0]?.body));
  assert.deepEqual([max_age, app_name], [43_200, "bench"]);
  const [file = ""] = readdirSync(home.folder).filter((name) => name.endsWith(".json"));
  assert.equal(statSync(join(home.folder, file)).mode & 0o777, 0o600);
  assert.equal(statSync(home.folder).mode & 0o777, 0o700);
  assert.equal(JSON.parse(readFileSync(join(home.folder, file), "utf8")).accessToken, SESSION);
});

test("login --json prints one line of JSON per step", async () => {
  using home = openHome();
  await using platform = await startPlatform();
  const { status, stdout } = await home.run(["login", "--json"], { BASE_URL: platform.url });
  assert.equal(status, 0);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map(({ event }) => event),
    ["open", "progress", "signed-in"],
  );
  assert.deepEqual([lines[0].confirmationCode, lines.at(-1).user, lines.at(-1).baseUrl], [CODE, "ada", platform.url]);
  assert.doesNotMatch(stdout, new RegExp(SESSION));
});

test("a second login ends the session of the first", async () => {
  using home = openHome();
  await using platform = await startPlatform();
  for (const _ of [1, 2]) assert.equal((await home.run(["login", "--url", platform.url])).status, 0);
  assert.equal(platform.asked.filter(({ line }) => line === "DELETE /auth/logout").length, 1);
});

test("denied, expired and unreachable each have their exit code and next step", async () => {
  using home = openHome();
  const platform = await startPlatform();
  for (const [mood, exit, says] of [
    ["denied", 4, /^■ The sign-in was denied\. Start again/],
    ["expired", 1, /^■ The sign-in link has expired\. .* Start again/],
  ] as const) {
    platform.mood.status = mood;
    const { status, stderr } = await home.run(["login", "--url", platform.url]);
    assert.equal(status, exit);
    assert.match(stderr, says);
  }
  await platform[Symbol.asyncDispose]();
  const { status, stderr } = await home.run(["login", "--url", platform.url]);
  assert.equal(status, 3);
  assert.match(stderr, /does not answer \(ECONNREFUSED\)\..*\n {2}Start one on this machine with: backplane up\n/s);
  const { error } = JSON.parse((await home.run(["login", "--url", platform.url, "--json"])).stdout);
  assert.equal(error.code, "unreachable");
});

test("wrong usage and wrong settings are exit code 2", async () => {
  using home = openHome();
  for (const [args, says] of [
    [["login", "--max-age", "1s"], /from 60s to 365d/],
    [["login", "--max-age", "2y"], /from 60s to 365d/],
    [["login", "--url", "localhost:8790"], /^■ localhost:8790 does not begin with https:\/\/ or http:\/\//],
    [["login", "--url", "http://backplane.example"], /is not encrypted; .* add --allow-http/],
    [["whoami", "now"], /too many arguments/],
  ] as const) {
    const { status, stderr } = await home.run(args);
    assert.equal(status, 2, stderr);
    assert.match(stderr, says);
  }
  assert.equal((await home.run(["login"], { BASE_URL: "nowhere" })).status, 2);
});

test("Ctrl-C ends the wait cleanly and stores nothing", async () => {
  using home = openHome();
  await using platform = await startPlatform();
  platform.mood.status = "waiting";
  const child = home.start(["login", "--url", platform.url]);
  const stderr = text(child.stderr);
  child.stdout.on("data", (chunk) => String(chunk).includes("Waiting for your answer") && child.kill("SIGINT"));
  const [status] = await once(child, "exit");
  assert.deepEqual([status, await stderr], [130, "○ Stopped.\n"]);
  assert.equal((await home.run(["whoami", "--url", platform.url])).status, 4);
});

test("a home folder that cannot be written is reported, and the unused session is ended", async () => {
  using home = openHome();
  await using platform = await startPlatform();
  writeFileSync(join(home.path, ".backplane"), "a file where the folder should be");
  const { status, stderr } = await home.run(["login", "--url", platform.url]);
  assert.equal(status, 1);
  assert.match(stderr, /^■ .*sessions.* cannot be written/);
  assert.deepEqual(platform.asked.at(-1), { line: "DELETE /auth/logout", token: SESSION, body: "" });
});
