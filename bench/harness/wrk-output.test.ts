import assert from "node:assert/strict";
import { test } from "node:test";
import { BenchFault } from "./fault.ts";
import { parseWrk } from "./wrk-output.ts";

const output = `Running 3s test @ http://127.0.0.1:8080/note
  1 threads and 32 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.84ms    0.50ms  12.00ms   90.00%
    Req/Sec    17.45k     1.02k   19.11k    70.00%
  Latency Distribution
     50%  842.00us
     75%    1.90ms
     90%    2.10ms
     99%    1.20s
  52441 requests in 3.02s, 9.05MB read
Requests/sec:  17364.57
Transfer/sec:      3.00MB
`;

test("the text that wrk prints becomes numbers, each in its unit", () => {
  assert.deepEqual(parseWrk(output), {
    requests: 52_441,
    seconds: 3.02,
    p50Ms: 0.842,
    p99Ms: 1_200,
    non2xx: 0,
    socketErrors: 0,
  });
});

test("failed answers and lost connections are counted", () => {
  const faults = "  Socket errors: connect 1, read 20, write 0, timeout 3\n  Non-2xx or 3xx responses: 41\n";
  const { non2xx, socketErrors } = parseWrk(output.replace("Requests/sec", `${faults}Requests/sec`));
  assert.deepEqual({ non2xx, socketErrors }, { non2xx: 41, socketErrors: 24 });
});

test("an output without a count is a fault, not a zero", () => {
  assert.throws(() => parseWrk("unable to connect"), BenchFault);
});
