import assert from "node:assert/strict";
import { test } from "node:test";
import { INTENT_LIFE_MS, INTENT_LIMITS } from "@backplane/contract/intents";
import { hashSecret } from "@backplane/kit/secrets";
import { sql } from "kysely";
import { createDecisionStore } from "./decide.ts";
import { openStage, PROGRAM, refusalOf, type Stage, tokenIn } from "./intents-under-test.suite.ts";
import { createIntentStore } from "./store.ts";
import { sweepIntents } from "./sweep.ts";

/** Concurrent calls have one winner, nothing is lost, and no secret is revealed. */
export function raceContract(stage: Stage): void {
  const { name } = stage;

  test(`${name}: two browsers approve at the same time: one 200, one 409, one session`, async (t) => {
    const under = await openStage(t, stage);
    const cookies = [await under.signIn(await under.addUser()), await under.signIn(await under.addUser())];
    for (let round = 0; round < 10; round += 1) {
      const { token } = await under.create();
      const path = `/auth/intents/${token}`;
      const answers = await Promise.all(
        [under.first, under.last].map((at, i) =>
          under.call(at, path, { method: "PATCH", cookie: cookies[i] as string }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    }
    const made = under.database.durable.selectFrom("sessions").select("id").where("kind", "=", "Application");
    assert.equal((await made.execute()).length, 10);
  });

  test(`${name}: approve and deny at the same time: one 200, and the other gets the decision`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    for (let round = 0; round < 10; round += 1) {
      const { token } = await under.create();
      const decide = (decision: string) =>
        under.call(decision === "deny" ? under.first : under.last, `/auth/intents/${token}`, {
          method: "PATCH",
          cookie,
          body: { decision },
        });
      const [approved, denied] = await Promise.all([decide("approve"), decide("deny")]);
      const { state } = await under.row(hashSecret(token));
      const expected = state === "authenticated" ? [200, 409] : [410, 200];
      assert.deepEqual([approved.status, denied.status], expected);
    }
  });

  test(`${name}: a hundred callers retrieve at once: one consumer, and ninety-nine are refused`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    await under.decide(token, await under.signIn(await under.addUser()));
    const path = `/auth/intents/${token}/status`;
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        under.call(i % 2 ? under.first : under.last, path, { from: `198.51.100.${i}` }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 403).length, 99);
    const winner = answers.findIndex(({ status }) => status === 200);
    assert.equal((await under.row(hashSecret(token))).consumer, `198.51.100.${winner}`);
  });

  // Routes on SQLite do not pause between reading and writing; here the statements alone must decide.
  test(`${name}: of many who approve, deny and bind without looking first, exactly one succeeds at each`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create();
    const hash = hashSecret(token);
    // Two SQLite connections in one thread would wait for each other; real instances are separate processes.
    const isShared = under.database.engine === "postgres";
    const instances = isShared ? [under.first, under.last] : [under.first];
    const session = { userId, name: "", program: null, address: "", maxAgeS: 60 };
    const nowMs = under.clock.nowMs;
    const browser = await under.addSession({ userId, kind: "Browser", address: "" });
    const approval = { token, hash, grant: { ...session, approvedBy: browser.id } };
    const decided = await Promise.all(
      instances.flatMap(({ database, sessions }) => {
        const decisions = createDecisionStore(database, sessions);
        return [
          decisions.approve(approval, nowMs).then((gaveWay) => gaveWay !== undefined),
          decisions.deny(hash, userId, nowMs),
          decisions.approve(approval, nowMs).then((gaveWay) => gaveWay !== undefined),
        ];
      }),
    );
    assert.equal(decided.filter(Boolean).length, 1);
    const { state } = await under.row(hash);
    const sessions = under.database.durable.selectFrom("sessions").select("id").where("kind", "=", "Application");
    const left = (await sessions.execute()).length;
    assert.equal(left, state === "authenticated" ? 1 : 0, "the second one left no session behind");
    await under.database.durable.updateTable("intents").set({ state: "authenticated" }).execute();
    const bound = await Promise.all(
      instances.flatMap(({ database }, i) => {
        const store = createIntentStore(database);
        return Array.from({ length: 10 }, (_, j) => store.bind(hash, `caller ${i} ${j}`, nowMs));
      }),
    );
    assert.equal(bound.filter(Boolean).length, 1);
  });

  test(`${name}: nobody can approve, deny or guess after expiry, whatever they read before`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    const { token } = await under.create();
    const hash = hashSecret(token);
    const atMs = under.clock.nowMs + INTENT_LIFE_MS;
    const decisions = createDecisionStore(under.database, under.first.sessions);
    const session = { userId, name: "", program: null, address: "", maxAgeS: 60 };
    const browser = await under.addSession({ userId, kind: "Browser", address: "" });
    assert.equal(
      await decisions.approve({ token, hash, grant: { ...session, approvedBy: browser.id } }, atMs),
      undefined,
    );
    assert.equal(await decisions.deny(hash, userId, atMs), false);
    assert.equal(await decisions.countWrongCode(hash, userId, atMs), undefined);
  });

  test(`${name}: concurrent wrong codes are all counted: no more guesses than allowed`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const { token } = await under.create();
    const guesses = Array.from({ length: 20 }, (_, i) =>
      under.call(i % 2 ? under.first : under.last, `/auth/intents/${token}`, {
        method: "PATCH",
        cookie,
        body: { confirmation_code: "BBBB-BBBB" },
      }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 422).length, INTENT_LIMITS.maxWrongCodes);
    assert.equal(statuses.filter((status) => status === 410).length, 20 - INTENT_LIMITS.maxWrongCodes);
    assert.equal((await under.row(hashSecret(token))).wrong_codes, INTENT_LIMITS.maxWrongCodes + 1);
  });

  test(`${name}: streams that open while the approval happens all get the token`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    for (let round = 0; round < 5; round += 1) {
      const { token } = await under.create();
      const opening = Array.from({ length: 8 }, () => under.stream(token));
      const decided = under.decide(token, cookie);
      for (const stream of await Promise.all(opening)) assert.equal((await stream.last()).event, "authenticated");
      assert.equal((await decided).status, 200);
    }
  });

  test(`${name}: losing an instance between approval and retrieval loses nothing`, async (t) => {
    const under = await openStage(t, stage);
    const { token } = await under.create();
    const doomed = await under.another();
    const cookie = await under.signIn(await under.addUser());
    assert.equal((await under.call(doomed, `/auth/intents/${token}`, { method: "PATCH", cookie })).status, 200);
    await doomed.stop();
    const sessionToken = await tokenIn(await under.poll(token));
    const successor = await under.another();
    assert.equal(await tokenIn(await under.call(successor, `/auth/intents/${token}/status`)), sessionToken);
  });

  test(`${name}: neither a copy of the database nor the log contains a usable token`, async (t) => {
    const under = await openStage(t, stage);
    const pending = await under.create({ app_name: "x" });
    const approved = await under.create({ app_name: "y" });
    const cookie = await under.signIn(await under.addUser());
    await under.decide(approved.token, cookie);
    const sessionToken = await tokenIn(await under.poll(approved.token));
    await refusalOf(await under.poll(approved.token, "198.51.100.77"));
    await refusalOf(await under.poll(`int_${"B".repeat(43)}`));
    const secrets = [pending.token, approved.token, sessionToken, cookie];
    const dump = await dumpOf(under);
    assert.ok(dump.includes(hashSecret(approved.token)), "the dump is complete");
    const forms = secrets.flatMap((secret) => {
      const bits = Buffer.from(secret.slice(4), "base64url");
      return [
        secret,
        secret.slice(4),
        bits.toString("hex"),
        bits.toString("base64"),
        Buffer.from(secret).toString("hex"),
      ];
    });
    for (const form of forms) {
      assert.ok(!dump.includes(form));
      assert.ok(!under.lines.join("").includes(form));
    }
  });

  test(`${name}: the sweep forgets expired intents after a day and decisions after a month, unless their session is live`, async (t) => {
    const under = await openStage(t, stage);
    const cookie = await under.signIn(await under.addUser());
    const unanswered = await under.create();
    await under.poll(unanswered.token, "198.51.100.77");
    const [denied, short, long] = [await under.create(), await under.create({ max_age: 60 }), await under.create()];
    await under.decide(denied.token, cookie, { decision: "deny" });
    await under.decide(short.token, cookie);
    await under.decide(long.token, cookie);
    const left = async () =>
      new Set(
        (await under.database.durable.selectFrom("intents").select("token_hash").execute()).map(
          (row) => row.token_hash,
        ),
      );
    under.clock.nowMs += INTENT_LIFE_MS + INTENT_LIMITS.expiredMemoryMs;
    assert.equal(await under.last.intents.sweep(), 0);
    assert.deepEqual(await refusalOf(await under.poll(unanswered.token, PROGRAM)), [410, "intent-expired"]);
    under.clock.nowMs += 1;
    assert.equal(await under.last.intents.sweep(), 1);
    assert.deepEqual(await refusalOf(await under.poll(unanswered.token)), [404, "intent-unknown"]);
    under.clock.nowMs += INTENT_LIMITS.decidedMemoryMs;
    await under.database.durable.deleteFrom("sessions").where("expires_at_ms", "<", under.clock.nowMs).execute();
    assert.equal(await under.last.intents.sweep(), 2);
    assert.deepEqual(await left(), new Set([hashSecret(long.token)]));
    await tokenIn(await under.poll(long.token));
  });

  test(`${name}: when there are too many, expired intents are forgotten early, and live ones are kept`, async (t) => {
    const under = await openStage(t, stage);
    for (let made = 0; made < 3; made += 1) await under.create();
    under.clock.nowMs += INTENT_LIFE_MS + 1;
    const { token } = await under.create();
    const { database, sessions } = under.first;
    const sweep = (maxUnanswered: number) =>
      sweepIntents({ database, sessions, nowMs: under.clock.nowMs, maxUnanswered });
    assert.deepEqual(await sweep(5), { deleted: 0, unanswered: 0 });
    assert.deepEqual(await sweep(4), { deleted: 3, unanswered: 1 });
    assert.equal((await under.poll(token)).status, 200);
  });

  test(`${name}: a sweep of more than one batch leaves nothing behind`, async (t) => {
    const under = await openStage(t, stage);
    const row = await under.row(hashSecret((await under.create()).token));
    const many = Array.from({ length: 1_200 }, (_, i) => ({ ...row, token_hash: `hash ${i}` }));
    for (let from = 0; from < many.length; from += 300) {
      await under.database.durable
        .insertInto("intents")
        .values(many.slice(from, from + 300))
        .execute();
    }
    under.clock.nowMs += INTENT_LIFE_MS + INTENT_LIMITS.expiredMemoryMs + 1;
    assert.equal(await under.first.intents.sweep(), 1_201);
  });
}

async function dumpOf({ database }: Awaited<ReturnType<typeof openStage>>): Promise<string> {
  const names =
    database.engine === "sqlite"
      ? sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
  const { rows } = await names.execute(database.durable);
  assert.ok(rows.length > 5);
  const tables = await Promise.all(
    rows.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(database.durable)),
  );
  return JSON.stringify(tables.map((table) => table.rows));
}
