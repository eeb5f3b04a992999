import assert from "node:assert/strict";
import { test } from "node:test";
import { INTENT_LIFE_MS, INTENT_LIMITS } from "@backplane/contract/intents";
import { hashSecret } from "@backplane/kit/secrets";
import fc from "fast-check";
import { OTHER, openStage, PROGRAM, type Stage, type UnderTest } from "./intents-under-test.suite.ts";

const MAX_AGE_S = 3_600;

type Step =
  | { readonly do: "create" | "approve" | "deny" | "wrong code" | "read" | "revoke" }
  | { readonly do: "poll"; readonly from: string }
  | { readonly do: "wait"; readonly ms: number };

/** The contract's table of states as a short program: one intent, and the status that each call gets. */
function createModel() {
  let state: "none" | "pending" | "authenticated" | "denied" = "none";
  let ageMs = 0;
  let sessionAgeMs = 0;
  let wrongCodes = 0;
  let isRevoked = false;
  let consumer: string | undefined;
  const isExpired = () => state === "pending" && ageMs >= INTENT_LIFE_MS;
  const lives = () => !isRevoked && sessionAgeMs < MAX_AGE_S * 1_000;
  const gone = () => state === "denied" || isExpired();

  function decide(next: "authenticated" | "denied"): number {
    if (state === "none") return 404;
    if (state === "authenticated") return 409;
    if (gone()) return 410;
    state = next;
    sessionAgeMs = 0;
    return 200;
  }
  return {
    create(): number {
      [state, ageMs, wrongCodes, isRevoked, consumer] = ["pending", 0, 0, false, undefined];
      return 201;
    },
    approve: () => decide("authenticated"),
    deny: () => decide("denied"),
    wrongCode(): number {
      if (state !== "pending" || gone()) return decide("denied");
      wrongCodes += 1;
      if (wrongCodes <= INTENT_LIMITS.maxWrongCodes) return 422;
      state = "denied";
      return 410;
    },
    read: (): number => (state === "none" ? 404 : gone() || (state === "authenticated" && !lives()) ? 410 : 200),
    poll(from: string): number {
      if (state === "none") return 404;
      if (gone()) return 410;
      if (state === "pending") return 200;
      if (!lives()) return 410;
      consumer ??= from;
      return consumer === from ? 200 : 403;
    },
    revoke(): void {
      if (state === "authenticated") isRevoked = true;
    },
    wait(ms: number): void {
      ageMs += ms;
      sessionAgeMs += ms;
    },
    token: (): "none" | "pending" | "authenticated" | "denied" => state,
  };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant("create") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("approve", "deny", "revoke") }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wrong code") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("read") }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("poll"), from: fc.constantFrom(PROGRAM, OTHER) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait"),
      ms: fc.constantFrom(1, 60_000, INTENT_LIFE_MS - 1, INTENT_LIFE_MS, MAX_AGE_S * 1_000),
    }),
  },
);

type Engine = { under: UnderTest; cookie: string; token: string };

async function run(
  engine: Engine,
  model: ReturnType<typeof createModel>,
  now: Step,
): Promise<[got: unknown, wanted: unknown]> {
  const { under, cookie, token } = engine;
  const path = `/auth/intents/${token}`;
  switch (now.do) {
    case "create":
      engine.token = (await under.create({ max_age: MAX_AGE_S })).token;
      return [201, model.create()];
    case "approve":
      return [(await under.decide(token, cookie)).status, model.approve()];
    case "deny":
      return [(await under.decide(token, cookie, { decision: "deny" })).status, model.deny()];
    case "wrong code":
      return [(await under.decide(token, cookie, { confirmation_code: "?" })).status, model.wrongCode()];
    case "read":
      return [(await under.call(under.last, path)).status, model.read()];
    case "poll": {
      const response = await under.poll(token, now.from);
      const body = (await response.json()) as { state?: string };
      const wanted = model.poll(now.from);
      return [
        [response.status, body.state],
        [wanted, wanted === 200 ? model.token() : undefined],
      ];
    }
    case "revoke":
      await under.database.durable
        .deleteFrom("sessions")
        .where("kind", "=", "Application")
        .where("id", "in", (of) =>
          of.selectFrom("intents").select("session_id").where("token_hash", "=", hashSecret(token)),
        )
        .execute();
      model.revoke();
      return [0, 0];
    case "wait":
      under.clock.nowMs += now.ms;
      model.wait(now.ms);
      return [0, 0];
  }
}

/** Random sequences of calls on an intent match the model. */
export function intentModel(stage: Stage, numRuns: number): void {
  test(`${stage.name}: random sequences of calls on an intent match the contract's table of states`, async (t) => {
    const under = await openStage(t, stage);
    const userId = await under.addUser();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        // Long waits end sessions, so each sequence has its own browser.
        const cookie = await under.signIn(userId);
        await under.database.durable
          .updateTable("sessions")
          .set({ expires_at_ms: Number.MAX_SAFE_INTEGER })
          .where("token_hash", "=", hashSecret(cookie))
          .execute();
        const engine: Engine = { under, cookie, token: `int_${"A".repeat(43)}` };
        const model = createModel();
        for (const one of [{ do: "create" } as const, ...steps]) {
          const [got, wanted] = await run(engine, model, one);
          assert.deepEqual(got, wanted, JSON.stringify(one));
        }
        // Earlier calls do not count against the rate limits.
        under.clock.nowMs += 60_000;
      }),
      { numRuns, endOnFailure: true },
    );
  });
}
