import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createTestDatabase, startRedis } from "../scripts/services/index.ts";
import { isLongRun } from "../scripts/testing/long.ts";
import { underLoad } from "./support/load.ts";
import { createIntent, readStream, signInAs } from "./support/person.ts";
import { type RunningPlatform, startPlatform } from "./support/platform.ts";

const statusOf = async (at: RunningPlatform, token: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${at.url}/auth/intents/${token}/status`, { headers });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const userOf = (at: RunningPlatform, token: unknown) =>
  fetch(`${at.url}/user`, { headers: { authorization: `Bearer ${token}` } });

/** One process on SQLite, or two sharing PostgreSQL and Redis: the program uses the first, the person the second. */
for (const engine of ["one instance on SQLite", "two instances over PostgreSQL and Redis"] as const) {
  suite(engine, () => {
    const stack = new AsyncDisposableStack();
    let at: RunningPlatform;
    let other: RunningPlatform;

    before(async () => {
      const env: NodeJS.ProcessEnv = { TRUST_PROXY: "127.0.0.1" };
      if (engine === "two instances over PostgreSQL and Redis") {
        const [database, redis] = await Promise.all([createTestDatabase(), startRedis()]);
        for (const service of [database, redis]) stack.use(service);
        Object.assign(env, { DATABASE_URL: database.url, REDIS_URL: redis.url });
      }
      at = stack.use(await startPlatform(env));
      other = engine === "one instance on SQLite" ? at : stack.use(await startPlatform(env));
    });
    after(() => stack.disposeAsync());

    // On one instance the suites of packages/intents try the same; a long run tries it here too.
    if (isLongRun || engine === "two instances over PostgreSQL and Redis") {
      test("created on one instance, approved on the other: the stream on the first gets the token, which works on both", async () => {
        const intent = await createIntent(at.url, { app_name: "bench-agent" });
        assert.equal(intent.completed, false);
        const events = readStream(`${at.url}/auth/intents/${intent.token}/status`);
        const person = await signInAs(other.url);
        assert.equal((await person.decide(other.url, intent.token)).status, 200);
        const [event] = await events;
        assert.equal(event?.event, "authenticated");
        const { session_token } = JSON.parse(event?.data ?? "{}") as { session_token: string };
        assert.match(session_token, /^tok_/);
        for (const instance of [at, other]) {
          const response = await userOf(instance, session_token);
          assert.equal(response.status, 200);
          const { name, session } = (await response.json()) as { name: string; session: { kind: string } };
          assert.deepEqual([name, session.kind], ["owner", "Application"]);
        }
      });

      test("a denial on the other instance ends the stream with timeout, and the intent answers 410", async () => {
        const { token } = await createIntent(at.url);
        const events = readStream(`${at.url}/auth/intents/${token}/status`);
        const person = await signInAs(other.url);
        assert.equal((await person.decide(other.url, token, "deny")).status, 200);
        assert.deepEqual(await events, [{ event: "timeout", data: "" }]);
        assert.equal((await statusOf(at, token)).status, 410);
        assert.equal((await person.decide(at.url, token)).status, 410);
      });

      test("two browsers approve at the same time: one 200, one 409", async () => {
        const [ada, bob] = [await signInAs(at.url), await signInAs(other.url)];
        const { token } = await createIntent(at.url);
        const answers = await Promise.all([ada.decide(at.url, token), bob.decide(other.url, token)]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      });

      test("when a hundred callers retrieve at once, one gets the token and keeps getting it", async () => {
        const { token } = await createIntent(at.url);
        const person = await signInAs(at.url);
        assert.equal((await person.decide(at.url, token)).status, 200);
        const callers = Array.from({ length: 100 }, (_, index) => ({ "x-forwarded-for": `198.51.100.${index}` }));
        const answers = await Promise.all(
          callers.map((headers, index) => statusOf(index % 2 ? at : other, token, headers)),
        );
        const winners = callers.filter((_, index) => answers[index]?.status === 200);
        assert.equal(winners.length, 1);
        assert.equal(answers.filter(({ body }) => body.code === "caller-mismatch").length, 99);
        assert.equal((await statusOf(other, token, winners[0])).body.state, "authenticated");
      });

      test("a session that was ended on one instance stops working on the other within a second", async () => {
        const { token } = await createIntent(at.url);
        const person = await signInAs(at.url);
        await person.decide(at.url, token);
        const { session_token } = (await statusOf(at, token)).body;
        assert.equal((await userOf(other, session_token)).status, 200);
        const response = await fetch(`${at.url}/auth/logout`, {
          method: "DELETE",
          headers: { authorization: `Bearer ${session_token}` },
        });
        assert.equal(response.status, 204);
        const endedAtMs = Date.now();
        while ((await userOf(other, session_token)).status === 200) {
          assert.ok(Date.now() - endedAtMs < underLoad(1_000), "the session was still accepted after a second");
        }
        assert.equal((await statusOf(other, token)).status, 410);
      });
    }

    test("killing a process between approval and retrieval loses nothing", async () => {
      const { token } = await createIntent(at.url);
      const person = await signInAs(other.url);
      assert.equal((await person.decide(other.url, token)).status, 200);
      await at.kill();
      if (other !== at) await other.kill();
      await at.start();
      const { body } = await statusOf(at, token);
      assert.equal(body.state, "authenticated");
      assert.equal((await userOf(at, body.session_token)).status, 200);
    });
  });
}
