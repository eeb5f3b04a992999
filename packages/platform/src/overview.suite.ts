import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActivityKind, Latest } from "@backplane/contract/platform";
import { createMetrics } from "@backplane/kit/metrics";
import { fastify } from "fastify";
import { untilAsserted } from "../../../scripts/testing/until.ts";
import { createActivity } from "./activity.ts";
import { openFirstSteps } from "./first-steps.ts";
import { createLatest, serveLatest } from "./latest.ts";
import type { OpenTestDatabase, TestDatabase } from "./open-databases.suite.ts";

const NEVER_MS = 2 ** 30;
const MINUTE_MS = 60_000;

async function addUser(database: TestDatabase, id: string): Promise<void> {
  const row = {
    id,
    name: id,
    display_name: "",
    email: `${id}@example.com`,
    password_hash: "",
    is_owner: 0,
    created_at_ms: 1,
  };
  await database.durable.insertInto("users").values(row).execute();
}

const fail = (error: unknown): never => {
  throw error;
};

/** What the overview remembers, on a real engine. */
export function testOverview(engine: string, open: OpenTestDatabase): void {
  test(`${engine}: what several instances count at the same time is added up, per minute of the last hour`, async (t) => {
    const connect = await open(t);
    let nowMs = 3 * 3_600_000;
    const closing: (() => Promise<void>)[] = [];
    const start = async (codes: number) => {
      const activity = createActivity({
        ...{ database: await connect(), now: () => nowMs, writeEveryMs: NEVER_MS, onFault: fail },
        readGateway: async () => ({ done: codes, failed: 0 }),
      });
      closing.push(activity.close);
      return activity;
    };
    const [one, other] = [await start(0), await start(0)];
    const observed = one.observing(createMetrics("test"));
    const publish = (status: number) =>
      observed.observeRequest({ method: "POST", route: "/registry/packages", status }, 0.1);
    publish(201);
    publish(422);
    publish(200);
    await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const activity = at % 2 === 0 ? one : other;
        activity.count("evals");
        activity.count("signIns");
        await activity.read();
      }),
    );
    nowMs += 5 * MINUTE_MS;
    other.count("evals");
    for (const activity of [other, one]) {
      const read = await activity.read();
      const told = (kind: ActivityKind) => [read[kind].done.slice(-6), read[kind].failed.slice(-6)];
      assert.deepEqual(told("evals"), [
        [20, 0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0, 0],
      ]);
      assert.deepEqual(told("signIns"), [
        [20, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0],
      ]);
      assert.deepEqual(told("publishes"), [
        [1, 0, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
      ]);
      assert.equal(read.evals.done.length, 60);
    }
    nowMs += 61 * MINUTE_MS;
    assert.ok((await one.read()).evals.done.every((count) => count === 0));
    await Promise.all(closing.map((close) => close()));
  });

  test(`${engine}: a first step is taken once, by the person and in the way it is meant, and the first time stays`, async (t) => {
    const connect = await open(t);
    const database = await connect();
    await addUser(database, "ada");
    await addUser(database, "eve");
    let nowMs = 1_000;
    const steps: string[] = [];
    const app = fastify();
    t.after(() => app.close());
    const firstSteps = openFirstSteps({
      ...{ database, now: () => nowMs, trustProxy: [], onFault: fail, onStep: (step) => void steps.push(step) },
      whoIsCalling: async ({ headers }) => {
        const [userId = "", kind = "Browser"] = String(headers.authorization).split(" ");
        const scopes = ["read", "panels", "publish"] as const;
        return { userId, userName: userId, kind: kind as "Browser", credentialId: "1", credentialName: "test", scopes };
      },
    });
    firstSteps.addRoutes(app as never);
    const tabs = "/api/workspaces/editor/:owner/:repo/current/tabs";
    app.post(tabs, async (_request, reply) => reply.code(201).send({}));
    app.patch("/auth/intents/:token", async () => ({}));
    app.post("/registry/packages", async (_request, reply) => reply.code(200).send({}));
    const call = (as: string, method: "GET" | "POST" | "PATCH", url: string, payload?: object) =>
      app.inject({ method, url, headers: { authorization: as }, ...(payload ? { payload } : {}) });
    const takenBy = async (as: string) => (await call(as, "GET", "/api/first-steps")).json() as object;

    await call("ada Browser", "POST", tabs);
    await call("ada Browser", "PATCH", "/auth/intents/x", { decision: "deny" });
    await call("ada Application", "POST", "/registry/packages");
    assert.deepEqual(await takenBy("ada Browser"), {});
    await Promise.all(Array.from({ length: 20 }, () => call("ada Application", "POST", tabs)));
    const at = (ms: number) => new Date(ms).toISOString();
    // Steps are noted after the answer.
    await untilAsserted(async () => assert.deepEqual(await takenBy("ada Browser"), { panel: at(1_000) }));
    nowMs += 1_000;
    await call("ada Browser", "PATCH", "/auth/intents/x", { decision: "approve" });
    await call("ada ApiKey", "POST", tabs);
    await untilAsserted(async () => {
      assert.deepEqual(await takenBy("ada Browser"), { panel: at(1_000), connect: at(2_000) });
    });
    assert.deepEqual(await takenBy("eve Browser"), {});
    assert.equal(steps.filter((step) => step === "connect").length, 1);

    const kicad = (userAgent: string) =>
      firstSteps.noteKicad({
        ...{ url: "/registry/kicad/repository.json", headers: { "user-agent": userAgent } },
        socket: { remoteAddress: "127.0.0.1" },
      } as never);
    kicad("curl/8");
    assert.deepEqual(await takenBy("eve Browser"), {});
    kicad("KiCad/9.0.2 (Linux)");
    assert.deepEqual(await takenBy("eve Application"), {});
    assert.deepEqual(await takenBy("eve Browser"), { kicad: at(2_000) });
  });

  test(`${engine}: the latest events are those of calls that succeeded, without secrets and private names; few are kept`, async (t) => {
    const database = await (await open(t))();
    await addUser(database, "ada");
    let nowMs = 1_000;
    const latest = createLatest({ database, now: () => nowMs, onFault: fail });
    const app = fastify();
    t.after(() => app.close());
    const scopes = ["read", "panels", "publish"] as const;
    serveLatest(app as never, {
      ...{ latest, onFault: fail, nameOf: async (id: string) => id },
      whoIsCalling: async () => ({
        ...{ userId: "ada", userName: "ada", kind: "Browser", credentialId: "1", credentialName: "test", scopes },
      }),
      async requireInstanceOwner({ headers }) {
        if (headers.authorization !== "owner") throw Object.assign(new Error("not the owner"), { statusCode: 403 });
      },
    });
    const published = { identifier: "com.example.pins", version: "1.0.0" };
    app.post("/registry/packages", async ({ body }, reply) => {
      const { check, ...more } = body as { check?: boolean };
      return reply.code(check ? 200 : 201).send({ ...published, ...more });
    });
    app.patch("/auth/intents/:token", async () => ({}));
    app.post("/auth/api-keys", async (_request, reply) => reply.code(201).send({ name: "bench", key: "bpk_secret" }));
    const call = async (method: "POST" | "PATCH", url: string, payload: object) => {
      nowMs += 1;
      await app.inject({ method, url, payload });
    };
    const read = async () => {
      const answer = await app.inject({ url: "/api/latest", headers: { authorization: "owner" } });
      return (answer.json() as Latest).events.map(({ by, kind, what }) => [by, kind, what].join(" "));
    };
    await call("POST", "/registry/packages", { check: true });
    await call("PATCH", "/auth/intents/x", { decision: "deny" });
    await call("POST", "/registry/packages", {});
    await call("POST", "/registry/packages", { private: true });
    await call("PATCH", "/auth/intents/x", { decision: "approve" });
    await call("POST", "/auth/api-keys", {});
    // Events are noted after the answer.
    await untilAsserted(async () =>
      assert.deepEqual(await read(), [
        "ada key bench",
        "ada connect ",
        "ada publish ",
        "ada publish com.example.pins 1.0.0",
      ]),
    );
    assert.equal((await app.inject({ url: "/api/latest" })).statusCode, 403);
    for (let at = 0; at < 120; at += 1) {
      nowMs += 1;
      latest.note({ userId: "ada", kind: "workspace", what: `ada/w${at}` });
    }
    await untilAsserted(async () => assert.equal((await read())[0], "ada workspace ada/w119"));
    await untilAsserted(async () => {
      const { length } = await database.shortLived.selectFrom("latest").select("id").execute();
      assert.equal(length, 100);
    });
    // The database is closed after the test.
    await latest.written();
  });
}
