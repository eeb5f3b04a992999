import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { plainFetch } from "@backplane/kit/plain-fetch";
import { readSettings } from "@backplane/kit/settings";
import { probe, targetsOf } from "./probe.ts";

type Answers = Record<string, [status: number, body: unknown]>;

/** A real server that answers the given paths, as another process would. */
async function answering(t: TestContext, answers: Answers) {
  const server = createServer((request, response) => {
    const [status, body] = answers[request.url ?? ""] ?? [404, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: "https://gateway.example.org", localUrl: `http://127.0.0.1:${port}` };
}

test("a process that answers is running, with its uptime and pending count", async (t) => {
  const target = await answering(t, { "/health": [200, { status: "ok", uptime: 9, pending: 2 }], "/ready": [200, {}] });
  const { port, url } = target;
  assert.deepEqual(await probe({ name: "gateway", ...target }, plainFetch), {
    name: "gateway",
    port,
    url,
    state: "running",
    uptimeS: 9,
    pending: 2,
  });
});

test("a process that is not ready is degraded, with the names of the failing services", async (t) => {
  const ready = { ready: false, draining: false, checks: { database: "failing", bus: "failing" } };
  const target = await answering(t, { "/health": [200, { uptime: 1 }], "/ready": [503, ready] });
  const { state, detail } = await probe({ name: "platform", ...target }, plainFetch);
  assert.deepEqual([state, detail], ["degraded", "database and bus not answering"]);
});

test("a process that is ready without one of its services is degraded too", async (t) => {
  const ready = { ready: true, draining: false, checks: { database: "ok", bus: "failing" }, degraded: ["bus"] };
  const target = await answering(t, { "/health": [200, { uptime: 1 }], "/ready": [200, ready] });
  const { state, detail } = await probe({ name: "platform", ...target }, plainFetch);
  assert.deepEqual([state, detail], ["degraded", "bus not answering"]);
});

test("a reason that a process knows is told as it is", async (t) => {
  const checks = { database: "failing", disk: "failing" };
  const ready = { ready: false, draining: false, checks, reasons: { disk: "The disk is full." } };
  const target = await answering(t, { "/health": [200, { uptime: 1 }], "/ready": [503, ready] });
  const { detail } = await probe({ name: "platform", ...target }, plainFetch);
  assert.equal(detail, "database not answering; The disk is full.");
});

test("the watchdog's restarts come from its status", async (t) => {
  const target = await answering(t, { "/health": [200, {}], "/ready": [200, {}], "/status": [200, { restarts: 3 }] });
  assert.equal((await probe({ name: "watchdog", ...target }, plainFetch)).restarts, 3);
});

test("a process that is missing, or is another program, is unreachable rather than an error", async (t) => {
  const target = { name: "viewer", port: 1, url: "", localUrl: "http://127.0.0.1:1" } as const;
  assert.equal((await probe(target, plainFetch)).state, "unreachable");
  const stranger = createServer((_request, response) => response.end("not JSON")).listen(0, "127.0.0.1");
  await once(stranger, "listening");
  t.after(() => {
    stranger.closeAllConnections();
    stranger.close();
  });
  const { port } = stranger.address() as AddressInfo;
  assert.equal((await probe({ ...target, localUrl: `http://127.0.0.1:${port}` }, plainFetch)).state, "unreachable");
});

test("people are sent to the public addresses, probes to this machine", () => {
  const settings = readSettings({ HOST: "0.0.0.0", BASE_URL: "https://bp.example.org" }, "/");
  const [platform] = targetsOf(settings);
  assert.deepEqual([platform?.url, platform?.localUrl], ["https://bp.example.org", "http://127.0.0.1:8790"]);
});
