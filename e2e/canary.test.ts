import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pastesFolder } from "../packages/viewer/src/pastes/storage/folder.ts";
import { PROCESS_NAMES, type RunningBackplane, startBackplane } from "./support/backplane.ts";
import { connectClient } from "./support/gateway.ts";
import { createIntent, readStream, signInAs } from "./support/person.ts";
import { tokenIn } from "./support/viewer.ts";

const CANARY = "cAnArY0123456789abcdefCANARY";

/** Sends secrets everywhere a client could put one, correctly or not. */
async function sendSecrets(base: string, port: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${CANARY}`,
    "x-api-key": `bpk_${CANARY}`,
    "x-code-verifier": CANARY,
    "x-viewer-token": CANARY,
    cookie: `session_token=tok_${CANARY}; other=${CANARY}`,
    referer: `http://localhost/?code=${CANARY}`,
  };
  const paths = [
    `/callback?code=${CANARY}&state=${CANARY}`,
    `/callback?error=access_denied&state=${CANARY}`,
    `/auth/intent?token=${CANARY}`,
    `/auth/intents/${CANARY}/status`,
    `/health?token=${CANARY}`,
    `/${CANARY}`,
    `/%zz?code=${CANARY}`,
    `/docs/${CANARY}`,
    `/screenshot-paste/${CANARY}?instance=${CANARY}`,
  ];
  for (const path of paths) {
    for (const method of ["GET", "HEAD", "POST", "PATCH", "DELETE"]) {
      const response = await fetch(`${base}${path}`, { method, headers });
      await response.arrayBuffer();
    }
  }
  for (const [type, body] of [
    ["application/json", JSON.stringify({ password: CANARY, [CANARY]: CANARY })],
    ["application/json", `{"token":"${CANARY}`],
    ["application/x-www-form-urlencoded", `client_secret=${CANARY}`],
    ["text/plain", CANARY],
  ] as const) {
    const response = await fetch(`${base}/auth/login`, {
      method: "POST",
      headers: { ...headers, "content-type": type },
      body,
    });
    await response.arrayBuffer();
  }
  for (const raw of [
    `GET /${CANARY} NONSENSE\r\n\r\n`,
    `${CANARY}\r\n\r\n`,
    `GET / HTTP/1.1\r\nX: ${CANARY.repeat(1_000)}\r\n\r\n`,
  ]) {
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.end(raw);
    for await (const _ of socket);
  }
}

/** Complete flows, good and bad: registered, delivered, refused, repeated. */
async function routeSecrets(url: string): Promise<void> {
  const wsUrl = url.replace("http", "ws");
  const client = await connectClient({ wsUrl });
  const challenge = hash("sha256", CANARY, "base64url");
  for (const message of [
    { type: "register", state: CANARY, provider: `provider-${CANARY}`, challenge, secret: CANARY, ack: false },
    { type: "register", state: CANARY.slice(0, 10), provider: CANARY },
    { type: CANARY, state: CANARY },
    { type: "unregister", state: `${CANARY}-other` },
    CANARY,
  ]) {
    await client.ask(message);
  }
  for (const accept of ["text/html", "application/json"]) {
    for (const query of [`code=${CANARY}&state=${CANARY}&extra=${CANARY}`, `code=${CANARY}&code=${CANARY}`]) {
      await (await fetch(`${url}/callback?${query}`, { headers: { accept } })).arrayBuffer();
      const body = new URLSearchParams(query);
      await (await fetch(`${url}/callback`, { method: "POST", body, headers: { accept } })).arrayBuffer();
    }
  }
  const delivered = await client.next();
  assert.equal(delivered.type === "callback" && delivered.code, CANARY);
  client.socket.send(`{"type":"register","state":"${CANARY}`);
  client.socket.send(Buffer.from(CANARY));
  client.socket.send(CANARY.repeat(1_000));
  await client.next();
  client.socket.terminate();
}

const PASSWORD = `${CANARY}-password`;
const SESSION = /tok_[\w-]{43}/;

/** Complete sign-ins, good and bad. Returns every secret that was created or used, by description. */
async function signInWithSecrets(url: string): Promise<Record<string, string>> {
  const json = { "content-type": "application/json" };
  const post = (path: string, body: unknown) =>
    fetch(`${url}${path}`, { method: "POST", headers: json, body: JSON.stringify(body) });
  const owner = await signInAs(url, { name: "owner", password: PASSWORD });
  const call = async (path: string, init: { method: string; body?: unknown }) =>
    (await owner.call(url, path, init)).json() as Promise<Record<string, string>>;

  const { key: apiKey = "" } = await call("/auth/api-keys", { method: "POST", body: { name: "ci", scopes: ["read"] } });
  const { url: link = "" } = await call("/auth/invitations", { method: "POST", body: { note: "for grace" } });
  const invitation = link.split("#")[1] ?? "";
  await (await post("/auth/invitations/check", { invitation })).arrayBuffer();
  const account = { invitation, name: "grace", email: "grace@example.org", password: `${CANARY}-of-grace` };
  const joined = await post("/auth/accounts", account);
  const [joinedSession = ""] = SESSION.exec(joined.headers.getSetCookie().join()) ?? [];
  await post("/auth/accounts", { ...account, name: "again" });
  const { url: resetLink = "" } = await call("/auth/users/grace/reset-link", { method: "POST" });
  const reset = resetLink.split("#")[1] ?? "";
  await (await post("/auth/password/reset/check", { token: reset })).arrayBuffer();
  await (await post("/auth/password/reset", { token: reset, new_password: "short" })).arrayBuffer();
  const change = { current_password: PASSWORD, new_password: `${CANARY}-changed` };
  assert.equal((await owner.call(url, "/auth/password", { method: "PUT", body: change })).status, 204);

  const verifier = `${CANARY}-verifier-${"v".repeat(20)}`;
  const code_challenge = hash("sha256", verifier, "base64url");
  const intent = await createIntent(url, { code_challenge, app_name: "bench-agent" });
  const status = `${url}/auth/intents/${intent.token}/status`;
  const proof = { "x-code-verifier": verifier };
  const streamed = readStream(status, proof);
  await (await fetch(status, { headers: proof })).arrayBuffer();
  await (await fetch(status, { headers: { "x-code-verifier": `${CANARY}-wrong` } })).arrayBuffer();
  await (await fetch(intent.auth_url, { headers: { accept: "text/html" } })).arrayBuffer();
  await owner.call(url, `/auth/intents/${intent.token}/request`);
  assert.equal((await owner.decide(url, intent.token)).status, 200);
  const [event] = await streamed;
  const [program = ""] = SESSION.exec(event?.data ?? "") ?? [];
  const denied = await createIntent(url);
  await owner.decide(url, denied.token, "deny");
  const waiting = await createIntent(url);

  for (const headers of [{ authorization: `Bearer ${program}` }, { "x-api-key": apiKey }]) {
    assert.equal((await fetch(`${url}/user`, { headers })).status, 200);
  }
  await (await post("/auth/login", { name: "owner", password: `${CANARY}-wrong` })).arrayBuffer();
  const [browser = ""] = SESSION.exec(owner.cookie) ?? [];
  return {
    "the first password": PASSWORD,
    "the password": change.new_password,
    "another's password": account.password,
    "a browser's session": browser,
    "another's session": joinedSession,
    "a program's session": program,
    "an API key": apiKey,
    "an invitation": invitation,
    "a reset link": reset,
    "an approved link": intent.token,
    "a denied link": denied.token,
    "an open link": waiting.token,
    "a verifier": verifier,
  };
}

/** Pastes a screenshot as a page and as a program. Returns the tokens they use. */
async function pasteWithSecrets({ home, project, url }: { home: string; project: string; url: string }) {
  const address = `${url}/screenshot-paste`;
  const pageToken = tokenIn(await (await fetch(address)).text());
  const { secret } = JSON.parse(readFileSync(pastesFolder(project).server, "utf8")) as { secret: string };
  const viewerToken = readFileSync(join(home, "viewer-token"), "utf8").trim();
  const form = new FormData();
  form.append("image", new Blob([CANARY]), `${CANARY}.png`);
  for (const headers of [
    { "x-viewer-token": pageToken },
    { authorization: `Bearer ${secret}` },
    { authorization: `Bearer ${viewerToken}`, "x-forwarded-for": "203.0.113.9" },
  ]) {
    assert.equal((await fetch(`${address}/list`, { headers })).status, 200);
    assert.equal((await fetch(address, { method: "POST", headers, body: form })).status, 415);
  }
  return {
    "the token of the viewer's page": pageToken,
    "the viewer's secret": secret,
    "the viewer's token for other machines": viewerToken,
  };
}

let backplane: RunningBackplane;
let secrets: Record<string, string>;
before(async () => {
  backplane = await startBackplane({ env: { LOG_LEVEL: "trace", BACKPLANE_OWNER_PASSWORD: PASSWORD } });
  secrets = {
    ...(await signInWithSecrets(backplane.url("platform"))),
    ...(await pasteWithSecrets({
      home: backplane.home,
      project: dirname(backplane.home),
      url: backplane.url("viewer"),
    })),
  };
  for (const [what, secret] of Object.entries(secrets)) assert.ok(secret.length > 20, `${what} was collected`);
});
after(() => backplane?.[Symbol.asyncDispose]());

test("a copy of the database contains no usable password, session, key, invitation, link or verifier", () => {
  const files = readdirSync(backplane.home).filter((name) => /\.(db|sqlite)/.test(name));
  assert.ok(
    files.some((name) => name.endsWith("-wal")),
    `the database's write-ahead log is among ${files}`,
  );
  const copy = Buffer.concat(files.map((name) => readFileSync(join(backplane.home, name)))).toString("latin1");
  for (const [what, secret] of Object.entries(secrets)) {
    for (const form of ["utf8", "base64", "base64url", "hex"] as const) {
      // 18 bytes are whole base64 groups, so their encoding does not depend on the bytes that follow.
      const text = Buffer.from(secret).subarray(0, 18).toString(form);
      const hint = form === "utf8" ? secret.slice(0, 16) : text;
      assert.ok(!copy.includes(hint), `${what} as ${form}`);
    }
  }
  // Make sure that the rows exist, or this test proves nothing.
  assert.ok(copy.includes("bench-agent"));
  for (const what of ["a program's session", "an API key", "an invitation", "a reset link", "an approved link"]) {
    assert.ok(copy.includes(hash("sha256", String(secrets[what]), "hex")), `the hash of ${what}`);
  }
});

test("no output of any process contains a code, state, token, key, cookie or password that it received or made", async () => {
  for (const name of PROCESS_NAMES) await sendSecrets(backplane.url(name), backplane.ports[name]);
  await routeSecrets(backplane.url("gateway"));
  await backplane.program.stop("SIGINT");
  const logs = readdirSync(join(backplane.home, "logs"));
  assert.deepEqual(logs.sort(), PROCESS_NAMES.map((name) => `${name}.log`).sort());
  const printed = Object.fromEntries(PROCESS_NAMES.map((name) => [`${name}.log`, backplane.logOf(name)]));
  for (const [name, log] of Object.entries(printed)) {
    // Make sure that requests were logged, or this test proves nothing.
    const logged = log.split("\n").filter((line) => line.includes('"answered"')).length;
    assert.ok(logged > 30, `${name} logged only ${logged} of its requests`);
  }
  for (const [name, text] of Object.entries({ ...printed, "the terminal": backplane.program.output })) {
    assert.ok(!text.includes(CANARY), name);
    for (const [what, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${what} in ${name}`);
  }
  const owner = readFileSync(join(backplane.home, "owner.json"), "utf8");
  assert.ok(owner.includes(CANARY), "the password was used");
});
