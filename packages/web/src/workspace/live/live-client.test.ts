import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Layout } from "@backplane/contract/panels";
import { CONNECTION_WAITS, retryDelayMs } from "./connection.ts";
import { createFakeEnvironment, faultOf, WELCOME } from "./fake-environment.suite.ts";
import { openLive } from "./live-client.ts";

const { firstRetryMs, renewEveryMs, renewedWithinMs, welcomeWithinMs } = CONNECTION_WAITS;
const WORKSPACE = { owner: "ada", repo: "demo" };

function open() {
  const { world, environment } = createFakeEnvironment();
  return { world, live: openLive(WORKSPACE, environment) };
}
const layoutOf = (revision: number): Layout => ({ ...WELCOME.layout, revision });

test("a page gets a ticket, sends it with hello, and is connected when it is welcomed", async () => {
  const { world, live } = open();
  assert.equal(live.state().connection, "connecting");
  await world.welcome();
  assert.deepEqual(world.last().sent, [{ type: "hello", ticket: "ticket-1" }]);
  const { connection, layout, framesUrl, isPrimary } = live.state();
  assert.deepEqual(
    { connection, layout, framesUrl, isPrimary },
    { connection: "open", layout: WELCOME.layout, framesUrl: WELCOME.framesUrl, isPrimary: true },
  );
});

test("the state is the same object until something changes, and listeners are called on every change", async () => {
  const { world, live } = open();
  let heard = 0;
  const stop = live.subscribe(() => {
    heard += 1;
  });
  await world.welcome();
  const before = live.state();
  world.last().say({ type: "layout", layout: layoutOf(5) });
  assert.equal(live.state(), before);
  world.last().say({ type: "primary", isPrimary: false });
  assert.notEqual(live.state(), before);
  assert.equal(heard, 2);
  stop();
  world.last().say({ type: "primary", isPrimary: true });
  assert.equal(heard, 2);
});

test("a layout from the document is there at once, and stays the same object if the server welcomes with the same", async () => {
  const { world, environment } = createFakeEnvironment();
  const known = structuredClone(WELCOME.layout);
  const live = openLive(WORKSPACE, environment, known);
  assert.equal(live.state().layout, known);
  assert.equal(live.state().connection, "connecting");
  await world.welcome();
  assert.equal(live.state().layout, known);
  world.last().events.onClose();
  await world.pass(firstRetryMs);
  await world.welcome({ layout: layoutOf(4) });
  assert.equal(live.state().layout?.revision, 4, "the server's counts");
});

test("the layout never goes back within a connection; a new connection takes the server's layout", async () => {
  const { world, live } = open();
  await world.welcome();
  for (const revision of [8, 7, 6]) world.last().say({ type: "layout", layout: layoutOf(revision) });
  assert.equal(live.state().layout?.revision, 8);
  world.last().events.onClose();
  await world.pass(firstRetryMs);
  assert.equal(live.state().layout?.revision, 8, "it stays on the screen in the meantime");
  await world.welcome({ layout: layoutOf(0) });
  assert.equal(live.state().layout?.revision, 0, "the workspace was removed and created again");
  world.last().say({ type: "layout", layout: layoutOf(1) });
  assert.equal(live.state().layout?.revision, 1);
});

test("a lost connection is opened again: after a wait that grows, or at once when the page wakes", async () => {
  const { world, live } = open();
  await world.welcome();
  world.last().events.onClose();
  assert.equal(live.state().connection, "lost");
  await world.pass(firstRetryMs);
  world.last().events.onClose();
  assert.deepEqual([...world.timers.values()], [2 * firstRetryMs]);
  await world.wake();
  assert.equal(world.sockets.length, 3);
  await world.welcome();
  assert.equal(live.state().connection, "open");
  world.last().events.onClose();
  assert.ok([...world.timers.values()].includes(firstRetryMs));
});

test("a server that never welcomes is given up", async () => {
  const { world, live } = open();
  await turn();
  await world.pass(welcomeWithinMs);
  assert.equal(world.last().isClosed, true);
  assert.equal(live.state().connection, "lost");
});

test("401 and 403 are final, with the reason; no answer and 503 are not", async () => {
  for (const status of [401, 403]) {
    const { world, environment } = createFakeEnvironment();
    world.ticket = () => faultOf(status, { code: "not-signed-in", detail: "Sign in." });
    const live = openLive(WORKSPACE, environment);
    await turn();
    assert.equal(live.state().connection, "refused");
    assert.deepEqual(live.state().fault, { code: "not-signed-in", detail: "Sign in." });
    assert.deepEqual([world.timers.size, world.wakes.size], [0, 0]);
  }
  for (const [status, retryAfterS, waitMs] of [
    [0, undefined, firstRetryMs],
    [503, undefined, firstRetryMs],
    [429, 30, 30_000],
  ] as const) {
    const { world, environment } = createFakeEnvironment();
    world.ticket = () => faultOf(status, { retryAfterS });
    const live = openLive(WORKSPACE, environment);
    await turn();
    assert.equal(live.state().connection, "lost");
    assert.deepEqual([...world.timers.values()], [waitMs]);
  }
});

test("a workspace that does not exist is refused with the reason, so that the page can ask; it is not tried again", async () => {
  const { world, environment } = createFakeEnvironment();
  world.ticket = () => faultOf(404, { code: "workspace-unknown", detail: "There is no workspace ada/rovre." });
  const live = openLive(WORKSPACE, environment);
  await turn();
  assert.equal(live.state().connection, "refused");
  assert.equal(live.state().fault?.code, "workspace-unknown");
  assert.deepEqual([world.timers.size, world.wakes.size], [0, 0]);
});

test("a lease is renewed; a session that has ended in the meantime ends the connection", async () => {
  const { world, live } = open();
  await world.welcome();
  await world.pass(renewEveryMs);
  assert.deepEqual(world.last().sent.at(-1), { type: "renew", ticket: "ticket-2" });
  world.last().say({ type: "renewed", nowMs: WELCOME.nowMs });
  world.ticket = () => faultOf(401);
  await world.pass(renewEveryMs);
  assert.equal(live.state().connection, "refused");
  assert.equal(world.last().isClosed, true);
});

test("a server that does not confirm the lease is gone", async () => {
  const { world, live } = open();
  await world.welcome();
  await world.wake();
  assert.equal(world.last().sent.at(-1)?.type, "renew");
  await world.pass(renewedWithinMs);
  assert.equal(live.state().connection, "lost");
});

test("a renewal that fails once is tried again", async () => {
  const { world, live } = open();
  await world.welcome();
  const { ticket } = world;
  world.ticket = () => faultOf(0);
  await world.pass(renewEveryMs);
  assert.equal(live.state().connection, "open");
  world.ticket = ticket;
  await world.pass(renewedWithinMs);
  assert.equal(world.last().sent.at(-1)?.type, "renew");
});

test("a workspace that was removed is not connected to again", async () => {
  const { world, live } = open();
  await world.welcome();
  world.last().say({ type: "error", code: "not-found", detail: "This workspace was removed." });
  assert.equal(live.state().connection, "refused");
  assert.equal(live.state().fault?.detail, "This workspace was removed.");
});

test("a workspace that was renamed tells its new name", async () => {
  const { world, live } = open();
  await world.welcome();
  world.last().say({ type: "renamed", owner: "ada", repo: "thermal" });
  assert.deepEqual(live.state().renamedTo, { owner: "ada", repo: "thermal" });
});

test("orders are answered; an answer that is too large is replaced by an error", async () => {
  const { world, live } = open();
  await world.welcome();
  live.onOrder("a", async (order) => (order.kind === "refresh" ? "done" : "é".repeat(400_000)));
  world.last().say({ type: "order", id: "1", untilMs: WELCOME.nowMs, order: { kind: "refresh", tabId: "a" } });
  world.last().say({ type: "order", id: "2", untilMs: WELCOME.nowMs, order: { kind: "webview", tabId: "a" } });
  await turn();
  const [, first, second] = world.last().sent;
  assert.deepEqual(first, { type: "answer", id: "1", ok: true, value: "done" });
  assert.ok(second?.type === "answer" && !second.ok && second.code === "unsupported");
});

test("an order that was late by the server's clock is not begun, whatever this browser's clock shows", async () => {
  const { world, live } = open();
  world.nowMs = 5;
  await world.welcome();
  live.onOrder("a", async () => "begun");
  const order = { kind: "refresh", tabId: "a" } as const;
  const answerTo = (id: string) => {
    const answer = world.last().sent.find((sent) => sent.type === "answer" && sent.id === id);
    return answer?.type === "answer" && (answer.ok || answer.code);
  };
  world.last().say({ type: "order", id: "1", untilMs: WELCOME.nowMs, order });
  world.nowMs += 10;
  world.last().say({ type: "order", id: "2", untilMs: WELCOME.nowMs, order });
  await turn();
  assert.deepEqual([answerTo("1"), answerTo("2")], [true, "expired"]);
  // This clock was set back; the next lease tells the server's time again.
  world.nowMs = 0;
  await world.pass(renewEveryMs);
  world.last().say({ type: "renewed", nowMs: WELCOME.nowMs + 60_000 });
  world.last().say({ type: "order", id: "3", untilMs: WELCOME.nowMs + 59_999, order });
  await turn();
  assert.equal(answerTo("3"), "expired");
});

test("requests to share come and go, and end with the connection", async () => {
  const { world, live } = open();
  const request = { by: "Agent", reason: null, scope: "workspace", tabId: null, untilMs: 1, waitMs: 1 } as const;
  await world.welcome({ sharingRequests: [{ ...request, id: "1" }] });
  world.last().say({ type: "sharing-asked", request: { ...request, id: "2" } });
  world.last().say({ type: "sharing-over", id: "1" });
  assert.deepEqual(
    live.state().sharingRequests.map(({ id }) => id),
    ["2"],
  );
  assert.equal(live.state().unanswered, undefined, "somebody answered it");
  world.last().say({ type: "sharing-asked", request: { ...request, id: "3" } });
  world.last().say({ type: "sharing-over", id: "3", why: "stopped-waiting" });
  assert.equal(live.state().unanswered?.id, "3");
  world.last().events.onClose();
  assert.deepEqual(live.state().sharingRequests, []);
});

test("a new server gets again: mounted tabs, sharing, and reports that were not sent", async () => {
  const { world, live } = open();
  await world.welcome();
  const sharing = { active: true, displaySurface: "browser" } as const;
  live.send({ type: "mounted", tabId: "a" });
  live.send({ type: "mounted", tabId: "b" });
  live.send({ type: "sharing", sharing });
  live.send({ type: "report", tabId: "b", title: "Heard" });
  world.last().events.onClose();
  live.forgetTab("a");
  live.send({ type: "report", tabId: "b", url: "https://example.org/" });
  live.send({ type: "report", tabId: "b", title: "Not heard" });
  await world.pass(firstRetryMs);
  await world.welcome();
  assert.deepEqual(world.last().sent.slice(1), [
    { type: "sharing", sharing },
    { type: "report", tabId: "b", url: "https://example.org/", title: "Not heard" },
    { type: "mounted", tabId: "b" },
  ]);
});

test("log lines reach their listeners, and closing ends everything", async () => {
  const { world, live } = open();
  await world.welcome();
  const heard: number[] = [];
  live.onLog((entries) => heard.push(...entries.map(({ id }) => id)));
  const entry = { at: "", level: "info", source: "panels", message: "" } as const;
  world.last().say({ type: "log", entries: [{ ...entry, id: 7 }] });
  live.close();
  world.last().say({ type: "log", entries: [{ ...entry, id: 8 }] });
  assert.deepEqual(heard, [7]);
  assert.equal(world.last().isClosed, true);
  assert.deepEqual([world.timers.size, world.wakes.size], [0, 0]);
});

test("waits double with every failure, up to a bound", () => {
  const waits = [1, 2, 3, 4, 5, 6, 50].map((failures) => retryDelayMs(failures, () => 1));
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
});

test("a wait is spread over its second half, so that pages do not come back all at once", () => {
  assert.equal(
    retryDelayMs(10, () => 0),
    CONNECTION_WAITS.maxRetryMs / 2,
  );
  assert.equal(
    retryDelayMs(10, () => 0.5),
    (CONNECTION_WAITS.maxRetryMs * 3) / 4,
  );
});

test("a server that says how long to wait is waited for", () => {
  assert.equal(
    retryDelayMs(1, () => 0, 30_000),
    30_000,
  );
});
