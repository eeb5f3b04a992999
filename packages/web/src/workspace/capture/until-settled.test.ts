import assert from "node:assert/strict";
import { test } from "node:test";
import { CAPTURE_LIMITS } from "./limits.ts";
import { untilCalm } from "./until-settled.ts";

async function waited(busyForMs: number): Promise<number> {
  let ms = 0;
  await untilCalm({
    isBusy: () => ms < busyForMs,
    later: async (more) => {
      ms += more;
    },
  });
  return ms;
}

test("a panel that shows what it has is not waited for", async () => assert.equal(await waited(0), 0));

test("one that loads is waited for, and drawn, before its picture is taken", async () => {
  const ms = await waited(100);
  assert.ok(ms > 100 && ms < 200, `${ms} ms`);
});

test("one that loads for ever has its picture taken all the same", async () => {
  const ms = await waited(Number.POSITIVE_INFINITY);
  assert.ok(ms >= CAPTURE_LIMITS.settlesWithinMs && ms < CAPTURE_LIMITS.settlesWithinMs + 100, `${ms} ms`);
});
