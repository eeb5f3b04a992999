import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { after, before, suite, test } from "node:test";
import { WebSocket } from "ws";
import { type Service, startRedis } from "../scripts/services/index.ts";
import { connectClient, type RunningGateway, startGateway } from "./support/gateway.ts";
import { until } from "./support/processes.ts";

const callback = (gateway: RunningGateway, parameters: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${gateway.url}/callback?${new URLSearchParams(parameters)}`, init);
const figures = async (gateway: RunningGateway, path: "/health" | "/status") =>
  (await (await fetch(`${gateway.url}${path}`)).json()) as Record<string, unknown>;

/** One gateway, or two sharing a Redis with the client on the first and the browser on the second. */
for (const engine of ["one instance", "two instances with Redis"] as const) {
  suite(engine, () => {
    const stack = new AsyncDisposableStack();
    let redis: Service | undefined;
    let at: RunningGateway;
    let other: RunningGateway;

    before(async () => {
      redis = engine === "one instance" ? undefined : stack.use(await startRedis());
      const env = redis === undefined ? {} : { REDIS_URL: redis.url };
      at = stack.use(await startGateway(env));
      other = redis === undefined ? at : stack.use(await startGateway(env));
    });
    after(() => stack.disposeAsync());

    test("GET /health reports a pending count and uptime; GET /status adds connections, started_at, version, instance, delivered, expired", async () => {
      await using client = await connectClient(at);
      const state = await client.register();
      const { status, pending, uptime } = await figures(at, "/health");
      assert.deepEqual([status, pending, typeof uptime], ["ok", 1, "number"]);
      assert.equal((await callback(other, { code: "c", state })).status, 200);
      const { started_at, version, instance, ...counted } = await figures(at, "/status");
      assert.deepEqual(
        { ...counted, uptime: 0 },
        { status: "ok", pending: 0, uptime: 0, connections: 1, delivered: 1, expired: 0 },
      );
      assert.match(String(started_at), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      assert.match(`${version} ${instance}`, /^\d+\.\d+\.\d+ [0-9a-f-]{36}$/);
    });

    test("a callback on one instance finds a socket on another; of 100 callbacks exactly one wins, the others get 410", async () => {
      await using client = await connectClient(at);
      const state = await client.register();
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async (_, i) => {
          const response = await callback(i % 2 ? at : other, { code: `code-${i}`, state });
          await response.arrayBuffer();
          return response.status;
        }),
      );
      assert.deepEqual([statuses.filter((s) => s === 200).length, statuses.filter((s) => s === 410).length], [1, 99]);
      const message = await client.next();
      assert.equal(message.type === "callback" && message.code, `code-${statuses.indexOf(200)}`);
    });

    test("a state is unique across all instances, and free again when its connection has closed", async () => {
      await using first = await connectClient(at);
      await using second = await connectClient(other);
      const state = await first.register();
      const refused = await second.ask({ type: "register", state, provider: "google" });
      assert.equal(refused.type === "error" && refused.code, "state-taken");
      first.socket.close();
      await until(async () => (await figures(at, "/health")).pending === 0, "the first client is gone");
      assert.equal((await callback(other, { code: "c", state })).status, 404);
      assert.deepEqual(await second.ask({ type: "register", state, provider: "google" }), {
        type: "registered",
        state,
      });
    });

    if (engine === "two instances with Redis") testOutages(() => ({ redis: redis as Service, one: at, other }));

    test("when stopped, the gateway closes connections with 1012, so that clients connect again", async () => {
      await using client = await connectClient(at);
      await client.register();
      const closed = once(client.socket, "close");
      await at.kill("SIGTERM");
      assert.equal((await closed)[0], 1012);
    });
  });
}

/** Redis or one of the instances ends. */
function testOutages(parts: () => { redis: Service; one: RunningGateway; other: RunningGateway }): void {
  test("without Redis: /ready 503, local registrations still served, new ones refused, recovery without a restart", async () => {
    const { redis, one, other } = parts();
    await using client = await connectClient(one);
    const [first, second] = [await client.register(), await client.register()];
    const readiness = async () => (await fetch(`${one.url}/ready`)).status;
    await redis.kill();
    await until(async () => (await readiness()) === 503, "not ready");
    assert.equal((await fetch(`${one.url}/health`)).status, 200);
    assert.equal((await callback(one, { code: "c", state: first })).status, 200);
    assert.equal((await client.next()).type, "callback");
    assert.equal((await callback(other, { code: "c", state: second })).status, 503);
    const refused = await client.ask({ type: "register", state: randomUUID(), provider: "google" });
    assert.equal(refused.type === "error" && refused.code, "bus-unavailable");

    const { pid } = one;
    await redis.start();
    await until(async () => (await readiness()) === 200, "ready again");
    await until(async () => (await callback(other, { code: "c", state: second })).status === 200, "state found again");
    assert.equal((await client.next()).type, "callback");
    await client.register();
    assert.equal(one.pid, pid);
  });

  test("a killed instance leaves no state registered: it can be registered at once on another, with its secret if it has one", async () => {
    const { one, other } = parts();
    const state = await (await connectClient(other)).register();
    await other.kill("SIGKILL");
    const asked = await callback(one, { code: "c", state });
    assert.equal(asked.status, 404);
    assert.match(await asked.text(), /waiting/i);
    await using back = await connectClient(one);
    assert.deepEqual(await back.ask({ type: "register", state, provider: "google" }), { type: "registered", state });
    assert.equal((await callback(one, { code: "c", state })).status, 200);
    assert.equal((await back.next()).type, "callback");
  });
}

suite("limits per address, behind a trusted proxy", () => {
  let gateway: RunningGateway;
  before(async () => {
    gateway = await startGateway({ TRUST_PROXY: "127.0.0.1" });
  });
  after(() => gateway?.[Symbol.asyncDispose]());

  test("at most 2,000 register messages per address in ten seconds, over all its connections", async () => {
    const counted: Record<string, number> = { registered: 0, "too-many-requests": 0 };
    const connect = async () => {
      const socket = new WebSocket(gateway.wsUrl, { headers: { "x-forwarded-for": "203.0.113.9" } });
      await once(socket, "open");
      return socket;
    };
    const registerAll = async (socket: WebSocket) => {
      const done = Promise.withResolvers<void>();
      let answered = 0;
      socket.on("message", (data) => {
        const { type, code = type } = JSON.parse(String(data));
        counted[code] = (counted[code] ?? 0) + 1;
        answered += 1;
        if (answered === 32) done.resolve();
      });
      for (let i = 0; i < 32; i += 1) {
        socket.send(JSON.stringify({ type: "register", state: randomUUID(), provider: "p" }));
      }
      await done.promise;
    };
    // All connect first: on a busy machine that alone may take longer than ten seconds.
    const sockets = await Promise.all(Array.from({ length: 80 }, connect));
    const startedMs = performance.now();
    await Promise.all(sockets.map(registerAll));
    // Room for one more comes back every 5 ms. On a busy machine that can be room for all of them.
    const hasRoomFor = 2_000 + Math.ceil((performance.now() - startedMs) / 5);
    const { registered = 0, "too-many-requests": refused = 0 } = counted;
    assert.ok(registered >= 2_000 && registered <= hasRoomFor, `${registered} of ${hasRoomFor}`);
    assert.equal(registered + refused, 80 * 32);
    assert.equal(Object.keys(counted).length, 2);
  });

  test("at most 100 connections per address behind a trusted proxy; one more is refused with 429", async () => {
    const dial = (address: string) => new WebSocket(gateway.wsUrl, { headers: { "x-forwarded-for": address } });
    await Promise.all(Array.from({ length: 100 }, () => once(dial("203.0.113.7"), "open")));
    const [, response] = await once(
      dial("203.0.113.7").on("error", () => {}),
      "unexpected-response",
    );
    assert.equal(response.statusCode, 429);
    await once(dial("203.0.113.8"), "open");
  });
});
