import assert from "node:assert/strict";
import { test } from "node:test";
import { BenchFault } from "./fault.ts";
import { type LoadResult, runLoad } from "./load.ts";

const fine: LoadResult = { requests: 10, seconds: 1, p50Ms: 1, p99Ms: 2, non2xx: 0, socketErrors: 0 };
const target = { label: "server", url: "http://127.0.0.1:1", seconds: 1, signal: new AbortController().signal };

test("a load without faults is a result", async () => {
  assert.equal(await runLoad({ description: "d", run: async () => fine }, target), fine);
});

for (const flaw of [{ requests: 0 }, { non2xx: 1 }, { socketErrors: 1 }]) {
  test(`a load with ${JSON.stringify(flaw)} is a fault that names the server`, async () => {
    const run = async () => ({ ...fine, ...flaw });
    await assert.rejects(runLoad({ description: "d", run }, target), (error) => {
      return error instanceof BenchFault && error.message.startsWith("server");
    });
  });
}
