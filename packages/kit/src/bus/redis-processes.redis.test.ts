import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { testRedisUrl, uniquePrefix } from "../../../../scripts/services/index.ts";
import { isLongRun } from "../../../../scripts/testing/long.ts";
import { openBus } from "./index.ts";
import type { Order } from "./testing/claimant.ts";

const PROCESSES = isLongRun ? 4 : 2;
const ROUNDS = 10;
const TIMES = 100;

const prefix = uniquePrefix();
const claimants: ChildProcess[] = [];

before(async () => {
  const url = await testRedisUrl();
  const program = fileURLToPath(new URL("./testing/claimant.ts", import.meta.url));
  for (let i = 0; i < PROCESSES; i += 1) claimants.push(fork(program, [url, prefix]));
  await Promise.all(claimants.map((claimant) => once(claimant, "message")));
});

after(async () => {
  await Promise.all(
    claimants.map(async (claimant) => {
      claimant.disconnect();
      const [code] = await once(claimant, "exit");
      assert.equal(code, 0, "a process whose bus is closed ends by itself");
    }),
  );
});

/** How many attempts won in each process. */
async function order(what: Order): Promise<number[]> {
  const answers = claimants.map(async (claimant) => Number((await once(claimant, "message"))[0]));
  for (const claimant of claimants) claimant.send(what);
  return Promise.all(answers);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

test("of concurrent claims in several processes exactly one wins among all, time after time", async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    assert.equal(sum(await order({ do: "claim", key: `claimed ${round}`, times: TIMES })), 1);
  }
});

test("of concurrent takes in several processes exactly one gets the value, time after time", async (t) => {
  const bus = await openBus({ url: await testRedisUrl(), prefix, now: Date.now, onFault: () => {} });
  t.after(() => bus.close());
  for (let round = 0; round < ROUNDS; round += 1) {
    await bus.claims.claim(`taken ${round}`, "value", 60_000);
    assert.equal(sum(await order({ do: "take", key: `taken ${round}`, times: TIMES })), 1);
  }
});
