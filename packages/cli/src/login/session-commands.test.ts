import assert from "node:assert/strict";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { openHome, type Platform, SESSION, startPlatform } from "./platform.suite.ts";

let platform: Platform;
let signedIn: ReturnType<typeof openHome>;
before(async () => {
  platform = await startPlatform();
  signedIn = openHome();
  assert.equal((await signedIn.run(["login", "--url", platform.url])).status, 0);
});
afterEach(() => {
  platform.mood.isSignedIn = true;
});
after(async () => {
  signedIn?.[Symbol.dispose]();
  await platform?.[Symbol.asyncDispose]();
});

/** A home in which somebody has signed in at the platform. */
function openSignedIn() {
  const home = openHome();
  cpSync(signedIn.folder, home.folder, { recursive: true, preserveTimestamps: true });
  return home;
}

const storedFiles = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".json"));

test("whoami prints who, how and until when, and names cannot send control codes to the terminal", async () => {
  using home = openSignedIn();
  const { status, stdout } = await home.runProcess(["whoami"], { BASE_URL: platform.url });
  assert.equal(status, 0);
  assert.match(stdout, /^● Ada +\[2JLovelace, signed in at http/);
  assert.match(stdout, /Using +a program's session, "bench"\n {2}Valid +until .*, for 90 days/);
  assert.match(
    stdout,
    /Member of +lab \(owner\)\n {2}Invited to +club\nAccept or decline at http.*\/account#organisations/,
  );
  const answer = JSON.parse((await home.run(["whoami", "--json", "--url", platform.url])).stdout);
  assert.deepEqual([answer.baseUrl, answer.user.name, answer.session.kind], [platform.url, "ada", "Application"]);
});

test("without a session every command says: run backplane login", async () => {
  using home = openSignedIn();
  for (const name of ["whoami", "sessions", "logout"]) {
    const { status, stderr } = await home.run([name]);
    assert.equal(status, 4);
    assert.match(stderr, /^■ You are not signed in at http:\/\/localhost:8790\.\n {2}Run backplane login\n/);
    assert.ok(stderr.includes(`There is a session for ${platform.url}: add --url ${platform.url}`), stderr);
  }
});

test("a session that was ended elsewhere says the same", async () => {
  using home = openSignedIn();
  platform.mood.isSignedIn = false;
  for (const name of ["whoami", "sessions"]) {
    const { status, stderr } = await home.run([name, "--url", platform.url]);
    assert.equal(status, 4);
    assert.match(stderr, /^■ The session or API key is not valid at http.*\.\n {2}Run backplane login --url/);
  }
  assert.equal((await home.run(["logout", "--url", platform.url])).status, 0);
  assert.deepEqual(storedFiles(home.folder), []);
});

test("sessions are printed as a table, and --end takes the beginning of an id", async () => {
  using home = openSignedIn();
  const url = ["--url", platform.url];
  const { status, stdout } = await home.run(["sessions", ...url]);
  assert.equal(status, 0);
  assert.match(stdout, /● aaaa1111 {2}bench +application {2}Linux, Node 24 {2}127\.0\.0\.1 {2}this one/);
  assert.match(
    stdout,
    /○ bbbb2222 {2}Chromium on Linux {2}browser +unknown +127\.0\.0\.1 {2}used 6\d min ago {2}until/,
  );
  assert.equal(JSON.parse((await home.run(["sessions", "--json", ...url])).stdout).sessions.length, 3);
  for (const [id, exit, says] of [
    ["bbbb", 6, /2 session ids begin with this/],
    ["cccc", 5, /No session has this id/],
    ["aaaa", 6, /End it with: backplane logout/],
  ] as const) {
    const refused = await home.run(["sessions", "--end", id, ...url]);
    assert.equal(refused.status, exit);
    assert.match(refused.stderr, says);
  }
  const ended = await home.run(["sessions", "--end", "bbbb2", ...url]);
  assert.equal(ended.status, 0);
  assert.match(ended.stdout, /"Chromium on Linux" at 127\.0\.0\.1 is signed out/);
  assert.equal(platform.asked.at(-1)?.line, "DELETE /auth/sessions/bbbb2222-2");
});

test("logout ends the session at the server, then forgets it; without the server only with --force", async () => {
  const platform = await startPlatform();
  using home = openHome();
  const url = ["--url", platform.url];
  assert.equal((await home.run(["login", ...url])).status, 0);
  assert.match((await home.runProcess(["logout", ...url])).stdout, /^○ Signed out at http/);
  assert.deepEqual(platform.asked.at(-1), { line: "DELETE /auth/logout", token: SESSION, body: "" });
  assert.deepEqual(storedFiles(home.folder), []);

  await home.run(["login", ...url]);
  await platform[Symbol.asyncDispose]();
  const away = await home.run(["logout", ...url]);
  assert.equal(away.status, 3);
  assert.match(away.stderr, /does not answer/);
  assert.match(away.stderr, /--force/);
  assert.equal(storedFiles(home.folder).length, 1);
  const forced = await home.run(["logout", "--force", ...url]);
  assert.equal(forced.status, 0);
  assert.match(forced.stdout, /forgotten here, but not ended at/);
  assert.deepEqual(storedFiles(home.folder), []);
});

test("a damaged session file is reported, and can be forgotten", async () => {
  using home = openSignedIn();
  const [file = ""] = storedFiles(home.folder);
  writeFileSync(join(home.folder, file), "{");
  const { status, stderr } = await home.run(["whoami", "--url", platform.url]);
  assert.equal(status, 1);
  assert.match(stderr, /^■ .*\.json cannot be read\.\n {2}Remove it, then run backplane login/);
  assert.equal((await home.run(["logout", "--force", "--url", platform.url])).status, 0);
});

test("BACKPLANE_TOKEN is used if it is set, and never written", async () => {
  await using platform = await startPlatform();
  using home = openHome();
  const env = { BACKPLANE_TOKEN: "bpk_c4nary", BASE_URL: platform.url };
  const { status, stdout, stderr } = await home.run(["whoami"], env);
  assert.equal(status, 0);
  assert.match(stdout, /from BACKPLANE_TOKEN/);
  assert.equal(platform.asked.at(-1)?.token, "bpk_c4nary");
  assert.doesNotMatch(stdout + stderr, /c4nary/);
  assert.equal((await home.run(["logout"], env)).status, 4);
});

test("a wrong BACKPLANE_TOKEN is named as such: signing in again would not help", async () => {
  using home = openSignedIn();
  const refused = async (token: string) => home.run(["whoami", "--url", platform.url], { BACKPLANE_TOKEN: token });
  const words = [
    `■ The token in BACKPLANE_TOKEN is not valid at ${platform.url}.`,
    `  Set it to an API key from ${platform.url}/account#api-keys`,
    `  Or unset it, and run backplane login --url ${platform.url}`,
  ];
  platform.mood.isSignedIn = false;
  const ended = await refused("bpk_c4nary");
  assert.deepEqual([ended.status, ended.stderr.trimEnd().split("\n")], [4, words]);
  const asked = platform.asked.length;
  // As it is written in a guide.
  const copied = await refused("bpk_…");
  assert.deepEqual([copied.status, copied.stderr.trimEnd().split("\n")], [2, words]);
  assert.equal(platform.asked.length, asked);
});

test("the .env of a folder does not choose where BACKPLANE_TOKEN goes", async () => {
  await using platform = await startPlatform();
  using home = openHome();
  writeFileSync(join(home.path, ".env"), `BASE_URL=${platform.url}\n`);
  // Nothing listens on port 1.
  await home.run(["whoami"], { BACKPLANE_TOKEN: "bpk_c4nary", PLATFORM_PORT: "1" });
  assert.equal(platform.asked.length, 0);
});
