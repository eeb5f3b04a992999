import assert from "node:assert/strict";
import { test } from "node:test";
import { limitRate } from "@backplane/kit/http";
import { createRateLimiter } from "@backplane/kit/rate-limiter";
import { fastify } from "fastify";
import { useProblems } from "./errors.ts";

test("a flood gets 429 with Retry-After; another caller is not affected", async () => {
  let nowMs = 0;
  const limiter = createRateLimiter({
    name: "test",
    limit: 2,
    windowMs: 10_000,
    redis: undefined,
    now: () => nowMs,
    onFault: () => {},
  });
  const app = fastify();
  useProblems(app);
  app.get("/", { onRequest: limitRate(limiter, (request) => String(request.headers["x-caller"])) }, async () => "ok");
  const call = (caller: string) => app.inject({ url: "/", headers: { "x-caller": caller } });
  assert.equal((await call("a")).statusCode, 200);
  assert.equal((await call("a")).statusCode, 200);
  const refused = await call("a");
  assert.equal(refused.statusCode, 429);
  assert.equal(refused.headers["retry-after"], "5");
  assert.equal(refused.json().code, "too-many-requests");
  assert.equal((await call("b")).statusCode, 200);
  nowMs += 5_000;
  assert.equal((await call("a")).statusCode, 200);
});
