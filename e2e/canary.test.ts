import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { PROCESS_NAMES, startBackplane } from "./support/backplane.ts";
import { connectClient } from "./support/gateway.ts";

const CANARY = "cAnArY0123456789abcdefCANARY";

/** Every place where a client may put a secret, right or wrong. */
async function sendSecrets(base: string, port: number): Promise<void> {
  const headers = {
    authorization: `Bearer ${CANARY}`,
    "x-api-key": `bpk_${CANARY}`,
    "x-code-verifier": CANARY,
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

/** A whole flow, right and wrong: registered, delivered, refused, repeated. */
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

test("nothing that any process prints holds a code, state, token, key, cookie or password it was sent", async () => {
  await using backplane = await startBackplane({
    env: { LOG_LEVEL: "trace", BACKPLANE_OWNER_PASSWORD: `${CANARY}-password` },
  });
  for (const name of PROCESS_NAMES) await sendSecrets(backplane.url(name), backplane.ports[name]);
  await routeSecrets(backplane.url("gateway"));
  await backplane.program.stop("SIGINT");
  const logs = readdirSync(join(backplane.home, "logs"));
  assert.deepEqual(logs.sort(), PROCESS_NAMES.map((name) => `${name}.log`).sort());
  for (const name of PROCESS_NAMES) {
    const log = backplane.logOf(name);
    // The requests were logged at all, or this test proves nothing.
    const logged = log.split("\n").filter((line) => line.includes('"answered"')).length;
    assert.ok(logged > 30, `${name} logged only ${logged} of its requests`);
    assert.ok(!log.includes(CANARY), `${name}.log`);
  }
  assert.ok(!backplane.program.output.includes(CANARY), "the terminal");
  const owner = readFileSync(join(backplane.home, "owner.json"), "utf8");
  assert.ok(owner.includes(CANARY), "the password was used");
});
